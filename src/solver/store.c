#define XXH_INLINE_ALL
#include "base/checked.h"
#include "solver/store.h"

#include <assert.h>
#include <string.h>
#include <xxhash.h>

/* Invariants, beside those of the table: (1) slot contents name records below count, each once; (2)
 * slots have the hashes of their records. */

uint64_t store_hash(const void *record, uint32_t bytes)
{
    uint64_t hash = 0;
    if (bytes > sizeof hash) hash = XXH3_64bits(record, bytes);
    else {
        memcpy(&hash, record, bytes);
        hash = wordset_mix(hash);
    }
    return STORE_HASH_BITS < 64 ? hash & ((UINT64_C(1) << STORE_HASH_BITS % 64) - 1) : hash;
}

enum { LARGE_RECORD = 1 << 10, LARGE_CHUNK = 1 << 14 };

bool store_init(struct store *store, struct mem *mem, uint32_t record_bytes)
{
    return store_init_keyed(store, mem, record_bytes, record_bytes);
}

bool store_init_keyed(struct store *store, struct mem *mem, uint32_t record_bytes,
                      uint32_t key_bytes)
{
    assert(key_bytes <= record_bytes);
    memset(store, 0, sizeof *store);
    store->mem = mem;
    store->record_bytes = record_bytes;
    store->key_bytes = key_bytes;
    uint64_t chunk = record_bytes < LARGE_RECORD
                         ? STORE_CHUNK_BYTES
                         : LARGE_CHUNK; /* of large records none is kept in reserve: a search may
                                           have very many stores */
    while ((UINT64_C(2) << store->chunk_shift) * (record_bytes ? record_bytes : 1) <= chunk)
        store->chunk_shift++;
    return table_init(&store->table, mem, STORE_NARROW_BITS);
}

void store_release(struct store *store)
{
    for (uint32_t i = 0; i < store->slab_count; i++) mem_free(store->mem, store->slabs[i]);
    mem_free(store->mem, store->slabs);
    if (store->chunks != &store->first) mem_free(store->mem, store->chunks);
    mem_free(store->mem, store->first);
    table_release(&store->table);
    memset(store, 0, sizeof *store);
}

bool store_clear(struct store *store)
{
    if (!table_is_small(&store->table) || store->chunk_count > 1) return false;
    assert(store->table.one.used == store->count); /* (1) */
    table_clear(&store->table);
    store->count = 0;
    return true;
}

static inline __attribute__((always_inline)) bool find_with(const struct store *store,
                                                            const struct table_segment *segment,
                                                            const void *record, uint64_t hash,
                                                            unsigned number_bits, uint32_t *at)
{
    uint32_t i = table_first(segment, hash, store_bound(hash, number_bits), number_bits);
    while (store_slot_has(segment->slots[i], hash, number_bits)
           && !store_has(store, store_slot_number(segment->slots[i], number_bits), record))
        i++;
    *at = i;
    return store_slot_has(segment->slots[i], hash, number_bits);
}

/* Finds the record, or the slot before which it belongs. */
static inline __attribute__((always_inline)) bool find(const struct store *store,
                                                       const struct table_segment *segment,
                                                       const void *record, uint64_t hash,
                                                       uint32_t *at)
{
    return store->table.low_bits == STORE_NARROW_BITS
               ? find_with(store, segment, record, hash, STORE_NARROW_BITS, at)
               : find_with(store, segment, record, hash, STORE_WIDE_BITS, at);
}

uint64_t store_find(const struct store *store, const void *record, uint64_t hash)
{
    const struct table_segment *segment = table_segment_of(&store->table, hash);
    uint32_t at;
    return find(store, segment, record, hash, &at)
               ? store_slot_number(segment->slots[at], store->table.low_bits)
               : STORE_NONE;
}

/* Behind those that have the same hash. */
static bool put_slot(struct table *table, uint64_t hash, uint64_t number)
{
    const uint64_t numbers = (UINT64_C(1) << table->low_bits) - 1;
    return table_put(table, hash, hash | numbers, (hash & ~numbers) | (number + 1));
}

static bool put_record(const struct store *store, struct table *table, uint64_t index)
{
    return put_slot(table, store_hash(store_get(store, index), store->key_bytes), index);
}

/* To a table of so many segments, whose slots have so many bits for numbers. Slots have too few
 * bits of the hash for that, so all hashes are computed again. The old table stays until the new
 * one is made: false, and nothing has changed, when memory is refused. */
static bool spread(struct store *store, uint32_t count, uint32_t number_bits)
{
    struct table wider, *table = &store->table;
    assert(number_bits >= table->low_bits);
    bool good = table_make(&wider, store->mem, count, number_bits);
    if (!good) return false;
    for (uint32_t s = 0; s <= table->mask; s++) {
        const struct table_segment *from = &table->segments[s];
        for (uint32_t i = 0; good && i < from->size; i++)
            if (from->slots[i])
                good =
                    put_record(store, &wider, store_slot_number(from->slots[i], table->low_bits));
    }
    table_release(good ? table : &wider);
    if (good) *table = wider;
    CHECKED(!good || store_check(store));
    return good;
}

enum { SLAB_CHUNKS = 8, FIRST_CHUNKS = 32 };

/* The first chunks come one by one, later ones several at a time in large blocks; singly again when
 * memory is short. */
static char *new_chunk(struct store *store)
{
    size_t bytes = (size_t)store->record_bytes << store->chunk_shift;
    if (!store->slab_left) {
        char *slab = NULL;
        if (store->chunk_count >= FIRST_CHUNKS && store->record_bytes < LARGE_RECORD)
            slab = mem_try_alloc(store->mem, SLAB_CHUNKS * bytes);
        uint32_t count = slab ? SLAB_CHUNKS : 1;
        if (!slab) slab = mem_try_alloc(store->mem, bytes);
        if (!slab) return NULL;
        assert(store->slab_count < store->chunk_cap); /* a slab has a chunk at least */
        store->slab = store->slabs[store->slab_count++] = slab;
        store->slab_left = count;
    }
    char *chunk = store->slab;
    store->slab += bytes;
    store->slab_left--;
    return chunk;
}

/* Twice as much of the first chunk. */
static bool grow_first_chunk(struct store *store)
{
    uint64_t full = UINT64_C(1) << store->chunk_shift, room = store->room ? 2 * store->room
                                                              : store->record_bytes < LARGE_RECORD
                                                                  ? STORE_SMALL_RECORDS
                                                                  : 1;
    if (room > full) room = full;
    assert(room > store->count && store->chunk_count <= 1);
    char *chunk = mem_try_resize(store->mem, store->first, room * store->record_bytes);
    if (!chunk) return false;
    store->first = chunk;
    store->chunks = &store->first;
    store->chunk_count = 1;
    store->room = room;
    return true;
}

/* More chunks, and slabs, than there are. */
static bool grow_arrays(struct store *store)
{
    uint32_t cap = store->chunk_cap ? 2 * store->chunk_cap : 16;
    char **slabs = mem_try_resize(store->mem, store->slabs, cap * sizeof *slabs);
    if (!slabs) return false;
    store->slabs = slabs;
    char **chunks =
        mem_try_resize(store->mem, store->chunk_cap ? store->chunks : NULL, cap * sizeof *chunks);
    if (!chunks) return false;
    if (!store->chunk_cap) chunks[0] = store->first;
    store->chunks = chunks;
    store->chunk_cap = cap;
    return true;
}

static bool make_room(struct store *store)
{
    if (store->room < UINT64_C(1) << store->chunk_shift) return grow_first_chunk(store);
    if (store->chunk_count >= store->chunk_cap && !grow_arrays(store)) return false;
    char *fresh = new_chunk(store);
    if (!fresh) return false;
    store->chunks[store->chunk_count++] = fresh;
    store->room += UINT64_C(1) << store->chunk_shift;
    return true;
}

/* The table that the next record needs is there; false: memory was refused. */
static bool make_table(struct store *store)
{
    bool many = table_is_small(&store->table)
                && store->table.one.used * UINT64_C(2) > TABLE_SEGMENTS * TABLE_FIRST_SLOTS;
    if (store->count >= STORE_NARROW && store->table.low_bits == STORE_NARROW_BITS)
        return spread(store, STORE_WIDE_SEGMENTS, STORE_WIDE_BITS);
    return !many || spread(store, TABLE_SEGMENTS, STORE_NARROW_BITS);
}

/* A record that is not there, whose slot belongs at `at`. Apart from store_add, which mostly finds
 * what it looks for. */
static __attribute__((noinline)) enum store_result add_new(struct store *store,
                                                           struct table_segment *segment,
                                                           uint32_t at, const void *record,
                                                           uint64_t hash, uint64_t *index)
{
    assert(store->count <= store->room && segment->used <= segment->size);
    if (store->count == store->room && !make_room(store)) return STORE_REFUSED;
    bool narrow = store->count >= STORE_NARROW && store->table.low_bits == STORE_NARROW_BITS;
    if (narrow && !make_table(store)) return STORE_REFUSED;
    memcpy((char *)store_get(store, store->count), record, store->record_bytes);
    const uint64_t slot = store_bound(hash, store->table.low_bits) | (store->count + 1);
    if (narrow || table_is_full(segment) || !table_insert(segment, at, slot)) {
        if (!make_table(store) || !put_slot(&store->table, hash, store->count))
            return STORE_REFUSED;
    }
    *index = store->count++;
    return STORE_NEW;
}

enum store_result store_add(struct store *store, const void *record, uint64_t hash, uint64_t *index)
{
    struct table_segment *segment = table_segment_of(&store->table, hash);
    uint32_t at;
    if (!find(store, segment, record, hash, &at))
        return add_new(store, segment, at, record, hash, index);
    *index = store_slot_number(segment->slots[at], store->table.low_bits);
    return STORE_KNOWN;
}

/* ---- many at once ---- */

static uint64_t bytes_for(const struct store *store, uint64_t records, const uint32_t *in_part)
{
    const uint64_t chunk = (uint64_t)store->record_bytes << store->chunk_shift,
                   chunks = (records >> store->chunk_shift) + 1 + SLAB_CHUNKS;
    return chunks * (chunk + 4 * sizeof(char *)) + 4096 + table_bytes_for(&store->table, in_part);
}

bool store_reserve(struct store *store, uint64_t records, const uint32_t *in_part, uint64_t spare)
{
    const bool narrow = store->table.low_bits == STORE_NARROW_BITS;
    if ((narrow && store->count + records > STORE_NARROW)
        || !mem_has(store->mem, bytes_for(store, records, in_part) + spare))
        return false;
    while (store->room < store->count + records)
        if (!make_room(store)) return false;
    return table_reserve(&store->table, in_part);
}

void store_give(struct store *store, uint64_t records)
{
    store->count += records;
    assert(store->count <= store->room);
}

void store_write(struct store *store, uint64_t index, const void *record)
{
    assert(index < store->count);
    memcpy((char *)store_get(store, index), record, store->record_bytes);
}

bool store_link(struct store *store, uint64_t index, uint64_t hash)
{
    struct table_segment *segment = table_segment_of(&store->table, hash);
    const unsigned bits = store->table.low_bits;
    const uint64_t bound = store_bound(hash, bits);
    uint32_t at = table_first(segment, hash, bound, bits);
    assert(index < store->count && segment->used <= segment->size);
    while (store_slot_has(segment->slots[at], hash, bits)) at++;
    return table_insert(segment, at, bound | (index + 1));
}

bool store_link_alone(struct store *store, uint64_t index)
{
    return put_record(store, &store->table, index);
}

static bool is_counted(const void *context, uint64_t slot)
{
    const struct store *store = context;
    return store_slot_number(slot, store->table.low_bits) < store->count;
}

void store_cut(struct store *store, uint64_t count)
{
    assert(count <= store->count);
    store->count = count;
    table_filter(&store->table, is_counted, store);
}

bool store_check(const struct store *store)
{
    const unsigned bits = store->table.low_bits;
    uint64_t used = 0;
    for (uint32_t s = 0; s <= store->table.mask; s++) {
        const struct table_segment *segment = &store->table.segments[s];
        used += segment->used;
        for (uint32_t i = 0; i < segment->size; i++) {
            const uint64_t slot = segment->slots[i], number = store_slot_number(slot, bits);
            if (!slot) continue;
            if (number >= store->count) return false; /* (1) */
            const uint64_t whole = store_hash(store_get(store, number), store->key_bytes);
            if (table_segment_of(&store->table, whole) != segment
                || !store_slot_has(slot, whole, bits))
                return false; /* (2) */
        }
    }
    return used == store->count && table_check(&store->table);
}
