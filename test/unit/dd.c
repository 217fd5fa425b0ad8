/* Decision diagrams against truth tables: every operation, images and saturation against sets
 * written out, counts, with collections and reordering at random moments, and with memory refused
 * at random moments. */
#include "base/mem.h"
#include "base/random.h"
#include "solver/dd/dd.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS = 4, VARS = 2 * PAIRS, ROWS = 1 << VARS, REGISTERS = 8, STATES = 1 << PAIRS };

typedef struct {
    uint8_t row[ROWS];
} table;

static bool bit(unsigned row, unsigned var) { return row >> var & 1; }

static bool same(struct dd *dd, bdd a, const table *t)
{
    uint8_t values[VARS];
    for (unsigned row = 0; row < ROWS; row++) {
        for (unsigned v = 0; v < VARS; v++) values[v] = bit(row, v);
        if (dd_eval(dd, a, values) != t->row[row]) return false;
    }
    return true;
}

static bdd of_table(struct dd *dd, const table *t, unsigned row, unsigned var)
{
    bdd low = BDD_FALSE, high = BDD_FALSE, test = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    if (var == VARS) return t->row[row];
    dd_protect(dd, &low), dd_protect(dd, &high), dd_protect(dd, &test);
    low = of_table(dd, t, row, var + 1);
    high = of_table(dd, t, row | 1u << var, var + 1);
    test = dd_variable(dd, var);
    dd_release(dd, mark);
    return dd_ite(dd, test, high, low);
}

/* ---- operations ---- */

static void random_step(struct unit *unit, struct random *random, struct dd *dd, bdd *reg,
                        table *tab)
{
    unsigned to = (unsigned)random_below(random, REGISTERS),
             a = (unsigned)random_below(random, REGISTERS),
             b = (unsigned)random_below(random, REGISTERS);
    unsigned c = (unsigned)random_below(random, REGISTERS),
             v = (unsigned)random_below(random, VARS), w = (unsigned)random_below(random, VARS);
    table x = tab[a], y = tab[b], z = tab[c], out = {{0}};
    bdd cube = BDD_TRUE;
    switch (random_below(random, 10)) {
    case 8:
        for (unsigned r = 0; r < ROWS; r++) out.row[r] = random_below(random, 3) == 0;
        reg[to] = of_table(dd, &out, 0, 0);
        break;
    case 0:
        reg[to] = dd_variable(dd, v);
        for (unsigned r = 0; r < ROWS; r++) out.row[r] = bit(r, v);
        break;
    case 1:
        reg[to] = dd_not(dd, reg[a]);
        for (unsigned r = 0; r < ROWS; r++) out.row[r] = !x.row[r];
        break;
    case 2:
        reg[to] = dd_and(dd, reg[a], reg[b]);
        for (unsigned r = 0; r < ROWS; r++) out.row[r] = x.row[r] & y.row[r];
        break;
    case 3:
        reg[to] = dd_or(dd, reg[a], reg[b]);
        for (unsigned r = 0; r < ROWS; r++) out.row[r] = x.row[r] | y.row[r];
        break;
    case 4:
        reg[to] = dd_xor(dd, reg[a], reg[b]);
        for (unsigned r = 0; r < ROWS; r++) out.row[r] = x.row[r] ^ y.row[r];
        break;
    case 5:
        reg[to] = dd_diff(dd, reg[a], reg[b]);
        for (unsigned r = 0; r < ROWS; r++) out.row[r] = x.row[r] & !y.row[r];
        break;
    case 6:
        reg[to] = dd_ite(dd, reg[a], reg[b], reg[c]);
        for (unsigned r = 0; r < ROWS; r++) out.row[r] = x.row[r] ? y.row[r] : z.row[r];
        break;
    case 7:
        cube = dd_variable(dd, v);
        dd_protect(dd, &cube);
        {
            bdd other = dd_variable(dd, w);
            cube = dd_and(dd, cube, other);
        }
        reg[to] = dd_exists(dd, reg[a], cube);
        dd_release(dd, dd_mark(dd) - 1);
        for (unsigned r = 0; r < ROWS; r++)
            out.row[r] = x.row[r & ~(1u << v) & ~(1u << w)] | x.row[(r | 1u << v) & ~(1u << w)]
                         | x.row[(r & ~(1u << v)) | 1u << w] | x.row[r | 1u << v | 1u << w];
        if (v == w)
            for (unsigned r = 0; r < ROWS; r++)
                out.row[r] = x.row[r & ~(1u << v)] | x.row[r | 1u << v];
        break;
    default:
        for (unsigned r = 0; r < ROWS; r++) out.row[r] = x.row[r] & !y.row[r];
        CHECK(unit, dd_implies(dd, reg[a], reg[b]) == !memchr(out.row, 1, ROWS));
        return;
    }
    tab[to] = out;
    CHECK(unit, same(dd, reg[to], &out));
}

static void test_operations(struct unit *unit, uint64_t seed, unsigned steps)
{
    struct mem mem;
    struct random random = {seed};
    bdd reg[REGISTERS] = {0};
    static table tab[REGISTERS];
    memset(tab, 0, sizeof tab);
    mem_init(&mem);
    struct dd *dd = dd_new(&mem, PAIRS);
    struct dd_guard guard;
    dd_protect_array(dd, reg, REGISTERS);
    if (dd_catch(dd, &guard) != DD_NONE) {
        CHECK(unit, !"there was no limit");
        return;
    }
    for (unsigned i = 0; i < steps; i++) {
        random_step(unit, &random, dd, reg, tab);
        if (random_below(&random, 10) == 0) dd_collect(dd);
        if (random_below(&random, 20) == 0) dd_reorder(dd);
        if (random_below(&random, 10) == 0) {
            const char *wrong = dd_check(dd);
            CHECK(unit, !wrong);
            if (wrong) printf("%s\n", wrong);
            for (unsigned r = 0; r < REGISTERS; r++) CHECK(unit, same(dd, reg[r], &tab[r]));
            for (unsigned r = 0; r < REGISTERS; r++)
                for (unsigned q = 0; q < r; q++)
                    CHECK(unit, (reg[r] == reg[q]) == !memcmp(&tab[r], &tab[q], sizeof tab[r]));
        }
    }
    dd_uncatch(dd, &guard);
    dd_free(dd);
    CHECK(unit, mem.used == 0);
    mem_release(&mem);
}

/* ---- sets and relations ---- */

static bdd of_state(struct dd *dd, unsigned state, bool next)
{
    bdd all = BDD_TRUE, one = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_protect(dd, &all);
    dd_protect(dd, &one);
    for (unsigned p = 0; p < PAIRS; p++) {
        one = dd_variable(dd, next ? dd_next(p) : dd_now(p));
        if (!(state >> p & 1)) one = dd_not(dd, one);
        all = dd_and(dd, all, one);
    }
    dd_release(dd, mark);
    return all;
}

static bdd of_set(struct dd *dd, const uint8_t *set)
{
    bdd all = BDD_FALSE, one = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_protect(dd, &all);
    dd_protect(dd, &one);
    for (unsigned s = 0; s < STATES; s++) {
        if (!set[s]) continue;
        one = of_state(dd, s, false);
        all = dd_or(dd, all, one);
    }
    dd_release(dd, mark);
    return all;
}

static bool is_set(struct dd *dd, bdd a, const uint8_t *set)
{
    uint8_t values[VARS] = {0};
    for (unsigned s = 0; s < STATES; s++) {
        for (unsigned p = 0; p < PAIRS; p++) values[dd_now(p)] = s >> p & 1;
        if (dd_eval(dd, a, values) != set[s]) return false;
    }
    return true;
}

struct relation {
    uint8_t edge[STATES][STATES];
    struct dd_relation dd;
};

/* A random relation that writes some pairs: pairs it does not write keep their value. Half of the
 * steps are any-to-any in a written pair. */
static void random_relation(struct random *random, struct dd *dd, struct relation *relation)
{
    unsigned written = (unsigned)random_below(random, STATES),
             reads = (unsigned)random_below(random, STATES), count = 0;
    unsigned density = 1 + (unsigned)random_below(random, 4);
    uint32_t list[PAIRS];
    uint8_t choice[STATES][STATES];
    bdd all = BDD_FALSE, one = BDD_FALSE, two = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    for (unsigned p = 0; p < PAIRS; p++)
        if (written >> p & 1) list[count++] = p;
    for (unsigned s = 0; s < STATES; s++)
        for (unsigned t = 0; t < STATES; t++) choice[s][t] = random_below(random, density) == 0;
    dd_protect(dd, &all);
    dd_protect(dd, &one);
    dd_protect(dd, &two);
    for (unsigned s = 0; s < STATES; s++)
        for (unsigned t = 0; t < STATES; t++) {
            bool may = choice[s & (reads | written)][t & written];
            relation->edge[s][t] = may && (s & ~written) == (t & ~written);
            if (!may || (s & ~(reads | written)) || (t & ~written)) continue;
            one = BDD_TRUE;
            for (unsigned p = 0; p < PAIRS; p++) {
                if ((reads | written) >> p & 1) {
                    two = dd_variable(dd, dd_now(p));
                    if (!(s >> p & 1)) two = dd_not(dd, two);
                    one = dd_and(dd, one, two);
                }
                if (written >> p & 1) {
                    two = dd_variable(dd, dd_next(p));
                    if (!(t >> p & 1)) two = dd_not(dd, two);
                    one = dd_and(dd, one, two);
                }
            }
            all = dd_or(dd, all, one);
        }
    bdd result = all;
    dd_release(dd, mark);
    dd_relation_init(dd, &relation->dd, result, list, count);
}

static void closure(const struct relation *relations, unsigned count, bool backward, uint8_t *set,
                    const uint8_t *within)
{
    bool again = true;
    while (again) {
        again = false;
        for (unsigned r = 0; r < count; r++)
            for (unsigned s = 0; s < STATES; s++)
                for (unsigned t = 0; t < STATES; t++)
                    if (set[s] && !set[t] && within[t]
                        && (backward ? relations[r].edge[t][s] : relations[r].edge[s][t]))
                        set[t] = again = true;
    }
}

static void random_set(struct random *random, uint8_t *set)
{
    unsigned density = 1 + (unsigned)random_below(random, 8);
    for (unsigned s = 0; s < STATES; s++) set[s] = random_below(random, density) == 0;
}

static void test_relations(struct unit *unit, uint64_t seed)
{
    enum { RELATIONS = 4 };
    struct mem mem;
    struct random random = {seed};
    struct relation relations[RELATIONS];
    struct dd_relation *list[RELATIONS];
    uint8_t set[STATES], within[STATES], out[STATES];
    bdd a = BDD_FALSE, c = BDD_FALSE, result = BDD_FALSE;
    mem_init(&mem);
    struct dd *dd = dd_new(&mem, PAIRS);
    struct dd_guard guard;
    dd_protect(dd, &a), dd_protect(dd, &c), dd_protect(dd, &result);
    if (dd_catch(dd, &guard) != DD_NONE) {
        CHECK(unit, !"there was no limit");
        return;
    }
    for (unsigned i = 0; i < RELATIONS; i++)
        random_relation(&random, dd, &relations[i]), list[i] = &relations[i].dd;
    for (unsigned round = 0; round < 12; round++) {
        bool backward = random_below(&random, 2);
        unsigned r = (unsigned)random_below(&random, RELATIONS),
                 many = 1 + (unsigned)random_below(&random, RELATIONS);
        enum dd_direction direction = backward ? DD_BACKWARD : DD_FORWARD;
        random_set(&random, set);
        random_set(&random, within);
        if (random_below(&random, 2)) memset(within, 1, sizeof within);
        a = of_set(dd, set);
        c = of_set(dd, within);
        memset(out, 0, sizeof out);
        for (unsigned s = 0; s < STATES; s++)
            for (unsigned t = 0; t < STATES; t++)
                if (set[s] && (backward ? relations[r].edge[t][s] : relations[r].edge[s][t]))
                    out[t] = 1;
        result = dd_image(dd, list[r], a, direction);
        CHECK(unit, is_set(dd, result, out));
        memcpy(out, set, sizeof out);
        closure(relations, many, backward, out, within);
        result = dd_saturate(dd, list, many, direction, a, c);
        CHECK(unit, is_set(dd, result, out));
        struct natural count;
        uint64_t number = 0, expected = 0;
        for (unsigned s = 0; s < STATES; s++) expected += out[s];
        CHECK(unit, dd_count(dd, result, PAIRS, &count) && natural_fits(&count, &number)
                        && number == expected);
        natural_free(&mem, &count);
        bdd parts[3] = {a, c, BDD_TRUE};
        uint64_t counts[3];
        CHECK(unit, dd_count_parts(dd, result, parts, 3, PAIRS, counts));
        uint64_t in_set = 0, in_within = 0;
        for (unsigned s = 0; s < STATES; s++)
            in_set += out[s] & set[s], in_within += out[s] & within[s];
        CHECK(unit, counts[0] == in_set && counts[1] == in_within && counts[2] == expected);
        CHECK(unit, dd_count_sum(dd, result, parts, 3, PAIRS, &count)
                        && natural_fits(&count, &number)
                        && number == in_set + in_within + expected);
        natural_free(&mem, &count);
        if (round % 3 == 2) {
            dd_reorder(dd);
            const char *wrong = dd_check(dd);
            CHECK(unit, !wrong);
        }
        if (round == 7) CHECK(unit, dd_add_pairs(dd, 1, seed & 1));
    }
    dd_uncatch(dd, &guard);
    for (unsigned i = 0; i < RELATIONS; i++) dd_relation_release(dd, list[i]);
    dd_free(dd);
    CHECK(unit, mem.used == 0);
    mem_release(&mem);
}

/* ---- limits ---- */

/* Whatever allocation fails, the diagrams that were protected stay what they were. */
static void test_refusal(struct unit *unit, uint64_t seed)
{
    struct mem mem;
    struct random random = {seed};
    struct relation relations[2];
    struct dd_relation *list[2] = {&relations[0].dd, &relations[1].dd};
    uint8_t set[STATES], out[STATES], within[STATES];
    bdd a = BDD_FALSE;
    mem_init(&mem);
    struct dd *dd = dd_new(&mem, PAIRS);
    struct dd_guard guard;
    dd_protect(dd, &a);
    if (dd_catch(dd, &guard) != DD_NONE) return;
    random_relation(&random, dd, &relations[0]);
    random_relation(&random, dd, &relations[1]);
    random_set(&random, set);
    a = of_set(dd, set);
    dd_uncatch(dd, &guard);
    memcpy(out, set, sizeof out);
    memset(within, 1, sizeof within);
    closure(relations, 2, false, out, within);
    for (volatile unsigned i = 0; i < 40; i++) {
        mem.fail_at = mem.allocations + 1 + random_below(&random, 6);
        if (dd_catch(dd, &guard) == DD_NONE) {
            bdd result = dd_saturate(dd, list, 2, DD_FORWARD, a, BDD_TRUE);
            CHECK(unit, is_set(dd, result, out));
            dd_reorder(dd);
            dd_uncatch(dd, &guard);
        }
        CHECK(unit, is_set(dd, a, set));
        CHECK(unit, !dd_check(dd));
    }
    mem.fail_at = 0;
    dd_relation_release(dd, list[0]);
    dd_relation_release(dd, list[1]);
    dd_free(dd);
    CHECK(unit, mem.used == 0);
    mem_release(&mem);
}

/* A conjunction that makes no node but looks at very many pairs of nodes can be stopped. */
static bool stop_now(void *context)
{
    ++*(unsigned *)context;
    return false;
}

static void test_stop(struct unit *unit)
{
    enum { HALF = 13 };
    struct mem mem;
    bdd part[2] = {BDD_FALSE, BDD_FALSE}, a = BDD_FALSE, b = BDD_FALSE;
    unsigned asked = 0;
    mem_init(&mem);
    struct dd *dd = dd_new(&mem, 2 * HALF + 1);
    struct dd_guard guard;
    dd_allow_reordering(dd, false);
    dd_protect_array(dd, part, 2), dd_protect(dd, &a), dd_protect(dd, &b);
    enum dd_reason why = dd_catch(dd, &guard);
    if (why == DD_NONE) {
        for (unsigned k = 0; k < 2; k++) { /* pairs far apart, in two ways: large diagrams, which
                                              the last variable keeps apart */
            for (uint32_t i = 0; i < HALF; i++) {
                a = dd_variable(dd, dd_now(i));
                b = dd_variable(dd, dd_now(HALF + (k ? i : (i * 5 + 3) % HALF)));
                a = dd_and(dd, a, b);
                part[k] = dd_or(dd, part[k], a);
            }
            a = dd_variable(dd, dd_now(2 * HALF));
            part[k] = k ? dd_and(dd, part[k], a) : dd_diff(dd, part[k], a);
        }
        dd_set_poll(dd, stop_now, &asked);
        a = dd_and(dd, part[0], part[1]);
        dd_uncatch(dd, &guard);
    }
    CHECK(unit, why == DD_STOPPED && asked == 1);
    CHECK(unit, !dd_check(dd));
    dd_free(dd);
    mem_release(&mem);
}

/* ---- numbers ---- */

static void test_numbers(struct unit *unit)
{
    struct mem mem;
    mem_init(&mem);
    struct dd *dd = dd_new(&mem, 300);
    struct natural count;
    CHECK(unit, dd_count(dd, BDD_TRUE, 300, &count));
    char *digits = natural_digits(&mem, &count);
    CHECK(unit, digits
                    && !strcmp(digits, "20370359763344860862684456884093781610514683936659362506361"
                                       "40449354381299763336706183397376"));
    mem_free(&mem, digits);
    natural_free(&mem, &count);
    CHECK(unit, dd_count(dd, BDD_FALSE, 300, &count));
    digits = natural_digits(&mem, &count);
    CHECK(unit, digits && !strcmp(digits, "0"));
    mem_free(&mem, digits);
    natural_free(&mem, &count);
    dd_free(dd);
    mem_release(&mem);
}

int main(void)
{
    struct unit unit = {0, 0};
    for (uint64_t seed = 1; seed <= 30; seed++) test_operations(&unit, seed, 400);
    for (uint64_t seed = 1; seed <= 200; seed++) test_relations(&unit, seed);
    for (uint64_t seed = 1; seed <= 30; seed++) test_refusal(&unit, seed);
    test_stop(&unit);
    test_numbers(&unit);
    return unit_finish(&unit);
}
