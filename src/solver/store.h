/* A set of equally long byte records (packed states), numbered 0, 1, 2, ... in the order of
 * insertion.
 *
 * Layout. Records stand one after the other in chunks of fixed size that are never moved, so growth
 * costs nothing; only the first chunk starts small and is moved while it grows. Beside them a table
 * (table.h) whose slots are some hash bits, then the record number + 1. Numbers take 32 bits of a
 * slot; before they would need more, the table is made anew with 40, and with so many segments that
 * the 24 bits of hash that are left still tell the slots of a segment apart. Growing never touches
 * the records.
 *
 * Cost: record size + 9 to 14 bytes per record; one or two cache misses to look up, one more to
 * confirm a hit. Records are compared in full (unless the last bytes are said not to count:
 * store_init_keyed): the set is exact. At most 2^40 - 2 records. A store of a few records costs a
 * few hundred bytes: there may be very many of them. */
#ifndef CAIRN_SOLVER_STORE_H
#define CAIRN_SOLVER_STORE_H

#include "solver/wordset.h"

#include <string.h>

#ifdef CAIRN_DEGENERATE /* a test build in which everything collides and grows all the time */
enum {
    STORE_HASH_BITS = 4,
    STORE_CHUNK_BYTES = 256,
    STORE_SMALL_RECORDS = 1,
    STORE_WIDE_SEGMENTS = 4
};
#define STORE_NARROW UINT64_C(60) /* records before numbers get more bits */
#else
enum {
    STORE_HASH_BITS = 64,
    STORE_CHUNK_BYTES = 1 << 20,
    STORE_SMALL_RECORDS = 8,
    STORE_WIDE_SEGMENTS = 4096
};
#define STORE_NARROW (UINT64_C(0xFFFFFFFF) - 1)
#endif
enum { STORE_NARROW_BITS = 32, STORE_WIDE_BITS = 40 }; /* of a record's number in a slot */
#define STORE_NONE UINT64_MAX                          /* no record's number */

/* What a small store needs is at the beginning. A store points into itself: it is never copied. */
struct store {
    uint32_t record_bytes;
    uint32_t chunk_shift; /* records per chunk = 1 << chunk_shift */
    uint64_t count;
    uint64_t room; /* records before the next chunk, or more of the first one, is needed */
    char **chunks; /* &first, or an array */
    char *first;
    uint32_t key_bytes; /* the first so many bytes of a record are compared */
    struct table table; /* slots: hash << low_bits | record + 1 */
    struct mem *mem;
    uint32_t chunk_cap;
    uint32_t slab_left; /* so many chunks are left ... */
    char *slab;         /* ... where the next one comes from */
    char **slabs; /* the blocks to free, but for the first chunk: each holds one chunk or several */
    uint32_t slab_count;
    uint32_t chunk_count;
};

enum store_result { STORE_NEW, STORE_KNOWN, STORE_REFUSED };

/* False when memory is refused. record_bytes may be 0 (a model without variables has one state). */
bool store_init(struct store *store, struct mem *mem, uint32_t record_bytes);
/* The same, of records that are equal when their first key_bytes bytes are: hashes are of these,
 * and of equal records the first one is kept. */
bool store_init_keyed(struct store *store, struct mem *mem, uint32_t record_bytes,
                      uint32_t key_bytes);
void store_release(struct store *store);
/* Makes a small store empty and keeps its memory; false: it is too large for that. */
bool store_clear(struct store *store);

/* Of up to eight bytes it is wordset_mix, of the word that they are, unless hashes are short. */
uint64_t store_hash(const void *record, uint32_t bytes);
/* Adds the record unless it is there; *index is its number. STORE_REFUSED: no memory; nothing has
 * changed. */
enum store_result store_add(struct store *store, const void *record, uint64_t hash,
                            uint64_t *index);
/* The number of a record, or STORE_NONE. */
uint64_t store_find(const struct store *store, const void *record, uint64_t hash);

/* ---- many records at once, by several threads ----
 *
 * First room is made and the records get numbers; then they are written; then parts are widened, as
 * far as they need it, and records linked, that is, can be found. Threads may write any of them,
 * and widen and link those of different parts, at the same time. */

/* How many parts: a record's part is in the low bits of its hash. 0: the table has none. */
static inline uint32_t store_parts(const struct store *store)
{
    return table_is_small(&store->table) ? 0 : store->table.mask + 1;
}
/* Room for so many more, so many of them in each part, with `spare` bytes left. False: memory is
 * short, and the set is as before. Then so many of them get numbers, from store->count on. */
bool store_reserve(struct store *store, uint64_t records, const uint32_t *in_part, uint64_t spare);
void store_give(struct store *store, uint64_t records);
void store_write(struct store *store, uint64_t index, const void *record);
/* Moves the slots of a part to where room was made for more; at the end, one thread frees what is
 * not needed any longer. */
static inline void store_widen(struct store *store, uint32_t part)
{
    table_widen(&store->table, part);
}
static inline void store_tidy(struct store *store) { table_tidy(&store->table); }
/* False: there is no place for it; then store_link_alone finds one, by one thread, unless memory is
 * refused. */
bool store_link(struct store *store, uint64_t index, uint64_t hash);
bool store_link_alone(struct store *store, uint64_t index);
/* Forgets the records from number `count` on. Some of them may not be linked. */
void store_cut(struct store *store, uint64_t count);

/* ---- a lookup ---- */

/* Stays valid until the next record is added. */
static inline const void *store_get(const struct store *store, uint64_t index)
{
    uint64_t within = index & ((UINT64_C(1) << store->chunk_shift) - 1);
    return store->chunks[index >> store->chunk_shift] + within * store->record_bytes;
}

/* Most records are of a few words: a call of memcmp would take longer than what it does. */
static inline bool store_same(const void *a, const void *b, uint32_t bytes)
{
    const char *one = a, *two = b;
    uint64_t x, y;
    if (bytes == sizeof(uint32_t)) {
        uint32_t u, v;
        memcpy(&u, one, sizeof u);
        memcpy(&v, two, sizeof v);
        return u == v;
    }
    if (bytes < sizeof x || bytes > 8 * sizeof x) return !memcmp(one, two, bytes);
    for (uint32_t at = 0; at + sizeof x < bytes; at += sizeof x) {
        memcpy(&x, one + at, sizeof x);
        memcpy(&y, two + at, sizeof y);
        if (x != y) return false;
    }
    memcpy(&x, one + bytes - sizeof x, sizeof x);
    memcpy(&y, two + bytes - sizeof y, sizeof y);
    return x == y;
}

/* Whether this record is the one with that number, which may be STORE_NONE. */
static inline bool store_has(const struct store *store, uint64_t index, const void *record)
{
    return index != STORE_NONE && store_same(store_get(store, index), record, store->key_bytes);
}

/* ---- the inside of a lookup, here because it is where the time goes ---- */

/* Of the slots that may be the record's, all that are smaller. */
static inline uint64_t store_bound(uint64_t hash, unsigned number_bits)
{
    return hash >> number_bits << number_bits; /* no slot is equal to that */
}

static inline bool store_slot_has(uint64_t slot, uint64_t hash, unsigned number_bits)
{
    return !((slot ^ hash) >> number_bits) && slot;
}

static inline uint64_t store_slot_number(uint64_t slot, unsigned number_bits)
{
    return (slot & ((UINT64_C(1) << number_bits) - 1)) - 1;
}

/* Brings the slots that a lookup will need closer. */
static inline void store_prefetch(const struct store *store, uint64_t hash)
{
    table_prefetch(&store->table, hash);
}

static inline uint64_t store_guess_with(const struct store *store, uint64_t hash,
                                        unsigned number_bits)
{
    const struct table_segment *segment = table_segment_of(&store->table, hash);
    const uint64_t bound = store_bound(hash, number_bits),
                   slot = segment->slots[table_first(segment, hash, bound, number_bits)];
    if (!store_slot_has(slot, hash, number_bits)) return STORE_NONE;
    const uint64_t index = store_slot_number(slot, number_bits);
    __builtin_prefetch(store_get(store, index));
    return index;
}

/* Once the slots are near: brings the record that probably is the one closer, and says which;
 * STORE_NONE: there is none. Then store_has, which costs one comparison, is nearly always right
 * about a record that is known. */
static inline uint64_t store_guess(const struct store *store, uint64_t hash)
{
    return store->table.low_bits == STORE_NARROW_BITS
               ? store_guess_with(store, hash, STORE_NARROW_BITS)
               : store_guess_with(store, hash, STORE_WIDE_BITS);
}

/* Whether the invariants hold; for tests. */
bool store_check(const struct store *store);

#endif
