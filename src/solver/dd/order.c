/* Sifting (Rudell 1993) of whole pairs: each pair in turn is moved through the order by exchanging
 * neighbours, and left where the table was smallest. Exchanging two levels changes nodes in place,
 * so handles keep their meaning. While it runs, nodes have reference counts, so that sizes are
 * exact and dead nodes are gone at once. */
#include "solver/dd/private.h"

#include <string.h>

struct sifting {
    struct dd *dd;
    uint32_t
        *counts; /* references to each node; protected diagrams have one more for each protection */
    uint32_t counts_size;
    uint64_t work, budget; /* nodes and chains looked at; when to stop */
    bool stuck;            /* there was no room for an exchange */
    bool over;             /* time is up, or somebody asked for an end */
};

static void refer(struct sifting *s, bdd a)
{
    if (a > BDD_TRUE) s->counts[a]++;
}

static void unlink_node(struct dd *dd, uint32_t n)
{
    struct dd_subtable *table = &dd->tables[dd->nodes[n].var];
    uint32_t *link = &table->heads[dd_subtable_slot(table, dd->nodes[n].low, dd->nodes[n].high)];
    while (*link != n) {
        assert(*link); /* 2: it is in its chain */
        link = &dd->nodes[*link].next;
    }
    *link = dd->nodes[n].next;
    table->count--;
}

static void link_node(struct dd *dd, uint32_t n)
{
    struct dd_subtable *table = &dd->tables[dd->nodes[n].var];
    uint32_t slot = dd_subtable_slot(table, dd->nodes[n].low, dd->nodes[n].high);
    dd->nodes[n].next = table->heads[slot];
    table->heads[slot] = n;
    table->count++;
}

static void unrefer(struct sifting *s, bdd a)
{
    while (a > BDD_TRUE && --s->counts[a] == 0) {
        bdd low = s->dd->nodes[a].low, high = s->dd->nodes[a].high;
        assert(s->dd->nodes[a].var != FREE_VAR); /* what nobody refers to goes once */
        unlink_node(s->dd, a);
        dd_give_node(s->dd, a);
        unrefer(s, low);
        a = high;
    }
}

/* The node (var, low, high) with one more reference. There is room: exchange made sure. */
static bdd find(struct sifting *s, uint32_t var, bdd low, bdd high)
{
    struct dd *dd = s->dd;
    struct dd_subtable *table = &dd->tables[var];
    if (low == high) return refer(s, low), low;
    for (uint32_t n = table->heads[dd_subtable_slot(table, low, high)]; n; n = dd->nodes[n].next)
        if (dd->nodes[n].low == low && dd->nodes[n].high == high) return refer(s, n), n;
    uint32_t n = dd_take_node(dd);
    assert(n && n < s->counts_size);
    s->counts[n] = 1;
    refer(s, low);
    refer(s, high);
    dd->nodes[n] = (struct dd_node){var, low, high, NIL};
    if (table->count >= 2 * table->size) dd_grow_subtable(dd, table);
    link_node(dd, n);
    return n;
}

static bool has_room(struct sifting *s, uint32_t wanted)
{
    struct dd *dd = s->dd;
    if (!dd_make_room(dd, wanted)) return false;
    if (dd->capacity <= s->counts_size) return true;
    uint32_t *counts = mem_try_resize(dd->mem, s->counts, (size_t)dd->capacity * sizeof *counts);
    if (!counts) return false;
    memset(counts + s->counts_size, 0, (size_t)(dd->capacity - s->counts_size) * sizeof *counts);
    s->counts = counts;
    s->counts_size = dd->capacity;
    return true;
}

/* Turns a node that tests x and then y into one that tests y and then x. It keeps its number. */
static void turn(struct sifting *s, uint32_t n, uint32_t x, uint32_t y)
{
    struct dd *dd = s->dd;
    bdd f0 = dd->nodes[n].low, f1 = dd->nodes[n].high, f[2][2];
    bool y0 = f0 > BDD_TRUE && dd->nodes[f0].var == y, y1 = f1 > BDD_TRUE && dd->nodes[f1].var == y;
    f[0][0] = y0 ? dd->nodes[f0].low : f0, f[0][1] = y0 ? dd->nodes[f0].high : f0;
    f[1][0] = y1 ? dd->nodes[f1].low : f1, f[1][1] = y1 ? dd->nodes[f1].high : f1;
    assert(dd->nodes[n].var == x && (y0 || y1));
    bdd low = find(s, x, f[0][0], f[1][0]), high = find(s, x, f[0][1], f[1][1]);
    assert(low != high); /* 1: it depends on y */
    dd->nodes[n] = (struct dd_node){y, low, high, NIL};
    link_node(dd, n);
    unrefer(s, f0);
    unrefer(s, f1);
}

/* Exchanges a level with the one below. False: there is no room, and nothing has changed. */
static bool exchange(struct sifting *s, uint32_t x, uint32_t y)
{
    struct dd *dd = s->dd;
    struct dd_subtable *table = &dd->tables[x];
    if (!table->count) return true;
    if (!has_room(s, 2 * table->count + 2)) return false;
    s->work += table->size + table->count;
    uint32_t list = NIL; /* nodes of x that depend on y, taken out of x's table, through `next` */
    for (uint32_t i = 0; i < table->size; i++) {
        uint32_t *link = &table->heads[i];
        while (*link) {
            struct dd_node *node = &dd->nodes[*link];
            uint32_t n = *link;
            bool depends = (node->low > BDD_TRUE && dd->nodes[node->low].var == y)
                           || (node->high > BDD_TRUE && dd->nodes[node->high].var == y);
            if (!depends) {
                link = &node->next;
                continue;
            }
            *link = node->next;
            table->count--;
            node->next = list;
            list = n;
        }
    }
    for (uint32_t next; list; list = next) {
        next = dd->nodes[list].next;
        turn(s, list, x, y);
    }
    return true;
}

/* Exchanges the pairs at positions k and k + 1: a a' b b' -> b b' a a'. The positions are set when
 * all four exchanges are done; in between only variables matter. There is room for all of it, or it
 * is not begun. */
static bool exchange_pairs(struct sifting *s, uint32_t k)
{
    struct dd *dd = s->dd;
    uint32_t a = dd->pair_at[k], b = dd->pair_at[k + 1];
    uint64_t here = (uint64_t)dd->tables[2 * a].count + dd->tables[2 * a + 1].count
                    + dd->tables[2 * b].count + dd->tables[2 * b + 1].count;
    uint64_t room = 10 * here + 64; /* an exchange adds at most two nodes for each upper one, so
                                       four add at most eight for each */
    if (room > MARK || !has_room(s, (uint32_t)room)) return false;
    bool good = exchange(s, 2 * a + 1, 2 * b) && exchange(s, 2 * a, 2 * b)
                && exchange(s, 2 * a + 1, 2 * b + 1) && exchange(s, 2 * a, 2 * b + 1);
    assert(good);
    (void)good;
    dd->pair_at[k] = b;
    dd->pair_at[k + 1] = a;
    dd->place[b] = k;
    dd->place[a] = k + 1;
    return true;
}

/* Moves a pair to a position; false when stuck on the way. */
static bool move(struct sifting *s, uint32_t pair, uint32_t to)
{
    struct dd *dd = s->dd;
    while (dd->place[pair] < to)
        if (!exchange_pairs(s, dd->place[pair])) return false;
    while (dd->place[pair] > to)
        if (!exchange_pairs(s, dd->place[pair] - 1)) return false;
    return true;
}

/* Whether it should end: every order is a good one, and the next operation will see why. */
static bool is_over(struct sifting *s)
{
    const struct dd *dd = s->dd;
    s->over = s->over || mem_enough(dd->mem) || (dd->poll && !dd->poll(dd->poll_context));
    return s->over;
}

/* Goes step by step towards one end as long as the table does not grow too much; remembers the best
 * position. */
static void explore(struct sifting *s, uint32_t pair, uint32_t end, uint32_t *best,
                    uint32_t *best_size)
{
    struct dd *dd = s->dd;
    while (dd->place[pair] != end && !s->stuck && s->work < s->budget && !is_over(s)) {
        uint32_t to = dd->place[pair] < end ? dd->place[pair] + 1 : dd->place[pair] - 1;
        if (!move(s, pair, to)) {
            s->stuck = true;
            return;
        }
        if (dd->in_use < *best_size) {
            *best_size = dd->in_use;
            *best = to;
        } else if (dd->in_use > *best_size + *best_size / 5 + 64) {
            return;
        }
    }
}

static void sift(struct sifting *s, uint32_t pair)
{
    struct dd *dd = s->dd;
    uint32_t best = dd->place[pair], best_size = dd->in_use, last = dd->pairs - 1;
    bool down_first = best > last / 2;
    explore(s, pair, down_first ? last : 0, &best, &best_size);
    explore(s, pair, down_first ? 0 : last, &best, &best_size);
    if (!s->over && !move(s, pair, best)) s->stuck = true;
}

/* Relations are compared by `version`, saturation by positions: nothing that was cached
 * survives. */
static void finish(struct dd *dd)
{
    dd->version++;
    dd->reorderings++;
    dd_forget_cache(dd);
}

static void count_references(struct sifting *s)
{
    struct dd *dd = s->dd;
    for (uint32_t v = 0; v < 2 * dd->pairs; v++)
        for (uint32_t i = 0; i < dd->tables[v].size; i++)
            for (uint32_t n = dd->tables[v].heads[i]; n; n = dd->nodes[n].next)
                refer(s, dd->nodes[n].low), refer(s, dd->nodes[n].high);
    for (uint32_t i = 0; i < dd->top; i++) refer(s, dd->stack[i]);
    for (uint32_t i = 0; i < dd->array_count; i++)
        for (uint32_t j = 0; j < dd->arrays[i].count; j++) refer(s, dd->arrays[i].data[j]);
}

/* Pairs by the number of their nodes, largest first. */
static void sort_pairs(const struct dd *dd, uint32_t *list)
{
    for (uint32_t gap = dd->pairs / 2 ? dd->pairs / 2 : 1; gap;
         gap = gap > 2 ? gap * 5 / 11 : gap - 1)
        for (uint32_t i = gap; i < dd->pairs; i++) {
            uint32_t pair = list[i],
                     size = dd->tables[2 * pair].count + dd->tables[2 * pair + 1].count, j = i;
            for (; j >= gap
                   && dd->tables[2 * list[j - gap]].count + dd->tables[2 * list[j - gap] + 1].count
                          < size;
                 j -= gap)
                list[j] = list[j - gap];
            list[j] = pair;
        }
}

bool dd_reorder(struct dd *dd)
{
    /* thousands of pairs would take minutes, mostly in vain */
    enum { MAX_SIFTED = 2000, WORK_PER_NODE = 1000, WORK_AT_LEAST = 100000000 };
    CHECKED(!dd_check_nodes(dd)); /* what is wrong before might be gone after exchanges */
    dd_collect(dd);
    struct sifting s = {.dd = dd,
                        .counts_size = dd->capacity,
                        .budget = WORK_AT_LEAST + (uint64_t)WORK_PER_NODE * dd->in_use};
    s.counts = mem_try_alloc(dd->mem, (size_t)dd->capacity * sizeof *s.counts);
    uint32_t *list = mem_try_alloc(dd->mem, (dd->pairs + 1) * sizeof *list), before = dd->in_use;
    if (s.counts && list) {
        count_references(&s);
        for (uint32_t p = 0; p < dd->pairs; p++) list[p] = p;
        sort_pairs(dd, list);
        for (uint32_t i = 0; i < dd->pairs && i < MAX_SIFTED && !s.stuck && s.work < s.budget;
             i++) {
            if (dd->tables[2 * list[i]].count + dd->tables[2 * list[i] + 1].count == 0) break;
            if (is_over(&s)) break;
            sift(&s, list[i]);
        }
        finish(dd);
    }
    bool tried = s.counts && list && !s.stuck;
    mem_free(dd->mem, s.counts);
    mem_free(dd->mem, list);
    CHECKED(!dd_check_nodes(dd));
    dd->due = false;
    dd->live = dd->in_use;
    uint32_t base = dd->in_use > before / 2 ? dd->in_use : before / 2;
    if (dd->threshold < 2 * base) dd->threshold = base < MARK / 4 ? 2 * base + 1000 : MARK;
    else dd->threshold += dd->threshold / 2;
    return tried || dd->in_use < before - before / 8;
}
