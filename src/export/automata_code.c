/* What rules do: guards and effects.
 *
 * XTA. An effect is a list of assignments where one after the other does the same as all at once.
 * Otherwise it is a function: new values first go to locals. Calls are written out where they
 * stand; what follows a LEAVE stands under the condition that it was not met (a flag). A body that
 * may hold its rule back is tried by a second function, on copies of what it writes, as a part of
 * the guard.
 *
 * TCK. A value outside its range makes a step impossible: so does what fails in the model (it is
 * tested first), and a REQUIRE, by a variable that can only be 0.
 *
 * Invariants:
 *  1. one array is declared for all cells that an index can mean;
 *  2. a step moves an automaton to a constant, so that its place number is set last;
 *  3. functions are written before those that call them. */
#include "export/automata_expr.h"

#include "model/timed_eval.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { MOST_CALLS = 400, MOST_STATEMENTS = 2000000 };

static struct exprs *exprs_of(const struct automata *a) { return &a->model->exprs; }

static void add(struct automata *a, const char *text) { text_add(a->out, "%s", text); }

/* ---- statements ---- */

static void begin(struct automata *a)
{
    if (a->dialect == AUTOMATA_XTA) text_add(a->out, "%*s", (int)(4 * a->indent), "");
    else if (!a->is_first) add(a, "; ");
    a->is_first = false;
    if (++a->statements > MOST_STATEMENTS)
        automata_refuse(a, (struct place){0}, "its text would be too large");
    mem_look(a->model->mem);
}

static void end(struct automata *a)
{
    if (a->dialect == AUTOMATA_XTA) add(a, ";\n");
}

/* A block under a condition, which the caller writes between the two. */
static void begin_block(struct automata *a, const char *xta, const char *tck)
{
    begin(a);
    add(a, a->dialect == AUTOMATA_XTA ? xta : tck);
}

static void open_block(struct automata *a, const char *tck)
{
    add(a, a->dialect == AUTOMATA_XTA ? ") {\n" : tck);
    a->indent++;
    a->is_first = true;
}

static void close_block(struct automata *a, bool is_else)
{
    if (a->is_first && a->dialect == AUTOMATA_TCK) add(a, "nop");
    a->indent--;
    if (a->dialect == AUTOMATA_XTA)
        text_add(a->out, is_else ? "%*s} else {\n" : "%*s}\n", (int)(4 * a->indent), "");
    else add(a, is_else ? " else " : " end");
    a->is_first = is_else;
    if (is_else) a->indent++;
}

/* A name for number n of a kind, the same every time. */
static const char *nth(struct automata *a, struct automata_words *words, const char *stem,
                       uint32_t n)
{
    for (uint32_t i = words->list.len; i <= n; i++) {
        const char *name = names_format(&a->model->names, "%s_%" PRIu32, stem, i);
        vec_push(a->model->mem, &words->list, automata_pick(a, 0, name));
    }
    return words->list.data[n];
}

/* TCK: nothing that is evaluated fails. */
static void demand(struct automata *a, expr cond, bool is_negated)
{
    assert(a->dialect == AUTOMATA_TCK);
    if (is_negated ? expr_is_false(exprs_of(a), cond) : expr_is_true(exprs_of(a), cond)) return;
    begin(a);
    a->uses_must = true;
    text_add(a->out, "%s = (if ", a->must);
    automata_expr_predicate(a, cond);
    add(a, is_negated ? " then 1 else 0)" : " then 0 else 1)");
}

static void demand_defined(struct automata *a, expr e)
{
    if (a->dialect == AUTOMATA_TCK && expr_get(exprs_of(a), e)->may_fail)
        demand(a, numbers_defined(&a->numbers, e), false);
}

/* Between which numbers a cell lies, as it is declared. */
static void declared_range(const struct automata *a, const struct cell *cell, int64_t *low,
                           int64_t *high)
{
    assert(cell->base < (cell->local ? a->model->locals.len : a->model->vars.len));
    const struct automata_array *array = cell->local ? &a->locals.data[a->local_of[cell->base]]
                                                     : &a->arrays.data[a->array_of[cell->base]];
    const bool is_free = cell->local && a->dialect == AUTOMATA_TCK; /* locals there have no range */
    *low = is_free ? -(int64_t)NUMBER_MAX : array->low;
    *high = is_free ? NUMBER_MAX : array->high;
}

/* What is assigned to a variable of that range: a test that this makes anyway is left out. */
static expr tested_by(const struct automata *a, expr e, int64_t low, int64_t high)
{
    const struct exprs *exprs = exprs_of(a);
    const struct expr_node *node = expr_get(exprs, e);
    return node->op == EXPR_WITHIN && expr_get(exprs, node->b)->value <= low
                   && expr_get(exprs, node->c)->value >= high
               ? node->a
               : e;
}

static void put_set(struct automata *a, const struct cell *cell, expr value)
{
    int64_t low, high;
    declared_range(a, cell, &low, &high);
    value = tested_by(a, value, low, high);
    demand_defined(a, value);
    demand_defined(a, cell->offset);
    begin(a);
    automata_expr_cell(a, cell->local, cell->base, cell->offset, 0);
    add(a, " = ");
    automata_expr_number(a, value);
    end(a);
}

/* A local of the function, with its first value. */
static void declare(struct automata *a, const char *name, expr value)
{
    demand_defined(a, value);
    begin(a);
    text_add(a->out, "%s %s = ", a->dialect == AUTOMATA_XTA ? "num" : "local", name);
    automata_expr_number(a, value);
    end(a);
}

/* Cells are read before the first one is written. */
static void put_copy(struct automata *a, const struct code_node *node)
{
    demand_defined(a, node->source.offset);
    demand_defined(a, node->target.offset);
    for (unsigned round = 0; round < 2; round++)
        for (uint32_t i = 0; i < node->cells && !a->refusal.reason; i++) {
            const char *name = nth(a, &a->temps, "new", a->used_temps + i);
            begin(a);
            if (!round) text_add(a->out, "%s = ", name);
            if (!round)
                automata_expr_cell(a, node->source.local, node->source.base, node->source.offset,
                                   i);
            else
                automata_expr_cell(a, node->target.local, node->target.base, node->target.offset,
                                   i);
            if (round) text_add(a->out, " = %s", name);
            end(a);
        }
}

static bool may_leave(struct automata *a, statement at)
{
    const struct code_node *node = &a->model->code.data[at.i];
    enum { NO = 1, YES = 2 };
    if (!a->leaves[at.i]) {
        bool found = node->op == CODE_LEAVE;
        if (node->op == CODE_IF || node->op == CODE_WHILE) {
            const statement blocks[] = {node->body,
                                        node->op == CODE_IF ? node->other : code_none()};
            for (unsigned i = 0; i < 2; i++)
                for (statement s = blocks[i]; !code_is_none(s); s = a->model->code.data[s.i].next)
                    found |= may_leave(a, s);
        }
        a->leaves[at.i] = found ? YES : NO;
    }
    return a->leaves[at.i] == YES;
}

static void put_flag_test(struct automata *a, uint32_t depth, const char *behind)
{
    text_add(a->out, a->dialect == AUTOMATA_XTA ? "!%s%s" : "%s == 0%s",
             nth(a, &a->flags, "left", depth), behind);
}

static void set_flag(struct automata *a, uint32_t depth, bool value)
{
    const char *name = nth(a, &a->flags, "left", depth);
    if (depth >= a->used_flags) a->used_flags = depth + 1;
    begin(a);
    if (a->dialect == AUTOMATA_XTA) text_add(a->out, "%s = %s", name, value ? "true" : "false");
    else text_add(a->out, "%s = %d", name, value);
    end(a);
}

static void put_block(struct automata *a, statement at, uint32_t depth);

static void put_call(struct automata *a, statement body, uint32_t depth)
{
    bool leaves = false;
    for (statement s = body; !code_is_none(s); s = a->model->code.data[s.i].next)
        leaves |= may_leave(a, s);
    if (leaves) set_flag(a, depth, false);
    if (depth > MOST_CALLS) automata_refuse(a, (struct place){0}, "code is nested too deeply");
    else put_block(a, body, depth);
}

static void put_while(struct automata *a, statement at, uint32_t depth)
{
    const struct code_node node = a->model->code.data[at.i];
    demand_defined(a, node.value);
    begin_block(a, "while (", "while ");
    if (may_leave(a, at)) put_flag_test(a, depth, " && ");
    if (a->dialect == AUTOMATA_XTA) automata_expr_put(a, node.value, may_leave(a, at) ? AND : ANY);
    else automata_expr_predicate(a, node.value);
    open_block(a, " do ");
    put_block(a, node.body, depth);
    demand_defined(a, node.value);
    close_block(a, false);
}

static void put_branch(struct automata *a, const struct code_node *node, uint32_t depth)
{
    demand_defined(a, node->value);
    begin_block(a, "if (", "if ");
    automata_expr_condition(a, node->value);
    open_block(a, " then ");
    put_block(a, node->body, depth);
    if (!code_is_none(node->other)) {
        close_block(a, true);
        put_block(a, node->other, depth);
    }
    close_block(a, false);
}

/* In the guard the rule is not enabled; where the effect runs, the guard has said so. */
static void put_require(struct automata *a, expr cond)
{
    if (a->dialect == AUTOMATA_TCK) {
        demand_defined(a, cond);
        demand(a, cond, false);
    } else if (a->in_guard) {
        begin(a);
        add(a, "if (");
        automata_expr_not(a, cond);
        add(a, ") return false;\n");
    }
}

static void put_statement(struct automata *a, statement at, uint32_t depth)
{
    const struct code_node node = a->model->code.data[at.i];
    switch ((enum code_op)node.op) {
    case CODE_SET: put_set(a, &node.target, node.value); break;
    case CODE_COPY: put_copy(a, &node); break;
    case CODE_REQUIRE: put_require(a, node.value); break;
    case CODE_IF: put_branch(a, &node, depth); break;
    case CODE_WHILE: put_while(a, at, depth); break;
    case CODE_CALL: put_call(a, node.body, depth + 1); break;
    case CODE_LEAVE: set_flag(a, depth, true); break;
    }
}

static void put_block(struct automata *a, statement at, uint32_t depth)
{
    const struct model *model = a->model;
    uint32_t opened = 0;
    automata_expr_enter(a);
    for (; !code_is_none(at) && !a->refusal.reason; at = model->code.data[at.i].next) {
        put_statement(a, at, depth);
        if (model->code.data[at.i].op == CODE_LEAVE) break; /* what follows is never reached */
        if (!may_leave(a, at) || code_is_none(model->code.data[at.i].next)) continue;
        begin_block(a, "if (", "if ");
        put_flag_test(a, depth, "");
        open_block(a, " then ");
        opened++;
    }
    while (opened--) close_block(a, false);
    automata_expr_leave(a);
}

/* ---- locals of a rule ---- */

static void use_local(struct automata *a, uint32_t local)
{
    const uint32_t array = a->local_of[local];
    if (a->local_seen[array] == a->walk) return;
    a->local_seen[array] = a->walk;
    vec_push(a->model->mem, &a->used_locals, array);
}

static void use_expr(struct automata *a, expr e)
{
    const struct expr_node *node = expr_get(exprs_of(a), e);
    while (a->expr_seen.len <= e.i) vec_push(a->model->mem, &a->expr_seen, 0);
    if (a->expr_seen.data[e.i] == a->walk) return;
    a->expr_seen.data[e.i] = a->walk;
    if (node->op == EXPR_LOCAL || node->op == EXPR_LOCAL_AT) use_local(a, (uint32_t)node->value);
    const expr operands[] = {node->a, node->b, node->c};
    for (unsigned i = 0; i < expr_table[node->op].arity; i++) use_expr(a, operands[i]);
}

static void use_cells(struct automata *a, const struct cell *cell, uint32_t count)
{
    use_expr(a, cell->offset);
    for (uint32_t i = 0; cell->local && i < count; i++) use_local(a, cell->base + i);
}

/* How many cells are copied at once, at most. */
static uint32_t use_code(struct automata *a, statement at)
{
    uint32_t most = 0;
    for (; !code_is_none(at); at = a->model->code.data[at.i].next) {
        const struct code_node *node = &a->model->code.data[at.i];
        if (a->code_seen[at.i] == a->walk) return most; /* the rest of the sequence was, too */
        a->code_seen[at.i] = a->walk;
        if (node->op == CODE_SET || node->op == CODE_COPY) {
            const bool copies = node->op == CODE_COPY;
            const struct expr_node *to = expr_get(exprs_of(a), node->target.offset);
            const uint32_t more = copies ? node->cells : 1;
            use_cells(a, &node->target,
                      to->op == EXPR_CONST ? (uint32_t)to->value + more : node->target.count);
            if (copies) {
                const struct expr_node *from = expr_get(exprs_of(a), node->source.offset);
                use_cells(a, &node->source,
                          from->op == EXPR_CONST ? (uint32_t)from->value + more
                                                 : node->source.count);
                if (node->cells > most) most = node->cells;
            }
        }
        if (node->op != CODE_COPY && node->op != CODE_CALL && node->op != CODE_LEAVE)
            use_expr(a, node->value);
        if (node->op == CODE_IF || node->op == CODE_WHILE || node->op == CODE_CALL) {
            uint32_t inside = use_code(a, node->body);
            if (inside > most) most = inside;
        }
        if (node->op == CODE_IF) {
            uint32_t inside = use_code(a, node->other);
            if (inside > most) most = inside;
        }
    }
    return most;
}

static void declare_local(struct automata *a, const struct automata_array *array)
{
    const struct model *model = a->model;
    begin(a);
    if (a->dialect == AUTOMATA_TCK) {
        if (array->count == 1) text_add(a->out, "local %s = %" PRId64, array->name, array->low);
        else text_add(a->out, "local %s[%" PRIu32 "]", array->name, array->count);
        for (uint32_t i = 0; array->count > 1 && i < array->count; i++) {
            int64_t low = model->locals.data[array->first + i].low;
            if (low) text_add(a->out, "; %s[%" PRIu32 "] = %" PRId64, array->name, i, low);
        }
        return;
    }
    text_add(a->out, "int[%" PRId64 ",%" PRId64 "] %s", array->low, array->high, array->name);
    if (array->count == 1) text_add(a->out, " = %" PRId64, array->low);
    else text_add(a->out, "[%" PRIu32 "] = {", array->count);
    for (uint32_t i = 0; array->count > 1 && i < array->count; i++)
        text_add(a->out, i ? ", %" PRId64 : "%" PRId64, model->locals.data[array->first + i].low);
    add(a, array->count > 1 ? "};\n" : ";\n");
}

static void declare_locals(struct automata *a)
{
    for (uint32_t i = 0; i < a->used_locals.len; i++)
        declare_local(a, &a->locals.data[a->used_locals.data[i]]);
    for (uint32_t i = 0; i < a->copied_cells; i++)
        declare(a, nth(a, &a->temps, "new", a->used_temps + i), expr_int(exprs_of(a), 0));
}

static void declare_flags(struct automata *a)
{
    for (uint32_t i = 0; i < a->used_flags; i++) {
        begin(a);
        text_add(a->out, a->dialect == AUTOMATA_XTA ? "bool %s = false" : "local %s = 0",
                 nth(a, &a->flags, "left", i));
        end(a);
    }
}

/* ---- effects ---- */

static bool is_location_store(const struct automata *a, const struct rule_store *store)
{
    return automata_expr_owner(a, store->var) != MODEL_NONE;
}

struct conflict {
    struct automata *a;
    bool found;
};

static void look_at(void *context, uint32_t var)
{
    struct conflict *c = context;
    c->found |= c->a->written[var] == c->a->walk;
}

/* Whether one assignment after the other does something else than all at once. */
static bool stores_conflict(struct automata *a, const struct model_rule *rule)
{
    struct conflict conflict = {.a = a};
    a->walk++;
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &a->model->stores.data[rule->first_store + i];
        expr_each_var(exprs_of(a), store->value, look_at, &conflict);
        if (!is_location_store(a, store)) a->written[store->var] = a->walk;
    }
    return conflict.found;
}

static struct cell cell_of(struct automata *a, uint32_t var)
{
    return (struct cell){.base = var, .count = 1, .offset = expr_int(exprs_of(a), 0)};
}

/* The stores, as statements: those of locations, which are constants, come last. */
static void put_stores(struct automata *a, const struct model_rule *rule, bool by_temps)
{
    for (unsigned round = 0; round < 2; round++)
        for (uint32_t i = 0; i < rule->stores; i++) {
            const struct rule_store store = a->model->stores.data[rule->first_store + i];
            const uint32_t p = automata_expr_owner(a, store.var);
            const struct cell cell = cell_of(a, store.var);
            if ((p != MODEL_NONE) != round || (round && !a->in_guard && !a->is_numbered[p]))
                continue;
            assert(!round || expr_get(exprs_of(a), store.value)->op == EXPR_CONST); /* (2) */
            if (!by_temps || round) {
                put_set(a, &cell, store.value);
                continue;
            }
            begin(a);
            automata_expr_cell(a, false, store.var, cell.offset, 0);
            text_add(a->out, " = %s", nth(a, &a->temps, "new", i));
            end(a);
        }
}

static void declare_temps(struct automata *a, const struct model_rule *rule)
{
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store store = a->model->stores.data[rule->first_store + i];
        const struct automata_array *array = &a->arrays.data[a->array_of[store.var]];
        if (!is_location_store(a, &store))
            declare(a, nth(a, &a->temps, "new", i),
                    tested_by(a, store.value, array->low, array->high));
    }
}

static void use_locals(struct automata *a, const struct model_rule *rule)
{
    a->walk++;
    a->used_locals.len = 0;
    a->copied_cells = use_code(a, rule->body);
}

static void declare_setters(struct automata *a, const struct model_rule *rule)
{
    for (uint32_t i = 0; i < rule->writes; i++) {
        uint32_t var = a->model->accesses.data[rule->first_write + i];
        if (a->sets[var] == MODEL_NONE) continue;
        begin(a);
        if (a->dialect == AUTOMATA_XTA)
            text_add(a->out, "int[%" PRId64 ",%" PRId64 "]", a->model->vars.data[var].low,
                     a->model->vars.data[var].high);
        else add(a, "local");
        text_add(a->out, " %s = -1", a->setter[a->sets[var]]);
        end(a);
    }
}

static void put_setters(struct automata *a, const struct model_rule *rule)
{
    for (uint32_t i = 0; i < rule->writes; i++) {
        uint32_t clock = a->sets[a->model->accesses.data[rule->first_write + i]];
        if (clock == MODEL_NONE) continue;
        begin_block(a, "if (", "if ");
        text_add(a->out, "%s >= 0", a->setter[clock]);
        open_block(a, " then ");
        begin(a);
        text_add(a->out, "%s = %s", a->clock[clock], a->setter[clock]);
        end(a);
        close_block(a, false);
    }
}

/* ---- whether a rule with a timer is enabled ---- */

static bool body_blocks(struct automata *a, uint32_t r)
{
    const struct model_rule *rule = &a->model->rules.data[r];
    return !code_is_none(rule->body) && model_may_block(a->model, rule->body, a->blocks);
}

static bool fixes(const struct automata *a, expr cond, uint32_t process)
{
    const struct exprs *exprs = exprs_of(a);
    const struct expr_node *node = expr_get(exprs, cond);
    return process != MODEL_NONE && node->op == EXPR_EQ && expr_get(exprs, node->a)->op == EXPR_VAR
           && expr_get(exprs, node->a)->value == a->model->processes.data[process].location
           && expr_get(exprs, node->b)->op == EXPR_CONST;
}

/* A condition that fails counts as true. */
static expr enabled_condition(struct automata *a, uint32_t r, uint32_t process)
{
    struct exprs *exprs = exprs_of(a);
    const struct model_rule rule = a->model->rules.data[r];
    expr all = expr_bool(exprs, true);
    uint32_t skipped = MODEL_NONE;
    for (uint32_t i = 0; skipped == MODEL_NONE && i < rule.conjuncts; i++)
        if (fixes(a, a->model->conjuncts.data[rule.first_conjunct + i].cond, process)) skipped = i;
    for (uint32_t i = rule.conjuncts; i--;) {
        expr cond = a->model->conjuncts.data[rule.first_conjunct + i].cond;
        if (i == skipped) continue;
        all = expr_make(exprs, EXPR_AND, 0, cond, all);
        if (expr_get(exprs, cond)->may_fail)
            all = expr_make(exprs, EXPR_IMPLIES, 0, numbers_defined(&a->numbers, cond), all);
    }
    return all;
}

static const char *can(struct automata *a, uint32_t r);

static void put_enabled(struct automata *a, uint32_t r)
{
    expr all = enabled_condition(a, r, MODEL_NONE);
    automata_expr_put(a, all, AND);
    if (body_blocks(a, r)) text_add(a->out, " && %s()", can(a, r));
}

/* XTA: a function that says so. */
static const char *enabled(struct automata *a, uint32_t r)
{
    if (!a->enabled[r])
        a->enabled[r] = automata_pick(
            a, 0, names_format(&a->model->names, "enabled_%.60s", a->model->rules.data[r].label));
    if (a->enabled_at[r] == a->pass) return a->enabled[r];
    a->enabled_at[r] = a->pass;
    struct text body, *outer = a->out;
    automata_open(a, &body);
    a->out = &body;
    put_enabled(a, r);
    a->out = outer;
    text_add(&a->functions, "bool %s() { return %s; }\n", a->enabled[r], body.data);
    text_free(&body);
    return a->enabled[r];
}

/* ---- timers that a step sets ---- */

static bool is_known_store(const struct automata *a, const struct model_rule *rule, uint32_t var,
                           int64_t *value)
{
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &a->model->stores.data[rule->first_store + i];
        const struct expr_node *node = expr_get(exprs_of(a), store->value);
        if (store->var != var) continue;
        *value = node->value;
        return !store->provisional && node->op == EXPR_CONST;
    }
    return false;
}

/* What constants say of a timer: the rule was not enabled before the step, or is not behind it. */
static void foresee(const struct automata *a, const struct model_rule *taken,
                    const struct model_rule *other, bool *off_before, bool *off_after)
{
    const struct exprs *exprs = exprs_of(a);
    *off_before = *off_after = false;
    for (uint32_t i = 0; i < other->conjuncts; i++) {
        const struct expr_node *node =
            expr_get(exprs, a->model->conjuncts.data[other->first_conjunct + i].cond);
        int64_t value;
        if (node->may_fail) return;
        if (node->op != EXPR_EQ || expr_get(exprs, node->a)->op != EXPR_VAR
            || expr_get(exprs, node->b)->op != EXPR_CONST)
            continue;
        const uint32_t var = (uint32_t)expr_get(exprs, node->a)->value;
        const int64_t wanted = expr_get(exprs, node->b)->value;
        if (model_rule_requires(a->model, (uint32_t)(taken - a->model->rules.data), var, &value))
            *off_before |= value != wanted;
        if (is_known_store(a, taken, var, &value)) *off_after |= value != wanted;
    }
}

static void consider(struct automata *a, uint32_t taken, uint32_t other)
{
    const struct model *model = a->model;
    bool off_before, off_after;
    if (a->seen[other] == a->walk) return;
    a->seen[other] = a->walk;
    assert(a->timer[other]);
    if (timed_restarts(model, taken, other)) {
        vec_push(model->mem, &a->resets, other);
        return;
    }
    foresee(a, &model->rules.data[taken], &model->rules.data[other], &off_before, &off_after);
    if (off_after) return;
    if (off_before) vec_push(model->mem, &a->resets, other);
    else vec_push(model->mem, &a->asked, other);
}

static void find_affected(struct automata *a, uint32_t r)
{
    const struct model *model = a->model;
    const struct model_rule *rule = &model->rules.data[r];
    a->walk++;
    a->resets.len = a->asked.len = 0;
    if (a->timer[r]) consider(a, r, r);
    for (uint32_t i = 0; i < rule->parts; i++) {
        const struct rule_part *part = &model->parts.data[rule->first_part + i];
        if (part->process == MODEL_NONE || part->stays) continue;
        for (uint32_t k = a->first_resident[part->process];
             k < a->first_resident[part->process + 1]; k++)
            consider(a, r, a->residents[k]);
    }
    for (uint32_t i = 0; i < rule->writes; i++) {
        uint32_t var = model->accesses.data[rule->first_write + i];
        for (uint32_t k = a->first_reader[var]; k < a->first_reader[var + 1]; k++)
            consider(a, r, a->readers[k]);
    }
}

static void declare_was(struct automata *a)
{
    for (uint32_t i = 0; i < a->asked.len; i++) {
        const char *name = nth(a, &a->wases, "was", i);
        begin(a);
        if (a->dialect == AUTOMATA_XTA)
            text_add(a->out, "bool %s = %s()", name, enabled(a, a->asked.data[i]));
        else {
            text_add(a->out, "local %s = ", name);
            automata_expr_term(a, enabled_condition(a, a->asked.data[i], MODEL_NONE));
        }
        end(a);
    }
}

static void put_asked(struct automata *a)
{
    for (uint32_t i = 0; i < a->asked.len; i++) {
        const uint32_t other = a->asked.data[i];
        const char *name = nth(a, &a->wases, "was", i);
        begin_block(a, "if (", "if ");
        if (a->dialect == AUTOMATA_XTA) text_add(a->out, "!%s && %s()", name, enabled(a, other));
        else {
            text_add(a->out, "%s == 0 && ", name);
            automata_expr_predicate(a, enabled_condition(a, other, MODEL_NONE));
        }
        open_block(a, " then ");
        begin(a);
        text_add(a->out, "%s = 0", a->timer[other]);
        end(a);
        close_block(a, false);
    }
}

/* ---- functions of a rule ---- */

/* XTA: variables that the guard tries the effect on. */
static void declare_copies(struct automata *a)
{
    for (uint32_t i = 0; i < a->copied.len; i++) {
        struct automata_array *array = &a->arrays.data[a->copied.data[i]];
        const uint32_t p = automata_expr_owner(a, array->first);
        if (p != MODEL_NONE) a->is_numbered[p] = true;
        if (!array->copy)
            array->copy =
                automata_pick(a, 0, names_format(&a->model->names, "%.200s_next", array->name));
        begin(a);
        text_add(a->out, "int[%" PRId64 ",%" PRId64 "] %s", array->low, array->high, array->copy);
        if (array->count > 1) text_add(a->out, "[%" PRIu32 "]", array->count);
        else text_add(a->out, " = %s", array->name);
        end(a);
    }
}

/* From here on the copies are meant. */
static void fill_copies(struct automata *a)
{
    for (uint32_t i = 0; i < a->copied.len; i++) {
        struct automata_array *array = &a->arrays.data[a->copied.data[i]];
        array->is_copied = true;
        if (array->count == 1) continue;
        begin(a);
        text_add(a->out, "%s = %s", array->copy, array->name);
        end(a);
    }
}

static void find_copied(struct automata *a, const struct model_rule *rule)
{
    a->walk++;
    a->copied.len = 0;
    for (uint32_t i = 0; i < rule->writes; i++) {
        uint32_t var = a->model->accesses.data[rule->first_write + i],
                 first = a->arrays.data[a->array_of[var]].first;
        if (a->sets[var] != MODEL_NONE || a->written[first] == a->walk) continue;
        a->written[first] = a->walk;
        vec_push(a->model->mem, &a->copied, a->array_of[var]);
    }
}

/* Everything but what constants say of clocks. Declarations come first. */
static void put_effect(struct automata *a, uint32_t r)
{
    const struct model_rule rule = a->model->rules.data[r];
    const bool by_temps = stores_conflict(a, &rule);
    struct text body, *outer = a->out;
    use_locals(a, &rule);
    a->used_temps = by_temps ? rule.stores : 0;
    a->used_flags = 0;
    if (!a->in_guard) declare_was(a);
    else declare_copies(a);
    declare_locals(a);
    declare_setters(a, &rule);
    if (by_temps) declare_temps(a, &rule);
    const bool first = a->is_first;
    automata_open(a, &body); /* which says what flags are needed */
    a->out = &body;
    if (a->in_guard) fill_copies(a);
    put_stores(a, &rule, by_temps);
    if (!code_is_none(rule.body)) put_call(a, rule.body, 0);
    put_setters(a, &rule);
    if (!a->in_guard) put_asked(a);
    a->out = outer;
    const bool is_empty = a->is_first;
    a->is_first = first;
    declare_flags(a);
    if (a->dialect == AUTOMATA_TCK && first && a->used_flags) add(a, "; ");
    a->is_first &= is_empty;
    add(a, body.data);
    text_free(&body);
}

/* XTA: whether the body lets the rule go. */
static const char *can(struct automata *a, uint32_t r)
{
    const struct model_rule *rule = &a->model->rules.data[r];
    struct text whole, *outer = a->out;
    const uint32_t indent = a->indent;
    if (!a->can[r])
        a->can[r] = automata_pick(a, 0, names_format(&a->model->names, "can_%.60s", rule->label));
    if (a->can_at[r] == a->pass) return a->can[r];
    a->can_at[r] = a->pass;
    automata_open(a, &whole);
    a->out = &whole;
    a->indent = 1;
    a->in_guard = true;
    find_copied(a, rule);
    put_effect(a, r);
    for (uint32_t i = 0; i < a->copied.len; i++)
        a->arrays.data[a->copied.data[i]].is_copied = false;
    a->in_guard = false;
    a->out = outer;
    a->indent = indent;
    text_add(&a->functions, "bool %s() {\n%s    return true;\n}\n", a->can[r], whole.data);
    text_free(&whole);
    return a->can[r];
}

/* ---- edges ---- */

static bool is_said(const struct automata *a, expr cond, const struct automata_movers *movers,
                    bool first_only, uint64_t *said)
{
    for (uint32_t i = 0; i < movers->list.len && (!first_only || !i); i++)
        if (movers->list.data[i].is_fixed && i < 64 && !(*said >> i & 1)
            && fixes(a, cond, movers->list.data[i].process)) {
            *said |= UINT64_C(1) << i;
            return true;
        }
    return false;
}

/* It cannot be evaluated where it fails; XTA lets it fail, unless it must not. */
static void add_safely(struct automata *a, expr cond, bool may_fail, struct automata_list *list)
{
    if (!may_fail && expr_get(exprs_of(a), cond)->may_fail)
        automata_expr_conjuncts(a, numbers_defined(&a->numbers, cond), list);
    automata_expr_conjuncts(a, cond, list);
}

void automata_guard(struct automata *a, uint32_t r, const struct automata_movers *movers,
                    bool first_only, bool is_forbidden, struct automata_list *list)
{
    struct model *model = a->model;
    struct exprs *exprs = exprs_of(a);
    const struct model_rule rule = model->rules.data[r];
    const bool fails = a->dialect == AUTOMATA_XTA;
    uint64_t said = 0;
    for (uint32_t i = 0; i < rule.conjuncts; i++) {
        expr cond = model->conjuncts.data[rule.first_conjunct + i].cond;
        if (!is_said(a, cond, movers, first_only, &said)) add_safely(a, cond, fails, list);
    }
    if (rule.asks && !is_forbidden) add_safely(a, rule.permit, false, list);
    if (is_forbidden) {
        expr both =
            expr_make(exprs, EXPR_AND, 0, numbers_defined(&a->numbers, rule.permit), rule.permit);
        automata_expr_conjuncts(a, expr_make(exprs, EXPR_NOT, 0, both, both), list);
    }
    if (a->dialect == AUTOMATA_XTA && body_blocks(a, r)) {
        const char *name = can(a, r);
        automata_next(a, list);
        text_add(a->out, "%s()", name);
    }
    for (uint32_t i = 0; i < rule.guards; i++)
        automata_constraint(a, &model->constraints.data[rule.first_guard + i], list);
    if (rule.interval == MODEL_NONE) return;
    const struct model_interval *interval = &model->intervals.data[rule.interval];
    if (!interval->low && !interval->low_open) return;
    automata_next(a, list);
    text_add(a->out, "%s %s %" PRId64, a->timer[r], interval->low_open ? ">" : ">=", interval->low);
}

void automata_deadline(struct automata *a, uint32_t r, uint32_t process, struct automata_list *list)
{
    const struct model_interval *interval =
        &a->model->intervals.data[a->model->rules.data[r].interval];
    const expr all = enabled_condition(a, r, process);
    const bool blocks = body_blocks(a, r), always = expr_is_true(exprs_of(a), all) && !blocks;
    if (interval->infinite) return;
    if (a->dialect == AUTOMATA_TCK && !always) {
        automata_refuse(a, automata_place(a, r),
                        "the deadline of '%.60s' depends on more than the location of one process",
                        a->model->rules.data[r].label);
        return;
    }
    const char *name = blocks ? enabled(a, r) : NULL;
    automata_next(a, list);
    if (!always) add(a, "(");
    if (name) text_add(a->out, "!%s()", name);
    else if (!always) automata_expr_not(a, all);
    if (!always) add(a, " || ");
    text_add(a->out, "%s %s %" PRId64, a->timer[r],
             interval->high_open ? "<" : "<=", interval->high);
    if (!always) add(a, ")");
}

/* Whether the effect is a list of assignments. */
static bool is_plain(struct automata *a, const struct model_rule *rule)
{
    if (!code_is_none(rule->body) || a->asked.len || stores_conflict(a, rule)) return false;
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &a->model->stores.data[rule->first_store + i];
        if (a->sets[store->var] != MODEL_NONE
            && expr_get(exprs_of(a), store->value)->op != EXPR_CONST)
            return false;
    }
    return true;
}

static void list_stores(struct automata *a, const struct model_rule *rule,
                        struct automata_list *list)
{
    for (unsigned round = 0; round < 2; round++)
        for (uint32_t i = 0; i < rule->stores; i++) {
            const struct rule_store store = a->model->stores.data[rule->first_store + i];
            const struct automata_array *array = &a->arrays.data[a->array_of[store.var]];
            const uint32_t p = automata_expr_owner(a, store.var), clock = a->sets[store.var];
            if ((p != MODEL_NONE) != round || (round && !a->is_numbered[p])) continue;
            assert(!round || expr_get(exprs_of(a), store.value)->op == EXPR_CONST); /* (2) */
            if (clock != MODEL_NONE && expr_get(exprs_of(a), store.value)->value < 0) continue;
            automata_next(a, list);
            if (clock != MODEL_NONE) add(a, a->clock[clock]);
            else automata_expr_cell(a, false, store.var, expr_int(exprs_of(a), 0), 0);
            add(a, " = ");
            automata_expr_put(a, tested_by(a, store.value, array->low, array->high), ANY);
        }
}

static void list_resets(struct automata *a, const struct model_rule *rule,
                        struct automata_list *list)
{
    for (uint32_t i = 0; i < rule->resets; i++) {
        const struct clock_reset *reset = &a->model->resets.data[rule->first_reset + i];
        automata_next(a, list);
        text_add(a->out, "%s = %" PRId64, a->clock[reset->clock], reset->value);
    }
    for (uint32_t i = 0; i < a->resets.len; i++) {
        automata_next(a, list);
        text_add(a->out, "%s = 0", a->timer[a->resets.data[i]]);
    }
}

static const char *take(struct automata *a, uint32_t r)
{
    struct text whole, *outer = a->out;
    const uint32_t indent = a->indent;
    if (!a->take[r])
        a->take[r] = automata_pick(
            a, 0, names_format(&a->model->names, "take_%.60s", a->model->rules.data[r].label));
    automata_open(a, &whole);
    a->out = &whole;
    a->indent = 1;
    put_effect(a, r);
    a->out = outer;
    a->indent = indent;
    assert(!a->in_guard && a->out == outer); /* (3): what it calls is there */
    text_add(&a->functions, "void %s() {\n%s}\n", a->take[r], whole.data);
    text_free(&whole);
    return a->take[r];
}

void automata_effect(struct automata *a, uint32_t r, struct automata_list *list)
{
    const struct model_rule rule = a->model->rules.data[r];
    find_affected(a, r);
    for (uint32_t i = 0; a->dialect == AUTOMATA_XTA && i < a->asked.len; i++)
        enabled(a, a->asked.data[i]); /* its function comes first */
    list_resets(a, &rule, list);
    if (a->dialect == AUTOMATA_TCK) {
        struct text whole, *outer = a->out;
        automata_open(a, &whole);
        a->out = &whole;
        a->is_first = true;
        put_effect(a, r);
        a->out = outer;
        if (whole.len) {
            automata_next(a, list);
            add(a, whole.data);
        }
        text_free(&whole);
    } else if (is_plain(a, &rule)) list_stores(a, &rule, list);
    else {
        const char *name = take(a, r);
        automata_next(a, list);
        text_add(a->out, "%s()", name);
    }
}
