/* The fewest constraints that say what a canonical matrix says (Larsen, Larsson, Pettersson, Yi
 * 1997).
 *
 * Two clocks (or a clock and the reference) are tied when their difference has one value in the
 * whole zone. Of each class of tied clocks the first is its leader; a tied clock is described by
 * its leader and the difference. Between leaders there is no cycle of weight 0, so exactly the
 * bounds that do not follow from two others must be kept: a unique set. Bounds x >= 0 are never
 * kept: they always hold. */
#ifndef CAIRN_SOLVER_ZONE_REDUCTION_H
#define CAIRN_SOLVER_ZONE_REDUCTION_H

#include "solver/zone/dbm.h"

struct zone_reduction {
    uint32_t size;    /* of the matrix */
    uint32_t *leader; /* of each clock 0 .. size - 1; its own where it leads */
    uint32_t leaders;
    uint32_t *clocks; /* the leaders, ascending; the first is 0 */
    uint32_t kept_count;
    uint32_t stride;
    dbm_bound
        *kept; /* the bound between leaders number a and b, at a * stride + b; infinite: not kept */
    uint32_t capacity; /* largest size there is room for */
    dbm_bound *matrix; /* scratch */
};

/* Room for matrices of `size` rows. False when memory is refused. */
bool reduction_reserve(struct zone_reduction *reduction, struct mem *mem, uint32_t size);
void reduction_release(struct zone_reduction *reduction, struct mem *mem);
/* The zone is not empty and there is room. O(n^3) */
void reduction_compute(struct zone_reduction *reduction, const struct dbm *dbm);

#endif
