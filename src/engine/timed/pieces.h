/* Where a condition over atoms, clock constraints and `deadlock` is true, in a discrete state: a
 * union of zones that do not overlap. See pieces.c.
 *
 * A condition is prepared once (pieces_prepare), before workers are opened, because its atoms are
 * compiled; then each worker evaluates it in memory of its own. */
#ifndef CAIRN_ENGINE_TIMED_PIECES_H
#define CAIRN_ENGINE_TIMED_PIECES_H

#include "engine/timed/config.h"
#include "program/program.h"
#include "solver/zone/federation.h"

/* What the conditions of a search are made of, compiled. */
struct pieces {
    struct mem *mem;
    const struct model *model;
    uint32_t timers;
    uint32_t *codes;   /* per formula: of an atom; of a clock constraint, its bound ... */
    uint32_t *whens;   /* ... and its condition */
    uint32_t formulas; /* there is room for */
};

/* Memory is taken by calls that jump when it is refused. */
void pieces_init(struct pieces *pieces, const struct model *model, uint32_t timers);
void pieces_release(struct pieces *pieces);
void pieces_prepare(struct pieces *pieces, struct program *program, formula f);
/* Whether the condition has clock constraints, `deadlock`. */
bool pieces_has(const struct model *model, formula f, enum formula_op op);

/* A discrete state in which conditions are asked. */
struct pieces_state {
    const struct program *program;
    const uint64_t *words;
    const struct config *config;
    const struct federation *stuck; /* all its stuck valuations; may be NULL without `deadlock` */
};

/* What one worker has of its own. All zero at first, but for `mem`. */
struct pieces_work {
    struct mem *mem;
    VEC(struct federation) rooms; /* one per level of the condition */
    struct dbm zone;
    bool has_zone;
};
void pieces_release_work(struct pieces_work *work);

enum pieces_result { PIECES_GOOD, PIECES_REFUSED, PIECES_FAILED };
/* Adds to `out` the part of `in` in which the condition is what `wanted` says. PIECES_FAILED: it
 * cannot be evaluated there. Neither federation is changed otherwise; they are different ones. */
enum pieces_result pieces_find(const struct pieces *pieces, struct pieces_work *work,
                               const struct pieces_state *state, formula f, bool wanted,
                               const struct federation *in, struct federation *out);

#endif
