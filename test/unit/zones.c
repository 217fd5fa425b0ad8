/* Storage of zones, unions of zones, dates: round trips, brute force, refused memory. */
#include "solver/zone/dates.h"
#include "solver/zone/federation.h"
#include "solver/zone/zones.h"
#include "unit/unit.h"
#include "unit/zone.h"

#include <string.h>

/* ---- reduction and storage ---- */

/* The kept bounds and ties suffice, and without any one of them they do not (x >= 0 is known). */
static void test_reduction(struct unit *unit, struct mem *mem)
{
    struct random random = {3};
    struct zone_reduction reduction = {0};
    struct dbm zone, spare;
    uint32_t ties = 0, kept = 0;
    dbm_init(&zone, mem, NAIVE_MOST - 1), dbm_init(&spare, mem, NAIVE_MOST - 1);
    CHECK(unit, reduction_reserve(&reduction, mem, NAIVE_MOST));
    for (unsigned n = 0; n < 400; n++) {
        uint32_t clocks = n % NAIVE_MOST;
        random_zone(&random, &zone, &spare, clocks, 4, 3 * clocks);
        reduction_compute(&reduction, &zone);
        ties += reduction.size - reduction.leaders, kept += reduction.kept_count;
        for (uint32_t without = 0; without <= reduction.kept_count; without++) {
            dbm_all(&spare, clocks);
            uint32_t number = 0;
            for (uint32_t i = 0; i <= clocks; i++)
                dbm_set(&spare, i, reduction.leader[i], dbm_at(&zone, i, reduction.leader[i]));
            for (uint32_t i = 0; i <= clocks; i++)
                dbm_set(&spare, reduction.leader[i], i, dbm_at(&zone, reduction.leader[i], i));
            for (uint32_t a = 0; a < reduction.leaders; a++)
                for (uint32_t b = 0; b < reduction.leaders; b++) {
                    dbm_bound bound = reduction.kept[a * reduction.stride + b];
                    if (bound != BOUND_INFINITY && ++number != without)
                        dbm_set(&spare, reduction.clocks[a], reduction.clocks[b], bound);
                }
            CHECK(unit, dbm_close(&spare) && dbm_equal(&spare, &zone) == !without
                            && number == reduction.kept_count);
        }
    }
    CHECK(unit, ties > 100 && kept > 400);
    reduction_release(&reduction, mem);
    dbm_release(&zone, mem), dbm_release(&spare, mem);
}

enum { STORED = 700, CLOCKS = 21 };

/* Interned zones against a list of them; loaded again at once and at the end. */
static void test_intern(struct unit *unit, struct mem *mem, uint64_t seed, uint32_t clocks,
                        int64_t most)
{
    static struct dbm known[STORED];
    struct random random = {seed};
    struct zones zones;
    struct dbm zone, spare;
    uint64_t id;
    uint32_t count = 0, again = 0, included = 0;
    dbm_init(&zone, mem, CLOCKS), dbm_init(&spare, mem, CLOCKS);
    CHECK(unit, zones_init(&zones, mem));
    for (unsigned n = 0; n < STORED; n++) {
        uint32_t here = clocks ? 1 + (uint32_t)random_below(&random, clocks)
                               : (uint32_t)random_below(&random, 4);
        if (n % 100 == 99) dbm_make_empty(&zone, here);
        else
            random_zone(&random, &zone, &spare, here, most,
                        1 + (uint32_t)random_below(&random, 3 * here + 1));
        uint32_t expected = 0;
        while (expected < count && !dbm_equal(&known[expected], &zone)) expected++;
        enum zones_result result = zones_intern(&zones, &zone, &id);
        CHECK(unit, id == expected && result == (expected == count ? ZONES_NEW : ZONES_KNOWN));
        if (result == ZONES_NEW && dbm_init(&known[count], mem, here))
            dbm_copy(&known[count++], &zone);
        else again++;
        zones_load(&zones, id, &spare);
        CHECK(unit,
              dbm_check(&spare) && dbm_equal(&spare, &zone) && zones_clocks(&zones, id) == here);
        for (unsigned tries = 0; tries < 10; tries++) {
            uint32_t other = (uint32_t)random_below(&random, count);
            if (known[other].size != zone.size) continue;
            CHECK(unit, zones_include(&zones, other, &zone) == dbm_included(&zone, &known[other]));
            included += other != id && dbm_included(&zone, &known[other]);
        }
        if (n % 97 == 0) CHECK(unit, zones_check(&zones));
    }
    CHECK(unit, zones.count == count && zones_check(&zones) && again > 0 && included > 0);
    CHECK(unit, zones_bytes(&zones) >= zones.string_bytes && zones_bytes(&zones) <= mem->used);
    for (uint32_t k = 0; k < count; k++) {
        zones_load(&zones, k, &spare);
        CHECK(unit, dbm_equal(&spare, &known[k]));
        dbm_release(&known[k], mem);
    }
    zones_release(&zones);
    dbm_release(&zone, mem), dbm_release(&spare, mem);
    CHECK(unit, mem->used == 0);
}

/* As an engine makes them: 14 clocks, steps with invariants, guards and resets. What they take in
 * memory. */
static void test_bytes(struct unit *unit, struct mem *mem, bool print)
{
    enum { N = 14 };
    struct random random = {14};
    struct zones zones;
    struct dbm zone, spare;
    uint64_t id, steps = 0;
    dbm_init(&zone, mem, N), dbm_init(&spare, mem, N);
    zones_init(&zones, mem);
    dbm_zero(&zone, N);
    while (steps < 3000) {
        dbm_copy(&spare, &zone);
        dbm_up(&zone);
        bool good = true;
        for (uint32_t x = 1; x <= N; x += 2)
            good = good && dbm_constrain(&zone, x, 0, bound_weak(50 + 70 * (int64_t)x));
        uint32_t x = 1 + (uint32_t)random_below(&random, N),
                 y = 1 + (uint32_t)random_below(&random, N);
        good =
            good && dbm_constrain(&zone, 0, x, bound_weak(-(int64_t)random_below(&random, 30 * x)));
        if (!good) {
            dbm_copy(&zone, &spare);
            dbm_reset(&zone, x, 0);
            continue;
        }
        zones_intern(&zones, &zone, &id);
        zones_load(&zones, id, &spare);
        CHECK(unit, dbm_equal(&zone, &spare));
        dbm_reset(&zone, x, 0);
        if (steps++ % 3 == 0) dbm_reset(&zone, y, 0);
    }
    double mean = (double)zones.string_bytes / zones.count;
    if (print) printf("zones of %d clocks: %u, %.1f bytes each\n", N, zones.count, mean);
    CHECK(unit, zones.count > 2000 && mean < 100);
    zones_release(&zones);
    dbm_release(&zone, mem), dbm_release(&spare, mem);
}

/* Zones with very many clocks: strings longer than a chunk; bounds that are too large are refused,
 * not damaged. */
static void test_long(struct unit *unit, struct mem *mem)
{
    enum { N = 480, ZONES = 3 };
    struct random random = {8};
    struct zones zones;
    struct dbm zone, spare;
    uint64_t ids[ZONES];
    dbm_init(&zone, mem, N), dbm_init(&spare, mem, N);
    zones_init(&zones, mem);
    for (uint32_t n = 0; n < ZONES; n++) {
        dbm_all(&zone, N);
        for (uint32_t i = 1; i <= N && n != 1;
             i++) /* almost a metric: hardly any bound follows from two others */
            for (uint32_t j = 1; j <= N; j++)
                if (i != j)
                    dbm_set(&zone, i, j,
                            bound_weak(BOUND_LIMIT / 2
                                       + (int64_t)random_below(&random, BOUND_LIMIT / 2)));
        CHECK(unit, dbm_close(&zone) && zones_intern(&zones, &zone, &ids[n]) == ZONES_NEW
                        && zones_check(&zones));
        zones_load(&zones, ids[n], &spare);
        CHECK(unit, dbm_equal(&zone, &spare) && zones_include(&zones, ids[n], &zone));
    }
    CHECK(unit, zones.string_bytes > 2 * (1 << 20) && ids[2] == 2);
    dbm_all(&zone, 2);
    dbm_set(&zone, 1, 0, INT64_C(1) << 55);
    CHECK(unit, zones_intern(&zones, &zone, &ids[0]) == ZONES_REFUSED && zones.count == ZONES
                    && zones_check(&zones));
    zones_release(&zones);
    dbm_release(&zone, mem), dbm_release(&spare, mem);
}

/* Many small sets with their work in common: each has its own zones, and costs little. */
static void test_sharing(struct unit *unit, struct mem *mem)
{
    enum { SETS = 50, EACH = 30 };
    static struct zones sets[SETS];
    static uint64_t ids[SETS][EACH];
    struct zones_work work = {0};
    struct dbm zone, spare;
    dbm_init(&zone, mem, 6), dbm_init(&spare, mem, 6);
    uint64_t before = mem->used;
    for (unsigned round = 0; round < 2; round++) /* added in turn, then found again */
        for (unsigned n = 0; n < EACH; n++)
            for (unsigned k = 0; k < SETS; k++) {
                struct random random = {1 + n * SETS + k};
                uint64_t id;
                if (!round && !n) CHECK(unit, zones_init(&sets[k], mem));
                if (!round && !n) zones_share(&sets[k], &work);
                random_zone(&random, &zone, &spare, 1 + n % 6, 300, 10);
                enum zones_result result = zones_intern(&sets[k], &zone, &id);
                if (!round) ids[k][n] = id;
                zones_load(&sets[k], id, &spare);
                CHECK(unit, result != ZONES_REFUSED && id == ids[k][n] && dbm_equal(&zone, &spare)
                                && (!round || result == ZONES_KNOWN));
            }
    CHECK(unit, (mem->used - before) / SETS < 4096);
    for (unsigned k = 0; k < SETS; k++) {
        CHECK(unit, zones_check(&sets[k]));
        zones_release(&sets[k]);
    }
    zones_release_work(&work, mem);
    CHECK(unit, mem->used == before);
    dbm_release(&zone, mem), dbm_release(&spare, mem);
}

/* Allocation number n fails, for every n: said, and nothing is lost. */
static void test_refusal(struct unit *unit)
{
    bool failed = true;
    for (uint64_t fail_at = 1; failed; fail_at++) {
        struct mem mem, other;
        struct zones zones;
        struct dbm zone, spare;
        struct random random = {1};
        uint64_t id, refused = 0;
        mem_init(&mem), mem_init(&other);
        dbm_init(&zone, &other, 12), dbm_init(&spare, &other, 12);
        mem.fail_at = fail_at;
        if (zones_init(&zones, &mem))
            for (unsigned n = 0; n < 120; n++) {
                random_zone(&random, &zone, &spare, 1 + n / 10, 300, 30);
                enum zones_result result = zones_intern(&zones, &zone, &id);
                refused += result == ZONES_REFUSED;
                if (result == ZONES_REFUSED) result = zones_intern(&zones, &zone, &id);
                zones_load(&zones, id, &spare);
                CHECK(unit, result != ZONES_REFUSED && dbm_equal(&zone, &spare));
            }
        CHECK(unit, refused <= 1 && (!zones.count || zones_check(&zones)));
        failed = mem.allocations >= fail_at;
        zones_release(&zones);
        CHECK(unit, mem.used == 0);
        mem_release(&mem), mem_release(&other);
    }
}

/* ---- federations ---- */

/* Every point of the grid is in a zone of the rest exactly when it is in the zone and in none of
 * those taken away, and then in one only. */
static void test_federation(struct unit *unit, struct mem *mem, uint32_t clocks, unsigned rounds)
{
    struct random random = {60 + clocks};
    struct federation rest;
    struct dbm zone, taken[3], spare;
    int64_t unit_of_grid = clocks + 1, box = clocks == 3 ? 4 : 9;
    unsigned covered = 0, pieces = 0;
    dbm_init(&zone, mem, 4), dbm_init(&spare, mem, 4);
    for (unsigned k = 0; k < 3; k++) dbm_init(&taken[k], mem, 4);
    federation_init(&rest, mem, clocks ? 1 : 3);
    for (unsigned n = 0; n < rounds; n++) {
        struct naive all, parts[3];
        random_zone(&random, &zone, &spare, clocks, 3, 5);
        all = naive_read(&zone, unit_of_grid);
        federation_clear(&rest, clocks);
        CHECK(unit, federation_add(&rest, &zone) && rest.count == 1);
        for (unsigned k = 0; k < 3; k++) {
            random_zone(&random, &taken[k], &spare, clocks, 3, n % 2 ? 2 : 5);
            parts[k] = naive_read(&taken[k], unit_of_grid);
            CHECK(unit, federation_subtract(&rest, &taken[k]));
        }
        for (uint32_t k = 0; k < rest.count; k++) {
            struct dbm piece = federation_get(&rest, k);
            CHECK(unit, dbm_check(&piece) && !dbm_is_empty(&piece));
        }
        int64_t values[5] = {0};
        bool good = true;
        uint32_t x;
        do {
            bool expected = naive_contains(&all, values);
            for (unsigned k = 0; k < 3; k++)
                expected = expected && !naive_contains(&parts[k], values);
            unsigned inside = 0;
            for (uint32_t k = 0; k < rest.count; k++) {
                struct dbm piece = federation_get(&rest, k);
                inside += dbm_contains(&piece, values, unit_of_grid);
            }
            good &= inside == expected;
            for (x = 1; x <= clocks && ++values[x] > box * unit_of_grid; x++) values[x] = 0;
        } while (x <= clocks);
        CHECK(unit, good);
        covered += !rest.count, pieces += rest.count > 1;
    }
    CHECK(unit, covered && (pieces || !clocks));
    federation_release(&rest);
    for (unsigned k = 0; k < 3; k++) dbm_release(&taken[k], mem);
    dbm_release(&zone, mem), dbm_release(&spare, mem);
    CHECK(unit, mem->used == 0);
}

static void test_federation_refusal(struct unit *unit)
{
    bool failed = true;
    uint64_t fail_at = 1;
    for (; failed; fail_at++) {
        struct mem mem, other;
        struct federation rest;
        struct dbm zone, hole;
        mem_init(&mem), mem_init(&other);
        dbm_init(&zone, &other, 5), dbm_init(&hole, &other, 5);
        federation_init(&rest, &mem, 5);
        mem.fail_at = fail_at;
        dbm_all(&zone, 5);
        bool good = federation_add(&rest, &zone);
        for (uint32_t x = 1; x <= 5 && good; x++) {
            dbm_all(&hole, 5);
            dbm_constrain(&hole, x, 0, bound_weak(9)), dbm_constrain(&hole, 0, x, bound_weak(-5));
            good = federation_subtract(&rest, &hole);
        }
        failed = mem.allocations >= fail_at;
        CHECK(unit, good == !failed && (failed || rest.count == 32));
        federation_release(&rest);
        CHECK(unit, mem.used == 0);
        mem_release(&mem), mem_release(&other);
    }
    CHECK(unit, fail_at > 8);
}

/* ---- dates ---- */

static bool holds(const struct dates_bound *bound, const int64_t *dates, int64_t denominator)
{
    int64_t difference = dates[bound->i] - dates[bound->j],
            most = bound_constant(bound->b) * denominator;
    return bound_is_strict(bound->b) ? difference < most : difference <= most;
}

static bool all_hold(const struct dates *dates, const int64_t *values, int64_t denominator)
{
    for (uint32_t n = 0; n < dates->bound_count; n++)
        if (!holds(&dates->bounds[n], values, denominator)) return false;
    for (uint32_t i = 0; i + 1 < dates->count; i++)
        if (values[i] > values[i + 1]) return false;
    return values[0] == 0;
}

enum { DATES = 5 };

/* No solution with this denominator has an earlier date anywhere. */
static bool are_earliest(const struct dates *dates)
{
    int64_t values[DATES] = {0}, most = dates->numerators[dates->count - 1] + 1;
    uint32_t i;
    do {
        if (all_hold(dates, values, dates->denominator))
            for (i = 0; i < dates->count; i++)
                if (values[i] < dates->numerators[i]) return false;
        for (i = 1; i < dates->count && ++values[i] > most; i++) values[i] = 0;
    } while (i < dates->count);
    return true;
}

static void check_dates(struct unit *unit, struct dates *dates, int64_t least, unsigned *fractions)
{
    enum { FINE = 1000 };
    int64_t infima[DATES], strict[DATES], values[DATES];
    bool any = false;
    CHECK(unit, dates_solve(dates, FINE) == DATES_FOUND
                    && all_hold(dates, dates->numerators, dates->denominator));
    for (uint32_t i = 0; i < dates->count; i++) {
        infima[i] = dates->numerators[i] / dates->denominator,
        strict[i] = dates->numerators[i] % dates->denominator;
        any |= strict[i] > 0;
    }
    CHECK(unit, dates->denominator == (any ? FINE : 1));
    CHECK(unit, dates_solve(dates, least) == DATES_FOUND
                    && all_hold(dates, dates->numerators, dates->denominator)
                    && are_earliest(dates));
    CHECK(unit, dates->denominator <= dates->count || dates->denominator == least);
    for (int64_t q = any ? least : 1; q <= dates->denominator; q++) {
        for (uint32_t i = 0; i < dates->count; i++) values[i] = infima[i] * q + strict[i];
        CHECK(unit, all_hold(dates, values, q) == (q == dates->denominator));
    }
    CHECK(unit, !memcmp(values, dates->numerators, dates->count * sizeof *values));
    fractions[dates->denominator]++;
}

static void test_dates(struct unit *unit, struct mem *mem)
{
    struct random random = {31};
    unsigned infeasible = 0, fractions[16] = {0};
    for (unsigned n = 0; n < 4000; n++) {
        struct dates dates;
        uint32_t count = 1 + (uint32_t)random_below(&random, n % 10 ? 4 : DATES);
        struct naive naive = {.size = count};
        CHECK(unit, dates_init(&dates, mem, count) && dates_add(&dates, 0, 0, BOUND_INFINITY)
                        && !dates.bound_count);
        for (uint32_t i = 0; i + 1 < count; i++) naive_add(&naive, i, i + 1, 0, false);
        for (uint32_t k = (uint32_t)random_below(&random, 2 * count + 1); k-- > 0;) {
            uint32_t i = (uint32_t)random_below(&random, count),
                     j = (uint32_t)random_below(&random, count);
            dbm_bound b = random_bound(&random, 2);
            if ((i > j && b < 0) || (i == j && random_below(&random, 4)))
                b = bound_weak(2); /* else most are infeasible */
            if (n % 3 == 0 && i != j) b = bound_strict(i > j ? (int64_t)(i - j + 1) / 2 : 0);
            CHECK(unit, dates_add(&dates, i, j, b));
            naive_add(&naive, i, j, bound_constant(b), bound_is_strict(b));
        }
        if (naive_close(&naive))
            check_dates(unit, &dates, 1 + (int64_t)random_below(&random, 3), fractions);
        else {
            infeasible++;
            CHECK(unit, dates_solve(&dates, 1) == DATES_INFEASIBLE
                            && dates_solve(&dates, 7) == DATES_INFEASIBLE);
        }
        dates_release(&dates);
    }
    CHECK(unit, infeasible > 400 && infeasible < 3600 && fractions[1] > 100 && fractions[2] > 100
                    && fractions[3] > 20);
    CHECK(unit, mem->used == 0);
}

/* Long runs, large constants, refused memory. */
static void test_long_dates(struct unit *unit)
{
    enum { N = 20000 };
    struct mem mem;
    struct dates dates;
    mem_init(&mem);
    CHECK(unit, dates_init(&dates, &mem, N));
    for (uint32_t i = 0; i + 1 < N;
         i++) { /* at least LIMIT - 3 apart, but backward bounds make that LIMIT - 2 and more */
        dates_add(&dates, i, i + 1, bound_strict(3 - BOUND_LIMIT));
        dates_add(&dates, i + 1, i, bound_weak(BOUND_LIMIT));
        if (i % 10 == 9) dates_add(&dates, i - 8, i + 1, bound_weak(-9 * (BOUND_LIMIT / 10)));
    }
    CHECK(unit, dates_solve(&dates, 2) == DATES_FOUND && dates.denominator == 2);
    CHECK(unit, all_hold(&dates, dates.numerators, 2)
                    && dates.numerators[N - 1] == (N - 1) * (2 * (int64_t)(BOUND_LIMIT - 3) + 1));
    CHECK(unit, dates_solve(&dates, N) == DATES_FOUND && all_hold(&dates, dates.numerators, N));
    CHECK(unit, dates_solve(&dates, INT64_MAX / 2) == DATES_REFUSED);
    dates_add(&dates, N - 1, 0, bound_weak(BOUND_LIMIT));
    CHECK(unit, dates_solve(&dates, 2) == DATES_INFEASIBLE);
    dates_release(&dates);
    CHECK(unit, mem.used == 0);
    for (uint64_t fail_at = 1; fail_at <= 6; fail_at++) {
        mem_init(&mem);
        mem.fail_at = fail_at;
        bool good = dates_init(&dates, &mem, 3);
        CHECK(unit, good == (fail_at > 3));
        uint32_t added = 0;
        for (uint32_t k = 0; k < 100 && good; k++) added += dates_add(&dates, 0, 1, bound_weak(-1));
        CHECK(unit, !good
                        || (added == 99 && dates.bound_count == 99
                            && dates_solve(&dates, 1) == DATES_FOUND && dates.numerators[2] == 1));
        dates_release(&dates);
        CHECK(unit, mem.used == 0);
    }
    mem_release(&mem);
}

int main(int argc, char **argv)
{
    struct unit unit = {0};
    struct mem mem;
    (void)argv;
    mem_init(&mem);
    test_reduction(&unit, &mem);
    for (uint32_t clocks = 0; clocks <= CLOCKS; clocks++)
        test_intern(&unit, &mem, 500 + clocks, clocks, clocks % 3 ? 4 : BOUND_LIMIT);
    test_bytes(&unit, &mem, argc > 1);
    test_long(&unit, &mem);
    test_sharing(&unit, &mem);
    test_refusal(&unit);
    for (uint32_t clocks = 0; clocks <= 3; clocks++)
        test_federation(&unit, &mem, clocks, clocks == 3 ? 60 : 200);
    test_federation_refusal(&unit);
    test_dates(&unit, &mem);
    test_long_dates(&unit);
    CHECK(&unit, mem.used == 0);
    mem_release(&mem);
    return unit_finish(&unit);
}
