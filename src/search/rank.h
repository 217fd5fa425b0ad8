/* Past-Free[ze] order (Teodorov, Le Roux, Dhaussy). */
#ifndef CAIRN_SEARCH_RANK_H
#define CAIRN_SEARCH_RANK_H

#include "search/order.h"

extern const struct order rank_order;

#endif
