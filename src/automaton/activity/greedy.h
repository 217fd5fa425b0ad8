/* Greedy topological orders, for order.c, which explains them. */
#ifndef CAIRN_AUTOMATON_ACTIVITY_GREEDY_H
#define CAIRN_AUTOMATON_ACTIVITY_GREEDY_H

#include "automaton/activity/neighbours.h"

struct greedy {
    struct mem *mem;
    struct neighbours graph;
    uint32_t *waiting; /* per state: neighbours that must have their turn before */
    uint32_t *news;    /* per state: forwards, the states that its turn would be the first to reach;
                          backwards, 2^32 - 1 - the successors of which it is the last predecessor
                          left; so in both directions fewer are better */
    uint32_t *left;    /* per state: backwards, the predecessors left ... */
    uint32_t *last;    /* ... and their exclusive or, which is the last one when one is left */
    uint32_t *rank;    /* per state: its place among states with equal news ... */
    uint32_t *by_rank; /* ... and back */
    uint32_t met;      /* states that have a rank */
    uint64_t *heap;    /* news << 32 | rank */
    uint64_t heap_len, heap_cap;
};

/* Which of several states with equally many news comes first: the one that was met first, or last,
 * or the first in a given order. */
enum greedy_ties { GREEDY_OLDEST, GREEDY_NEWEST, GREEDY_GIVEN };

/* False when memory is refused, here and below. */
bool greedy_init(struct greedy *greedy, const struct dag *dag);
void greedy_release(struct greedy *greedy);

/* Fill in an order. `given` is a topological order for GREEDY_GIVEN; it may be `order` itself. */
bool greedy_forwards(struct greedy *greedy, enum greedy_ties ties, const uint32_t *given,
                     uint32_t *order);
bool greedy_backwards(struct greedy *greedy, enum greedy_ties ties, const uint32_t *given,
                      uint32_t *order);

#endif
