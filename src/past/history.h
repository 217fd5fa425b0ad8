/* Past-freeze order (docs/past-freeze.md), as far as it does not depend on what a state is: the
 * explicit and the timed engine both stand on this. The model has a rank: a variable that no step
 * makes smaller. States with one rank are a cluster. The smallest reached rank is next; its cluster
 * is searched until it finds nothing new, then it is given up. Where a search is split by p-paths,
 * the rank is the number of the p-path so far (past/prefix.h), which is no part of the state.
 *
 * A history is what a search keeps of its past: clusters that wait, logs of how states were found,
 * where properties were violated, files (frozen.h), parts of a search that is split (part.h). The
 * engine has the states themselves, in clusters that begin with a struct history_cluster, and
 * answers questions about them: struct history_engine. A state of a cluster is written to files as
 * a record. */
#ifndef CAIRN_PAST_HISTORY_H
#define CAIRN_PAST_HISTORY_H

#include "model/eval.h"
#include "past/summary.h"
#include "program/program.h"
#include "result/result.h"
#include "solver/freezer.h"
#include "solver/logs.h"
#include "solver/ranks.h"

enum { HISTORY_MORE = SUMMARY_MORE };

struct history_cluster {
    uint64_t rank;          /* less the lowest one, without its last `shift` bits */
    struct origins origins; /* how each of its states was found */
};

struct history;

/* Functions that can fail return false, and the result says why the search must end. */
struct history_engine {
    unsigned more; /* counts of the engine's own, in history->more */
    uint64_t (*states)(const struct history_cluster *cluster);
    /* Its records: as many as the log has; bytes, with FREEZER_ITEM for each piece that they are
     * put in; puts them in the order of their numbers. False: see freezer_error. */
    uint64_t (*records)(const struct history_cluster *cluster);
    uint64_t (*bytes)(const struct history *history, const struct history_cluster *cluster);
    bool (*put)(struct history *history, const struct history_cluster *cluster,
                struct freezer *freezer);
    /* Gives memory back that can be done without; false: there is none, and nothing was said. */
    bool (*relieve)(struct history *history);
    /* Adds the initial states again, without looking at them: all, or those of larger ranks. */
    bool (*add_initial)(struct history *history, bool all, uint64_t above);
    /* A state that a part begins with, of the cluster with this rank; watch: properties are looked
     * at. */
    bool (*add_seed)(struct history *history, uint64_t rank, const unsigned char *record,
                     uint64_t size, bool watch);
    /* Steps of state number `state` of the cluster at hand that lead beyond rank `last`: adds what
     * they find, and counts nothing. */
    bool (*expand)(struct history *history, const unsigned char *record, uint64_t size,
                   uint64_t state, uint64_t last);
    /* Takes the waiting clusters away. */
    void (*discard)(struct history *history);
    const struct summary_monitors *monitors; /* of history->search */
    /* An earlier run has found that a property is violated. */
    void (*decided)(struct history *history, uint32_t property);
    /* The initial state that the log of a cluster calls by this number. */
    bool (*find_initial)(const struct history *history, uint64_t rank, uint64_t number,
                         int64_t *values);
    /* Fills in the rules of a trace that takes the steps with these numbers, the last one first;
     * false: there is no such run. */
    bool (*follow)(struct history *history, struct trace *trace, const uint32_t *steps);
    /* Completes a trace that leads to this state; or NULL. */
    void (*complete)(struct history *history, struct property_result *entry, const uint64_t *words);
};

struct history {
    /* the engine's, before history_init */
    void *search;
    const struct history_engine *engine;
    struct task *task;
    struct model *model;
    struct result *result;
    const struct layout *layout;
    bool varies;      /* records differ in size */
    unsigned shift;   /* so many neighbouring ranks, as a power of two, are one cluster */
    uint64_t hash[2]; /* whose run it is, in files */
    uint64_t more[HISTORY_MORE]; /* of finished clusters */
    /* the rest is history's */
    struct mem *mem;
    struct field field; /* of the rank */
    struct cluster_statistics *statistics;
    struct history_cluster *current; /* the one being searched, or NULL */
    struct ranks waiting;            /* clusters that were reached and have not had their turn */
    bool *scan;             /* processes whose locations must be looked for in the states */
    struct summary summary; /* what was counted before the current cluster, and places of
                               violations: traces are made of them after the search */
    uint64_t done_states;   /* in finished clusters, and ... */
    uint64_t last_states;   /* ... in the last one of them */
    uint64_t farthest;      /* the largest rank that the current cluster has a step to */
    void *reserve; /* of a part that can be handed on: memory for its end, or NULL: it is being used
                    */
    bool is_full;  /* it is */
    bool logs_dropped; /* there was no memory for them: later violations have no trace */
    struct logs logs;  /* of finished clusters, unless they are in files */
    struct origins
        loaded;           /* the log of a finished cluster that was read last from files, and ... */
    uint64_t loaded_rank; /* ... which that is */
    bool has_loaded;
    struct freezer
        *back; /* the folder of a part that this one comes from, while a way is followed, and ... */
    uint32_t back_level;     /* ... which it is, of these, ... */
    bool back_in_rest;       /* ... what it finished or what it left */
    struct freezer *freezer; /* NULL: nothing is frozen; what follows is frozen.c's */
    uint64_t freezer_budget; /* bytes that writing may take, or 0: see freezer_open */
    uint64_t checked;        /* work that pays for the next check */
    unsigned char *log_bytes;
    uint64_t log_bytes_room;
};

/* False: the result says why the search cannot begin. In either case history_release must follow;
 * clusters are freed by the engine before. */
bool history_init(struct history *history);
void history_release(struct history *history);

static inline uint64_t history_rank(const struct history *history, const uint64_t *words)
{
    return (words[history->field.word] >> history->field.shift & history->field.mask)
           >> history->shift;
}
static inline struct history_cluster *history_waiting(const struct history *history, uint32_t i)
{
    return history->waiting.heap[i].item;
}
struct freezer_identity history_identity(const struct history *history);
/* Says why the search must end; returns false. */
bool history_stop(struct history *history, enum stop_reason reason);

/* The next state of a cluster is logged: it is `step` of state `state` of the current cluster, or,
 * when there is none, initial and `state` is its number. A log that cannot grow is given up with
 * all others; false: that is not possible, memory was refused. */
bool history_log(struct history *history, struct history_cluster *cluster, uint64_t state,
                 uint32_t step);
/* Gives all logs up; a part that can be handed on has memory put aside for the way to its end.
 * False: no. */
bool history_drop_logs(struct history *history);
bool history_use_reserve(struct history *history);

/* The current cluster is finished, and its states are `states`: it is frozen, or its log is kept.
 * The engine may free it then. False: the search must end. */
bool history_finish(struct history *history, uint64_t states);
/* Whether the invariants hold, between the expansions of states. */
bool history_check(const struct history *history);
/* Notes a finished cluster for the statistics. */
void history_note(struct history *history, uint64_t rank, uint64_t states);

/* All clusters: search_all(search) takes them out of `waiting`. From files, where an earlier run
 * has finished some. */
bool history_run(struct history *history, bool (*search_all)(void *search));

/* A property is violated in a state of a live cluster; `words` are copied. */
void history_violated(struct history *history, uint32_t property, uint64_t rank, uint64_t state,
                      uint32_t failed_rule, const void *record);
/* Traces of all violations that have none yet. */
void history_make_traces(struct history *history);
/* After the search: traces, and the statistics. */
void history_conclude(struct history *history);

#endif
