/* Zones at work: random timed automata searched with every extrapolation and inclusion, against the
 * region graph (Alur, Dill 1994), which knows no matrices; and dates of single paths, against zones
 * and by running them. */
#include "solver/zone/dates.h"
#include "solver/zone/zones.h"
#include "unit/unit.h"
#include "unit/zone.h"

#include <string.h>

enum { PLACES = 5, MOST_CLOCKS = 3, MOST_EDGES = 12, MOST_TESTS = 3, MOST_CONSTANT = 3 };

struct test {
    uint32_t clock;
    bool from_below, strict; /* x > c, x >= c, or x < c, x <= c */
    int32_t constant;
};

struct tests {
    uint32_t count;
    struct test list[MOST_TESTS];
};

struct edge {
    uint32_t from, to, resets; /* bit x: clock x */
    struct tests guard;
};

struct automaton {
    uint32_t clocks, edge_count;
    struct edge edges[MOST_EDGES];
    struct tests invariants[PLACES]; /* from above only */
    int32_t lower[MOST_CLOCKS + 1], upper[MOST_CLOCKS + 1], most[MOST_CLOCKS + 1];
};

static void add_test(struct automaton *automaton, struct tests *tests, struct test test)
{
    int32_t *constants = test.from_below ? automaton->lower : automaton->upper;
    if (constants[test.clock] < test.constant) constants[test.clock] = test.constant;
    if (automaton->most[test.clock] < test.constant) automaton->most[test.clock] = test.constant;
    tests->list[tests->count++] = test;
}

static struct test random_test(struct random *random, uint32_t clocks)
{
    return (struct test){1 + (uint32_t)random_below(random, clocks), random_below(random, 2),
                         random_below(random, 2), (int32_t)random_below(random, MOST_CONSTANT + 1)};
}

static struct automaton random_automaton(struct random *random)
{
    struct automaton automaton = {.clocks = 1 + (uint32_t)random_below(random, MOST_CLOCKS),
                                  .edge_count = 6 + (uint32_t)random_below(random, 7)};
    for (uint32_t x = 0; x <= MOST_CLOCKS; x++)
        automaton.lower[x] = automaton.upper[x] = automaton.most[x] = BOUND_NONE;
    for (uint32_t e = 0; e < automaton.edge_count; e++) {
        struct edge *edge = &automaton.edges[e];
        edge->from = (uint32_t)random_below(random, PLACES - 1);
        edge->to = (uint32_t)random_below(random, PLACES);
        for (uint32_t x = 1; x <= automaton.clocks; x++)
            edge->resets |= !random_below(random, 3) << x;
        for (uint32_t n = (uint32_t)random_below(random, MOST_TESTS + 1); n-- > 0;)
            add_test(&automaton, &edge->guard, random_test(random, automaton.clocks));
    }
    for (uint32_t place = 0; place < PLACES; place++)
        if (random_below(random, 2)) {
            struct test test = random_test(random, automaton.clocks);
            test.from_below = false;
            test.constant += place == 0; /* 0 must be possible at the start */
            add_test(&automaton, &automaton.invariants[place], test);
        }
    return automaton;
}

/* ---- the region graph ---- */

/* A clock above all its constants has whole = most + 1 and no rank. Rank 0: no fraction; else
 * fractions are ordered like ranks. */
struct region {
    uint8_t place, whole[MOST_CLOCKS], rank[MOST_CLOCKS];
};

static bool is_above(const struct automaton *automaton, const struct region *region, uint32_t x)
{
    return region->whole[x - 1] > automaton->most[x];
}

static bool region_satisfies(const struct automaton *automaton, const struct region *region,
                             const struct tests *tests)
{
    for (uint32_t n = 0; n < tests->count; n++) {
        const struct test *test = &tests->list[n];
        int32_t whole = region->whole[test->clock - 1];
        bool more = is_above(automaton, region, test->clock) || whole > test->constant
                    || (whole == test->constant && region->rank[test->clock - 1]);
        bool equal = !more && whole == test->constant;
        if (!((equal && !test->strict) || (!equal && more == test->from_below))) return false;
    }
    return true;
}

/* Ranks 1, 2, ... without gaps. */
static void normalise(const struct automaton *automaton, struct region *region)
{
    uint8_t old[MOST_CLOCKS], next = 0;
    for (uint32_t x = 1; x <= automaton->clocks; x++)
        if (is_above(automaton, region, x))
            region->whole[x - 1] = (uint8_t)(automaton->most[x] + 1), region->rank[x - 1] = 0;
    memcpy(old, region->rank, sizeof old);
    for (uint8_t rank = 1; rank <= 2 * MOST_CLOCKS; rank++) {
        bool used = false;
        for (uint32_t x = 0; x < automaton->clocks; x++)
            if (old[x] == rank) used = true, region->rank[x] = next + 1;
        next += used;
    }
}

static struct region let_time_pass(const struct automaton *automaton, const struct region *region)
{
    struct region after = *region;
    bool exact = false;
    uint8_t largest = 0;
    for (uint32_t x = 1; x <= automaton->clocks; x++)
        if (!is_above(automaton, region, x)) {
            exact |= !region->rank[x - 1];
            if (region->rank[x - 1] > largest) largest = region->rank[x - 1];
        }
    for (uint32_t x = 1; x <= automaton->clocks; x++) {
        uint8_t *rank = &after.rank[x - 1], *whole = &after.whole[x - 1];
        if (is_above(automaton, region, x)) continue;
        if (exact) {
            if (*rank == 0 && *whole == automaton->most[x])
                ++*whole; /* just above its largest constant */
            else ++*rank;
        } else if (*rank == largest) {
            *rank = 0;
            ++*whole;
        }
    }
    normalise(automaton, &after);
    return after;
}

enum { MOST_REGIONS = 60000 };

static uint32_t add_region(struct region *regions, uint32_t count,
                           const struct automaton *automaton, const struct region *region)
{
    if (!region_satisfies(automaton, region, &automaton->invariants[region->place])) return count;
    for (uint32_t k = 0; k < count; k++)
        if (!memcmp(&regions[k], region, sizeof *region)) return count;
    if (count < MOST_REGIONS) regions[count] = *region;
    return count + 1;
}

/* Bit p: place p is reachable. */
static uint32_t reach_by_regions(const struct automaton *automaton)
{
    static struct region regions[MOST_REGIONS];
    uint32_t reached = 0;
    struct region start = {0};
    normalise(automaton, &start);
    uint32_t count = add_region(regions, 0, automaton, &start);
    for (uint32_t k = 0; k < count && count < MOST_REGIONS; k++) {
        struct region later = let_time_pass(automaton, &regions[k]);
        reached |= 1u << regions[k].place;
        count = add_region(regions, count, automaton, &later);
        for (uint32_t e = 0; e < automaton->edge_count; e++) {
            const struct edge *edge = &automaton->edges[e];
            if (edge->from != regions[k].place
                || !region_satisfies(automaton, &regions[k], &edge->guard))
                continue;
            struct region next = regions[k];
            next.place = (uint8_t)edge->to;
            for (uint32_t x = 1; x <= automaton->clocks; x++)
                if (edge->resets >> x & 1) next.whole[x - 1] = next.rank[x - 1] = 0;
            normalise(automaton, &next);
            count = add_region(regions, count, automaton, &next);
        }
    }
    return reached;
}

/* ---- zones ---- */

static bool constrain(struct dbm *dbm, const struct tests *tests)
{
    for (uint32_t n = 0; n < tests->count; n++) {
        const struct test *test = &tests->list[n];
        int64_t constant = test->from_below ? -test->constant : test->constant;
        dbm_bound b = test->strict ? bound_strict(constant) : bound_weak(constant);
        if (!dbm_constrain(dbm, test->from_below ? 0 : test->clock,
                           test->from_below ? test->clock : 0, b))
            return false;
    }
    return !dbm_is_empty(dbm);
}

static bool enter(const struct automaton *automaton, struct dbm *dbm, uint32_t place)
{
    if (!constrain(dbm, &automaton->invariants[place])) return false;
    dbm_up(dbm);
    return constrain(dbm, &automaton->invariants[place]);
}

static bool take(const struct automaton *automaton, struct dbm *dbm, const struct edge *edge)
{
    if (!constrain(dbm, &edge->guard)) return false;
    for (uint32_t x = 1; x <= automaton->clocks; x++)
        if (edge->resets >> x & 1) dbm_reset(dbm, x, 0);
    return enter(automaton, dbm, edge->to);
}

enum method { BY_M, BY_LU, BY_LU_PLUS, BY_SIMULATION, BY_BOTH, METHODS };
enum { MOST_NODES = 2000 };

struct search {
    const struct automaton *automaton;
    enum method method;
    struct zones zones;
    struct dbm zone, other;
    uint32_t count, places[MOST_NODES];
    uint64_t ids[MOST_NODES];
};

/* Keeps the zone unless one kept before includes it. */
static void keep(struct search *search, uint32_t place)
{
    const struct automaton *automaton = search->automaton;
    if (search->method == BY_M) dbm_extrapolate_m(&search->zone, automaton->most);
    if (search->method == BY_LU)
        dbm_extrapolate_lu(&search->zone, automaton->lower, automaton->upper);
    if (search->method == BY_LU_PLUS || search->method == BY_BOTH)
        dbm_extrapolate_lu_plus(&search->zone, automaton->lower, automaton->upper);
    for (uint32_t k = 0; k < search->count; k++) {
        if (search->places[k] != place) continue;
        if (zones_include(&search->zones, search->ids[k], &search->zone)) return;
        if (search->method < BY_SIMULATION) continue;
        zones_load(&search->zones, search->ids[k], &search->other);
        if (dbm_included_lu(&search->zone, &search->other, automaton->lower, automaton->upper))
            return;
    }
    if (search->count < MOST_NODES) {
        zones_intern(&search->zones, &search->zone, &search->ids[search->count]);
        search->places[search->count] = place;
    }
    search->count++;
}

static uint32_t reach_by_zones(const struct automaton *automaton, struct mem *mem,
                               enum method method, uint32_t *nodes)
{
    static struct search search;
    uint32_t reached = 0;
    search = (struct search){.automaton = automaton, .method = method};
    zones_init(&search.zones, mem);
    dbm_init(&search.zone, mem, MOST_CLOCKS), dbm_init(&search.other, mem, MOST_CLOCKS);
    dbm_zero(&search.zone, automaton->clocks);
    if (enter(automaton, &search.zone, 0)) keep(&search, 0);
    for (uint32_t k = 0; k < search.count && search.count < MOST_NODES; k++) {
        reached |= 1u << search.places[k];
        for (uint32_t e = 0; e < automaton->edge_count; e++) {
            if (automaton->edges[e].from != search.places[k]) continue;
            zones_load(&search.zones, search.ids[k], &search.zone);
            if (take(automaton, &search.zone, &automaton->edges[e]))
                keep(&search, automaton->edges[e].to);
        }
    }
    *nodes += search.count;
    if (search.count >= MOST_NODES) reached = UINT32_MAX; /* did not end */
    zones_release(&search.zones);
    dbm_release(&search.zone, mem), dbm_release(&search.other, mem);
    return reached;
}

static void test_searches(struct unit *unit, struct mem *mem, unsigned automata)
{
    struct random random = {2025};
    uint32_t nodes[METHODS] = {0}, sure = 0, never = 0;
    for (unsigned n = 0; n < automata; n++) {
        struct automaton automaton = random_automaton(&random);
        uint32_t expected = reach_by_regions(&automaton);
        for (enum method method = 0; method < METHODS; method++)
            CHECK(unit, reach_by_zones(&automaton, mem, method, &nodes[method]) == expected);
        sure += expected >> (PLACES - 1) & 1, never += !(expected >> (PLACES - 1) & 1);
    }
    CHECK(unit, sure > automata / 10 && never > automata / 10);
    /* coarser zones are not always fewer (Extra_LU+ forgets differences that inclusion in another
     * zone would need), simulation is the best */
    for (enum method method = 0; method < BY_SIMULATION; method++)
        CHECK(unit, nodes[method] > nodes[BY_SIMULATION]);
    CHECK(unit, mem->used == 0);
}

/* ---- dates of paths ---- */

enum { LENGTH = 8 };

/* What tests say about clocks at date number `now`; reset_at[x] is the number of the date at which
 * clock x was last 0. */
static void add_tests(struct dates *dates, const struct tests *tests, const uint32_t *reset_at,
                      uint32_t now)
{
    for (uint32_t n = 0; n < tests->count; n++) {
        const struct test *test = &tests->list[n];
        uint32_t since = reset_at[test->clock];
        int64_t constant = test->from_below ? -test->constant : test->constant;
        dbm_bound b = test->strict ? bound_strict(constant) : bound_weak(constant);
        dates_add(dates, test->from_below ? since : now, test->from_below ? now : since, b);
    }
}

static bool value_satisfies(const struct tests *tests, const int64_t *values, int64_t unit_of_time)
{
    for (uint32_t n = 0; n < tests->count; n++) {
        const struct test *test = &tests->list[n];
        int64_t difference = values[test->clock] - test->constant * unit_of_time;
        if (test->from_below) difference = -difference;
        if (difference > 0 || (difference == 0 && test->strict)) return false;
    }
    return true;
}

/* Runs the path with these dates. Invariants are upper bounds: looking at both ends of a stay
 * suffices. */
static bool runs(const struct automaton *automaton, const struct edge *const *path, uint32_t length,
                 const struct dates *dates)
{
    int64_t values[MOST_CLOCKS + 1] = {0}, q = dates->denominator;
    uint32_t place = 0;
    for (uint32_t k = 0; k < length; k++) {
        int64_t delay = dates->numerators[k + 1] - dates->numerators[k];
        if (delay < 0 || path[k]->from != place
            || !value_satisfies(&automaton->invariants[place], values, q))
            return false;
        for (uint32_t x = 1; x <= automaton->clocks; x++) values[x] += delay;
        if (!value_satisfies(&automaton->invariants[place], values, q)
            || !value_satisfies(&path[k]->guard, values, q))
            return false;
        for (uint32_t x = 1; x <= automaton->clocks; x++)
            if (path[k]->resets >> x & 1) values[x] = 0;
        place = path[k]->to;
    }
    return value_satisfies(&automaton->invariants[place], values, q);
}

static void test_paths(struct unit *unit, struct mem *mem, unsigned paths)
{
    struct random random = {99};
    struct dbm zone;
    unsigned feasible = 0, infeasible = 0;
    dbm_init(&zone, mem, MOST_CLOCKS);
    for (unsigned n = 0; n < paths; n++) {
        struct automaton automaton = random_automaton(&random);
        const struct edge *path[LENGTH];
        uint32_t length = 0, place = 0, reset_at[MOST_CLOCKS + 1] = {0};
        struct dates dates;
        for (unsigned tries = 0; tries < 60 && length < LENGTH; tries++) {
            const struct edge *edge = &automaton.edges[random_below(&random, automaton.edge_count)];
            if (edge->from == place) path[length++] = edge, place = edge->to;
        }
        dbm_zero(&zone, automaton.clocks);
        bool possible = enter(&automaton, &zone, 0);
        for (uint32_t k = 0; k < length && possible; k++)
            possible = take(&automaton, &zone, path[k]);
        CHECK(unit, dates_init(&dates, mem, length + 1));
        add_tests(&dates, &automaton.invariants[0], reset_at, 0);
        for (uint32_t k = 0; k < length; k++) {
            add_tests(&dates, &automaton.invariants[path[k]->from], reset_at, k + 1);
            add_tests(&dates, &path[k]->guard, reset_at, k + 1);
            for (uint32_t x = 1; x <= automaton.clocks; x++)
                if (path[k]->resets >> x & 1) reset_at[x] = k + 1;
            add_tests(&dates, &automaton.invariants[path[k]->to], reset_at, k + 1);
        }
        enum dates_result result = dates_solve(&dates, 1 + n % 2);
        CHECK(unit, result == (possible ? DATES_FOUND : DATES_INFEASIBLE));
        CHECK(unit, !possible || runs(&automaton, path, length, &dates));
        feasible += possible && length > 2, infeasible += !possible;
        dates_release(&dates);
    }
    CHECK(unit, feasible > paths / 20 && infeasible > paths / 20);
    dbm_release(&zone, mem);
    CHECK(unit, mem->used == 0);
}

int main(void)
{
    struct unit unit = {0};
    struct mem mem;
    mem_init(&mem);
    test_searches(&unit, &mem, 3000);
    test_paths(&unit, &mem, 3000);
    mem_release(&mem);
    return unit_finish(&unit);
}
