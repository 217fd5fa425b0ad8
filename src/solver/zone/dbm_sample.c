#include "solver/zone/dbm.h"

/* A point of a zone with a given denominator q: times q, all bounds are integers and so is the
 * point, so x - y < c means x - y <= qc - 1. Such a system has a least solution that is not
 * negative, or none: raise values from 0 as long as a bound demands it (Bellman, Ford).
 *
 * Which q? The system has a solution when no cycle of bounds is negative. A cycle in a zone that is
 * not empty has a sum of constants c > 0, or 0 without strict bounds. With s strict bounds it asks
 * for qc >= s, and s <= clocks + 1 on a cycle that visits no clock twice. So what suffices for q
 * suffices for larger q, and clocks + 1 always suffices: the smallest one is found by bisection.
 * For the same reason points with denominator clocks + 1 tell apart all zones of that many clocks:
 * the unit test compares sets by them. */

bool dbm_contains(const struct dbm *dbm, const int64_t *values, int64_t denominator)
{
    if (dbm_is_empty(dbm)) return false;
    for (uint32_t i = 0; i < dbm->size; i++)
        for (uint32_t j = 0; j < dbm->size; j++) {
            dbm_bound b = dbm_at(dbm, i, j);
            if (b == BOUND_INFINITY) continue;
            __int128 difference = (__int128)(i ? values[i] : 0) - (j ? values[j] : 0),
                     most = (__int128)bound_constant(b) * denominator;
            if (difference > most || (difference == most && bound_is_strict(b))) return false;
        }
    return true;
}

/* False: there is no point, with certainty after as many rounds as there are clocks. */
static bool solve(const struct dbm *dbm, int64_t *values, int64_t denominator)
{
    bool changed = true;
    for (uint32_t i = 0; i < dbm->size; i++) values[i] = 0;
    for (uint32_t round = 0; changed && round <= dbm->size; round++) {
        changed = false;
        for (uint32_t i = 0; i < dbm->size; i++)
            for (uint32_t j = 0; j < dbm->size; j++) {
                dbm_bound b = dbm_at(dbm, i, j);
                if (b == BOUND_INFINITY) continue;
                int64_t least = values[i] - bound_constant(b) * denominator + bound_is_strict(b);
                if (least <= values[j]) continue;
                if (!j) return false;
                values[j] = least;
                changed = true;
            }
    }
    return !changed;
}

int64_t dbm_sample(const struct dbm *dbm, int64_t *values)
{
    assert(!dbm_is_empty(dbm));
    int64_t too_small = 0, enough = dbm->size;
    while (enough - too_small > 1) {
        int64_t middle = too_small ? too_small + (enough - too_small) / 2
                                   : 1; /* most zones have an integer point */
        if (solve(dbm, values, middle)) enough = middle;
        else too_small = middle;
    }
    bool found = solve(dbm, values, enough);
    assert(found);
    (void)found;
    return enough;
}
