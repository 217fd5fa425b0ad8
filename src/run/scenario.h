/* What the scenario of a context (CDL) is as an automaton: sizes, words, orders and how many
 * clusters each keeps waiting, a picture. */
#ifndef CAIRN_RUN_SCENARIO_H
#define CAIRN_RUN_SCENARIO_H

#include "base/natural.h"
#include "run/session.h"

struct scenario {
    const struct context *context;
    struct natural words;
    char *digits; /* of their number */
    uint32_t longest, shortest;
    uint32_t reached_future; /* the most clusters that past-freeze keeps in the best order found */
};

/* A context of session->cdl. False after diagnostics. */
bool scenario_read(struct session *session, uint32_t index, struct scenario *scenario);
/* Memory that is refused jumps. */
void scenario_measure(struct session *session, struct scenario *scenario);
void scenario_draw(struct session *session, const struct scenario *scenario, FILE *file);

#endif
