/* Deterministic automata with cycles, as flat arrays: what guides are compiled to (compile.h). A
 * label that a state has no edge for leads to the sink, which is not a state.
 *
 * Invariants (dfa_check): (1) state 0 is the initial one, and every state is reached from it; (2)
 * the edges of a state ascend strictly by label; (3) states are numbered in the order in which a
 * breadth-first search finds them that takes edges as they come. A minimal automaton (minimise.h)
 * is therefore unique: equal languages have equal arrays. In the automaton of a guide all states
 * are final. */
#ifndef CAIRN_AUTOMATON_GUIDE_DFA_H
#define CAIRN_AUTOMATON_GUIDE_DFA_H

#include "base/build.h"
#include "base/bitset.h"
#include "base/mem.h"

struct dfa {
    struct mem *mem;
    uint32_t states, edges;
    uint32_t *first_edge; /* [states + 1]: the edges of state s are first_edge[s] .. first_edge[s +
                             1] - 1 */
    uint32_t *edge_label, *edge_to;
    uint64_t *final; /* a set of states (base/bitset.h) */
};

enum { DFA_NONE = 0xFFFFFFFF };

static inline bool dfa_is_final(const struct dfa *dfa, uint32_t state)
{
    return bitset_has(dfa->final, state);
}

static inline void dfa_set_final(struct dfa *dfa, uint32_t state) { bitset_add(dfa->final, state); }

/* Whether nothing follows a state. */
static inline bool dfa_is_end(const struct dfa *dfa, uint32_t state)
{
    return dfa->first_edge[state] == dfa->first_edge[state + 1];
}

/* For makers of automata: arrays of zeros, to be filled in. False: refused, and the automaton is
 * empty. */
bool dfa_alloc(struct dfa *dfa, struct mem *mem, uint32_t states, uint32_t edges);
void dfa_release(struct dfa *dfa);

uint32_t dfa_step(const struct dfa *dfa, uint32_t state, uint32_t label); /* or DFA_NONE */
bool dfa_accepts(const struct dfa *dfa, const uint32_t *word, uint32_t length);
bool dfa_same(const struct dfa *a,
              const struct dfa *b); /* of minimal automata: whether they have the same language */

/* Whether the invariants hold. */
bool dfa_check(const struct dfa *dfa);

#endif
