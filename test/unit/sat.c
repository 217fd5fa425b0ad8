/* The solver behind its interface: answers against all assignments of small formulas, assumptions,
 * limits, the recorder; and memory that the system refuses in any call: it ends at the recovery
 * point, and is not asked for again for ever. */
#include "base/random.h"
#include "solver/sat/sat.h"
#include "unit/unit.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* ---- the solver's allocator, which refuses everything from some moment on ---- */

static uint64_t left = UINT64_MAX, refusals;

typedef void (*handler)(void);
extern handler get_new_handler(void) __asm__("_ZSt15get_new_handlerv");
void *solver_new(size_t bytes) __asm__("_Znwm");
void *solver_new_array(size_t bytes) __asm__("_Znam");
void *solver_try_new(size_t bytes, const void *nothrow) __asm__("_ZnwmRKSt9nothrow_t");
void solver_delete(void *block) __asm__("_ZdlPv");
void solver_delete_sized(void *block, size_t bytes) __asm__("_ZdlPvm");
void solver_delete_array(void *block) __asm__("_ZdaPv");
void solver_delete_array_sized(void *block, size_t bytes) __asm__("_ZdaPvm");

void *solver_new(size_t bytes)
{
    while (!left) {
        handler handle = get_new_handler();
        if (!handle || refusals++ > 1000)
            return puts("FAIL the solver asks for memory for ever"), exit(1), NULL;
        handle();
    }
    left--;
    return malloc(bytes ? bytes : 1);
}
void *solver_new_array(size_t bytes) { return solver_new(bytes); }
void *solver_try_new(size_t bytes, const void *nothrow)
{
    (void)nothrow;
    return malloc(bytes ? bytes : 1);
}
void solver_delete(void *block) { free(block); }
void solver_delete_sized(void *block, size_t bytes)
{
    (void)bytes;
    free(block);
}
void solver_delete_array(void *block) { free(block); }
void solver_delete_array_sized(void *block, size_t bytes)
{
    (void)bytes;
    free(block);
}

/* ---- random formulas ---- */

enum { VARS = 6, CLAUSES = 26, ASSUMED = 3 };

struct formula3 {
    int clauses[CLAUSES][3];
    unsigned count;
    int assumed[ASSUMED];
    unsigned assumptions;
};

static int random_literal(struct random *random)
{
    int var = 1 + (int)random_below(random, VARS);
    return random_below(random, 2) ? var : -var;
}

static void draw(struct random *random, struct formula3 *f)
{
    f->count = 5 + (unsigned)random_below(random, CLAUSES - 4);
    f->assumptions = (unsigned)random_below(random, ASSUMED + 1);
    for (unsigned i = 0; i < f->count; i++)
        for (unsigned k = 0; k < 3; k++) f->clauses[i][k] = random_literal(random);
    for (unsigned i = 0; i < f->assumptions; i++) f->assumed[i] = random_literal(random);
}

static bool is_true(unsigned values, int literal)
{
    return (values >> (abs(literal) - 1) & 1) == (literal > 0);
}

static bool satisfies(const struct formula3 *f, unsigned values, bool with_assumptions)
{
    for (unsigned i = 0; i < f->count; i++)
        if (!is_true(values, f->clauses[i][0]) && !is_true(values, f->clauses[i][1])
            && !is_true(values, f->clauses[i][2]))
            return false;
    for (unsigned i = 0; with_assumptions && i < f->assumptions; i++)
        if (!is_true(values, f->assumed[i])) return false;
    return true;
}

static bool is_satisfiable(const struct formula3 *f, bool with_assumptions)
{
    for (unsigned values = 0; values < 1u << VARS; values++)
        if (satisfies(f, values, with_assumptions)) return true;
    return false;
}

static void give(struct sat *sat, const struct formula3 *f)
{
    if (sat_variables(sat, VARS) != 1) abort();
    for (unsigned i = 0; i < f->count; i++)
        sat_add_3(sat, f->clauses[i][0], f->clauses[i][1], f->clauses[i][2]);
}

static void assume(struct sat *sat, const struct formula3 *f)
{
    for (unsigned i = 0; i < f->assumptions; i++) sat_assume(sat, f->assumed[i]);
}

static unsigned read_values(struct sat *sat)
{
    unsigned values = 0;
    for (int v = 1; v <= VARS; v++) values |= (unsigned)sat_value(sat, v) << (v - 1);
    return values;
}

static bool always(void *context)
{
    (void)context;
    return true;
}

static bool never(void *context)
{
    (void)context;
    return false;
}

/* ---- tests ---- */

static void test_answers(struct unit *unit, struct mem *mem, struct random *random)
{
    unsigned bad = 0, yes = 0, no = 0;
    for (unsigned i = 0; i < 600; i++) {
        struct formula3 f;
        struct sat_statistics statistics;
        struct sat *sat = sat_new(mem, always, NULL);
        draw(random, &f);
        give(sat, &f);
        assume(sat, &f);
        bool expected = is_satisfiable(&f, true), without = is_satisfiable(&f, false);
        enum sat_answer answer = sat_solve(sat);
        bad += answer != (expected ? SAT_YES : SAT_NO);
        if (answer == SAT_YES) bad += !satisfies(&f, read_values(sat), true);
        answer == SAT_YES ? yes++ : no++;
        bad += sat_solve(sat) != (without ? SAT_YES : SAT_NO); /* assumptions last for one call */
        if (without) {
            unsigned values = read_values(sat);
            bad += !satisfies(&f, values, false);
            for (int v = 1; v <= VARS; v++) bad += sat_value(sat, v) == sat_value(sat, -v);
        }
        sat_get_statistics(sat, &statistics);
        bad += statistics.variables != VARS || statistics.clauses != f.count
               || statistics.literals != 3 * f.count || statistics.calls != 2;
        sat_free(sat);
    }
    CHECK(unit, bad == 0);
    CHECK(unit, yes > 50 && no > 50);
}

static void test_limits(struct unit *unit, struct mem *mem)
{
    enum { PIGEONS = 9, HOLES = 8 };
    for (unsigned way = 0; way < 3; way++) {
        struct sat *sat = sat_new(mem, way == 1 ? never : always, NULL);
        int first = sat_variables(sat, PIGEONS * HOLES);
        for (int p = 0; p < PIGEONS; p++) {
            for (int h = 0; h < HOLES; h++) sat_add(sat, first + p * HOLES + h);
            sat_add(sat, 0);
            for (int q = 0; q < p; q++)
                for (int h = 0; h < HOLES; h++)
                    sat_add_2(sat, -(first + p * HOLES + h), -(first + q * HOLES + h));
        }
        uint64_t limit = mem->limit;
        if (way == 0) sat_limit_conflicts(sat, 10);
        if (way == 2) mem->limit = 1; /* the process has more than that */
        CHECK(unit, sat_solve(sat) == SAT_STOPPED);
        CHECK(unit, sat_is_full(sat) == (way == 2));
        mem->limit = limit;
        if (way == 0) CHECK(unit, sat_solve(sat) == SAT_NO);      /* a limit is for one call */
        if (way == 2) CHECK(unit, sat_solve(sat) == SAT_STOPPED); /* full is for ever */
        sat_free(sat);
    }
}

static void test_recorder(struct unit *unit, struct mem *mem)
{
    struct sat *sat = sat_new_recorder(mem);
    char text[200] = "";
    int a = sat_variables(sat, 2);
    sat_add_2(sat, a, -(a + 1));
    sat_add_1(sat, a + 1);
    sat_assume(sat, -a);
    CHECK(unit, sat_solve(sat) == SAT_STOPPED);
    FILE *file = fmemopen(text, sizeof text, "w");
    sat_write(sat, file);
    fclose(file);
    CHECK(unit, !strcmp(text, "p cnf 2 3\n1 -2 0\n2 0\n-1 0\n"));
    sat_free(sat);
}

/* One formula is solved while memory ends after the n-th block, for n = 0, 1, 2, ... until it
 * suffices. */
static bool solve_with(struct mem *mem, const struct formula3 *f, uint64_t blocks, bool *right)
{
    jmp_buf recover, *outer = mem->recover;
    struct sat *volatile sat = NULL;
    volatile bool done = false;
    mem->recover = &recover;
    refusals = 0;
    if (!setjmp(recover)) {
        left = blocks;
        sat = sat_new(mem, always, NULL);
        give(sat, f);
        assume(sat, f);
        enum sat_answer answer = sat_solve(sat);
        *right = answer == (is_satisfiable(f, true) ? SAT_YES : SAT_NO)
                 && (answer == SAT_NO || satisfies(f, read_values(sat), true));
        done = true;
    }
    left = UINT64_MAX;
    mem->recover = outer;
    if (done) sat_free(sat); /* otherwise it is lost */
    return done;
}

static void test_refusals(struct unit *unit, struct mem *mem, struct random *random)
{
    struct formula3 f;
    bool right = false;
    uint64_t blocks = 0;
    do draw(random, &f);
    while (!is_satisfiable(&f, true) || f.assumptions < 2);
    while (!solve_with(mem, &f, blocks, &right)) blocks++;
    CHECK(unit, right);
    CHECK(unit, blocks > 20);
}

const char *__lsan_default_suppressions(void); /* a solver that was refused memory is not freed */
const char *__lsan_default_suppressions(void) { return "leak:operator new\n"; }

int main(void)
{
    struct unit unit = {0};
    struct random random = {1};
    struct mem mem;
    jmp_buf recover;
    mem_init(&mem);
    mem.recover = &recover;
    if (setjmp(recover)) return puts("out of memory"), 1;
    test_answers(&unit, &mem, &random);
    test_limits(&unit, &mem);
    test_recorder(&unit, &mem);
    test_refusals(&unit, &mem, &random);
    mem_release(&mem);
    return unit_finish(&unit);
}
