/* Traces: an initial state and the rules taken from it. States in between follow from the reference
 * semantics, so a trace costs four bytes per step and walking it is replaying it. A trace of a
 * timed model says when its steps happen: how long each state lasts. */
#ifndef CAIRN_RESULT_TRACE_H
#define CAIRN_RESULT_TRACE_H

#include "model/timed_eval.h"

struct trace {
    int64_t *initial; /* one value per variable */
    uint32_t *rules;
    uint32_t steps;
    uint32_t loop; /* the state (0 .. steps) that the last one continues with, or MODEL_NONE;
                    * rules[steps] is then the rule of that last step, or MODEL_NONE when a
                    * deadlocked last state repeats for ever */
    uint32_t
        failed_rule; /* of a run-time error: the rule that fails in the last state, or MODEL_NONE */
    int64_t
        *delays; /* NULL: an untimed model. delays[i] passes in state i (0 .. steps), before
                  * rules[i] is taken; in the last state, before the rule of the loop is taken or
                  * until what the trace shows is true. In parts of a tick: so many are one tick: */
    int64_t denominator;
};

struct trace *trace_new(const struct model *model, uint32_t steps);
void trace_free(const struct model *model, struct trace *trace);
/* Makes room for delays, all 0. */
void trace_add_delays(const struct model *model, struct trace *trace, int64_t denominator);

/* A time of the trace, in units of time, as people write it: 3 or 5/2. Exact, unless the number has
 * more than 64 bits: then it is a decimal fraction. */
enum { TRACE_TIME_ROOM = 64 };
const char *trace_time(char buffer[TRACE_TIME_ROOM], const struct model *model,
                       const struct trace *trace, int64_t parts);
/* The date of state i: the delays before it. */
int64_t trace_date(const struct trace *trace, uint32_t state);

/* A position on a trace. */
struct trace_walk {
    const struct model *model;
    const struct trace *trace;
    uint32_t at;              /* steps taken */
    int64_t *state;           /* the current one ... */
    int64_t *previous;        /* ... and the one before */
    struct timed_state *time; /* the same with timers and clocks, when the step was just taken; NULL
                                 unless trace_walk_time was called */
    bool lost_time; /* its times are not known, because the run is not one of the model's */
};
/* Room for walks in this model; trace_walk_again starts one (false: its first state is not
 * initial); trace_walk_end frees the room. */
void trace_walk_prepare(struct trace_walk *walk, const struct model *model);
/* From the next trace_walk_again on, timers and clocks are followed, too. `time` lives as long as
 * the walk. Nothing in an untimed model. */
void trace_walk_time(struct trace_walk *walk, struct timed_state *time);
bool trace_walk_again(struct trace_walk *walk, const struct trace *trace);
/* Both in one. */
bool trace_walk_start(struct trace_walk *walk, const struct model *model,
                      const struct trace *trace);
/* Takes the next step; false when its rule is not enabled. Of a timed model only what the states
 * say is looked at, not the delays: trace_verify does. */
bool trace_walk_step(struct trace_walk *walk);
void trace_walk_end(struct trace_walk *walk);

/* Follows a timed run with its delays; the state (of timed_init, with the trace's denominator) is
 * the last one then, after its delay. NULL, or what is wrong. */
const char *trace_follow(const struct trace *trace, struct timed_state *state);

/* The first rule that fails in the last state, or MODEL_NONE. */
uint32_t trace_failing_rule(const struct model *model, const struct trace *trace);

/* The last state of a run. False: a step of it is not possible. */
bool trace_end(const struct model *model, const struct trace *trace, int64_t *state);

/* Whether the runs are different in more than the order of independent steps: the steps of one are
 * not among those of the other (they are told apart by label and participants, and counted), or
 * both take the same ones, but to different states. */
bool trace_differs(const struct model *model, const struct trace *a, const struct trace *b);

/* What a trace must show to be shown: the end state breaks the invariant, has no enabled rule, or
 * makes a rule fail. In a timed model every step happens when its delay says, and a dead end is one
 * in which no rule can ever be taken again. NULL when it does; otherwise a word about what is
 * wrong, which is a bug of the engine that made it. */
const char *trace_verify(const struct model *model, const struct trace *trace,
                         enum property_kind kind, expr invariant);

/* The same for a temporal property: every step is possible, the loop closes, and an LTL formula is
 * false on the run. Of a timed run the first round of the loop is followed with its delays: states
 * come back, timers need not, and later rounds may take other times. */
const char *trace_verify_temporal(const struct model *model, const struct trace *trace,
                                  enum property_kind kind, formula f);

#endif
