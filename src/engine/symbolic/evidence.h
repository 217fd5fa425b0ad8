/* Paths as evidence: shortest ways through sets of states, found by onion rings (breadth-first
 * layers), and cycles.
 *
 * A walk is over the states of the model, or over those of its product with a tableau (ltl.c):
 * `step` says how to go, and `extra` pairs belong to a state besides the model's bits. */
#ifndef CAIRN_ENGINE_SYMBOLIC_EVIDENCE_H
#define CAIRN_ENGINE_SYMBOLIC_EVIDENCE_H

#include "engine/symbolic/space.h"

struct walk {
    struct symbolic *s;
    bdd (*step)(void *context, bdd set, enum dd_direction direction);
    void *context;
    uint32_t first_extra, extra;
    VEC(uint8_t) bits; /* per state of the path: one byte for every pair */
    uint32_t width, states;
    VEC(uint32_t)
    by; /* per state: the process that takes part in the step to it, when that matters; MODEL_NONE
           otherwise */
    uint32_t loop; /* the state that the last one continues with, or MODEL_NONE */
};

void walk_init(struct walk *walk, struct symbolic *s);
void walk_release(struct walk *walk);
/* A walk that begins with the first states of another one. */
void walk_fork(struct walk *walk, const struct walk *from, uint32_t states);
/* The set of just the last state of the path. */
bdd walk_last(struct walk *walk);
/* One more state, some one of the set: the first, or one that the last leads to. */
void walk_begin(struct walk *walk, bdd set);
/* Starts the path in `from`, or goes on from its last state when there is one, by a shortest way
 * through `inside` to a state of `target`; the state at the end need not be inside. The way exists.
 * With at_least_one a step is taken even when the last state is in the target. */
void walk_to(struct walk *walk, bdd from, bdd inside, bdd target, bool at_least_one);
/* Goes on from the last state inside a set in which every state has a successor in it and reaches
 * each of the `fair` sets again and again, and closes the path to a cycle that meets all of them.
 * `detour`, when it is given, may go on before the cycle is closed: every state it can reach inside
 * the set leads back. */
void walk_cycle(struct walk *walk, bdd inside, const bdd *fair, uint32_t fair_count,
                void (*detour)(struct walk *walk, bdd inside));

/* The path as rules. The steps are found with the reference semantics; NULL and a word in *broken
 * when there is none. */
struct trace *walk_trace(struct walk *walk, const char **broken);

#endif
