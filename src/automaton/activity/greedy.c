/* Greedy orders, forwards and backwards (order.c says why). Both keep the ready states in a heap by
 * news, then by rank. An entry whose state has changed since is left there and passed over when it
 * comes up, so each arrow costs at most one entry.
 *
 * Invariants: (1) a state in the heap has a rank, and by_rank leads back from it; (2) a state has
 * its turn once, after all that it waits for; (3) no state is news more often than it is reached.
 */
#include "automaton/activity/greedy.h"

#include "base/room.h"

#include <assert.h>

bool greedy_init(struct greedy *o, const struct dag *dag)
{
    *o = (struct greedy){.mem = dag->mem};
    uint32_t **arrays[] = {&o->waiting, &o->news, &o->left, &o->last, &o->rank, &o->by_rank};
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!(*arrays[i] = mem_try_alloc(o->mem, (size_t)dag->states * sizeof **arrays[i])))
            return false;
    return neighbours_init(&o->graph, dag);
}

void greedy_release(struct greedy *o)
{
    uint32_t *arrays[] = {o->waiting, o->news, o->left, o->last, o->rank, o->by_rank};
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(o->mem, arrays[i]);
    mem_free(o->mem, o->heap);
    if (o->graph.mem) neighbours_release(&o->graph);
    *o = (struct greedy){.mem = o->mem};
}

static bool heap_push(struct greedy *o, uint64_t key)
{
    if (!ROOM(o->mem, o->heap, &o->heap_cap, o->heap_len + 1)) return false;
    uint64_t at = o->heap_len++;
    for (; at && o->heap[(at - 1) / 2] > key; at = (at - 1) / 2)
        o->heap[at] = o->heap[(at - 1) / 2];
    o->heap[at] = key;
    return true;
}

static uint64_t heap_pop(struct greedy *o)
{
    uint64_t top = o->heap[0], moved = o->heap[--o->heap_len], at = 0;
    for (uint64_t child; (child = 2 * at + 1) < o->heap_len; at = child) {
        if (child + 1 < o->heap_len && o->heap[child + 1] < o->heap[child]) child++;
        if (o->heap[child] >= moved) break;
        o->heap[at] = o->heap[child];
    }
    o->heap[at] = moved;
    return top;
}

static void give_rank(struct greedy *o, uint32_t state, uint32_t rank)
{
    assert(rank < o->graph.states);
    o->rank[state] = rank;
    o->by_rank[rank] = state;
}

/* Ranks of all states now, or of a state that is met for the first time. */
static void rank_all(struct greedy *o, const uint32_t *ties, bool backwards)
{
    uint32_t n = o->graph.states;
    for (uint32_t i = 0; i < n; i++) give_rank(o, ties[i], backwards ? n - 1 - i : i);
}

static void rank_met(struct greedy *o, enum greedy_ties ties, uint32_t state)
{
    if (ties == GREEDY_GIVEN) return;
    give_rank(o, state, ties == GREEDY_NEWEST ? o->graph.states - 1 - o->met : o->met);
    o->met++;
}

static bool push_ready(struct greedy *o, uint32_t state)
{
    assert(o->by_rank[o->rank[state]] == state); /* (1) */
    return heap_push(o, (uint64_t)o->news[state] << 32 | o->rank[state]);
}

enum { IS_DONE = 0xFFFFFFFF }; /* as `waiting` */

/* The next state to have its turn; false when there is none. */
static bool next_state(struct greedy *o, uint32_t *state)
{
    while (o->heap_len) {
        uint64_t top = heap_pop(o);
        *state = o->by_rank[(uint32_t)top];
        if (o->waiting[*state] || o->news[*state] != top >> 32) continue;
        o->waiting[*state] = IS_DONE;
        return true;
    }
    return false;
}

/* A state is reached for the first time: it is no news any more. */
static bool reach(struct greedy *o, uint32_t state)
{
    const struct neighbours *g = &o->graph;
    for (uint32_t e = g->first_before[state]; e < g->first_before[state + 1]; e++) {
        uint32_t s = g->before[e];
        assert(o->news[s]); /* (3) */
        o->news[s]--;
        if (!o->waiting[s] && !push_ready(o, s)) return false;
    }
    return true;
}

bool greedy_forwards(struct greedy *o, enum greedy_ties ties, const uint32_t *given,
                     uint32_t *order)
{
    const struct neighbours *g = &o->graph;
    uint32_t place = 0;
    for (uint32_t s = 0; s < g->states; s++) {
        o->waiting[s] = g->first_before[s + 1] - g->first_before[s];
        o->news[s] = g->first_after[s + 1] - g->first_after[s];
        o->left[s] = s != 0; /* here: whether it is still to be reached */
    }
    o->heap_len = o->met = 0;
    if (ties == GREEDY_GIVEN) rank_all(o, given, false);
    rank_met(o, ties, 0);
    if (!push_ready(o, 0)) return false;
    for (uint32_t s; next_state(o, &s);) {
        if (mem_enough(o->mem)) return false;
        order[place++] = s;
        for (uint32_t e = g->first_after[s]; e < g->first_after[s + 1]; e++) {
            uint32_t to = g->after[e];
            if (o->left[to]) {
                o->left[to] = 0;
                rank_met(o, ties, to);
                if (!reach(o, to)) return false;
            }
            if (!--o->waiting[to] && !push_ready(o, to)) return false;
        }
    }
    assert(place == g->states); /* (2) */
    return true;
}

static bool start_backwards(struct greedy *o, enum greedy_ties ties)
{
    const struct neighbours *g = &o->graph;
    for (uint32_t s = 0; s < g->states; s++) {
        o->waiting[s] = g->first_after[s + 1] - g->first_after[s];
        o->news[s] = UINT32_MAX;
        o->left[s] = g->first_before[s + 1] - g->first_before[s];
        o->last[s] = 0;
        for (uint32_t e = g->first_before[s]; e < g->first_before[s + 1]; e++)
            o->last[s] ^= g->before[e];
    }
    for (uint32_t s = 0; s < g->states; s++)
        if (o->left[s] == 1) o->news[o->last[s]]--;
    for (uint32_t s = g->states; s-- > 0;) {
        if (o->waiting[s]) continue;
        rank_met(o, ties, s);
        if (!push_ready(o, s)) return false;
    }
    return true;
}

/* Of the states after one that has its turn, those with one predecessor left have become worth more
 * to that one. */
static bool settle_after(struct greedy *o, uint32_t state)
{
    const struct neighbours *g = &o->graph;
    for (uint32_t e = g->first_after[state]; e < g->first_after[state + 1]; e++) {
        uint32_t to = g->after[e];
        o->last[to] ^= state;
        assert(o->left[to]); /* (2) */
        if (--o->left[to] != 1) continue;
        o->news[o->last[to]]--;
        if (!o->waiting[o->last[to]] && !push_ready(o, o->last[to])) return false;
    }
    return true;
}

bool greedy_backwards(struct greedy *o, enum greedy_ties ties, const uint32_t *given,
                      uint32_t *order)
{
    const struct neighbours *g = &o->graph;
    uint32_t place = g->states;
    o->heap_len = o->met = 0;
    if (ties == GREEDY_GIVEN) rank_all(o, given, true);
    if (!start_backwards(o, ties)) return false;
    for (uint32_t s; next_state(o, &s);) {
        if (mem_enough(o->mem)) return false;
        order[--place] = s;
        if (!settle_after(o, s)) return false;
        for (uint32_t e = g->first_before[s]; e < g->first_before[s + 1]; e++) {
            uint32_t from = g->before[e];
            if (--o->waiting[from]) continue;
            rank_met(o, ties, from);
            if (!push_ready(o, from)) return false;
        }
    }
    assert(place == 0); /* (2) */
    return true;
}
