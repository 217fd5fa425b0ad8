/* Best-first order: see best.c. */
#ifndef CAIRN_SEARCH_BEST_H
#define CAIRN_SEARCH_BEST_H

#include "search/order.h"

extern const struct order best_order;

#endif
