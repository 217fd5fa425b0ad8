/* A search that is divided by p-points (paper 003; docs/partitioning.md): p-path by p-path, so that
 * only the partition at hand must be in memory, and exactly: the union of the partitions is the
 * whole state space. Inside of engine/explicit only. */
#ifndef CAIRN_ENGINE_EXPLICIT_PARTITION_H
#define CAIRN_ENGINE_EXPLICIT_PARTITION_H

#include "engine/explicit/points.h"
#include "engine/explicit/visit.h"
#include "solver/origins.h"
#include "solver/runs.h"

/* Entries that wait, one after the other on a tape. */
struct waiting_entries {
    uint64_t offset, count;
    uint32_t point, parent; /* of the p-path: its last p-point, and where the rest is in the list of
                               p-paths, or MODEL_NONE */
    uint64_t from;          /* the number of the partition that they were found in */
};

/* P-paths of one length. */
struct partition_layer {
    struct tape tape;
    struct waiting_entries *list;
    uint32_t len, room;
};

struct team; /* of partition_team.h */

struct epoch_log { /* on the tape of logs */
    uint64_t offset, size;
};

struct partition {
    struct search *search;
    struct mem *mem;
    const struct points *points;
    struct partition_statistics *statistics;
    struct origins origins; /* of the states in memory, which are those of the epoch */
    uint64_t epoch;         /* how often memory was emptied */
    uint64_t cursor;        /* states before this one are expanded */
    struct runs done;       /* states of earlier epochs */
    struct tape log_tape;   /* their origins, and ... */
    struct epoch_log *logs; /* ... where each is */
    uint64_t log_room;
    struct origins loaded; /* the one that was read last */
    uint64_t loaded_epoch;
    bool has_loaded;
    struct partition_layer now, next;
    struct waiting_entries *pending; /* of the p-path at hand: what is left to begin with */
    uint32_t pending_len, pending_room;
    uint32_t entry_bytes;
    uint64_t most_entries, most_batch; /* in memory: found ones, and those of a batch */
    char *found;                       /* entries of continuations of the p-path at hand */
    uint64_t found_count, found_room;
    char *batch; /* entries to begin with; made when they are needed */
    uint64_t batch_count, batch_room;
    bool *has; /* those of the batch that are done */
    uint64_t
        *known; /* a bit for states of the store that are on disk: they are not expanded again */
    uint64_t known_words;
    bool *reached; /* per p-point: continues the p-path at hand */
    uint64_t hard_limit,
        soft_limit;  /* of memory: what is between them is for a tidy end of the epoch */
    bool is_full;    /* that is being used */
    bool overflowed; /* even that: in the middle of the expansion of ... */
    uint32_t overflow_state,
        overflow_step; /* ... this state, so many steps of which were counted */
    struct team *team; /* NULL: one thread */
    bool *scan;        /* processes whose locations must be looked for in the states */
};

/* Takes the whole search over: also the initial states. */
void partition_init(struct search *search);
void partition_release(struct search *search);
bool partition_run(struct search *search);
/* Statistics, and what the states say about locations. */
void partition_conclude(struct search *search);

/* A successor: step number `step` of a state. The entry of another p-path is put aside, and counts
 * as known. */
enum store_result partition_add(struct partition *partition, const struct successor *successor,
                                const uint64_t *words, uint32_t state, uint32_t step,
                                uint32_t *index);
/* Gives the property its trace, or says why there is none. */
void partition_violated(struct partition *partition, struct property_result *entry, uint32_t state,
                        uint32_t failed_rule);
uint64_t partition_states(const struct partition *partition);
/* Whether a state of the store was found on disk, so that it need not be expanded. */
bool partition_is_known(const struct partition *partition, uint64_t state);
/* Whether the epoch must end before anything else is expanded. */
bool partition_is_full(const struct partition *partition);

#endif
