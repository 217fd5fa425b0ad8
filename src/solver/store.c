#define XXH_INLINE_ALL
#include "base/checked.h"
#include "solver/store.h"

#include <assert.h>
#include <string.h>
#include <xxhash.h>

/* Invariants: (1) in a segment, the hashes of occupied slots never decrease; (2) every slot stands
 * at or after its home, with no free slot in between; (3) used counts the occupied slots; (4) slot
 * contents name records below count, each once; (5) some slots behind the last one stay free. */

uint64_t store_hash(const void *record, uint32_t bytes)
{
    /* most records are of one word: then nothing need be asked about the length */
    uint64_t hash = bytes == 8 ? XXH3_64bits(record, 8) : XXH3_64bits(record, bytes);
    return STORE_HASH_BITS < 64 ? hash & ((UINT64_C(1) << STORE_HASH_BITS % 64) - 1) : hash;
}

static struct store_segment *segment_of(struct store *store, uint64_t hash)
{
    return (struct store_segment *)store_segment_of(store, hash);
}

static bool make_segment(struct store *store, struct store_segment *segment, uint32_t homes,
                         uint32_t room)
{
    size_t bytes = ((size_t)homes + room + STORE_WINDOW)
                   * sizeof *segment->slots; /* behind the end, some that stay free */
    segment->slots = mem_try_alloc(store->mem, bytes);
    if (!segment->slots) return false;
    segment->homes = homes;
    segment->size = homes + room;
    segment->used = 0;
    assert(homes && segment->size > homes); /* (5) */
    return true;
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
    store->segments = &store->one;
    store->number_bits = STORE_NARROW_BITS;
    return make_segment(store, &store->one, STORE_SMALL_SLOTS, STORE_SMALL_SLOTS / 2);
}

void store_release(struct store *store)
{
    for (uint32_t i = 0; i < store->slab_count; i++) mem_free(store->mem, store->slabs[i]);
    mem_free(store->mem, store->slabs);
    if (store->chunks != &store->first) mem_free(store->mem, store->chunks);
    mem_free(store->mem, store->first);
    for (uint32_t i = 0; store->segments && i <= store->segment_mask; i++)
        mem_free(store->mem, store->segments[i].slots);
    if (store->segment_mask) mem_free(store->mem, store->segments);
    memset(store, 0, sizeof *store);
}

bool store_clear(struct store *store)
{
    if (store->segment_mask || store->chunk_count > 1) return false;
    assert(store->segments == &store->one && store->one.used == store->count); /* (3) */
    memset(store->one.slots, 0, (size_t)store->one.size * sizeof *store->one.slots);
    store->one.used = 0;
    store->count = 0;
    return true;
}

static inline __attribute__((always_inline)) bool find_with(const struct store *store,
                                                            const struct store_segment *segment,
                                                            const void *record, uint64_t hash,
                                                            unsigned number_bits, uint32_t *at)
{
    uint32_t i = store_first(segment, hash, number_bits);
    while (store_slot_has(segment->slots[i], hash, number_bits)
           && !store_has(store, store_slot_number(segment->slots[i], number_bits), record))
        i++;
    *at = i;
    return store_slot_has(segment->slots[i], hash, number_bits);
}

/* Finds the record, or the slot before which it belongs. */
static inline __attribute__((always_inline)) bool find(const struct store *store,
                                                       const struct store_segment *segment,
                                                       const void *record, uint64_t hash,
                                                       uint32_t *at)
{
    return store->number_bits == STORE_NARROW_BITS
               ? find_with(store, segment, record, hash, STORE_NARROW_BITS, at)
               : find_with(store, segment, record, hash, STORE_WIDE_BITS, at);
}

uint64_t store_find(const struct store *store, const void *record, uint64_t hash)
{
    const struct store_segment *segment = store_segment_of(store, hash);
    uint32_t at;
    return find(store, segment, record, hash, &at)
               ? store_slot_number(segment->slots[at], store->number_bits)
               : STORE_NONE;
}

/* Moves all slots of a segment to a new array: in order, so each goes to its home or right behind
 * the one before. Returns false when the room behind the last home does not suffice. */
static bool sweep(const struct store *store, const struct store_segment *from,
                  struct store_segment *to)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < from->size; i++) {
        if (!from->slots[i]) continue;
        uint32_t home = store_home(to, from->slots[i], store->number_bits);
        if (home > next) next = home;
        if (next >= to->size) return false;
        to->slots[next++] = from->slots[i];
        to->used++;
    }
    return true;
}

/* To so many homes, with so much room behind the last one, or more. */
static bool move_segment(struct store *store, struct store_segment *segment, uint64_t homes,
                         uint64_t room)
{
    for (;; room *= 2) {
        struct store_segment grown;
        if (homes + room > UINT32_MAX
            || !make_segment(store, &grown, (uint32_t)homes, (uint32_t)room))
            return false;
        if (sweep(store, segment, &grown)) {
            assert(grown.used == segment->used); /* (3) */
            mem_free(store->mem, segment->slots);
            *segment = grown;
            return true;
        }
        mem_free(store->mem, grown.slots);
    }
}

static bool grow_segment(struct store *store, struct store_segment *segment)
{
    uint64_t homes = segment->homes, room = segment->size - segment->homes;
    if (segment->used * UINT64_C(2) > homes) homes += homes / 2 + 1;
    else room *= 2; /* few slots but all on one heap: colliding hashes */
    return move_segment(store, segment, homes, room);
}

/* Makes room at `at` by moving what follows one slot up. False: there is no free slot behind. */
static bool insert_slot(struct store_segment *segment, uint32_t at, uint64_t slot)
{
    uint32_t i = at;
    for (; slot && i < segment->size; i++) {
        uint64_t moved = segment->slots[i];
        segment->slots[i] = slot;
        slot = moved;
    }
    segment->used += !slot;
    assert(segment->used <= segment->size); /* (3) */
    while (slot && i-- > at) {              /* back */
        uint64_t moved = segment->slots[i];
        segment->slots[i] = slot;
        slot = moved;
    }
    return !slot;
}

/* Puts a slot where it belongs, making the segment larger as long as there is no room for it. */
static bool put_slot(struct store *store, struct store_segment *segment, const void *record,
                     uint64_t hash, uint64_t slot)
{
    uint32_t at;
    bool full = segment->used >= segment->homes - segment->homes / 8;
    for (;;) {
        find(store, segment, record, hash, &at);
        if (!full && insert_slot(segment, at, slot)) return true;
        if (!grow_segment(store, segment)) return false;
        full = false;
    }
}

static uint64_t make_slot(const struct store *store, uint64_t hash, uint64_t index)
{
    return hash >> store->number_bits << store->number_bits | (index + 1);
}

static bool put_record(struct store *store, uint64_t index)
{
    const void *record = store_get(store, index);
    uint64_t hash = store_hash(record, store->key_bytes);
    return put_slot(store, segment_of(store, hash), record, hash, make_slot(store, hash, index));
}

/* To a table of so many segments, whose slots have so many bits for numbers. Slots have too few
 * bits of the hash for that, so all hashes are computed again. The old table stays until the new
 * one is made: false, and nothing has changed, when memory is refused. */
static bool spread(struct store *store, uint32_t count, uint32_t number_bits)
{
    assert(number_bits >= store->number_bits && !(count & (count - 1)));
    const struct store old = *store;
    const struct store_segment *from = store->segment_mask ? old.segments : &old.one;
    uint32_t made = 0;
    struct store_segment *segments = mem_try_alloc(store->mem, count * sizeof *segments);
    bool good = segments != NULL;
    if (!good) return false;
    store->segments = segments;
    store->number_bits = number_bits;
    store->segment_mask = count - 1;
    for (; good && made < count; made += good) {
        uint32_t homes =
            STORE_FIRST_SLOTS + STORE_FIRST_SLOTS * (made % STORE_SEGMENTS) / (2 * STORE_SEGMENTS);
        good = make_segment(store, &segments[made], homes, STORE_FIRST_SLOTS / 2);
    }
    for (uint32_t s = 0; s <= old.segment_mask; s++)
        for (uint32_t i = 0; good && i < from[s].size; i++)
            if (from[s].slots[i])
                good = put_record(store, store_slot_number(from[s].slots[i], old.number_bits));
    if (good) {
        for (uint32_t s = 0; s <= old.segment_mask; s++) mem_free(store->mem, from[s].slots);
        if (old.segment_mask) mem_free(store->mem, old.segments);
        CHECKED(store_check(store));
        return true;
    }
    for (uint32_t i = 0; i < made; i++) mem_free(store->mem, segments[i].slots);
    mem_free(store->mem, segments);
    store->segments = old.segment_mask ? old.segments : &store->one;
    store->number_bits = old.number_bits;
    store->segment_mask = old.segment_mask;
    return false;
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
    bool many =
        !store->segment_mask && store->one.used * UINT64_C(2) > STORE_SEGMENTS * STORE_FIRST_SLOTS;
    if (store->count >= STORE_NARROW && store->number_bits == STORE_NARROW_BITS)
        return spread(store, STORE_WIDE_SEGMENTS, STORE_WIDE_BITS);
    return !many || spread(store, STORE_SEGMENTS, STORE_NARROW_BITS);
}

/* A record that is not there, whose slot belongs at `at`. Apart from store_add, which mostly finds
 * what it looks for. */
static __attribute__((noinline)) enum store_result add_new(struct store *store,
                                                           struct store_segment *segment,
                                                           uint32_t at, const void *record,
                                                           uint64_t hash, uint64_t *index)
{
    assert(store->count <= store->room && segment->used <= segment->size); /* (3) */
    if (store->count == store->room && !make_room(store)) return STORE_REFUSED;
    bool narrow = store->count >= STORE_NARROW && store->number_bits == STORE_NARROW_BITS;
    if (narrow && !make_table(store)) return STORE_REFUSED;
    memcpy((char *)store_get(store, store->count), record, store->record_bytes);
    bool full = narrow || segment->used >= segment->homes - segment->homes / 8;
    if (full || !insert_slot(segment, at, make_slot(store, hash, store->count))) {
        if (!make_table(store)) return STORE_REFUSED;
        if (!put_slot(store, segment_of(store, hash), record, hash,
                      make_slot(store, hash, store->count)))
            return STORE_REFUSED;
    }
    *index = store->count++;
    return STORE_NEW;
}

enum store_result store_add(struct store *store, const void *record, uint64_t hash, uint64_t *index)
{
    struct store_segment *segment = segment_of(store, hash);
    uint32_t at;
    if (!find(store, segment, record, hash, &at))
        return add_new(store, segment, at, record, hash, index);
    *index = store_slot_number(segment->slots[at], store->number_bits);
    return STORE_KNOWN;
}

/* ---- many at once ---- */

/* The homes of a segment after so many more slots, as if they came one by one. */
static uint64_t homes_for(const struct store_segment *segment, uint32_t more)
{
    uint64_t homes = segment->homes;
    while (more && segment->used + (uint64_t)more - 1 >= homes - homes / 8) homes += homes / 2 + 1;
    return homes;
}

static uint64_t bytes_for(const struct store *store, uint64_t records, const uint32_t *in_part)
{
    const uint64_t chunk = (uint64_t)store->record_bytes << store->chunk_shift,
                   chunks = (records >> store->chunk_shift) + 1 + SLAB_CHUNKS;
    uint64_t bytes = chunks * (chunk + 4 * sizeof(char *)) + 4096;
    for (uint32_t s = 0; s <= store->segment_mask; s++) {
        const struct store_segment *segment = &store->segments[s];
        const uint64_t homes = homes_for(segment, in_part[s]);
        if (homes == segment->homes) continue;
        bytes += (homes + segment->size - segment->homes + 2 * STORE_WINDOW) * sizeof(uint64_t);
    }
    return bytes;
}

bool store_reserve(struct store *store, uint64_t records, const uint32_t *in_part, uint64_t spare)
{
    const bool narrow = store->number_bits == STORE_NARROW_BITS;
    assert(store->segment_mask);
    if ((narrow && store->count + records > STORE_NARROW)
        || !mem_has(store->mem, bytes_for(store, records, in_part) + spare))
        return false;
    while (store->room < store->count + records)
        if (!make_room(store)) return false;
    for (uint32_t s = 0; s <= store->segment_mask; s++) {
        struct store_segment *segment = &store->segments[s];
        const uint64_t homes = homes_for(segment, in_part[s]);
        if (homes != segment->homes
            && !move_segment(store, segment, homes, segment->size - segment->homes))
            return false;
    }
    store->count += records;
    return true;
}

void store_write(struct store *store, uint64_t index, const void *record)
{
    assert(index < store->count);
    memcpy((char *)store_get(store, index), record, store->record_bytes);
}

bool store_link(struct store *store, uint64_t index, uint64_t hash)
{
    struct store_segment *segment = segment_of(store, hash);
    const unsigned bits = store->number_bits;
    uint32_t at = store_first(segment, hash, bits);
    assert(index < store->count && segment->used < segment->homes); /* (3) */
    while (store_slot_has(segment->slots[at], hash, bits)) at++;
    return insert_slot(segment, at, make_slot(store, hash, index));
}

bool store_link_alone(struct store *store, uint64_t index) { return put_record(store, index); }

/* Slots that stay move to their homes or right behind the one before: never up. */
void store_cut(struct store *store, uint64_t count)
{
    assert(count <= store->count);
    store->count = count;
    for (uint32_t s = 0; s <= store->segment_mask; s++) {
        struct store_segment *segment = &store->segments[s];
        uint32_t next = 0;
        segment->used = 0;
        for (uint32_t i = 0; i < segment->size; i++) {
            const uint64_t slot = segment->slots[i];
            segment->slots[i] = 0;
            if (!slot || store_slot_number(slot, store->number_bits) >= count) continue;
            const uint32_t home = store_home(segment, slot, store->number_bits);
            if (home > next) next = home;
            assert(next <= i); /* (2) */
            segment->slots[next++] = slot;
            segment->used++;
        }
    }
}

bool store_check(const struct store *store)
{
    const unsigned bits = store->number_bits;
    uint64_t used = 0;
    for (uint32_t s = 0; s <= store->segment_mask; s++) {
        const struct store_segment *segment = &store->segments[s];
        uint64_t last = 0;
        uint32_t run_start = 0, in_segment = 0;
        for (uint32_t i = 0; i < segment->size; i++) {
            const uint64_t slot = segment->slots[i], number = store_slot_number(slot, bits);
            if (!slot) {
                run_start = i + 1;
                continue;
            }
            const uint32_t home = store_home(segment, slot, bits);
            if (slot >> bits < last || home > i || home < run_start || number >= store->count)
                return false; /* (1), (2), (4) */
            const uint64_t whole = store_hash(store_get(store, number), store->key_bytes);
            if (store_segment_of(store, whole) != segment || !store_slot_has(slot, whole, bits))
                return false;
            last = slot >> bits;
            in_segment++;
        }
        if (in_segment != segment->used) return false; /* (3) */
        used += in_segment;
    }
    return used == store->count;
}
