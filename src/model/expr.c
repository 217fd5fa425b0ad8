#include "model/expr.h"

#include <assert.h>
#include <string.h>

const struct expr_info expr_table[EXPR_OPS] = {
    /*               word       symbol arity  takes  gives  bits   strength */
    [EXPR_CONST] = {"const", "", 0, false, false, false, 10},
    [EXPR_VAR] = {"var", "", 0, false, false, false, 10},
    [EXPR_NOT] = {"not", "!", 1, true, true, false, 6},
    [EXPR_AND] = {"and", "&", 2, true, true, false, 4},
    [EXPR_OR] = {"or", "|", 2, true, true, false, 3},
    [EXPR_IMPLIES] = {"implies", "->", 2, true, true, false, 2},
    [EXPR_IFF] = {"iff", "<->", 2, true, true, false, 1},
    [EXPR_EQ] = {"eq", "==", 2, false, true, false, 7},
    [EXPR_NE] = {"ne", "!=", 2, false, true, false, 7},
    [EXPR_LT] = {"lt", "<", 2, false, true, false, 7},
    [EXPR_LE] = {"le", "<=", 2, false, true, false, 7},
    [EXPR_GT] = {"gt", ">", 2, false, true, false, 7},
    [EXPR_GE] = {"ge", ">=", 2, false, true, false, 7},
    [EXPR_ADD] = {"add", "+", 2, false, false, true, 8},
    [EXPR_SUB] = {"sub", "-", 2, false, false, true, 8},
    [EXPR_MUL] = {"mul", "*", 2, false, false, true, 9},
    [EXPR_DIV] = {"div", "/", 2, false, false, true, 9},
    [EXPR_MOD] = {"mod", "%", 2, false, false, true, 9},
    [EXPR_CUT] = {"cut", "cut", 1, false, false, true, 10},
};

void exprs_init(struct exprs *exprs, struct mem *mem)
{
    memset(exprs, 0, sizeof *exprs);
    exprs->mem = mem;
}

static bool same_node(const struct expr_node *a, const struct expr_node *b)
{
    return a->op == b->op && a->bits == b->bits && a->is_bool == b->is_bool && a->a.i == b->a.i && a->b.i == b->b.i
        && a->value == b->value;
}

static uint32_t slot_of(const struct exprs *exprs, const struct expr_node *node)
{
    uint64_t h = (uint64_t)node->value * UINT64_C(0x9E3779B97F4A7C15);
    h ^= ((uint64_t)node->a.i << 32 | node->b.i) + (h >> 29);
    h *= UINT64_C(0xBF58476D1CE4E5B9);
    h ^= ((uint64_t)node->op << 16 | (uint64_t)node->bits << 8 | node->is_bool) + (h >> 32);
    h *= UINT64_C(0x94D049BB133111EB);
    uint32_t at = (uint32_t)(h >> 32) & (exprs->size - 1);
    while (exprs->slots[at] && !same_node(&exprs->nodes.data[exprs->slots[at] - 1], node))
        at = (at + 1) & (exprs->size - 1);
    return at;
}

static void grow(struct exprs *exprs)
{
    mem_free(exprs->mem, exprs->slots);
    exprs->slots = NULL;
    uint32_t size = exprs->size ? 2 * exprs->size : 256;
    exprs->slots = mem_alloc(exprs->mem, size * sizeof *exprs->slots);
    exprs->size = size;
    for (uint32_t i = 0; i < exprs->nodes.len; i++) exprs->slots[slot_of(exprs, &exprs->nodes.data[i])] = i + 1;
}

static expr cons(struct exprs *exprs, struct expr_node node)
{
    if (2 * exprs->nodes.len >= exprs->size) grow(exprs);
    uint32_t at = slot_of(exprs, &node);
    if (!exprs->slots[at]) {
        vec_push(exprs->mem, &exprs->nodes, node);
        exprs->slots[at] = exprs->nodes.len;
    }
    return (expr){exprs->slots[at] - 1};
}

expr expr_int(struct exprs *exprs, int64_t value)
{
    return cons(exprs, (struct expr_node){.op = EXPR_CONST, .value = value});
}

expr expr_bool(struct exprs *exprs, bool value)
{
    return cons(exprs, (struct expr_node){.op = EXPR_CONST, .is_bool = true, .value = value});
}

expr expr_var(struct exprs *exprs, uint32_t var)
{
    return cons(exprs, (struct expr_node){.op = EXPR_VAR, .value = var});
}

static bool is_const(const struct exprs *exprs, expr e)
{
    return expr_get(exprs, e)->op == EXPR_CONST;
}

bool expr_is_true(const struct exprs *exprs, expr e)
{
    const struct expr_node *node = expr_get(exprs, e);
    return node->op == EXPR_CONST && node->is_bool && node->value;
}

bool expr_is_false(const struct exprs *exprs, expr e)
{
    const struct expr_node *node = expr_get(exprs, e);
    return node->op == EXPR_CONST && node->is_bool && !node->value;
}

unsigned expr_width(uint64_t value)
{
    return value ? 64 - (unsigned)__builtin_clzll(value) : 1;
}

bool expr_apply(enum expr_op op, unsigned bits, int64_t a, int64_t b, int64_t *result)
{
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b, mask = expr_mask(bits);
    switch (op) {
    case EXPR_NOT: *result = !a; return true;
    case EXPR_AND: *result = a && b; return true;
    case EXPR_OR: *result = a || b; return true;
    case EXPR_IMPLIES: *result = !a || b; return true;
    case EXPR_IFF: *result = !a == !b; return true;
    case EXPR_EQ: *result = a == b; return true;
    case EXPR_NE: *result = a != b; return true;
    case EXPR_LT: *result = a < b; return true;
    case EXPR_LE: *result = a <= b; return true;
    case EXPR_GT: *result = a > b; return true;
    case EXPR_GE: *result = a >= b; return true;
    case EXPR_ADD: *result = (int64_t)((ua + ub) & mask); return true;
    case EXPR_SUB: *result = (int64_t)((ua - ub) & mask); return true;
    case EXPR_MUL: *result = (int64_t)((ua * ub) & mask); return true;
    case EXPR_DIV:
        if (!b) return false;
        *result = (int64_t)(ua / ub & mask);
        return true;
    case EXPR_MOD:
        if (!b) return false;
        *result = (int64_t)(ua % ub & mask);
        return true;
    case EXPR_CUT: *result = (int64_t)(ua & mask); return true;
    case EXPR_CONST:
    case EXPR_VAR:
    case EXPR_OPS: break;
    }
    assert(!"not an operator");
    return false;
}

/* Neutral and absorbing constants on the left never hide a failure; on the right only neutral ones may go. */
static bool simplify(struct exprs *exprs, enum expr_op op, expr a, expr b, expr *result)
{
    bool left_true = expr_is_true(exprs, a), left_false = expr_is_false(exprs, a);
    if (op == EXPR_AND && (left_true || left_false)) return *result = left_true ? b : a, true;
    if (op == EXPR_OR && (left_true || left_false)) return *result = left_false ? b : a, true;
    if (op == EXPR_IMPLIES && left_true) return *result = b, true;
    if (op == EXPR_IMPLIES && left_false) return *result = expr_bool(exprs, true), true;
    if (op == EXPR_AND && expr_is_true(exprs, b)) return *result = a, true;
    if (op == EXPR_OR && expr_is_false(exprs, b)) return *result = a, true;
    return false;
}

expr expr_make(struct exprs *exprs, enum expr_op op, unsigned bits, expr a, expr b)
{
    const struct expr_info *info = &expr_table[op];
    assert(info->arity >= 1 && info->arity <= 2);
    if (info->arity == 1) b = (expr){0};
    if (!info->has_bits) bits = 0;
    const struct expr_node *na = expr_get(exprs, a), *nb = expr_get(exprs, b);
    assert(na->is_bool == info->takes_bool && (info->arity < 2 || nb->is_bool == info->takes_bool));
    assert(!info->has_bits || (bits >= 1 && bits <= EXPR_MAX_BITS));
    int64_t value;
    if (is_const(exprs, a) && (info->arity < 2 || is_const(exprs, b)) && expr_apply(op, bits, na->value, nb->value, &value))
        return info->gives_bool ? expr_bool(exprs, value) : expr_int(exprs, value);
    expr simpler;
    if (info->arity == 2 && simplify(exprs, op, a, b, &simpler)) return simpler;
    bool by_zero = (op == EXPR_DIV || op == EXPR_MOD) && !(nb->op == EXPR_CONST && nb->value);
    struct expr_node node = {.op = (uint8_t)op, .bits = (uint8_t)bits, .is_bool = info->gives_bool, .a = a, .b = b};
    node.may_fail = by_zero || na->may_fail || (info->arity == 2 && nb->may_fail);
    return cons(exprs, node);
}

struct walk {
    struct exprs *exprs;
    void (*visit)(void *context, uint32_t var);
    void *context;
};

/* The marks keep a shared node from being walked once per path to it, which would be exponential. */
static void walk_vars(struct walk *walk, expr e)
{
    struct exprs *exprs = walk->exprs;
    if (exprs->marks.data[e.i] == exprs->walk) return;
    exprs->marks.data[e.i] = exprs->walk;
    const struct expr_node *node = expr_get(exprs, e);
    if (node->op == EXPR_VAR) walk->visit(walk->context, (uint32_t)node->value);
    if (expr_table[node->op].arity >= 1) walk_vars(walk, node->a);
    if (expr_table[node->op].arity >= 2) walk_vars(walk, node->b);
}

void expr_each_var(struct exprs *exprs, expr e, void (*visit)(void *context, uint32_t var), void *context)
{
    while (exprs->marks.len < exprs->nodes.len) vec_push(exprs->mem, &exprs->marks, 0);
    exprs->walk++;
    struct walk walk = {exprs, visit, context};
    walk_vars(&walk, e);
}
