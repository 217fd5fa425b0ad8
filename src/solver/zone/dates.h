/* When do the steps of a run happen? Dates t_0 = 0 <= t_1 <= ... <= t_k under bounds on their
 * differences, as early as possible.
 *
 * Strict bounds need fractions: t_1 > 0 has no earliest solution. Hence dates are infima plus a
 * number of epsilons, and one epsilon is 1 / denominator, the same for all dates: an exact solution
 * in integers over a common denominator. */
#ifndef CAIRN_SOLVER_ZONE_DATES_H
#define CAIRN_SOLVER_ZONE_DATES_H

#include "solver/zone/dbm.h"

struct dates_bound {
    uint32_t i, j; /* t_i - t_j < or <= c */
    dbm_bound b;
    uint32_t next; /* bound with the same i */
};

struct dates {
    struct mem *mem;
    uint32_t count; /* dates, k + 1 */
    uint32_t bound_count, bound_cap;
    struct dates_bound *bounds;
    int64_t
        denominator; /* the solution, after DATES_FOUND: date i is numerators[i] / denominator */
    int64_t *numerators;
    uint32_t *strict; /* scratch: epsilons of each date */
    uint32_t *first;  /* of the bounds with this i, the last one added */
};

enum dates_result { DATES_FOUND, DATES_INFEASIBLE, DATES_REFUSED };

/* `count` >= 1 dates, so far without bounds but for their order. False when memory is refused. */
bool dates_init(struct dates *dates, struct mem *mem, uint32_t count);
void dates_release(struct dates *dates);
/* t_i - t_j < or <= c, at most DATES_LIMIT in magnitude: sums of some constants are. Infinity says
 * nothing. False when memory is refused. */
#define DATES_LIMIT (INT64_C(8) * BOUND_LIMIT)
bool dates_add(struct dates *dates, uint32_t i, uint32_t j, dbm_bound b);

/* The earliest dates: each date has its infimum, plus as many epsilons as strict bounds force on
 * it. Integers when no strict bound matters; else the denominator is the smallest one >=
 * least_denominator (>= 1) with which all bounds hold. Each date is then the least possible for
 * this denominator, also lexicographically, and so are the delays. 2 gives halves rather than whole
 * units for an epsilon; it never needs to be more than `count`, whatever the bounds. DATES_REFUSED:
 * no memory, or the numbers leave 64 bits. O(bounds) for each change of direction on a longest
 * path, O(count * bounds) at worst and for infeasible bounds. */
enum dates_result dates_solve(struct dates *dates, int64_t least_denominator);

#endif
