#include "model/eval.h"

#include <assert.h>
#include <string.h>

/* One evaluation: where values are read, and what went wrong. */
struct machine {
    const struct model *model;
    const int64_t *state;
    struct eval_failure failure;
};

static bool fail(struct machine *machine, enum failure reason, int64_t value, int64_t low,
                 int64_t high)
{
    machine->failure =
        (struct eval_failure){.reason = reason, .value = value, .low = low, .high = high};
    return false;
}

static bool eval(struct machine *machine, expr e, int64_t *value)
{
    const struct model *model = machine->model;
    const struct expr_node *node = expr_get(&model->exprs, e);
    int64_t a, b = 0;
    if (node->op == EXPR_CONST) return *value = node->value, true;
    if (node->op == EXPR_VAR) return *value = machine->state[node->value], true;
    if (node->op == EXPR_LOCAL) return *value = model->local_values[node->value], true;
    if (node->op == EXPR_FAIL) return fail(machine, node->bits, 0, 0, 0);
    if (!eval(machine, node->a, &a)) return false;
    if (node->op == EXPR_AND && !a) return *value = 0, true;
    if (node->op == EXPR_OR && a) return *value = 1, true;
    if (node->op == EXPR_IMPLIES && !a) return *value = 1, true;
    if (node->op == EXPR_CHOOSE) return eval(machine, a ? node->b : node->c, value);
    if (node->op == EXPR_WITHIN) {
        int64_t low = expr_get(&model->exprs, node->b)->value,
                high = expr_get(&model->exprs, node->c)->value;
        return *value = a, a >= low && a <= high ? true : fail(machine, node->bits, a, low, high);
    }
    if (node->op == EXPR_AT || node->op == EXPR_LOCAL_AT) {
        assert(a >= 0 && a < expr_get(&model->exprs, node->b)->value);
        return *value =
                   (node->op == EXPR_AT ? machine->state : model->local_values)[node->value + a],
               true;
    }
    if (node->op == EXPR_TABLE) {
        assert(a >= 0 && a < model->tables.data[node->value].count);
        return *value = model->tables.data[node->value].values[a], true;
    }
    if (expr_table[node->op].arity == 2 && !eval(machine, node->b, &b)) return false;
    if (expr_apply(node->op, node->bits, a, b, value)) return true;
    return fail(machine,
                (node->op == EXPR_DIV || node->op == EXPR_MOD) && !b ? FAILURE_DIVISION
                                                                     : FAILURE_OVERFLOW,
                0, 0, 0);
}

bool eval_expr(const struct model *model, expr e, const int64_t *state, int64_t *value)
{
    struct machine machine = {.model = model, .state = state};
    return eval(&machine, e, value);
}

/* ---- code ---- */

enum flow { FLOW_ON, FLOW_LEAVE, FLOW_DISABLED, FLOW_FAILED };

static bool find_cell(struct machine *machine, const struct cell *cell, int64_t *state,
                      int64_t **found)
{
    int64_t offset;
    if (!eval(machine, cell->offset, &offset)) return false;
    assert(offset >= 0 && offset < cell->count);
    *found = (cell->local ? machine->model->local_values : state) + cell->base + offset;
    return true;
}

static enum flow run(struct machine *machine, statement at, int64_t *state);

/* The value first, then the place where it goes. */
static bool run_set(struct machine *machine, const struct code_node *node, int64_t *state)
{
    int64_t value, *target;
    if (!eval(machine, node->value, &value) || !find_cell(machine, &node->target, state, &target))
        return false;
    *target = value;
    return true;
}

static bool run_copy(struct machine *machine, const struct code_node *node, int64_t *state)
{
    int64_t *source, *target;
    if (!find_cell(machine, &node->source, state, &source)
        || !find_cell(machine, &node->target, state, &target))
        return false;
    memmove(target, source, node->cells * sizeof *target);
    return true;
}

static enum flow run_while(struct machine *machine, const struct code_node *node, int64_t *state)
{
    int64_t value;
    for (uint32_t round = 0;; round++) {
        if (!eval(machine, node->value, &value)) return FLOW_FAILED;
        if (!value) return FLOW_ON;
        if (round == CODE_MAX_ROUNDS) return fail(machine, FAILURE_LOOP, 0, 0, 0), FLOW_FAILED;
        mem_look(machine->model->mem);
        enum flow flow = run(machine, node->body, state);
        if (flow != FLOW_ON) return flow;
    }
}

static enum flow run_node(struct machine *machine, const struct code_node *node, int64_t *state)
{
    int64_t value;
    enum flow flow;
    switch ((enum code_op)node->op) {
    case CODE_SET: return run_set(machine, node, state) ? FLOW_ON : FLOW_FAILED;
    case CODE_COPY: return run_copy(machine, node, state) ? FLOW_ON : FLOW_FAILED;
    case CODE_REQUIRE:
        return !eval(machine, node->value, &value) ? FLOW_FAILED : value ? FLOW_ON : FLOW_DISABLED;
    case CODE_IF:
        return eval(machine, node->value, &value)
                   ? run(machine, value ? node->body : node->other, state)
                   : FLOW_FAILED;
    case CODE_WHILE: return run_while(machine, node, state);
    case CODE_CALL:
        flow = run(machine, node->body, state);
        return flow == FLOW_LEAVE ? FLOW_ON : flow;
    case CODE_LEAVE: return FLOW_LEAVE;
    }
    assert(!"not a statement");
    return FLOW_FAILED;
}

static enum flow run(struct machine *machine, statement at, int64_t *state)
{
    const struct model *model = machine->model;
    for (; !code_is_none(at); at = model->code.data[at.i].next) {
        enum flow flow = run_node(machine, &model->code.data[at.i], state);
        bool stopped = flow == FLOW_FAILED || flow == FLOW_DISABLED;
        if (stopped && code_is_none(machine->failure.at)) machine->failure.at = at;
        if (stopped && !machine->failure.place.line)
            machine->failure.place = model->code.data[at.i].place;
        if (flow != FLOW_ON) return flow;
    }
    return FLOW_ON;
}

enum eval_result eval_code(const struct model *model, statement block, int64_t *state,
                           struct eval_failure *failure)
{
    struct machine machine = {.model = model, .state = state, .failure.at = code_none()};
    for (uint32_t i = 0; i < model->locals.len; i++)
        model->local_values[i] = model->locals.data[i].low;
    enum flow flow = run(&machine, block, state);
    if ((flow == FLOW_FAILED || flow == FLOW_DISABLED) && failure) *failure = machine.failure;
    return flow == FLOW_FAILED ? EVAL_FAILED : flow == FLOW_DISABLED ? EVAL_DISABLED : EVAL_ENABLED;
}

/* ---- rules ---- */

static enum eval_result failed_at(struct machine *machine, struct eval_failure *failure,
                                  struct place place)
{
    machine->failure.place = place;
    if (failure) *failure = machine->failure;
    return EVAL_FAILED;
}

enum eval_result eval_rule_alone(const struct model *model, uint32_t r, const int64_t *state,
                                 int64_t *next, struct eval_failure *failure)
{
    const struct model_rule *rule = &model->rules.data[r];
    struct machine machine = {.model = model, .state = state, .failure.at = code_none()};
    int64_t value;
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        const struct rule_conjunct *conjunct = &model->conjuncts.data[rule->first_conjunct + i];
        if (!eval(&machine, conjunct->cond, &value))
            return failed_at(&machine, failure, conjunct->place);
        if (!value) return EVAL_DISABLED;
    }
    memcpy(next, state, model->vars.len * sizeof *next);
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &model->stores.data[rule->first_store + i];
        if (!eval(&machine, store->value, &next[store->var]))
            return failed_at(&machine, failure, store->place);
    }
    return code_is_none(rule->body) ? EVAL_ENABLED : eval_code(model, rule->body, next, failure);
}

static bool is_of_class(const struct model *model, const struct model_rule *rule,
                        uint32_t priority_class)
{
    for (uint32_t i = 0; i < rule->classes; i++)
        if (model->rule_classes.data[rule->first_class + i] == priority_class) return true;
    return false;
}

/* Whether a rule of a higher class is enabled. Uses `next` as working memory. */
static bool is_held_back(const struct model *model, const struct model_rule *rule,
                         const int64_t *state, int64_t *next)
{
    for (uint32_t p = 0; p < model->priorities.len; p++) {
        const struct model_priority *priority = &model->priorities.data[p];
        if (!is_of_class(model, rule, priority->low)) continue;
        for (uint32_t r = 0; r < model->rules.len; r++)
            if (is_of_class(model, &model->rules.data[r], priority->high)
                && eval_rule_alone(model, r, state, next, NULL) == EVAL_ENABLED)
                return true;
    }
    return false;
}

bool eval_permits(const struct model *model, uint32_t r, const int64_t *state)
{
    const struct model_rule *rule = &model->rules.data[r];
    int64_t value;
    return !rule->asks || (eval_expr(model, rule->permit, state, &value) && value);
}

enum eval_result eval_rule(const struct model *model, uint32_t r, const int64_t *state,
                           int64_t *next)
{
    const struct model_rule *rule = &model->rules.data[r];
    if (!eval_permits(model, r, state)) return EVAL_DISABLED;
    enum eval_result result = eval_rule_alone(model, r, state, next, NULL);
    if (result == EVAL_DISABLED || !rule->classes || !is_held_back(model, rule, state, next)) {
        if (result == EVAL_ENABLED && rule->classes) eval_rule_alone(model, r, state, next, NULL);
        return result;
    }
    return EVAL_DISABLED;
}

/* Which of the listed initial states this is; the number of states when it is none. */
static uint32_t find_listed(const struct model *model, const int64_t *state)
{
    uint32_t vars = model->vars.len, count = model->initial.len / (vars ? vars : 1), low = 0,
             high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order =
            memcmp(model->initial.data + (size_t)middle * vars, state, vars * sizeof *state);
        if (!order) return middle;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return count;
}

bool eval_is_final(const struct model *model, const int64_t *state)
{
    int64_t value;
    return model->has_final && eval_expr(model, model->final, state, &value) && value;
}

bool eval_is_initial(const struct model *model, const int64_t *state)
{
    if (model_lists_initial(model))
        return (size_t)find_listed(model, state) * model->vars.len < model->initial.len;
    for (uint32_t i = 0; i < model->vars.len; i++) {
        const struct model_var *var = &model->vars.data[i];
        if (state[i] < var->low || state[i] > var->high) return false;
        if (!var->any_init && state[i] != var->init) return false;
    }
    return true;
}

void eval_first_initial(const struct model *model, int64_t *state)
{
    if (model_lists_initial(model)) {
        memcpy(state, model->initial.data, model->vars.len * sizeof *state);
        return;
    }
    for (uint32_t i = 0; i < model->vars.len; i++) {
        const struct model_var *var = &model->vars.data[i];
        state[i] = var->any_init ? var->low : var->init;
    }
}

bool eval_next_initial(const struct model *model, int64_t *state)
{
    if (model_lists_initial(model)) {
        size_t next = ((size_t)find_listed(model, state) + 1) * model->vars.len;
        if (next >= model->initial.len) return false;
        memcpy(state, model->initial.data + next, model->vars.len * sizeof *state);
        return true;
    }
    for (uint32_t i = 0; i < model->vars.len; i++) {
        const struct model_var *var = &model->vars.data[i];
        if (!var->any_init) continue;
        if (state[i] < var->high) return state[i]++, true;
        state[i] = var->low;
    }
    return false;
}
