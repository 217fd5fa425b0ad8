#define XXH_INLINE_ALL
#include "solver/store.h"

#include <assert.h>
#include <string.h>
#include <xxhash.h>

/* Invariants: (1) in a segment, the hashes of occupied slots never decrease; (2) every slot stands
 * at or after its home, with no free slot in between; (3) used counts the occupied slots; (4) slot
 * contents name records below count, each once; (5) some slots behind the last one stay free. */

uint64_t store_hash(const void *record, uint32_t bytes)
{
    uint64_t hash = XXH3_64bits(record, bytes);
    return STORE_HASH_BITS < 64 ? hash & ((UINT64_C(1) << STORE_HASH_BITS % 64) - 1) : hash;
}

/* The low bits choose the segment; the high 32 bits are the stored hash. */
static uint32_t segment_of(const struct store *store, uint64_t hash)
{
    return (uint32_t)hash & store->segment_mask;
}

static uint32_t stored_hash(uint64_t hash) { return (uint32_t)(hash >> 32); }

static uint32_t home_of(const struct store_segment *segment, uint32_t hash)
{
    return (uint32_t)((uint64_t)hash * segment->homes >> 32);
}

enum { WINDOW = 4 }; /* slots that are looked at together */

static bool make_segment(struct store *store, struct store_segment *segment, uint32_t homes,
                         uint32_t room)
{
    size_t bytes = ((size_t)homes + room + WINDOW)
                   * sizeof *segment->slots; /* behind the end, some that stay free */
    segment->slots = mem_try_alloc(store->mem, bytes);
    if (!segment->slots) return false;
    segment->homes = homes;
    segment->size = homes + room;
    segment->used = 0;
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
    memset(store->one.slots, 0, (size_t)store->one.size * sizeof *store->one.slots);
    store->one.used = 0;
    store->count = 0;
    return true;
}

void store_prefetch(const struct store *store, uint64_t hash)
{
    const struct store_segment *segment = &store->segments[segment_of(store, hash)];
    __builtin_prefetch(&segment->slots[home_of(segment, stored_hash(hash))]);
}

/* The first slot from the home on that is free or has no smaller hash. How far that is nobody can
 * foretell, and a processor that tries loses more time than looking at some slots takes: so the
 * first ones are looked at without a branch. Behind a free slot there are larger hashes only. */
static uint32_t first_not_below(const struct store_segment *segment, uint32_t hash)
{
    const uint64_t bound = (uint64_t)hash
                           << 32; /* no slot is equal to that, and a free one, less 1, is larger */
    uint32_t i = home_of(segment, hash);
    const uint64_t *slots = &segment->slots[i];
    const uint32_t smaller = (slots[0] - 1 < bound) + (slots[1] - 1 < bound)
                             + (slots[2] - 1 < bound) + (slots[3] - 1 < bound);
    static_assert(WINDOW == 4, "as many as are looked at");
    i += smaller;
    if (smaller == WINDOW)
        while (segment->slots[i] - 1 < bound) i++;
    return i;
}

static bool has_hash(uint64_t slot, uint32_t hash)
{
    return (uint32_t)(slot >> 32) == hash && slot;
}

uint32_t store_guess(const struct store *store, uint64_t hash)
{
    const struct store_segment *segment = &store->segments[segment_of(store, hash)];
    const uint64_t slot = segment->slots[first_not_below(segment, stored_hash(hash))];
    if (!has_hash(slot, stored_hash(hash))) return UINT32_MAX;
    __builtin_prefetch(store_get(store, (uint32_t)slot - 1));
    return (uint32_t)slot - 1;
}

/* Finds the record, or the slot before which it belongs. */
static bool find(const struct store *store, const struct store_segment *segment, const void *record,
                 uint32_t hash, uint32_t *at)
{
    uint32_t i = first_not_below(segment, hash);
    while (has_hash(segment->slots[i], hash)
           && !store_has(store, (uint32_t)segment->slots[i] - 1, record))
        i++;
    *at = i;
    return has_hash(segment->slots[i], hash);
}

uint32_t store_find(const struct store *store, const void *record, uint64_t hash)
{
    const struct store_segment *segment = &store->segments[segment_of(store, hash)];
    uint32_t at;
    return find(store, segment, record, stored_hash(hash), &at) ? (uint32_t)segment->slots[at] - 1
                                                                : UINT32_MAX;
}

/* Moves all slots of a segment to a new array: in order, so each goes to its home or right behind
 * the one before. Returns false when the room behind the last home does not suffice. */
static bool sweep(const struct store_segment *from, struct store_segment *to)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < from->size; i++) {
        if (!from->slots[i]) continue;
        uint32_t home = home_of(to, (uint32_t)(from->slots[i] >> 32));
        if (home > next) next = home;
        if (next >= to->size) return false;
        to->slots[next++] = from->slots[i];
        to->used++;
    }
    return true;
}

static bool grow_segment(struct store *store, struct store_segment *segment)
{
    uint64_t homes = segment->homes, room = segment->size - segment->homes;
    if (segment->used * UINT64_C(2) > homes) homes += homes / 2 + 1;
    else room *= 2; /* few slots but all on one heap: colliding hashes */
    for (;; room *= 2) {
        struct store_segment grown;
        if (homes + room > UINT32_MAX
            || !make_segment(store, &grown, (uint32_t)homes, (uint32_t)room))
            return false;
        if (sweep(segment, &grown)) {
            mem_free(store->mem, segment->slots);
            *segment = grown;
            return true;
        }
        mem_free(store->mem, grown.slots);
    }
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
    while (slot && i-- > at) { /* back */
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
        find(store, segment, record, stored_hash(hash), &at);
        if (!full && insert_slot(segment, at, slot)) return true;
        if (!grow_segment(store, segment)) return false;
        full = false;
    }
}

/* From one segment to all: slots have too few bits of the hash for that, so all hashes are computed
 * again. */
static bool spread(struct store *store)
{
    const struct store_segment old = store->one;
    uint32_t made = 0;
    struct store_segment *segments = mem_try_alloc(store->mem, STORE_SEGMENTS * sizeof *segments);
    bool good = segments != NULL;
    if (!good) return false;
    store->segments = segments;
    for (; good && made < STORE_SEGMENTS; made += good) {
        uint32_t homes = STORE_FIRST_SLOTS + STORE_FIRST_SLOTS * made / (2 * STORE_SEGMENTS);
        good = make_segment(store, &segments[made], homes, STORE_FIRST_SLOTS / 2);
    }
    store->segment_mask = STORE_SEGMENTS - 1;
    for (uint32_t i = 0; good && i < old.size; i++) {
        if (!old.slots[i]) continue;
        const void *record = store_get(store, (uint32_t)old.slots[i] - 1);
        uint64_t hash = store_hash(record, store->key_bytes);
        good = put_slot(store, &segments[segment_of(store, hash)], record, hash, old.slots[i]);
    }
    if (good) {
        mem_free(store->mem, old.slots);
        return true;
    }
    for (uint32_t i = 0; i < made; i++) mem_free(store->mem, segments[i].slots);
    mem_free(store->mem, segments);
    store->segments = &store->one;
    store->segment_mask = 0;
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

enum store_result store_add(struct store *store, const void *record, uint64_t hash, uint32_t *index)
{
    struct store_segment *segment = &store->segments[segment_of(store, hash)];
    uint32_t at;
    if (find(store, segment, record, stored_hash(hash), &at)) {
        *index = (uint32_t)segment->slots[at] - 1;
        return STORE_KNOWN;
    }
    if (store->count >= UINT32_MAX - 1 || (store->count == store->room && !make_room(store)))
        return STORE_REFUSED;
    memcpy((char *)store_get(store, (uint32_t)store->count), record, store->record_bytes);
    uint64_t slot = (uint64_t)stored_hash(hash) << 32 | (uint32_t)(store->count + 1);
    bool full = segment->used >= segment->homes - segment->homes / 8;
    if (full || !insert_slot(segment, at, slot)) {
        bool many = !store->segment_mask
                    && segment->used * UINT64_C(2) > STORE_SEGMENTS * STORE_FIRST_SLOTS;
        if (many && !spread(store)) return STORE_REFUSED;
        if (!put_slot(store, &store->segments[segment_of(store, hash)], record, hash, slot))
            return STORE_REFUSED;
    }
    *index = (uint32_t)store->count++;
    return STORE_NEW;
}

bool store_check(const struct store *store)
{
    uint64_t used = 0;
    for (uint32_t s = 0; s <= store->segment_mask; s++) {
        const struct store_segment *segment = &store->segments[s];
        uint32_t last = 0, run_start = 0, in_segment = 0;
        for (uint32_t i = 0; i < segment->size; i++) {
            if (!segment->slots[i]) {
                run_start = i + 1;
                continue;
            }
            uint32_t hash = (uint32_t)(segment->slots[i] >> 32), home = home_of(segment, hash);
            uint32_t record = (uint32_t)segment->slots[i] - 1;
            if (hash < last || home > i || home < run_start || record >= store->count) return false;
            uint64_t whole = store_hash(store_get(store, record), store->key_bytes);
            if (segment_of(store, whole) != s || stored_hash(whole) != hash) return false;
            last = hash;
            in_segment++;
        }
        if (in_segment != segment->used) return false;
        used += in_segment;
    }
    return used == store->count;
}
