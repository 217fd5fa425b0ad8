/* Runs a saved trace (ITF) against its model, step by step, in the reference evaluator. */
#ifndef CAIRN_RUN_REPLAY_H
#define CAIRN_RUN_REPLAY_H

#include "run/session.h"

/* Who watches, state by state. */
struct replay_viewer {
    void *context;
    /* State `number`, by this rule (MODEL_NONE: the first state) at this date (NULL: no time). */
    void (*step)(void *context, const struct session *session, uint32_t number, uint32_t rule,
                 const char *date, const int64_t *before, const int64_t *after);
    /* All states were seen: what passes in the last one. */
    void (*wait)(void *context, const struct session *session, const struct trace *trace);
    /* A message follows what was seen. */
    void (*pause)(void *context);
    /* The run repeats. */
    void (*loop)(void *context, const struct session *session, const struct trace *trace);
};

/* What the trace was saved for. */
struct replay_claim {
    uint32_t steps;
    const char *property; /* NULL: it says nothing of the kind */
    bool is_verified;     /* one run can show it */
    bool seeks;           /* it reaches something, instead of violating something */
    bool is_true;
};

/* A time in units, such as 3, 5/2 or 2.5, as a fraction. False: the text is none. */
bool replay_time(const char *text, int64_t *numerator, int64_t *denominator);

/* Reads a trace and follows it in the model that is loaded already. NULL after a message: it does
 * not replay there. */
struct trace *replay_load(struct session *session, const char *path);

/* The trace is the ask's file. `viewer` may be NULL. False after a message: it does not replay. */
bool replay_run(struct session *session, const struct replay_viewer *viewer,
                struct replay_claim *claim);

#endif
