/* Operators of UPPAAL that expressions of the model lack: on bits, shifts, powers; and expressions
 * without failures.
 *
 * Bits are taken from numbers by division: bit i of a number that is not negative is a / 2^i mod 2.
 * Negative numbers are read in two's complement, of 32 bits. A constant on one side leaves only the
 * bits that it does not decide. Costs: some nodes per bit of the wider operand, which its bounds
 * tell. */
#include "lang/uppaal/scope.h"

#include <assert.h>

enum { WORD = 32, MAX_POWER = 31 };

static expr number(struct exprs *exprs, int64_t value) { return expr_int(exprs, value); }

static expr make(struct exprs *exprs, enum expr_op op, expr a, expr b)
{
    return expr_make(exprs, op, 0, a, b);
}

/* Bit i of a number >= 0, as a condition. */
static expr bit(struct exprs *exprs, expr a, unsigned i)
{
    expr shifted = make(exprs, EXPR_DIV, a, number(exprs, INT64_C(1) << i));
    return expr_to_bool(exprs, make(exprs, EXPR_MOD, shifted, number(exprs, 2)));
}

static expr combine(struct exprs *exprs, enum uppaal_op op, expr a, expr b)
{
    if (op == UPPAAL_BIT_AND) return make(exprs, EXPR_AND, a, b);
    if (op == UPPAAL_BIT_OR) return make(exprs, EXPR_OR, a, b);
    expr same = make(exprs, EXPR_IFF, a, b);
    return make(exprs, EXPR_NOT, same, same);
}

/* Both are >= 0. */
static expr combine_words(struct exprs *exprs, enum uppaal_op op, expr a, expr b, unsigned width)
{
    expr sum = number(exprs, 0);
    for (unsigned i = 0; i < width; i++) {
        expr one = combine(exprs, op, bit(exprs, a, i), bit(exprs, b, i));
        expr weight = number(exprs, INT64_C(1) << i);
        sum = make(exprs, EXPR_ADD, sum, expr_choose(exprs, one, weight, number(exprs, 0)));
    }
    return sum;
}

static expr unsign(struct exprs *exprs, expr a)
{
    return expr_get(exprs, a)->low >= 0 ? a : expr_make(exprs, EXPR_CUT, WORD, a, a);
}

expr arith_bits(struct exprs *exprs, enum uppaal_op op, expr a, expr b)
{
    const struct expr_node *na = expr_get(exprs, a), *nb = expr_get(exprs, b);
    bool is_signed = na->low < 0 || nb->low < 0;
    uint64_t most = (uint64_t)(na->high > nb->high ? na->high : nb->high);
    if (op == UPPAAL_BIT_AND && (na->low >= 0 || nb->low >= 0)) { /* no more than that one */
        is_signed = false;
        most = (uint64_t)(nb->low < 0           ? na->high
                          : na->low < 0         ? nb->high
                          : na->high < nb->high ? na->high
                                                : nb->high);
    }
    unsigned width = is_signed ? WORD : expr_width(most);
    assert(op == UPPAAL_BIT_AND || op == UPPAAL_BIT_OR || op == UPPAAL_BIT_XOR);
    if (width > WORD) width = WORD;
    expr word = combine_words(exprs, op, unsign(exprs, a), unsign(exprs, b), width);
    if (expr_get(exprs, b)->may_fail) { /* no bit of a lets b's failure go unnoticed */
        expr least = number(exprs, expr_get(exprs, b)->low);
        word = expr_choose(exprs, make(exprs, EXPR_GE, b, least), word, number(exprs, 0));
    }
    if (!is_signed) return word;
    expr half = number(exprs, INT64_C(1) << (WORD - 1));
    expr below = make(exprs, EXPR_SUB, word, number(exprs, INT64_C(1) << WORD));
    return expr_choose(exprs, make(exprs, EXPR_GE, word, half), below, word);
}

/* A power of two: a table, whose index says when it fails. */
static expr power_of_two(struct model *model, expr exponent)
{
    struct exprs *exprs = &model->exprs;
    int32_t values[MAX_POWER];
    expr checked = expr_within(exprs, exponent, 0, MAX_POWER - 1, FAILURE_RANGE);
    const struct expr_node *node = expr_get(exprs, checked);
    if (node->op == EXPR_CONST) return number(exprs, INT64_C(1) << node->value);
    for (uint32_t i = 0; i < MAX_POWER; i++) values[i] = (int32_t)(1u << i);
    uint32_t table = 0;
    for (; table < model->tables.len; table++)
        if (model->tables.data[table].count == MAX_POWER && model->tables.data[table].low == 1
            && model->tables.data[table].values[MAX_POWER - 1] == values[MAX_POWER - 1]
            && model->tables.data[table].values[1] == 2)
            break;
    if (table == model->tables.len) table = model_add_table(model, values, MAX_POWER);
    return model_table_entry(model, table, checked);
}

expr arith_shift(struct model *model, bool left, expr a, expr b)
{
    struct exprs *exprs = &model->exprs;
    expr power = power_of_two(model, b);
    if (left) return make(exprs, EXPR_MUL, a, power);
    expr quotient = make(exprs, EXPR_DIV, a, power);
    if (expr_get(exprs, a)->low >= 0) return quotient;
    /* quotients are cut towards zero, and bits fall down: -1 - (-1 - a) / 2^b */
    expr minus = number(exprs, -1);
    expr below =
        make(exprs, EXPR_SUB, minus, make(exprs, EXPR_DIV, make(exprs, EXPR_SUB, minus, a), power));
    return expr_choose(exprs, make(exprs, EXPR_GE, a, number(exprs, 0)), quotient, below);
}

bool arith_power(struct model *model, expr a, expr b, expr *result)
{
    struct exprs *exprs = &model->exprs;
    const struct expr_node *exponent = expr_get(exprs, b), *base = expr_get(exprs, a);
    if (exponent->op == EXPR_CONST && exponent->value >= 0 && exponent->value <= MAX_POWER) {
        int64_t rounds = exponent->value;
        *result = number(exprs, 1);
        while (rounds-- > 0) *result = make(exprs, EXPR_MUL, *result, a);
        return true;
    }
    if (base->op != EXPR_CONST || base->value != 2) return false;
    *result = power_of_two(model, b);
    return true;
}

expr arith_all(struct exprs *exprs, const expr *list, uint32_t count)
{
    if (!count) return expr_bool(exprs, true);
    if (count == 1) return list[0];
    expr left = arith_all(exprs, list, count / 2);
    return make(exprs, EXPR_AND, left, arith_all(exprs, list + count / 2, count - count / 2));
}

/* ---- without failures ---- */

struct unfailing {
    struct model *model;
    VEC(uint32_t) known; /* per expression: the answer, + 1; 0: not yet */
};

/* A value between the two: the same, if it is one. Remainders show their bounds, choices do not. */
static expr fold_into(struct exprs *exprs, expr a, int64_t low, int64_t high)
{
    const struct expr_node *node = expr_get(exprs, a);
    if (node->low >= low && node->high <= high) return a;
    expr least = number(exprs, low), count = number(exprs, high - low + 1);
    expr rest = make(exprs, EXPR_MOD, make(exprs, EXPR_SUB, a, least), count);
    if (expr_get(exprs, rest)->low < 0)
        rest = make(exprs, EXPR_MOD, make(exprs, EXPR_ADD, rest, count), count);
    return make(exprs, EXPR_ADD, rest, least);
}

static expr rebuild(struct unfailing *u, expr e);

static expr rebuild_binary(struct unfailing *u, const struct expr_node *node)
{
    struct exprs *exprs = &u->model->exprs;
    expr a = rebuild(u, node->a), b = rebuild(u, node->b);
    const struct expr_node *divisor = expr_get(exprs, b);
    if ((node->op == EXPR_DIV || node->op == EXPR_MOD) && divisor->low == 0 && divisor->high > 0)
        b = fold_into(exprs, b, 1, divisor->high);
    return expr_make(exprs, node->op, node->bits, a, b);
}

static expr rebuild_one(struct unfailing *u, expr e)
{
    struct exprs *exprs = &u->model->exprs;
    const struct expr_node node = *expr_get(exprs, e);
    if (!node.may_fail) return e;
    switch ((enum expr_op)node.op) {
    case EXPR_FAIL: return number(exprs, 0);
    case EXPR_WITHIN: return fold_into(exprs, rebuild(u, node.a), node.low, node.high);
    case EXPR_CHOOSE:
        return expr_choose(exprs, rebuild(u, node.a), rebuild(u, node.b), rebuild(u, node.c));
    case EXPR_AT:
    case EXPR_LOCAL_AT:
        return expr_at(exprs, node.op == EXPR_LOCAL_AT, (uint32_t)node.value, rebuild(u, node.a),
                       (uint32_t)expr_get(exprs, node.b)->value, node.low, node.high);
    case EXPR_TABLE: return model_table_entry(u->model, (uint32_t)node.value, rebuild(u, node.a));
    default: break;
    }
    if (expr_table[node.op].arity == 1) {
        expr a = rebuild(u, node.a);
        return expr_make(exprs, node.op, node.bits, a, a);
    }
    return rebuild_binary(u, &node);
}

static expr rebuild(struct unfailing *u, expr e)
{
    if (u->known.data[e.i]) return (expr){u->known.data[e.i] - 1};
    expr made = rebuild_one(u, e);
    u->known.data[e.i] = made.i + 1;
    return made;
}

expr arith_unfailing(struct model *model, expr e)
{
    struct unfailing u = {.model = model};
    vec_reserve(model->mem, &u.known, e.i + (size_t)1);
    for (uint32_t i = 0; i <= e.i; i++) u.known.data[i] = 0;
    expr made = rebuild(&u, e);
    vec_free(model->mem, &u.known);
    return made;
}
