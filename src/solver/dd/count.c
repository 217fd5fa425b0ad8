/* Counting of many parts of one set, in 64 bits: what does not fit is UINT64_MAX. Sums, products
 * and powers of two of natural numbers that are cut so are right as long as the true ones fit.
 *
 * All parts are counted with one sweep over the levels of the set: above the first position of a
 * part, only the number of ways to each node of the set matters, and that is the same for all
 * parts. So a part costs what lies between its own first and last level. */
#include "solver/dd/private.h"

#include <stdlib.h>
#include <string.h>

static uint64_t sum(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t result;
    return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

static uint64_t doubled(uint64_t a, uint32_t how_often)
{
    if (!a || !how_often) return a;
    return how_often >= 64 || a >> (64 - how_often) ? UINT64_MAX : a << how_often;
}

uint32_t *dd_list_counted(struct dd *dd, uint32_t bits)
{
    uint32_t *counted = mem_try_alloc(dd->mem, ((size_t)dd->pairs + 1) * sizeof *counted);
    if (!counted) return NULL;
    for (uint32_t k = 0; k < dd->pairs; k++) counted[k + 1] = counted[k] + (dd->pair_at[k] < bits);
    return counted;
}

struct counting {
    struct dd *dd;
    uint32_t *counted; /* per position: the pairs before it that are counted */
    uint64_t *below; /* per node: its ways to true over the positions from its own on; 0: not yet */
    bool stopped;    /* the poll said no */
};

/* Positions from a's on; those of constants are past the end. */
static uint32_t place(const struct counting *c, bdd a)
{
    return a <= BDD_TRUE ? c->dd->pairs : dd_position_of(c->dd, a);
}

/* The ways from `a` to true, over the positions from `from` on. */
static uint64_t ways_below(const struct counting *c, bdd a, uint32_t from)
{
    if (a == BDD_FALSE) return 0;
    return doubled(a == BDD_TRUE ? 1 : c->below[a], c->counted[place(c, a)] - c->counted[from]);
}

static void count_node(struct counting *c, bdd a)
{
    if (a <= BDD_TRUE || c->below[a]) return;
    const struct dd_node *node = &c->dd->nodes[a];
    uint32_t next = dd_position_of(c->dd, a) + 1;
    count_node(c, node->low);
    count_node(c, node->high);
    c->below[a] = sum(ways_below(c, node->low, next), ways_below(c, node->high, next));
}

/* The nodes of the set that are reached from above a position, each with the number of ways to
 * it. */
struct cut {
    bdd *nodes;
    uint64_t *ways;
    uint32_t count, cap;
    uint32_t *slot; /* per node: its place here, + 1 */
};

static bool cut_add(struct counting *c, struct cut *cut, bdd a, uint64_t ways)
{
    struct mem *mem = c->dd->mem;
    if (a == BDD_FALSE) return true;
    if (!cut->slot[a]) {
        if (cut->count == cut->cap) {
            uint32_t cap = cut->cap ? 2 * cut->cap : 64;
            bdd *nodes = mem_try_resize(mem, cut->nodes, cap * sizeof *nodes);
            if (nodes) cut->nodes = nodes;
            uint64_t *moved = mem_try_resize(mem, cut->ways, cap * sizeof *moved);
            if (moved) cut->ways = moved;
            if (!nodes || !moved) return false;
            cut->cap = cap;
        }
        cut->ways[cut->count] = 0;
        cut->nodes[cut->count++] = a;
        cut->slot[a] = cut->count;
    }
    cut->ways[cut->slot[a] - 1] = sum(cut->ways[cut->slot[a] - 1], ways);
    return true;
}

/* From the cut above position k to the one above k + 1. */
static bool cut_advance(struct counting *c, struct cut *from, struct cut *to, uint32_t k)
{
    struct dd *dd = c->dd;
    bool good = true;
    for (uint32_t i = 0; i < from->count; i++) from->slot[from->nodes[i]] = 0;
    to->slot = from->slot;
    to->count = 0;
    for (uint32_t i = 0; i < from->count && good; i++) {
        bdd a = from->nodes[i];
        uint64_t ways = from->ways[i];
        if (place(c, a) == k)
            good =
                cut_add(c, to, dd->nodes[a].low, ways) && cut_add(c, to, dd->nodes[a].high, ways);
        else good = cut_add(c, to, a, doubled(ways, c->counted[k + 1] - c->counted[k]));
    }
    return good;
}

/* Products of a node of the set and one of the part. */
struct pairing {
    struct counting *c;
    uint64_t *keys, *values;
    uint32_t *slots;
    uint32_t count, cap, size;
};

static uint32_t pairing_slot(const struct pairing *p, uint64_t key)
{
    return (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (p->size - 1);
}

static bool pairing_grow(struct pairing *p)
{
    struct mem *mem = p->c->dd->mem;
    uint32_t cap = p->cap ? 2 * p->cap : 128;
    uint64_t *keys = mem_try_resize(mem, p->keys, cap * sizeof *keys);
    if (keys) p->keys = keys;
    uint64_t *values = mem_try_resize(mem, p->values, cap * sizeof *values);
    if (values) p->values = values;
    uint32_t *slots = mem_try_alloc(mem, 2 * (size_t)cap * sizeof *slots);
    if (!keys || !values || !slots) {
        mem_free(mem, slots);
        return false;
    }
    mem_free(mem, p->slots);
    p->slots = slots;
    p->cap = cap;
    p->size = 2 * cap;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t at = pairing_slot(p, keys[i]);
        while (slots[at]) at = (at + 1) & (p->size - 1);
        slots[at] = i + 1;
    }
    return true;
}

static uint32_t pairing_find(const struct pairing *p, uint64_t key, uint32_t *at)
{
    *at = pairing_slot(p, key);
    while (p->slots[*at] && p->keys[p->slots[*at] - 1] != key) *at = (*at + 1) & (p->size - 1);
    return p->slots[*at];
}

/* For the next part. What is left of a large one would be slow to clear for each small one. */
static bool pairing_clear(struct pairing *p)
{
    enum { LARGE = 1 << 12 };
    struct mem *mem = p->c->dd->mem;
    p->count = 0;
    if (p->cap && p->cap <= LARGE) {
        memset(p->slots, 0, p->size * sizeof *p->slots);
        return true;
    }
    mem_free(mem, p->slots);
    p->slots = NULL;
    p->cap = 0;
    return pairing_grow(p);
}

static uint32_t lower(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* The place, + 1, of the number of elements of set & part over the positions from the first of both
 * on; 0: refused. The set is not empty, the part is no constant. */
static uint32_t pair_up(struct pairing *p, bdd set, bdd part)
{
    struct counting *c = p->c;
    struct dd *dd = c->dd;
    uint64_t key = (uint64_t)set << 32 | part, total = 0;
    uint32_t at, known = pairing_find(p, key, &at), k = lower(place(c, set), place(c, part));
    if (known) return known;
    bdd s[2] = {set, set}, g[2] = {part, part};
    if (place(c, set) == k) s[0] = dd->nodes[set].low, s[1] = dd->nodes[set].high;
    if (place(c, part) == k) g[0] = dd->nodes[part].low, g[1] = dd->nodes[part].high;
    for (unsigned i = 0; i < 2; i++) {
        if (s[i] == BDD_FALSE || g[i] == BDD_FALSE) continue;
        if (g[i] == BDD_TRUE) {
            total = sum(total, ways_below(c, s[i], k + 1));
            continue;
        }
        uint32_t sub = pair_up(p, s[i], g[i]), first = lower(place(c, s[i]), place(c, g[i]));
        if (!sub) return 0;
        total = sum(total, doubled(p->values[sub - 1], c->counted[first] - c->counted[k + 1]));
    }
    if (p->count == p->cap && !pairing_grow(p)) return 0;
    pairing_find(p, key, &at);
    p->keys[p->count] = key;
    p->values[p->count] = total;
    return p->slots[at] = ++p->count;
}

static bool count_part(struct pairing *p, const struct cut *cut, bdd part, uint32_t k,
                       uint64_t *total)
{
    struct counting *c = p->c;
    if (!pairing_clear(p)) return false;
    for (uint32_t i = 0; i < cut->count; i++) {
        if (i % 256 == 0 && c->dd->poll && !c->dd->poll(c->dd->poll_context)) {
            c->stopped = true;
            return false;
        }
        uint32_t sub = pair_up(p, cut->nodes[i], part),
                 first = lower(place(c, cut->nodes[i]), place(c, part));
        if (!sub) return false;
        uint64_t here = doubled(p->values[sub - 1], c->counted[first] - c->counted[k]);
        *total = sum(*total, times(cut->ways[i], here));
    }
    return true;
}

static int compare_entries(const void *a, const void *b)
{
    const struct dd_part *x = a, *y = b;
    return x->level != y->level ? (x->level > y->level) - (x->level < y->level)
                                : (x->part > y->part) - (x->part < y->part);
}

struct dd_part *dd_sort_parts(struct dd *dd, const bdd *parts, uint32_t count)
{
    struct dd_part *list = mem_try_alloc(dd->mem, ((size_t)count + 1) * sizeof *list);
    for (uint32_t i = 0; list && i < count; i++)
        list[i] = (struct dd_part){parts[i] <= BDD_TRUE ? 0 : dd_level_of(dd, parts[i]), i};
    if (list) qsort(list, count, sizeof *list, compare_entries);
    return list;
}

bool dd_count_parts(struct dd *dd, bdd base, const bdd *parts, uint32_t part_count, uint32_t bits,
                    uint64_t *counts)
{
    struct counting c = {.dd = dd,
                         .counted = dd_list_counted(dd, bits),
                         .below = mem_try_alloc(dd->mem, dd->capacity * sizeof *c.below)};
    struct dd_part *list = dd_sort_parts(dd, parts, part_count);
    struct cut cuts[2] = {{.slot = mem_try_alloc(dd->mem, dd->capacity * sizeof(uint32_t))}};
    struct pairing pairing = {.c = &c};
    bool good = c.counted && c.below && list && cuts[0].slot && cut_add(&c, &cuts[0], base, 1);
    if (good) count_node(&c, base);
    for (uint32_t i = 0, k = 0, which = 0; good && i < part_count; i++) {
        bdd part = parts[list[i].part];
        uint64_t total = part == BDD_TRUE ? ways_below(&c, base, 0) : 0;
        if (part > BDD_TRUE) {
            for (; good && k < list[i].level / 2; k++, which ^= 1)
                good = cut_advance(&c, &cuts[which], &cuts[!which], k);
            good = good && count_part(&pairing, &cuts[which], part, k, &total);
        }
        counts[list[i].part] = total;
    }
    mem_free(dd->mem, pairing.keys);
    mem_free(dd->mem, pairing.values);
    mem_free(dd->mem, pairing.slots);
    mem_free(dd->mem, c.counted);
    mem_free(dd->mem, c.below);
    mem_free(dd->mem, cuts[0].nodes);
    mem_free(dd->mem, cuts[0].ways);
    mem_free(dd->mem, cuts[1].nodes);
    mem_free(dd->mem, cuts[1].ways);
    mem_free(dd->mem, cuts[0].slot);
    mem_free(dd->mem, list);
    if (c.stopped) dd_give_up(dd, DD_STOPPED);
    return good;
}
