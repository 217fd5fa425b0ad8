/* Past-Free[ze] order (Teodorov, Le Roux, Dhaussy). The model has a rank: a variable that no step makes smaller. States with one rank are a cluster. The smallest reached rank is next, and its
 * cluster is searched breadth-first until it finds nothing new; then no later step can lead into it, and it is given up at once: freed, or frozen in files.
 * What is visited is what every other order visits. In memory there are only the cluster at hand and those that were reached and have not had their turn. */
#ifndef CAIRN_ENGINE_EXPLICIT_PAST_H
#define CAIRN_ENGINE_EXPLICIT_PAST_H

#include "engine/explicit/visit.h"
#include "model/eval.h"
#include "solver/freezer.h"
#include "solver/logs.h"
#include "solver/ranks.h"

struct cluster {
    struct store store;
    struct origins origins;
    uint64_t rank; /* less the lowest one, without its last `shift` bits */
    struct cluster *next; /* in the list of unused ones */
};

/* Where a property was first violated: a trace is made of it after the search. */
struct past_place {
    bool known, frozen; /* frozen: a summary in the files has it */
    uint64_t rank;
    uint32_t state, failed_rule;
    uint64_t *words; /* the state itself */
};

struct past {
    struct search *search;
    struct mem *mem;
    struct field field; /* of the rank */
    unsigned shift;     /* so many neighbouring ranks, as a power of two, are one cluster */
    struct cluster_statistics *statistics;
    struct cluster *current; /* the one being searched, or NULL */
    struct ranks waiting;    /* clusters that were reached and have not had their turn */
    struct cluster *unused;
    bool *scan; /* processes whose locations must be looked for in the states */
    struct past_place *places; /* per property */
    uint64_t done_states;      /* in finished clusters, and ... */
    uint64_t last_states;      /* ... in the last one of them */
    void *reserve;             /* of a part that can be handed on: memory for its end, or NULL: it is being used */
    bool is_full;              /* it is */
    bool logs_dropped;         /* there was no memory for them: later violations have no trace */
    struct logs logs;          /* of finished clusters, unless they are in files */
    struct origins loaded;     /* the log of a finished cluster that was read last from files, and ... */
    uint64_t loaded_rank;      /* ... which that is */
    bool has_loaded;
    uint64_t farthest;         /* the largest rank that the current cluster has a step to */
    struct freezer *back;      /* the folder of a part that this one comes from, while a way is followed, and ... */
    uint32_t back_level;       /* ... which it is, of these, ... */
    bool back_in_rest;         /* ... what it finished or what it left */
    struct freezer *freezer;   /* NULL: nothing is frozen; the rest is frozen.c's */
    struct past_counts *frozen_counts; /* what was counted before the current cluster */
    uint64_t *frozen_taken;
    unsigned char *summary, *log_bytes;
    uint64_t log_bytes_room;
    uint32_t frozen_done;      /* monitors that were done then, and failed ones */
    uint32_t frozen_failed;
};

/* False: memory was refused. */
bool past_init(struct search *search);
void past_release(struct search *search);

static inline uint64_t past_rank(const struct past *past, const uint64_t *words)
{
    return (words[past->field.word] >> past->field.shift & past->field.mask) >> past->shift;
}
/* One of the waiting clusters, in no order. */
static inline struct cluster *past_waiting(const struct past *past, uint32_t i)
{
    return past->waiting.heap[i].item;
}
/* Brings what past_cluster will need closer. */
void past_prefetch(const struct past *past, uint64_t rank);
/* The cluster of a state that a step leads to, or that is initial; NULL: the search must end, as the result says. */
struct cluster *past_cluster(struct past *past, uint64_t rank);
/* Gives memory back that can be done without; false: there is none. */
bool past_relieve(struct past *past);
/* Adds a state to a cluster, with its origin, which is `step` of `state` in the current cluster, or nothing. STORE_REFUSED: no memory, as the result says. */
enum store_result past_add(struct past *past, struct cluster *cluster, const uint64_t *words, uint64_t hash, uint32_t state, uint32_t step, uint32_t *index);

/* All clusters, from those of the initial states on. */
bool past_run(struct search *search);

/* Adds the initial states again, all or those of larger ranks. False: no memory. */
bool past_add_initial(struct past *past, bool all, uint64_t above);
/* Takes the waiting clusters away. */
void past_discard(struct past *past);
/* Notes a finished cluster for the statistics. */
void past_note(struct past *past, uint64_t rank, uint64_t states);

/* A property is violated in this state of a live cluster. */
void past_violated(struct past *past, uint32_t property, const struct cluster *cluster, uint32_t state, uint32_t failed_rule);
/* States that were reached so far. */
uint64_t past_states(const struct past *past);
/* Traces of all violations that have none yet. */
void past_make_traces(struct past *past);
/* After the search: traces of what was found, and the statistics. */
void past_conclude(struct past *past);

#endif
