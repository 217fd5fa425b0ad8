/* Traces: an initial state and the rules taken from it. States in between follow from the reference semantics, so a trace costs four
 * bytes per step and walking it is replaying it. */
#ifndef CAIRN_RESULT_TRACE_H
#define CAIRN_RESULT_TRACE_H

#include "model/eval.h"

struct trace {
    int64_t *initial; /* one value per variable */
    uint32_t *rules;
    uint32_t steps;
    uint32_t loop;       /* the state (0 .. steps) that the last one continues with, or MODEL_NONE; rules[steps] is then the rule of
                          * that last step, or MODEL_NONE when a deadlocked last state repeats for ever */
    uint32_t failed_rule; /* of a run-time error: the rule that fails in the last state, or MODEL_NONE */
};

struct trace *trace_new(const struct model *model, uint32_t steps);
void trace_free(const struct model *model, struct trace *trace);

/* A position on a trace. */
struct trace_walk {
    const struct model *model;
    const struct trace *trace;
    uint32_t at;       /* steps taken */
    int64_t *state;    /* the current one ... */
    int64_t *previous; /* ... and the one before */
};
/* Room for walks in this model; trace_walk_again starts one (false: its first state is not initial); trace_walk_end frees the room. */
void trace_walk_prepare(struct trace_walk *walk, const struct model *model);
bool trace_walk_again(struct trace_walk *walk, const struct trace *trace);
/* Both in one. */
bool trace_walk_start(struct trace_walk *walk, const struct model *model, const struct trace *trace);
/* Takes the next step; false when its rule is not enabled. */
bool trace_walk_step(struct trace_walk *walk);
void trace_walk_end(struct trace_walk *walk);

/* The first rule that fails in the last state, or MODEL_NONE. */
uint32_t trace_failing_rule(const struct model *model, const struct trace *trace);

/* What a trace must show to be shown: the end state breaks the invariant, has no enabled rule, or makes a rule fail.
 * NULL when it does; otherwise a word about what is wrong, which is a bug of the engine that made it. */
const char *trace_verify(const struct model *model, const struct trace *trace, enum property_kind kind, expr invariant);

/* The same for a temporal property: every step is possible, the loop closes, and an LTL formula is false on the run. */
const char *trace_verify_temporal(const struct model *model, const struct trace *trace, enum property_kind kind, formula f);

#endif
