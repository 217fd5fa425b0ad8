/* Reduced exploration: PartialExploration of the thesis (chapter 3) with its three choices of E,
 * its deadlock variant, and ImProviso.
 *
 * Every process has one relation of its safe rules. Phase 1 follows these relations, one process
 * after the other, as long as that finds states; phase 2 expands what is left fully. States that
 * were met before stay in the frontier, so a cycle of safe steps is left by a full expansion some
 * time: nothing is put off for ever, and no cycle has to be recognised. */
#ifndef CAIRN_ENGINE_SYMBOLIC_PARTIAL_H
#define CAIRN_ENGINE_SYMBOLIC_PARTIAL_H

#include "engine/symbolic/space.h"
#include "reduce/process_model.h"

struct part {
    struct dd_relation relation; /* the safe rules of one process */
    bdd alive;                   /* states in which one of them is enabled */
    bdd taken;                   /* states that were expanded with it */
};

struct partial {
    struct symbolic *s;
    struct process_model process_model;
    struct part *parts;
    uint32_t count;
    enum reduction kind;
    unsigned variant;
    bdd visited, full;     /* of the last exploration: its states; those that were expanded fully */
    uint64_t largest_part; /* nodes */
};

/* A reduction for properties that read the marked variables. For branching time only linear rules
 * are used. */
void partial_init(struct partial *partial, struct symbolic *s, enum reduction kind,
                  const bool *visible, bool branching);
void partial_release(struct partial *partial);

/* What is reached from H through F in a reduced model that satisfies the same formulas without
 * X. */
bdd partial_explore(struct partial *partial, bdd h, bdd f);

/* One step in the reduced model that the last exploration (from the initial states, through
 * everything) has found. */
bdd partial_step(struct partial *partial, bdd set, enum dd_direction direction);

#endif
