/* The order that is divided by p-points (paper 003; docs/partitioning.md): p-path by p-path, so
 * that only the partition at hand must be in memory, and exactly: the union of the partitions is
 * the whole state space. */
#ifndef CAIRN_SEARCH_PARTITION_H
#define CAIRN_SEARCH_PARTITION_H

#include "search/order.h"

extern const struct order partition_order;

#endif
