/* Method. States that silent edges lead to from each other and back are one node (Tarjan 1972).
 * What a node can do is a set of pairs of a letter and a class of nodes: its own edges, and those
 * of all nodes that silent edges lead to. Nodes with equal sets are in one class; at first there is
 * one class, and classes are refined until none is (Kanellakis and Smolka 1990). That is weak
 * bisimulation, so the classes spell the same words; they are as few as an acyclic or regular graph
 * has phases, and no edge between them is silent. The subset construction
 * (automaton/guide/subset.h) makes that deterministic and minimal.
 *
 * Cost: a round looks at every edge and at the sets that silent edges lead to. There are as many
 * rounds as letters are needed to tell two classes apart; but one is enough where no cycle has a
 * letter, because nodes can then be taken after all that follow them. A set is kept once in a
 * round.
 *
 * Invariants: (1) a silent edge leads to a node of the same number or a smaller one, and without
 * cycles so does every edge, to a smaller one; (2) the items of a set ascend strictly, and no two
 * sets have the same; (3) each round's classes refine those of the round before. */
#include "graph/words.h"

#include "automaton/guide/subset.h"
#include "base/checked.h"
#include "base/room.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { POLL_STATES = 4096, FIRST_SLOTS = 256 };

struct words {
    const struct words_graph *graph;
    struct mem *mem;
    enum words_status status;
    bool by_letters;   /* nodes are components of all edges, not of silent ones alone */
    bool is_acyclic;   /* no cycle has a letter: both are the same */
    uint32_t *node_of; /* per state */
    uint32_t nodes;
    uint32_t *first_member, *members; /* per node: its states */
    uint32_t *class_of, *next_class;  /* per node: in this round, in the next */
    /* the sets of the next round */
    uint64_t *items; /* letter << 32 | class */
    uint64_t item_count, item_room;
    uint64_t *first_item; /* per set, and one more */
    uint64_t set_room;
    uint32_t sets;
    uint32_t *slots; /* a hash table of set + 1; 0: free */
    uint64_t slot_count;
};

static bool goes_on(struct words *words, uint32_t state)
{
    if (state % POLL_STATES || !words->graph->go_on) return true;
    if (words->graph->go_on(words->graph->context)) return true;
    words->status = WORDS_STOPPED;
    return false;
}

static void *take(struct words *words, uint64_t count, size_t size)
{
    void *array = mem_try_alloc(words->mem, (count + 1) * size);
    if (!array) words->status = WORDS_REFUSED;
    return array;
}

/* ---- silent components ---- */

struct tarjan {
    uint32_t *number, *low; /* of states, from 1 on as they are met; 0: not yet */
    uint32_t *stack;        /* states whose component is not complete */
    uint32_t *path;         /* states that are being visited, ... */
    uint64_t *edge;         /* ... and the next edge of each */
    uint32_t met, depth, height;
};

static void enter(struct tarjan *t, const struct words_graph *graph, uint32_t state)
{
    t->number[state] = t->low[state] = ++t->met;
    t->stack[t->height++] = state;
    t->path[t->depth] = state;
    t->edge[t->depth++] = graph->first[state];
}

/* The state at the end of the path is done. */
static void leave(struct words *words, struct tarjan *t)
{
    const uint32_t state = t->path[--t->depth];
    if (t->depth && t->low[t->path[t->depth - 1]] > t->low[state])
        t->low[t->path[t->depth - 1]] = t->low[state];
    if (t->low[state] != t->number[state]) return;
    uint32_t member;
    do {
        member = t->stack[--t->height];
        words->node_of[member] = words->nodes;
        t->low[member] = UINT32_MAX; /* complete */
    } while (member != state);
    words->nodes++;
}

static void visit(struct words *words, struct tarjan *t, uint32_t root)
{
    const struct words_graph *graph = words->graph;
    for (enter(t, graph, root); t->depth;) {
        const uint32_t state = t->path[t->depth - 1];
        uint64_t *edge = &t->edge[t->depth - 1];
        while (*edge < graph->first[state + 1]
               && ((graph->letter[*edge] != WORDS_SILENT && !words->by_letters)
                   || t->low[graph->to[*edge]] == UINT32_MAX))
            ++*edge;
        if (*edge == graph->first[state + 1]) {
            leave(words, t);
            continue;
        }
        const uint32_t to = graph->to[(*edge)++];
        if (!t->number[to]) enter(t, graph, to);
        else if (t->low[state] > t->number[to]) t->low[state] = t->number[to];
    }
}

static void find_components(struct words *words, bool by_letters)
{
    const uint32_t states = words->graph->states;
    words->by_letters = by_letters;
    words->nodes = 0;
    struct tarjan t = {.number = take(words, states, sizeof *t.number),
                       .low = take(words, states, sizeof *t.low),
                       .stack = take(words, states, sizeof *t.stack),
                       .path = take(words, states, sizeof *t.path),
                       .edge = take(words, states, sizeof *t.edge)};
    words->node_of = take(words, states, sizeof *words->node_of);
    for (uint32_t s = 0; words->status == WORDS_DONE && s < states && goes_on(words, s); s++)
        if (!t.number[s]) visit(words, &t, s);
    mem_free(words->mem, t.number);
    mem_free(words->mem, t.low);
    mem_free(words->mem, t.stack);
    mem_free(words->mem, t.path);
    mem_free(words->mem, t.edge);
}

/* Whether an edge with a letter stays in its node. */
static bool has_loop(const struct words *words)
{
    const struct words_graph *graph = words->graph;
    for (uint32_t s = 0; s < graph->states; s++)
        for (uint64_t e = graph->first[s]; e < graph->first[s + 1]; e++)
            if (graph->letter[e] != WORDS_SILENT
                && words->node_of[graph->to[e]] == words->node_of[s])
                return true;
    return false;
}

/* Components of all edges, if they are those of silent ones: then their order is a better one. */
static void find_nodes(struct words *words)
{
    find_components(words, true);
    if (words->status != WORDS_DONE) return;
    uint32_t *const ordered = words->node_of;
    const uint32_t count = words->nodes;
    const bool has_cycle = has_loop(words);
    find_components(words, false);
    words->is_acyclic = words->status == WORDS_DONE && !has_cycle && count == words->nodes;
    uint32_t *const other = words->is_acyclic ? words->node_of : ordered;
    if (words->is_acyclic) words->node_of = ordered;
    mem_free(words->mem, other);
}

/* The states of each node, next to each other. */
static void list_members(struct words *words)
{
    const uint32_t states = words->graph->states;
    uint32_t *first = words->first_member = take(words, words->nodes + UINT64_C(1), sizeof *first);
    words->members = take(words, states, sizeof *words->members);
    if (words->status != WORDS_DONE) return;
    for (uint32_t s = 0; s < states; s++) first[words->node_of[s] + 1]++;
    for (uint32_t n = 0; n < words->nodes; n++) first[n + 1] += first[n];
    for (uint32_t s = states; s-- > 0;) words->members[--first[words->node_of[s] + 1]] = s;
    /* each first[n + 1] is now where n begins */
    memmove(first, first + 1, words->nodes * sizeof *first);
    first[words->nodes] = states;
}

/* ---- sets ---- */

static int compare_items(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;
    return (one > two) - (one < two);
}

static uint64_t hash_set(const uint64_t *items, uint64_t count)
{
    uint64_t hash = count;
    for (uint64_t i = 0; i < count; i++) {
        hash = (hash ^ items[i]) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    return hash * UINT64_C(0xBF58476D1CE4E5B9) >> 20;
}

static bool is_set(const struct words *words, uint32_t set, const uint64_t *items, uint64_t count)
{
    const uint64_t *first = words->first_item + set;
    return first[1] - first[0] == count
           && (!count || !memcmp(words->items + first[0], items, count * sizeof *items));
}

static bool grow_slots(struct words *words)
{
    const uint64_t count = words->slot_count ? 2 * words->slot_count : FIRST_SLOTS;
    uint32_t *slots = take(words, count, sizeof *slots);
    if (!slots) return false;
    for (uint32_t s = 0; s < words->sets; s++) {
        uint64_t at = hash_set(words->items + words->first_item[s],
                               words->first_item[s + 1] - words->first_item[s]);
        for (at &= count - 1; slots[at]; at = (at + 1) & (count - 1)) {
        }
        slots[at] = s + 1;
    }
    mem_free(words->mem, words->slots);
    words->slots = slots;
    words->slot_count = count;
    return true;
}

/* The number of the set whose items lie behind those of all others, in any order, some of them
 * twice. A new one is kept. */
static uint32_t find_set(struct words *words, uint64_t count)
{
    uint64_t *items = words->items ? words->items + words->item_count : NULL, kept = 0;
    if (count > 1) qsort(items, count, sizeof *items, compare_items);
    for (uint64_t i = 0; i < count; i++)
        if (!kept || items[kept - 1] != items[i]) items[kept++] = items[i]; /* (2) */
    if (2 * (words->sets + UINT64_C(1)) > words->slot_count && !grow_slots(words)) return 0;
    const uint64_t mask = words->slot_count - 1;
    uint64_t at = hash_set(items, kept) & mask;
    for (; words->slots[at]; at = (at + 1) & mask)
        if (is_set(words, words->slots[at] - 1, items, kept)) return words->slots[at] - 1;
    if (!ROOM(words->mem, words->first_item, &words->set_room, words->sets + UINT64_C(2))) {
        words->status = WORDS_REFUSED;
        return 0;
    }
    words->item_count += kept;
    words->slots[at] = words->sets + 1;
    words->first_item[++words->sets] = words->item_count;
    return words->sets - 1;
}

/* ---- refinement ---- */

/* More items for the set that is being made, which has `count`. */
static bool reserve(struct words *words, uint64_t count, uint64_t more)
{
    if (ROOM(words->mem, words->items, &words->item_room, words->item_count + count + more))
        return true;
    words->status = WORDS_REFUSED;
    return false;
}

/* All that the node that a silent edge leads to can do. */
static bool take_over(struct words *words, uint32_t set, uint64_t *count)
{
    const uint64_t first = words->first_item[set], more = words->first_item[set + 1] - first;
    if (!more) return true;
    if (!reserve(words, *count, more)) return false;
    memcpy(words->items + words->item_count + *count, words->items + first,
           more * sizeof *words->items);
    *count += more;
    return true;
}

/* The set of a node. Where it has no letter of its own, and all silent edges lead to nodes with one
 * set, that is its set, too. */
static uint32_t set_of(struct words *words, uint32_t node)
{
    const struct words_graph *graph = words->graph;
    uint64_t count = 0;
    uint32_t only = UINT32_MAX;
    for (uint32_t m = words->first_member[node]; m < words->first_member[node + 1]; m++) {
        const uint32_t state = words->members[m];
        for (uint64_t e = graph->first[state]; e < graph->first[state + 1]; e++) {
            const uint32_t to = words->node_of[graph->to[e]];
            if (graph->letter[e] != WORDS_SILENT) {
                if (!reserve(words, count, 1)) return 0;
                words->items[words->item_count + count++] =
                    (uint64_t)graph->letter[e] << 32 | words->class_of[to];
                continue;
            }
            assert(to <= node); /* (1) */
            if (to == node || words->next_class[to] == only) continue;
            if (count == 0 && only == UINT32_MAX) {
                only = words->next_class[to]; /* so far */
                continue;
            }
            if (!take_over(words, words->next_class[to], &count)) return 0;
        }
    }
    if (!count && only != UINT32_MAX) return only;
    if (only != UINT32_MAX && !take_over(words, only, &count)) return 0;
    return find_set(words, count);
}

/* False: it must end. */
static bool refine_once(struct words *words)
{
    words->item_count = words->sets = 0;
    if (words->slot_count) memset(words->slots, 0, words->slot_count * sizeof *words->slots);
    if (!ROOM(words->mem, words->first_item, &words->set_room, 1)) words->status = WORDS_REFUSED;
    else words->first_item[0] = 0;
    for (uint32_t n = 0; words->status == WORDS_DONE && n < words->nodes; n++)
        if (goes_on(words, n)) words->next_class[n] = set_of(words, n);
    return words->status == WORDS_DONE;
}

/* At the end the items of sets are of classes as these are numbered. */
static void refine(struct words *words)
{
    uint32_t classes = 1;
    words->class_of = take(words, words->nodes, sizeof *words->class_of);
    if (words->is_acyclic && words->class_of) { /* what follows a node has its last class */
        words->next_class = words->class_of;
        refine_once(words);
        words->next_class = NULL;
        return;
    }
    words->next_class = take(words, words->nodes, sizeof *words->next_class);
    while (words->status == WORDS_DONE && refine_once(words)) {
        assert(words->sets >= classes || !words->nodes); /* (3) */
        const bool done =
            words->sets == classes
            && !memcmp(words->class_of, words->next_class, words->nodes * sizeof *words->class_of);
        uint32_t *const swapped = words->class_of;
        words->class_of = words->next_class;
        words->next_class = swapped;
        if (done) return;
        classes = words->sets;
    }
}

/* ---- the automaton ---- */

static void start(struct subset *subset, void *data)
{
    const struct words *words = data;
    for (uint32_t s = 0; s < words->graph->initial; s++)
        subset_emit(subset, 0, words->class_of[words->node_of[s]]);
}

static void follow(struct subset *subset, void *data, uint64_t class)
{
    struct words *words = data;
    assert(class < words->sets);
    if (words->graph->go_on && !words->graph->go_on(words->graph->context)) {
        words->status = WORDS_STOPPED;
        subset_stop(subset, BUILD_TOO_LARGE);
    }
    for (uint64_t i = words->first_item[class]; i < words->first_item[class + 1]; i++)
        subset_emit(subset, (uint32_t)(words->items[i] >> 32), (uint32_t)words->items[i]);
}

static void determinise(struct words *words, struct dfa *dfa)
{
    const struct subset_rules rules = {
        .data = words, .all_final = true, .start = start, .follow = follow};
    mem_free(words->mem, words->slots);
    words->slots = NULL;
    const enum build_status status = subset_run(dfa, words->mem, &rules, UINT32_MAX - 1);
    if (status != BUILD_DONE && words->status == WORDS_DONE) words->status = WORDS_REFUSED;
}

enum words_status words_automaton(const struct words_graph *graph, struct dfa *dfa)
{
    struct words words = {.graph = graph, .mem = graph->mem};
    assert(graph->initial && graph->initial <= graph->states);
    *dfa = (struct dfa){.mem = graph->mem};
    find_nodes(&words);
    if (words.status == WORDS_DONE) list_members(&words);
    if (words.status == WORDS_DONE) refine(&words);
    if (words.status == WORDS_DONE) determinise(&words, dfa);
    mem_free(words.mem, words.node_of);
    mem_free(words.mem, words.first_member);
    mem_free(words.mem, words.members);
    mem_free(words.mem, words.class_of);
    mem_free(words.mem, words.next_class);
    mem_free(words.mem, words.items);
    mem_free(words.mem, words.first_item);
    mem_free(words.mem, words.slots);
    return words.status;
}
