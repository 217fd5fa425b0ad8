/* Operations on zones against their meaning, point by point.
 *
 * Time is dense, but a zone of n clocks with integer bounds that is not empty has a point whose
 * coordinates are multiples of 1 / (n + 1) (dbm_sample.c says why), and where two such zones differ
 * lies a zone again. So zones that agree on this grid are equal, if the box looked at is large
 * enough; half units would do for one clock only. Where an operation asks whether some delay or
 * some value of a clock exists, it is looked for on a grid twice as fine: for a given point of the
 * first grid it must lie in an interval whose ends are on the first grid. */
#include "solver/zone/measure.h"
#include "unit/unit.h"
#include "unit/zone.h"

#include <string.h>

enum { MOST_CLOCKS = 4, FINE = 2 };

struct grid {
    uint32_t clocks;
    int64_t unit; /* points are multiples of 1 / unit */
    int64_t box;  /* largest value, in whole units */
};

static struct grid grid_of(uint32_t clocks)
{
    static const int64_t boxes[] = {20, 20, 12, 5};
    return (struct grid){clocks, FINE * (clocks + 1), boxes[clocks]};
}

/* All points whose coordinates are multiples of FINE / unit; false after the last one. */
static bool next_point(const struct grid *grid, int64_t *values)
{
    for (uint32_t x = 1; x <= grid->clocks; x++) {
        values[x] += FINE;
        if (values[x] <= grid->box * grid->unit) return true;
        values[x] = 0;
    }
    return false;
}

/* ---- what operations mean ---- */

enum operation { CONSTRAIN, UP, DOWN, RESET, ASSIGN, FREE, INTERSECT, ADD, REMOVE, OPERATIONS };

struct call {
    enum operation operation;
    uint32_t x, y;
    int64_t value;
    dbm_bound b;
    const struct naive *other;
};

static bool some_value(const struct grid *grid, const struct naive *zone, const int64_t *values,
                       uint32_t x)
{
    int64_t changed[MOST_CLOCKS + 1];
    memcpy(changed, values, sizeof changed);
    for (changed[x] = 0; changed[x] <= 2 * grid->box * grid->unit; changed[x]++)
        if (naive_contains(zone, changed)) return true;
    return false;
}

static bool some_delay(const struct grid *grid, const struct naive *zone, const int64_t *values,
                       int64_t direction)
{
    for (int64_t delay = 0; delay <= 2 * grid->box * grid->unit; delay++) {
        int64_t changed[MOST_CLOCKS + 1] = {0};
        bool negative = false;
        for (uint32_t x = 1; x <= grid->clocks; x++) {
            changed[x] = values[x] + direction * delay;
            negative |= changed[x] < 0;
        }
        if (negative) return false;
        if (naive_contains(zone, changed)) return true;
    }
    return false;
}

/* Whether a point is in the result of an operation. `zone` is scaled by the grid's unit. */
static bool means(const struct grid *grid, const struct naive *zone, const struct call *call,
                  const int64_t *values)
{
    int64_t moved[MOST_CLOCKS + 2] = {0}, difference = (call->x ? values[call->x] : 0)
                                                       - (call->y ? values[call->y] : 0);
    int64_t limit = (call->b - (call->b & 1)) / 2 * grid->unit;
    switch (call->operation) {
    case CONSTRAIN:
        return naive_contains(zone, values)
               && (call->b & 1 ? difference <= limit : difference < limit);
    case UP: return some_delay(grid, zone, values, -1);
    case DOWN: return some_delay(grid, zone, values, 1);
    case RESET:
        return values[call->x] == call->value * grid->unit
               && some_value(grid, zone, values, call->x);
    case ASSIGN:
        return difference == 0
               && (call->x == call->y ? naive_contains(zone, values)
                                      : some_value(grid, zone, values, call->x));
    case FREE: return some_value(grid, zone, values, call->x);
    case INTERSECT: return naive_contains(zone, values) && naive_contains(call->other, values);
    case ADD: return values[grid->clocks] == 0 && naive_contains(zone, values);
    case REMOVE:
        for (uint32_t i = 1; i <= grid->clocks; i++) moved[i + (i >= call->x)] = values[i];
        for (moved[call->x] = 0; moved[call->x] <= 2 * grid->box * grid->unit; moved[call->x]++)
            if (naive_contains(zone, moved)) return true;
        return false;
    default: return false;
    }
}

static void perform(struct dbm *dbm, const struct call *call, const struct dbm *other)
{
    switch (call->operation) {
    case CONSTRAIN: dbm_constrain(dbm, call->x, call->y, call->b); break;
    case UP: dbm_up(dbm); break;
    case DOWN: dbm_down(dbm); break;
    case RESET: dbm_reset(dbm, call->x, call->value); break;
    case ASSIGN: dbm_assign(dbm, call->x, call->y); break;
    case FREE: dbm_free(dbm, call->x); break;
    case INTERSECT: dbm_intersect(dbm, other); break;
    case ADD: dbm_add_clock(dbm); break;
    default: dbm_remove_clock(dbm, call->x); break;
    }
}

/* How many points of the grid the matrix and the meaning disagree about. */
static uint64_t compare(const struct grid *grid, const struct naive *before,
                        const struct call *call, const struct dbm *after)
{
    int64_t values[MOST_CLOCKS + 1] = {0};
    uint64_t wrong = 0, inside = 0;
    struct naive scaled = naive_read(after, grid->unit);
    do {
        bool expected = means(grid, before, call, values);
        bool found = !dbm_is_empty(after) && naive_contains(&scaled, values);
        wrong += expected != found || found != dbm_contains(after, values, grid->unit);
        inside += found;
    } while (next_point(grid, values));
    return wrong
           + (!inside && !dbm_is_empty(after)
              && grid->clocks < 3); /* the box for three clocks is small */
}

static struct call random_call(struct random *random, enum operation operation, uint32_t clocks)
{
    struct call call = {.operation = operation,
                        .x = 1 + (uint32_t)random_below(random, clocks),
                        .y = 1 + (uint32_t)random_below(random, clocks)};
    call.value = (int64_t)random_below(random, 3);
    if (operation == CONSTRAIN) {
        call.x = (uint32_t)random_below(random, clocks + 1);
        call.y = (uint32_t)random_below(random, clocks + 1);
        call.b = random_bound(random, 3);
    }
    return call;
}

static void test_operations(struct unit *unit, struct mem *mem, uint32_t clocks, unsigned zones,
                            uint64_t seed)
{
    struct random random = {seed};
    struct dbm zone, other, result;
    dbm_init(&zone, mem, MOST_CLOCKS), dbm_init(&other, mem, MOST_CLOCKS),
        dbm_init(&result, mem, MOST_CLOCKS);
    for (unsigned n = 0; n < zones; n++)
        for (enum operation operation = 0; operation < OPERATIONS; operation++) {
            uint32_t after = operation == ADD      ? clocks + 1
                             : operation == REMOVE ? clocks - 1
                                                   : clocks;
            if (after > 3) continue;
            struct grid grid = grid_of(after);
            /* the grid of the larger number of clocks serves both zones */
            grid.unit = FINE * ((clocks > after ? clocks : after) + 1);
            random_zone(&random, &other, &result, clocks, 3, 6);
            random_zone(&random, &zone, &result, clocks, 3, 6);
            struct naive before = naive_read(&zone, grid.unit),
                         second = naive_read(&other, grid.unit);
            struct call call = random_call(&random, operation, clocks);
            call.other = &second;
            dbm_copy(&result, &zone);
            bool allowed = dbm_allows(&result, call.x, call.y, call.b);
            perform(&result, &call, &other);
            CHECK(unit, dbm_check(&zone) && dbm_check(&result) && dbm_clocks(&result) == after);
            CHECK(unit, operation != CONSTRAIN || allowed == !dbm_is_empty(&result));
            if (clocks == 3 && operation == DOWN && n % 4) continue;
            CHECK(unit, compare(&grid, &before, &call, &result) == 0);
        }
    dbm_release(&zone, mem), dbm_release(&other, mem), dbm_release(&result, mem);
}

/* Whether each point of the grid in one zone is in the other. */
static bool all_inside(const struct grid *grid, const struct dbm *dbm, const struct dbm *other)
{
    int64_t values[MOST_CLOCKS + 1] = {0};
    struct naive first = naive_read(dbm, grid->unit), second = naive_read(other, grid->unit);
    if (dbm_is_empty(dbm)) return true;
    do {
        if (naive_contains(&first, values)
            && (dbm_is_empty(other) || !naive_contains(&second, values)))
            return false;
    } while (next_point(grid, values));
    return true;
}

/* A point that shows that a zone is not included may lie outside the box: then look in a larger
 * one. */
static bool agrees(struct grid grid, const struct dbm *dbm, const struct dbm *other, bool found)
{
    if (all_inside(&grid, dbm, other) == found) return true;
    grid.box *= 2;
    return !found && !all_inside(&grid, dbm, other);
}

static void test_inclusion(struct unit *unit, struct mem *mem, uint32_t clocks, unsigned pairs)
{
    struct random random = {100 + clocks};
    struct grid grid = grid_of(clocks);
    struct dbm a, b, spare;
    unsigned included = 0, equal = 0;
    dbm_init(&a, mem, MOST_CLOCKS), dbm_init(&b, mem, MOST_CLOCKS),
        dbm_init(&spare, mem, MOST_CLOCKS);
    for (unsigned n = 0; n < pairs; n++) {
        random_zone(&random, &a, &spare, clocks, 2, 5);
        random_zone(&random, &b, &spare, clocks, 2, 3);
        if (n % 3 == 0) dbm_intersect(&a, &b);
        bool inside = dbm_included(&a, &b), outside = dbm_included(&b, &a);
        CHECK(unit, agrees(grid, &a, &b, inside) && agrees(grid, &b, &a, outside));
        CHECK(unit, dbm_equal(&a, &b) == (inside && outside));
        included += inside, equal += inside && outside;
    }
    CHECK(unit, included > pairs / 10 && included < pairs && equal);
    dbm_release(&a, mem), dbm_release(&b, mem), dbm_release(&spare, mem);
}

/* ---- more clocks: against the naive matrix, and operations against each other ---- */

static bool same(const struct dbm *dbm, const struct naive *naive)
{
    for (uint32_t i = 0; i < naive->size; i++)
        for (uint32_t j = 0; j < naive->size; j++) {
            const struct naive_bound *bound = &naive->of[i][j];
            if (dbm_at(dbm, i, j)
                != (bound->finite ? 2 * bound->constant + !bound->strict : BOUND_INFINITY))
                return false;
        }
    return true;
}

static void test_constrain(struct unit *unit, struct mem *mem, int64_t most)
{
    struct random random = {(uint64_t)most};
    struct dbm zone, spare;
    unsigned empty = 0;
    dbm_init(&zone, mem, NAIVE_MOST - 1), dbm_init(&spare, mem, NAIVE_MOST - 1);
    for (unsigned n = 0; n < 600; n++) {
        uint32_t clocks = (uint32_t)random_below(&random, NAIVE_MOST);
        struct naive naive = {.size = clocks + 1};
        dbm_all(&zone, clocks);
        dbm_all(&spare, clocks);
        for (uint32_t j = 0; j <= clocks; j++) naive_add(&naive, 0, j, 0, false);
        bool left = true;
        for (unsigned step = 0; step < 12 && left; step++) {
            uint32_t i = (uint32_t)random_below(&random, clocks + 1),
                     j = (uint32_t)random_below(&random, clocks + 1);
            dbm_bound b = random_bound(&random, most);
            if (step % 4 && b < 0) b = -b;
            naive_add(&naive, i, j, bound_constant(b), bound_is_strict(b));
            if (b < dbm_at(&spare, i, j)) dbm_set(&spare, i, j, b);
            left = naive_close(&naive);
            CHECK(unit, dbm_constrain(&zone, i, j, b) == left && dbm_is_empty(&zone) == !left);
            CHECK(unit, dbm_close(&spare) == left && (!left || same(&spare, &naive)));
            CHECK(unit, !left || (same(&zone, &naive) && dbm_check(&zone)));
        }
        empty += !left;
    }
    CHECK(unit, empty > 50 && empty < 550);
    dbm_release(&zone, mem), dbm_release(&spare, mem);
}

/* Selection against single additions, assignments and removals. */
static void test_select(struct unit *unit, struct mem *mem)
{
    struct random random = {5};
    struct dbm zone, one, other;
    enum { MOST = 24 };
    uint32_t source[MOST];
    dbm_init(&zone, mem, MOST), dbm_init(&one, mem, MOST), dbm_init(&other, mem, MOST);
    for (unsigned n = 0; n < 400; n++) {
        uint32_t clocks = (uint32_t)random_below(&random, MOST / 2),
                 after = (uint32_t)random_below(&random, MOST / 2);
        random_zone(&random, &zone, &one, clocks, 10, 3 * clocks);
        if (n % 50 == 49 && clocks)
            dbm_constrain(&zone, 0, 1, bound_strict(0)), dbm_constrain(&zone, 1, 0, bound_weak(0));
        for (uint32_t i = 0; i < after; i++)
            source[i] = (uint32_t)random_below(&random, clocks + 1);
        dbm_select(&one, &zone, source, after);
        dbm_copy(&other, &zone);
        for (uint32_t i = 0; i < after; i++) {
            dbm_add_clock(&other);
            CHECK(unit, dbm_check(&other));
            if (source[i]) dbm_assign(&other, clocks + 1 + i, source[i]);
        }
        for (uint32_t i = 0; i < clocks; i++) dbm_remove_clock(&other, 1);
        CHECK(unit, dbm_check(&one) && dbm_check(&other) && dbm_equal(&one, &other));
        CHECK(unit, dbm_is_empty(&one) == dbm_is_empty(&zone));
    }
    dbm_release(&zone, mem), dbm_release(&one, mem), dbm_release(&other, mem);
}

/* Every operation leaves an empty zone empty; zones of no clocks. */
static void test_borders(struct unit *unit, struct mem *mem)
{
    struct dbm zone, other;
    int64_t values[3] = {0};
    dbm_init(&zone, mem, 3), dbm_init(&other, mem, 3);
    int32_t constants[] = {0, 1, 1};
    CHECK(unit, dbm_clocks(&zone) == 0 && !dbm_is_empty(&zone) && dbm_check(&zone)
                    && dbm_close(&zone) && dbm_contains(&zone, values, 1));
    dbm_up(&zone), dbm_down(&zone);
    CHECK(unit,
          dbm_intersect(&zone, &other) && dbm_included(&zone, &other) && dbm_equal(&zone, &other));
    CHECK(unit, dbm_included_lu(&zone, &other, NULL, NULL));
    CHECK(unit, !dbm_extrapolate_m(&zone, NULL) && !dbm_extrapolate_lu_plus(&zone, NULL, NULL)
                    && dbm_sample(&zone, values) == 1);
    CHECK(unit, dbm_constrain(&zone, 0, 0, BOUND_ZERO)
                    && !dbm_constrain(&zone, 0, 0, bound_strict(0)) && dbm_is_empty(&zone));
    CHECK(unit,
          !dbm_equal(&zone, &other) && dbm_included(&zone, &other) && !dbm_included(&other, &zone));
    CHECK(unit, !dbm_included_lu(&other, &zone, NULL, NULL));
    for (enum operation operation = 0; operation < OPERATIONS; operation++) {
        dbm_zero(&other, 2);
        dbm_make_empty(&zone, 2);
        struct call call = {.operation = operation, .x = 1, .y = 2, .b = bound_weak(5)};
        perform(&zone, &call, &other);
        CHECK(unit, dbm_is_empty(&zone) && dbm_check(&zone));
    }
    dbm_make_empty(&zone, 2);
    CHECK(unit,
          !dbm_extrapolate_m(&zone, constants) && !dbm_extrapolate_lu(&zone, constants, constants));
    CHECK(unit, !dbm_extrapolate_lu_plus(&zone, constants, constants) && !dbm_close(&zone)
                    && !dbm_allows(&zone, 1, 0, BOUND_INFINITY));
    CHECK(unit, !dbm_contains(&zone, values, 1) && dbm_is_empty(&zone));
    dbm_all(&other, 2);
    CHECK(unit, !dbm_intersect(&other, &zone) && dbm_equal(&other, &zone));
    dbm_all(&zone, 2), dbm_all(&other, 2);
    dbm_set(&zone, 0, 1, bound_weak(7)), dbm_set(&zone, 2, 2, BOUND_INFINITY),
        dbm_set(&zone, 1, 1, bound_weak(1));
    CHECK(unit, dbm_close(&zone)
                    && dbm_equal(&zone, &other)); /* clocks are not negative, whatever was set */
    dbm_set(&zone, 2, 2, bound_strict(0));
    CHECK(unit, !dbm_close(&zone) && dbm_is_empty(&zone));
    /* x > 1 is above 1 as well as x >= 2: the difference to another clock does not matter */
    dbm_zero(&zone, 2), dbm_up(&zone), dbm_constrain(&zone, 0, 1, bound_strict(-1));
    CHECK(unit, dbm_extrapolate_lu_plus(&zone, constants, constants));
    CHECK(unit, dbm_at(&zone, 1, 2) == BOUND_INFINITY && dbm_at(&zone, 2, 1) == BOUND_INFINITY);
    CHECK(unit, dbm_at(&zone, 0, 1) == bound_strict(-1) && dbm_at(&zone, 0, 2) == bound_strict(-1));
    dbm_release(&zone, mem), dbm_release(&other, mem);
}

/* Constants at the limit, in chains that add them all up; and many clocks. */
static void test_large(struct unit *unit, struct mem *mem)
{
    enum { MOST = 300 };
    struct dbm zone, other;
    static int64_t values[MOST + 1];
    CHECK(unit, dbm_init(&zone, mem, MOST) && dbm_init(&other, mem, MOST));
    CHECK(unit, bound_fits(BOUND_LIMIT) && bound_fits(-BOUND_LIMIT)
                    && !bound_fits(BOUND_LIMIT + INT64_C(1)) && !bound_fits(INT64_MIN));
    dbm_all(&zone, MOST);
    for (uint32_t x = 1; x <= MOST; x++) {
        CHECK(unit, dbm_constrain(&zone, x, x - 1, bound_weak(BOUND_LIMIT)));
        CHECK(unit,
              dbm_constrain(&zone, x - 1, x,
                            x % 3 ? bound_weak(-BOUND_LIMIT) : bound_strict(1 - BOUND_LIMIT)));
    }
    CHECK(unit, dbm_at(&zone, MOST, 0) == 2 * (int64_t)MOST * BOUND_LIMIT + 1);
    CHECK(unit, dbm_at(&zone, 0, MOST) == -2 * ((int64_t)MOST * BOUND_LIMIT - MOST / 3));
    CHECK(unit, dbm_sample(&zone, values) == 1 && dbm_contains(&zone, values, 1)
                    && values[MOST] == (int64_t)MOST * BOUND_LIMIT);
    dbm_copy(&other, &zone);
    CHECK(unit, dbm_close(&other) && dbm_equal(&zone, &other));
    CHECK(unit, !dbm_constrain(&other, MOST, 0, bound_weak(BOUND_LIMIT)));
    static int32_t limits[MOST + 1];
    for (uint32_t x = 0; x <= MOST; x++) limits[x] = BOUND_LIMIT;
    CHECK(unit, dbm_extrapolate_lu_plus(&zone, limits, limits)
                    && dbm_at(&zone, MOST, 0) == BOUND_INFINITY && dbm_check(&zone));
    dbm_release(&zone, mem), dbm_release(&other, mem);
}

/* The point is in the zone; no smaller denominator has one, and no point with this one is smaller
 * anywhere. */
static void test_sample(struct unit *unit, struct mem *mem)
{
    struct random random = {77};
    struct dbm zone, spare;
    unsigned fractions[MOST_CLOCKS + 2] = {0};
    dbm_init(&zone, mem, MOST_CLOCKS), dbm_init(&spare, mem, MOST_CLOCKS);
    for (unsigned n = 0; n < 1500; n++) {
        uint32_t clocks = 1 + n % 3;
        random_zone(&random, &zone, &spare, clocks, 3, 4);
        if (n % 2) { /* few zones need fractions: each clock before the next one, all within little
                        time */
            dbm_all(&zone, clocks);
            for (uint32_t x = 1; x <= clocks; x++)
                dbm_constrain(&zone, x - 1, x,
                              random_below(&random, 4) ? bound_strict(0) : bound_weak(0));
            dbm_constrain(&zone, clocks, 0, bound_strict(1 + (int64_t)random_below(&random, 2)));
        }
        int64_t least[MOST_CLOCKS + 1] = {0}, q = dbm_sample(&zone, least);
        CHECK(unit, q >= 1 && q <= clocks + 1 && dbm_contains(&zone, least, q));
        fractions[q]++;
        bool good = true;
        for (int64_t unit_q = 1; unit_q <= q; unit_q++) {
            struct naive scaled = naive_read(&zone, unit_q);
            struct grid grid = {clocks, FINE, 8 * unit_q};
            int64_t twice[MOST_CLOCKS + 1] = {0}, values[MOST_CLOCKS + 1];
            do {
                for (uint32_t x = 0; x <= clocks; x++) values[x] = twice[x] / FINE;
                if (!naive_contains(&scaled, values)) continue;
                good &= unit_q == q;
                for (uint32_t x = 1; x <= clocks; x++) good &= values[x] >= least[x];
            } while (next_point(&grid, twice));
        }
        CHECK(unit, good);
    }
    CHECK(unit, fractions[1] > 100 && fractions[2] > 100 && fractions[3] > 20 && fractions[4] > 20);
    dbm_release(&zone, mem), dbm_release(&spare, mem);
}

/* ---- extrapolation ---- */

/* Whether a point of the zone simulates this one, by definition: in each clock it may be smaller if
 * it stays above L, and larger if the value was above U already. The zone is scaled by the grid's
 * unit. */
static bool simulated(const struct grid *grid, const struct naive *zone, const int64_t *values,
                      const int32_t *lower, const int32_t *upper)
{
    struct naive cut = *zone;
    for (uint32_t x = 1; x <= grid->clocks; x++) {
        bool above_l = lower[x] < 0 || values[x] > lower[x] * grid->unit,
             above_u = upper[x] < 0 || values[x] > upper[x] * grid->unit;
        if (!above_l) naive_add(&cut, 0, x, -values[x], false);
        else if (lower[x] >= 0) naive_add(&cut, 0, x, -lower[x] * grid->unit, true);
        if (!above_u) naive_add(&cut, x, 0, values[x], false);
    }
    return naive_close(&cut);
}

/* Whether all points of the grid in one zone are simulated by the other. */
static bool all_simulated(const struct grid *grid, const struct dbm *dbm, const struct dbm *other,
                          const int32_t *lower, const int32_t *upper)
{
    int64_t values[MOST_CLOCKS + 1] = {0};
    struct naive first = naive_read(dbm, grid->unit), second = naive_read(other, grid->unit);
    do {
        if (naive_contains(&first, values) && !simulated(grid, &second, values, lower, upper))
            return false;
    } while (next_point(grid, values));
    return true;
}

static void random_constants(struct random *random, uint32_t clocks, int32_t *lower, int32_t *upper,
                             int32_t *most)
{
    for (uint32_t x = 0; x <= clocks; x++) {
        lower[x] = (int32_t)random_below(random, 5) - 1;
        upper[x] = (int32_t)random_below(random, 5) - 1;
        most[x] = lower[x] > upper[x] ? lower[x] : upper[x];
    }
}

static void test_extrapolation(struct unit *unit, struct mem *mem, uint32_t clocks, unsigned zones)
{
    struct random random = {900 + clocks};
    struct grid grid = grid_of(clocks);
    struct dbm zone, m, lu, plus, again;
    unsigned coarser[3] = {0};
    dbm_init(&zone, mem, MOST_CLOCKS), dbm_init(&m, mem, MOST_CLOCKS),
        dbm_init(&lu, mem, MOST_CLOCKS);
    dbm_init(&plus, mem, MOST_CLOCKS), dbm_init(&again, mem, MOST_CLOCKS);
    for (unsigned n = 0; n < zones; n++) {
        int32_t lower[MOST_CLOCKS + 1], upper[MOST_CLOCKS + 1], most[MOST_CLOCKS + 1];
        random_constants(&random, clocks, lower, upper, most);
        random_zone(&random, &zone, &again, clocks, 4, 6);
        dbm_copy(&m, &zone), dbm_copy(&lu, &zone), dbm_copy(&plus, &zone);
        bool changed_m = dbm_extrapolate_m(&m, most),
             changed_lu = dbm_extrapolate_lu(&lu, lower, upper);
        bool changed_plus = dbm_extrapolate_lu_plus(&plus, lower, upper);
        CHECK(unit, dbm_check(&m) && dbm_check(&lu) && dbm_check(&plus));
        CHECK(unit, dbm_included(&zone, &m) && dbm_included(&m, &lu) && dbm_included(&lu, &plus));
        CHECK(unit, (changed_m || dbm_equal(&zone, &m)) && (changed_lu || dbm_equal(&zone, &lu))
                        && (changed_plus || dbm_equal(&zone, &plus)));
        coarser[0] += !dbm_equal(&zone, &m), coarser[1] += !dbm_equal(&m, &lu),
            coarser[2] += !dbm_equal(&lu, &plus);
        dbm_copy(&again, &plus), dbm_extrapolate_lu_plus(&again, lower, upper);
        CHECK(unit, dbm_equal(&again, &plus));
        dbm_copy(&again, &lu), dbm_extrapolate_lu(&again, lower, upper);
        CHECK(unit, dbm_equal(&again, &lu));
        CHECK(unit, all_simulated(&grid, &plus, &zone, lower, upper)
                        && dbm_included_lu(&plus, &zone, lower, upper));
        CHECK(unit, all_simulated(&grid, &m, &zone, most, most)
                        && dbm_included_lu(&m, &zone, most, most));
    }
    for (unsigned kind = 0; kind < 3; kind++)
        CHECK(unit, coarser[kind] > zones / 20 || (kind == 2 && clocks < 2));
    dbm_release(&zone, mem), dbm_release(&m, mem), dbm_release(&lu, mem), dbm_release(&plus, mem),
        dbm_release(&again, mem);
}

static void test_included_lu(struct unit *unit, struct mem *mem, uint32_t clocks, unsigned pairs)
{
    struct random random = {4000 + clocks};
    struct grid grid = grid_of(clocks);
    struct dbm a, b, spare;
    unsigned yes = 0, more = 0, apart = 0;
    dbm_init(&a, mem, MOST_CLOCKS), dbm_init(&b, mem, MOST_CLOCKS),
        dbm_init(&spare, mem, MOST_CLOCKS);
    for (unsigned n = 0; n < pairs; n++) {
        int32_t lower[MOST_CLOCKS + 1], upper[MOST_CLOCKS + 1], most[MOST_CLOCKS + 1];
        random_constants(&random, clocks, lower, upper, most);
        random_zone(&random, &a, &spare, clocks, 2, 5);
        random_zone(&random, &b, &spare, clocks, 2, 5);
        bool found = dbm_included_lu(&a, &b, lower, upper);
        bool expected = all_simulated(&grid, &a, &b, lower, upper);
        struct grid larger = {clocks, grid.unit, 2 * grid.box}; /* as in `agrees` */
        CHECK(unit, found == expected || (!found && !all_simulated(&larger, &a, &b, lower, upper)));
        dbm_copy(&spare, &b), dbm_extrapolate_lu_plus(&spare, lower, upper);
        CHECK(unit, found || !dbm_included(&a, &spare));
        const struct measure small = measure_of_lu(&a, lower, upper),
                             large = measure_of_lu(&b, lower, upper);
        CHECK(unit, !found || measure_may_include(&large, &small));
        apart += !measure_may_include(&large, &small);
        yes += found, more += found && !dbm_included(&a, &spare);
    }
    CHECK(unit, yes > pairs / 10 && yes < pairs && (clocks < 2 || more) && apart > pairs / 10);
    dbm_release(&a, mem), dbm_release(&b, mem), dbm_release(&spare, mem);
}

int main(void)
{
    struct unit unit = {0};
    struct mem mem;
    mem_init(&mem);
    test_borders(&unit, &mem);
    test_operations(&unit, &mem, 1, 150, 1);
    test_operations(&unit, &mem, 2, 60, 2);
    test_operations(&unit, &mem, 3, 16, 3);
    for (uint32_t clocks = 1; clocks <= 3; clocks++) {
        test_inclusion(&unit, &mem, clocks, clocks == 3 ? 150 : 600);
        test_extrapolation(&unit, &mem, clocks, clocks == 3 ? 100 : 400);
        test_included_lu(&unit, &mem, clocks, clocks == 3 ? 200 : 1000);
    }
    test_constrain(&unit, &mem, 6);
    test_constrain(&unit, &mem, BOUND_LIMIT);
    test_select(&unit, &mem);
    test_large(&unit, &mem);
    test_sample(&unit, &mem);
    CHECK(&unit, mem.used == 0);
    mem_release(&mem);
    return unit_finish(&unit);
}
