/* Our decision diagrams against BuDDy, a library that shares nothing with them: random sequences of
 * operations, relations, images, closures, collections, reorderings, new pairs, refused memory and
 * stops.
 *
 * Variable v is BuDDy's variable v. A diagram of ours is compared by building its function in BuDDy
 * node by node: BuDDy is canonical too, so equal functions are equal numbers there, whatever the
 * two orders are. Where the orders agree, the number of nodes must agree as well.
 *
 * Usage: dd_buddy [FIRST [COUNT [STEPS]]]: sequences with seeds FIRST .. FIRST + COUNT - 1. A
 * failure prints its seed, step and operation. */
#include "base/mem.h"
#include "base/random.h"
#include "solver/dd/dd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define bdd buddy_diagram /* BuDDy has a type of this name too */
#include <bdd.h>
#undef bdd

enum {
    SETS = 8,
    ANY = 6,
    REGISTERS = SETS + ANY,
    RELATIONS = 6,
    MAX_PAIRS = 40,
    LARGE = 700,
    TEMPORARIES = 4096
};

/* Registers 0 .. SETS - 1 are over `now` variables only. */
struct test {
    struct random random;
    uint64_t seed;
    uint32_t step;
    const char *operation;
    struct mem mem;
    struct dd *dd;
    uint32_t pairs;
    bdd ours[REGISTERS];
    BDD theirs[REGISTERS];
    struct dd_relation relation[RELATIONS];
    BDD diagram[RELATIONS];
    uint32_t written[RELATIONS][MAX_PAIRS];
    bool stops; /* the next poll says no */
    BDD temporaries[TEMPORARIES];
    unsigned temporary_count;
    unsigned compared, given_up, failed;
};

static uint32_t below(struct test *t, uint32_t bound)
{
    return (uint32_t)random_below(&t->random, bound);
}

static bool expect(struct test *t, bool good, const char *what)
{
    t->compared++;
    if (good) return true;
    t->failed++;
    printf("FAIL seed %" PRIu64 " step %u, %s: %s\n", t->seed, t->step, t->operation, what);
    return false;
}

/* ---- BuDDy ---- */

/* BuDDy collects what nobody refers to: results are referred to until the step is over. */
static BDD temp(struct test *t, BDD a)
{
    if (a < 0) {
        printf("BuDDy: %s\n", bdd_errstring(a));
        exit(2);
    }
    bdd_addref(a);
    if (t->temporary_count == TEMPORARIES) { /* the oldest half is in use no more */
        for (unsigned i = 0; i < TEMPORARIES / 2; i++) bdd_delref(t->temporaries[i]);
        memmove(t->temporaries, t->temporaries + TEMPORARIES / 2,
                TEMPORARIES / 2 * sizeof *t->temporaries);
        t->temporary_count = TEMPORARIES / 2;
    }
    return t->temporaries[t->temporary_count++] = a;
}

static void drop_temporaries(struct test *t)
{
    while (t->temporary_count) bdd_delref(t->temporaries[--t->temporary_count]);
}

static void set_theirs(BDD *variable, BDD a)
{
    bdd_addref(a);
    bdd_delref(*variable);
    *variable = a;
}

/* A diagram of ours, as BuDDy has it. `known` is per node of ours: its counterpart + 1. */
struct conversion {
    struct test *t;
    int *known;
    uint32_t size;
};

static BDD convert(struct conversion *c, bdd a)
{
    struct test *t = c->t;
    if (a <= BDD_TRUE) return a ? bddtrue : bddfalse;
    if (a >= c->size) {
        uint32_t size = 2 * a + 64;
        c->known = realloc(c->known, size * sizeof *c->known);
        memset(c->known + c->size, 0, (size - c->size) * sizeof *c->known);
        c->size = size;
    }
    if (c->known[a]) return c->known[a] - 1;
    BDD low = convert(c, dd_low(t->dd, a)), high = convert(c, dd_high(t->dd, a));
    BDD result = bdd_addref(bdd_ite(bdd_ithvar((int)dd_top(t->dd, a)), high,
                                    low)); /* referred to until the conversion is over */
    c->known[a] = result + 1;
    return result;
}

static bool orders_agree(const struct test *t)
{
    for (uint32_t k = 0; k < t->pairs; k++)
        if (dd_pair_at(t->dd, k) != k) return false;
    return true;
}

static bool same(struct test *t, bdd ours, BDD theirs)
{
    struct conversion c = {.t = t};
    BDD converted = convert(&c, ours);
    for (uint32_t i = 0; i < c.size; i++)
        if (c.known[i]) bdd_delref(c.known[i] - 1);
    free(c.known);
    bool equal = expect(t, converted == theirs, "the diagrams differ");
    if (equal && orders_agree(t))
        equal = expect(t, dd_size(t->dd, ours) == (uint64_t)bdd_nodecount(theirs),
                       "the numbers of nodes differ");
    return equal;
}

/* The cube of the `now` (or next) variables of pairs. */
static BDD their_cube(struct test *t, const uint32_t *pairs, uint32_t count, bool next)
{
    BDD all = bddtrue;
    for (uint32_t i = 0; i < count; i++)
        all = temp(t, bdd_and(all, bdd_ithvar((int)(next ? dd_next(pairs[i]) : dd_now(pairs[i])))));
    return all;
}

static BDD rename_pairs(struct test *t, BDD a, const uint32_t *pairs, uint32_t count, bool to_next)
{
    bddPair *map = bdd_newpair();
    for (uint32_t i = 0; i < count; i++) {
        int now = (int)dd_now(pairs[i]), next = (int)dd_next(pairs[i]);
        bdd_setpair(map, to_next ? now : next, to_next ? next : now);
    }
    BDD result = temp(t, bdd_replace(a, map));
    bdd_freepair(map);
    return result;
}

static BDD their_image(struct test *t, unsigned r, BDD set, bool backward)
{
    const uint32_t *pairs = t->written[r], count = t->relation[r].written_count;
    if (backward) set = rename_pairs(t, set, pairs, count, true);
    BDD step = temp(t, bdd_and(set, t->diagram[r]));
    step = temp(t, bdd_exist(step, their_cube(t, pairs, count, backward)));
    return backward ? step : rename_pairs(t, step, pairs, count, false);
}

static BDD their_closure(struct test *t, const unsigned *list, unsigned count, BDD set, BDD within,
                         bool backward)
{
    for (BDD before = bddfalse; before != set;) {
        before = set;
        for (unsigned i = 0; i < count; i++) {
            BDD image = their_image(t, list[i], set, backward);
            set = temp(t, bdd_or(set, temp(t, bdd_and(image, within))));
        }
    }
    return set;
}

static bool their_value(BDD a, const uint8_t *values)
{
    while (a != bddtrue && a != bddfalse) a = values[bdd_var(a)] ? bdd_high(a) : bdd_low(a);
    return a == bddtrue;
}

/* ---- random functions ---- */

/* Any function of these variables. */
static void dense(struct test *t, const uint32_t *vars, uint32_t count, bdd *ours, BDD *theirs)
{
    bdd low = BDD_FALSE, high = BDD_FALSE, var = BDD_FALSE;
    BDD their_low, their_high;
    uint32_t mark = dd_mark(t->dd);
    if (count == 0) {
        *ours = below(t, 2);
        *theirs = *ours ? bddtrue : bddfalse;
        return;
    }
    dd_protect(t->dd, &low), dd_protect(t->dd, &high), dd_protect(t->dd, &var);
    dense(t, vars + 1, count - 1, &low, &their_low);
    dense(t, vars + 1, count - 1, &high, &their_high);
    var = dd_variable(t->dd, vars[0]);
    *ours = dd_ite(t->dd, var, high, low);
    *theirs = temp(t, bdd_ite(bdd_ithvar((int)vars[0]), their_high, their_low));
    dd_release(t->dd, mark);
}

/* A union of cubes, parities and dense functions over the variables that `step` allows: 2 for `now`
 * ones, 1 for all. */
static void random_function(struct test *t, unsigned reg, unsigned step)
{
    bdd all = BDD_FALSE, one = BDD_FALSE, var = BDD_FALSE;
    BDD their_all = bddfalse;
    uint32_t mark = dd_mark(t->dd), cubes = 1 + below(t, 6), length = 1 + below(t, t->pairs),
             vars = 2 * t->pairs / step;
    dd_protect(t->dd, &all), dd_protect(t->dd, &one), dd_protect(t->dd, &var);
    for (uint32_t i = 0; i < cubes; i++) {
        bool parity = below(t, 4) == 0, any = below(t, 3) == 0;
        BDD their_one = parity ? bddfalse : bddtrue;
        one = parity ? BDD_FALSE : BDD_TRUE;
        if (any) {
            uint32_t list[7];
            for (uint32_t j = 0; j < 7; j++) list[j] = step * below(t, vars);
            dense(t, list, 1 + below(t, 7), &one, &their_one);
        }
        for (uint32_t j = 0; j < length && !any; j++) {
            uint32_t v = step * below(t, vars);
            bool positive = below(t, 2);
            var = dd_variable(t->dd, v);
            one = parity     ? dd_xor(t->dd, one, var)
                  : positive ? dd_and(t->dd, one, var)
                             : dd_diff(t->dd, one, var);
            BDD literal = positive || parity ? bdd_ithvar((int)v) : bdd_nithvar((int)v);
            their_one = temp(t, parity ? bdd_xor(their_one, literal) : bdd_and(their_one, literal));
        }
        all = dd_or(t->dd, all, one);
        their_all = temp(t, bdd_or(their_all, their_one));
    }
    dd_release(t->dd, mark);
    t->ours[reg] = all;
    set_theirs(&t->theirs[reg], their_all);
}

/* What a written pair becomes: a constant, another pair's value, the exclusive or of two, or
 * anything. */
static void random_value(struct test *t, uint32_t pair, bdd *ours, BDD *theirs)
{
    uint32_t a = below(t, t->pairs), b = below(t, t->pairs);
    bdd x = BDD_FALSE, next = BDD_FALSE;
    uint32_t mark = dd_mark(t->dd), kind = below(t, 5);
    BDD their_next = bdd_ithvar((int)dd_next(pair)), value = bddtrue;
    dd_protect(t->dd, ours), dd_protect(t->dd, &x), dd_protect(t->dd, &next);
    if (kind == 4) {
        *ours = BDD_TRUE; /* any value */
        *theirs = bddtrue;
    } else {
        next = dd_variable(t->dd, dd_next(pair));
        x = kind == 0 ? (bdd)BDD_TRUE : dd_variable(t->dd, dd_now(a));
        value = kind == 0 ? bddtrue : bdd_ithvar((int)dd_now(a));
        if (kind == 1) {
            *ours = dd_variable(t->dd, dd_now(b));
            x = dd_xor(t->dd, x, *ours);
            value = temp(t, bdd_xor(value, bdd_ithvar((int)dd_now(b))));
        }
        *ours = dd_xor(t->dd, x, next);
        *theirs = temp(t, bdd_xor(value, their_next));
        if (below(t, 2)) {
            *ours = dd_not(t->dd, *ours);
            *theirs = temp(t, bdd_not(*theirs));
        }
    }
    dd_release(t->dd, mark);
}

static void random_relation(struct test *t, unsigned r)
{
    uint32_t count = 0, terms = 1 + below(t, 3), density = 1 + below(t, 6);
    bdd all = BDD_FALSE, one = BDD_FALSE, value = BDD_FALSE;
    BDD their_all = bddfalse, their_value = bddtrue;
    uint32_t mark = dd_mark(t->dd);
    for (uint32_t p = 0; p < t->pairs; p++)
        if (below(t, density) == 0) t->written[r][count++] = p;
    for (uint32_t i = count; i > 1; i--) { /* the list need not be sorted */
        uint32_t j = below(t, i), swap = t->written[r][j];
        t->written[r][j] = t->written[r][i - 1];
        t->written[r][i - 1] = swap;
    }
    dd_protect(t->dd, &all), dd_protect(t->dd, &one), dd_protect(t->dd, &value);
    for (uint32_t i = 0; i < terms; i++) {
        BDD their_one = bddtrue;
        one = BDD_TRUE;
        for (uint32_t j = below(t, 4); j > 0; j--) { /* the guard */
            uint32_t v = dd_now(below(t, t->pairs));
            value = dd_variable(t->dd, v);
            one = j & 1 ? dd_and(t->dd, one, value) : dd_diff(t->dd, one, value);
            their_one =
                temp(t, bdd_and(their_one, j & 1 ? bdd_ithvar((int)v) : bdd_nithvar((int)v)));
        }
        for (uint32_t j = 0; j < count; j++) {
            random_value(t, t->written[r][j], &value, &their_value);
            one = dd_and(t->dd, one, value);
            their_one = temp(t, bdd_and(their_one, their_value));
        }
        all = dd_or(t->dd, all, one);
        their_all = temp(t, bdd_or(their_all, their_one));
    }
    dd_release(t->dd, mark);
    dd_relation_release(t->dd, &t->relation[r]);
    dd_relation_init(t->dd, &t->relation[r], all, t->written[r], count);
    set_theirs(&t->diagram[r], their_all);
}

/* ---- operations ---- */

/* Ours comes first: when it is given up, nothing has changed on either side. */
static void store(struct test *t, unsigned to, bdd ours, BDD theirs)
{
    t->ours[to] = ours;
    set_theirs(&t->theirs[to], theirs);
    same(t, ours, theirs);
}

static void binary(struct test *t, unsigned to, unsigned a, unsigned b, unsigned c)
{
    struct dd *dd = t->dd;
    bdd *x = t->ours, result;
    BDD *y = t->theirs;
    switch (below(t, 8)) {
    case 0:
        t->operation = "and", result = dd_and(dd, x[a], x[b]);
        store(t, to, result, temp(t, bdd_and(y[a], y[b])));
        break;
    case 1:
        t->operation = "or", result = dd_or(dd, x[a], x[b]);
        store(t, to, result, temp(t, bdd_or(y[a], y[b])));
        break;
    case 2:
        t->operation = "xor", result = dd_xor(dd, x[a], x[b]);
        store(t, to, result, temp(t, bdd_xor(y[a], y[b])));
        break;
    case 3:
        t->operation = "diff", result = dd_diff(dd, x[a], x[b]);
        store(t, to, result, temp(t, bdd_apply(y[a], y[b], bddop_diff)));
        break;
    case 4:
        t->operation = "not", result = dd_not(dd, x[a]);
        store(t, to, result, temp(t, bdd_not(y[a])));
        break;
    case 5:
        t->operation = "ite", result = dd_ite(dd, x[a], x[b], x[c]);
        store(t, to, result, temp(t, bdd_ite(y[a], y[b], y[c])));
        break;
    case 6: { /* parts that are protected: registers, some of them twice */
        uint32_t count = below(t, 6);
        bdd parts[6];
        BDD left = y[a];
        for (uint32_t i = 0; i < count; i++) {
            uint32_t part = below(t, 2) ? b : below(t, 2) ? c : to;
            parts[i] = x[part];
            left = temp(t, bdd_apply(left, y[part], bddop_diff));
        }
        t->operation = "without", result = dd_without(dd, x[a], parts, count);
        store(t, to, result, left);
        break;
    }
    default:
        t->operation = "implies";
        expect(t,
               dd_implies(dd, x[a], x[b])
                   == (temp(t, bdd_apply(y[a], y[b], bddop_diff)) == bddfalse),
               "the answers differ");
    }
}

static void quantify(struct test *t, unsigned to, unsigned a, unsigned step)
{
    bdd cube = BDD_TRUE, var = BDD_FALSE;
    BDD their_cube = bddtrue;
    uint32_t mark = dd_mark(t->dd), odds = 1 + below(t, t->pairs);
    t->operation = "exists";
    dd_protect(t->dd, &cube), dd_protect(t->dd, &var);
    for (uint32_t v = 0; v < 2 * t->pairs; v += step) {
        if (below(t, odds)) continue;
        var = dd_variable(t->dd, v);
        cube = dd_and(t->dd, cube, var);
        their_cube = temp(t, bdd_and(their_cube, bdd_ithvar((int)v)));
    }
    bdd result = dd_exists(t->dd, t->ours[a], cube);
    dd_release(t->dd, mark);
    store(t, to, result, temp(t, bdd_exist(t->theirs[a], their_cube)));
}

static void shift(struct test *t, unsigned to, unsigned a)
{
    uint32_t first = below(t, t->pairs), count = below(t, t->pairs - first + 1), list[MAX_PAIRS];
    t->operation = "shift";
    for (uint32_t i = 0; i < count; i++) list[i] = first + i;
    bdd result = dd_shift(t->dd, t->ours[a], first, count);
    store(t, to, result, rename_pairs(t, t->theirs[a], list, count, true));
}

static void image(struct test *t, unsigned to, unsigned a)
{
    unsigned r = below(t, RELATIONS), backward = below(t, 2);
    t->operation = backward ? "preimage" : "image";
    bdd result = dd_image(t->dd, &t->relation[r], t->ours[a], backward ? DD_BACKWARD : DD_FORWARD);
    store(t, to, result, their_image(t, r, t->theirs[a], backward));
}

static void closure(struct test *t, unsigned to, unsigned a, unsigned within)
{
    unsigned list[RELATIONS], count = 0, backward = below(t, 2), free = below(t, 2);
    struct dd_relation *relations[RELATIONS];
    t->operation = free       ? backward ? "closure backward" : "closure"
                   : backward ? "closure within, backward"
                              : "closure within";
    for (unsigned r = 0; r < RELATIONS; r++)
        if (below(t, 2)) relations[count] = &t->relation[r], list[count++] = r;
    unsigned less = below(t, SETS);
    bdd set =
        dd_diff(t->dd, t->ours[a], t->ours[less]); /* nobody else protects it: the operation must */
    bdd result = dd_saturate(t->dd, relations, count, backward ? DD_BACKWARD : DD_FORWARD, set,
                             free ? (bdd)BDD_TRUE : t->ours[within]);
    BDD their_set = temp(t, bdd_apply(t->theirs[a], t->theirs[less], bddop_diff));
    store(t, to, result,
          their_closure(t, list, count, their_set, free ? bddtrue : t->theirs[within], backward));
}

/* ---- questions ---- */

/* The share of assignments that satisfy it, exact in these sizes. (bdd_satcountset remembers
 * results from before bdd_extvarnum.) */
static double share(BDD a, double *known)
{
    if (a == bddtrue || a == bddfalse) return a == bddtrue;
    if (known[a] == 0) known[a] = 1 + (share(bdd_low(a), known) + share(bdd_high(a), known)) / 2;
    return known[a] - 1;
}

static uint64_t their_count(const struct test *t, BDD set)
{
    double *known = calloc((size_t)bdd_getallocnum(), sizeof *known);
    double count = share(set, known) * (double)(UINT64_C(1) << t->pairs);
    free(known);
    return (uint64_t)count;
}

static bool same_count(struct test *t, struct natural *count, uint64_t expected)
{
    uint64_t number = 0;
    bool good = natural_fits(count, &number) && number == expected;
    natural_free(&t->mem, count);
    return good;
}

static void ask_counts(struct test *t, unsigned a)
{
    struct natural count;
    uint64_t counts[SETS], sum = 0;
    t->operation = "count";
    if (dd_count(t->dd, t->ours[a], t->pairs, &count))
        expect(t, same_count(t, &count, their_count(t, t->theirs[a])), "the counts differ");
    t->operation = "count parts";
    if (!dd_count_parts(t->dd, t->ours[a], t->ours, SETS, t->pairs, counts)) return;
    for (unsigned i = 0; i < SETS; i++) {
        BDD both = temp(t, bdd_and(t->theirs[a], t->theirs[i]));
        expect(t, counts[i] == their_count(t, both), "the counts of a part differ");
        sum += counts[i];
    }
    t->operation = "count the sum of parts";
    if (dd_count_sum(t->dd, t->ours[a], t->ours, SETS, t->pairs, &count))
        expect(t, same_count(t, &count, sum), "the sums of all parts differ");
}

static void ask(struct test *t, unsigned a, unsigned set)
{
    uint8_t values[2 * MAX_PAIRS], bits[MAX_PAIRS];
    t->operation = "eval";
    for (unsigned i = 0; i < 20; i++) {
        for (uint32_t v = 0; v < 2 * t->pairs; v++) values[v] = (uint8_t)below(t, 2);
        if (!expect(t, dd_eval(t->dd, t->ours[a], values) == their_value(t->theirs[a], values),
                    "the values differ"))
            break;
    }
    t->operation = "support";
    int *profile = bdd_varprofile(
        t->theirs[a]); /* nodes per variable; bdd_support does not survive a second bdd_init */
    dd_support(t->dd, t->ours[a], values);
    for (uint32_t v = 0; v < 2 * t->pairs; v++)
        if (!expect(t, values[v] == (profile[v] > 0), "the variables differ")) break;
    t->operation = "support, listed";
    memset(values, 0, sizeof values);
    uint32_t list[2 * MAX_PAIRS], listed = dd_list_support(t->dd, t->ours[a], values, list);
    for (uint32_t i = 0; i < listed; i++)
        if (!expect(t, profile[list[i]] > 0, "a variable too many")) break;
    for (uint32_t v = 0; v < 2 * t->pairs; v++) listed -= profile[v] > 0;
    expect(t, !listed, "another number of variables");
    free(profile);
    t->operation = "pick";
    if (t->ours[set] != BDD_FALSE) {
        dd_pick(t->dd, t->ours[set], bits);
        for (uint32_t v = 0; v < 2 * t->pairs; v++) values[v] = bits[v / 2];
        expect(t, their_value(t->theirs[set], values), "not an element");
    }
    ask_counts(t, set);
}

static void check_all(struct test *t)
{
    const char *wrong = dd_check(t->dd);
    expect(t, !wrong, wrong ? wrong : "");
    for (unsigned i = 0; i < REGISTERS; i++) same(t, t->ours[i], t->theirs[i]);
    for (unsigned i = 0; i < REGISTERS; i++)
        for (unsigned j = 0; j < i; j++)
            expect(t, (t->ours[i] == t->ours[j]) == (t->theirs[i] == t->theirs[j]),
                   "equality differs");
    for (unsigned r = 0; r < RELATIONS; r++) same(t, t->relation[r].diagram, t->diagram[r]);
}

/* ---- sequences ---- */

static bool poll(void *context)
{
    struct test *t = context;
    return !t->stops;
}

static void one_operation(struct test *t)
{
    bool now_only = below(t, 2);
    unsigned registers = now_only ? SETS : REGISTERS;
    unsigned to = now_only ? below(t, SETS) : SETS + below(t, ANY), a = below(t, registers),
             b = below(t, registers), c = below(t, registers);
    switch (below(t, 12)) {
    case 0:
    case 1:
    case 2: binary(t, to, a, b, c); break;
    case 3:
    case 9:
    case 10: quantify(t, to, a, now_only ? 2 : 1); break;
    case 4: shift(t, SETS + below(t, ANY), below(t, SETS)); break;
    case 5:
    case 6: image(t, below(t, SETS), below(t, SETS)); break;
    case 7:
    case 8: closure(t, below(t, SETS), below(t, SETS), below(t, SETS)); break;
    default: ask(t, below(t, REGISTERS), below(t, SETS)); break;
    }
}

/* What may happen between operations. */
static void disturb(struct test *t)
{
    switch (below(t, 24)) {
    case 0: dd_collect(t->dd); break;
    case 1: dd_reorder(t->dd); break;
    case 2: dd_rest(t->dd); break;
    case 3: dd_allow_reordering(t->dd, below(t, 2)); break;
    case 4: random_relation(t, below(t, RELATIONS)); break;
    case 5:
        if (t->pairs + 2 <= MAX_PAIRS && t->pairs < 27 && below(t, 4) == 0) {
            uint32_t more = 1 + below(t, 2);
            expect(t, dd_add_pairs(t->dd, more, true), "no more pairs");
            bdd_extvarnum(2 * (int)more);
            t->pairs += more;
        }
        break;
    default: break;
    }
    for (unsigned i = 0; i < REGISTERS; i++)
        if (dd_size(t->dd, t->ours[i]) > LARGE || below(t, 60) == 0)
            random_function(t, i, i < SETS ? 2 : 1);
}

/* A step under a limit may be given up; then everything is as before. */
static void step(struct test *t)
{
    struct dd_guard guard;
    uint32_t mark = dd_mark(t->dd);
    t->operation = "between operations";
    if (dd_catch(t->dd, &guard) == DD_NONE) {
        disturb(t);
        dd_uncatch(t->dd, &guard);
    } else {
        expect(t, false, "given up without a limit");
    }
    uint32_t limited = below(t, 8);
    if (limited == 0) t->mem.limit = t->mem.used + below(t, 1 << below(t, 22));
    if (limited == 1) t->mem.fail_at = t->mem.allocations + 1 + below(t, 8);
    t->stops = limited == 2;
    mark = dd_mark(t->dd);
    enum dd_reason why = dd_catch(t->dd, &guard);
    if (why == DD_NONE) {
        one_operation(t);
        dd_uncatch(t->dd, &guard);
    } else {
        t->given_up++;
        expect(t, limited < 2 ? why == DD_FULL : limited == 2 && why == DD_STOPPED,
               "given up for another reason");
    }
    t->mem.limit = t->mem.fail_at = 0;
    t->stops = false;
    expect(t, dd_mark(t->dd) == mark, "protections were lost or left");
    if (why != DD_NONE || below(t, 30) == 0) check_all(t);
    drop_temporaries(t);
}

static void sequence(struct test *t, uint64_t seed, uint32_t steps)
{
    memset(t, 0, sizeof *t);
    t->seed = seed;
    t->random.state = seed * 77;
    t->pairs = 6 + below(t, 1 + below(t, 19));
    t->operation = "start";
    mem_init(&t->mem);
    bdd_init(20000, 10000);
    bdd_gbc_hook(NULL);
    bdd_setvarnum(2 * (int)t->pairs);
    t->dd = dd_new(&t->mem, t->pairs);
    if (below(t, 2)) { /* another order to begin with */
        uint32_t order[MAX_PAIRS];
        for (uint32_t i = 0; i < t->pairs; i++) {
            uint32_t j = below(t, i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        dd_set_order(t->dd, order);
    }
    dd_set_poll(t->dd, poll, t);
    dd_protect_array(t->dd, t->ours, REGISTERS);
    struct dd_guard guard;
    if (dd_catch(t->dd, &guard) == DD_NONE) {
        for (unsigned i = 0; i < REGISTERS; i++) random_function(t, i, i < SETS ? 2 : 1);
        for (unsigned r = 0; r < RELATIONS; r++) random_relation(t, r);
        dd_uncatch(t->dd, &guard);
    } else {
        expect(t, false, "given up without a limit");
    }
    for (t->step = 0; t->step < steps && !t->failed; t->step++) step(t);
    if (!t->failed) check_all(t);
    for (unsigned r = 0; r < RELATIONS; r++) dd_relation_release(t->dd, &t->relation[r]);
    dd_free(t->dd);
    expect(t, t->mem.used == 0, "memory was not given back");
    mem_release(&t->mem);
    bdd_done();
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
             count = argc > 2 ? strtoull(argv[2], NULL, 10) : 40;
    uint32_t steps = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 150;
    static struct test t;
    uint64_t compared = 0, given_up = 0, failed = 0;
    for (uint64_t seed = first; seed < first + count && failed < 10; seed++) {
        sequence(&t, seed, steps);
        compared += t.compared, given_up += t.given_up, failed += t.failed;
    }
    printf("%" PRIu64 " operations were given up\n", given_up);
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", compared - failed, failed);
    return failed != 0;
}
