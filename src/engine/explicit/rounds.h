/* Search by interactions with a guide: round k has the states that k interactions lead to and no
 * fewer do. Every round is first closed under the other steps, then the interactions of its states
 * lead to the next one. When a round adds no state, no later one does: the guide, unrolled to that
 * bound, already leads to all states of its full composition with the model. So the last round that
 * has a state is the least bound that is complete, and this search is the proof: states, with the
 * guide's state in them, are stored and compared in full.
 *
 * The papers leave this open ("currently we investigate the possibility to automatically compute
 * the minimal bound", Partially Bounded Context-Aware Verification, section 3.5). Nothing is
 * unrolled here: a state that was reached in an earlier round is not visited again, while unrolled
 * to a bound it would be, once for each number of interactions. */
#ifndef CAIRN_ENGINE_EXPLICIT_ROUNDS_H
#define CAIRN_ENGINE_EXPLICIT_ROUNDS_H

#include "engine/explicit/visit.h"

struct rounds {
    uint64_t *starts; /* the first state of each round, in the order of numbers */
    uint32_t count, cap;
};

bool rounds_run(struct search *search);
void rounds_release(struct search *search);

/* Which state expansion number `expansion` was of. */
uint32_t rounds_state(const struct rounds *rounds, uint64_t expansion);

#endif
