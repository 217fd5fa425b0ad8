/* Invariants: (1) from the home of a record to its slot no slot is free; (2) a slot never changes
 * while records are added; (3) chunks[0 .. given) exist; (4) records given out beyond `room` are at
 * most `spare`, and the tables have free slots for them. */
#include "solver/shared.h"

#include <string.h>

static uint32_t stored_hash(uint64_t hash) { return (uint32_t)(hash >> 32); }

static struct shared_segment *segment_of(const struct shared *shared, uint64_t hash)
{
    return (struct shared_segment *)&shared->segments[hash % SHARED_SEGMENTS];
}

static uint64_t home_of(const struct shared_segment *segment, uint32_t hash)
{
    return (uint64_t)hash * segment->size >> 32;
}

static uint64_t load(const struct shared_segment *segment, uint64_t i)
{
    return atomic_load_explicit(&segment->slots[i], memory_order_acquire);
}

static uint64_t after(const struct shared_segment *segment, uint64_t i)
{
    return i + 1 < segment->size ? i + 1 : 0;
}

/* ---- room ---- */

/* How many records the smallest segment allows, at so many hundredths. */
static uint64_t room_at(const struct shared *shared, uint64_t percent)
{
    uint64_t least = shared->segments[0].size;
    for (uint32_t s = 1; s < SHARED_SEGMENTS; s++)
        if (shared->segments[s].size < least) least = shared->segments[s].size;
    uint64_t room = least * SHARED_SEGMENTS / 100 * percent;
    return room > shared->spare ? room - shared->spare : 0;
}

/* More chunks than the tables will ever ask for before they grow again. */
static bool grow_chunk_list(struct shared *shared)
{
    uint64_t need = ((room_at(shared, 100) + 2 * shared->spare) >> shared->chunk_shift) + 2;
    if (need <= shared->chunk_cap) return true;
    if (need > UINT32_MAX) return false;
    char **chunks = mem_try_resize(shared->mem, shared->chunks, need * sizeof *chunks);
    if (!chunks) return false;
    shared->chunks = chunks;
    shared->chunk_cap = (uint32_t)need;
    return true;
}

bool shared_init(struct shared *shared, struct mem *mem, uint32_t record_bytes, uint32_t threads)
{
    memset(shared, 0, sizeof *shared);
    shared->mem = mem;
    shared->record_bytes = record_bytes;
    shared->spare = (uint64_t)threads * (SHARED_AT_HAND + 2 * SHARED_BLOCK);
    while ((UINT64_C(2) << shared->chunk_shift) * record_bytes <= STORE_CHUNK_BYTES)
        shared->chunk_shift++;
    pthread_mutex_init(&shared->lock, NULL);
    uint64_t size = (4 * shared->spare + 400) / SHARED_SEGMENTS;
    for (uint32_t s = 0; s < SHARED_SEGMENTS; s++) {
        shared->segments[s].slots = mem_try_alloc(mem, size * sizeof *shared->segments[s].slots);
        if (!shared->segments[s].slots) return false;
        shared->segments[s].size = size;
    }
    shared->room = room_at(shared, 70);
    return grow_chunk_list(shared);
}

void shared_release(struct shared *shared)
{
    for (uint32_t s = 0; s < SHARED_SEGMENTS; s++)
        mem_free(shared->mem, (void *)shared->segments[s].slots);
    for (uint32_t i = 0; i < shared->chunk_count; i++) mem_free(shared->mem, shared->chunks[i]);
    mem_free(shared->mem, shared->chunks);
    if (shared->mem) pthread_mutex_destroy(&shared->lock);
    memset(shared, 0, sizeof *shared);
}

/* With the lock: the chunks for numbers below `end`. */
static bool make_chunks(struct shared *shared, uint64_t end)
{
    while ((uint64_t)shared->chunk_count << shared->chunk_shift < end) {
        if (shared->chunk_count >= shared->chunk_cap) return false;
        char *chunk =
            mem_try_alloc(shared->mem, ((size_t)shared->record_bytes + 1) << shared->chunk_shift);
        if (!chunk) return false;
        shared->chunks[shared->chunk_count++] = chunk;
    }
    return true;
}

static bool take_block(struct shared *shared, struct shared_block *block)
{
    pthread_mutex_lock(&shared->lock);
    uint64_t end = shared->given + SHARED_BLOCK;
    bool good = end < UINT32_MAX && make_chunks(shared, end);
    if (good) {
        *block = (struct shared_block){(uint32_t)shared->given, (uint32_t)end};
        shared->given = end;
        if (end >= shared->room) atomic_store_explicit(&shared->full, true, memory_order_relaxed);
    }
    pthread_mutex_unlock(&shared->lock);
    return good;
}

/* ---- adding and finding ---- */

void shared_prefetch(const struct shared *shared, uint64_t hash)
{
    const struct shared_segment *segment = segment_of(shared, hash);
    __builtin_prefetch((const void *)&segment->slots[home_of(segment, stored_hash(hash))]);
}

static bool has_hash(uint64_t slot, uint32_t hash) { return stored_hash(slot) == hash && slot; }

/* The first slots are looked at without a branch, as in store.c: behind a free slot none has this
 * hash. */
uint32_t shared_guess(const struct shared *shared, uint64_t hash)
{
    const struct shared_segment *segment = segment_of(shared, hash);
    const uint32_t wanted = stored_hash(hash);
    uint64_t i = home_of(segment, wanted), slot = 0, probes = 0;
    if (i + 4 <= segment->size) {
        const uint64_t slots[4] = {load(segment, i), load(segment, i + 1), load(segment, i + 2),
                                   load(segment, i + 3)};
        const unsigned match = has_hash(slots[0], wanted) | has_hash(slots[1], wanted) << 1
                               | has_hash(slots[2], wanted) << 2 | has_hash(slots[3], wanted) << 3;
        const bool some_free = !slots[0] | !slots[1] | !slots[2] | !slots[3];
        if (!match && some_free) return UINT32_MAX;
        if (match) slot = slots[__builtin_ctz(match)];
    }
    if (!slot) {
        while (probes++ < segment->size && (slot = load(segment, i)) && stored_hash(slot) != wanted)
            i = after(segment, i);
        if (!has_hash(slot, wanted)) return UINT32_MAX;
    }
    const uint32_t index = (uint32_t)slot - 1;
    __builtin_prefetch(shared_get(shared, index));
    __builtin_prefetch((const void *)shared_key(shared, index));
    return index;
}

static bool is_record(const struct shared *shared, uint64_t slot, const void *record, uint32_t hash)
{
    return stored_hash(slot) == hash && shared_has(shared, (uint32_t)slot - 1, record);
}

uint32_t shared_find(const struct shared *shared, const void *record, uint64_t hash)
{
    const struct shared_segment *segment = segment_of(shared, hash);
    uint64_t i = home_of(segment, stored_hash(hash)), slot;
    for (uint64_t probes = 0; probes < segment->size && (slot = load(segment, i));
         probes++, i = after(segment, i))
        if (is_record(shared, slot, record, stored_hash(hash))) return (uint32_t)slot - 1;
    return UINT32_MAX;
}

enum store_result shared_add(struct shared *shared, struct shared_block *block, const void *record,
                             uint64_t hash, uint8_t key, uint32_t *index)
{
    struct shared_segment *segment = segment_of(shared, hash);
    uint32_t wanted = stored_hash(hash);
    uint64_t i = home_of(segment, wanted), own = 0;
    for (uint64_t probes = 0; probes < segment->size; probes++, i = after(segment, i)) {
        uint64_t slot = load(segment, i);
        if (!slot) {
            if (!own) { /* nobody sees it before the slot is there; if another was faster, the
                           number is for the next record */
                if (block->next == block->end && !take_block(shared, block)) return STORE_REFUSED;
                memcpy(shared_get(shared, block->next), record, shared->record_bytes);
                atomic_store_explicit(shared_key(shared, block->next), key, memory_order_relaxed);
                own = (uint64_t)wanted << 32 | (block->next + 1);
            }
            if (atomic_compare_exchange_strong_explicit(
                    &segment->slots[i], &slot, own, memory_order_acq_rel, memory_order_acquire)) {
                *index = block->next++;
                return STORE_NEW;
            }
        }
        if (!is_record(shared, slot, record, wanted)) continue;
        *index = (uint32_t)slot - 1;
        return STORE_KNOWN;
    }
    return STORE_REFUSED;
}

void shared_lower_key(struct shared *shared, uint32_t index, uint8_t key)
{
    _Atomic uint8_t *at = shared_key(shared, index);
    uint8_t old = atomic_load_explicit(at, memory_order_relaxed);
    while (key < old
           && !atomic_compare_exchange_weak_explicit(at, &old, key, memory_order_relaxed,
                                                     memory_order_relaxed))
        continue;
}

/* ---- growing ---- */

static void put(struct shared_segment *segment, uint64_t slot)
{
    uint64_t i = home_of(segment, stored_hash(slot));
    while (atomic_load_explicit(&segment->slots[i], memory_order_relaxed)) i = after(segment, i);
    atomic_store_explicit(&segment->slots[i], slot, memory_order_relaxed);
}

/* Half as large again; when that is refused, a little larger; otherwise as it is. */
void shared_grow_segment(struct shared *shared, uint32_t s)
{
    struct shared_segment *old = &shared->segments[s], grown = {NULL, 0};
#ifdef CAIRN_DEGENERATE
    static const unsigned shares[] = {16};
#else
    static const unsigned shares[] = {2, 6};
#endif
    for (size_t k = 0; k < sizeof shares / sizeof *shares && !grown.slots; k++) {
        grown.size = old->size + old->size / shares[k] + 1;
        pthread_mutex_lock(&shared->lock);
        grown.slots = mem_try_alloc(shared->mem, grown.size * sizeof *grown.slots);
        pthread_mutex_unlock(&shared->lock);
    }
    if (!grown.slots) return;
    for (uint64_t i = 0; i < old->size; i++) {
        uint64_t slot = atomic_load_explicit(&old->slots[i], memory_order_relaxed);
        if (slot) put(&grown, slot);
    }
    pthread_mutex_lock(&shared->lock);
    mem_free(shared->mem, (void *)old->slots);
    pthread_mutex_unlock(&shared->lock);
    *old = grown;
}

bool shared_grown(struct shared *shared)
{
    uint64_t room = room_at(shared, 70), most = room_at(shared, 90);
    if (room <= shared->given + SHARED_BLOCK)
        room = most; /* memory is short: slower, but not yet over */
    shared->room = room;
    atomic_store_explicit(&shared->full, false, memory_order_relaxed);
    return room > shared->given + SHARED_BLOCK && grow_chunk_list(shared);
}

/* ---- numbers without gaps ---- */

static bool is_left_over(struct shared_block *const *blocks, uint32_t count, uint64_t number)
{
    for (uint32_t b = 0; b < count; b++)
        if (number >= blocks[b]->next && number < blocks[b]->end) return true;
    return false;
}

static void renumber(struct shared *shared, uint32_t from, uint32_t to)
{
    char *record = shared_get(shared, to);
    memcpy(record, shared_get(shared, from), shared->record_bytes);
    atomic_store_explicit(shared_key(shared, to),
                          atomic_load_explicit(shared_key(shared, from), memory_order_relaxed),
                          memory_order_relaxed);
    uint64_t hash = store_hash(record, shared->record_bytes);
    struct shared_segment *segment = segment_of(shared, hash);
    uint64_t i = home_of(segment, stored_hash(hash));
    while ((uint32_t)atomic_load_explicit(&segment->slots[i], memory_order_relaxed) != from + 1)
        i = after(segment, i);
    atomic_store_explicit(&segment->slots[i], (uint64_t)stored_hash(hash) << 32 | (to + 1),
                          memory_order_relaxed);
}

uint64_t shared_settle(struct shared *shared, struct shared_block *const *blocks, uint32_t count)
{
    uint64_t used = shared->given;
    for (uint32_t b = 0; b < count; b++) used -= blocks[b]->end - blocks[b]->next;
    uint64_t from = used;
    for (uint32_t b = 0; b < count; b++)
        for (uint64_t to = blocks[b]->next; to < blocks[b]->end && to < used; to++) {
            while (is_left_over(blocks, count, from)) from++;
            renumber(shared, (uint32_t)from++, (uint32_t)to);
        }
    for (uint32_t b = 0; b < count; b++) *blocks[b] = (struct shared_block){0, 0};
    shared->given = used;
    return used;
}

void shared_view(const struct shared *shared, uint64_t count, struct store *view)
{
    *view = (struct store){.record_bytes = shared->record_bytes,
                           .chunk_shift = shared->chunk_shift,
                           .count = count,
                           .chunks = shared->chunks,
                           .chunk_count = shared->chunk_count};
}

bool shared_check(const struct shared *shared, uint64_t count)
{
    uint64_t slots = 0;
    for (uint32_t s = 0; s < SHARED_SEGMENTS; s++)
        for (uint64_t i = 0; i < shared->segments[s].size; i++) {
            uint64_t slot = load(&shared->segments[s], i);
            slots += slot != 0;
            if (slot && (uint32_t)slot - 1 >= count) return false;
        }
    for (uint64_t r = 0; r < count; r++) {
        const char *record = shared_get(shared, (uint32_t)r);
        if (shared_find(shared, record, store_hash(record, shared->record_bytes)) != r)
            return false;
    }
    return slots == count;
}
