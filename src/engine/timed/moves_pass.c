/* Time that passes where it is not plain: urgent rules with clock guards, and differences of
 * clocks.
 *
 * Urgent rules. An urgent rule that is enabled, clocks aside, has a convex set g of valuations in
 * which its guards hold, and lets no time pass beyond the first moment in it. Let D be the past of
 * g, and F its strict future: the future of g with all lower bounds strict. From a valuation v that
 * is entered,
 *
 *     v + d is reached, d > 0,  exactly when  v is not in D, or v + d is not in F.
 *
 * When v is not in D, g is never met. When v is in D and v + d - e is in g, e > 0: if e <= d, g was
 * met on the way, before the end; if e > d, v lies between two points of g, hence in it. Conversely
 * a point of g on the way, before the end, has v + d in its strict future. So what was entered is
 * cut into parts, each of which lies in or outside of D of every such rule, and from a part P
 *
 *     P  and  up(P), within the deadlines, minus F of the rules in whose D it lies
 *
 * is reached: several zones, which time does not lead from one to the other any more, because that
 * has been done. The same says what can happen later (moves_subtract_futures): from a point of P a
 * rule can be taken, in a part C of the whole space, exactly if the point is in C or in the past of
 * C minus F.
 *
 * Differences. Extra-LU+ adds v to a zone that has w only where in every clock x they are equal, or
 * L(x) < w(x) < v(x), or U(x) < v(x) < w(x); then w simulates v, if clocks are compared with
 * constants only. With differences it still does when v and w satisfy the same constraints on
 * differences, among those of the model whose two clocks are active: delays keep that; guards and
 * invariants are kept by both; and where a step sets x to n, n - y < c is y > n - c, for which v
 * and w have y in common or both above: L and U of y are at least that constant (clocks.c). An
 * inactive clock is set before it is compared with any other. So a zone is first cut along these
 * constraints (Bengtsson, Yi 2003), each part is extrapolated on its own, and what of it is on the
 * other side of a cut is taken away again: what is left is simulated by points of the part. There
 * are finitely many zones, because there are finitely many extrapolated ones and finitely many
 * cuts. With L = U the two are even bisimilar, which deadlocks need (zoned.c).
 *
 * Invariant: (1) a part lies on one side of every cut. */
#include "engine/timed/moves.h"

#include <assert.h>

/* ---- urgent rules ---- */

/* The next group of guards, from bound number *at on, as a zone; false: there is none. An empty
 * zone: they never hold. */
static bool next_group(const struct config *config, uint32_t *at, struct dbm *zone)
{
    while (*at < config->bound_count && !config_bound(config, *at)->group) ++*at;
    if (*at == config->bound_count) return false;
    const uint32_t group = config_bound(config, *at)->group;
    dbm_all(zone, config->count);
    for (; *at < config->bound_count && config_bound(config, *at)->group == group; ++*at) {
        const struct config_bound *bound = config_bound(config, *at);
        dbm_constrain(zone, bound->x, bound->y, bound->bound);
    }
    return true;
}

static bool meets(struct dbm *room, const struct dbm *zone, const struct dbm *other)
{
    dbm_copy(room, zone);
    return dbm_intersect(room, other);
}

/* Cuts zone number k of moves->split: what of it is outside of D of some urgent rule comes behind
 * the others, so that it lies in or outside of each. False: memory was refused. */
static bool cut_by_groups(struct moves *moves, const struct config *config, uint32_t k)
{
    for (uint32_t at = 0; next_group(config, &at, &moves->other);) {
        struct dbm zone = federation_get(&moves->split, k);
        dbm_down(&moves->other);
        if (!meets(&moves->guarded, &zone, &moves->other) || dbm_included(&zone, &moves->other))
            continue;
        federation_clear(&moves->open, config->count);
        if (!federation_add(&moves->open, &zone)
            || !federation_subtract(&moves->open, &moves->other))
            return false;
        dbm_copy(&zone, &moves->guarded);
        for (uint32_t i = 0; i < moves->open.count; i++) {
            const struct dbm outside = federation_get(&moves->open, i);
            if (!federation_add(&moves->split, &outside)) return false;
        }
    }
    return true;
}

static void make_strict_future(struct dbm *zone)
{
    if (dbm_is_empty(zone)) return;
    dbm_up(zone);
    for (uint32_t i = 1; i < zone->size; i++)
        dbm_set(zone, 0, i, 2 * bound_constant(dbm_at(zone, 0, i)));
    dbm_close(zone);
}

/* Takes what is beyond the urgent rules that concern the part from a federation. *touches: some of
 * the part itself is there. False: memory was refused. */
static bool subtract_beyond(struct moves *moves, const struct config *config,
                            const struct dbm *part, struct federation *from, bool *touches)
{
    *touches = false;
    for (uint32_t at = 0, next; next = at, next_group(config, &next, &moves->other); at = next) {
        dbm_down(&moves->other);
        if (!meets(&moves->guarded, part, &moves->other)) continue;
        assert(dbm_included(part, &moves->other)); /* it was cut */
        next_group(config, &at, &moves->other);
        make_strict_future(&moves->other);
        *touches |= meets(&moves->guarded, part, &moves->other);
        if (!federation_subtract(from, &moves->other)) return false;
    }
    return true;
}

static bool add_all(struct federation *to, const struct federation *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        const struct dbm zone = federation_get(from, i);
        if (!federation_add(to, &zone)) return false;
    }
    return true;
}

/* moves->next becomes zones in moves->passed. */
static bool pass_rushing(struct moves *moves, const struct config *config)
{
    federation_clear(&moves->split, config->count);
    if (!federation_add(&moves->split, &moves->next)) return false;
    for (uint32_t k = 0; k < moves->split.count; k++) {
        bool touches;
        if (!cut_by_groups(moves, config, k)) return false;
        const struct dbm part = federation_get(&moves->split, k);
        dbm_copy(&moves->guarded, &part);
        dbm_up(&moves->guarded);
        moves_stop(&moves->guarded, config);
        federation_clear(&moves->open, config->count);
        if (!federation_add(&moves->open, &moves->guarded)
            || !subtract_beyond(moves, config, &part, &moves->open, &touches)
            || !add_all(&moves->passed, &moves->open)
            || (touches && !federation_add(&moves->passed, &part)))
            return false;
    }
    return true;
}

static bool subtract_all(struct federation *from, const struct federation *zones)
{
    for (uint32_t i = 0; i < zones->count; i++) {
        const struct dbm zone = federation_get(zones, i);
        if (!federation_subtract(from, &zone)) return false;
    }
    return true;
}

bool moves_subtract_futures(struct moves *moves, const struct moves_rule *rules, uint32_t count)
{
    const struct config *config = &moves->config;
    bool touches;
    federation_clear(&moves->split, config->count);
    federation_clear(&moves->rest, config->count);
    if (!federation_add(&moves->split, &moves->guarded)) return false;
    for (uint32_t k = 0; k < moves->split.count; k++) {
        if (!cut_by_groups(moves, config, k)) return false;
        const struct dbm part = federation_get(&moves->split, k);
        federation_clear(&moves->open, config->count);
        if (!federation_add(&moves->open, &part)) return false;
        for (uint32_t r = 0; r < count && moves->open.count; r++) {
            dbm_all(&moves->other, config->count);
            if (!moves_within_invariants(&moves->other, config)
                || !moves_within_chance(moves, &moves->other, &rules[r]))
                continue;
            federation_clear(&moves->passed, config->count);
            if (!federation_add(&moves->passed, &moves->other)
                || (moves_has_unless(moves, rules[r].rule)
                    && !moves_subtract_unless(moves, rules[r].rule, &moves->passed))
                || !subtract_all(&moves->open, &moves->passed)
                || !subtract_beyond(moves, config, &part, &moves->passed, &touches))
                return false;
            for (uint32_t i = 0; i < moves->passed.count; i++) {
                struct dbm past = federation_get(&moves->passed, i);
                dbm_down(&past);
                if (!federation_subtract(&moves->open, &past)) return false;
            }
        }
        if (!add_all(&moves->rest, &moves->open)) return false;
    }
    return true;
}

/* The bounds from *at on are those of one urgent rule, up to another group. Cuts moves->guarded by
 * them one after the other: what is outside comes to moves->open, what meets all stays. */
static bool cut_by_bounds(struct moves *moves, uint32_t at)
{
    const struct config *config = &moves->config;
    const uint32_t group = config_bound(config, at)->group;
    struct dbm *zone = &moves->guarded;
    for (; at < config->bound_count && !dbm_is_empty(zone); at++) {
        const struct config_bound *bound = config_bound(config, at);
        if (bound->group != group) break;
        dbm_copy(&moves->other, zone);
        if (dbm_constrain(&moves->other, bound->y, bound->x, bound_negate(bound->bound))
            && !federation_add(&moves->open, &moves->other))
            return false;
        dbm_constrain(zone, bound->x, bound->y, bound->bound);
    }
    return true;
}

bool moves_sort(struct moves *moves, struct federation *zones, struct federation *still)
{
    const struct config *config = &moves->config;
    assert(zones->clocks == config->count && still->clocks == config->count);
    for (uint32_t at = 0, next; next = at, next_group(config, &next, &moves->other); at = next) {
        while (!config_bound(config, at)->group) at++;
        federation_clear(&moves->open, config->count);
        for (uint32_t i = 0; i < zones->count; i++) {
            const struct dbm zone = federation_get(zones, i);
            dbm_copy(&moves->guarded, &zone);
            if (!cut_by_bounds(moves, at)
                || (!dbm_is_empty(&moves->guarded) && !federation_add(still, &moves->guarded)))
                return false;
        }
        federation_clear(zones, config->count);
        if (!add_all(zones, &moves->open)) return false;
    }
    return true;
}

/* ---- differences ---- */

/* The clocks of a diagonal in zones of the configuration; false: one of them is not active. */
static bool find_clocks(const struct moves *moves, const struct config *config,
                        const struct clock_diagonal *diagonal, uint32_t *x, uint32_t *y)
{
    const uint32_t timers = moves->timers->list.len;
    *x = config_clock_of(config, timers + diagonal->x);
    *y = config_clock_of(config, timers + diagonal->y);
    return *x && *y;
}

/* Cuts zone number k of moves->passed: one side comes behind the others. */
static bool cut_by_diagonals(struct moves *moves, const struct config *config, uint32_t k)
{
    const struct clocks *clocks = moves->clocks;
    for (uint32_t i = 0; i < clocks->diagonals.len; i++) {
        const struct clock_diagonal *diagonal = &clocks->diagonals.data[i];
        struct dbm zone = federation_get(&moves->passed, k);
        uint32_t x, y;
        if (!find_clocks(moves, config, diagonal, &x, &y) || dbm_at(&zone, x, y) <= diagonal->bound
            || !dbm_allows(&zone, x, y, diagonal->bound))
            continue;
        dbm_copy(&moves->other, &zone);
        dbm_constrain(&moves->other, y, x, bound_negate(diagonal->bound));
        dbm_constrain(&zone, x, y, diagonal->bound);
        if (!federation_add(&moves->passed, &moves->other)) return false;
    }
    return true;
}

/* Extrapolates a part, and takes away again what lies beyond cuts. */
static void extrapolate_part(struct moves *moves, const struct config *config, struct dbm *zone)
{
    const struct clocks *clocks = moves->clocks;
    dbm_copy(&moves->other, zone);
    moves_extrapolate(moves, zone, config);
    for (uint32_t i = 0; i < clocks->diagonals.len; i++) {
        const struct clock_diagonal *diagonal = &clocks->diagonals.data[i];
        uint32_t x, y;
        if (!find_clocks(moves, config, diagonal, &x, &y)) continue;
        const bool holds = dbm_at(&moves->other, x, y) <= diagonal->bound;
        assert(holds || !dbm_allows(&moves->other, x, y, diagonal->bound)); /* (1) */
        const bool some = holds ? moves_tighten(zone, x, y, diagonal->bound)
                                : moves_tighten(zone, y, x, bound_negate(diagonal->bound));
        assert(some); /* the part itself is there */
        (void)some;
    }
}

/* The zones in moves->passed. */
static bool extrapolate_all(struct moves *moves, const struct config *config)
{
    for (uint32_t k = 0; k < moves->passed.count; k++) {
        if (!cut_by_diagonals(moves, config, k)) return false;
        struct dbm zone = federation_get(&moves->passed, k);
        extrapolate_part(moves, config, &zone);
    }
    return true;
}

bool moves_part(struct moves *moves, const struct config *config)
{
    federation_clear(&moves->passed, config->count);
    return federation_add(&moves->passed, &moves->next) && extrapolate_all(moves, config);
}

bool moves_pass(struct moves *moves, const struct config *config)
{
    if (moves_rushes(config) && !moves->stays) {
        federation_clear(&moves->passed, config->count);
        return pass_rushing(moves, config) && extrapolate_all(moves, config);
    }
    if (!config->urgent && !moves->stays) {
        dbm_up(&moves->next);
        moves_stop(&moves->next, config);
    }
    return moves_part(moves, config);
}
