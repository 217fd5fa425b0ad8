/* Depth-first order. */
#ifndef CAIRN_SEARCH_DEPTH_H
#define CAIRN_SEARCH_DEPTH_H

#include "search/order.h"

extern const struct order depth_order;

#endif
