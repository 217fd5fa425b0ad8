#include "result/lasso.h"

#include <assert.h>
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

/* Least (U) or greatest (R, W) solution of v = b | (a & next v), v = b & (a | next v), v = b | (a &
 * next v): three rounds backwards reach it, because information goes round the loop at most
 * once. */
static void fixpoint(struct lasso *lasso, enum formula_op op, const bool *a, const bool *b,
                     bool *values)
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
        case FORMULA_A: values[i] = a[i]; break; /* on this run */
        default: break;
        }
    if (node.op == FORMULA_F) fixpoint(lasso, FORMULA_U, always, a, values);
    if (node.op == FORMULA_G) {
        bool *never = mem_alloc(mem, n);
        fixpoint(lasso, FORMULA_R, never, a, values);
        mem_free(mem, never);
    }
    if (node.op == FORMULA_U || node.op == FORMULA_R || node.op == FORMULA_W)
        fixpoint(lasso, node.op, a, b, values);
    mem_free(mem, a);
    mem_free(mem, b);
    mem_free(mem, always);
}

bool lasso_holds(const struct model *model, const struct trace *trace, formula f, bool *good)
{
    struct lasso lasso = {model, trace, trace->steps + 1, true};
    assert(trace->loop <= trace->steps); /* the contract: there is a loop */
    bool *values = mem_alloc(model->mem, lasso.length);
    evaluate(&lasso, f, values);
    bool holds = values[0];
    mem_free(model->mem, values);
    *good = lasso.good;
    return holds;
}

bool lasso_may_evaluate(const struct model *model, formula f)
{
    const struct formula_node *node = formula_get(&model->formulas, f);
    const unsigned arity = formula_table[node->op].arity;
    if (node->op == FORMULA_E || node->op == FORMULA_CLOCK || node->op == FORMULA_DEADLOCK)
        return false;
    if (node->op == FORMULA_ATOM || !arity) return true;
    return lasso_may_evaluate(model, node->a) && (arity < 2 || lasso_may_evaluate(model, node->b));
}

void lasso_values(const struct model *model, const struct trace *trace, formula f, bool *values)
{
    struct lasso lasso = {model, trace, trace->steps + 1, true};
    assert(trace->loop <= trace->steps);
    evaluate(&lasso, f, values);
}

/* ---- runs that are known up to a point ---- */

/* What is known of a formula at each state of a prefix, and (the last entry) at whatever state
 * comes after it. */
struct known {
    bool *yes, *no; /* it is true, it is false, whatever comes */
};

static struct known known_new(const struct lasso *lasso)
{
    return (struct known){mem_alloc(lasso->model->mem, lasso->length + UINT64_C(1)),
                          mem_alloc(lasso->model->mem, lasso->length + UINT64_C(1))};
}

static void known_free(const struct lasso *lasso, struct known *known)
{
    mem_free(lasso->model->mem, known->yes);
    mem_free(lasso->model->mem, known->no);
}

static void known_atom(struct lasso *lasso, expr atom, struct known *known)
{
    const struct expr_node *node = expr_get(&lasso->model->exprs, atom);
    bool is_constant = node->op == EXPR_CONST;
    atom_values(lasso, atom, known->yes);
    for (uint32_t i = 0; i < lasso->length; i++) known->no[i] = !known->yes[i];
    known->yes[lasso->length] = is_constant && node->value;
    known->no[lasso->length] = is_constant && !node->value;
}

/* One state, given what is known of the operands there and of the formula itself in the next state.
 * After the prefix a state's successor is like itself. */
static void known_step(enum formula_op op, const struct known *a, const struct known *b, uint32_t i,
                       uint32_t next, bool beyond, struct known *f)
{
    bool ay = a->yes[i], an = a->no[i], by = b->yes[i], bn = b->no[i];
    bool fy = !beyond && f->yes[next],
         fn = !beyond && f->no[next]; /* nothing is put off beyond the prefix ... */
    switch (op) {
    case FORMULA_NOT: f->yes[i] = an, f->no[i] = ay; break;
    case FORMULA_AND: f->yes[i] = ay && by, f->no[i] = an || bn; break;
    case FORMULA_OR: f->yes[i] = ay || by, f->no[i] = an && bn; break;
    case FORMULA_IMPLIES: f->yes[i] = an || by, f->no[i] = ay && bn; break;
    case FORMULA_IFF:
        f->yes[i] = (ay && by) || (an && bn), f->no[i] = (ay && bn) || (an && by);
        break;
    case FORMULA_X: f->yes[i] = a->yes[next], f->no[i] = a->no[next]; break;
    case FORMULA_F:
        f->yes[i] = ay || fy, f->no[i] = an && (fn || beyond);
        break; /* ... but what never is true then never comes true */
    case FORMULA_G: f->yes[i] = ay && (fy || beyond), f->no[i] = an || fn; break;
    case FORMULA_U: f->yes[i] = by || (ay && fy), f->no[i] = bn && (an || fn || beyond); break;
    case FORMULA_R: f->yes[i] = by && (ay || fy || beyond), f->no[i] = bn || (an && fn); break;
    case FORMULA_W: f->yes[i] = by || (ay && (fy || beyond)), f->no[i] = bn && (an || fn); break;
    default: break;
    }
}

static void find_known(struct lasso *lasso, formula f, struct known *known)
{
    const struct formula_node node = *formula_get(&lasso->model->formulas, f);
    if (node.op == FORMULA_ATOM) {
        known_atom(lasso, node.atom, known);
        return;
    }
    struct known a = known_new(lasso), b = known_new(lasso);
    find_known(lasso, node.a, &a);
    if (formula_table[node.op].arity == 2) find_known(lasso, node.b, &b);
    for (uint32_t i = lasso->length + 1; i-- > 0;)
        known_step(node.op, &a, &b, i, i < lasso->length ? i + 1 : i, i == lasso->length, known);
    known_free(lasso, &a);
    known_free(lasso, &b);
}

bool lasso_prefix_refutes(const struct model *model, const struct trace *trace, formula f,
                          bool *good)
{
    struct lasso lasso = {model, trace, trace->steps + 1, true};
    struct known known = known_new(&lasso);
    find_known(&lasso, f, &known);
    bool refuted = known.no[0];
    known_free(&lasso, &known);
    *good = lasso.good;
    return refuted;
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
                    can_move = model_takes_part(model, r, p)
                               && eval_rule(model, r, walk.state, next) == EVAL_ENABLED;
                uint32_t rule = trace->rules[walk.at]; /* the one taken next; the closing one after
                                                          the last state */
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
