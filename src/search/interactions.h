/* The order of the fewest interactions with a guide that lead to a state. */
#ifndef CAIRN_SEARCH_INTERACTIONS_H
#define CAIRN_SEARCH_INTERACTIONS_H

#include "search/order.h"

extern const struct order interactions_order;

#endif
