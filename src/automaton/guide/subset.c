/* Sets are sorted lists of configurations, one after the other in one array, and a hash table finds
 * them. They are numbered as they are found and dealt with in this order: what follows all
 * configurations of a set is emitted, sorted by label and configuration, and each label's run is
 * the next set.
 *
 * Invariants: (1) the configurations of a set ascend strictly, and there is one; (2) no two sets
 * have the same; (3) the labels of a set's edges ascend strictly, and they lead to sets. */
#include "automaton/guide/subset.h"

#include "automaton/guide/minimise.h"
#include "base/checked.h"
#include "base/room.h"

#include <stdlib.h>

#ifdef CAIRN_DEGENERATE
enum { HASH_MASK = 15, FIRST_SLOTS = 4 };
#else
enum { HASH_MASK = -1, FIRST_SLOTS = 256 };
#endif
enum { FEW = 12 }; /* so many items are sorted by insertion */

struct move {
    uint64_t config;
    uint32_t label;
};

struct subset {
    struct mem *mem;
    const struct subset_rules *rules;
    enum build_status status;
    struct move *moves; /* emitted */
    uint64_t move_count, move_cap;
    uint64_t *configs; /* those of set s: configs[first[s]] .. configs[first[s + 1] - 1] */
    uint64_t config_count, config_cap;
    uint64_t *first;
    uint64_t first_cap;
    uint32_t sets, max_sets;
    uint64_t *slots; /* hash << 32 | set + 1; 0: free */
    uint32_t size;
    uint32_t *edges;               /* label, to, label, to, ... */
    uint64_t edge_cap, edge_count; /* in words */
    uint32_t *first_edge;
    uint64_t first_edge_cap;
};

void subset_stop(struct subset *s, enum build_status status)
{
    if (s->status == BUILD_DONE) s->status = status;
}

void subset_emit(struct subset *s, uint32_t label, uint64_t config)
{
    if (s->status != BUILD_DONE) return;
    if (!ROOM(s->mem, s->moves, &s->move_cap, s->move_count + 1)) s->status = BUILD_REFUSED;
    else s->moves[s->move_count++] = (struct move){config, label};
}

static int compare_moves(const void *a, const void *b)
{
    const struct move *x = a, *y = b;
    if (x->label != y->label) return x->label < y->label ? -1 : 1;
    return (x->config > y->config) - (x->config < y->config);
}

static void sort_moves(struct subset *s)
{
    struct move *moves = s->moves;
    if (s->move_count > FEW) {
        bool sorted = true;
        for (uint64_t i = 1; i < s->move_count && sorted; i++)
            sorted = compare_moves(&moves[i - 1], &moves[i]) <= 0;
        if (!sorted) qsort(moves, s->move_count, sizeof *moves, compare_moves);
        return;
    }
    for (uint64_t i = 1; i < s->move_count; i++) {
        struct move one = moves[i];
        uint64_t k = i;
        for (; k && compare_moves(&moves[k - 1], &one) > 0; k--) moves[k] = moves[k - 1];
        moves[k] = one;
    }
}

static uint32_t hash(const uint64_t *configs, uint64_t count)
{
    uint64_t h = count;
    for (uint64_t i = 0; i < count; i++) {
        h = (h ^ configs[i]) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 32;
    }
    h *= UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)(h >> 32) & (uint32_t)HASH_MASK;
}

static bool grow(struct subset *s)
{
    uint64_t size = s->size ? (uint64_t)s->size * 2 : FIRST_SLOTS;
    uint64_t *slots = size > UINT32_MAX ? NULL : mem_try_alloc(s->mem, size * sizeof *slots);
    if (!slots) return false;
    for (uint32_t i = 0; i < s->size; i++) {
        if (!s->slots[i]) continue;
        uint32_t at = (uint32_t)(s->slots[i] >> 32) & (uint32_t)(size - 1);
        while (slots[at]) at = (at + 1) & (uint32_t)(size - 1);
        slots[at] = s->slots[i];
    }
    mem_free(s->mem, s->slots);
    s->slots = slots;
    s->size = (uint32_t)size;
    return true;
}

static bool is_set(const struct subset *s, uint32_t set, const uint64_t *configs, uint64_t count)
{
    if (s->first[set + 1] - s->first[set] != count) return false;
    const uint64_t *known = s->configs + s->first[set];
    for (uint64_t i = 0; i < count; i++)
        if (known[i] != configs[i]) return false;
    return true;
}

/* The number of the set that lies behind the known ones, `count` configurations; a new one is
 * kept. */
static uint32_t find_set(struct subset *s, uint64_t count)
{
    const uint64_t *configs = s->configs + s->config_count;
    assert(count);                                                             /* (1) */
    for (uint64_t i = 1; i < count; i++) CHECKED(configs[i - 1] < configs[i]); /* (1) */
    uint32_t h = hash(configs, count);
    if (2 * ((uint64_t)s->sets + 1) > s->size && !grow(s)) return s->status = BUILD_REFUSED, 0;
    uint32_t at = h & (s->size - 1);
    for (; s->slots[at]; at = (at + 1) & (s->size - 1))
        if (s->slots[at] >> 32 == h && is_set(s, (uint32_t)s->slots[at] - 1, configs, count))
            return (uint32_t)s->slots[at] - 1;
    if (s->sets == s->max_sets) return s->status = BUILD_TOO_LARGE, 0;
    if (!ROOM(s->mem, s->first, &s->first_cap, (uint64_t)s->sets + 2))
        return s->status = BUILD_REFUSED, 0;
    s->slots[at] = (uint64_t)h << 32 | (s->sets + 1);
    s->config_count += count;
    s->first[++s->sets] = s->config_count;
    return s->sets - 1;
}

/* The set of a run of sorted moves. */
static uint32_t take_run(struct subset *s, const struct move *run, uint64_t count)
{
    if (!ROOM(s->mem, s->configs, &s->config_cap, s->config_count + count))
        return s->status = BUILD_REFUSED, 0;
    uint64_t *to = s->configs + s->config_count, kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t config = run[i].config;
        if (kept
            && (to[kept - 1] == config
                || (s->rules->covers && s->rules->covers(s->rules->data, to[kept - 1], config))))
            continue;
        to[kept++] = config;
    }
    return find_set(s, kept);
}

static void follow_set(struct subset *s, uint32_t set)
{
    s->move_count = 0;
    for (uint64_t i = s->first[set]; i < s->first[set + 1]; i++)
        s->rules->follow(s, s->rules->data, s->configs[i]);
    if (s->status != BUILD_DONE) return;
    sort_moves(s);
    for (uint64_t i = 0, end; i < s->move_count && s->status == BUILD_DONE; i = end) {
        for (end = i + 1; end < s->move_count && s->moves[end].label == s->moves[i].label;) end++;
        uint32_t to = take_run(s, s->moves + i, end - i);
        if (s->edge_count / 2 >= UINT32_MAX - 1) subset_stop(s, BUILD_TOO_LARGE);
        else if (!ROOM(s->mem, s->edges, &s->edge_cap, s->edge_count + 2))
            subset_stop(s, BUILD_REFUSED);
        if (s->status != BUILD_DONE) return;
        assert(to < s->sets);                                    /* (3) */
        assert(!i || s->moves[i - 1].label < s->moves[i].label); /* (3) */
        s->edges[s->edge_count++] = s->moves[i].label;
        s->edges[s->edge_count++] = to;
    }
}

static void explore(struct subset *s)
{
    if (!ROOM(s->mem, s->first, &s->first_cap, 2)) {
        s->status = BUILD_REFUSED;
        return;
    }
    s->first[0] = 0;
    s->rules->start(s, s->rules->data);
    if (s->status != BUILD_DONE) return;
    sort_moves(s);
    take_run(s, s->moves, s->move_count);
    for (uint32_t set = 0; s->status == BUILD_DONE && set < s->sets; set++) {
        if (mem_enough(s->mem)
            || !ROOM(s->mem, s->first_edge, &s->first_edge_cap, (uint64_t)set + 2)) {
            s->status = BUILD_REFUSED;
            return;
        }
        s->first_edge[set] = (uint32_t)(s->edge_count / 2);
        follow_set(s, set);
        s->first_edge[set + 1] = (uint32_t)(s->edge_count / 2);
    }
}

static bool is_final(const struct subset *s, uint32_t set)
{
    if (s->rules->all_final) return true;
    for (uint64_t i = s->first[set]; i < s->first[set + 1]; i++)
        if (s->rules->is_final(s->rules->data, s->configs[i])) return true;
    return false;
}

static void extract(struct subset *s, struct dfa *dfa)
{
    uint32_t edges = (uint32_t)(s->edge_count / 2);
    mem_free(s->mem, s->slots);
    s->slots = NULL;
    if (!dfa_alloc(dfa, s->mem, s->sets, edges)) {
        s->status = BUILD_REFUSED;
        return;
    }
    for (uint32_t e = 0; e < edges; e++) {
        dfa->edge_label[e] = s->edges[2 * (size_t)e];
        dfa->edge_to[e] = s->edges[2 * (size_t)e + 1];
    }
    for (uint32_t set = 0; set < s->sets; set++) {
        dfa->first_edge[set] = s->first_edge[set];
        if (is_final(s, set)) dfa_set_final(dfa, set);
    }
    dfa->first_edge[s->sets] = edges;
    CHECKED(dfa_check(dfa)); /* (3); sets are numbered as they are found */
}

enum build_status subset_run(struct dfa *dfa, struct mem *mem, const struct subset_rules *rules,
                             uint32_t max_states)
{
    struct subset s = {.mem = mem, .rules = rules, .max_sets = max_states};
    *dfa = (struct dfa){.mem = mem};
    explore(&s);
    if (s.status == BUILD_DONE) extract(&s, dfa);
    mem_free(mem, s.moves);
    mem_free(mem, s.configs);
    mem_free(mem, s.first);
    mem_free(mem, s.slots);
    mem_free(mem, s.edges);
    mem_free(mem, s.first_edge);
    if (s.status == BUILD_DONE) s.status = minimise(dfa);
    if (s.status != BUILD_DONE) dfa_release(dfa);
    return s.status;
}
