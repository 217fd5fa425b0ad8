/* The model as one circuit, which whoever asks a SAT solver about runs copies: its rules, its
 * deadlocks and failures, and the conditions of properties. Inputs are the bits of a state.
 *
 * The model is flat (pass/flatten.h): no code, no arrays, no priorities. Conditions may be added
 * until the first cone of the circuit is made (clauses/cone.h). */
#ifndef CAIRN_CLAUSES_NET_H
#define CAIRN_CLAUSES_NET_H

#include "bits/bits.h"

struct net_rule {
    lit enabled, fails;
    uint32_t first_stored; /* in net.stored: the new bits of the variables it stores to, store by
                              store */
};

struct net {
    struct model *model;
    struct mem *mem;
    struct bits bits;
    struct net_rule *rules;
    VEC(lit) stored;
    lit dead;     /* no rule is enabled ... */
    lit deadlock; /* ... and the state is not final */
    lit fails;    /* some rule fails */
    lit initial;
    lit plausible; /* all variables have values that they can ever get, as far as is plain to see:
                      true in every reachable state, and kept by every rule */
};

void net_init(struct net *net, struct model *model);
void net_release(struct net *net);

/* A Boolean expression: where it is true, and where it cannot be evaluated. */
struct net_condition {
    lit holds, fails; /* never both */
};
struct net_condition net_condition(struct net *net, expr e);

#endif
