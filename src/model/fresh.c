#include "model/fresh.h"

#include <string.h>

enum { MOST_STEPS = 1000000 }; /* calls are followed each time: code of more is given up */

struct search {
    struct model *model;
    bool *fresh; /* per variable */
};

static void spoil(void *context, uint32_t var) { ((struct search *)context)->fresh[var] = false; }

static void spoil_expr(struct search *search, expr e)
{
    expr_each_var(&search->model->exprs, e, spoil, search);
}

static void spoil_formula(struct search *search, formula f)
{
    const struct formula_node *node = formula_get(&search->model->formulas, f);
    if (node->op == FORMULA_ATOM) spoil_expr(search, node->atom);
    if (formula_table[node->op].arity >= 1) spoil_formula(search, node->a);
    if (formula_table[node->op].arity >= 2) spoil_formula(search, node->b);
}

/* Which variables code has surely assigned so far. */
struct assigned {
    struct search *search;
    bool *set;      /* per variable */
    bool *at_leave; /* on all ways out of the function at hand; NULL: there was none so far */
    bool has_left;  /* nothing that follows is reached */
    uint32_t steps; /* statements looked at */
};

static void spoil_unless_set(void *context, uint32_t var)
{
    const struct assigned *assigned = context;
    if (!assigned->set[var]) assigned->search->fresh[var] = false;
}

static void read_here(struct assigned *assigned, expr e)
{
    expr_each_var(&assigned->search->model->exprs, e, spoil_unless_set, assigned);
}

static bool *copy_set(struct assigned *assigned)
{
    const struct model *model = assigned->search->model;
    bool *copy = mem_alloc(model->mem, model->vars.len + UINT64_C(1));
    memcpy(copy, assigned->set, model->vars.len);
    return copy;
}

static void meet(const struct assigned *assigned, bool *to, const bool *other)
{
    for (uint32_t v = 0; v < assigned->search->model->vars.len; v++) to[v] &= other[v];
}

static void follow(struct assigned *assigned, statement at);

/* Cells that a statement copies from, or to. */
static void follow_cells(struct assigned *assigned, const struct code_node *node, bool is_source)
{
    const struct model *model = assigned->search->model;
    const struct cell *cell = is_source ? &node->source : &node->target;
    const struct expr_node *offset = expr_get(&model->exprs, cell->offset);
    const uint32_t count = node->op == CODE_COPY ? node->cells : 1;
    const bool is_known = offset->op == EXPR_CONST;
    const uint32_t first = cell->base + (is_known ? (uint32_t)offset->value : 0),
                   last = first + count + (is_known ? 0 : cell->count - 1);
    if (cell->local) return;
    for (uint32_t v = first; v < last; v++) {
        if (is_source) spoil_unless_set(assigned, v);
        else if (is_known) assigned->set[v] = true;
    }
}

static void follow_branch(struct assigned *assigned, const struct code_node *node)
{
    struct mem *mem = assigned->search->model->mem;
    bool *before = copy_set(assigned), has_left = assigned->has_left;
    follow(assigned, node->body);
    bool *set = assigned->set, first_left = assigned->has_left;
    assigned->set = before;
    assigned->has_left = has_left;
    follow(assigned, node->other);
    if (assigned->has_left) memcpy(assigned->set, set, assigned->search->model->vars.len);
    else if (!first_left) meet(assigned, assigned->set, set);
    assigned->has_left &= first_left;
    mem_free(mem, set);
}

static void follow_call(struct assigned *assigned, statement body)
{
    struct mem *mem = assigned->search->model->mem;
    bool *outer = assigned->at_leave;
    assigned->at_leave = NULL;
    follow(assigned, body);
    if (assigned->at_leave && assigned->has_left)
        memcpy(assigned->set, assigned->at_leave, assigned->search->model->vars.len);
    else if (assigned->at_leave) meet(assigned, assigned->set, assigned->at_leave);
    assigned->has_left = false;
    mem_free(mem, assigned->at_leave);
    assigned->at_leave = outer;
}

static void follow_node(struct assigned *assigned, const struct code_node *node)
{
    bool *before;
    switch ((enum code_op)node->op) {
    case CODE_SET:
        read_here(assigned, node->value);
        read_here(assigned, node->target.offset);
        follow_cells(assigned, node, false);
        break;
    case CODE_COPY:
        read_here(assigned, node->source.offset);
        read_here(assigned, node->target.offset);
        follow_cells(assigned, node, true);
        follow_cells(assigned, node, false);
        break;
    case CODE_REQUIRE: read_here(assigned, node->value); break;
    case CODE_IF:
        read_here(assigned, node->value);
        follow_branch(assigned, node);
        break;
    case CODE_WHILE: /* the body may be passed by; what it reads first, it reads in the first round
                      */
        read_here(assigned, node->value);
        before = copy_set(assigned);
        follow(assigned, node->body);
        mem_free(assigned->search->model->mem, assigned->set);
        assigned->set = before;
        assigned->has_left = false;
        break;
    case CODE_CALL: follow_call(assigned, node->body); break;
    case CODE_LEAVE:
        if (assigned->at_leave) meet(assigned, assigned->at_leave, assigned->set);
        else assigned->at_leave = copy_set(assigned);
        assigned->has_left = true;
        break;
    }
}

static void follow(struct assigned *assigned, statement at)
{
    const struct model *model = assigned->search->model;
    for (; !code_is_none(at) && !assigned->has_left && assigned->steps < MOST_STEPS;
         at = model->code.data[at.i].next) {
        assigned->steps++;
        follow_node(assigned, &model->code.data[at.i]);
    }
}

/* What is not read before its rule, if any, has assigned it: the parallel assignment comes before
 * the code. */
static void spoil_by_rule(struct search *search, const struct model_rule *rule)
{
    const struct model *model = search->model;
    bool any = false;
    for (uint32_t i = 0; i < rule->conjuncts; i++)
        spoil_expr(search, model->conjuncts.data[rule->first_conjunct + i].cond);
    for (uint32_t i = 0; i < rule->stores; i++)
        spoil_expr(search, model->stores.data[rule->first_store + i].value);
    if (rule->asks) spoil_expr(search, rule->permit);
    for (uint32_t i = 0; i < rule->reads; i++)
        any |= search->fresh[model->accesses.data[rule->first_read + i]];
    if (!any || code_is_none(rule->body)) return;
    struct assigned assigned = {.search = search};
    assigned.set = mem_alloc(model->mem, model->vars.len + UINT64_C(1));
    for (uint32_t i = 0; i < rule->stores; i++)
        assigned.set[model->stores.data[rule->first_store + i].var] = true;
    follow_call(&assigned, rule->body);
    for (uint32_t i = 0; assigned.steps == MOST_STEPS && i < rule->reads; i++)
        search->fresh[model->accesses.data[rule->first_read + i]] = false;
    mem_free(model->mem, assigned.set);
}

void fresh_find(struct model *model, bool *fresh, const formula *asked, uint32_t count)
{
    struct search search = {model, fresh};
    for (uint32_t r = 0; r < model->rules.len; r++) spoil_by_rule(&search, &model->rules.data[r]);
    for (uint32_t i = 0; i < model->constraints.len; i++) {
        const struct clock_constraint *constraint = &model->constraints.data[i];
        if (constraint->is_conditional) spoil_expr(&search, constraint->when);
        if (constraint->varies) spoil_expr(&search, constraint->value);
    }
    if (model->has_final) spoil_expr(&search, model->final);
    for (uint32_t i = 0; i < count; i++) spoil_formula(&search, asked[i]);
    for (uint32_t i = 0; i < model->queries.len; i++) {
        spoil_formula(&search, model->queries.data[i].p);
        if (model->queries.data[i].kind == QUERY_LEADS)
            spoil_formula(&search, model->queries.data[i].q);
    }
    for (uint32_t i = 0; i < model->query_terms.len; i++)
        if (!model->query_terms.data[i].is_clock)
            spoil_expr(&search, model->query_terms.data[i].value);
}
