#include "model/eval.h"

#include <string.h>

bool eval_expr(const struct model *model, expr e, const int64_t *state, int64_t *value)
{
    const struct expr_node *node = expr_get(&model->exprs, e);
    int64_t a, b = 0;
    if (node->op == EXPR_CONST) return *value = node->value, true;
    if (node->op == EXPR_VAR) return *value = state[node->value], true;
    if (!eval_expr(model, node->a, state, &a)) return false;
    if (node->op == EXPR_AND && !a) return *value = 0, true;
    if (node->op == EXPR_OR && a) return *value = 1, true;
    if (node->op == EXPR_IMPLIES && !a) return *value = 1, true;
    if (expr_table[node->op].arity == 2 && !eval_expr(model, node->b, state, &b)) return false;
    return expr_apply(node->op, node->bits, a, b, value);
}

enum eval_result eval_rule(const struct model *model, uint32_t r, const int64_t *state, int64_t *next)
{
    const struct model_rule *rule = &model->rules.data[r];
    int64_t value;
    for (uint32_t i = 0; i < rule->conjuncts; i++) {
        if (!eval_expr(model, model->conjuncts.data[rule->first_conjunct + i].cond, state, &value)) return EVAL_FAILED;
        if (!value) return EVAL_DISABLED;
    }
    memcpy(next, state, model->vars.len * sizeof *next);
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &model->stores.data[rule->first_store + i];
        if (!eval_expr(model, store->value, state, &next[store->var])) return EVAL_FAILED;
    }
    return EVAL_ENABLED;
}

bool eval_is_initial(const struct model *model, const int64_t *state)
{
    for (uint32_t i = 0; i < model->vars.len; i++) {
        const struct model_var *var = &model->vars.data[i];
        if (state[i] < var->low || state[i] > var->high) return false;
        if (!var->any_init && state[i] != var->init) return false;
    }
    return true;
}

void eval_first_initial(const struct model *model, int64_t *state)
{
    for (uint32_t i = 0; i < model->vars.len; i++) {
        const struct model_var *var = &model->vars.data[i];
        state[i] = var->any_init ? var->low : var->init;
    }
}

bool eval_next_initial(const struct model *model, int64_t *state)
{
    for (uint32_t i = 0; i < model->vars.len; i++) {
        const struct model_var *var = &model->vars.data[i];
        if (!var->any_init) continue;
        if (state[i] < var->high) return state[i]++, true;
        state[i] = var->low;
    }
    return false;
}
