/* Acyclic automata: the finite set of words that an activity allows (term.h), as flat arrays. There
 * are two kinds:
 *
 *  - deterministic: the minimal automaton, where no two states have the same future. Its paths are
 *    the words, each once. It can be exponentially larger than the term when operands of a shuffle
 *    have labels in common.
 *  - branching: where operands of a shuffle share a label, the automaton chooses which of them
 *    moves, so that a shuffle has at most the product of its operands' states, and states are equal
 *    when they have the same choices (bisimilar). Several edges of a state may have one label, and
 *    several paths one word. A term without such shuffles gives the deterministic automaton.
 *
 * Invariants (dag_check): (1) state 0 is the initial one, and every state is reached from it; (2)
 * edges lead to larger numbers, so the numbering is a topological order (order.h chooses a good
 * one); (3) the edges of a state ascend by label, strictly unless the automaton branches, and no
 * two are equal; (4) from every state a final one is reached. */
#ifndef CAIRN_AUTOMATON_ACTIVITY_DAG_H
#define CAIRN_AUTOMATON_ACTIVITY_DAG_H

#include "base/build.h"
#include "automaton/activity/term.h"
#include "base/bitset.h"
#include "base/mem.h"

struct dag {
    struct mem *mem;
    bool is_branching; /* may have several edges with one label */
    uint32_t states, edges;
    uint32_t *first_edge; /* [states + 1]: the edges of state s are first_edge[s] .. first_edge[s +
                             1] - 1 */
    uint32_t *edge_label, *edge_to;
    uint64_t *final; /* a set of states (base/bitset.h) */
};

enum { DAG_NONE = 0xFFFFFFFF };

static inline bool dag_is_final(const struct dag *dag, uint32_t state)
{
    return bitset_has(dag->final, state);
}

static inline void dag_set_final(struct dag *dag, uint32_t state) { bitset_add(dag->final, state); }

/* Functions that return a status leave an empty dag behind unless it is BUILD_DONE; dag_release is
 * right in any case. BUILD_TOO_LARGE: the automaton, or that of a part of the term, would have more
 * than max_states states. */
enum build_status dag_build(struct dag *dag, struct mem *mem, const struct terms *terms, term t,
                            bool is_branching, uint32_t max_states);
void dag_release(struct dag *dag);
/* For makers of automata: arrays of zeros, to be filled in. False: refused. */
bool dag_alloc(struct dag *dag, struct mem *mem, uint32_t states, uint32_t edges);

/* The states reached from one state, which becomes state 0, in the same order. `*old` (if asked
 * for) gives the old number of each; the caller frees it. */
enum build_status dag_below(struct dag *below, const struct dag *dag, uint32_t state,
                            uint32_t **old);

/* Gives the states new numbers: order[i] is the old number of state i. The order must be
 * topological. On failure the dag is unchanged. */
enum build_status dag_renumber(struct dag *dag, const uint32_t *order);

/* Where a label leads, or DAG_NONE; whether a word is accepted. Only for deterministic automata. */
uint32_t dag_step(const struct dag *dag, uint32_t state, uint32_t label);
bool dag_accepts(const struct dag *dag, const uint32_t *word, uint32_t length);

/* For each state: the most steps from the start to it; the most, or fewest, steps from it to an
 * end. The arrays are the caller's, one item per state. The longest and the shortest word have
 * dag_heights[0] and dag_shortest[0] labels. */
void dag_depths(const struct dag *dag, uint32_t *depth);
void dag_heights(const struct dag *dag, uint32_t *height);
void dag_shortest(const struct dag *dag, uint32_t *steps);

/* Whether the invariants hold. */
bool dag_check(const struct dag *dag);

#endif
