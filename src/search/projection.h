/* The p-paths of a model, counted: a breadth-first search keeps all steps, each as the p-point that
 * it is, or as a silent one; what ways through that graph spell are the p-paths. */
#ifndef CAIRN_SEARCH_PROJECTION_H
#define CAIRN_SEARCH_PROJECTION_H

#include "search/order.h"

struct projection {
    struct order order; /* first: it is how the rest is known */
    struct mem *mem;
    uint64_t *first; /* per state that was expanded: its first edge */
    uint32_t *to, *point;
    uint64_t states, edges;
    uint64_t first_room, to_room, point_room;
};

/* The order of a search whose task has p-points. The projection is all zero at first. */
const struct order *projection_order(struct projection *projection, struct mem *mem);
/* After the search: the result's orders. When a limit is reached, the result says so. Every run of
 * the model must be a way through the states that were found, and the other way round. */
void projection_count(struct search *search, struct projection *projection);
void projection_release(struct projection *projection);

#endif
