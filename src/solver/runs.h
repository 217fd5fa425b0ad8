/* A set of equally long byte records on disk: sorted runs without common records, few of them (one
 * of n records is merged with the one before unless that is more than twice as long), each on a
 * tape of its own with the first record of every block in memory. Exact: records are compared in
 * full.
 *
 * Questions come many at a time, sorted, and are answered by reading runs from front to back,
 * leaving out blocks that no question is about. */
#ifndef CAIRN_SOLVER_RUNS_H
#define CAIRN_SOLVER_RUNS_H

#include "base/crew.h"
#include "solver/store.h"
#include "solver/tape.h"

struct run {
    struct tape tape;
    uint64_t count; /* records */
    char *firsts;   /* of each block */
    uint64_t blocks, block_room;
};

struct runs {
    struct mem *mem;
    uint32_t record_bytes, block_bytes, per_block;
    struct run *list;
    uint32_t len, cap;
    uint64_t records;  /* all together */
    uint64_t written;  /* bytes, of merged runs each time */
    struct crew *crew; /* who helps, between its rounds; NULL: nobody */
    const char *error; /* what went wrong with a file; NULL: memory was refused */
};

/* What is added: items in chunks of 2^chunk_shift, which are sorted in place. */
struct runs_items {
    char **chunks; /* of a store, or &one */
    char *one;     /* all of them */
    uint32_t chunk_shift, item_bytes;
    uint64_t count;
    /* How two items compare as records, and the record of one; NULL: they are records. Several
     * threads may compare at the same time. */
    int (*compare)(const void *a, const void *b, void *context);
    void (*make)(const void *item, char *record, void *context);
    void *context;
};

static inline char *runs_item(const struct runs_items *items, uint64_t i)
{
    const uint64_t within = i & ((UINT64_C(1) << items->chunk_shift) - 1);
    return items->chunks[i >> items->chunk_shift] + within * items->item_bytes;
}

/* block_bytes: about so many at a time are read and written. record_bytes is not 0. */
void runs_init(struct runs *runs, struct mem *mem, uint32_t record_bytes, uint32_t block_bytes);
void runs_release(struct runs *runs);
/* No record is in it any more. */
void runs_clear(struct runs *runs);

/* The first `count` records of a store, which is no set any more once they are added. */
struct runs_items runs_items_of(const struct store *store, uint64_t count);
/* Adds records, all different. `repeated` is called for those that were there already. False: as
 * runs->error says. */
bool runs_add(struct runs *runs, const struct runs_items *items,
              void (*repeated)(void *context, const void *record), void *context);
/* How many different beginnings of so many bytes its records have. False: as runs->error says. */
bool runs_count(struct runs *runs, uint32_t bytes, uint64_t *count);

/* Of `count` sorted records, one every `stride` bytes, says which are in the set: has[i]. */
bool runs_find(struct runs *runs, const char *records, uint64_t stride, uint64_t count, bool *has);
/* Whether the invariants hold, as far as memory tells. */
bool runs_check(const struct runs *runs);

#endif
