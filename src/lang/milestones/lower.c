#include "lang/milestones/lower.h"

#include "lang/milestones/each.h"

#include <assert.h>

static bool is_condition(const struct ast *node)
{
    return node->kind == AST_BOOL || node->kind == AST_TEMPORAL
           || (node->kind == AST_EXPR && expr_table[node->op].gives_bool);
}

/* W of the contract: the width of the widest leaf. 0 after an error. */
static unsigned widest_leaf(struct scope *scope, struct ast *node, const struct ast *beside)
{
    uint32_t var;
    int64_t value;
    if (is_condition(node)) {
        scope_error(scope, node, DIAG_TYPE, "a number is needed here, this is a condition");
        return 0;
    }
    switch (node->kind) {
    case AST_NUMBER: return expr_width(node->number);
    case AST_NAME:
    case AST_MEMBER:
        switch (scope_resolve(scope, node, beside, &var, &value)) {
        case MEANS_VARIABLE: return scope_var_width(scope, var);
        case MEANS_CONSTANT: return expr_width((uint64_t)value);
        case MEANS_NOTHING: return 0;
        }
        return 0;
    default: break;
    }
    unsigned a = widest_leaf(scope, node->a, NULL), b = widest_leaf(scope, node->b, NULL);
    return !a || !b ? 0 : a > b ? a : b;
}

/* After widest_leaf succeeded on the node, so that names resolve and types fit. */
static expr lower_int(struct scope *scope, struct ast *node, const struct ast *beside,
                      unsigned bits)
{
    struct exprs *exprs = &scope->model->exprs;
    uint32_t var;
    int64_t value;
    switch (node->kind) {
    case AST_NUMBER: return expr_int(exprs, (int64_t)node->number);
    case AST_NAME:
    case AST_MEMBER:
        if (scope_resolve(scope, node, beside, &var, &value) == MEANS_VARIABLE)
            return expr_var(exprs, var);
        return expr_int(exprs, value);
    default: break;
    }
    assert(node->kind == AST_EXPR); /* widest_leaf has refused everything else */
    expr a = lower_int(scope, node->a, NULL, bits);
    expr b = lower_int(scope, node->b, NULL, bits);
    assert(bits && !expr_table[node->op].gives_bool);
    return expr_make(exprs, node->op, bits, a, b);
}

static bool lower_comparison(struct scope *scope, struct ast *node, expr *result)
{
    if (is_condition(node->a) || is_condition(node->b)) {
        scope_error(
            scope, is_condition(node->a) ? node->a : node->b, DIAG_TYPE,
            "a number is needed here, this is a condition (conditions are compared with '<->')");
        return false;
    }
    unsigned a = widest_leaf(scope, node->a, node->b), b = widest_leaf(scope, node->b, node->a);
    if (!a || !b) return false;
    unsigned bits = a > b ? a : b;
    expr left = lower_int(scope, node->a, node->b, bits),
         right = lower_int(scope, node->b, node->a, bits);
    *result = expr_make(&scope->model->exprs, node->op, 0, left, right);
    return true;
}

bool lower_bool(struct scope *scope, struct ast *node, expr *result)
{
    struct exprs *exprs = &scope->model->exprs;
    *result = (expr){0};
    node = each_expand(scope, node);
    if (!node) return false;
    if (node->kind == AST_BOOL) return *result = expr_bool(exprs, node->number), true;
    if (node->kind == AST_TEMPORAL) {
        scope_error(
            scope, node, DIAG_MISPLACED,
            "the temporal operator %s is not allowed here: it belongs into a CTL or LTL property",
            formula_table[node->op].symbol);
        return false;
    }
    if (!is_condition(node)) {
        bool good = widest_leaf(scope, node, NULL) != 0;
        if (good && (node->kind == AST_NAME || node->kind == AST_MEMBER))
            scope_error(scope, node, DIAG_TYPE,
                        "a condition is needed here: compare the variable, as in '%s%s%s != 0'",
                        node->name, node->kind == AST_MEMBER ? "[..]." : "",
                        node->kind == AST_MEMBER ? node->member : "");
        else if (good)
            scope_error(scope, node, DIAG_TYPE, "a condition is needed here, this is a number");
        return false;
    }
    if (!expr_table[node->op].takes_bool) return lower_comparison(scope, node, result);
    expr a, b = {0};
    bool good = lower_bool(scope, node->a, &a);
    if (node->b && !lower_bool(scope, node->b, &b))
        good = false; /* both sides: several errors per run */
    if (good) *result = expr_make(exprs, node->op, 0, a, b);
    return good;
}

bool lower_value(struct scope *scope, struct ast *node, unsigned width, expr *result)
{
    struct exprs *exprs = &scope->model->exprs;
    *result = (expr){0};
    node = each_expand(scope, node);
    unsigned bits = node ? widest_leaf(scope, node, NULL) : 0;
    if (!bits) return false;
    if (bits < width) bits = width;
    expr value = lower_int(scope, node, NULL, bits);
    *result = bits > width ? expr_make(exprs, EXPR_CUT, width, value, value) : value;
    return true;
}

/* ---- formulas ---- */

static bool is_path_operator(const struct ast *node)
{
    return node->kind == AST_TEMPORAL && node->op != FORMULA_A && node->op != FORMULA_E;
}

/* CTL: every path operator directly below a quantifier, and the other way round; LTL: no
 * quantifiers. */
static bool fits_logic(struct scope *scope, struct ast *node, enum property_kind kind,
                       bool below_quantifier)
{
    const char *symbol = formula_table[node->op].symbol;
    bool quantifier = node->op == FORMULA_A || node->op == FORMULA_E;
    if (kind == PROPERTY_LTL && quantifier) {
        scope_error(scope, node, DIAG_MISPLACED, "LTL has no path quantifiers: '%s' belongs to CTL",
                    symbol);
        return false;
    }
    if (kind == PROPERTY_CTL && !quantifier && !below_quantifier) {
        if (formula_table[node->op].arity == 2)
            scope_error(scope, node, DIAG_MISSING,
                        "'%s' without a path quantifier: in CTL write A[f %s g] or E[f %s g]",
                        symbol, symbol, symbol);
        else
            scope_error(scope, node, DIAG_MISSING,
                        "'%s' without a path quantifier: in CTL write A%s or E%s", symbol, symbol,
                        symbol);
        return false;
    }
    if (kind == PROPERTY_CTL && quantifier && !is_path_operator(node->a)) {
        scope_error(scope, node, DIAG_MISPLACED,
                    "'%s' must be followed by a path formula such as [f U g]", symbol);
        return false;
    }
    return true;
}

static bool has_temporal(const struct ast *node)
{
    if (node->kind == AST_TEMPORAL) return true;
    if (node->kind != AST_EXPR || !expr_table[node->op].takes_bool) return false;
    return has_temporal(node->a) || (node->b && has_temporal(node->b));
}

static bool lower_node(struct scope *scope, struct ast *node, enum property_kind kind,
                       bool below_quantifier, formula *result)
{
    struct model *model = scope->model;
    *result = (formula){0};
    if (!has_temporal(node)) {
        expr atom;
        if (!lower_bool(scope, node, &atom)) return false;
        *result = formula_atom(&model->formulas, atom, node->place);
        return true;
    }
    bool temporal = node->kind == AST_TEMPORAL;
    bool quantifier = temporal && !is_path_operator(node);
    if (temporal && !fits_logic(scope, node, kind, below_quantifier)) return false;
    formula a, b = {0};
    bool good = lower_node(scope, node->a, kind, quantifier, &a);
    if (node->b && !lower_node(scope, node->b, kind, false, &b)) good = false;
    if (good)
        *result = formula_make(&model->formulas, &model->exprs,
                               temporal ? node->op : formula_of_expr[node->op], a, b, node->place);
    return good;
}

bool lower_formula(struct scope *scope, struct ast *node, enum property_kind kind, formula *result)
{
    node = each_expand(scope, node);
    if (!node) return *result = (formula){0}, false;
    if (kind == PROPERTY_INVARIANT || kind == PROPERTY_REACH) {
        expr atom;
        *result = (formula){0};
        if (!lower_bool(scope, node, &atom)) return false;
        *result = formula_atom(&scope->model->formulas, atom, node->place);
        return true;
    }
    return lower_node(scope, node, kind, false, result);
}
