/* What the orders of search share: the state of a search, what it finds, its limits. Inside of
 * engine/explicit only.
 *
 * Invariants while searching:
 *  1. `transitions` counts taken steps of expanded states, of the one being expanded too;
 *  2. a monitor bit is active while its property is undecided;
 *  3. findings wait until the state at hand is expanded, so that the working buffers are free
 *  then. */
#ifndef CAIRN_ENGINE_EXPLICIT_VISIT_H
#define CAIRN_ENGINE_EXPLICIT_VISIT_H

#include "engine/explicit/explicit.h"
#include "search/parents.h"
#include "engine/explicit/space.h"
#include "result/result.h"

enum { VISIT_MONITOR_BITS = 64, VISIT_BATCH = 64 };

struct partition; /* of partition.h */

/* Something evaluated in every new state: an invariant that must be true, or an antecedent that we
 * hope to see true. */
struct monitor {
    uint32_t property;
    uint32_t code;
    bool is_antecedent;
    bool active;
    bool failed; /* it could not be evaluated somewhere */
};

struct successor {
    const struct fast_rule *fast;
    uint64_t hash;
    uint32_t point; /* the p-point that the step is, or MODEL_NONE */
    uint64_t guess; /* its number, probably */
};

struct expansion {
    uint32_t state;
    uint32_t successors; /* of it in the batch: the batch has them in the order of expansions */
    uint32_t before;     /* some were looked up before: so many */
    bool begun;
    bool enabled;
    uint32_t failed; /* the first rule that failed, of ... */
    uint64_t failures;
};

struct finding {
    uint32_t monitor, state;
};

struct search {
    struct task *task;
    struct model *model;
    struct result *result;
    const struct explicit_graph *graph;
    struct space space;
    struct store store;     /* all states */
    struct parents parents; /* breadth-first: of all states, unless there is a log of origins */
    struct partition *partition; /* NULL: it is not divided by p-points */
    bool hides; /* the model has hidden variables: states are compared without them, so that nothing
                   is complete */
    struct finding *findings; /* room for one per monitor, of the expansion at hand */
    uint32_t found;
    struct monitor *monitors;
    uint32_t monitor_count, undecided;
    uint64_t active;                  /* bits of active monitors; monitor i has bit min(i, 63) */
    uint32_t deadlock, runtime_error; /* their entries in the task, or MODEL_NONE */
    uint32_t final;                   /* the code of the model's final states, if it has any */
    /* Breadth-first: states that are expanded but whose successors are not looked up yet, and these
     * successors. */
    struct expansion expansions[VISIT_BATCH];
    uint32_t expansion_count;
    uint64_t *batch; /* room for VISIT_BATCH states */
    struct successor successors[VISIT_BATCH];
    uint32_t batch_size;
    int64_t *values;   /* an unpacked state */
    const char *phase; /* for the progress display */
    double started, last_progress;
    uint32_t poll_in, poll_interval, poll_most; /* states until the next look at the clock: fewer
                                                   when each has many rules to try, or takes long */
    double looked;                              /* when */
};

/* Ends the search; returns false. */
bool visit_stop(struct search *search, enum stop_reason reason);
/* Looks at the clock now and then. False: the search must end. */
bool visit_poll(struct search *search, uint64_t depth);
/* The same, now: seconds and phase of the progress are filled in. */
bool visit_look(struct search *search, struct search_progress *progress);

/* The monitors that the properties of the task need; whether their verdicts follow, at the end. */
void visit_prepare_properties(struct search *search);
void visit_conclude(struct search *search);

/* Evaluates the monitors in `bits` in a new state; what they find is kept in
 * search->findings. */
void visit_watch(struct search *search, uint64_t bits, const uint64_t *words, uint32_t state);
/* A monitor has seen what it was waiting for. */
void visit_stop_monitor(struct search *search, uint32_t monitor);
/* Turns findings into verdicts. Between expansions only: it uses the working buffers, like the next
 * two. */
void visit_report_findings(struct search *search);
/* In a state of space.store: a rule failed, no rule is enabled. */
void visit_rule_failed(struct search *search, uint32_t state, uint32_t rule);
void visit_dead_end(struct search *search, uint32_t state);
/* A property is violated in a state; failed_rule may be MODEL_NONE. Only the first time counts. */
void visit_violated(struct search *search, uint32_t property, uint32_t state, uint32_t failed_rule);

/* Tells the graph of a new state. */
void visit_tell_state(struct search *search, uint32_t state, const uint64_t *words);
/* path: numbers of states in space.store, first to last. */
struct trace *visit_make_trace(struct search *search, const uint32_t *path, uint32_t length);
/* Fills in the rules of a trace: from its initial state, the steps with these numbers among those
 * that can be taken, the last one first. False: there is no such run. */
bool visit_follow(struct search *search, struct trace *trace, const uint32_t *steps);

/* Expands a state of space.store; looks up what was collected. False: the search must end. */
bool breadth_expand(struct search *search, uint32_t state);
bool breadth_flush(struct search *search);
/* All successors of a state are looked up. */
void breadth_finish(struct search *search, const struct expansion *expansion);

#endif
