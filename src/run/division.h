/* A search that is split, in this run (run/split.h): its parts, what is known of each, and the one
 * result that they come to. */
#ifndef CAIRN_RUN_DIVISION_H
#define CAIRN_RUN_DIVISION_H

#include "result/furthest.h"
#include "run/outcome.h"
#include "run/session.h"

enum { DIVISION_MESSAGES = 3 }; /* so many are told of parts that fail */

enum division_state {
    PART_WAITING,
    PART_RUNNING,
    PART_DONE,
    PART_DIVIDED,
    PART_LIMITED,
    PART_FAILED
};

struct division_piece { /* one part, in this run */
    enum division_state state;
    bool has_outcome;
    bool is_own;   /* it was searched here */
    int status;    /* of its process */
    double looked; /* at who has it */
    struct outcome outcome;
};

struct division {
    struct session *session;
    struct task *task;
    struct result *result;
    bool timed;               /* the timed engine searches */
    bool begins_again;        /* with other zones */
    struct furthest furthest; /* the parts, those that began again, the whole without parts */
    struct parts parts;
    VEC(struct division_piece) pieces; /* one for each line of `parts` */
    uint32_t only;                     /* this part alone, or NO_PART: all */
    uint32_t done, messages;
    bool found;        /* a violation, in a part that was searched here */
    bool left;         /* a part that was searched here was not done */
    atomic_int ending; /* somebody wants an end */
    double refreshed;
    uint64_t given,
        used;       /* bytes for the search without parts, and how many were taken before it */
    uint64_t limit; /* for each part */
    bool stopping, is_broken;
    bool single_failed;    /* a part that began with one state did not fit */
    enum stop_reason stop; /* of a failure that is not in an outcome, and ... */
    const char *detail;    /* ... why */
    double started, shown, watched;
};

/* Whether there is such a part. */
static inline bool division_has(const struct division *split, uint32_t number)
{
    return split->parts.lines.data[number].is_known;
}

uint32_t division_count(const struct division *split);

/* Whether nothing is left to find out: violations, and states that EF asks for. */
bool division_is_decided(const struct division *split);
/* What all parts that are done come to. */
void division_conclude(struct division *split);

#endif
