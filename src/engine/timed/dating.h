/* When the steps of a run happen: delays for a trace, as short as possible. See dating.c. */
#ifndef CAIRN_ENGINE_TIMED_DATING_H
#define CAIRN_ENGINE_TIMED_DATING_H

#include "result/trace.h"
#include "solver/zone/dbm.h"

/* What must be true at the end of the run, after waiting in its last state. */
struct dating_goal {
    const struct dbm *zone;  /* of timers and clocks; NULL: nothing */
    const uint32_t *sources; /* of each of its clocks 1, 2, ...: a rule (its timer), or the number
                                of rules + a clock */
    uint32_t failing; /* a rule that fails there must be tried: its timer is in its interval, its
                         clock guards hold and it is not held back; or MODEL_NONE */
};

/* Fills in the trace's delays (room is made for them). With a loop, its closing step is dated too,
 * unless it repeats a dead end. `goal` may be NULL; then the last delay is 0. False: there are no
 * such dates, and the trace is as before. Memory is taken by calls that jump when it is refused. */
bool dating_find(const struct model *model, struct trace *trace, const struct dating_goal *goal);

/* A moment of a run. */
struct dating_event {
    uint32_t rule;            /* that is taken then; MODEL_NONE: none, time goes on */
    const struct dbm *before; /* where timers and clocks are, just before; NULL: anywhere ... */
    const uint32_t *sources;  /* ... as in a goal */
    const struct dbm *after;  /* the same just after the rule */
    const uint32_t *after_sources;
};
/* The same for a run whose moments are given, the first one at time 0; the rules are those of the
 * trace, and of its loop. What comes behind the last moment is not looked at. */
bool dating_follow(const struct model *model, struct trace *trace,
                   const struct dating_event *events, uint32_t count);

#endif
