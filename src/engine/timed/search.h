/* What the parts of the timed search share: timed.c searches, temporal.c decides LTL afterwards. */
#ifndef CAIRN_ENGINE_TIMED_SEARCH_H
#define CAIRN_ENGINE_TIMED_SEARCH_H

#include "engine/timed/clusters.h"
#include "engine/timed/dating.h"
#include "engine/timed/moves.h"
#include "engine/timed/timed.h"

/* Something evaluated in every new discrete state. */
enum monitor_kind {
    MONITOR_ALWAYS,     /* must be true */
    MONITOR_ANTECEDENT, /* we hope to see it true */
    MONITOR_NOT_ALWAYS  /* EF: the property holds where this is false */
};

struct monitor {
    uint32_t property, code;
    enum monitor_kind kind;
    bool active;
    bool failed; /* it could not be evaluated somewhere */
};

/* A finding while a state is expanded waits until that is done. */
struct finding {
    uint32_t monitor, node;
    const struct cluster *cluster; /* that the pair is in */
};

/* A rule that is enabled in the state being expanded, priorities aside. */
struct enabled {
    const struct fast_rule *fast; /* NULL: none; an initial state */
    uint64_t hash;                /* of the successor */
    struct cluster *cluster;      /* that it belongs to; NULL: there is none yet */
    uint32_t discrete;            /* its number there, or NODES_NONE: not known yet */
    uint32_t config;              /* or CONFIG_NONE: not looked up yet */
};

/* The steps between pairs, kept for LTL: those of node n are to[first[n] .. first[n + 1]). */
struct search_edges {
    bool wanted;
    uint64_t *first;
    uint32_t *to;
    uint64_t count, first_cap, to_cap;
};

/* Which rules an expansion takes: in a search by interactions, a pair is expanded twice. */
enum search_pass { PASS_ALL, PASS_INTERNAL, PASS_INTERACTIONS };

struct search {
    struct task *task;
    struct model *model;
    struct result *result;
    const struct timed_graph *graph;
    struct layout layout;
    struct program program;
    struct timers timers;
    struct clocks clocks;
    struct configs configs;
    struct moves moves;
    struct nodes_work nodes_work;
    struct cluster *cluster; /* the one at hand; past-freeze: NULL before and after */
    struct clusters *past;   /* past-freeze order, or NULL */
    bool exact, start_again;
    uint32_t
        barred_count;    /* rules of this state that are enabled, or fail, and are not permitted */
    bool any_barred;     /* ... in some state */
    bool look_for_stuck; /* whether being stuck by clocks and deadlines matters */
    struct monitor *monitors;
    uint32_t monitor_count, undecided;
    uint64_t active; /* bits of active monitors; monitor i has bit min(i, 63) */
    struct finding *findings;
    uint32_t finding_count;
    uint32_t deadlock, runtime_error; /* their entries in the task, or MODEL_NONE */
    uint32_t final;                   /* the code of the model's final states, if it has any */
    enum search_pass pass;
    uint64_t *words;          /* the state being expanded ... */
    struct enabled *enabled;  /* ... its enabled rules ... */
    struct moves_rule *rules; /* ... for moves ... */
    uint64_t *successors;     /* ... and where they lead */
    uint32_t enabled_count, enabled_cap;
    uint32_t *failed; /* rules that fail there; room for enabled_cap */
    uint32_t failed_count;
    int64_t *values;
    uint64_t *levels;
    uint32_t level_count, level_cap;
    struct search_edges edges;
    const char *phase; /* for the progress display; NULL: searching */
    double started, last_progress;
    uint32_t poll_in, poll_interval, poll_most;
    double looked;
};

/* A search, with everything but its states; then these, false: the result says why not. The end;
 * has_space: search_prepare said true. */
struct search *zsearch_begin(struct task *task, const struct timed_graph *graph,
                             struct result *result, bool exact);
bool zsearch_prepare(struct search *search);
void zsearch_end(struct search *search, bool has_space);

/* What a symbolic state adds to the counts of a search when it is expanded: of the one that was
 * entered, and whose rules are listed. False: memory was refused. */
struct search_counts {
    uint64_t transitions, deadlocks, ends, runtime_errors;
};
bool zsearch_count(struct search *search, struct search_counts *counts);

/* False, and the result says why. */
bool zsearch_stop(struct search *search, enum stop_reason reason);
/* False: the search must end. */
bool zsearch_poll(struct search *search);

/* The initial states, all or those above a rank; watch: they are counted, and properties are looked
 * at. False: the search must end, like the next ones. */
bool zsearch_add_initial(struct search *search, bool watch, const uint64_t *above);
/* The pair of a state and the zone in moves.next. Its cluster and its number there may still be
 * unknown. `step`: see clusters_added. `bits`: monitors that may have changed. */
bool zsearch_add_pair(struct search *search, const uint64_t *words, struct enabled *to,
                      uint32_t parent, uint32_t step, uint64_t bits);
/* The configuration of a state, and room for its zones. */
bool zsearch_find_config(struct search *search, const uint64_t *words, struct enabled *to);
/* Lists the enabled rules of the state in search->words, which was entered; takes the i-th. */
bool zsearch_list_enabled(struct search *search);
bool zsearch_take(struct search *search, uint32_t node, uint32_t i, bool counts);
/* Adds a pair's successors, reports what is found. False: the search must end. */
bool zsearch_expand(struct search *search, uint32_t node);

/* Rounds of interactions with a guide. */
bool interactions_run(struct search *search);
void zsearch_report_findings(struct search *search);
/* A monitor has seen what it was waiting for, in an earlier run. */
void zsearch_end_monitor(struct search *search, uint32_t monitor);
/* Dates for a run to this state, which shows that a property is violated. */
void zsearch_complete(struct search *search, struct property_result *entry, const uint64_t *words);

/* Makes a pair of the cluster at hand the state to expand and lists its enabled rules;
 * search_resolve says where the i-th one leads. False: memory was refused. */
bool zsearch_enter(struct search *search, uint32_t node);
bool zsearch_resolve(struct search *search, uint32_t i);
uint64_t *zsearch_successor(const struct search *search, uint32_t i);
void zsearch_load_discrete(struct search *search, uint32_t discrete);

/* Finds dates for a trace; `goals` are alternatives for its end, of which one must be possible.
 * Without one, the result is broken. */
void zsearch_date(struct search *search, struct trace *trace, const struct dating_goal *goals,
                  uint32_t count);
/* The same for a run that ends in a stuck valuation of the state that was entered. False: memory
 * was refused. */
bool zsearch_date_stuck(struct search *search, struct trace *trace);

/* LTL properties, on the graph of all pairs. A limit that is reached here leaves the state space
 * complete and the property unknown. */
void temporal_check_all(struct search *search);

#endif
