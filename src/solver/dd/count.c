/* Exact counting. Numbers have one length, long enough for 2^pairs; below[n] counts the ways from
 * node n to true over the positions from its own on.
 *
 * Many parts of one set are counted with one sweep over its levels: above the first position of a
 * part, only the number of ways to each node of the set matters, and that is the same for all
 * parts. So a part costs what lies between its own first and last level. */
#include "solver/dd/private.h"

#include <stdlib.h>
#include <string.h>

struct counting {
    struct dd *dd;
    uint32_t len;    /* words of a number */
    uint32_t *index; /* per node: its place in `below`, + 1 */
    uint64_t *below;
    uint32_t nodes, cap;
    bool stopped; /* the poll said no */
};

static uint64_t *number(const struct counting *c, uint64_t *numbers, uint32_t i)
{
    return numbers + (size_t)i * c->len;
}

/* Positions from a's on; those of constants are past the end. */
static uint32_t place(const struct counting *c, bdd a)
{
    return a <= BDD_TRUE ? c->dd->pairs : dd_position_of(c->dd, a);
}

/* to += the ways from `a` to true, over the positions from `from` on. */
static void add_below(const struct counting *c, uint64_t *to, bdd a, uint32_t from)
{
    if (a == BDD_FALSE) return;
    if (a == BDD_TRUE) {
        uint32_t exponent = c->dd->pairs - from;
        uint64_t *word = to + exponent / 64, add = UINT64_C(1) << exponent % 64;
        for (uint32_t i = exponent / 64; i < c->len; i++, word++, add = 1) {
            *word += add;
            if (*word >= add) break;
        }
        return;
    }
    natural_add_shifted(to, number(c, c->below, c->index[a] - 1), place(c, a) - from, c->len);
}

static bool count_node(struct counting *c, bdd a)
{
    struct dd *dd = c->dd;
    if (a <= BDD_TRUE || c->index[a]) return true;
    if (!count_node(c, dd->nodes[a].low) || !count_node(c, dd->nodes[a].high)) return false;
    if (c->nodes == c->cap) {
        uint32_t cap = c->cap ? 2 * c->cap : 256;
        uint64_t *below = mem_try_resize(dd->mem, c->below, (size_t)cap * c->len * sizeof *below);
        if (!below) return false;
        c->below = below;
        c->cap = cap;
    }
    uint64_t *to = number(c, c->below, c->nodes);
    memset(to, 0, c->len * sizeof *to);
    uint32_t here = dd_position_of(dd, a);
    add_below(c, to, dd->nodes[a].low, here + 1);
    add_below(c, to, dd->nodes[a].high, here + 1);
    c->index[a] = ++c->nodes;
    return true;
}

static bool start(struct counting *c, struct dd *dd, bdd set)
{
    *c = (struct counting){.dd = dd, .len = dd->pairs / 64 + 2};
    c->index = mem_try_alloc(dd->mem, dd->capacity * sizeof *c->index);
    return c->index && count_node(c, set);
}

static void finish(struct counting *c)
{
    mem_free(c->dd->mem, c->index);
    mem_free(c->dd->mem, c->below);
}

/* The pairs that are not counted are not mentioned either: each has doubled the number. */
static bool deliver(const struct counting *c, const uint64_t *words, uint32_t bits,
                    struct natural *count)
{
    uint32_t shift = c->dd->pairs - bits, skip = shift / 64, left = shift % 64;
    count->words = mem_try_alloc(c->dd->mem, c->len * sizeof *count->words);
    if (!count->words) return false;
    count->len = c->len;
    for (uint32_t i = skip; i < c->len; i++) {
        count->words[i - skip] = words[i] >> left;
        if (left && i + 1 < c->len) count->words[i - skip] |= words[i + 1] << (64 - left);
    }
    while (count->len > 1 && !count->words[count->len - 1]) count->len--;
    return true;
}

bool dd_count(struct dd *dd, bdd set, uint32_t bits, struct natural *count)
{
    struct counting c;
    bool good = start(&c, dd, set);
    uint64_t *words = good ? mem_try_alloc(dd->mem, c.len * sizeof *words) : NULL;
    if (words) add_below(&c, words, set, 0);
    good = words && deliver(&c, words, bits, count);
    mem_free(dd->mem, words);
    finish(&c);
    return good;
}

/* ---- parts ---- */

/* The nodes of the set that are reached from above a position, each with the number of ways to
 * it. */
struct cut {
    bdd *nodes;
    uint64_t *ways;
    uint32_t count, cap;
    uint32_t *slot; /* per node: its place here, + 1 */
};

static bool cut_add(struct counting *c, struct cut *cut, bdd a, const uint64_t *ways)
{
    struct mem *mem = c->dd->mem;
    if (a == BDD_FALSE) return true;
    if (!cut->slot[a]) {
        if (cut->count == cut->cap) {
            uint32_t cap = cut->cap ? 2 * cut->cap : 64;
            bdd *nodes = mem_try_resize(mem, cut->nodes, cap * sizeof *nodes);
            if (nodes) cut->nodes = nodes;
            uint64_t *moved = mem_try_resize(mem, cut->ways, (size_t)cap * c->len * sizeof *moved);
            if (moved) cut->ways = moved;
            if (!nodes || !moved) return false;
            cut->cap = cap;
        }
        memset(number(c, cut->ways, cut->count), 0, c->len * sizeof *cut->ways);
        cut->nodes[cut->count++] = a;
        cut->slot[a] = cut->count;
    }
    natural_add(number(c, cut->ways, cut->slot[a] - 1), ways, c->len);
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
        bool here = place(c, a) == k;
        const uint64_t *ways = number(c, from->ways, i);
        good = cut_add(c, to, here ? dd->nodes[a].low : a, ways)
               && cut_add(c, to, here ? dd->nodes[a].high : a, ways);
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

static bool pairing_grow(struct pairing *p)
{
    struct mem *mem = p->c->dd->mem;
    uint32_t cap = p->cap ? 2 * p->cap : 128;
    uint64_t *keys = mem_try_resize(mem, p->keys, cap * sizeof *keys);
    if (keys) p->keys = keys;
    uint64_t *values = mem_try_resize(mem, p->values, (size_t)cap * p->c->len * sizeof *values);
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
        uint32_t at = (uint32_t)(keys[i] * UINT64_C(0x9E3779B97F4A7C15) >> 40) & (p->size - 1);
        while (slots[at]) at = (at + 1) & (p->size - 1);
        slots[at] = i + 1;
    }
    return true;
}

static uint32_t pairing_find(const struct pairing *p, uint64_t key, uint32_t *at)
{
    *at = (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 40) & (p->size - 1);
    while (p->slots[*at] && p->keys[p->slots[*at] - 1] != key) *at = (*at + 1) & (p->size - 1);
    return p->slots[*at];
}

static uint32_t lower(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* The place, + 1, of the number of elements of set & part over the positions from the first of both
 * on; 0: refused. The set is not empty, the part is no constant. */
static uint32_t pair_up(struct pairing *p, bdd set, bdd part)
{
    struct counting *c = p->c;
    struct dd *dd = c->dd;
    uint64_t key = (uint64_t)set << 32 | part;
    uint32_t at, known = pairing_find(p, key, &at), k = lower(place(c, set), place(c, part));
    if (known) return known;
    bdd s[2] = {set, set}, g[2] = {part, part};
    if (place(c, set) == k) s[0] = dd->nodes[set].low, s[1] = dd->nodes[set].high;
    if (place(c, part) == k) g[0] = dd->nodes[part].low, g[1] = dd->nodes[part].high;
    uint32_t sub[2] = {0, 0};
    for (unsigned i = 0; i < 2; i++) {
        if (s[i] == BDD_FALSE || g[i] <= BDD_TRUE) continue;
        if (!(sub[i] = pair_up(p, s[i], g[i]))) return 0;
    }
    if (p->count == p->cap && !pairing_grow(p)) return 0;
    uint64_t *to = number(c, p->values, p->count);
    memset(to, 0, c->len * sizeof *to);
    for (unsigned i = 0; i < 2; i++) {
        if (sub[i])
            natural_add_shifted(to, number(c, p->values, sub[i] - 1),
                                lower(place(c, s[i]), place(c, g[i])) - k - 1, c->len);
        else if (g[i] == BDD_TRUE) add_below(c, to, s[i], k + 1);
    }
    pairing_find(p, key, &at);
    p->keys[p->count] = key;
    return p->slots[at] = ++p->count;
}

static bool count_part(struct counting *c, const struct cut *cut, bdd part, uint32_t k,
                       uint64_t *total, uint64_t *scratch)
{
    struct pairing p = {.c = c};
    bool good = pairing_grow(&p);
    for (uint32_t i = 0; i < cut->count && good; i++) {
        if (i % 256 == 0 && c->dd->poll && !c->dd->poll(c->dd->poll_context)) {
            c->stopped = true;
            good = false;
            break;
        }
        memset(scratch, 0, c->len * sizeof *scratch);
        uint32_t sub = pair_up(&p, cut->nodes[i], part);
        good = sub;
        if (!good) break;
        natural_add_shifted(scratch, number(c, p.values, sub - 1),
                            lower(place(c, cut->nodes[i]), place(c, part)) - k, c->len);
        natural_add_product(total, number(c, cut->ways, i), scratch, c->len);
    }
    mem_free(c->dd->mem, p.keys);
    mem_free(c->dd->mem, p.values);
    mem_free(c->dd->mem, p.slots);
    return good;
}

struct order_entry {
    uint32_t place, part;
};
static int compare_entries(const void *a, const void *b)
{
    const struct order_entry *x = a, *y = b;
    return x->place != y->place ? (x->place > y->place) - (x->place < y->place)
                                : (x->part > y->part) - (x->part < y->part);
}

bool dd_count_parts(struct dd *dd, bdd base, const bdd *parts, uint32_t part_count, uint32_t bits,
                    struct natural *counts)
{
    struct counting c;
    bool good = start(&c, dd, base);
    struct order_entry *order = mem_try_alloc(dd->mem, (part_count + 1) * sizeof *order);
    uint64_t *words = mem_try_alloc(dd->mem, 3 * (size_t)c.len * sizeof *words);
    struct cut cuts[2] = {{.slot = mem_try_alloc(dd->mem, dd->capacity * sizeof(uint32_t))}};
    good = good && order && words && cuts[0].slot;
    for (uint32_t i = 0; good && i < part_count; i++)
        order[i] = (struct order_entry){place(&c, parts[i]), i};
    if (good) qsort(order, part_count, sizeof *order, compare_entries);
    uint32_t k = 0, which = 0, done = 0;
    if (good) {
        words[0] = 1;
        good = cut_add(&c, &cuts[0], base, words);
    }
    for (; good && done < part_count; done++) {
        bdd part = parts[order[done].part];
        uint64_t *total = words, *scratch = words + c.len;
        memset(total, 0, c.len * sizeof *total);
        if (part == BDD_TRUE) add_below(&c, total, base, 0);
        if (part > BDD_TRUE) {
            for (; good && k < order[done].place; k++, which ^= 1)
                good = cut_advance(&c, &cuts[which], &cuts[!which], k);
            good = good && count_part(&c, &cuts[which], part, k, total, scratch);
        }
        good = good && deliver(&c, total, bits, &counts[order[done].part]);
        if (!good) break;
    }
    while (!good && done-- > 0) natural_free(dd->mem, &counts[order[done].part]);
    finish(&c);
    mem_free(dd->mem, words);
    mem_free(dd->mem, cuts[0].nodes);
    mem_free(dd->mem, cuts[0].ways);
    mem_free(dd->mem, cuts[1].nodes);
    mem_free(dd->mem, cuts[1].ways);
    mem_free(dd->mem, cuts[which].slot);
    mem_free(dd->mem, order);
    if (c.stopped) dd_give_up(dd, DD_STOPPED);
    return good;
}
