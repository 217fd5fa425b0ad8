/* LTL with time, on the graph of all symbolic states: see temporal.c. */
#ifndef CAIRN_ENGINE_TIMED_TEMPORAL_H
#define CAIRN_ENGINE_TIMED_TEMPORAL_H

#include "search/order.h"

/* The steps between symbolic states, kept while they are found: those of state n are
 * to[first[n] .. first[n + 1]). All zero at first, but for `mem`. */
struct temporal_edges {
    struct mem *mem;
    struct order order;
    uint64_t *first;
    uint32_t *to;
    uint64_t states, count, first_room, to_room;
    bool ends_stuck; /* the last state repeats for ever in some valuation */
};

/* Breadth-first order, which keeps all steps in `edges`. */
const struct order *temporal_order(struct temporal_edges *edges);
void temporal_release(struct temporal_edges *edges);

/* LTL properties that are undecided. A limit that is reached here leaves the state space complete
 * and the property unknown. */
void temporal_check_all(struct search *search, struct temporal_edges *edges);

#endif
