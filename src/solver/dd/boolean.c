#include "solver/dd/private.h"

#include <string.h>

/* The cofactors of a at a level that is not below its own. */
static inline void split(const struct dd *dd, bdd a, uint32_t level, bdd *low, bdd *high)
{
    if (dd_level_of(dd, a) != level) {
        *low = *high = a;
        return;
    }
    *low = dd->nodes[a].low;
    *high = dd->nodes[a].high;
}

static inline uint32_t min(uint32_t a, uint32_t b) { return a < b ? a : b; }

bdd dd_variable(struct dd *dd, uint32_t variable)
{
    return dd_make(dd, variable, BDD_FALSE, BDD_TRUE);
}

static bdd negate(struct dd *dd, bdd a)
{
    bdd result;
    if (a <= BDD_TRUE) return !a;
    if (dd_cache_find(dd, OP_NOT, 0, a, 0, 0, &result)) return result;
    bdd low = *dd_push(dd, negate(dd, dd->nodes[a].low));
    bdd high = negate(dd, dd->nodes[a].high);
    result = dd_make(dd, dd->nodes[a].var, low, high);
    dd_pop(dd, 1);
    return dd_cache_put(dd, OP_NOT, 0, a, 0, 0, result);
}

/* What a binary operation is without looking further; false: it must be computed. Commutative
 * operands are put in order. */
static inline bool trivial(enum dd_operation op, bdd *a, bdd *b, bdd *result)
{
    bdd x = *a, y = *b;
    switch (op) {
    case OP_AND:
        if (x == y || y == BDD_TRUE) return *result = x, true;
        if (x == BDD_TRUE) return *result = y, true;
        if (x == BDD_FALSE || y == BDD_FALSE) return *result = BDD_FALSE, true;
        break;
    case OP_OR:
        if (x == y || y == BDD_FALSE) return *result = x, true;
        if (x == BDD_FALSE) return *result = y, true;
        if (x == BDD_TRUE || y == BDD_TRUE) return *result = BDD_TRUE, true;
        break;
    case OP_XOR:
        if (x == y) return *result = BDD_FALSE, true;
        if (x == BDD_FALSE) return *result = y, true;
        if (y == BDD_FALSE) return *result = x, true;
        break;
    default: /* OP_DIFF */
        if (x == y || x == BDD_FALSE || y == BDD_TRUE) return *result = BDD_FALSE, true;
        if (y == BDD_FALSE) return *result = x, true;
        return false;
    }
    if (x > y) *a = y, *b = x;
    return false;
}

static bdd combine(struct dd *dd, enum dd_operation op, bdd a, bdd b)
{
    bdd result, a0, a1, b0, b1;
    if (trivial(op, &a, &b, &result)) return result;
    if (dd_cache_find(dd, op, 0, a, b, 0, &result)) return result;
    uint32_t level = min(dd_level_of(dd, a), dd_level_of(dd, b));
    split(dd, a, level, &a0, &a1);
    split(dd, b, level, &b0, &b1);
    bdd low = *dd_push(dd, combine(dd, op, a0, b0));
    bdd high = combine(dd, op, a1, b1);
    result = dd_make(dd, dd_var_at(dd, level), low, high);
    dd_pop(dd, 1);
    return dd_cache_put(dd, op, 0, a, b, 0, result);
}

/* Protects the operands while the operation runs. */
static bdd guarded(struct dd *dd, enum dd_operation op, bdd a, bdd b)
{
    dd_push(dd, a);
    dd_push(dd, b);
    bdd result = combine(dd, op, a, b);
    dd_pop(dd, 2);
    return result;
}

bdd dd_do_and(struct dd *dd, bdd a, bdd b) { return combine(dd, OP_AND, a, b); }
bdd dd_do_or(struct dd *dd, bdd a, bdd b) { return combine(dd, OP_OR, a, b); }
bdd dd_do_diff(struct dd *dd, bdd a, bdd b) { return combine(dd, OP_DIFF, a, b); }

bdd dd_not(struct dd *dd, bdd a)
{
    dd_push(dd, a);
    bdd result = negate(dd, a);
    dd_pop(dd, 1);
    return result;
}
bdd dd_and(struct dd *dd, bdd a, bdd b) { return guarded(dd, OP_AND, a, b); }
bdd dd_or(struct dd *dd, bdd a, bdd b) { return guarded(dd, OP_OR, a, b); }
bdd dd_diff(struct dd *dd, bdd a, bdd b) { return guarded(dd, OP_DIFF, a, b); }
bdd dd_xor(struct dd *dd, bdd a, bdd b) { return guarded(dd, OP_XOR, a, b); }

static bdd choose(struct dd *dd, bdd a, bdd b, bdd c)
{
    bdd result, a0, a1, b0, b1, c0, c1;
    if (a == BDD_TRUE || b == c) return b;
    if (a == BDD_FALSE) return c;
    if (b == BDD_TRUE && c == BDD_FALSE) return a;
    if (dd_cache_find(dd, OP_ITE, 0, a, b, c, &result)) return result;
    uint32_t level = min(dd_level_of(dd, a), min(dd_level_of(dd, b), dd_level_of(dd, c)));
    split(dd, a, level, &a0, &a1);
    split(dd, b, level, &b0, &b1);
    split(dd, c, level, &c0, &c1);
    bdd low = *dd_push(dd, choose(dd, a0, b0, c0));
    bdd high = choose(dd, a1, b1, c1);
    result = dd_make(dd, dd_var_at(dd, level), low, high);
    dd_pop(dd, 1);
    return dd_cache_put(dd, OP_ITE, 0, a, b, c, result);
}

bdd dd_ite(struct dd *dd, bdd a, bdd b, bdd c)
{
    dd_push(dd, a);
    dd_push(dd, b);
    dd_push(dd, c);
    bdd result = choose(dd, a, b, c);
    dd_pop(dd, 3);
    return result;
}

static bdd quantify(struct dd *dd, bdd a, bdd cube)
{
    bdd result;
    if (a <= BDD_TRUE) return a;
    uint32_t level = dd_level_of(dd, a);
    while (dd_level_of(dd, cube) < level) cube = dd->nodes[cube].high;
    if (cube == BDD_TRUE) return a;
    if (dd_cache_find(dd, OP_EXISTS, 0, a, cube, 0, &result)) return result;
    bdd low = *dd_push(dd, quantify(dd, dd->nodes[a].low, cube)), high = BDD_FALSE;
    bool here = dd_level_of(dd, cube) == level;
    if (!here || low != BDD_TRUE) high = quantify(dd, dd->nodes[a].high, cube);
    dd_push(dd, high);
    result = here ? combine(dd, OP_OR, low, high) : dd_make(dd, dd->nodes[a].var, low, high);
    dd_pop(dd, 2);
    return dd_cache_put(dd, OP_EXISTS, 0, a, cube, 0, result);
}

bdd dd_exists(struct dd *dd, bdd a, bdd cube)
{
    dd_push(dd, a);
    dd_push(dd, cube);
    bdd result = quantify(dd, a, cube);
    dd_pop(dd, 2);
    return result;
}

bool dd_implies(struct dd *dd, bdd a, bdd b) { return dd_diff(dd, a, b) == BDD_FALSE; }

static bdd shift(struct dd *dd, bdd a, uint32_t first, uint32_t count)
{
    bdd result;
    uint32_t tag = OP_SHIFT | count << TAG_SHIFT;
    if (a <= BDD_TRUE) return a;
    if (dd_cache_find(dd, tag, first, a, 0, 0, &result)) return result;
    uint32_t var = dd->nodes[a].var, inside = var / 2 - first < count;
    assert(!(var & 1));
    bdd low = *dd_push(dd, shift(dd, dd->nodes[a].low, first, count));
    bdd high = shift(dd, dd->nodes[a].high, first, count);
    result = dd_make(dd, var + inside, low, high);
    dd_pop(dd, 1);
    return dd_cache_put(dd, tag, first, a, 0, 0, result);
}

bdd dd_shift(struct dd *dd, bdd a, uint32_t first, uint32_t count)
{
    dd_push(dd, a);
    bdd result = shift(dd, a, first, count);
    dd_pop(dd, 1);
    return result;
}

/* ---- looking at diagrams ---- */

bool dd_eval(const struct dd *dd, bdd a, const uint8_t *values)
{
    while (a > BDD_TRUE) a = values[dd->nodes[a].var] ? dd->nodes[a].high : dd->nodes[a].low;
    return a == BDD_TRUE;
}

void dd_pick(const struct dd *dd, bdd a, uint8_t *bits)
{
    memset(bits, 0, dd->pairs);
    while (a > BDD_TRUE) {
        const struct dd_node *node = &dd->nodes[a];
        bool up = node->low == BDD_FALSE;
        bits[node->var / 2] = up;
        a = up ? node->high : node->low;
    }
    assert(a == BDD_TRUE);
}

uint32_t dd_top(const struct dd *dd, bdd a) { return dd->nodes[a].var; }
bdd dd_low(const struct dd *dd, bdd a) { return dd->nodes[a].low; }
bdd dd_high(const struct dd *dd, bdd a) { return dd->nodes[a].high; }

/* Walks every node once, with marks that a second walk takes away. */
static uint64_t walk(struct dd *dd, bdd a, uint8_t *depends)
{
    if (a <= BDD_TRUE || dd->nodes[a].var & MARK) return 0;
    if (depends) depends[dd->nodes[a].var] = 1;
    dd->nodes[a].var |= MARK;
    return 1 + walk(dd, dd->nodes[a].low, depends) + walk(dd, dd->nodes[a].high, depends);
}
static void unmark(struct dd *dd, bdd a)
{
    if (a <= BDD_TRUE || !(dd->nodes[a].var & MARK)) return;
    dd->nodes[a].var &= ~(uint32_t)MARK;
    unmark(dd, dd->nodes[a].low);
    unmark(dd, dd->nodes[a].high);
}

uint64_t dd_size(struct dd *dd, bdd a)
{
    uint64_t size = walk(dd, a, NULL);
    unmark(dd, a);
    return size;
}

/* The same with a list of variables, each once; depends[v] says which are there. */
static uint32_t walk_listing(struct dd *dd, bdd a, uint8_t *depends, uint32_t *list, uint32_t count)
{
    while (a > BDD_TRUE && !(dd->nodes[a].var & MARK)) {
        uint32_t var = dd->nodes[a].var;
        if (!depends[var]) list[count++] = var;
        depends[var] = 1;
        dd->nodes[a].var |= MARK;
        count = walk_listing(dd, dd->nodes[a].low, depends, list, count);
        a = dd->nodes[a].high;
    }
    return count;
}

uint32_t dd_list_support(struct dd *dd, bdd a, uint8_t *depends, uint32_t *list)
{
    uint32_t count = walk_listing(dd, a, depends, list, 0);
    unmark(dd, a);
    for (uint32_t i = 0; i < count; i++) depends[list[i]] = 0;
    return count;
}

void dd_support(struct dd *dd, bdd a, uint8_t *depends)
{
    memset(depends, 0, 2 * (size_t)dd->pairs);
    walk(dd, a, depends);
    unmark(dd, a);
}
