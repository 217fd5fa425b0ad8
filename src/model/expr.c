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
    [EXPR_CHOOSE] = {"choose", "?", 3, false, false, false, 0},
    [EXPR_WITHIN] = {"within", "within", 3, false, false, false, 10},
    [EXPR_FAIL] = {"fail", "fail", 0, false, false, false, 10},
    [EXPR_AT] = {"at", "at", 2, false, false, false, 10},
    [EXPR_LOCAL] = {"local", "", 0, false, false, false, 10},
    [EXPR_LOCAL_AT] = {"local_at", "at", 2, false, false, false, 10},
    [EXPR_TABLE] = {"table", "table", 2, false, false, false, 10},
};

const char *const failure_name[FAILURE_KINDS] = {
    [FAILURE_NONE] = "none",   [FAILURE_DIVISION] = "division", [FAILURE_OVERFLOW] = "overflow",
    [FAILURE_RANGE] = "range", [FAILURE_INDEX] = "index",       [FAILURE_FULL] = "full",
    [FAILURE_EMPTY] = "empty", [FAILURE_LOOP] = "loop",         [FAILURE_DEPTH] = "depth",
};

void exprs_init(struct exprs *exprs, struct mem *mem)
{
    memset(exprs, 0, sizeof *exprs);
    exprs->mem = mem;
}

static bool same_node(const struct expr_node *a, const struct expr_node *b)
{
    return a->op == b->op && a->bits == b->bits && a->is_bool == b->is_bool && a->a.i == b->a.i
           && a->b.i == b->b.i && a->c.i == b->c.i && a->value == b->value && a->low == b->low
           && a->high == b->high;
}

static uint32_t slot_of(const struct exprs *exprs, const struct expr_node *node)
{
    uint64_t h = (uint64_t)node->value * UINT64_C(0x9E3779B97F4A7C15);
    h ^= ((uint64_t)node->a.i << 32 | node->b.i) + (h >> 29);
    h *= UINT64_C(0xBF58476D1CE4E5B9);
    h ^= (uint64_t)node->c.i << 17;
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
    for (uint32_t i = 0; i < exprs->nodes.len; i++)
        exprs->slots[slot_of(exprs, &exprs->nodes.data[i])] = i + 1;
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
    return cons(exprs,
                (struct expr_node){.op = EXPR_CONST, .value = value, .low = value, .high = value});
}

expr expr_bool(struct exprs *exprs, bool value)
{
    return cons(
        exprs, (struct expr_node){
                   .op = EXPR_CONST, .is_bool = true, .value = value, .low = value, .high = value});
}

expr expr_var(struct exprs *exprs, uint32_t var)
{
    return expr_var_in(exprs, var, INT64_MIN, INT64_MAX);
}

expr expr_var_in(struct exprs *exprs, uint32_t var, int64_t low, int64_t high)
{
    return cons(exprs, (struct expr_node){.op = EXPR_VAR, .value = var, .low = low, .high = high});
}

expr expr_local(struct exprs *exprs, uint32_t local, int64_t low, int64_t high)
{
    return cons(exprs,
                (struct expr_node){.op = EXPR_LOCAL, .value = local, .low = low, .high = high});
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

unsigned expr_width(uint64_t value) { return value ? 64 - (unsigned)__builtin_clzll(value) : 1; }

static bool apply_exactly(enum expr_op op, int64_t a, int64_t b, int64_t *result)
{
    if (op == EXPR_ADD) return !__builtin_add_overflow(a, b, result);
    if (op == EXPR_SUB) return !__builtin_sub_overflow(a, b, result);
    if (op == EXPR_MUL) return !__builtin_mul_overflow(a, b, result);
    if (!b || (a == INT64_MIN && b == -1)) return false;
    *result = op == EXPR_DIV ? a / b : a % b;
    return true;
}

bool expr_apply(enum expr_op op, unsigned bits, int64_t a, int64_t b, int64_t *result)
{
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b, mask = expr_mask(bits);
    if (!bits && expr_table[op].has_bits) return apply_exactly(op, a, b, result);
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
    default: break;
    }
    assert(!"not an operator");
    return false;
}

/* Neutral and absorbing constants on the left never hide a failure; on the right only neutral ones
 * may go. */
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

/* x + 0, x - 0, x * 1, exactly: x. */
static bool is_neutral(const struct exprs *exprs, enum expr_op op, expr a, expr b, expr *rest)
{
    const struct expr_node *na = expr_get(exprs, a), *nb = expr_get(exprs, b);
    int64_t neutral = op == EXPR_MUL || op == EXPR_DIV;
    if (op < EXPR_ADD || op > EXPR_DIV) return false;
    if (nb->op == EXPR_CONST && nb->value == neutral) return *rest = a, true;
    return na->op == EXPR_CONST && na->value == neutral && (op == EXPR_ADD || op == EXPR_MUL)
           ? *rest = b,
             true : false;
}

/* Bounds of op(a, b), and whether it may fail by itself. */
static bool exact_bounds(const struct expr_node *a, const struct expr_node *b,
                         struct expr_node *node)
{
    bool fits = true;
    int64_t corner[4] = {0};
    const int64_t ends[2][2] = {{a->low, a->high}, {b->low, b->high}};
    node->low = INT64_MIN;
    node->high = INT64_MAX;
    if (node->op == EXPR_MOD || node->op == EXPR_DIV) {
        if (b->low <= 0 && b->high >= 0) return true;
        if (node->op == EXPR_MOD) {
            if (b->low == INT64_MIN) return true;
            int64_t most = (b->low > 0 ? b->high : -b->low) - 1;
            node->low = a->low >= 0 ? 0 : a->low > -most ? a->low : -most;
            node->high = a->high <= 0 ? 0 : a->high < most ? a->high : most;
            return a->low == INT64_MIN && b->high >= -1
                   && b->low <= -1; /* as the quotient, which does not fit */
        }
    }
    for (unsigned i = 0; i < 4; i++)
        fits &= apply_exactly(node->op, ends[0][i & 1], ends[1][i >> 1], &corner[i]);
    if (!fits) return true;
    node->low = node->high = corner[0];
    for (unsigned i = 1; i < 4; i++) {
        if (corner[i] < node->low) node->low = corner[i];
        if (corner[i] > node->high) node->high = corner[i];
    }
    return false;
}

bool expr_decided_by_bounds(enum expr_op op, const struct expr_node *a, const struct expr_node *b,
                            bool *value)
{
    if (a->may_fail || b->may_fail) return false;
    bool less = a->high<b->low, more = a->low> b->high, at_most = a->high <= b->low,
         at_least = a->low >= b->high;
    switch (op) {
    case EXPR_EQ: return *value = false, less || more;
    case EXPR_NE: return *value = true, less || more;
    case EXPR_LT: return *value = less, less || at_least;
    case EXPR_LE: return *value = at_most, at_most || more;
    case EXPR_GT: return *value = more, more || at_most;
    case EXPR_GE: return *value = at_least, at_least || less;
    default: return false;
    }
}

expr expr_make(struct exprs *exprs, enum expr_op op, unsigned bits, expr a, expr b)
{
    const struct expr_info *info = &expr_table[op];
    assert(op <= EXPR_CUT && info->arity >= 1 && info->arity <= 2);
    if (info->arity == 1) b = (expr){0};
    if (!info->has_bits) bits = 0;
    const struct expr_node *na = expr_get(exprs, a), *nb = expr_get(exprs, b);
    assert(na->is_bool == info->takes_bool && (info->arity < 2 || nb->is_bool == info->takes_bool));
    assert(bits <= EXPR_MAX_BITS && (bits || op != EXPR_CUT));
    int64_t value;
    bool decided;
    if (op == EXPR_EQ && exprs->keeps_equations)
        return cons(exprs, (struct expr_node){.op = EXPR_EQ,
                                              .is_bool = true,
                                              .a = a,
                                              .b = b,
                                              .high = 1,
                                              .may_fail = na->may_fail || nb->may_fail});
    if (is_const(exprs, a) && (info->arity < 2 || is_const(exprs, b))
        && expr_apply(op, bits, na->value, nb->value, &value))
        return info->gives_bool ? expr_bool(exprs, value) : expr_int(exprs, value);
    expr simpler;
    if (info->arity == 2 && simplify(exprs, op, a, b, &simpler)) return simpler;
    if (info->has_bits && !bits && is_neutral(exprs, op, a, b, &simpler)) return simpler;
    if (info->arity == 2 && expr_decided_by_bounds(op, na, nb, &decided))
        return expr_bool(exprs, decided);
    struct expr_node node = {
        .op = (uint8_t)op, .bits = (uint8_t)bits, .is_bool = info->gives_bool, .a = a, .b = b};
    bool fails = (op == EXPR_DIV || op == EXPR_MOD) && !(nb->op == EXPR_CONST && nb->value);
    node.high = info->gives_bool ? 1 : (int64_t)expr_mask(bits);
    if (info->has_bits && !bits) fails = exact_bounds(na, nb, &node);
    node.may_fail = fails || na->may_fail || (info->arity == 2 && nb->may_fail);
    return cons(exprs, node);
}

/* One of `count` values that stand one after the other, where `value` says. */
static expr entry_of(struct exprs *exprs, enum expr_op op, uint32_t value, expr index,
                     uint32_t count, int64_t low, int64_t high)
{
    struct expr_node node = {.op = (uint8_t)op,
                             .a = index,
                             .may_fail = expr_get(exprs, index)->may_fail,
                             .value = value,
                             .low = low,
                             .high = high};
    node.b = expr_int(exprs, count);
    return cons(exprs, node);
}

expr expr_at(struct exprs *exprs, bool local, uint32_t base, expr offset, uint32_t count,
             int64_t low, int64_t high)
{
    const struct expr_node *no = expr_get(exprs, offset);
    assert(count && !no->is_bool);
    if (no->op == EXPR_CONST) {
        assert(no->value >= 0 && no->value < count);
        uint32_t cell = base + (uint32_t)no->value;
        return local ? expr_local(exprs, cell, low, high) : expr_var_in(exprs, cell, low, high);
    }
    return entry_of(exprs, local ? EXPR_LOCAL_AT : EXPR_AT, base, offset, count, low, high);
}

expr expr_table_entry(struct exprs *exprs, uint32_t table, expr index, uint32_t count, int64_t low,
                      int64_t high)
{
    assert(count && !expr_get(exprs, index)->is_bool);
    return entry_of(exprs, EXPR_TABLE, table, index, count, low, high);
}

expr expr_choose(struct exprs *exprs, expr cond, expr yes, expr no)
{
    if (expr_is_true(exprs, cond)) return yes;
    if (expr_is_false(exprs, cond)) return no;
    const struct expr_node *nc = expr_get(exprs, cond), *ny = expr_get(exprs, yes),
                           *nn = expr_get(exprs, no);
    assert(nc->is_bool && ny->is_bool == nn->is_bool);
    if (expr_same(yes, no) && !nc->may_fail) return yes;
    struct expr_node node = {
        .op = EXPR_CHOOSE, .is_bool = ny->is_bool, .a = cond, .b = yes, .c = no};
    node.may_fail = nc->may_fail || ny->may_fail || nn->may_fail;
    /* what always fails gives no value, so its bounds do not count */
    if (ny->op == EXPR_FAIL) ny = nn;
    if (nn->op == EXPR_FAIL) nn = ny;
    node.low = ny->low < nn->low ? ny->low : nn->low;
    node.high = ny->high > nn->high ? ny->high : nn->high;
    return cons(exprs, node);
}

expr expr_within(struct exprs *exprs, expr e, int64_t low, int64_t high, enum failure reason)
{
    const struct expr_node *ne = expr_get(exprs, e);
    assert(!ne->is_bool && low <= high);
    if (ne->low >= low && ne->high <= high) return e;
    struct expr_node node = {.op = EXPR_WITHIN,
                             .bits = (uint8_t)reason,
                             .a = e,
                             .may_fail = true,
                             .low = low,
                             .high = high};
    if (ne->low > low && ne->low <= high) node.low = ne->low;
    if (ne->high < high && ne->high >= low) node.high = ne->high;
    node.b = expr_int(exprs, low);
    node.c = expr_int(exprs, high);
    return cons(exprs, node);
}

expr expr_fail(struct exprs *exprs, enum failure reason)
{
    return cons(exprs,
                (struct expr_node){.op = EXPR_FAIL, .bits = (uint8_t)reason, .may_fail = true});
}

expr expr_to_int(struct exprs *exprs, expr e)
{
    const struct expr_node *node = expr_get(exprs, e);
    if (!node->is_bool) return e;
    /* (x != 0) of a 0..1 variable is that variable again */
    if (node->op == EXPR_NE && expr_get(exprs, node->b)->op == EXPR_CONST
        && !expr_get(exprs, node->b)->value) {
        const struct expr_node *inner = expr_get(exprs, node->a);
        if (inner->low >= 0 && inner->high <= 1) return node->a;
    }
    return expr_choose(exprs, e, expr_int(exprs, 1), expr_int(exprs, 0));
}

expr expr_to_bool(struct exprs *exprs, expr e)
{
    const struct expr_node *node = expr_get(exprs, e);
    if (node->is_bool) return e;
    if (node->op == EXPR_CHOOSE && expr_get(exprs, node->b)->op == EXPR_CONST
        && expr_get(exprs, node->c)->op == EXPR_CONST && expr_get(exprs, node->b)->value == 1
        && !expr_get(exprs, node->c)->value)
        return node->a;
    return expr_make(exprs, EXPR_NE, 0, e, expr_int(exprs, 0));
}

struct walk {
    struct exprs *exprs;
    void (*visit)(void *context, uint32_t var);
    void *context;
};

/* The marks keep a shared node from being walked once per path to it, which would be
 * exponential. */
static void walk_vars(struct walk *walk, expr e)
{
    struct exprs *exprs = walk->exprs;
    if (exprs->marks.data[e.i] == exprs->walk) return;
    exprs->marks.data[e.i] = exprs->walk;
    const struct expr_node *node = expr_get(exprs, e);
    if (node->op == EXPR_VAR) walk->visit(walk->context, (uint32_t)node->value);
    if (node->op == EXPR_AT)
        for (int64_t i = 0; i < expr_get(exprs, node->b)->value; i++)
            walk->visit(walk->context, (uint32_t)(node->value + i));
    if (expr_table[node->op].arity >= 1) walk_vars(walk, node->a);
    if (expr_table[node->op].arity >= 2) walk_vars(walk, node->b);
    if (expr_table[node->op].arity >= 3) walk_vars(walk, node->c);
}

void expr_each_var(struct exprs *exprs, expr e, void (*visit)(void *context, uint32_t var),
                   void *context)
{
    while (exprs->marks.len < exprs->nodes.len) vec_push(exprs->mem, &exprs->marks, 0);
    exprs->walk++;
    struct walk walk = {exprs, visit, context};
    walk_vars(&walk, e);
}
