/* Whether a recorded log is the beginning of a run of the model; if not, how much of it is, what
 * was possible there, and what would explain its next line. Each of these is a search for a state
 * of the model with the log woven into it (pass/log.h). */
#ifndef CAIRN_RUN_CONFORM_H
#define CAIRN_RUN_CONFORM_H

#include "run/logfile.h"

struct conform {
    struct logfile file;
    bool is_known;     /* whether the log conforms; otherwise a limit ended the search */
    bool conforms;     /* if it is known */
    bool knows_passed; /* otherwise ... */
    uint32_t passed;   /* ... at least as many lines are the beginning of a run */
    struct trace *run; /* one that these can have come from, of the session's model; or NULL */
    uint32_t *step_of; /* [passed]: how many of its steps were taken when each line was passed */

    /* About the next line, when it does not conform. */
    bool knows_possible;  /* what could have happened there instead: */
    bool *is_possible;    /* [classes of the file]: steps that can be logged there */
    bool knows_bridge;    /* whether steps that were not logged would explain it: */
    struct trace *bridge; /* a run that passes it, with such steps before it; NULL: there is none */
    uint32_t bridge_from, bridge_to; /* these steps of it, counted from 0 */
    struct trace *nearest; /* a run whose last step can be the line, but for its values or its
                              time; or NULL */

    struct result result; /* of the search that decided it */
};

/* The log is the ask's. False after a message: session->status is the exit status. */
bool conform_run(struct session *session, struct conform *conform);

/* What is claimed, in a sentence. */
const char *conform_assurance(struct session *session, const struct conform *conform);
int conform_status(const struct conform *conform);

#endif
