#include "solver/sat/sat.h"

#include "base/clock.h"

#include <assert.h>
#include <ccadical.h>
#include <malloc.h>

/* The C interface has no word for memory that the system refuses: the solver's C++ code would throw
 * through us and end the program. What C++ calls before it throws can be replaced, and jumping from
 * there to the recovery point leaves a solver behind that is never touched again. */
extern void (*set_new_handler(void (*handler)(void)))(void) __asm__("_ZSt15set_new_handlerPFvvE");

struct sat {
    struct mem *mem;
    CCaDiCaL *solver; /* NULL: only recorded */
    bool (*go_on)(void *context);
    void *context;
    VEC(int) record;  /* clauses, each ended by 0 */
    VEC(int) assumed; /* by a recorder */
    struct sat_statistics statistics;
    double looked; /* when memory was last compared with the budget */
    bool full, broken;
    enum sat_answer answer; /* of the last call; SAT_STOPPED: nothing may be asked about it */
};

static struct sat *at_work; /* every call that may allocate is between enter and leave */

static CCaDiCaL *enter(struct sat *sat)
{
    assert(!at_work && !sat->broken); /* calls do not nest; the contract */
    at_work = sat;
    return sat->solver;
}

static void leave(void) { at_work = NULL; }

static void refused(void)
{
    struct sat *sat = at_work;
    if (!sat) { /* without a handler the next attempt throws; with one it would be made for ever */
        set_new_handler(NULL);
        return;
    }
    leave();
    sat->broken = true;
    mem_refuse(sat->mem);
}

/* Sanitizers have an allocator of their own. */
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static uint64_t allocated(void)
{
    if (__sanitizer_get_current_allocated_bytes) return __sanitizer_get_current_allocated_bytes();
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void compare_memory(struct sat *sat)
{
    uint64_t bytes = allocated();
    if (bytes > sat->mem->peak) sat->mem->peak = bytes;
    if (sat->mem->limit && bytes > sat->mem->limit) sat->full = true;
}

static int must_stop(void *context)
{
    struct sat *sat = context;
    double time = clock_now();
    if (time - sat->looked > 0.05) {
        sat->looked = time;
        compare_memory(sat);
    }
    return sat->full || mem_enough(sat->mem) || !sat->go_on(sat->context);
}

/* Every conflict learns a clause. */
static void count_conflict(void *context, int *clause)
{
    struct sat *sat = context;
    (void)clause;
    sat->statistics.conflicts++;
}

struct sat *sat_new_recorder(struct mem *mem)
{
    struct sat *sat = mem_alloc(mem, sizeof *sat);
    sat->mem = mem;
    sat->answer = SAT_STOPPED;
    return sat;
}

struct sat *sat_new(struct mem *mem, bool (*go_on)(void *context), void *context)
{
    struct sat *sat = sat_new_recorder(mem);
    set_new_handler(refused);
    enter(sat);
    sat->solver = ccadical_init();
    ccadical_set_option(sat->solver, "quiet", 1); /* it would print to standard output */
    sat->go_on = go_on;
    sat->context = context;
    ccadical_set_terminate(sat->solver, sat, must_stop);
    ccadical_set_learn(sat->solver, sat, 1 << 30, count_conflict);
    leave();
    return sat;
}

void sat_free(struct sat *sat)
{
    if (!sat) return;
    if (sat->solver && !sat->broken) ccadical_release(sat->solver);
    vec_free(sat->mem, &sat->record);
    vec_free(sat->mem, &sat->assumed);
    mem_free(sat->mem, sat);
}

int sat_variables(struct sat *sat, uint32_t count)
{
    int first = (int)sat->statistics.variables + 1;
    sat->statistics.variables += count;
    if (sat->statistics.variables > INT32_MAX / 2)
        mem_refuse(sat->mem); /* more than any memory holds clauses for */
    return first;
}

/* Clauses, too, take time and memory before any call. */
static void look_between_clauses(struct sat *sat)
{
    enum { OFTEN = 1 << 14 };
    if (sat->statistics.clauses % OFTEN) return;
    mem_look(sat->mem);
    if (sat->solver) compare_memory(sat);
    if (sat->full) mem_refuse(sat->mem);
}

void sat_add(struct sat *sat, int literal)
{
    assert(literal > INT32_MIN
           && (uint64_t)(literal < 0 ? -literal : literal)
                  <= sat->statistics.variables); /* it was made before */
    if (literal) sat->statistics.literals++;
    else {
        sat->statistics.clauses++;
        look_between_clauses(sat);
    }
    if (!sat->solver) {
        vec_push(sat->mem, &sat->record, literal);
        return;
    }
    ccadical_add(enter(sat), literal);
    leave();
}

void sat_assume(struct sat *sat, int literal)
{
    if (!sat->solver) {
        vec_push(sat->mem, &sat->assumed, literal);
        return;
    }
    ccadical_assume(enter(sat), literal);
    leave();
}

void sat_limit_conflicts(struct sat *sat, uint64_t conflicts)
{
    if (!sat->solver) return;
    ccadical_limit(enter(sat), "conflicts", conflicts < INT32_MAX ? (int)conflicts : INT32_MAX);
    leave();
}

enum sat_answer sat_solve(struct sat *sat)
{
    if (!sat->solver) return SAT_STOPPED;
    compare_memory(sat);
    if (sat->full) return SAT_STOPPED;
    sat->statistics.calls++;
    int answer = ccadical_solve(enter(sat));
    leave();
    compare_memory(sat);
    return sat->answer = answer == 10 ? SAT_YES : answer == 20 ? SAT_NO : SAT_STOPPED;
}

bool sat_value(struct sat *sat, int literal)
{
    assert(sat->answer == SAT_YES); /* the contract */
    int variable =
        literal < 0
            ? -literal
            : literal; /* versions of the solver differ in what they say of negative literals */
    bool is_true = ccadical_val(enter(sat), variable)
                   == variable; /* the first call completes the assignment, which needs room */
    leave();
    return is_true == (literal > 0);
}

bool sat_needed(struct sat *sat, int assumption)
{
    assert(sat->answer == SAT_NO); /* the contract */
    int needed = ccadical_failed(enter(sat), assumption);
    leave();
    return needed;
}

bool sat_is_full(const struct sat *sat) { return sat->full; }

void sat_get_statistics(const struct sat *sat, struct sat_statistics *statistics)
{
    *statistics = sat->statistics;
}

void sat_write(const struct sat *sat, FILE *out)
{
    enum { OFTEN = 1 << 16 };
    assert(!sat->solver); /* the contract: a recorder */
    assert(!sat->record.len || !sat->record.data[sat->record.len - 1]); /* clauses are ended */
    fprintf(out, "p cnf %llu %llu\n", (unsigned long long)sat->statistics.variables,
            (unsigned long long)sat->statistics.clauses + sat->assumed.len);
    for (uint32_t i = 0; i < sat->record.len; i++) {
        if (i % OFTEN == 0) mem_look(sat->mem);
        fprintf(out, sat->record.data[i] ? "%d " : "%d\n", sat->record.data[i]);
    }
    for (uint32_t i = 0; i < sat->assumed.len; i++) fprintf(out, "%d 0\n", sat->assumed.data[i]);
}
