#include "solver/wordset.h"

#include "base/checked.h"

#include <assert.h>

/* Invariants, beside those of the table: (1) slots increase within a segment; (2) a slot is in the
 * segment that its low bits say; (3) `count` slots are occupied. */

bool wordset_init(struct wordset *words, struct mem *mem)
{
    words->count = 0;
    return table_init(&words->table, mem, WORDSET_LOW_BITS);
}

void wordset_release(struct wordset *words)
{
    table_release(&words->table);
    words->count = 0;
}

static bool put(struct table *table, uint64_t mixed)
{
    assert(mixed);
    return table_put(table, mixed, mixed - 1, mixed);
}

/* From one segment to several. */
static bool spread(struct wordset *words)
{
    struct table wider, *table = &words->table;
    if (!table_make(&wider, table->mem, TABLE_SEGMENTS, WORDSET_LOW_BITS)) return false;
    bool good = true;
    for (uint32_t i = 0; good && i < table->one.size; i++)
        good = !table->one.slots[i] || put(&wider, table->one.slots[i]);
    table_release(good ? table : &wider);
    if (good) *table = wider;
    return good;
}

/* One that is not there, which belongs at `at`, if there is room. Apart from wordset_add, which
 * mostly finds what it looks for. */
static __attribute__((noinline)) enum wordset_result
add_new(struct wordset *words, struct table_segment *segment, uint32_t at, uint64_t mixed)
{
    struct table *table = &words->table;
    if (table_is_full(segment) || !table_insert(segment, at, mixed)) {
        const bool many = table_is_small(table)
                          && table->one.used * UINT64_C(2) > TABLE_SEGMENTS * TABLE_FIRST_SLOTS;
        if (many && !spread(words)) return WORDSET_REFUSED;
        if (!put(table, mixed)) return WORDSET_REFUSED;
    }
    words->count++;
    return WORDSET_NEW;
}

enum wordset_result wordset_add(struct wordset *words, uint64_t mixed)
{
    struct table_segment *segment = table_segment_of(&words->table, mixed);
    const uint32_t at = table_first(segment, mixed, mixed - 1, WORDSET_LOW_BITS);
    return segment->slots[at] == mixed ? WORDSET_KNOWN : add_new(words, segment, at, mixed);
}

bool wordset_reserve(struct wordset *words, const uint32_t *in_part, uint64_t spare)
{
    return mem_has(words->table.mem, table_bytes_for(&words->table, in_part) + spare)
           && table_reserve(&words->table, in_part);
}

void wordset_count(struct wordset *words)
{
    words->count = 0;
    for (uint32_t s = 0; s <= words->table.mask; s++) words->count += words->table.segments[s].used;
}

void wordset_remove(struct wordset *words, uint64_t mixed)
{
    struct table_segment *segment = table_segment_of(&words->table, mixed);
    const uint32_t at = table_first(segment, mixed, mixed - 1, WORDSET_LOW_BITS);
    if (segment->slots[at] != mixed) return;
    table_remove(&words->table, segment, at);
    words->count--;
}

bool wordset_check(const struct wordset *words)
{
    uint64_t used = 0;
    for (uint32_t s = 0; s <= words->table.mask; s++) {
        const struct table_segment *segment = &words->table.segments[s];
        uint64_t last = 0;
        used += segment->used;
        for (uint32_t i = 0; i < segment->size; i++) {
            const uint64_t slot = segment->slots[i];
            if (!slot) continue;
            if (slot <= last || table_segment_of(&words->table, slot) != segment)
                return false; /* (1), (2) */
            last = slot;
        }
    }
    return used == words->count && table_check(&words->table); /* (3) */
}
