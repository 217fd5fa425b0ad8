/* Entries: states that a search of p-paths begins with when their turn comes. They wait on tapes
 * (solver/tape.h), one for the p-paths of the length at hand, one for those that are longer by one,
 * and one for those of later clusters, where the search goes by the rank of the model, too. An
 * entry is the record of a state, where it was found from, and the p-point that led to it. */
#ifndef CAIRN_SEARCH_ENTRIES_H
#define CAIRN_SEARCH_ENTRIES_H

#include "search/reserve.h"
#include "search/search.h"
#include "solver/tape.h"

struct entries_tail {
    uint64_t source, state; /* who found it: as in origins.h */
    uint32_t step, point;
};

/* Entries one after the other on a tape. */
struct entries_waiting {
    uint64_t offset, count;
    uint32_t point;  /* that led to them, or MODEL_NONE: none, but to a later cluster */
    uint32_t last;   /* of the p-path: its last p-point, or MODEL_NONE: it is the empty one */
    uint32_t parent; /* where the rest of it is in the list of p-paths, or MODEL_NONE */
    uint64_t length; /* of the p-path */
    uint64_t from;   /* the number of the partition that they were found in */
    uint64_t rank;   /* of the cluster, where they are in a later one */
};

struct entries_list {
    struct entries_waiting *data;
    uint32_t len, room;
};

/* P-paths of one length. */
struct entries_layer {
    struct tape tape;
    struct entries_list list;
};

#define ENTRIES_NO_RANK UINT64_MAX

struct entries {
    struct search *search;
    struct mem *mem;
    struct reserve *reserve;
    struct crew *crew; /* who helps with sorting; NULL: nobody */
    const struct set_records *records;
    uint32_t record_bytes, size; /* of a record; of an entry */
    struct entries_layer now, next, later;
    bool by_rank;       /* clusters are searched one after the other, by the rank of the model */
    struct field field; /* of it; so many neighbouring ranks, as a power of two, are one cluster: */
    unsigned shift;
    uint64_t rank;                   /* of the cluster at hand; ENTRIES_NO_RANK: there is none */
    struct entries_list pending;     /* of the p-path at hand: what is left to begin with */
    uint64_t most_found, most_batch; /* in memory: found ones, and those of a batch */
    char *found;                     /* entries of continuations of the p-path at hand */
    uint64_t found_count, found_room;
    char *batch; /* entries to begin with; made when they are needed */
    uint64_t batch_count, batch_room;
    bool *has; /* those of the batch that are done */
};

/* block: bytes of the tapes in memory. Memory is taken by calls that jump when it is refused. */
void entries_init(struct entries *entries, struct search *search, struct reserve *reserve,
                  uint32_t block);
void entries_release(struct entries *entries);

/* Ends the search because of memory, or of a file if there is an error; returns false. */
bool entries_fail(struct search *search, const char *error);
/* Room for one more thing in a list; NULL: memory was refused, and the search must end. */
void *entries_grow(struct entries *entries, void *list, uint64_t len, uint64_t *room, size_t size);

void entries_make(const struct entries *entries, char *entry, const void *record,
                  struct entries_tail tail);
struct entries_tail entries_tail_of(const struct entries *entries, const char *entry);

/* A p-point leads to the state of this record. False: the search must end, as the result says;
 * otherwise memory was refused. */
bool entries_put_found(struct entries *entries, const char *record, struct entries_tail tail);
/* Puts what was found on the tape of the next layer, without what was found twice or visited since.
 * partition: the number of the one that found it. False: the search must end. */
bool entries_flush_found(struct entries *entries);
/* The rank of a state, by its words; 0 where that does not matter. */
static inline uint64_t entries_rank(const struct entries *entries, const uint64_t *words)
{
    const struct field *field = &entries->field;
    if (!entries->by_rank) return 0;
    return (words[field->word] >> field->shift & field->mask) >> entries->shift;
}
/* The cluster is done: that of the smallest rank is at hand, if any is left. */
bool entries_next_cluster(struct entries *entries);
/* The layer is done: the next one is at hand. */
void entries_next_layer(struct entries *entries);
bool entries_are_of_one_path(const struct entries_waiting *a, const struct entries_waiting *b);

/* More that is pending. False: the search must end, as for all that follow. */
bool entries_push_pending(struct entries *entries, struct entries_waiting waiting);
/* Entries that go to the tape of the layer at hand, and are pending. `rest` begins where the tape
 * ends. */
bool entries_append(struct entries *entries, const void *entry, uint64_t count);
/* Room in the batch for so many, or for as many as there is memory for. */
bool entries_reserve_batch(struct entries *entries, uint64_t wanted);
/* Reads entries that are pending into the batch, as many as there is room for. */
bool entries_load_batch(struct entries *entries);
/* Sorts the batch by records; by where they were found from. */
void entries_sort_batch(struct entries *entries);
void entries_sort_by_origin(struct entries *entries);
/* The rest of the batch, from this one on, is pending again. */
bool entries_put_back(struct entries *entries, uint64_t first);
/* Whether a record is in search->set. */
bool entries_is_visited(const struct entries *entries, const char *record);

#endif
