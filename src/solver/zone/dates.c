#include "solver/zone/dates.h"

#include <string.h>

/* A bound t_i - t_j <= c is an edge: t_j is at least t_i - c, and one epsilon more when it is
 * strict. Earliest dates are longest paths from t_0, whose lengths are pairs (units, epsilons), the
 * larger the later, units first. A cycle of positive length, or t_0 > 0, says that there is no
 * solution.
 *
 * The edges are followed in sweeps, forward ones by ascending dates, then backward ones by
 * descending dates (Yen 1970): a path that changes direction r times is found after r + 1 sweeps,
 * and most bounds of a run, minimal durations, lead forward. A length that no path without cycles
 * can have shows a cycle early, and keeps the numbers small.
 *
 * Then epsilon. A bound with D = c - (t_i - t_j) > 0 units to spare and S more epsilons at i than
 * at j holds when S * epsilon <= D, or < D: each bound asks for a denominator of at least S / D.
 * With D = 0 it holds for any, by the order of pairs. So the smallest denominator comes from one
 * pass. For a denominator q the solution is the least one: it consists of path lengths, and in
 * every solution with denominator q each date is at least the length of each path to it. */

#define NO_BOUND UINT32_MAX

bool dates_init(struct dates *dates, struct mem *mem, uint32_t count)
{
    assert(count >= 1);
    *dates = (struct dates){.mem = mem, .count = count};
    dates->numerators = mem_try_alloc(mem, count * sizeof *dates->numerators);
    dates->strict = mem_try_alloc(mem, count * sizeof *dates->strict);
    dates->first = mem_try_alloc(mem, count * sizeof *dates->first);
    if (!dates->numerators || !dates->strict || !dates->first) return false;
    for (uint32_t i = 0; i < count; i++) dates->first[i] = NO_BOUND;
    return true;
}

void dates_release(struct dates *dates)
{
    mem_free(dates->mem, dates->bounds);
    mem_free(dates->mem, dates->numerators);
    mem_free(dates->mem, dates->strict);
    mem_free(dates->mem, dates->first);
    *dates = (struct dates){0};
}

bool dates_add(struct dates *dates, uint32_t i, uint32_t j, dbm_bound b)
{
    assert(i < dates->count && j < dates->count);
    if (b == BOUND_INFINITY) return true;
    assert(bound_constant(b) >= -DATES_LIMIT && bound_constant(b) <= DATES_LIMIT);
    if (dates->bound_count == dates->bound_cap) {
        uint64_t cap = dates->bound_cap + dates->bound_cap / UINT64_C(2) + 16;
        if (cap >= NO_BOUND) return false;
        struct dates_bound *bounds =
            mem_try_resize(dates->mem, dates->bounds, cap * sizeof *bounds);
        if (!bounds) return false;
        dates->bounds = bounds;
        dates->bound_cap = (uint32_t)cap;
    }
    dates->bounds[dates->bound_count] = (struct dates_bound){i, j, b, dates->first[i]};
    dates->first[i] = dates->bound_count++;
    return true;
}

/* Units are kept where numerators will be. */
enum relaxed { SAME, LATER, IMPOSSIBLE };

static enum relaxed relax(struct dates *dates, uint32_t i, uint32_t j, dbm_bound b)
{
    int64_t units = dates->numerators[i] - bound_constant(b);
    uint64_t strict = (uint64_t)dates->strict[i] + bound_is_strict(b);
    if (units < dates->numerators[j]
        || (units == dates->numerators[j] && strict <= dates->strict[j]))
        return SAME;
    if (j == 0 || strict >= dates->count || units > (int64_t)dates->count * DATES_LIMIT)
        return IMPOSSIBLE;
    dates->numerators[j] = units;
    dates->strict[j] = (uint32_t)strict;
    return LATER;
}

/* Follows all edges from i, those that lead forward or the others. */
static enum relaxed follow(struct dates *dates, uint32_t i, bool forward)
{
    enum relaxed all = SAME;
    for (uint32_t at = dates->first[i]; at != NO_BOUND && all != IMPOSSIBLE;
         at = dates->bounds[at].next) {
        const struct dates_bound *edge = &dates->bounds[at];
        if ((edge->j > i) != forward) continue;
        enum relaxed one = relax(dates, i, edge->j, edge->b);
        if (one != SAME) all = one;
    }
    if (forward && i + 1 < dates->count && all != IMPOSSIBLE) {
        enum relaxed one = relax(dates, i, i + 1, BOUND_ZERO);
        if (one != SAME) all = one;
    }
    return all;
}

static bool find_longest_paths(struct dates *dates)
{
    bool changed = true;
    memset(dates->numerators, 0, dates->count * sizeof *dates->numerators);
    memset(dates->strict, 0, dates->count * sizeof *dates->strict);
    for (uint64_t round = 0; changed; round++) {
        changed = false;
        if (round > dates->count) return false;
        for (uint64_t step = 0; step < 2 * (uint64_t)dates->count; step++) {
            bool forward = step < dates->count;
            enum relaxed relaxed = follow(
                dates, (uint32_t)(forward ? step : 2 * (uint64_t)dates->count - 1 - step), forward);
            if (relaxed == IMPOSSIBLE) return false;
            changed |= relaxed == LATER;
        }
    }
    return true;
}

/* The smallest denominator with which t_i - t_j < or <= c holds. */
static int64_t denominator_for(const struct dates *dates, uint32_t i, uint32_t j, dbm_bound b)
{
    int64_t spare = bound_constant(b) - (dates->numerators[i] - dates->numerators[j]);
    int64_t more = (int64_t)dates->strict[i] - dates->strict[j];
    assert(spare >= 0);
    if (spare == 0 || more <= 0) return 1;
    return bound_is_strict(b) ? more / spare + 1 : (more + spare - 1) / spare;
}

static int64_t choose_denominator(const struct dates *dates, int64_t least)
{
    uint32_t strict = 0;
    for (uint32_t i = 0; i < dates->count; i++) strict |= dates->strict[i];
    if (!strict) return 1;
    for (uint32_t i = 0; i + 1 < dates->count; i++) {
        int64_t needed = denominator_for(dates, i, i + 1, BOUND_ZERO);
        if (needed > least) least = needed;
    }
    for (uint32_t n = 0; n < dates->bound_count; n++) {
        int64_t needed =
            denominator_for(dates, dates->bounds[n].i, dates->bounds[n].j, dates->bounds[n].b);
        if (needed > least) least = needed;
    }
    return least;
}

enum dates_result dates_solve(struct dates *dates, int64_t least_denominator)
{
    assert(least_denominator >= 1);
    if (!find_longest_paths(dates)) return DATES_INFEASIBLE;
    dates->denominator = choose_denominator(dates, least_denominator);
    for (uint32_t i = 0; i < dates->count; i++) {
        int64_t *number = &dates->numerators[i];
        if (__builtin_mul_overflow(*number, dates->denominator, number)) return DATES_REFUSED;
        if (__builtin_add_overflow(*number, dates->strict[i], number)) return DATES_REFUSED;
    }
    return DATES_FOUND;
}
