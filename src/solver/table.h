/* Slots of 64 bits, found by the high bits of a hash; what the low bits of a slot say is for the
 * owner of the table: the number of a record (store.h), or the rest of a state (words.h).
 *
 * First there is one segment, later there are several, chosen by the low bits of the hash. In a
 * segment the occupied slots are ordered, each at or after its home (sorted linear probing). Hence
 * a search ends at the first larger slot, loads of 0.88 are cheap, and growing a segment is one
 * sequential sweep. Segments start with different sizes, so that they grow at different times: no
 * long pause, and no moment at which the whole table exists twice. */
#ifndef CAIRN_SOLVER_TABLE_H
#define CAIRN_SOLVER_TABLE_H

#include "base/mem.h"

#ifdef CAIRN_DEGENERATE /* a test build in which everything collides and grows all the time */
enum { TABLE_SEGMENTS = 2, TABLE_FIRST_SLOTS = 2, TABLE_SMALL_SLOTS = 2 };
#else
enum { TABLE_SEGMENTS = 16, TABLE_FIRST_SLOTS = 128, TABLE_SMALL_SLOTS = 12 };
#endif
enum { TABLE_WINDOW = 4 }; /* slots that are looked at together */

struct table_segment {
    uint64_t *slots; /* 0: free */
    uint32_t homes;  /* home slots */
    uint32_t size;   /* homes + room behind the last home */
    uint32_t used;
    bool is_swept; /* of one that is to take another's place: it has the slots */
};

/* A table of one segment points into itself: it is never copied. */
struct table {
    struct mem *mem;
    struct table_segment *segments; /* &one, or an array */
    uint32_t mask;                  /* 0: there is one segment; otherwise how many, less 1 */
    uint32_t low_bits;              /* of a slot, which its home does not depend on: 32 or 40 */
    struct table_segment *grown;    /* per segment, what table_widen makes of it; or NULL */
    struct table_segment one;
};

/* All but table_release return false when memory is refused; then nothing has changed. */
bool table_init(struct table *table, struct mem *mem, uint32_t low_bits);
void table_release(struct table *table);
/* An empty one of so many segments, a power of two, more than one. */
bool table_make(struct table *table, struct mem *mem, uint32_t segments, uint32_t low_bits);
/* Whether it is small enough to be emptied. */
static inline bool table_is_small(const struct table *table) { return !table->mask; }
void table_clear(struct table *table);

/* Puts a slot that is not there behind all that are not larger than `bound`; segments grow. */
bool table_put(struct table *table, uint64_t hash, uint64_t bound, uint64_t slot);
/* The same in this place, which table_first has found; false: there is no room, or there would be
 * too little, and nothing has changed. */
bool table_insert(struct table_segment *segment, uint32_t at, uint64_t slot);
static inline bool table_is_full(const struct table_segment *segment)
{
    return segment->used >= segment->homes - segment->homes / 8;
}
void table_remove(const struct table *table, struct table_segment *segment, uint32_t at);
/* Removes all slots but those that `stays`. */
void table_filter(struct table *table, bool (*stays)(const void *context, uint64_t slot),
                  const void *context);

/* ---- many slots at once, by several threads, each in segments of its own ---- */

/* The bytes that so many more in each segment will take at most. */
uint64_t table_bytes_for(const struct table *table, const uint32_t *more);
/* Makes room for them, where that is necessary; table_tidy must follow, whatever becomes of it. */
bool table_reserve(struct table *table, const uint32_t *more);
/* Moves the slots of a segment to where room was made for more, unless they would not fit; then
 * table_insert may fail. */
void table_widen(struct table *table, uint32_t segment);
/* Long before: makes room for segments that would soon be full when each has so many more, as far
 * as there is memory, with `spare` bytes left; whether for any. Then table_sweep prepares what
 * table_widen would do, while others look slots up. table_tidy must follow before anything is
 * added. */
bool table_foresee(struct table *table, uint32_t more, uint64_t spare);
void table_sweep(struct table *table, uint32_t segment);
/* By one thread, at the end. */
void table_tidy(struct table *table);

/* ---- looking up, here because it is where the time goes ---- */

static inline struct table_segment *table_segment_of(const struct table *table, uint64_t hash)
{
    return &table->segments[(uint32_t)hash & table->mask];
}

static inline uint32_t table_home(const struct table_segment *segment, uint64_t hash,
                                  unsigned low_bits)
{
    return (uint32_t)((hash >> low_bits) * segment->homes >> (64 - low_bits));
}

/* The first slot from the home on that is free or larger than `bound`. How far that is nobody can
 * foretell, and a processor that tries loses more time than looking at some slots takes: so the
 * first ones are looked at without a branch. Behind a free slot there are larger ones only. */
static inline uint32_t table_first(const struct table_segment *segment, uint64_t hash,
                                   uint64_t bound, unsigned low_bits)
{
    /* a free slot, less 1, is the largest */
    uint32_t i = table_home(segment, hash, low_bits);
    const uint64_t *slots = &segment->slots[i];
    const uint32_t smaller = (slots[0] - 1 < bound) + (slots[1] - 1 < bound)
                             + (slots[2] - 1 < bound) + (slots[3] - 1 < bound);
    i += smaller;
    if (smaller == TABLE_WINDOW)
        while (segment->slots[i] - 1 < bound) i++;
    return i;
}

static inline const uint64_t *table_place(const struct table *table, uint64_t hash)
{
    const struct table_segment *segment = table_segment_of(table, hash);
    return &segment->slots[table->low_bits == 32 ? table_home(segment, hash, 32)
                                                 : table_home(segment, hash, 40)];
}

/* Brings the first slots that a lookup will need closer; or all, which may be in two lines of the
 * cache. */
static inline void table_prefetch(const struct table *table, uint64_t hash)
{
    __builtin_prefetch(table_place(table, hash));
    __asm__ volatile(""); /* a loop that only prefetches would be removed as one without effect */
}
static inline void table_prefetch_all(const struct table *table, uint64_t hash)
{
    __builtin_prefetch(table_place(table, hash) + TABLE_WINDOW);
    table_prefetch(table, hash);
}

/* Whether the invariants of slots and counts hold; for tests. */
bool table_check(const struct table *table);

#endif
