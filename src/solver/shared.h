/* A set of equally long byte records, like solver/store.h, that several threads fill at the same
 * time.
 *
 * Layout. Records are numbered 0, 1, 2, ... and stand in chunks that are never moved, each followed
 * by one byte per record, its key. Beside them SHARED_SEGMENTS hash tables, chosen by the low bits
 * of the hash, of 8-byte slots (32 hash bits, 32 bits of record number + 1), with linear probing. A
 * record is written before its slot, and its slot is put with compare-and-swap: who sees the slot
 * sees the record. Two threads that add the same record race for the same free slot, and the loser
 * finds the winner's record.
 *
 * Numbers are given out in blocks, one per thread, so there are gaps while threads are at work;
 * shared_settle closes them. Tables grow only while nobody adds: shared_is_full says that it is
 * time, and there is room for what threads have at hand then.
 *
 * Cost: record size + 1 + 8 / load bytes per record, with loads between a half and 0.7, up to 0.9
 * when memory is short. */
#ifndef CAIRN_SOLVER_SHARED_H
#define CAIRN_SOLVER_SHARED_H

#include "solver/store.h"

#include <pthread.h>
#include <stdatomic.h>

#ifdef CAIRN_DEGENERATE
enum { SHARED_SEGMENTS = 2, SHARED_BLOCK = 3 };
#else
enum { SHARED_SEGMENTS = 16, SHARED_BLOCK = 64 };
#endif
enum { SHARED_AT_HAND = 128 }; /* records that a thread may still add after the set is full */

struct shared_segment {
    _Atomic uint64_t *slots; /* hash << 32 | record + 1; 0: free */
    uint64_t size;
};

struct shared_block { /* the numbers that a thread gives to records next */
    uint32_t next, end;
};

struct shared {
    struct shared_segment segments[SHARED_SEGMENTS];
    uint32_t record_bytes;
    uint32_t chunk_shift; /* as in a store */
    char **chunks;        /* longer only while nobody adds */
    uint32_t chunk_cap;
    struct mem *mem;
    pthread_mutex_t lock; /* of the rest, and of mem */
    uint32_t chunk_count;
    uint64_t given; /* numbers, in blocks */
    uint64_t room;  /* when so many are given, the set is full */
    uint64_t spare; /* numbers for what is at hand then */
    atomic_bool full;
};

/* False when memory is refused. */
bool shared_init(struct shared *shared, struct mem *mem, uint32_t record_bytes, uint32_t threads);
void shared_release(struct shared *shared);

void shared_prefetch(const struct shared *shared, uint64_t hash);
/* The number of the record that probably is the one, which is brought closer, or UINT32_MAX (as
 * store_guess). */
uint32_t shared_guess(const struct shared *shared, uint64_t hash);
/* Adds the record, with this key, unless it is there. STORE_REFUSED: no memory, or too many. */
enum store_result shared_add(struct shared *shared, struct shared_block *block, const void *record,
                             uint64_t hash, uint8_t key, uint32_t *index);
/* Makes the key of a record that is there at most this. */
void shared_lower_key(struct shared *shared, uint32_t index, uint8_t key);
/* The number of a record, or UINT32_MAX. */
uint32_t shared_find(const struct shared *shared, const void *record, uint64_t hash);

/* Whoever adds shall come to an end (SHARED_AT_HAND), and the tables grow. */
static inline bool shared_is_full(const struct shared *shared)
{
    return atomic_load_explicit(&shared->full, memory_order_relaxed);
}

/* Nobody may add during what follows. Growing: each segment once, by any threads at the same time,
 * then shared_grown: false when there is no room, because memory was refused. */
void shared_grow_segment(struct shared *shared, uint32_t segment);
bool shared_grown(struct shared *shared);
/* Gives the last records the numbers that blocks have left over, and empties the blocks. Returns
 * the number of records. */
uint64_t shared_settle(struct shared *shared, struct shared_block *const *blocks, uint32_t count);
/* The records as a store: for reading by number only. It is not released, and valid until the
 * chunks are longer (shared_grown). */
void shared_view(const struct shared *shared, uint64_t count, struct store *view);

static inline char *shared_get(const struct shared *shared, uint32_t index)
{
    return shared->chunks[index >> shared->chunk_shift]
           + (size_t)(index & ((1u << shared->chunk_shift) - 1)) * shared->record_bytes;
}

static inline bool shared_has(const struct shared *shared, uint32_t index, const void *record)
{
    return store_same(shared_get(shared, index), record, shared->record_bytes);
}

static inline _Atomic uint8_t *shared_key(const struct shared *shared, uint32_t index)
{
    char *keys = shared->chunks[index >> shared->chunk_shift]
                 + ((size_t)shared->record_bytes << shared->chunk_shift);
    return (_Atomic uint8_t *)keys + (index & ((1u << shared->chunk_shift) - 1));
}

/* While nobody adds: whether every record has one slot, reached from its home, and no slot is left
 * over; for tests. */
bool shared_check(const struct shared *shared, uint64_t count);

#endif
