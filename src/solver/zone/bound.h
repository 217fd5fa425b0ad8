/* Bounds on clocks and on differences of clocks, as numbers that compare as they tighten. */
#ifndef CAIRN_SOLVER_ZONE_BOUND_H
#define CAIRN_SOLVER_ZONE_BOUND_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* "< c" is 2c and "<= c" is 2c + 1: a smaller number is a tighter bound. */
typedef int64_t dbm_bound;
#define BOUND_INFINITY INT64_MAX
#define BOUND_ZERO ((dbm_bound)1) /* <= 0 */
enum { BOUND_LIMIT = 1 << 30 };

static inline bool bound_fits(int64_t constant)
{
    return constant >= -BOUND_LIMIT && constant <= BOUND_LIMIT;
}
static inline dbm_bound bound_weak(int64_t constant)
{
    assert(bound_fits(constant));
    return 2 * constant + 1;
}
static inline dbm_bound bound_strict(int64_t constant)
{
    assert(bound_fits(constant));
    return 2 * constant;
}
static inline bool bound_is_strict(dbm_bound b) { return !(b & 1); }
/* The constant; not of infinity. */
static inline int64_t bound_constant(dbm_bound b) { return b >> 1; }
static inline dbm_bound bound_add(dbm_bound a, dbm_bound b)
{
    return a == BOUND_INFINITY || b == BOUND_INFINITY ? BOUND_INFINITY : a + b - ((a | b) & 1);
}
/* x - y <= c is false when y - x < -c. Not of infinity. */
static inline dbm_bound bound_negate(dbm_bound b) { return 1 - b; }

#endif
