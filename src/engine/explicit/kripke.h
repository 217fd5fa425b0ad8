/* The state graph as arrays, both ways: successors and predecessors of every state. A state without an enabled rule is its own successor: in
 * temporal logic it repeats for ever. Cost: 8 bytes per edge and 16 per state. */
#ifndef CAIRN_ENGINE_EXPLICIT_KRIPKE_H
#define CAIRN_ENGINE_EXPLICIT_KRIPKE_H

#include "engine/explicit/space.h"

struct kripke {
    struct mem *mem;
    uint32_t states, initial; /* states 0 .. initial - 1 are the initial ones */
    uint64_t *first_next, *first_previous; /* per state, and one more */
    uint32_t *next, *previous;
    bool (*go_on)(void *context); /* false: a limit was reached */
    bool (*keeps)(void *context, uint32_t state, uint32_t rule); /* in a reduced graph: whether it has this step; NULL: all */
    void *context;
};

/* Of a complete space. False when memory is refused or go_on says no; then nothing is left to release. */
bool kripke_build(struct kripke *kripke, struct space *space, uint32_t initial, uint64_t edges);
void kripke_release(struct kripke *kripke);

/* A way through the graph: evidence for or against a formula. */
struct kripke_path {
    VEC(uint32_t) states;
    uint32_t loop; /* the position that the last state continues with, or MODEL_NONE */
};

/* Sets of states. NULL when memory is refused. */
uint64_t *kripke_set(const struct kripke *kripke);
static inline bool kripke_in(const uint64_t *set, uint32_t state)
{
    return set[state / 64] >> state % 64 & 1;
}
static inline void kripke_put(uint64_t *set, uint32_t state)
{
    set[state / 64] |= UINT64_C(1) << state % 64;
}

#endif
