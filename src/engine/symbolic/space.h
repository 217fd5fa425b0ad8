/* What all parts of the symbolic engine share: the encoded model, its reachable states, steps and
 * closures, limits.
 *
 * Under a reduction `reach` is another set: what the reduced exploration has visited, or every
 * state that the ranges of the variables allow, for methods that do not know the reachable states.
 * It is closed under steps as far as these methods go.
 *
 * Temporal logic sees the model in which a deadlocked state repeats for ever: symbolic_step adds
 * these steps, encode_step does not. All sets are kept inside `reach`, so complements mean
 * "reachable states that are not". */
#ifndef CAIRN_ENGINE_SYMBOLIC_SPACE_H
#define CAIRN_ENGINE_SYMBOLIC_SPACE_H

#include "engine/symbolic/encode.h"

struct symbolic {
    struct task *task;
    struct model *model;
    struct mem *mem;
    struct result *result;
    struct symbolic_statistics *statistics;
    struct encoding e;
    struct dd *dd;
    bdd reach, dead; /* the view: the reachable states, as a rule; and those among them without an
                        enabled rule */
    bdd all;         /* all reachable states, once they are known */
    bool has_all;
    uint32_t monitor_first,
        monitor_pairs; /* pairs for the state of what runs beside the model (monitor.h) */
    enum search_order order;
    const char *phase; /* for the progress display */
    double started, last_progress;
    uint64_t depth;
};

/* For dd_set_poll. */
bool symbolic_poll(void *context);

/* Computes `reach`, and `all`, from the initial states. False when a depth limit ended it. */
bool symbolic_reach(struct symbolic *s);

/* Looks at the reachable states (computed when they are not known yet), at all states within
 * ranges, or at the given set. */
void symbolic_view_all(struct symbolic *s);
void symbolic_view_ranges(struct symbolic *s);
void symbolic_view(struct symbolic *s, bdd set);

/* One step in temporal logic, from or to states of `set`. */
bdd symbolic_step(struct symbolic *s, bdd set, enum dd_direction direction);
/* The least set that contains `set` and what its states lead to (or what leads to them), as far as
 * that is within `within`. */
bdd symbolic_closure(struct symbolic *s, bdd set, bdd within, enum dd_direction direction);

/* The reachable states in which the expression is true. *fails: some of them cannot be
 * evaluated. */
bdd symbolic_condition(struct symbolic *s, expr e, bool *fails);
/* Notes the size of a frontier or a set under construction. */
void symbolic_note(struct symbolic *s, bdd set, bdd frontier);

#endif
