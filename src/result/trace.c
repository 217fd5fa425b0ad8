#include "result/trace.h"

#include "result/lasso.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trace *trace_new(const struct model *model, uint32_t steps)
{
    struct trace *trace = mem_alloc(model->mem, sizeof *trace);
    trace->initial = mem_alloc(model->mem, (model->vars.len + 1) * sizeof *trace->initial);
    trace->rules = mem_alloc(model->mem, (steps + UINT64_C(1)) * sizeof *trace->rules);
    trace->steps = steps;
    trace->loop = trace->failed_rule = MODEL_NONE;
    return trace;
}

void trace_free(const struct model *model, struct trace *trace)
{
    if (!trace) return;
    mem_free(model->mem, trace->initial);
    mem_free(model->mem, trace->rules);
    mem_free(model->mem, trace->delays);
    mem_free(model->mem, trace);
}

void trace_add_delays(const struct model *model, struct trace *trace, int64_t denominator)
{
    trace->delays = mem_alloc(model->mem, (trace->steps + UINT64_C(1)) * sizeof *trace->delays);
    trace->denominator = denominator;
}

const char *trace_time(char buffer[TRACE_TIME_ROOM], const struct model *model,
                       const struct trace *trace, int64_t parts)
{
    int64_t per_unit, a = parts, b;
    assert(trace->denominator > 0 && model->ticks > 0);
    if (__builtin_mul_overflow(trace->denominator, model->ticks, &per_unit)) {
        snprintf(buffer, TRACE_TIME_ROOM, "%.9g",
                 (double)parts / (double)trace->denominator / (double)model->ticks);
        return buffer;
    }
    for (b = per_unit; a;) { /* b becomes the greatest common divisor */
        int64_t rest = b % a;
        b = a;
        a = rest;
    }
    snprintf(buffer, TRACE_TIME_ROOM, per_unit == b ? "%" PRId64 : "%" PRId64 "/%" PRId64,
             parts / b, per_unit / b);
    return buffer;
}

int64_t trace_date(const struct trace *trace, uint32_t state)
{
    int64_t date = 0;
    assert(trace->delays && state <= trace->steps + UINT64_C(1));
    for (uint32_t i = 0; i < state; i++) date += trace->delays[i];
    return date;
}

void trace_walk_prepare(struct trace_walk *walk, const struct model *model)
{
    size_t bytes = (model->vars.len + 1) * sizeof *walk->state;
    *walk = (struct trace_walk){.model = model};
    walk->state = mem_alloc(model->mem, bytes);
    walk->previous = mem_alloc(model->mem, bytes);
}

void trace_walk_time(struct trace_walk *walk, struct timed_state *time)
{
    if (!model_is_timed(walk->model)) return;
    timed_init(time, walk->model, 1);
    walk->time = time;
}

bool trace_walk_again(struct trace_walk *walk, const struct trace *trace)
{
    walk->trace = trace;
    walk->at = 0;
    if (walk->time) {
        walk->time->denominator = trace->denominator ? trace->denominator : 1;
        walk->lost_time = !trace->delays || !timed_start(walk->time, trace->initial);
    }
    memcpy(walk->state, trace->initial, walk->model->vars.len * sizeof *walk->state);
    return eval_is_initial(walk->model, walk->state);
}

bool trace_walk_start(struct trace_walk *walk, const struct model *model, const struct trace *trace)
{
    trace_walk_prepare(walk, model);
    return trace_walk_again(walk, trace);
}

bool trace_walk_step(struct trace_walk *walk)
{
    assert(walk->at < walk->trace->steps);
    uint32_t rule = walk->trace->rules[walk->at];
    int64_t *swap = walk->previous;
    walk->previous = walk->state;
    walk->state = swap;
    walk->at++;
    if (rule >= walk->model->rules.len) return false;
    if (walk->time && !walk->lost_time)
        walk->lost_time = !timed_wait(walk->time, walk->trace->delays[walk->at - 1])
                          || !timed_take(walk->time, rule);
    if (model_is_timed(walk->model))
        return eval_permits(walk->model, rule, walk->previous)
               && eval_rule_alone(walk->model, rule, walk->previous, walk->state, NULL)
                      == EVAL_ENABLED;
    return eval_rule(walk->model, rule, walk->previous, walk->state) == EVAL_ENABLED;
}

void trace_walk_end(struct trace_walk *walk)
{
    mem_free(walk->model->mem, walk->state);
    mem_free(walk->model->mem, walk->previous);
    if (walk->time) timed_release(walk->time);
}

/* ---- where a run ends ---- */

/* The last state of a run. Of a timed one, what can happen there is asked of `timed`. */
struct last_state {
    const struct model *model;
    int64_t *values;
    struct timed_state *timed; /* NULL: no time */
    int64_t *room;             /* for a state, without time */
};

static struct last_state last_timed(struct timed_state *state)
{
    return (struct last_state){state->model, state->values, state, NULL};
}

static struct last_state last_untimed(struct trace_walk *walk)
{
    assert(!model_is_timed(walk->model));
    return (struct last_state){walk->model, walk->state, NULL, walk->previous};
}

static bool fails(const struct last_state *last, uint32_t rule)
{
    enum eval_result tried = last->timed ? timed_try(last->timed, rule)
                                         : eval_rule(last->model, rule, last->values, last->room);
    return tried == EVAL_FAILED;
}

static uint32_t first_failing(const struct last_state *last)
{
    for (uint32_t r = 0; r < last->model->rules.len; r++)
        if (fails(last, r)) return r;
    return MODEL_NONE;
}

/* NULL: nothing leads on. */
static const char *what_goes_on(const struct last_state *last)
{
    if (last->timed)
        return timed_is_stuck(last->timed) ? NULL : "a rule can be taken in the last state";
    for (uint32_t r = 0; r < last->model->rules.len; r++)
        if (eval_rule(last->model, r, last->values, last->room) == EVAL_ENABLED)
            return "a rule is enabled in the last state";
    return NULL;
}

static const char *verify_end(const struct last_state *last, const struct trace *trace,
                              enum property_kind kind, expr invariant)
{
    int64_t value;
    switch (kind) {
    case PROPERTY_DEADLOCK:
        if (eval_is_final(last->model, last->values)) return "the last state is final";
        return what_goes_on(last);
    case PROPERTY_RUNTIME_ERROR:
        if (trace->failed_rule == MODEL_NONE) return "it names no rule that fails";
        return fails(last, trace->failed_rule) ? NULL : "the rule does not fail in the last state";
    case PROPERTY_INVARIANT:
    case PROPERTY_CTL:
    case PROPERTY_LTL:
    case PROPERTY_REACH:
    case PROPERTY_QUERY: /* about single states; others: trace_verify_query */
        if (!eval_expr(last->model, invariant, last->values, &value))
            return "the property cannot be evaluated in the last state";
        return value ? "the property is true in the last state" : NULL;
    }
    return "an unknown kind of property";
}

/* ---- timed runs ---- */

const char *trace_follow(const struct trace *trace, struct timed_state *state)
{
    if (!trace->delays && model_is_timed(state->model)) return "it has no delays";
    if (!timed_start(state, trace->initial)) return "it does not start in an initial state";
    for (uint32_t i = 0;; i++) {
        if (!timed_wait(state, trace->delays ? trace->delays[i] : 0))
            return "a delay is too long for its state";
        if (i == trace->steps) return NULL;
        if (!timed_take(state, trace->rules[i])) return "a rule is taken when it cannot be taken";
    }
}

static const char *verify_timed(const struct model *model, const struct trace *trace,
                                enum property_kind kind, expr invariant)
{
    struct timed_state state;
    timed_init(&state, model, trace->denominator ? trace->denominator : 1);
    const char *wrong = trace_follow(trace, &state);
    const struct last_state last = last_timed(&state);
    if (!wrong) wrong = verify_end(&last, trace, kind, invariant);
    timed_release(&state);
    return wrong;
}

/* The run and the closing step of its loop, with their delays. Where the loop leads is not looked
 * at. */
static const char *verify_timed_run(const struct model *model, const struct trace *trace)
{
    struct timed_state state;
    timed_init(&state, model, trace->denominator ? trace->denominator : 1);
    const char *wrong = trace_follow(trace, &state);
    if (!wrong && trace->loop != MODEL_NONE) {
        uint32_t rule = trace->rules[trace->steps];
        if (rule == MODEL_NONE ? !timed_is_stuck(&state) : !timed_take(&state, rule))
            wrong = "the loop is not closed";
    }
    timed_release(&state);
    return wrong;
}

/* ---- what a trace shows ---- */

static uint32_t failing_timed(const struct model *model, const struct trace *trace)
{
    struct timed_state state;
    timed_init(&state, model, trace->denominator ? trace->denominator : 1);
    const char *wrong = trace_follow(trace, &state);
    const struct last_state last = last_timed(&state);
    uint32_t found = wrong ? MODEL_NONE : first_failing(&last);
    timed_release(&state);
    return found;
}

uint32_t trace_failing_rule(const struct model *model, const struct trace *trace)
{
    if (model_is_timed(model)) return failing_timed(model, trace);
    struct trace_walk walk;
    trace_walk_start(&walk, model, trace);
    while (walk.at < trace->steps && trace_walk_step(&walk)) continue;
    const struct last_state last = last_untimed(&walk);
    uint32_t found = first_failing(&last);
    trace_walk_end(&walk);
    return found;
}

const char *trace_verify(const struct model *model, const struct trace *trace,
                         enum property_kind kind, expr invariant)
{
    if (model_is_timed(model)) return verify_timed(model, trace, kind, invariant);
    struct trace_walk walk;
    const char *wrong = NULL;
    if (!trace_walk_start(&walk, model, trace)) wrong = "it does not start in an initial state";
    while (!wrong && walk.at < trace->steps)
        if (!trace_walk_step(&walk)) wrong = "a rule is not enabled where it is taken";
    const struct last_state last = last_untimed(&walk);
    if (!wrong) wrong = verify_end(&last, trace, kind, invariant);
    trace_walk_end(&walk);
    return wrong;
}

/* But for what says nothing about states. */
static bool is_same_state(const struct model *model, int64_t *state, const int64_t *other)
{
    for (uint32_t v = 0; v < model->vars.len; v++)
        if (model->vars.data[v].is_hidden && model_is_fresh(model, v)) state[v] = other[v];
    return !memcmp(state, other, model->vars.len * sizeof *state);
}

/* The last state goes on with the state at `loop`: by a rule, or by repeating itself when nothing
 * is enabled. */
static const char *verify_loop(struct trace_walk *walk, int64_t *target)
{
    const struct model *model = walk->model;
    const struct trace *trace = walk->trace;
    uint32_t rule = trace->rules[trace->steps];
    bool timed = model_is_timed(model);
    if (rule == MODEL_NONE) {
        for (uint32_t r = 0; r < model->rules.len && !timed; r++)
            if (eval_rule(model, r, walk->state, walk->previous) == EVAL_ENABLED)
                return "the last state does not repeat: a rule is enabled";
        return trace->loop == trace->steps ? NULL : "a deadlocked state goes on elsewhere";
    }
    enum eval_result tried = rule >= model->rules.len ? EVAL_DISABLED
                             : timed
                                 ? eval_rule_alone(model, rule, walk->state, walk->previous, NULL)
                                 : eval_rule(model, rule, walk->state, walk->previous);
    if (tried != EVAL_ENABLED || !eval_permits(model, rule, walk->state))
        return "the loop is not closed by an enabled rule";
    return !is_same_state(model, walk->previous, target) ? "the loop does not lead back" : NULL;
}

const char *trace_verify_temporal(const struct model *model, const struct trace *trace,
                                  enum property_kind kind, formula f)
{
    struct trace_walk walk;
    const char *wrong = NULL;
    int64_t *target = mem_alloc(model->mem, (model->vars.len + 1) * sizeof *target);
    if (!trace_walk_start(&walk, model, trace)) wrong = "it does not start in an initial state";
    for (;;) {
        if (walk.at == trace->loop) memcpy(target, walk.state, model->vars.len * sizeof *target);
        if (wrong || walk.at == trace->steps) break;
        if (!trace_walk_step(&walk)) wrong = "a rule is not enabled where it is taken";
    }
    if (!wrong && trace->loop != MODEL_NONE) wrong = verify_loop(&walk, target);
    if (!wrong && model_is_timed(model)) wrong = verify_timed_run(model, trace);
    if (!wrong && kind == PROPERTY_LTL) {
        bool good, refuted = trace->loop == MODEL_NONE
                                 ? lasso_prefix_refutes(model, trace, f, &good)
                                 : !lasso_holds(model, trace, f, &good);
        if (!refuted)
            wrong = trace->loop == MODEL_NONE ? "a run without a loop does not refute the formula"
                                              : "the formula is true on the run";
        if (!good && !wrong) wrong = "the formula cannot be evaluated on the run";
    }
    trace_walk_end(&walk);
    mem_free(model->mem, target);
    return wrong;
}

/* ---- comparing ---- */

/* Rules with the same label and the same participants are equal. */
static int compare_rules(const void *a, const void *b, void *context)
{
    const struct model *model = context;
    const struct model_rule *one = &model->rules.data[*(const uint32_t *)a],
                            *other = &model->rules.data[*(const uint32_t *)b];
    int order = strcmp(one->label, other->label);
    if (!order) order = (one->parts > other->parts) - (one->parts < other->parts);
    for (uint32_t i = 0; !order && i < one->parts; i++) {
        const uint32_t mine = model->parts.data[one->first_part + i].process,
                       theirs = model->parts.data[other->first_part + i].process;
        order = (mine > theirs) - (mine < theirs);
    }
    return order;
}

static uint32_t *sorted_steps(const struct model *model, const struct trace *trace)
{
    uint32_t *steps = mem_alloc(model->mem, (trace->steps + UINT64_C(1)) * sizeof *steps);
    memcpy(steps, trace->rules, trace->steps * sizeof *steps);
    qsort_r(steps, trace->steps, sizeof *steps, compare_rules, (void *)model);
    return steps;
}

bool trace_end(const struct model *model, const struct trace *trace, int64_t *state)
{
    struct trace_walk walk;
    bool good = trace_walk_start(&walk, model, trace);
    while (good && walk.at < trace->steps) good = trace_walk_step(&walk);
    if (good) memcpy(state, walk.state, model->vars.len * sizeof *state);
    trace_walk_end(&walk);
    return good;
}

static bool ends_alike(const struct model *model, const struct trace *a, const struct trace *b)
{
    const size_t bytes = (model->vars.len + UINT64_C(1)) * sizeof(int64_t);
    int64_t *mine = mem_alloc(model->mem, bytes), *theirs = mem_alloc(model->mem, bytes);
    const bool alike = trace_end(model, a, mine) && trace_end(model, b, theirs)
                       && !memcmp(mine, theirs, model->vars.len * sizeof *mine);
    mem_free(model->mem, mine);
    mem_free(model->mem, theirs);
    return alike;
}

bool trace_differs(const struct model *model, const struct trace *a, const struct trace *b)
{
    uint32_t *mine = sorted_steps(model, a), *theirs = sorted_steps(model, b);
    uint32_t i = 0, k = 0, common = 0;
    while (i < a->steps && k < b->steps) {
        const int order = compare_rules(&mine[i], &theirs[k], (void *)model);
        common += !order;
        i += order <= 0;
        k += order >= 0;
    }
    mem_free(model->mem, mine);
    mem_free(model->mem, theirs);
    if (common == a->steps && common == b->steps) return !ends_alike(model, a, b);
    return common < a->steps && common < b->steps;
}
