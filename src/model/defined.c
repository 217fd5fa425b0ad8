/* Operands first, in the order in which the evaluator takes them: what stands right of a connective
 * that decides early is tested only where it is evaluated. So every part of the result that could
 * fail by itself stands behind a test that keeps it from being evaluated.
 *
 * Sums and products that may leave 64 bits are compared with the end of the range, moved to the
 * other side:
 *     a + b <= MAX  is  a <= MAX - b  for b >= 0;   a * b <= MAX  is  a <= MAX / b  for b > 0;
 *                                                                     and so on. */
#include "model/defined.h"

void defined_init(struct defined *defined, struct exprs *exprs)
{
    *defined = (struct defined){.exprs = exprs};
}

void defined_release(struct defined *defined) { vec_free(defined->exprs->mem, &defined->known); }

static expr both(struct exprs *exprs, expr a, expr b)
{
    return expr_make(exprs, EXPR_AND, 0, a, b);
}

static expr compare(struct exprs *exprs, enum expr_op op, expr a, int64_t value)
{
    return expr_make(exprs, op, 0, a, expr_int(exprs, value));
}

/* end op b, which is not evaluated where it would fail */
static expr moved(struct exprs *exprs, int64_t end, enum expr_op op, expr b)
{
    return expr_make(exprs, op, 0, expr_int(exprs, end), b);
}

static expr between(struct exprs *exprs, expr low, expr e, expr high)
{
    return both(exprs, expr_make(exprs, EXPR_GE, 0, e, low), expr_make(exprs, EXPR_LE, 0, e, high));
}

/* a + b, or a - b with `minus`. */
static expr sum_fits(struct exprs *exprs, expr a, expr b, bool minus)
{
    enum expr_op move = minus ? EXPR_ADD : EXPR_SUB;
    expr up = expr_make(exprs, EXPR_LE, 0, a, moved(exprs, INT64_MAX, move, b)),
         down = expr_make(exprs, EXPR_GE, 0, a, moved(exprs, INT64_MIN, move, b));
    return expr_choose(exprs, compare(exprs, EXPR_GE, b, 0), minus ? down : up, minus ? up : down);
}

static expr product_fits(struct exprs *exprs, expr a, expr b)
{
    expr positive = between(exprs, moved(exprs, INT64_MIN, EXPR_DIV, b), a,
                            moved(exprs, INT64_MAX, EXPR_DIV, b));
    expr negative = between(exprs, moved(exprs, INT64_MAX, EXPR_DIV, b), a,
                            moved(exprs, INT64_MIN, EXPR_DIV, b));
    expr minus_one = expr_make(exprs, EXPR_IMPLIES, 0, compare(exprs, EXPR_EQ, b, -1),
                               compare(exprs, EXPR_NE, a, INT64_MIN));
    return expr_choose(exprs, compare(exprs, EXPR_GT, b, 0), positive,
                       expr_choose(exprs, compare(exprs, EXPR_LT, b, -1), negative, minus_one));
}

static expr quotient_exists(struct exprs *exprs, const struct expr_node *node, bool fits)
{
    const struct expr_node *a = expr_get(exprs, node->a), *b = expr_get(exprs, node->b);
    bool by_zero = b->low <= 0 && b->high >= 0,
         too_large = !fits && !node->bits && a->low == INT64_MIN && b->low <= -1 && b->high >= -1;
    expr exists = expr_bool(exprs, true);
    if (by_zero) exists = compare(exprs, EXPR_NE, node->b, 0);
    if (!too_large) return exists;
    return both(exprs, exists,
                expr_make(exprs, EXPR_OR, 0, compare(exprs, EXPR_NE, node->b, -1),
                          compare(exprs, EXPR_NE, node->a, INT64_MIN)));
}

bool defined_may_fail_here(const struct exprs *exprs, const struct expr_node *node)
{
    const struct expr_node *a = expr_get(exprs, node->a), *b = expr_get(exprs, node->b);
    int64_t ignored;
    if (node->op == EXPR_FAIL || node->op == EXPR_WITHIN) return true;
    if (!expr_table[node->op].has_bits || node->op == EXPR_CUT) return false;
    if (node->op == EXPR_DIV || node->op == EXPR_MOD)
        return (b->low <= 0 && b->high >= 0)
               || (!node->bits && a->low == INT64_MIN && b->low <= -1 && b->high >= -1);
    if (node->bits) return false;
    for (unsigned i = 0; i < 4; i++)
        if (!expr_apply(node->op, 0, i & 1 ? a->low : a->high, i & 2 ? b->low : b->high, &ignored))
            return true;
    return false;
}

/* The operator itself does not fail, given that its operands do not. */
static expr works_here(const struct defined *defined, const struct expr_node *node)
{
    struct exprs *exprs = defined->exprs;
    bool is_sum = node->op == EXPR_ADD || node->op == EXPR_SUB || node->op == EXPR_MUL;
    if (!defined_may_fail_here(exprs, node) || (is_sum && defined->fits))
        return expr_bool(exprs, true);
    switch ((enum expr_op)node->op) {
    case EXPR_FAIL: return expr_bool(exprs, false);
    case EXPR_WITHIN: return between(exprs, node->b, node->a, node->c);
    case EXPR_ADD: return sum_fits(exprs, node->a, node->b, false);
    case EXPR_SUB: return sum_fits(exprs, node->a, node->b, true);
    case EXPR_MUL: return product_fits(exprs, node->a, node->b);
    default: return quotient_exists(exprs, node, defined->fits);
    }
}

static expr find(struct defined *defined, expr e)
{
    struct exprs *exprs = defined->exprs;
    const struct expr_node node = *expr_get(exprs, e); /* a copy: the table grows below */
    if (!node.may_fail) return expr_bool(exprs, true);
    if (node.op == EXPR_FAIL) return expr_bool(exprs, false);
    expr a = defined_condition(defined, node.a);
    if (expr_table[node.op].arity == 1 || node.op == EXPR_AT || node.op == EXPR_LOCAL_AT
        || node.op == EXPR_TABLE)
        return a;
    if (node.op == EXPR_WITHIN) return both(exprs, a, works_here(defined, &node));
    expr b = defined_condition(defined, node.b);
    if (node.op == EXPR_CHOOSE) {
        expr c = defined_condition(defined, node.c);
        return both(exprs, a, expr_same(b, c) ? b : expr_choose(exprs, node.a, b, c));
    }
    bool right_is_safe = expr_is_true(exprs, b);
    if (!right_is_safe && (node.op == EXPR_AND || node.op == EXPR_IMPLIES))
        b = expr_make(exprs, EXPR_IMPLIES, 0, node.a, b);
    if (!right_is_safe && node.op == EXPR_OR) b = expr_make(exprs, EXPR_OR, 0, node.a, b);
    return both(exprs, a, both(exprs, b, works_here(defined, &node)));
}

expr defined_condition(struct defined *defined, expr e)
{
    struct mem *mem = defined->exprs->mem;
    while (defined->known.len <= e.i) vec_push(mem, &defined->known, 0);
    if (!defined->known.data[e.i]) {
        expr found = find(defined, e);
        defined->known.data[e.i] = found.i + 1;
    }
    return (expr){defined->known.data[e.i] - 1};
}

expr defined_and_true(struct defined *defined, expr e)
{
    return both(defined->exprs, defined_condition(defined, e), e);
}
