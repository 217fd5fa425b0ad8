/* What runs beside the model and accepts the runs on which an LTL formula is false: a tableau of
 * the formula, or a Büchi automaton. Its state is in pairs of its own. */
#ifndef CAIRN_ENGINE_SYMBOLIC_MONITOR_H
#define CAIRN_ENGINE_SYMBOLIC_MONITOR_H

#include "engine/symbolic/space.h"

struct monitor {
    struct symbolic *s;
    uint32_t first, count;   /* its pairs */
    struct dd_relation step; /* from its state to its next one; reads the model's state */
    bool reads_first; /* it reads the state that is left, and moves before the model; otherwise the
                         state that is reached, after it */
    bdd start;        /* initial states of both */
    bdd *fair;        /* an accepted run meets each of these sets again and again */
    uint32_t fair_count;
    bool failed; /* an atom divides by zero in a reachable state */
};

/* Clarke, Grumberg and Hamaguchi (1997), as in the thesis' chapter 4. */
void monitor_tableau(struct monitor *monitor, struct symbolic *s, formula f);
/* The automaton of the negated formula. False when it would be too large. */
bool monitor_automaton(struct monitor *monitor, struct symbolic *s, formula f);
void monitor_release(struct monitor *monitor);

/* For both: pairs for the monitor's state, and an atom as a set of states. */
void monitor_take_pairs(struct monitor *monitor, uint32_t count);
bdd monitor_atom(struct monitor *monitor, expr e);

#endif
