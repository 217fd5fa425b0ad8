/* Reduced exploration: PartialExploration of the thesis (chapter 3) with its three choices of E, its deadlock variant, and ImProviso. */
#ifndef CAIRN_ENGINE_SYMBOLIC_PARTIAL_H
#define CAIRN_ENGINE_SYMBOLIC_PARTIAL_H

#include "engine/symbolic/space.h"

struct partial;

/* What is reached from H through F in a reduced model that satisfies the same formulas without X. */
bdd partial_explore(struct partial *partial, bdd h, bdd f);
/* One step in the reduced model. */
bdd partial_step(struct partial *partial, bdd set, enum dd_direction direction);

#endif
