/* Clocks of timed automata: where each of them matters, and with which constants it is compared
 * from there on. See clocks.c. */
#ifndef CAIRN_ENGINE_TIMED_CLOCKS_H
#define CAIRN_ENGINE_TIMED_CLOCKS_H

#include "engine/timed/timers.h"
#include "program/layout.h"

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

struct clocks {
    struct mem *mem;
    const struct model *model;
    uint32_t *first_view; /* per clock, and one more */
    VEC(struct clock_view) views;
    VEC(struct clock_range) ranges;
    VEC(struct clock_invariant) invariants;
    struct clock_range *watched; /* per clock: what it is compared with from outside, everywhere */
};

void clocks_init(struct clocks *clocks, const struct model *model, const struct timers *timers);
void clocks_release(struct clocks *clocks);

/* Somebody else compares the clock with a constant, in every state and in both directions. */
void clocks_watch(struct clocks *clocks, uint32_t clock, int64_t constant);

/* The bounds of a clock in a state. */
struct clock_range clocks_range(const struct clocks *clocks, uint32_t clock,
                                const struct layout *layout, const uint64_t *words);

#endif
