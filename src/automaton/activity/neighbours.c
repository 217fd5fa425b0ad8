#include "automaton/activity/neighbours.h"

#include <assert.h>
#include <string.h>

/* The other direction of some arrows; what comes out is ascending. */
static void turn(uint32_t states, const uint32_t *first, const uint32_t *to, uint32_t *turned_first,
                 uint32_t *turned)
{
    memset(turned_first, 0, ((size_t)states + 1) * sizeof *turned_first);
    for (uint32_t e = 0; e < first[states]; e++) turned_first[to[e]]++;
    for (uint32_t s = 0; s < states; s++) turned_first[s + 1] += turned_first[s];
    for (uint32_t s = states; s-- > 0;)
        for (uint32_t e = first[s]; e < first[s + 1]; e++) turned[--turned_first[to[e]]] = s;
}

/* Lists are sorted; takes out what is there twice. */
static uint32_t unite(uint32_t states, uint32_t *first, uint32_t *to)
{
    uint32_t kept = 0;
    for (uint32_t s = 0, from = 0; s < states; s++) {
        uint32_t end = first[s + 1], start = kept;
        for (uint32_t e = from; e < end; e++)
            if (kept == start || to[kept - 1] != to[e]) to[kept++] = to[e];
        from = end;
        first[s + 1] = kept;
    }
    return kept;
}

bool neighbours_init(struct neighbours *n, const struct dag *dag)
{
    size_t per_state = ((size_t)dag->states + 1) * sizeof *n->after,
           per_edge = (size_t)dag->edges * sizeof *n->after;
    *n = (struct neighbours){.mem = dag->mem, .states = dag->states};
    n->first_after = mem_try_alloc(n->mem, per_state);
    n->first_before = mem_try_alloc(n->mem, per_state);
    n->after = mem_try_alloc(n->mem, per_edge);
    n->before = mem_try_alloc(n->mem, per_edge);
    if (!n->first_after || !n->first_before || !n->after || !n->before) {
        neighbours_release(n);
        return false;
    }
    turn(n->states, dag->first_edge, dag->edge_to, n->first_before, n->before);
    n->arrows = unite(n->states, n->first_before, n->before);
    turn(n->states, n->first_before, n->before, n->first_after, n->after);
    assert(n->first_before[n->states] == n->arrows && n->first_after[n->states] == n->arrows);
    return true;
}

void neighbours_release(struct neighbours *n)
{
    mem_free(n->mem, n->first_after);
    mem_free(n->mem, n->first_before);
    mem_free(n->mem, n->after);
    mem_free(n->mem, n->before);
    *n = (struct neighbours){.mem = n->mem};
}
