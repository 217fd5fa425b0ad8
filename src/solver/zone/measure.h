/* What is quickly compared of two zones of equally many clocks: when one lies in the other, none of
 * its sums is larger, and its bits are bits of the other. */
#ifndef CAIRN_SOLVER_ZONE_MEASURE_H
#define CAIRN_SOLVER_ZONE_MEASURE_H

#include "solver/zone/dbm.h"

enum { MEASURE_SUMS = 4 };

struct measure {
    int32_t sums[MEASURE_SUMS]; /* of bounds, each of them in one sum */
    uint32_t infinite;          /* which bounds are infinite, a bit for several of them */
};

struct measure measure_of(const struct dbm *dbm);
/* The same for simulation (dbm_included_lu) by the bounds L and U. */
struct measure measure_of_lu(const struct dbm *dbm, const int32_t *lower, const int32_t *upper);

static inline bool measure_may_include(const struct measure *large, const struct measure *small)
{
    bool may = !(small->infinite & ~large->infinite);
    for (unsigned i = 0; i < MEASURE_SUMS; i++) may &= small->sums[i] <= large->sums[i];
    return may;
}

#endif
