/* A search of a part of the state space that satisfies the same properties without X (partial-order
 * reduction, Two-Phase). See twophase.c. */
#ifndef CAIRN_SEARCH_TWOPHASE_H
#define CAIRN_SEARCH_TWOPHASE_H

#include "search/order.h"

extern const struct order twophase_order;

#endif
