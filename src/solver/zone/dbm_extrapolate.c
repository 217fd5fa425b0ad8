#include "solver/zone/rows.h"
#include "solver/zone/dbm.h"

/* Zones have infinitely many forms, but a run of a timed automaton cannot tell apart values of a
 * clock that are larger than all constants it will be compared with. Extrapolation forgets such
 * bounds. With c(i, j) the bound of x_i - x_j, L and U as in dbm.h:
 *
 *     Extra_LU:   c(i, j) > L(i)     forgotten
 *                 -c(i, j) > U(j)    < -U(j)
 *     Extra_LU+:  c(i, j) > L(i)     forgotten
 *                 -c(0, i) > L(i)    forgotten: all of clock i is above L(i)
 *                 -c(0, j) > U(j)    forgotten, and < -U(j) for i = 0
 *
 * and Extra_M is Extra_LU with L = U = M. "Forgotten" is infinite, and a lower bound that is
 * forgotten is 0. The literature defines them on canonical matrices; the result is a matrix that is
 * not canonical, so it is closed again. We take a lower bound x > U(x) for one with -c(0, x) >
 * U(x): all that the last two rules need is that every value is above the constant. Others compare
 * constants only (TChecker), and keep more zones where a clock is compared with one constant from
 * both sides.
 *
 * Inclusion in a_LU (Herbreteau, Srivathsan, Walukiewicz, LICS 2012): v is simulated by v' when in
 * each clock x they are equal, or v'(x) < v(x) and L(x) < v'(x), or v'(x) > v(x) and U(x) < v(x).
 * a_LU(Z') is what is simulated by points of Z'; no convex set, but Z is not inside exactly when
 * two clocks (or one and the reference) say so: there are x, y with
 *
 *     c(0, x) >= (<=, -U(x))  and  c'(y, x) < c(y, x)  and  c'(y, x) + (<, -L(y)) < c(0, x).
 *
 * Without an L(y) the third is false, without a U(x) the first one is. */

static dbm_bound at(const struct dbm *dbm, uint32_t i, uint32_t j) { return dbm_at(dbm, i, j); }

/* Whether b, a bound of x - y, has a larger constant. */
static bool is_above(dbm_bound b, int32_t constant)
{
    return constant == BOUND_NONE || b > bound_weak(constant);
}

/* Whether b, a bound of y - x, says that x - y is always larger than the constant. */
static bool is_below(dbm_bound b, int32_t constant)
{
    return constant == BOUND_NONE || b < bound_weak(-(int64_t)constant);
}

static dbm_bound forget_lower(int32_t constant)
{
    return constant == BOUND_NONE ? BOUND_ZERO : bound_strict(-(int64_t)constant);
}

static bool change(struct dbm *dbm, uint32_t i, uint32_t j, dbm_bound b)
{
    if (at(dbm, i, j) == b) return false;
    dbm_set(dbm, i, j, b);
    return true;
}

bool dbm_extrapolate_m(struct dbm *dbm, const int32_t *most)
{
    return dbm_extrapolate_lu(dbm, most, most);
}

bool dbm_extrapolate_lu(struct dbm *dbm, const int32_t *lower, const int32_t *upper)
{
    bool changed = false;
    if (dbm_is_empty(dbm)) return false;
    for (uint32_t i = 1; i < dbm->size; i++)
        for (uint32_t j = 0; j < dbm->size; j++) {
            if (i == j) continue;
            if (is_above(at(dbm, i, j), lower[i])) changed |= change(dbm, i, j, BOUND_INFINITY);
            else if (j && is_below(at(dbm, i, j), upper[j]))
                changed |= change(dbm, i, j,
                                  upper[j] == BOUND_NONE ? BOUND_INFINITY
                                                         : bound_strict(-(int64_t)upper[j]));
        }
    for (uint32_t j = 1; j < dbm->size; j++)
        if (is_below(at(dbm, 0, j), upper[j])) changed |= change(dbm, 0, j, forget_lower(upper[j]));
    if (changed) dbm_close(dbm);
    return changed;
}

/* Row 0 comes last: the others look at it. */
bool dbm_extrapolate_lu_plus(struct dbm *dbm, const int32_t *lower, const int32_t *upper)
{
    bool changed = false;
    if (dbm_is_empty(dbm)) return false;
    for (uint32_t i = 1; i < dbm->size; i++) {
        bool all = is_below(at(dbm, 0, i), lower[i]);
        for (uint32_t j = 0; j < dbm->size; j++)
            if (i != j
                && (all || is_above(at(dbm, i, j), lower[i])
                    || (j && is_below(at(dbm, 0, j), upper[j]))))
                changed |= change(dbm, i, j, BOUND_INFINITY);
    }
    for (uint32_t j = 1; j < dbm->size; j++)
        if (is_below(at(dbm, 0, j), upper[j])) changed |= change(dbm, 0, j, forget_lower(upper[j]));
    if (changed) dbm_close(dbm);
    return changed;
}

static bool tells_apart(const struct dbm *dbm, const struct dbm *other, uint32_t y, uint32_t x,
                        int32_t lower, int32_t upper)
{
    dbm_bound theirs = at(other, y, x);
    if (theirs >= at(dbm, y, x) || lower == BOUND_NONE || upper == BOUND_NONE) return false;
    return at(dbm, 0, x) >= bound_weak(-(int64_t)upper)
           && bound_add(theirs, bound_strict(-(int64_t)lower)) < at(dbm, 0, x);
}

static ROWS_INLINE bool included_body(const struct dbm *dbm, const struct dbm *other,
                                      const int32_t *lower, const int32_t *upper, bool wide)
{
    for (uint32_t y = 0; y < dbm->size; y++) {
        size_t start = (size_t)y * dbm->stride;
        if (!rows_exceed(wide, dbm->entries + start, other->entries + start, dbm->stride)) continue;
        for (uint32_t x = 0; x < dbm->size; x++)
            if (tells_apart(dbm, other, y, x, y ? lower[y] : 0, x ? upper[x] : 0)) return false;
    }
    return true;
}

ROWS_WIDE static bool included_wide(const struct dbm *dbm, const struct dbm *other,
                                    const int32_t *lower, const int32_t *upper)
{
    return included_body(dbm, other, lower, upper, true);
}

bool dbm_included_lu(const struct dbm *dbm, const struct dbm *other, const int32_t *lower,
                     const int32_t *upper)
{
    assert(dbm->size == other->size);
    if (dbm_is_empty(dbm) || dbm_is_empty(other)) return dbm_is_empty(dbm);
    return rows_wide() ? included_wide(dbm, other, lower, upper)
                       : included_body(dbm, other, lower, upper, false);
}
