/* Process models for partial-order reduction (the thesis' section 6.3.4): which rules of which
 * process may be taken alone, without the interleavings with everything else, and still leave a
 * property as it is.
 *
 * A rule is safe when no other process takes part in it, it does not touch what the property reads,
 * it is independent of every rule in which its process takes no part (neither writes what the other
 * reads or writes), and the same is true of every rule of its process that can become enabled while
 * it is. Then whatever others do commutes with the process' rules and cannot enable or disable any
 * of them: the process' enabled rules are an ample set. The thesis looks at global variables only;
 * here a process may read another's variables, so the check is by reads and writes.
 *
 * Two things are left out of the check, because they cannot happen before one of the enabled rules
 * is taken: rules of others that want this process at another location (only the process' own rules
 * move it, or it is not safe), and rules of the process whose guard contradicts this one's in what
 * only the process itself can change meanwhile.
 *
 * A safe rule is linear when no other rule of its process at the same location can be enabled
 * together with it: then the ample set has one rule, which branching-time logic needs.
 *
 * What a rule that can fail (divide by zero) reads counts as visible: run-time errors are kept
 * too. */
#ifndef CAIRN_REDUCE_PROCESS_MODEL_H
#define CAIRN_REDUCE_PROCESS_MODEL_H

#include "model/model.h"

enum unsafe_reason {
    SAFE,
    UNSAFE_GLOBAL,   /* no process, or several */
    UNSAFE_FAILS,    /* it can fail at run time */
    UNSAFE_PRIORITY, /* what is enabled depends on more than what rules read */
    UNSAFE_VISIBLE,  /* it writes variable `var`, which the property reads */
    UNSAFE_READS,    /* it reads `var`, which rule `other` writes */
    UNSAFE_WRITES,   /* it writes `var`, which rule `other` reads or writes */
    UNSAFE_LOCATION, /* rule `other` moves its process */
    UNSAFE_NEIGHBOUR /* rule `other`, which can be enabled at the same location, is not safe */
};

struct process_rule {
    uint32_t process; /* whose safe rule it is, or MODEL_NONE */
    bool linear;
    uint32_t
        not_linear_with; /* a safe rule that is not linear: one that can be enabled with it ... */
    bool unknown;        /* ... as far as could be found out */
    enum unsafe_reason reason;
    uint32_t var, other;
};

struct process_model {
    struct model *model;
    struct process_rule *rules; /* per rule */
    uint32_t safe, linear;      /* how many rules */
    bool undecided;    /* some guards could not be compared with little work, in time or in memory:
                          such count as ones that may both hold */
    bool lacks_memory; /* some of them for lack of memory */
};

/* It looks at limits by itself (base/limits.h), and takes less than half of the time that there is.
 * visible: per variable, whether a property reads it; NULL: none. */
void process_model_init(struct process_model *process_model, struct model *model,
                        const bool *visible);
void process_model_release(struct process_model *process_model);

/* Per variable: whether no safe rule writes it. Reduced graphs keep what is said about such
 * variables, whatever was visible. */
bool *process_model_kept(const struct process_model *process_model);

/* Marks what a formula reads. */
void process_model_see(struct model *model, formula f, bool *visible);
/* Whether the formula says something about the next state, which no reduction keeps. */
bool process_model_has_next(const struct model *model, formula f);

/* The value that the rule wants its process' location to have; false: it does not look. */
bool process_model_location(const struct model *model, uint32_t rule, uint32_t process,
                            int64_t *value);

/* For people: why the rule is not safe, or not linear; nothing for one that is both. */
void process_model_explain(const struct process_model *process_model, uint32_t rule,
                           struct text *text);

#endif
