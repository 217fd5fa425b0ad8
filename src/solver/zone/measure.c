/* Column j counts in sum j modulo 4, so that vectors serve; bounds are cut so that sums fit, which
 * keeps their order. What lies behind the last column is infinite in all zones of a size, and makes
 * no difference. */
#include "solver/zone/measure.h"

#include "solver/zone/rows.h"

_Static_assert((int)MEASURE_SUMS == (int)ROWS_LANES, "a lane is a sum");
enum { LANE_BITS = 32 / MEASURE_SUMS };

static ROWS_INLINE struct measure measure_body(const struct dbm *dbm, bool wide)
{
    const size_t all = (size_t)dbm->size * dbm->stride;
    const dbm_bound most = INT32_MAX / ((dbm_bound)(all / MEASURE_SUMS) + 1);
    dbm_bound sums[MEASURE_SUMS] = {0}, infinite[MEASURE_SUMS] = {0};
    if (wide) {
        rows_vector sum = {0}, bits = {0}, mosts = most | (rows_vector){0},
                    infinities = BOUND_INFINITY | (rows_vector){0};
        for (size_t at = 0; at < all; at += ROWS_LANES) {
            rows_vector bound = *(const rows_vector *)(dbm->entries + at), over = bound > mosts,
                        under = bound < -mosts;
            bits |= (bound == infinities) & ((dbm_bound)1 << at / ROWS_LANES % LANE_BITS);
            sum += (mosts & over) | (-mosts & under) | (bound & ~(over | under));
        }
        for (unsigned k = 0; k < MEASURE_SUMS; k++) sums[k] = sum[k], infinite[k] = bits[k];
    } else {
        for (size_t at = 0; at < all; at++) {
            dbm_bound bound = dbm->entries[at];
            if (bound == BOUND_INFINITY)
                infinite[at % MEASURE_SUMS] |= (dbm_bound)1 << at / ROWS_LANES % LANE_BITS;
            sums[at % MEASURE_SUMS] += bound > most ? most : bound < -most ? -most : bound;
        }
    }
    struct measure measure = {0};
    for (unsigned k = 0; k < MEASURE_SUMS; k++) {
        measure.sums[k] = (int32_t)sums[k];
        measure.infinite |= (uint32_t)infinite[k] << k * LANE_BITS;
    }
    return measure;
}

ROWS_WIDE static struct measure measure_wide(const struct dbm *dbm)
{
    return measure_body(dbm, true);
}

struct measure measure_of(const struct dbm *dbm)
{
    return rows_wide() ? measure_wide(dbm) : measure_body(dbm, false);
}

static dbm_bound cut(dbm_bound b, dbm_bound most)
{
    return b > most ? most : b < -most ? -most : b;
}

/* Of a zone that lies in a_LU of another, no clock has a smaller lower bound than there, unless
 * both are above U, and none a larger upper one, unless both are above L: the conditions of
 * dbm_extrapolate.c with the reference as one of the two clocks. So bounds beyond U and L count as
 * equal. Even and odd clocks have sums of their own. */
struct measure measure_of_lu(const struct dbm *dbm, const int32_t *lower, const int32_t *upper)
{
    const dbm_bound most = INT32_MAX / (dbm_bound)dbm->size;
    dbm_bound sums[MEASURE_SUMS] = {0};
    for (uint32_t x = 1; x < dbm->size; x++) {
        const dbm_bound low = dbm_at(dbm, 0, x), high = dbm_at(dbm, x, 0);
        if (upper[x] != BOUND_NONE) {
            const dbm_bound beyond = bound_strict(-(int64_t)upper[x]);
            sums[x % 2] += cut(low < beyond ? beyond : low, most);
        }
        if (lower[x] != BOUND_NONE) {
            const dbm_bound beyond = bound_weak(lower[x]) + 1;
            sums[2 + x % 2] += cut(high > beyond ? beyond : high, most);
        }
    }
    struct measure measure = {0};
    for (unsigned k = 0; k < MEASURE_SUMS; k++) measure.sums[k] = (int32_t)sums[k];
    return measure;
}
