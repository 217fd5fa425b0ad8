/* Topological orders of an automaton's states. A search that follows an order keeps the cluster of
 * a state in memory from the moment when the state is first reached until it has been dealt with,
 * so a good order has few states that are reached and not yet dealt with at any time.
 *
 * The reached-future metric of an order is 1 + the largest |R_i|, where R_i are the states after
 * the i-th that are reached from the first i. */
#ifndef CAIRN_AUTOMATON_ACTIVITY_ORDER_H
#define CAIRN_AUTOMATON_ACTIVITY_ORDER_H

#include "automaton/activity/dag.h"

/* The metric of an order (order[i] is the state at place i); of the numbers as they are when order
 * is NULL. False: refused. */
bool order_metric(const struct dag *dag, const uint32_t *order, uint32_t *metric);
/* For tests and checks: whether it has every state once, and every edge leads on. */
bool order_is_topological(const struct dag *dag, const uint32_t *order);

enum { ORDER_METHODS = 13 };

struct order_row {
    const char *name;
    uint32_t metric; /* 0: not tried, because the automaton is too large for this method */
};

struct order_table {
    struct order_row rows[ORDER_METHODS];
    uint32_t best; /* the row with the smallest metric, the first of equals */
};

/* Tries the methods, each linear or nearly so, those that cost more on small automata only.
 * `*order` is the best one found, state 0 first; the caller frees it. On BUILD_REFUSED it is NULL.
 */
enum build_status order_best(const struct dag *dag, struct order_table *table, uint32_t **order);

#endif
