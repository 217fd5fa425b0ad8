/* Exact counts of any size: the elements of a set, or of all its parts together, from the first
 * level to the last.
 *
 * An entry stands for all ways that lead to a node of the set and a node of a part: how many there
 * are is its number. At its position (the first one at which either has a node) it is replaced by
 * entries for what lies below, to which its number is added. An entry that has chosen no part yet
 * (NONE) also stops where parts begin, and leads to one more entry for each of these. So there are
 * only sums of numbers, and only as many of them at a time as the levels are wide: what counts from
 * below, node by node, keeps a number of thousands of bits for each node of a wide model.
 *
 * Parts that are about everything make many entries: when there are too many, half of the parts
 * are counted at a time. */
#include "solver/dd/private.h"

#include <string.h>

#ifdef CAIRN_DEGENERATE
enum { FIRST_ENTRIES = 4, SPLIT_WORDS = 40 };
#else
enum { FIRST_ENTRIES = 64, SPLIT_WORDS = 4 << 20 };
#endif
enum { NONE = BDD_FALSE, ALL = BDD_TRUE };

struct entry {
    bdd set, part; /* the part: NONE, ALL (it is certain), or a node */
    uint32_t stop; /* its position: with NONE it can be one of two */
    uint32_t next; /* at this position; of free ones */
    uint32_t chain;
};

struct sweep {
    struct dd *dd;
    const uint32_t *counted; /* per position: the pairs before it that are counted */
    uint32_t len;            /* words of a number */
    struct entry *entries;   /* 0 is none */
    uint64_t *numbers;
    uint32_t used, cap, free;
    uint32_t *heads; /* per position: its entries */
    uint32_t *slots; /* a hash table of chains, as many as `cap` */
    uint32_t *first; /* per position: the first of the sorted parts; one more entry ends the last */
    uint32_t *busy;  /* per position: the next one, from there on, at which a part begins */
    uint64_t *total;
    uint64_t work;
    bool refused, stopped, too_wide;
};

static uint64_t *number(const struct sweep *s, uint32_t i)
{
    return s->numbers + (size_t)i * s->len;
}

/* Words of a number at a position: as many ways as there are states above, times parts. */
static uint32_t words_at(const struct sweep *s, uint32_t position)
{
    uint32_t words = (s->counted[position] + 32) / 64 + 1;
    return words < s->len ? words : s->len;
}

static uint32_t slot_of(const struct sweep *s, bdd set, bdd part)
{
    uint64_t h = ((uint64_t)set << 32 | part) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(h >> 32) & (s->cap - 1);
}

static bool grow(struct sweep *s)
{
    struct mem *mem = s->dd->mem;
    uint32_t cap = s->cap ? 2 * s->cap : FIRST_ENTRIES;
    struct entry *entries = mem_try_resize(mem, s->entries, cap * sizeof *entries);
    if (entries) s->entries = entries;
    uint64_t *numbers = mem_try_resize(mem, s->numbers, (size_t)cap * s->len * sizeof *numbers);
    if (numbers) s->numbers = numbers;
    uint32_t *slots = mem_try_alloc(mem, cap * sizeof *slots);
    if (!entries || !numbers || !slots) {
        mem_free(mem, slots);
        return false;
    }
    mem_free(mem, s->slots);
    s->slots = slots;
    s->cap = cap;
    for (uint32_t i = 1; i < s->used; i++) { /* none is free, or there would be room */
        if (entries[i].set == BDD_FALSE) continue;
        uint32_t at = slot_of(s, entries[i].set, entries[i].part);
        entries[i].chain = slots[at];
        slots[at] = i;
    }
    return true;
}

/* An empty entry for these, at a position. 0: refused. */
static uint32_t make_entry(struct sweep *s, bdd set, bdd part, uint32_t position)
{
    if (!s->free && s->used == s->cap && !grow(s)) return 0;
    uint32_t i = s->free ? s->free : s->used++, at = slot_of(s, set, part);
    if (i == s->free) s->free = s->entries[i].next;
    s->entries[i] = (struct entry){set, part, position, s->heads[position], s->slots[at]};
    s->heads[position] = s->slots[at] = i;
    memset(number(s, i), 0, words_at(s, position) * sizeof *s->numbers);
    return i;
}

/* The first position, from k on, at which something happens to an entry. */
static uint32_t stop_of(const struct sweep *s, bdd set, bdd part, uint32_t k)
{
    const struct dd *dd = s->dd;
    uint32_t stop = set == BDD_TRUE ? dd->pairs : dd_position_of(dd, set), other = dd->pairs;
    if (part == NONE) other = s->busy[k];
    else if (part != ALL) other = dd_position_of(dd, part);
    return other < stop ? other : stop;
}

/* Ways that have passed all positions before k, as many as entry `from` says, lead to a node of the
 * set and one of a part. */
static void lead(struct sweep *s, bdd set, bdd part, uint32_t k, uint32_t from, uint32_t from_words)
{
    if (set == BDD_FALSE || s->refused) return;
    if (part == NONE && s->busy[k] == s->dd->pairs) return; /* all parts have begun */
    uint32_t stop = stop_of(s, set, part, k), shift = s->counted[stop] - s->counted[k], i;
    if (stop == s->dd->pairs) {
        if (part != NONE) natural_add_shifted(s->total, s->len, number(s, from), from_words, shift);
        return;
    }
    for (i = s->slots[slot_of(s, set, part)]; i; i = s->entries[i].chain)
        if (s->entries[i].set == set && s->entries[i].part == part && s->entries[i].stop == stop)
            break;
    if (!i) i = make_entry(s, set, part, stop);
    s->refused = !i;
    if (i) natural_add_shifted(number(s, i), words_at(s, stop), number(s, from), from_words, shift);
}

/* Takes the entry out of its chain, for good; its number stays until it is freed. */
static void unchain(struct sweep *s, uint32_t i)
{
    uint32_t *link = &s->slots[slot_of(s, s->entries[i].set, s->entries[i].part)];
    while (*link != i) {
        assert(*link);
        link = &s->entries[*link].chain;
    }
    *link = s->entries[i].chain;
    s->entries[i].set = BDD_FALSE;
}

static void pass(struct sweep *s, uint32_t i, uint32_t k, const struct dd_part *list,
                 const bdd *parts)
{
    const struct dd *dd = s->dd;
    const bdd set = s->entries[i].set, part = s->entries[i].part;
    unchain(s, i);
    const uint32_t words = words_at(s, k);
    const bool splits = set > BDD_TRUE && dd_position_of(dd, set) == k;
    for (uint32_t j = part == NONE ? s->first[k] : s->first[k + 1]; j < s->first[k + 1]; j++)
        if (parts[list[j].part] > BDD_TRUE) lead(s, set, parts[list[j].part], k, i, words);
    for (unsigned y = 0; y < 2; y++) {
        bdd below = set, rest = part;
        if (splits) below = y ? dd->nodes[set].high : dd->nodes[set].low;
        if (part > ALL && dd_position_of(dd, part) == k)
            rest = y ? dd->nodes[part].high : dd->nodes[part].low;
        if (part > ALL && rest == BDD_FALSE) continue;
        lead(s, below, rest, k + 1, i, words);
        if (dd->pair_at[k] >= s->counted[dd->pairs] && !splits && rest == part) break;
    }
}

/* Whether to go on. */
static bool look(struct sweep *s, uint32_t parts)
{
    const struct dd *dd = s->dd;
    s->too_wide = parts > 1 && (uint64_t)s->used * s->len > SPLIT_WORDS;
    if (++s->work % 1024 == 0) s->stopped = dd->poll && !dd->poll(dd->poll_context);
    return !s->refused && !s->stopped && !s->too_wide;
}

static void start(struct sweep *s, const struct dd_part *list, uint32_t count)
{
    const uint32_t pairs = s->dd->pairs;
    uint32_t at = 0;
    memset(s->heads, 0, (pairs + UINT64_C(1)) * sizeof *s->heads);
    memset(s->slots, 0, s->cap * sizeof *s->slots);
    s->used = 1;
    s->free = 0;
    for (uint32_t k = 0; k <= pairs; k++) {
        while (at < count && list[at].level / 2 < k) at++;
        s->first[k] = at;
    }
    s->first[pairs] = count;
    s->busy[pairs] = pairs;
    for (uint32_t k = pairs; k-- > 0;)
        s->busy[k] = s->first[k + 1] > s->first[k] ? k : s->busy[k + 1];
}

/* Adds the counts of some parts. */
static void add_some(struct sweep *s, bdd base, const struct dd_part *list, uint32_t count,
                     const bdd *parts)
{
    const uint32_t pairs = s->dd->pairs;
    uint64_t *before = mem_try_alloc(s->dd->mem, s->len * sizeof *before);
    s->refused = !before || (!s->cap && !grow(s));
    if (!s->refused) {
        start(s, list, count);
        memcpy(before, s->total, s->len * sizeof *before);
        uint32_t root = s->used++;
        s->entries[root] = (struct entry){.set = BDD_FALSE}; /* in no chain */
        memset(number(s, root), 0, s->len * sizeof *s->numbers);
        number(s, root)[0] = 1;
        for (uint32_t j = 0; j < count && list[j].level == 0; j++)
            if (parts[list[j].part] == BDD_TRUE) lead(s, base, ALL, 0, root, 1);
        lead(s, base, NONE, 0, root, 1);
    }
    for (uint32_t k = 0, i; k < pairs; k++)
        while (look(s, count) && (i = s->heads[k])) {
            s->heads[k] = s->entries[i].next;
            pass(s, i, k, list, parts);
            s->entries[i].next = s->free;
            s->free = i;
        }
    if (s->too_wide) memcpy(s->total, before, s->len * sizeof *before);
    mem_free(s->dd->mem, before);
    if (!s->too_wide) return;
    add_some(s, base, list, count / 2, parts);
    if (!s->refused && !s->stopped) add_some(s, base, list + count / 2, count - count / 2, parts);
}

bool dd_count_sum(struct dd *dd, bdd base, const bdd *parts, uint32_t part_count, uint32_t bits,
                  struct natural *count)
{
    const size_t room = (size_t)dd->pairs + 1;
    uint32_t *counted = dd_list_counted(dd, bits),
             *lists = mem_try_alloc(dd->mem, 3 * room * sizeof *lists);
    struct dd_part *list = dd_sort_parts(dd, parts, part_count);
    struct sweep s = {.dd = dd, .counted = counted};
    if (counted) s.len = (counted[dd->pairs] + 32) / 64 + 1;
    if (counted) s.total = mem_try_alloc(dd->mem, s.len * sizeof *s.total);
    s.refused = !counted || !lists || !list || !s.total;
    if (!s.refused) {
        s.heads = lists;
        s.first = lists + room;
        s.busy = lists + 2 * room;
        add_some(&s, base, list, part_count, parts);
    }
    bool good = !s.refused && !s.stopped;
    while (good && s.len > 1 && !s.total[s.len - 1]) s.len--;
    if (good) *count = (struct natural){s.total, s.len};
    else mem_free(dd->mem, s.total);
    mem_free(dd->mem, counted);
    mem_free(dd->mem, lists);
    mem_free(dd->mem, list);
    mem_free(dd->mem, s.entries);
    mem_free(dd->mem, s.numbers);
    mem_free(dd->mem, s.slots);
    if (s.stopped) dd_give_up(dd, DD_STOPPED);
    return good;
}

bool dd_count(struct dd *dd, bdd set, uint32_t bits, struct natural *count)
{
    const bdd all = BDD_TRUE;
    return dd_count_sum(dd, set, &all, 1, bits, count);
}
