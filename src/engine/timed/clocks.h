/* Clocks of timed automata: where each of them matters, and with which constants it is compared
 * from there on. See clocks.c. */
#ifndef CAIRN_ENGINE_TIMED_CLOCKS_H
#define CAIRN_ENGINE_TIMED_CLOCKS_H

#include "engine/timed/timers.h"
#include "program/program.h"

struct clock_range {
    int32_t lower,
        upper; /* L and U (solver/zone/dbm.h); both BOUND_NONE: the clock does not matter */
};

/* How a clock is compared, as far as the location of one process tells. */
struct clock_view {
    uint32_t var;   /* the location, or MODEL_NONE: wherever */
    uint32_t first; /* into ranges; for a location, one per value */
};

/* The invariants of one location. */
struct clock_invariant {
    uint32_t var;
    int64_t value;
    uint32_t first, count; /* constraints of the model */
};

/* No time passes while the variable has this value. */
struct clock_urgency {
    uint32_t var;
    int64_t value;
};

/* x - y < or <= c, of a constraint of the model; x < y. */
struct clock_diagonal {
    uint32_t x, y;
    dbm_bound bound;
};

/* What a constraint computes: PROGRAM_NONE: nothing. */
struct clock_code {
    uint32_t when, value;
};

/* Constraints on differences of clocks may have bounds that vary, among so many numbers. */
enum { CLOCKS_MOST_BOUNDS = 4096 };

struct clocks {
    struct mem *mem;
    const struct model *model;
    struct clock_code *codes; /* per constraint; NULL: none computes anything */
    uint32_t *first_view;     /* per clock, and one more */
    VEC(struct clock_view) views;
    VEC(struct clock_range) ranges;
    VEC(struct clock_invariant) invariants;
    VEC(struct clock_urgency) urgent;
    VEC(struct clock_diagonal) diagonals;
    struct clock_range *watched; /* per clock: what it is compared with from outside, everywhere */
};

/* Compiles what constraints compute. */
void clocks_init(struct clocks *clocks, const struct model *model, const struct timers *timers,
                 struct program *program);
void clocks_release(struct clocks *clocks);

/* The largest number that a clock begins with or is set to. */
int64_t clocks_largest(const struct model *model, uint32_t clock);
/* A constraint with both clocks, which are not the same. */
static inline bool clocks_is_diagonal(const struct clock_constraint *constraint)
{
    return constraint->x != MODEL_NONE && constraint->y != MODEL_NONE
           && constraint->x != constraint->y;
}

/* Whether a constraint says anything in a state; then *bound is its bound there. */
bool clocks_compute(const struct clocks *clocks, const struct program *program,
                    const uint64_t *words, uint32_t constraint, dbm_bound *bound);
static inline bool clocks_bound(const struct clocks *clocks, const struct program *program,
                                const uint64_t *words, uint32_t i, dbm_bound *bound)
{
    const struct clock_constraint *constraint = &clocks->model->constraints.data[i];
    if (clocks->codes) return clocks_compute(clocks, program, words, i, bound);
    *bound = constraint->strict ? bound_strict(constraint->bound) : bound_weak(constraint->bound);
    return true;
}
/* Somebody else compares the clock with a constant, in every state and in both directions. */
void clocks_watch(struct clocks *clocks, uint32_t clock, int64_t constant);
/* The same of the clocks of a constraint. */
void clocks_watch_constraint(struct clocks *clocks, const struct clock_constraint *constraint);

/* The bounds of a clock in a state. */
struct clock_range clocks_range(const struct clocks *clocks, uint32_t clock,
                                const struct layout *layout, const uint64_t *words);

#endif
