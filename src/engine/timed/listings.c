#include "engine/timed/listings.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#ifdef CAIRN_TEST_HOOKS /* so that small models forget */
enum { FIRST_WORDS = 64, MOST_WORDS = 256, PARTS_BITS = 1 };
#else
enum { FIRST_WORDS = 1 << 12, MOST_WORDS = 1 << 20, PARTS_BITS = 4 };
#endif
enum {
    WAYS = 4,
    WORDS_PER_SLOT = 4,
    PART = 8
}; /* of the memory that is used: one part in so many */
enum {
    HEAD = 1,
    STEP = 1,
    TAG_BITS = 8
}; /* words of a listing, and of a step, beside those of
      states */

static uint64_t most_words(uint64_t bytes)
{
    const uint64_t words = bytes / sizeof(uint64_t);
    return words < MOST_WORDS ? words : MOST_WORDS;
}

void listings_init(struct listings *listings, struct mem *mem, uint32_t words, uint64_t bytes)
{
    *listings = (struct listings){.mem = mem, .words = words, .most = most_words(bytes)};
}

void listings_release(struct listings *listings)
{
    mem_free(listings->mem, listings->pool);
    mem_free(listings->mem, listings->slots);
    *listings = (struct listings){0};
}

/* Where the listing of this state is, or would be: in one of a few slots, the first of which gives
 * way when all are in use by others. */
static uint32_t *slot_of(const struct listings *listings, const uint64_t *words, uint64_t hash)
{
    uint32_t *const first = &listings->slots[hash & (listings->slot_count - WAYS)];
    for (uint32_t *slot = first; slot < first + WAYS; slot++)
        if (!*slot || !memcmp(listings->pool + *slot - 1, words, listings->words * sizeof *words))
            return slot;
    return first;
}

bool listings_find(const struct listings *listings, const uint64_t *words, uint64_t hash,
                   const struct fast_rule *rules, struct batch *list)
{
    const uint32_t size = listings->words,
                   place = listings->slots ? *slot_of(listings, words, hash) : 0;
    if (!place) return false;
    const uint64_t *at = listings->pool + place - 1;
    if (memcmp(at, words, size * sizeof *words)) return false;
    at += size;
    const uint64_t count = *at++;
    batch_clear(list);
    struct batch_state *begun = batch_begin(list, SET_NONE);
    for (uint64_t i = 0; begun && i < count; i++, at += STEP + size) {
        uint64_t *room = batch_room(list);
        if (!room) return false;
        struct batch_step *step = batch_put(list, begun);
        step->fast = rules + (*at >> TAG_BITS);
        step->tag = *at & ((1 << TAG_BITS) - 1);
        step->hash = 0;
        step->set = NULL;
        memcpy(room, at + STEP, size * sizeof *room);
    }
    if (begun) begun->enabled = count;
    return begun;
}

/* Makes room for so many words: by growing, while that is little beside the rest, or by forgetting.
 * False: there is none. */
static bool make_room(struct listings *listings, uint64_t need)
{
    uint64_t room = listings->room ? 2 * listings->room : FIRST_WORDS;
    while (room < need) room *= 2;
    const uint64_t bytes = room * sizeof *listings->pool,
                   slot_bytes = room / WORDS_PER_SLOT * sizeof *listings->slots;
    if (room <= listings->most && (!listings->room || bytes <= listings->mem->used / PART)
        && mem_has(listings->mem, PART * bytes)) {
        struct listings larger = *listings;
        listings_release(listings);
        larger.pool = mem_try_alloc(larger.mem, bytes);
        larger.slots = mem_try_alloc(larger.mem, slot_bytes);
        larger.room = room;
        larger.slot_count = room / WORDS_PER_SLOT;
        larger.used = 0;
        *listings = larger;
        if (larger.pool && larger.slots) return true;
        listings_release(listings); /* from now on nothing is kept */
        return false;
    }
    if (need > listings->room) return false;
    listings->used = 0;
    memset(listings->slots, 0, listings->slot_count * sizeof *listings->slots);
    return true;
}

void listings_keep(struct listings *listings, const uint64_t *words, uint64_t hash,
                   const struct fast_rule *rules, const struct batch *list)
{
    const uint64_t size = listings->words, count = list->step_count,
                   need = size + HEAD + count * (STEP + size);
    if (need > listings->most
        || (need > listings->room - listings->used && !make_room(listings, need)))
        return;
    uint64_t *at = listings->pool + listings->used;
    *slot_of(listings, words, hash) = (uint32_t)listings->used + 1; /* (1) */
    listings->used += need;
    memcpy(at, words, size * sizeof *at);
    at += size;
    *at++ = count;
    for (uint32_t i = 0; i < count; i++, at += STEP + size) { /* (2) */
        const struct batch_step *step = &list->steps[i];
        assert(step->fast >= rules && !(step->tag >> TAG_BITS));
        *at = (uint64_t)(step->fast - rules) << TAG_BITS | step->tag;
        memcpy(at + STEP, batch_words(list, i), size * sizeof *at);
    }
    assert(at == listings->pool + listings->used);
}

/* ---- for several threads ---- */

struct listings_part {
    pthread_mutex_t lock;
    struct listings listings; /* in memory that all parts have together: it never grows */
    char apart[MEM_APART];
};

struct listings_shared {
    struct mem *mem;
    uint64_t *pool;
    uint32_t *slots;
    struct listings_part parts[1 << PARTS_BITS];
};

struct listings_shared *listings_share(struct mem *mem, uint32_t words, uint64_t bytes)
{
    struct listings_shared *shared = mem_try_alloc(mem, sizeof *shared);
    if (!shared) return NULL;
    uint64_t room = WAYS * WORDS_PER_SLOT;
    while (2 * room << PARTS_BITS <= most_words(bytes)) room *= 2;
    const uint64_t slots = room / WORDS_PER_SLOT;
    shared->mem = mem;
    shared->pool = mem_try_alloc(mem, (room << PARTS_BITS) * sizeof *shared->pool);
    shared->slots = mem_try_alloc(mem, (slots << PARTS_BITS) * sizeof *shared->slots);
    for (uint64_t i = 0; i < 1 << PARTS_BITS; i++) {
        struct listings_part *part = &shared->parts[i];
        pthread_mutex_init(&part->lock, NULL);
        if (!shared->pool || !shared->slots) continue;
        part->listings = (struct listings){.mem = mem,
                                           .words = words,
                                           .pool = shared->pool + i * room,
                                           .room = room,
                                           .most = room,
                                           .slots = shared->slots + i * slots,
                                           .slot_count = slots};
    }
    if (shared->pool && shared->slots) return shared;
    listings_release_shared(shared);
    return NULL;
}

void listings_release_shared(struct listings_shared *shared)
{
    if (!shared) return;
    struct mem *mem = shared->mem;
    for (uint32_t i = 0; i < 1 << PARTS_BITS; i++) pthread_mutex_destroy(&shared->parts[i].lock);
    mem_free(mem, shared->pool);
    mem_free(mem, shared->slots);
    mem_free(mem, shared);
}

/* Slots go by the low bits of a hash. */
static struct listings_part *part_of(struct listings_shared *shared, uint64_t hash)
{
    return &shared->parts[hash >> (64 - PARTS_BITS)];
}

bool listings_find_shared(struct listings_shared *shared, const uint64_t *words, uint64_t hash,
                          const struct fast_rule *rules, struct batch *list)
{
    struct listings_part *part = part_of(shared, hash);
    pthread_mutex_lock(&part->lock);
    const bool found = listings_find(&part->listings, words, hash, rules, list);
    pthread_mutex_unlock(&part->lock);
    return found;
}

void listings_keep_shared(struct listings_shared *shared, const uint64_t *words, uint64_t hash,
                          const struct fast_rule *rules, const struct batch *list)
{
    struct listings_part *part = part_of(shared, hash);
    pthread_mutex_lock(&part->lock);
    listings_keep(&part->listings, words, hash, rules, list);
    pthread_mutex_unlock(&part->lock);
}
