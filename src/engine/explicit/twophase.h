/* A search of a part of the state space that satisfies the same properties without X (partial-order
 * reduction, Two-Phase). See twophase.c. */
#ifndef CAIRN_ENGINE_EXPLICIT_TWOPHASE_H
#define CAIRN_ENGINE_EXPLICIT_TWOPHASE_H

#include "engine/explicit/space.h"
#include "reduce/process_model.h"
#include "result/result.h"

struct twophase_frame {
    uint32_t state, from; /* processes before `from` are not looked at */
    bool leave;           /* everything behind this state is done */
};

struct twophase_successor {
    const struct fast_rule *fast;
    uint64_t hash;
    uint32_t process; /* whose safe rule it is, or MODEL_NONE */
};

struct twophase {
    struct space *space;
    struct result *result;
    struct process_model process_model;
    bool branching;  /* a partial expansion takes one rule: CTL needs it */
    bool any_cycles; /* a cycle may consist of partial expansions only: deadlocks do not mind */

    /* Called for every new state but the initial ones, for every step of the reduced graph, and
     * when a state has been expanded. */
    void (*found)(void *context, uint32_t state, const uint64_t *words, const struct fast_rule *by);
    void (*step)(void *context, uint32_t from, uint32_t rule, uint32_t to);
    void (*expanded)(void *context, uint32_t state, uint32_t enabled, uint32_t failures,
                     uint32_t failed_rule);
    bool (*go_on)(void *context); /* false: end, for a reason that is in the result */
    void *context;

    uint32_t *ample, *parents; /* per state; see twophase.c */
    uint64_t known, room;      /* states with an entry; entries there is room for */
    struct twophase_frame *stack;
    uint64_t stack_len, stack_cap;
    struct twophase_successor *successors; /* of the state being expanded, and ... */
    uint64_t *words;                       /* ... what they look like */
    uint32_t successor_count, successor_cap;
};

/* The formulas that are to be kept read the variables marked in `visible`. `branching` and
 * `any_cycles` are the caller's, set before. */
void twophase_init(struct twophase *twophase, struct space *space, struct result *result,
                   const bool *visible);
void twophase_release(struct twophase *twophase);

/* From the initial states, which are in the store. False: memory was refused or go_on said no;
 * result->stop says which. */
bool twophase_run(struct twophase *twophase);

/* Whether the reduced graph has the step of this rule, enabled in this state. */
bool twophase_keeps(const struct twophase *twophase, uint32_t state, uint32_t rule);
/* The state from which this one was found; MODEL_NONE: an initial one. */
uint32_t twophase_parent(const struct twophase *twophase, uint32_t state);

#endif
