/* A backward slice. Cells are the variables and, behind them, the locals of code. A cell is
 * *needed* when something that can be seen may depend on it. Needed from the beginning are all
 * variables that are not hidden; then
 *  - what a condition reads (a guard, a condition of code, a condition or a bound of a clock, the
 *    final states, a property that is asked for), and what sets a clock;
 *  - what an expression reads that may fail, whatever its value is for, because the run-time error
 *    can be seen;
 *  - what is read for the value, or for the place, of an assignment to a needed cell; and all cells
 *    that such an assignment can mean, for it is one statement, which is kept or not.
 * In a model with time, a hidden variable that every step assigns before it reads it (fresh) is
 * needed like others, but influences nothing, since no state is told by it. This grows until
 * nothing changes. Where control goes is always needed, so order and branches play no part.
 *
 * Invariants of the new model:
 *  1. what is left out is read by nothing but assignments to what is left out, and these are gone;
 *  2. a rule is enabled, disabled or fails in the same states: an assignment that may fail has
 *     become a condition that fails where it did, and is true elsewhere;
 *  3. the handles of the old model's expressions and formulas mean the same in the new one.
 *
 * Cost: each round looks at all rules; there are no more rounds than hidden variables and locals,
 * and mostly two. */
#include "pass/hide.h"

#include "base/checked.h"
#include "model/fresh.h"
#include "pass/copy.h"

#include <string.h>

struct slice {
    struct model *model;
    struct hiding *hiding;
    bool *needed; /* per cell */
    bool *seen;   /* per expression: what it reads is needed */
    bool *fresh;  /* per variable: every step that reads it assigns it first */
    bool changed;
};

/* ---- what is needed ---- */

static uint32_t cell_number(const struct slice *slice, bool local, uint32_t index)
{
    return local ? slice->model->vars.len + index : index;
}

static void need_cell(struct slice *slice, uint32_t cell, struct place place)
{
    const struct model *model = slice->model;
    if (slice->needed[cell]) return;
    const struct model_var *var = cell < model->vars.len ? &model->vars.data[cell] : NULL;
    if (var && var->low == var->high) return; /* its only value says nothing */
    slice->needed[cell] = slice->changed = true;
    if (!var || slice->fresh[cell]) return;
    slice->hiding->influences[cell] = true;
    slice->hiding->where[cell] = place;
}

static void need_run(struct slice *slice, bool local, uint32_t base, uint32_t count,
                     struct place place)
{
    for (uint32_t i = 0; i < count; i++)
        need_cell(slice, cell_number(slice, local, base + i), place);
}

static void need(struct slice *slice, expr e, struct place place)
{
    const struct exprs *exprs = &slice->model->exprs;
    const struct expr_node *node = expr_get(exprs, e);
    if (slice->seen[e.i]) return;
    slice->seen[e.i] = true;
    bool is_array = node->op == EXPR_AT || node->op == EXPR_LOCAL_AT,
         is_local = node->op == EXPR_LOCAL || node->op == EXPR_LOCAL_AT;
    if (is_array || node->op == EXPR_VAR || node->op == EXPR_LOCAL)
        need_run(slice, is_local, (uint32_t)node->value,
                 is_array ? (uint32_t)expr_get(exprs, node->b)->value : 1, place);
    if (expr_table[node->op].arity >= 1) need(slice, node->a, place);
    if (expr_table[node->op].arity >= 2) need(slice, node->b, place);
    if (expr_table[node->op].arity >= 3) need(slice, node->c, place);
}

static bool may_fail(const struct slice *slice, expr e)
{
    return expr_get(&slice->model->exprs, e)->may_fail;
}

/* The cells of an assignment: from *first on, so many. */
static uint32_t cells_of(const struct slice *slice, const struct cell *cell, uint32_t run,
                         uint32_t *first)
{
    const struct expr_node *offset = expr_get(&slice->model->exprs, cell->offset);
    bool is_fixed = offset->op == EXPR_CONST;
    *first = cell->base + (is_fixed ? (uint32_t)offset->value : 0);
    return is_fixed ? run : cell->count + run - 1;
}

static bool is_needed(const struct slice *slice, const struct code_node *node)
{
    uint32_t first,
        count = cells_of(slice, &node->target, node->op == CODE_COPY ? node->cells : 1, &first);
    for (uint32_t i = 0; i < count; i++)
        if (slice->needed[cell_number(slice, node->target.local, first + i)]) return true;
    return false;
}

static void look_at_assignment(struct slice *slice, const struct code_node *node)
{
    bool needed = is_needed(slice, node), copies = node->op == CODE_COPY;
    uint32_t first, count = cells_of(slice, &node->target, copies ? node->cells : 1, &first);
    if (needed) need_run(slice, node->target.local, first, count, node->place);
    if (needed || may_fail(slice, node->target.offset))
        need(slice, node->target.offset, node->place);
    if (!copies && (needed || may_fail(slice, node->value))) need(slice, node->value, node->place);
    if (!copies) return;
    if (needed || may_fail(slice, node->source.offset))
        need(slice, node->source.offset, node->place);
    count = cells_of(slice, &node->source, node->cells, &first);
    if (needed) need_run(slice, node->source.local, first, count, node->place);
}

static void look_at_rule(struct slice *slice, const struct model_rule *rule)
{
    const struct model *model = slice->model;
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        const struct rule_conjunct *conjunct = &model->conjuncts.data[rule->first_conjunct + i];
        need(slice, conjunct->cond, conjunct->place);
    }
    if (rule->asks) need(slice, rule->permit, (struct place){0});
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &model->stores.data[rule->first_store + i];
        if (slice->needed[store->var] || may_fail(slice, store->value))
            need(slice, store->value, store->place);
    }
}

/* Conditions and bounds of clocks are always seen. */
static void look_at_constraint(struct slice *slice, const struct clock_constraint *constraint)
{
    if (constraint->is_conditional) need(slice, constraint->when, constraint->place);
    if (constraint->varies) need(slice, constraint->value, constraint->place);
}

static void look_at_code(struct slice *slice, const struct code_node *node)
{
    if (node->op == CODE_SET || node->op == CODE_COPY) look_at_assignment(slice, node);
    else if (node->op == CODE_REQUIRE || node->op == CODE_IF || node->op == CODE_WHILE)
        need(slice, node->value, node->place);
}

static void look_at_formula(struct slice *slice, formula f)
{
    const struct formula_node *node = formula_get(&slice->model->formulas, f);
    if (node->op == FORMULA_ATOM) {
        need(slice, node->atom, node->place);
        return;
    }
    if (!formula_table[node->op].arity) return; /* constraints of clocks are looked at anyway */
    look_at_formula(slice, node->a);
    if (formula_table[node->op].arity == 2) look_at_formula(slice, node->b);
}

/* All of them, asked for or not. */
static void look_at_query(struct slice *slice, const struct model_query *query)
{
    const struct model *model = slice->model;
    look_at_formula(slice, query->p);
    if (query->kind == QUERY_LEADS) look_at_formula(slice, query->q);
    for (uint32_t i = 0; i < query->terms; i++) {
        const struct query_term *term = &model->query_terms.data[query->first_term + i];
        if (!term->is_clock) need(slice, term->value, (struct place){0});
    }
}

static void find_needed(struct slice *slice, const formula *asked, uint32_t count)
{
    const struct model *model = slice->model;
    for (uint32_t c = 0; c < model->clocks.len; c++)
        if (model->clocks.data[c].is_set_by_code)
            slice->needed[model->clocks.data[c].setter] = true; /* after the step it says nothing */
    do {
        slice->changed = false;
        for (uint32_t r = 0; r < model->rules.len; r++) look_at_rule(slice, &model->rules.data[r]);
        for (uint32_t i = 0; i < model->code.len; i++) look_at_code(slice, &model->code.data[i]);
        for (uint32_t i = 0; i < model->constraints.len; i++)
            look_at_constraint(slice, &model->constraints.data[i]);
        if (model->has_final) need(slice, model->final, (struct place){0});
        for (uint32_t i = 0; i < count; i++) look_at_formula(slice, asked[i]);
        for (uint32_t i = 0; i < model->queries.len; i++)
            look_at_query(slice, &model->queries.data[i]);
    } while (slice->changed);
}

/* ---- the new model ---- */

/* A condition that is true, and fails where the number fails. */
static expr can_be_evaluated(struct model *model, expr value)
{
    int64_t low = expr_get(&model->exprs, value)->low;
    return expr_make(&model->exprs, EXPR_GE, 0, value, expr_int(&model->exprs, low));
}

static void write_rule(const struct slice *slice, struct model *to, const struct model_rule *from)
{
    const struct model *model = slice->model;
    struct model_rule rule = *from;
    rule.first_part = to->parts.len;
    rule.first_conjunct = to->conjuncts.len;
    rule.first_store = to->stores.len;
    rule.stores = 0;
    for (uint32_t i = 0; i < from->parts; i++)
        vec_push(to->mem, &to->parts, model->parts.data[from->first_part + i]);
    for (uint32_t i = 0; i < from->conjuncts; i++)
        vec_push(to->mem, &to->conjuncts, model->conjuncts.data[from->first_conjunct + i]);
    for (uint32_t i = 0; i < from->stores; i++) {
        const struct rule_store store = model->stores.data[from->first_store + i];
        if (slice->needed[store.var]) {
            vec_push(to->mem, &to->stores, store);
            rule.stores++;
        } else if (may_fail(slice, store.value)) {
            if (!rule.parts) { /* a condition belongs to one */
                vec_push(to->mem, &to->parts, ((struct rule_part){.process = MODEL_NONE}));
                rule.parts = 1;
            }
            vec_push(to->mem, &to->conjuncts,
                     ((struct rule_conjunct){.cond = can_be_evaluated(to, store.value),
                                             .part = rule.parts - 1,
                                             .place = store.place}));
            rule.conjuncts++;
        }
    }
    vec_push(to->mem, &to->rules, rule);
}

/* An assignment that nobody needs: nothing, or what may fail of it. */
static void drop(const struct slice *slice, struct model *to, struct code_node *node)
{
    const expr parts[] = {node->target.offset,
                          node->op == CODE_COPY ? node->source.offset : node->value};
    expr cond = expr_bool(&to->exprs, true);
    for (unsigned i = 0; i < 2; i++)
        if (may_fail(slice, parts[i]))
            cond = expr_make(&to->exprs, EXPR_AND, 0, cond, can_be_evaluated(to, parts[i]));
    bool fails = !expr_is_true(&to->exprs, cond);
    expr nothing = expr_int(&to->exprs, 0);
    *node = (struct code_node){.op = fails ? CODE_REQUIRE : CODE_CALL,
                               .target.offset = nothing,
                               .source.offset = nothing,
                               .value = fails ? cond : nothing,
                               .body = code_none(),
                               .other = code_none(),
                               .next = node->next,
                               .place = node->place};
}

/* The initial states without what is left out, each once. */
static void list_initial(struct model *to, const struct model *model)
{
    uint32_t vars = model->vars.len, count = vars ? model->initial.len / vars : 0, kept = 0;
    if (!count) return;
    int64_t *states = mem_alloc(to->mem, model->initial.len * sizeof *states);
    memcpy(states, model->initial.data, model->initial.len * sizeof *states);
    for (uint32_t i = 0; i < count; i++) hide_strip(to, states + (size_t)i * vars);
    to->initial.data = NULL; /* until here that of the old model */
    to->initial.len = to->initial.cap = 0;
    model_list_initial(to, states, count);
    for (uint32_t i = 0; i < count; i++) { /* equal ones are side by side */
        int64_t *state = to->initial.data + (size_t)i * vars;
        if (kept && !memcmp(state, state - vars, vars * sizeof *state)) continue;
        memmove(to->initial.data + (size_t)kept++ * vars, state, vars * sizeof *state);
    }
    to->initial.len = kept * vars;
    mem_free(to->mem, states);
}

static struct model *write_model(const struct slice *slice)
{
    const struct model *model = slice->model;
    struct model *to = copy_model(model);
    for (uint32_t v = 0; v < model->vars.len; v++) {
        struct model_var *var = &to->vars.data[v];
        if (!var->is_hidden || slice->needed[v]) continue;
        var->low = var->high = var->init;
        var->any_init = var->is_hidden = false;
        var->is_left_out = true;
        var->value_names = NULL;
    }
    to->rule_classes = model->rule_classes; /* shared: nothing adds to them any more */
    to->class_count = model->class_count;
    to->priorities = model->priorities;
    to->intervals = model->intervals;
    to->constraints = model->constraints;
    to->resets = model->resets;
    for (uint32_t r = 0; r < model->rules.len; r++) write_rule(slice, to, &model->rules.data[r]);
    for (uint32_t i = 0; i < model->code.len; i++) {
        struct code_node node = model->code.data[i];
        if ((node.op == CODE_SET || node.op == CODE_COPY) && !is_needed(slice, &node))
            drop(slice, to, &node);
        vec_push(to->mem, &to->code, node);
    }
    list_initial(to, model);
    model_finish(to);
    assert(to->rules.len == model->rules.len && to->vars.len == model->vars.len
           && to->exprs.nodes.len >= model->exprs.nodes.len); /* the contract: same numbers */
    CHECKED(model_check(to, NULL));
    return to;
}

static void begin(struct slice *slice, struct hiding *hiding, struct model *model)
{
    struct mem *mem = model->mem;
    const uint64_t cells = (uint64_t)model->vars.len + model->locals.len;
    *hiding = (struct hiding){.model = model};
    hiding->influences =
        mem_alloc(mem, (model->vars.len + UINT64_C(1)) * sizeof *hiding->influences);
    hiding->where = mem_alloc(mem, (model->vars.len + UINT64_C(1)) * sizeof *hiding->where);
    *slice = (struct slice){.model = model,
                            .hiding = hiding,
                            .needed = mem_alloc(mem, cells + 1),
                            .seen = mem_alloc(mem, model->exprs.nodes.len + UINT64_C(1)),
                            .fresh = mem_alloc(mem, model->vars.len + UINT64_C(1))};
}

static void end(const struct slice *slice)
{
    struct mem *mem = slice->model->mem;
    mem_free(mem, slice->needed);
    mem_free(mem, slice->seen);
    mem_free(mem, slice->fresh);
}

void hide_model(struct hiding *hiding, struct model *model, const formula *asked, uint32_t count)
{
    struct slice slice;
    begin(&slice, hiding, model);
    for (uint32_t v = 0; v < model->vars.len; v++) slice.needed[v] = !model->vars.data[v].is_hidden;
    for (uint32_t v = 0; v < model->vars.len; v++) slice.fresh[v] = model->vars.data[v].is_hidden;
    /* only the timed engine makes use of it, which also answers queries */
    if (model_is_timed(model) || model->queries.len) fresh_find(model, slice.fresh, asked, count);
    else memset(slice.fresh, 0, model->vars.len);
    find_needed(&slice, asked, count);
    for (uint32_t v = 0; v < model->vars.len; v++) {
        assert(slice.needed[v] || model->vars.data[v].is_hidden); /* the others are all needed */
        hiding->left_out += !slice.needed[v];
        hiding->influencing += hiding->influences[v];
        model->vars.data[v].is_fresh =
            model->vars.data[v].is_hidden && slice.fresh[v] && slice.needed[v];
    }
    if (hiding->left_out) hiding->model = write_model(&slice);
    end(&slice);
}

/* Whether a variable must not be hidden, whoever reads it; of those with any first value too few
 * are worth the trouble. */
static bool is_fixed(const struct model *model, uint32_t v)
{
    const struct model_var *var = &model->vars.data[v];
    return var->any_init || var->low == var->high || v == model->rank
           || model_is_location(model, v);
}

void hide_unused(struct model *model, const formula *asked, uint32_t count)
{
    struct slice slice;
    struct hiding hiding;
    begin(&slice, &hiding, model);
    for (uint32_t v = 0; v < model->vars.len; v++) slice.needed[v] = is_fixed(model, v);
    find_needed(&slice, asked, count);
    for (uint32_t v = 0; v < model->vars.len; v++)
        if (!slice.needed[v]) model->vars.data[v].is_hidden = true;
    end(&slice);
    mem_free(model->mem, hiding.influences);
    mem_free(model->mem, hiding.where);
}

/* ---- states ---- */

void hide_strip(const struct model *searched, int64_t *state)
{
    for (uint32_t v = 0; v < searched->vars.len; v++)
        if (searched->vars.data[v].is_left_out) state[v] = searched->vars.data[v].init;
}

static bool is_same_without(const struct model *searched, const int64_t *a, const int64_t *b)
{
    for (uint32_t v = 0; v < searched->vars.len; v++)
        if (!searched->vars.data[v].is_left_out && a[v] != b[v]) return false;
    return true;
}

void hide_restore(const struct model *model, const struct model *searched, int64_t *state)
{
    uint32_t vars = model->vars.len;
    for (uint32_t i = 0; i < model->initial.len; i += vars) {
        if (!is_same_without(searched, state, model->initial.data + i)) continue;
        memcpy(state, model->initial.data + i, vars * sizeof *state);
        return;
    }
}
