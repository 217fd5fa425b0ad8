/* Interval analysis (Cousot and Cousot 1977). The range of a variable starts as its initial value
 * and grows by the bounds of everything that some rule stores in it, until nothing changes.
 * Invariant: a state whose variables all lie in the final ranges has only successors of that kind,
 * and initial states are; so the ranges hold in all reachable states.
 *
 * While a rule is looked at, comparisons with constants in its guard narrow what it reads: `x < 20`
 * before x := x + 1. That holds for the parallel assignment, and in the body until the variable is
 * written or code branches. A variable that keeps growing goes to the end of its declared range. */
#include "pass/tighten.h"

#include <assert.h>
#include <string.h>

enum { MOST_ENTRIES = 4096, MOST_CHANGES = 40, MOST_ROUNDS = 500 };

struct bounds {
    int64_t low, high; /* low > high: no value, evaluation always fails */
};

struct tightening {
    struct model *model;
    struct bounds *vars, *locals;
    struct bounds *here;  /* of variables within the current rule ... */
    uint32_t *here_stamp; /* ... where this is the current rule's number */
    struct bounds *exprs; /* memory of bounds_of ... */
    uint32_t *expr_stamp; /* ... valid where this is `now` */
    uint32_t rule_stamp, now;
    uint32_t *called, call; /* per statement: the last rule in this round whose code calls it */
    uint8_t *changes;
    bool changed;
};

static const struct bounds nothing = {1, 0};

static bool is_nothing(struct bounds b) { return b.low > b.high; }

static struct bounds both(struct bounds a, struct bounds b)
{
    if (is_nothing(a)) return b;
    if (is_nothing(b)) return a;
    return (struct bounds){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static struct bounds common(struct bounds a, struct bounds b)
{
    return (struct bounds){a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
}

/* ---- expressions ---- */

static struct bounds bounds_of(struct tightening *t, expr e);

static struct bounds var_bounds(const struct tightening *t, uint32_t var)
{
    return t->here_stamp[var] == t->rule_stamp ? t->here[var] : t->vars[var];
}

static struct bounds array_bounds(struct tightening *t, const struct expr_node *node)
{
    struct bounds offset = bounds_of(t, node->a), result = nothing;
    int64_t count = expr_get(&t->model->exprs, node->b)->value;
    if (is_nothing(offset)) return nothing;
    for (int64_t i = offset.low < 0 ? 0 : offset.low; i <= offset.high && i < count; i++)
        result = both(result, node->op == EXPR_AT ? var_bounds(t, (uint32_t)(node->value + i))
                                                  : t->locals[node->value + i]);
    return result;
}

/* Large tables are not worth a look at each entry whenever the bounds of the index change. */
static struct bounds table_bounds(struct tightening *t, const struct expr_node *node)
{
    const struct model_table *table = &t->model->tables.data[node->value];
    struct bounds index = bounds_of(t, node->a), result = nothing;
    if (is_nothing(index)) return nothing;
    if (table->count > MOST_ENTRIES) return (struct bounds){table->low, table->high};
    for (int64_t i = index.low < 0 ? 0 : index.low; i <= index.high && i < table->count; i++)
        result = both(result, (struct bounds){table->values[i], table->values[i]});
    return result;
}

static struct bounds arithmetic_bounds(const struct expr_node *node, struct bounds a,
                                       struct bounds b)
{
    struct bounds all = {node->low, node->high}, result = nothing;
    const int64_t ends[2][2] = {{a.low, a.high}, {b.low, b.high}};
    if (node->bits) return all;
    if (node->op == EXPR_MOD) { /* at most as far from zero as either operand */
        if (a.low >= 0) all = common(all, (struct bounds){0, a.high});
        if (b.low > 0) all = common(all, (struct bounds){a.low < 0 ? 1 - b.high : 0, b.high - 1});
        return all;
    }
    if (node->op == EXPR_DIV && b.low <= 0 && b.high >= 0) return all;
    for (unsigned i = 0; i < 4; i++) {
        int64_t corner;
        if (!expr_apply(node->op, 0, ends[0][i & 1], ends[1][i >> 1], &corner)) return all;
        result = both(result, (struct bounds){corner, corner});
    }
    return result;
}

static struct bounds compute(struct tightening *t, const struct expr_node *node)
{
    struct bounds all = {node->low, node->high}, a, b;
    switch ((enum expr_op)node->op) {
    case EXPR_CONST: return (struct bounds){node->value, node->value};
    case EXPR_FAIL: return nothing;
    case EXPR_VAR: return common(all, var_bounds(t, (uint32_t)node->value));
    case EXPR_LOCAL: return common(all, t->locals[node->value]);
    case EXPR_AT:
    case EXPR_LOCAL_AT: return common(all, array_bounds(t, node));
    case EXPR_TABLE: return common(all, table_bounds(t, node));
    case EXPR_CHOOSE: return both(bounds_of(t, node->b), bounds_of(t, node->c));
    case EXPR_WITHIN: return common(all, bounds_of(t, node->a));
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_DIV:
    case EXPR_MOD:
        a = bounds_of(t, node->a);
        b = bounds_of(t, node->b);
        return is_nothing(a) || is_nothing(b) ? nothing
                                              : common(all, arithmetic_bounds(node, a, b));
    default: return all; /* Booleans, and what is cut */
    }
}

static struct bounds bounds_of(struct tightening *t, expr e)
{
    const struct expr_node *node = expr_get(&t->model->exprs, e);
    if (t->expr_stamp[e.i] != t->now) {
        struct bounds found = compute(t, node);
        t->exprs[e.i] = found;
        t->expr_stamp[e.i] = t->now;
    }
    return t->exprs[e.i];
}

/* What was remembered of expressions is out of date. */
static void forget(struct tightening *t) { t->now++; }

/* ---- guards ---- */

static void narrow(struct tightening *t, uint32_t var, struct bounds to)
{
    struct bounds narrower = common(var_bounds(t, var), to);
    if (is_nothing(narrower))
        return; /* the rule is never enabled, as far as is known now: no harm in taking it for
                   possible */
    t->here[var] = narrower;
    t->here_stamp[var] = t->rule_stamp;
}

static void narrow_by(struct tightening *t, expr cond)
{
    static const uint8_t mirrored[EXPR_OPS] = {[EXPR_EQ] = EXPR_EQ,
                                               [EXPR_LT] = EXPR_GT,
                                               [EXPR_LE] = EXPR_GE,
                                               [EXPR_GT] = EXPR_LT,
                                               [EXPR_GE] = EXPR_LE};
    const struct exprs *exprs = &t->model->exprs;
    const struct expr_node *node = expr_get(exprs, cond);
    if (node->op == EXPR_AND) {
        narrow_by(t, node->a);
        narrow_by(t, node->b);
        return;
    }
    if (!mirrored[node->op]) return;
    const struct expr_node *a = expr_get(exprs, node->a), *b = expr_get(exprs, node->b);
    uint8_t op = node->op;
    if (a->op == EXPR_CONST) {
        const struct expr_node *held = a;
        a = b;
        b = held;
        op = mirrored[op];
    }
    if (a->op != EXPR_VAR || b->op != EXPR_CONST) return;
    struct bounds to = {INT64_MIN, INT64_MAX};
    if (op == EXPR_EQ || op == EXPR_GE) to.low = b->value;
    if (op == EXPR_GT && b->value < INT64_MAX) to.low = b->value + 1;
    if (op == EXPR_EQ || op == EXPR_LE) to.high = b->value;
    if (op == EXPR_LT && b->value > INT64_MIN) to.high = b->value - 1;
    narrow(t, (uint32_t)a->value, to);
}

/* ---- effects ---- */

static void grow_var(struct tightening *t, uint32_t var, struct bounds by)
{
    struct bounds *range = &t->vars[var], wider = both(*range, by);
    const struct model_var *declared = &t->model->vars.data[var];
    if (is_nothing(by)) return;
    wider = common(wider, (struct bounds){declared->low, declared->high});
    if (wider.low == range->low && wider.high == range->high) return;
    if (t->changes[var] < UINT8_MAX) t->changes[var]++;
    if (t->changes[var] > MOST_CHANGES) {
        if (wider.low < range->low) wider.low = declared->low;
        if (wider.high > range->high) wider.high = declared->high;
    }
    *range = wider;
    t->changed = true;
}

static void grow_local(struct tightening *t, uint32_t local, struct bounds by)
{
    struct bounds *range = &t->locals[local], wider = both(*range, by);
    if (is_nothing(by) || (wider.low == range->low && wider.high == range->high)) return;
    /* few steps to the declared range: locals are not stored */
    const struct model_local *declared = &t->model->locals.data[local];
    *range = is_nothing(*range)
                 ? wider
                 : (struct bounds){wider.low < range->low ? declared->low : wider.low,
                                   wider.high > range->high ? declared->high : wider.high};
    t->changed = true;
}

/* All cells that may be meant get these values. */
static void grow_cells(struct tightening *t, const struct cell *cell, uint32_t run,
                       struct bounds by)
{
    const struct expr_node *offset = expr_get(&t->model->exprs, cell->offset);
    uint32_t first = cell->base, count = cell->count + run - 1;
    if (offset->op == EXPR_CONST) {
        first += (uint32_t)offset->value;
        count = run;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (cell->local) grow_local(t, first + i, by);
        else {
            grow_var(t, first + i, by);
            t->here_stamp[first + i] = 0;
        }
    }
}

static void copy_cells(struct tightening *t, const struct code_node *node)
{
    const struct exprs *exprs = &t->model->exprs;
    const struct expr_node *from = expr_get(exprs, node->source.offset),
                           *to = expr_get(exprs, node->target.offset);
    bool plain = from->op == EXPR_CONST && to->op == EXPR_CONST;
    struct bounds all = nothing;
    for (uint32_t i = 0; i < node->source.count + node->cells - 1; i++) {
        uint32_t cell = node->source.base + i;
        all = both(all, node->source.local ? t->locals[cell] : var_bounds(t, cell));
    }
    if (!plain) {
        grow_cells(t, &node->target, node->cells, all);
        return;
    }
    struct cell target = node->target;
    for (uint32_t i = 0; i < node->cells; i++) {
        uint32_t cell = node->source.base + (uint32_t)from->value + i;
        struct cell one = target;
        one.base += i;
        grow_cells(t, &one, 1, node->source.local ? t->locals[cell] : var_bounds(t, cell));
    }
}

/* `straight`: nothing has branched yet, so what the guard says of variables that were not written
 * still holds. */
static void run_code(struct tightening *t, statement at, bool *straight)
{
    const struct model *model = t->model;
    for (; !code_is_none(at); at = model->code.data[at.i].next) {
        const struct code_node *node = &model->code.data[at.i];
        bool branches = node->op == CODE_IF || node->op == CODE_WHILE || node->op == CODE_CALL;
        if (branches && *straight) {
            t->rule_stamp++; /* all that was known from the guard is gone */
            forget(t);
            *straight = false;
        }
        if (node->op == CODE_SET) grow_cells(t, &node->target, 1, bounds_of(t, node->value));
        if (node->op == CODE_COPY) copy_cells(t, node);
        forget(t);
        if (node->op == CODE_CALL
            && !code_is_none(node->body)) { /* once is enough: what it finds then holds for all its
                                               calls in the next round */
            if (t->called[node->body.i] == t->call) continue;
            t->called[node->body.i] = t->call;
        }
        if (branches) run_code(t, node->body, straight);
        if (node->op == CODE_IF) run_code(t, node->other, straight);
    }
}

static void run_rule(struct tightening *t, const struct model_rule *rule)
{
    const struct model *model = t->model;
    bool straight = true;
    t->call++;
    t->rule_stamp++;
    forget(t);
    for (uint32_t i = 0; i < rule->conjuncts; i++)
        narrow_by(t, model->conjuncts.data[rule->first_conjunct + i].cond);
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &model->stores.data[rule->first_store + i];
        grow_var(t, store->var, bounds_of(t, store->value));
    }
    for (uint32_t i = 0; i < rule->stores; i++)
        t->here_stamp[model->stores.data[rule->first_store + i].var] =
            0; /* the body sees the new values */
    forget(t);
    run_code(t, rule->body, &straight);
}

static void start(struct tightening *t)
{
    const struct model *model = t->model;
    for (uint32_t v = 0; v < model->vars.len; v++) {
        const struct model_var *var = &model->vars.data[v];
        t->vars[v] = var->any_init ? (struct bounds){var->low, var->high}
                                   : (struct bounds){var->init, var->init};
        for (uint32_t i = v; i < model->initial.len; i += model->vars.len)
            t->vars[v] =
                both(t->vars[v], (struct bounds){model->initial.data[i], model->initial.data[i]});
    }
    for (uint32_t l = 0; l < model->locals.len; l++)
        t->locals[l] = (struct bounds){model->locals.data[l].low, model->locals.data[l].low};
}

/* What the bound of a clock can be in any state. */
static void narrow_bound(struct tightening *t, struct clock_constraint *constraint)
{
    if (!constraint->varies) return;
    t->rule_stamp++; /* no guard is known to hold */
    forget(t);
    const struct bounds bounds = bounds_of(t, constraint->value);
    if (is_nothing(bounds)) return;
    constraint->is_narrow = true;
    constraint->low = bounds.low;
    constraint->high = bounds.high;
}

void tighten(struct model *model)
{
    struct mem *mem = model->mem;
    size_t vars = model->vars.len + UINT64_C(1), locals = model->locals.len + UINT64_C(1),
           exprs = model->exprs.nodes.len + UINT64_C(1);
    struct tightening t = {.model = model, .rule_stamp = 1};
    t.vars = mem_alloc(mem, vars * sizeof *t.vars);
    t.here = mem_alloc(mem, vars * sizeof *t.here);
    t.here_stamp = mem_alloc(mem, vars * sizeof *t.here_stamp);
    t.changes = mem_alloc(mem, vars);
    t.locals = mem_alloc(mem, locals * sizeof *t.locals);
    t.exprs = mem_alloc(mem, exprs * sizeof *t.exprs);
    t.expr_stamp = mem_alloc(mem, exprs * sizeof *t.expr_stamp);
    t.called = mem_alloc(mem, (model->code.len + UINT64_C(1)) * sizeof *t.called);
    start(&t);
    t.changed = true;
    for (uint32_t round = 0; t.changed && round < MOST_ROUNDS; round++) {
        t.changed = false;
        for (uint32_t r = 0; r < model->rules.len; r++) run_rule(&t, &model->rules.data[r]);
    }
    for (uint32_t i = 0; !t.changed && i < model->constraints.len; i++)
        narrow_bound(&t, &model->constraints.data[i]);
    for (uint32_t v = 0; !t.changed && v < model->vars.len; v++) {
        if (model_is_location(model, v)) continue; /* their names go with their numbers */
        struct model_var *var = &model->vars.data[v];
        assert(t.vars[v].low >= var->low && t.vars[v].high <= var->high); /* never wider */
        assert(t.vars[v].low <= t.vars[v].high);
        if (var->value_names) var->value_names += t.vars[v].low - var->low;
        var->low = t.vars[v].low;
        var->high = t.vars[v].high;
    }
    mem_free(mem, t.vars);
    mem_free(mem, t.here);
    mem_free(mem, t.here_stamp);
    mem_free(mem, t.changes);
    mem_free(mem, t.locals);
    mem_free(mem, t.exprs);
    mem_free(mem, t.expr_stamp);
    mem_free(mem, t.called);
}
