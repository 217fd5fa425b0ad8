/* Zones: sets of clock valuations given by bounds on clocks and on differences of clocks, as
 * difference bound matrices (Dill 1989).
 *
 * A matrix over n clocks has n + 1 rows and columns; clock 0 is the reference clock, always 0.
 * Entry (i, j) bounds x_i - x_j from above, so column 0 has the upper bounds of clocks and row 0
 * their negated lower bounds. Clocks are never negative. Constants are integers (who has rational
 * ones scales them), time is dense.
 *
 * Every operation takes canonical matrices and leaves canonical ones: each entry is the tightest
 * bound that follows from all of them. The exception is dbm_set, after which dbm_close must come. A
 * zone without points is empty; operations keep it empty, but dbm_zero, dbm_all and the targets of
 * copies start afresh. No operation allocates: matrices are made once, for the most clocks they
 * will ever have, and change their number of clocks freely below that.
 *
 * Overflow. A constant given to an operation is at most BOUND_LIMIT in magnitude (asserted;
 * bound_fits for those who diagnose). An entry is a sum of at most one given constant per operation
 * in the zone's history and clock, hence 2^31 operations away from the 64 bits it is kept in.
 * (Intersection adds both histories.) */
#ifndef CAIRN_SOLVER_ZONE_DBM_H
#define CAIRN_SOLVER_ZONE_DBM_H

#include "base/mem.h"
#include "solver/zone/bound.h"

#include <assert.h>

struct dbm {
    uint32_t size;      /* clocks + 1 */
    uint32_t stride;    /* of rows: size rounded up; what is between is infinite */
    uint32_t most;      /* clocks there is room for */
    dbm_bound *entries; /* entry (0, 0) below BOUND_ZERO: empty, the others then mean nothing */
};

/* Room for `most` clocks; starts as the zone of 0 clocks. False when memory is refused. */
bool dbm_init(struct dbm *dbm, struct mem *mem, uint32_t most);
void dbm_release(struct dbm *dbm, struct mem *mem);

/* A matrix of so many clocks in memory of the caller's, who has room for so many entries. */
size_t dbm_room(uint32_t clocks);
struct dbm dbm_in(dbm_bound *entries, uint32_t clocks);

static inline uint32_t dbm_clocks(const struct dbm *dbm) { return dbm->size - 1; }
/* The bound of x_i - x_j. */
static inline dbm_bound dbm_at(const struct dbm *dbm, uint32_t i, uint32_t j)
{
    return dbm->entries[(size_t)i * dbm->stride + j];
}
static inline bool dbm_is_empty(const struct dbm *dbm) { return dbm->entries[0] < BOUND_ZERO; }

/* Whether time may pass for ever from its points: no clock has an upper bound. */
static inline bool dbm_is_unbounded(const struct dbm *dbm)
{
    for (uint32_t i = 1; i < dbm->size; i++)
        if (dbm_at(dbm, i, 0) != BOUND_INFINITY) return false;
    return true;
}

/* The zone of that many clocks in which all are 0; in which each has any value >= 0. */
void dbm_zero(struct dbm *dbm, uint32_t clocks);
void dbm_all(struct dbm *dbm, uint32_t clocks);
void dbm_make_empty(struct dbm *dbm, uint32_t clocks);
void dbm_copy(struct dbm *to, const struct dbm *from);

/* Sets single entries of a matrix, any values; then dbm_close makes it canonical (Floyd, Warshall).
 * O(n^3) */
static inline void dbm_set(struct dbm *dbm, uint32_t i, uint32_t j, dbm_bound b)
{
    dbm->entries[(size_t)i * dbm->stride + j] = b;
}
bool dbm_close(struct dbm *dbm); /* false: empty */

/* ---- operations on one zone ---- */

/* Adds x_i - x_j < or <= c. False: now empty. O(n^2), O(1) when nothing changes. */
bool dbm_constrain(struct dbm *dbm, uint32_t i, uint32_t j, dbm_bound b);
/* Whether some point of the zone has x_i - x_j < or <= c. O(1) */
bool dbm_allows(const struct dbm *dbm, uint32_t i, uint32_t j, dbm_bound b);
/* Lets time pass; lets time have passed (what could become a point of the zone). */
void dbm_up(struct dbm *dbm);
void dbm_down(struct dbm *dbm);
/* x := value (0 .. BOUND_LIMIT), x := y, x := anything >= 0. */
void dbm_reset(struct dbm *dbm, uint32_t x, int64_t value);
void dbm_assign(struct dbm *dbm, uint32_t x, uint32_t y);
void dbm_free(struct dbm *dbm, uint32_t x);
/* A new last clock of value 0 (there must be room); a clock less, those behind it move up. */
void dbm_add_clock(struct dbm *dbm);
void dbm_remove_clock(struct dbm *dbm, uint32_t x);
/* The zone of other clocks: new clock i (1 .. clocks) continues old clock source[i - 1], or is new
 * and 0 when that is 0. An old clock may be continued by several or none. `to` is another matrix,
 * with room for the clocks. O(clocks^2) */
void dbm_select(struct dbm *to, const struct dbm *from, const uint32_t *source, uint32_t clocks);

/* ---- operations on two zones of equally many clocks ---- */

bool dbm_intersect(struct dbm *dbm, const struct dbm *other);      /* false: now empty */
bool dbm_included(const struct dbm *dbm, const struct dbm *other); /* dbm in other */
bool dbm_equal(const struct dbm *a, const struct dbm *b);

/* ---- extrapolation (dbm_extrapolate.c) ---- */

/* lower[x] and upper[x] (L and U in the literature) are the largest constants with which clock x is
 * compared from below (x > c, x >= c) and from above (x < c, x <= c) in the future, BOUND_NONE when
 * it is not; at most BOUND_LIMIT. Entry 0 is not looked at: real clocks only. Constraints on
 * differences of clocks (diagonals) are not allowed in the future of an extrapolated zone. */
enum { BOUND_NONE = -1 };

/* Replace the zone by a larger one with the same future, of which there are finitely many
 * (Behrmann, Bouyer, Larsen, Pelanek 2006), each larger than the one before. Return whether the
 * zone has changed. O(n^3), O(n^2) when it has not. */
bool dbm_extrapolate_m(struct dbm *dbm, const int32_t *most);
bool dbm_extrapolate_lu(struct dbm *dbm, const int32_t *lower, const int32_t *upper);
bool dbm_extrapolate_lu_plus(struct dbm *dbm, const int32_t *lower, const int32_t *upper);

/* Whether every point of dbm is simulated by a point of other, as far as L and U can tell: dbm in
 * a_LU(other), the coarsest abstraction that is sound for reachability (Herbreteau, Srivathsan,
 * Walukiewicz 2012). Neither needs to be extrapolated. O(n^2) */
bool dbm_included_lu(const struct dbm *dbm, const struct dbm *other, const int32_t *lower,
                     const int32_t *upper);

/* ---- points (dbm_sample.c) ---- */

/* Whether the point values[x] / denominator (entry 0 is not looked at, the denominator > 0) is in
 * the zone. */
bool dbm_contains(const struct dbm *dbm, const int64_t *values, int64_t denominator);
/* The least point of a zone that is not empty, as values[x] / denominator with the smallest
 * denominator for which the zone has a point: 1 where there is an integer point, never more than
 * clocks + 1. "Least": in every clock, among those with this denominator. Returns the denominator;
 * values has clocks + 1 entries. */
int64_t dbm_sample(const struct dbm *dbm, int64_t *values);

/* Whether the invariants hold (canonical form, padding); for tests. */
bool dbm_check(const struct dbm *dbm);

#endif
