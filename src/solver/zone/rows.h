/* Loops over rows of matrices, where the time goes. Each exists twice: with 256-bit vectors, for
 * processors that have them (AVX2), and plainly. A function that uses them is written once, as an
 * inline body with a constant `wide`, and compiled for both:
 *
 *     static ROWS_INLINE bool close_body(struct dbm *dbm, bool wide) { ... rows_relax(wide, ...)
 *         ... }
 *     ROWS_WIDE static bool close_wide(struct dbm *dbm) { return close_body(dbm, true); }
 *     bool dbm_close(struct dbm *dbm) { return rows_wide() ? close_wide(dbm) : close_body(dbm,
 *         false); }
 *
 * Rows have a multiple of ROWS_LANES entries; those past the last clock are infinite, and stay so.
 * The degenerate build takes the plain loops, so that both are tested. Compilers find the vectors
 * by themselves at higher levels of optimisation only, and not the best ones. */
#ifndef CAIRN_SOLVER_ZONE_ROWS_H
#define CAIRN_SOLVER_ZONE_ROWS_H

#include "solver/zone/dbm.h"

enum { ROWS_LANES = 4 };

#define ROWS_INLINE inline __attribute__((always_inline))
#if defined(__x86_64__) && !defined(CAIRN_DEGENERATE)
#define ROWS_WIDE __attribute__((target("avx2")))
static inline bool rows_wide(void) { return __builtin_cpu_supports("avx2"); }
#else
#define ROWS_WIDE
static inline bool rows_wide(void) { return false; }
#endif

typedef dbm_bound rows_vector __attribute__((vector_size(8 * ROWS_LANES), aligned(8), may_alias));
typedef uint64_t rows_unsigned __attribute__((
    vector_size(8 * ROWS_LANES))); /* sums with infinity overflow before they are put aside */

static inline uint32_t rows_stride(uint32_t size)
{
    return (size + ROWS_LANES - 1) / ROWS_LANES * ROWS_LANES;
}

/* to[j] = min(to[j], b + via[j]) for a finite b. A sum is strict unless both parts are weak: b
 * without its last bit, plus via[j] without its last bit too when b is strict. */
static ROWS_INLINE void rows_relax(bool wide, dbm_bound *restrict to, const dbm_bound *restrict via,
                                   dbm_bound b, uint32_t stride)
{
    dbm_bound base = b & ~(dbm_bound)1, mask = b | ~(dbm_bound)1;
    if (wide) {
        rows_unsigned bases = (uint64_t)base | (rows_unsigned){0};
        rows_vector masks = mask | (rows_vector){0}, infinite = BOUND_INFINITY | (rows_vector){0};
        for (uint32_t j = 0; j < stride; j += ROWS_LANES) {
            rows_vector other = *(const rows_vector *)(via + j), old = *(rows_vector *)(to + j);
            rows_vector sum = (rows_vector)(bases + (rows_unsigned)(other & masks));
            rows_vector take = (sum < old) & (other != infinite);
            *(rows_vector *)(to + j) = (sum & take) | (old & ~take);
        }
    } else {
        for (uint32_t j = 0; j < stride; j++) {
            dbm_bound sum = via[j] == BOUND_INFINITY ? BOUND_INFINITY : base + (via[j] & mask);
            to[j] = sum < to[j] ? sum : to[j];
        }
    }
}

/* Where b + via[j] <= row[j], that is where row[j] follows from two others: kept[j] = infinity. */
static ROWS_INLINE void rows_mark(bool wide, dbm_bound *restrict kept,
                                  const dbm_bound *restrict row, const dbm_bound *restrict via,
                                  dbm_bound b, uint32_t stride)
{
    dbm_bound base = b & ~(dbm_bound)1, mask = b | ~(dbm_bound)1;
    if (wide) {
        rows_unsigned bases = (uint64_t)base | (rows_unsigned){0};
        rows_vector masks = mask | (rows_vector){0}, infinite = BOUND_INFINITY | (rows_vector){0};
        for (uint32_t j = 0; j < stride; j += ROWS_LANES) {
            rows_vector other = *(const rows_vector *)(via + j), old = *(rows_vector *)(kept + j);
            rows_vector sum = (rows_vector)(bases + (rows_unsigned)(other & masks));
            rows_vector take = (sum <= *(const rows_vector *)(row + j)) & (other != infinite);
            *(rows_vector *)(kept + j) = (infinite & take) | (old & ~take);
        }
    } else {
        for (uint32_t j = 0; j < stride; j++) {
            dbm_bound sum = via[j] == BOUND_INFINITY ? BOUND_INFINITY : base + (via[j] & mask);
            kept[j] = sum <= row[j] ? BOUND_INFINITY : kept[j];
        }
    }
}

/* Whether some a[j] > b[j]. */
static ROWS_INLINE bool rows_exceed(bool wide, const dbm_bound *a, const dbm_bound *b,
                                    uint32_t stride)
{
    if (wide) {
        rows_vector over = {0};
        for (uint32_t j = 0; j < stride; j += ROWS_LANES)
            over |= *(const rows_vector *)(a + j) > *(const rows_vector *)(b + j);
        return over[0] | over[1] | over[2] | over[3];
    }
    for (uint32_t j = 0; j < stride; j++)
        if (a[j] > b[j]) return true;
    return false;
}

#endif
