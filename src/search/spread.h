/* Breadth-first order by several peers (base/peers.h): each owns the states that a hash gives it,
 * expands those, and sends others to their owners. Peers meet where a level ends. So counts, depth,
 * verdicts and lengths of runs are those of one process, whatever the number of peers; a search
 * that is decided earlier ends with a whole level. */
#ifndef CAIRN_SEARCH_SPREAD_H
#define CAIRN_SEARCH_SPREAD_H

#include "search/order.h"

extern const struct order spread_order;

/* After the search, by all peers: numbers become their sums, and maxima. False: a peer has failed.
 */
bool spread_unite(const struct task *task, uint64_t *sums, uint32_t sum_count, uint64_t *maxima,
                  uint32_t maximum_count);
/* After that, when it is known which locations this one has reached: what all
 * have. False: a peer has failed. */
bool spread_part(struct search *search);

#endif
