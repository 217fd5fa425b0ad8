/* A state graph as arrays, both ways: successors and predecessors of every state, by number. A
 * state without a step of its own is its own successor: in temporal logic it repeats for ever.
 * Cost: 8 bytes per edge (10 where there are 2^32 states or more) and 16 per state.
 *
 * Invariants: (1) every state has a successor, and all successors are states; (2) an edge stands
 * once among the successors of its source and once among the predecessors of its target. */
#ifndef CAIRN_GRAPH_KRIPKE_H
#define CAIRN_GRAPH_KRIPKE_H

#include "base/numbers.h"

struct kripke {
    struct mem *mem;
    uint64_t states, initial;              /* states 0 .. initial - 1 are the initial ones */
    uint64_t *first_next, *first_previous; /* per state, and one more */
    struct numbers next, previous;
    bool (*go_on)(void *context); /* false: a limit was reached */
    void *context;
};

/* Arrays for so many states and edges, to be filled: first_next and next by the caller, then
 * kripke_transpose does the rest. False when memory is refused; then nothing is left to release.
 * `go_on` and `context` are the caller's, set before. */
bool kripke_init(struct kripke *kripke, struct mem *mem, uint64_t states, uint64_t initial,
                 uint64_t edges);
void kripke_transpose(struct kripke *kripke);
void kripke_release(struct kripke *kripke);
bool kripke_check(const struct kripke *kripke);

/* A way through the graph: evidence for or against a formula. */
struct kripke_path {
    VEC(uint64_t) states;
    uint32_t loop; /* the position that the last state continues with, or UINT32_MAX */
};

/* Sets of states. NULL when memory is refused. */
uint64_t *kripke_set(const struct kripke *kripke);
static inline bool kripke_in(const uint64_t *set, uint64_t state)
{
    return set[state / 64] >> state % 64 & 1;
}
static inline void kripke_put(uint64_t *set, uint64_t state)
{
    set[state / 64] |= UINT64_C(1) << state % 64;
}

#endif
