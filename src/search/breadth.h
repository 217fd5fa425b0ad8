/* Breadth-first order: the set is the queue. */
#ifndef CAIRN_SEARCH_BREADTH_H
#define CAIRN_SEARCH_BREADTH_H

#include "search/order.h"

extern const struct order breadth_order;

#endif
