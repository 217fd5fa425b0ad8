/* Operators of UPPAAL that expressions of the model lack: on bits, shifts, powers.
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
