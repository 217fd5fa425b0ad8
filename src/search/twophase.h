/* A search of a part of the state space that satisfies the same properties without X (partial-order
 * reduction, Two-Phase). See twophase.c. */
#ifndef CAIRN_SEARCH_TWOPHASE_H
#define CAIRN_SEARCH_TWOPHASE_H

#include "search/order.h"

extern const struct order twophase_order;

/* Whether the reduced graph has the step of this rule, enabled in this state; after the search. */
bool twophase_keeps(const struct search *search, uint64_t state, uint32_t rule);

#endif
