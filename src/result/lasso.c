#include "result/lasso.h"

#include <string.h>

struct lasso {
    const struct model *model;
    const struct trace *trace;
    uint32_t length; /* positions 0 .. length - 1; the last is followed by trace->loop */
    bool good;
};

static uint32_t after(const struct lasso *lasso, uint32_t i)
{
    return i + 1 < lasso->length ? i + 1 : lasso->trace->loop;
}

static void atom_values(struct lasso *lasso, expr atom, bool *values)
{
    struct trace_walk walk;
    int64_t value = 0;
    trace_walk_start(&walk, lasso->model, lasso->trace);
    for (uint32_t i = 0; i < lasso->length; i++) {
        if (!eval_expr(lasso->model, atom, walk.state, &value)) lasso->good = false;
        values[i] = value;
        if (i + 1 < lasso->length) trace_walk_step(&walk);
    }
    trace_walk_end(&walk);
}

/* Least (U) or greatest (R, W) solution of v = b | (a & next v), v = b & (a | next v), v = b | (a & next v): three rounds
 * backwards reach it, because information goes round the loop at most once. */
static void fixpoint(struct lasso *lasso, enum formula_op op, const bool *a, const bool *b, bool *values)
{
    memset(values, op != FORMULA_U, lasso->length * sizeof *values);
    for (unsigned round = 0; round < 3; round++)
        for (uint32_t i = lasso->length; i-- > 0;) {
            bool next = values[after(lasso, i)];
            values[i] = op == FORMULA_R ? b[i] && (a[i] || next) : b[i] || (a[i] && next);
        }
}

static void evaluate(struct lasso *lasso, formula f, bool *values)
{
    const struct formula_node node = *formula_get(&lasso->model->formulas, f);
    struct mem *mem = lasso->model->mem;
    uint32_t n = lasso->length;
    if (node.op == FORMULA_ATOM) {
        atom_values(lasso, node.atom, values);
        return;
    }
    bool *a = mem_alloc(mem, n), *b = mem_alloc(mem, n), *always = mem_alloc(mem, n);
    memset(always, 1, n);
    evaluate(lasso, node.a, a);
    if (formula_table[node.op].arity == 2) evaluate(lasso, node.b, b);
    for (uint32_t i = 0; i < n; i++) switch (node.op) {
        case FORMULA_NOT: values[i] = !a[i]; break;
        case FORMULA_AND: values[i] = a[i] && b[i]; break;
        case FORMULA_OR: values[i] = a[i] || b[i]; break;
        case FORMULA_IMPLIES: values[i] = !a[i] || b[i]; break;
        case FORMULA_IFF: values[i] = a[i] == b[i]; break;
        case FORMULA_X: values[i] = a[after(lasso, i)]; break;
        default: break;
        }
    if (node.op == FORMULA_F) fixpoint(lasso, FORMULA_U, always, a, values);
    if (node.op == FORMULA_G) {
        bool *never = mem_alloc(mem, n);
        fixpoint(lasso, FORMULA_R, never, a, values);
        mem_free(mem, never);
    }
    if (node.op == FORMULA_U || node.op == FORMULA_R || node.op == FORMULA_W) fixpoint(lasso, node.op, a, b, values);
    mem_free(mem, a);
    mem_free(mem, b);
    mem_free(mem, always);
}

bool lasso_holds(const struct model *model, const struct trace *trace, formula f, bool *good)
{
    struct lasso lasso = {model, trace, trace->steps + 1, true};
    bool *values = mem_alloc(model->mem, lasso.length);
    evaluate(&lasso, f, values);
    bool holds = values[0];
    mem_free(model->mem, values);
    *good = lasso.good;
    return holds;
}

bool lasso_is_fair(const struct model *model, const struct trace *trace)
{
    struct trace_walk walk;
    uint32_t processes = model->processes.len;
    bool *fair = mem_alloc(model->mem, processes + UINT64_C(1)), all = true;
    int64_t *next = mem_alloc(model->mem, (model->vars.len + UINT64_C(1)) * sizeof *next);
    bool good = trace_walk_start(&walk, model, trace);
    while (good) {
        if (walk.at >= trace->loop) {
            for (uint32_t p = 0; p < processes; p++) {
                bool can_move = false;
                for (uint32_t r = 0; r < model->rules.len && !fair[p] && !can_move; r++)
                    can_move = model_takes_part(model, r, p) && eval_rule(model, r, walk.state, next) == EVAL_ENABLED;
                uint32_t rule = trace->rules[walk.at]; /* the one taken next; the closing one after the last state */
                fair[p] |= !can_move || (rule != MODEL_NONE && model_takes_part(model, rule, p));
            }
        }
        if (walk.at == trace->steps) break;
        good = trace_walk_step(&walk);
    }
    trace_walk_end(&walk);
    for (uint32_t p = 0; p < processes; p++) all &= fair[p];
    mem_free(model->mem, fair);
    mem_free(model->mem, next);
    return good && all;
}
