#include "solver/table.h"

#include <assert.h>
#include <string.h>

/* Invariants: (1) in a segment, occupied slots never decrease; (2) every slot stands at or after
 * its home, with no free slot in between; (3) used counts the occupied slots; (4) some slots behind
 * the last one stay free. */

/* One home in so many is free at least: usually; when room is made for many slots at once. */
enum { USUAL_FREE = 8, LEAST_FREE = 16 };

static bool make_segment(const struct table *table, struct table_segment *segment, uint32_t homes,
                         uint32_t room)
{
    size_t bytes = ((size_t)homes + room + TABLE_WINDOW)
                   * sizeof *segment->slots; /* behind the end, some that stay free */
    segment->slots = mem_try_alloc(table->mem, bytes);
    if (!segment->slots) return false;
    segment->homes = homes;
    segment->size = homes + room;
    segment->used = 0;
    segment->is_swept = false;
    assert(homes && segment->size > homes); /* (4) */
    return true;
}

bool table_init(struct table *table, struct mem *mem, uint32_t low_bits)
{
    *table = (struct table){.mem = mem, .low_bits = low_bits};
    table->segments = &table->one;
    return make_segment(table, &table->one, TABLE_SMALL_SLOTS, TABLE_SMALL_SLOTS / 2);
}

bool table_make(struct table *table, struct mem *mem, uint32_t segments, uint32_t low_bits)
{
    assert(segments > 1 && !(segments & (segments - 1)));
    *table = (struct table){.mem = mem, .low_bits = low_bits, .mask = segments - 1};
    table->segments = mem_try_alloc(mem, segments * sizeof *table->segments);
    for (uint32_t i = 0; table->segments && i < segments; i++) {
        const uint32_t homes =
            TABLE_FIRST_SLOTS + TABLE_FIRST_SLOTS * (i % TABLE_SEGMENTS) / (2 * TABLE_SEGMENTS);
        if (make_segment(table, &table->segments[i], homes, TABLE_FIRST_SLOTS / 2)) continue;
        table_release(table);
    }
    return table->segments;
}

void table_release(struct table *table)
{
    for (uint32_t i = 0; table->segments && i <= table->mask; i++)
        mem_free(table->mem, table->segments[i].slots);
    if (table->mask) mem_free(table->mem, table->segments);
    assert(!table->grown);
    table->segments = NULL;
}

void table_clear(struct table *table)
{
    assert(table_is_small(table) && table->segments == &table->one);
    memset(table->one.slots, 0, (size_t)table->one.size * sizeof *table->one.slots);
    table->one.used = 0;
}

/* Moves all slots of a segment to a new array: in order, so each goes to its home or right behind
 * the one before. Returns false when the room behind the last home does not suffice. */
static bool sweep(const struct table *table, const struct table_segment *from,
                  struct table_segment *to)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < from->size; i++) {
        if (!from->slots[i]) continue;
        uint32_t home = table_home(to, from->slots[i], table->low_bits);
        if (home > next) next = home;
        if (next >= to->size) return false;
        to->slots[next++] = from->slots[i];
        to->used++;
    }
    return true;
}

/* To so many homes, with so much room behind the last one, or more. */
static bool move(struct table *table, struct table_segment *segment, uint64_t homes, uint64_t room)
{
    for (;; room *= 2) {
        struct table_segment grown;
        if (homes + room > UINT32_MAX
            || !make_segment(table, &grown, (uint32_t)homes, (uint32_t)room))
            return false;
        if (sweep(table, segment, &grown)) {
            assert(grown.used == segment->used); /* (3) */
            mem_free(table->mem, segment->slots);
            *segment = grown;
            return true;
        }
        mem_free(table->mem, grown.slots);
    }
}

static bool grow(struct table *table, struct table_segment *segment)
{
    uint64_t homes = segment->homes, room = segment->size - segment->homes;
    if (segment->used * UINT64_C(2) > homes) homes += homes / 2 + 1;
    else room *= 2; /* few slots but all on one heap: colliding hashes */
    return move(table, segment, homes, room);
}

/* What follows moves one slot up, or back again. */
bool table_insert(struct table_segment *segment, uint32_t at, uint64_t slot)
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

bool table_put(struct table *table, uint64_t hash, uint64_t bound, uint64_t slot)
{
    struct table_segment *segment = table_segment_of(table, hash);
    bool is_full = table_is_full(segment);
    for (;;) {
        const uint32_t at = table_first(segment, hash, bound, table->low_bits);
        if (!is_full && table_insert(segment, at, slot)) return true;
        if (!grow(table, segment)) return false;
        is_full = false;
    }
}

/* What follows moves one slot down, up to one that is at home. */
void table_remove(const struct table *table, struct table_segment *segment, uint32_t at)
{
    uint32_t i = at + 1;
    assert(at < segment->size && segment->slots[at]);
    for (; segment->slots[i] && table_home(segment, segment->slots[i], table->low_bits) < i; i++)
        segment->slots[i - 1] = segment->slots[i];
    segment->slots[i - 1] = 0;
    segment->used--;
}

/* Slots that stay move to their homes or right behind the one before: never up. */
void table_filter(struct table *table, bool (*stays)(const void *context, uint64_t slot),
                  const void *context)
{
    for (uint32_t s = 0; s <= table->mask; s++) {
        struct table_segment *segment = &table->segments[s];
        uint32_t next = 0;
        segment->used = 0;
        for (uint32_t i = 0; i < segment->size; i++) {
            const uint64_t slot = segment->slots[i];
            segment->slots[i] = 0;
            if (!slot || !stays(context, slot)) continue;
            const uint32_t home = table_home(segment, slot, table->low_bits);
            if (home > next) next = home;
            assert(next <= i); /* (2) */
            segment->slots[next++] = slot;
            segment->used++;
        }
    }
}

/* ---- many at once ---- */

/* The homes of a segment after so many more slots, as if they came one by one. It may be fuller
 * than usual for some time, but not by much. */
static uint64_t homes_for(const struct table_segment *segment, uint32_t more, unsigned least_free)
{
    uint64_t homes = segment->homes;
    const uint64_t used = segment->used + (uint64_t)more - 1;
    if (!more || used < homes - homes / least_free) return homes;
    while (used >= homes - homes / USUAL_FREE) homes += homes / 2 + 1;
    return homes;
}

static uint64_t bytes_of(const struct table_segment *segment, uint64_t homes)
{
    return (homes + segment->size - segment->homes + 2 * TABLE_WINDOW) * sizeof(uint64_t)
           + 2 * sizeof *segment;
}

uint64_t table_bytes_for(const struct table *table, const uint32_t *more)
{
    uint64_t bytes = 0;
    for (uint32_t s = 0; s <= table->mask; s++) {
        const struct table_segment *segment = &table->segments[s];
        const uint64_t homes = homes_for(segment, more[s], LEAST_FREE);
        if (homes != segment->homes) bytes += bytes_of(segment, homes);
    }
    return bytes;
}

/* Where the slots of a segment go when it has so many homes. */
static bool reserve(struct table *table, uint32_t number, uint64_t homes)
{
    const struct table_segment *segment = &table->segments[number];
    const uint64_t room = segment->size - segment->homes;
    if (homes == segment->homes) return true;
    if (!table->grown)
        table->grown =
            mem_try_alloc(table->mem, (table->mask + UINT64_C(1)) * sizeof *table->grown);
    return table->grown && homes + room <= UINT32_MAX
           && make_segment(table, &table->grown[number], (uint32_t)homes, (uint32_t)room);
}

bool table_reserve(struct table *table, const uint32_t *more)
{
    bool good = true;
    assert(table->mask && !table->grown);
    for (uint32_t s = 0; good && s <= table->mask; s++)
        good = reserve(table, s, homes_for(&table->segments[s], more[s], LEAST_FREE));
    return good;
}

bool table_foresee(struct table *table, uint32_t more, uint64_t spare)
{
    assert(!table->grown);
    for (uint32_t s = 0; table->mask && s <= table->mask; s++) {
        const struct table_segment *segment = &table->segments[s];
        const uint64_t homes = homes_for(segment, more + 1, USUAL_FREE);
        if (!mem_has(table->mem, bytes_of(segment, homes) + spare) || !reserve(table, s, homes))
            break;
    }
    return table->grown;
}

void table_sweep(struct table *table, uint32_t number)
{
    struct table_segment *grown = table->grown ? &table->grown[number] : NULL;
    if (!grown || !grown->slots || grown->is_swept) return;
    grown->is_swept = sweep(table, &table->segments[number], grown);
    assert(!grown->is_swept || grown->used == table->segments[number].used); /* (3) */
}

/* A segment and what it was exchanged with are both whole; the other one is freed in the end. */
static void exchange(struct table *table, uint32_t number)
{
    const struct table_segment old = table->segments[number];
    if (!table->grown[number].is_swept) return;
    table->segments[number] = table->grown[number];
    table->segments[number].is_swept = false;
    table->grown[number] = old;
}

void table_widen(struct table *table, uint32_t number)
{
    table_sweep(table, number);
    if (table->grown) exchange(table, number);
}

void table_tidy(struct table *table)
{
    for (uint32_t s = 0; table->grown && s <= table->mask; s++) {
        exchange(table, s);
        mem_free(table->mem, table->grown[s].slots);
    }
    mem_free(table->mem, table->grown);
    table->grown = NULL;
}

static bool check_segment(const struct table *table, const struct table_segment *segment)
{
    uint64_t last = 0;
    uint32_t run_start = 0, used = 0;
    for (uint32_t i = 0; i < segment->size; i++) {
        const uint64_t slot = segment->slots[i];
        if (!slot) {
            run_start = i + 1;
            continue;
        }
        const uint32_t home = table_home(segment, slot, table->low_bits);
        if (slot >> table->low_bits < last >> table->low_bits || home > i || home < run_start)
            return false; /* (1), (2) */
        last = slot;
        used++;
    }
    return used == segment->used; /* (3) */
}

bool table_check(const struct table *table)
{
    bool good = !table->grown;
    for (uint32_t s = 0; good && s <= table->mask; s++)
        good = check_segment(table, &table->segments[s]);
    return good;
}
