/* A model as decision diagrams: a static order of its bits, the initial states, and for every rule
 * when it is enabled, when it fails and what it does. Pair p of the diagrams is bit p of the state
 * (bits/bits.h).
 *
 * A rule's relation is over the bits it reads and writes, nothing else. Rules that touch the same
 * bits are also kept together in one relation (a cluster), so that an image needs fewer passes;
 * traces and reductions use the single ones. Invariants are in symbolic.c. */
#ifndef CAIRN_ENGINE_SYMBOLIC_ENCODE_H
#define CAIRN_ENGINE_SYMBOLIC_ENCODE_H

#include "bits/bits.h"
#include "bits/diagram.h"
#include "result/result.h"
#include "solver/dd/dd.h"

struct encoded_rule {
    bdd enabled, fails; /* sets of states */
    struct dd_relation relation;
};

struct encoding {
    struct model *model;
    struct mem *mem;
    struct bits bits;
    struct dd *dd;
    struct encoded_rule *rules;
    struct dd_relation *clusters;
    struct dd_relation **every_cluster; /* pointers to all of them, as dd_saturate wants them */
    uint32_t cluster_count;
    struct dd_relation whole; /* --relation monolithic or labelled: one relation for all rules, with
                                 frame conditions */
    enum relation_form form;
    bool (*go_on)(
        void *context); /* asked now and then while orders are tried; false: a limit was reached */
    void *context;
    bdd scratch[2];
    bdd labels; /* the cube of the label bits; BDD_TRUE: none */
    bdd initial;
    bdd *guards; /* the guards of all rules, some together in each */
    uint32_t guard_count;
    uint64_t relation_nodes, largest_relation; /* of all relations in use; of one rule */
};

/* Inside dd_catch and with a recovery point of the memory. encoding->dd exists already
 * (encode_start). */
void encode_start(struct encoding *encoding, struct model *model, enum relation_form form);
void encode_rules(struct encoding *encoding);
void encode_release(struct encoding *encoding);

/* A circuit as a set of states. */
bdd encode_lit(struct encoding *encoding, lit output);

/* One step of all rules, forward or backward. `set` must be protected by the caller. */
bdd encode_step(struct encoding *encoding, bdd set, enum dd_direction direction);

/* A rule's relation that also says of the marked pairs which it does not write that they stay.
 * `own` has room for one byte per pair. */
bdd encode_with_frame(struct encoding *encoding, uint32_t rule, const uint8_t *pairs, uint8_t *own);

/* The states of the set without an enabled rule. */
bdd encode_dead(struct encoding *encoding, bdd set);

/* A state of the set, which is not empty, as one value per variable; and the set of just that
 * state. */
void encode_pick(const struct encoding *encoding, bdd set, int64_t *values);
bdd encode_state(struct encoding *encoding, const int64_t *values);

#endif
