/* An incremental SAT solver behind the few calls that engines need. The solver is CaDiCaL, by its C
 * interface.
 *
 * Variables are numbered from 1 and literals are +v and -v, as in DIMACS. Clauses stay for ever;
 * assumptions last for one call of sat_solve.
 *
 * The solver allocates by itself, outside the byte budget of `mem`. So the budget is compared with
 * what the whole process has allocated, several times a second; over it, sat_solve ends with
 * SAT_STOPPED and sat_is_full is true. Where the system itself refuses memory, the context's
 * recovery point is taken (base/mem.h) and the solver must not be used again. */
#ifndef CAIRN_SOLVER_SAT_SAT_H
#define CAIRN_SOLVER_SAT_SAT_H

#include "base/mem.h"

#include <stdio.h>

struct sat;

enum sat_answer { SAT_NO, SAT_YES, SAT_STOPPED };

struct sat_statistics {
    uint64_t variables, clauses, literals, conflicts, calls;
};

/* go_on is asked now and then while the solver works; false ends that work. */
struct sat *sat_new(struct mem *mem, bool (*go_on)(void *context), void *context);
/* One that solves nothing and keeps the clauses, for sat_write. */
struct sat *sat_new_recorder(struct mem *mem);
void sat_free(struct sat *sat);

/* The first of so many new variables, which follow each other. */
int sat_variables(struct sat *sat, uint32_t count);

/* A clause is given literal by literal and ended by 0. */
void sat_add(struct sat *sat, int literal);
static inline void sat_add_1(struct sat *sat, int a) { sat_add(sat, a), sat_add(sat, 0); }
static inline void sat_add_2(struct sat *sat, int a, int b)
{
    sat_add(sat, a), sat_add(sat, b), sat_add(sat, 0);
}
static inline void sat_add_3(struct sat *sat, int a, int b, int c)
{
    sat_add(sat, a), sat_add(sat, b), sat_add(sat, c), sat_add(sat, 0);
}

/* At most one of the literals is true, by a ladder of auxiliary variables. */
void sat_at_most_one(struct sat *sat, const int *literals, uint32_t count);
/* A new literal that is true exactly when all of these are; when these two are equal. */
int sat_define_all(struct sat *sat, const int *literals, uint32_t count);
int sat_define_equal(struct sat *sat, int a, int b);

void sat_assume(struct sat *sat, int literal);
/* At most so many conflicts in the next call of sat_solve, which then ends with SAT_STOPPED. */
void sat_limit_conflicts(struct sat *sat, uint64_t conflicts);
enum sat_answer sat_solve(struct sat *sat);
/* After SAT_YES. */
bool sat_value(struct sat *sat, int literal);
/* After SAT_NO: whether this assumption was needed for it. */
bool sat_needed(struct sat *sat, int assumption);

/* The budget was met; there is no point in another call. */
bool sat_is_full(const struct sat *sat);
void sat_get_statistics(const struct sat *sat, struct sat_statistics *statistics);

/* The recorded clauses in DIMACS, the assumptions of the next call among them. */
void sat_write(const struct sat *sat, FILE *out);

#endif
