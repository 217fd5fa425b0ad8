/* The reference semantics of time: slow, obvious, exact. Every timed trace is judged by it.
 *
 * A state is an array of values, a timer per rule that has an interval and is enabled (priorities
 * aside), and the clocks. Times are fractions of ticks with one denominator that is chosen at the
 * start: a run with rational delays is followed exactly. A rule that fails is enabled as far as
 * time is concerned: it has its timer and its deadline, and it is an error at the moments at which
 * it would have been taken.
 *
 *  - Waiting: no timer passes the upper end of the interval of its rule, no clock leaves the
 *    invariant of a location; none at all in an urgent location, and not beyond the first moment at
 *    which the clock guards of an urgent rule hold that is enabled or fails. (Where its guards hold
 *    after 2, but not at 2, that is 2.)
 *  - Taking: a rule can be taken now, priorities aside, when it is enabled, its timer is in its
 *    interval, its clock guards hold, and with its clocks set the invariants of the locations it
 *    leads to hold. It is held back by a rule of a higher class that can be taken now, priorities
 * aside.
 *  - Afterwards timers start, go on or start again as model.h says. */
#ifndef CAIRN_MODEL_TIMED_EVAL_H
#define CAIRN_MODEL_TIMED_EVAL_H

#include "model/eval.h"

/* Whether one rule holds the other back while it can be taken. */
bool timed_is_above(const struct model *model, uint32_t high, uint32_t low);
/* Whether the timer of the other rule starts again when this one is taken: it is the same, or it
 * moves one of its processes. */
bool timed_restarts(const struct model *model, uint32_t taken, uint32_t other);

/* Whether a constraint says anything where the variables have these values; then *bound is what it
 * compares with. */
bool timed_bound(const struct model *model, const struct clock_constraint *constraint,
                 const int64_t *values, int64_t *bound);
/* Whether a step of the rule to a state with these values sets the clock; then *value is what to,
 * in ticks. */
bool timed_sets(const struct model *model, const struct model_rule *rule, const int64_t *next,
                uint32_t clock, int64_t *value);

/* Whether a process is in an urgent location. */
bool timed_is_urgent(const struct model *model, const int64_t *values);

struct timed_state {
    const struct model *model;
    int64_t denominator; /* times below are so many parts of a tick */
    int64_t *values;
    int64_t *next;    /* where timed_try leaves the successor */
    int64_t *scratch; /* working memory for other rules */
    bool *enabled;    /* per rule, priorities aside */
    bool *fails;      /* per rule; then it is not in `enabled` */
    int64_t *timers;  /* per rule; of those that are enabled or fail, and have an interval */
    int64_t *clocks;
};

/* Room for states of the model; timed_start makes one. */
void timed_init(struct timed_state *state, const struct model *model, int64_t denominator);
void timed_release(struct timed_state *state);
void timed_copy(struct timed_state *to, const struct timed_state *from);

/* An initial state, at time 0. False: it is not initial, or an invariant of a location does not
 * hold there. */
bool timed_start(struct timed_state *state, const int64_t *values);

/* The delays d >= 0 after which something is true: low <= d <= high, or < where open. */
struct timed_window {
    int64_t low, high;
    bool low_open, high_open, infinite; /* infinite: no upper end */
};
bool timed_window_is_empty(const struct timed_window *window);
bool timed_window_has(const struct timed_window *window, int64_t delay);
/* How long the state may last; never empty. */
struct timed_window timed_patience(const struct timed_state *state);
/* After which delays, within the state's patience, the rule can be taken, priorities aside. Of a
 * rule that fails: after which it is tried. */
struct timed_window timed_chance(struct timed_state *state, uint32_t rule);

/* Lets time pass. False, and nothing has changed: the state does not last so long (or the number
 * leaves its range). */
bool timed_wait(struct timed_state *state, int64_t delay);
/* Whether the rule can be taken now; then its successor is in state->next. EVAL_FAILED: it would
 * be, but it fails. (Where it leads is not known, so the invariants there are not looked at.) */
enum eval_result timed_try(struct timed_state *state, uint32_t rule);
/* Takes the rule. False: it cannot be taken; nothing has changed. */
bool timed_take(struct timed_state *state, uint32_t rule);
/* Whether no rule can ever be taken from here on, however long one waits. */
bool timed_is_stuck(struct timed_state *state);

/* The value of a condition of a query now; false: it cannot be evaluated. */
bool timed_holds(struct timed_state *state, formula f, bool *value);

/* The delays from now on at which a condition can change: where a timer or a clock is at a constant
 * of the model, and one part of a tick before and behind it; 0 is the first. Ascending; how many.
 * Room for so many is the caller's. */
size_t timed_moments_most(const struct model *model);
uint32_t timed_moments(const struct timed_state *state, int64_t *moments);

#endif
