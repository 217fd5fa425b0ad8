/* An automaton's graph without labels: the states after each state and the states before it, each
 * once, ascending. */
#ifndef CAIRN_AUTOMATON_ACTIVITY_NEIGHBOURS_H
#define CAIRN_AUTOMATON_ACTIVITY_NEIGHBOURS_H

#include "automaton/activity/dag.h"

struct neighbours {
    struct mem *mem;
    uint32_t states, arrows;
    uint32_t *first_after,
        *after; /* those of state s: after[first_after[s]] .. after[first_after[s + 1] - 1] */
    uint32_t *first_before, *before; /* likewise */
};

bool neighbours_init(struct neighbours *neighbours, const struct dag *dag); /* false: refused */
void neighbours_release(struct neighbours *neighbours);

#endif
