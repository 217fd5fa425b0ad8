/* A search that is divided by p-points as in paper 003, with a hidden position: finds violations,
 * but coverage is not guaranteed. */
#ifndef CAIRN_SEARCH_HIDDEN_H
#define CAIRN_SEARCH_HIDDEN_H

#include "search/order.h"

extern const struct order hidden_order;

#endif
