/* Generalised Büchi automata over words of letters; a letter is a set of propositions.
 *
 * Acceptance is on the edges: a run accepts when, for every set k < acceptance, it takes edges with
 * mark k infinitely often. Labels are cubes: an edge can be taken with every letter that has all
 * its positive and none of its negative propositions; a disjunction is several edges.
 *
 * Invariants (automaton_check): (1) the edges of a state are a range of `edges`, in order of
 * states; (2) targets are states; (3) no proposition is positive and negative on one edge; (4)
 * marks are below acceptance; (5) there is always the initial state: the empty language is a state
 * without edges. */
#ifndef CAIRN_AUTOMATON_BUCHI_AUTOMATON_H
#define CAIRN_AUTOMATON_BUCHI_AUTOMATON_H

#include "base/mem.h"

enum {
    AUTOMATON_MAX_ACCEPTANCE = 64,
    AUTOMATON_MAX_PROPOSITIONS = 64,
    AUTOMATON_NONE = 0xFFFFFFFF
};

struct automaton_edge {
    uint64_t positive, negative;
    uint64_t marks;
    uint32_t target;
};

struct automaton_state {
    uint32_t first, edges; /* a range of automaton.edges */
};

struct automaton {
    struct mem *mem;
    VEC(struct automaton_state) states;
    VEC(struct automaton_edge) edges;
    uint32_t initial;
    uint32_t acceptance;
};

void automaton_init(struct automaton *automaton, struct mem *mem);
void automaton_release(struct automaton *automaton);
bool automaton_check(const struct automaton *automaton);

/* States are added in order, each followed by its edges. Edges that say no more than another one of
 * the state are left out. */
uint32_t automaton_add_state(struct automaton *automaton);
void automaton_add_edge(struct automaton *automaton, struct automaton_edge edge);

static inline uint64_t automaton_all_marks(const struct automaton *automaton)
{
    return automaton->acceptance == 64 ? UINT64_MAX : (UINT64_C(1) << automaton->acceptance) - 1;
}
static inline bool automaton_reads(const struct automaton_edge *edge, uint64_t letter)
{
    return (letter & edge->positive) == edge->positive && !(letter & edge->negative);
}
/* Every letter of the cube `small` is in the cube `large`. */
static inline bool automaton_covers(const struct automaton_edge *large,
                                    const struct automaton_edge *small)
{
    return !(large->positive & ~small->positive) && !(large->negative & ~small->negative);
}

/* Strongly connected components, numbered so that edges never lead to a larger number. */
struct automaton_components {
    uint32_t count;
    uint32_t *of;    /* per state; AUTOMATON_NONE when it cannot be reached */
    bool *accepting; /* per component: a run may stay in it and accept */
};
void automaton_find_components(const struct automaton *automaton,
                               struct automaton_components *components);
void automaton_free_components(const struct automaton *automaton,
                               struct automaton_components *components);

/* Removes states that are not reached or from which nothing is accepted, marks where they mean
 * nothing (outside accepting components), and acceptance sets implied by others. */
void automaton_trim(struct automaton *automaton);

/* One state per class: class_of[s] is the first state of its class. The edges of a class are those
 * of its first state, or of all of them. */
void automaton_merge(struct automaton *automaton, const uint32_t *class_of, bool all_edges);

#endif
