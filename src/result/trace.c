#include "result/trace.h"

#include "result/lasso.h"

#include <assert.h>
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
    mem_free(model->mem, trace);
}

void trace_walk_prepare(struct trace_walk *walk, const struct model *model)
{
    size_t bytes = (model->vars.len + 1) * sizeof *walk->state;
    *walk = (struct trace_walk){.model = model};
    walk->state = mem_alloc(model->mem, bytes);
    walk->previous = mem_alloc(model->mem, bytes);
}

bool trace_walk_again(struct trace_walk *walk, const struct trace *trace)
{
    walk->trace = trace;
    walk->at = 0;
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
    return rule < walk->model->rules.len && eval_rule(walk->model, rule, walk->previous, walk->state) == EVAL_ENABLED;
}

void trace_walk_end(struct trace_walk *walk)
{
    mem_free(walk->model->mem, walk->state);
    mem_free(walk->model->mem, walk->previous);
}

uint32_t trace_failing_rule(const struct model *model, const struct trace *trace)
{
    struct trace_walk walk;
    uint32_t found = MODEL_NONE;
    trace_walk_start(&walk, model, trace);
    while (walk.at < trace->steps && trace_walk_step(&walk)) continue;
    for (uint32_t r = 0; r < model->rules.len && found == MODEL_NONE; r++)
        if (eval_rule(model, r, walk.state, walk.previous) == EVAL_FAILED) found = r;
    trace_walk_end(&walk);
    return found;
}

static const char *verify_end(struct trace_walk *walk, enum property_kind kind, expr invariant)
{
    int64_t value;
    switch (kind) {
    case PROPERTY_DEADLOCK:
        for (uint32_t r = 0; r < walk->model->rules.len; r++)
            if (eval_rule(walk->model, r, walk->state, walk->previous) == EVAL_ENABLED) return "a rule is enabled in the last state";
        return NULL;
    case PROPERTY_RUNTIME_ERROR:
        if (walk->trace->failed_rule == MODEL_NONE) return "it names no rule that fails";
        return eval_rule(walk->model, walk->trace->failed_rule, walk->state, walk->previous) == EVAL_FAILED ? NULL : "the rule does not fail in the last state";
    case PROPERTY_INVARIANT:
    case PROPERTY_CTL:
    case PROPERTY_LTL:
        if (!eval_expr(walk->model, invariant, walk->state, &value)) return "the property cannot be evaluated in the last state";
        return value ? "the property is true in the last state" : NULL;
    }
    return "an unknown kind of property";
}

const char *trace_verify(const struct model *model, const struct trace *trace, enum property_kind kind, expr invariant)
{
    struct trace_walk walk;
    const char *wrong = NULL;
    if (!trace_walk_start(&walk, model, trace)) wrong = "it does not start in an initial state";
    while (!wrong && walk.at < trace->steps)
        if (!trace_walk_step(&walk)) wrong = "a rule is not enabled where it is taken";
    if (!wrong) wrong = verify_end(&walk, kind, invariant);
    trace_walk_end(&walk);
    return wrong;
}

/* The last state goes on with the state at `loop`: by a rule, or by repeating itself when nothing is enabled. */
static const char *verify_loop(struct trace_walk *walk, int64_t *target)
{
    const struct model *model = walk->model;
    const struct trace *trace = walk->trace;
    uint32_t rule = trace->rules[trace->steps];
    if (rule == MODEL_NONE) {
        for (uint32_t r = 0; r < model->rules.len; r++)
            if (eval_rule(model, r, walk->state, walk->previous) == EVAL_ENABLED) return "the last state does not repeat: a rule is enabled";
        return trace->loop == trace->steps ? NULL : "a deadlocked state goes on elsewhere";
    }
    if (rule >= model->rules.len || eval_rule(model, rule, walk->state, walk->previous) != EVAL_ENABLED) return "the loop is not closed by an enabled rule";
    return memcmp(walk->previous, target, model->vars.len * sizeof *target) ? "the loop does not lead back" : NULL;
}

const char *trace_verify_temporal(const struct model *model, const struct trace *trace, enum property_kind kind, formula f)
{
    struct trace_walk walk;
    const char *wrong = NULL;
    int64_t *target = mem_alloc(model->mem, (model->vars.len + 1) * sizeof *target);
    if (!trace_walk_start(&walk, model, trace)) wrong = "it does not start in an initial state";
    for (;; ) {
        if (walk.at == trace->loop) memcpy(target, walk.state, model->vars.len * sizeof *target);
        if (wrong || walk.at == trace->steps) break;
        if (!trace_walk_step(&walk)) wrong = "a rule is not enabled where it is taken";
    }
    if (!wrong && trace->loop != MODEL_NONE) wrong = verify_loop(&walk, target);
    if (!wrong && kind == PROPERTY_LTL) {
        bool good, refuted = trace->loop == MODEL_NONE ? lasso_prefix_refutes(model, trace, f, &good) : !lasso_holds(model, trace, f, &good);
        if (!refuted) wrong = trace->loop == MODEL_NONE ? "a run without a loop does not refute the formula" : "the formula is true on the run";
        if (!good && !wrong) wrong = "the formula cannot be evaluated on the run";
    }
    trace_walk_end(&walk);
    mem_free(model->mem, target);
    return wrong;
}
