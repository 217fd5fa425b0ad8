#include "model/formula.h"

#include <assert.h>
#include <string.h>

const struct formula_info formula_table[FORMULA_OPS] = {
    [FORMULA_ATOM] = {"atom", "", 0, 9},
    [FORMULA_NOT] = {"not", "!", 1, 6},
    [FORMULA_AND] = {"and", "&", 2, 4},
    [FORMULA_OR] = {"or", "|", 2, 3},
    [FORMULA_IMPLIES] = {"implies", "->", 2, 2},
    [FORMULA_IFF] = {"iff", "<->", 2, 1},
    [FORMULA_X] = {"next", "X", 1, 6},
    [FORMULA_F] = {"finally", "F", 1, 6},
    [FORMULA_G] = {"globally", "G", 1, 6},
    [FORMULA_U] = {"until", "U", 2, 5},
    [FORMULA_R] = {"release", "R", 2, 5},
    [FORMULA_W] = {"weak", "W", 2, 5},
    [FORMULA_A] = {"all", "A", 1, 6},
    [FORMULA_E] = {"exists", "E", 1, 6},
    [FORMULA_CLOCK] = {"clock", "", 0, 9},
    [FORMULA_DEADLOCK] = {"deadlock", "deadlock", 0, 9},
};

const uint8_t formula_of_expr[EXPR_OPS] = {
    [EXPR_NOT] = FORMULA_NOT,         [EXPR_AND] = FORMULA_AND, [EXPR_OR] = FORMULA_OR,
    [EXPR_IMPLIES] = FORMULA_IMPLIES, [EXPR_IFF] = FORMULA_IFF,
};

static const uint8_t expr_op_of[FORMULA_OPS] = {
    [FORMULA_NOT] = EXPR_NOT,         [FORMULA_AND] = EXPR_AND, [FORMULA_OR] = EXPR_OR,
    [FORMULA_IMPLIES] = EXPR_IMPLIES, [FORMULA_IFF] = EXPR_IFF,
};

void formulas_init(struct formulas *formulas, struct mem *mem)
{
    memset(formulas, 0, sizeof *formulas);
    formulas->mem = mem;
}

static formula add(struct formulas *formulas, struct formula_node node)
{
    vec_push(formulas->mem, &formulas->nodes, node);
    return (formula){formulas->nodes.len - 1};
}

formula formula_atom(struct formulas *formulas, expr atom, struct place place)
{
    return add(formulas, (struct formula_node){.op = FORMULA_ATOM, .atom = atom, .place = place});
}

formula formula_clock(struct formulas *formulas, uint32_t constraint, struct place place)
{
    return add(formulas, (struct formula_node){
                             .op = FORMULA_CLOCK, .constraint = constraint, .place = place});
}

formula formula_deadlock(struct formulas *formulas, struct place place)
{
    return add(formulas, (struct formula_node){.op = FORMULA_DEADLOCK, .place = place});
}

formula formula_make(struct formulas *formulas, struct exprs *exprs, enum formula_op op, formula a,
                     formula b, struct place place)
{
    assert(op != FORMULA_ATOM && op < FORMULA_OPS);
    bool unary = formula_table[op].arity == 1;
    if (unary) b = a;
    const struct formula_node *na = formula_get(formulas, a), *nb = formula_get(formulas, b);
    if (expr_op_of[op] && na->op == FORMULA_ATOM && nb->op == FORMULA_ATOM)
        return formula_atom(formulas, expr_make(exprs, expr_op_of[op], 0, na->atom, nb->atom),
                            place);
    return add(formulas, (struct formula_node){.op = (uint8_t)op, .a = a, .b = b, .place = place});
}

/* Finds p with f == always p (sign true), or f == eventually p (sign false), on every path or on
 * all/some paths alike. */
static bool find_always(struct formulas *formulas, struct exprs *exprs, formula f, bool sign,
                        expr *p)
{
    const struct formula_node *node = formula_get(formulas, f);
    if (node->op == FORMULA_NOT) {
        if (!find_always(formulas, exprs, node->a, !sign, p)) return false;
        *p = expr_make(exprs, EXPR_NOT, 0, *p, *p);
        return true;
    }
    if (node->op == (sign ? FORMULA_AND : FORMULA_OR)) {
        expr left, right;
        formula second = node->b;
        if (!find_always(formulas, exprs, node->a, sign, &left)
            || !find_always(formulas, exprs, second, sign, &right))
            return false;
        *p = expr_make(exprs, sign ? EXPR_AND : EXPR_OR, 0, left, right);
        return true;
    }
    if (node->op == (sign ? FORMULA_A : FORMULA_E)) node = formula_get(formulas, node->a);
    else if (node->op == FORMULA_A || node->op == FORMULA_E) return false;
    if (node->op != (sign ? FORMULA_G : FORMULA_F)) return false;
    node = formula_get(formulas, node->a);
    if (node->op != FORMULA_ATOM) return false;
    *p = node->atom;
    return true;
}

bool formula_is_invariant(struct formulas *formulas, struct exprs *exprs, formula f, expr *always)
{
    return find_always(formulas, exprs, f, true, always);
}
