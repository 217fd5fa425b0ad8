/* Invariants: (1) heap[i] has a smaller rank than heap[2i + 1] and heap[2i + 2]; (2) heap and table
 * have the same entries; (3) the table has no free slot between an entry's home and its place, and
 * its size is a power of 2. */
#include "solver/ranks.h"

#include <assert.h>

#ifdef CAIRN_DEGENERATE
enum { FIRST_TABLE = 2 };
#else
enum { FIRST_TABLE = 64 };
#endif

void ranks_init(struct ranks *ranks, struct mem *mem) { *ranks = (struct ranks){.mem = mem}; }

void ranks_release(struct ranks *ranks)
{
    mem_free(ranks->mem, ranks->heap);
    mem_free(ranks->mem, ranks->table);
    ranks_init(ranks, ranks->mem);
}

/* ---- by rank ---- */

static uint32_t home_of(const struct ranks *ranks, uint64_t rank)
{
    return (uint32_t)(rank * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (ranks->table_size - 1);
}

void *ranks_find(const struct ranks *ranks, uint64_t rank)
{
    if (!ranks->table_size) return NULL;
    for (uint32_t i = home_of(ranks, rank); ranks->table[i].item;
         i = (i + 1) & (ranks->table_size - 1))
        if (ranks->table[i].rank == rank) return ranks->table[i].item;
    return NULL;
}

void ranks_prefetch(const struct ranks *ranks, uint64_t rank)
{
    if (ranks->table_size) __builtin_prefetch(&ranks->table[home_of(ranks, rank)]);
}

static void put_in_table(struct ranks *ranks, struct ranks_entry entry)
{
    assert(!(ranks->table_size & (ranks->table_size - 1))); /* (3) */
    uint32_t i = home_of(ranks, entry.rank);
    while (ranks->table[i].item) i = (i + 1) & (ranks->table_size - 1);
    ranks->table[i] = entry;
}

static void take_from_table(struct ranks *ranks, uint64_t rank)
{
    uint32_t mask = ranks->table_size - 1, hole = home_of(ranks, rank);
    while (ranks->table[hole].rank != rank || !ranks->table[hole].item) hole = (hole + 1) & mask;
    for (uint32_t i = (hole + 1) & mask; ranks->table[i].item; i = (i + 1) & mask) {
        uint32_t home = home_of(ranks, ranks->table[i].rank);
        if (((i - home) & mask) < ((i - hole) & mask))
            continue; /* it stands after the hole on its own way */
        ranks->table[hole] = ranks->table[i];
        hole = i;
    }
    ranks->table[hole] = (struct ranks_entry){0};
}

/* ---- in order ---- */

bool ranks_reserve(struct ranks *ranks)
{
    if (ranks->count == ranks->room) {
        uint32_t room = ranks->room + ranks->room / 2 + 16;
        struct ranks_entry *heap = mem_try_resize(ranks->mem, ranks->heap, room * sizeof *heap);
        if (!heap) return false;
        ranks->heap = heap;
        ranks->room = room;
    }
    if (2 * (ranks->count + 1) > ranks->table_size) {
        uint32_t size = ranks->table_size ? 2 * ranks->table_size : FIRST_TABLE;
        struct ranks_entry *table = mem_try_alloc(ranks->mem, size * sizeof *table);
        if (!table) return false;
        mem_free(ranks->mem, ranks->table);
        ranks->table = table;
        ranks->table_size = size;
        for (uint32_t i = 0; i < ranks->count; i++) put_in_table(ranks, ranks->heap[i]);
    }
    return true;
}

void ranks_put(struct ranks *ranks, uint64_t rank, void *item)
{
    struct ranks_entry entry = {rank, item};
    uint32_t at = ranks->count++;
    assert(item && ranks->count <= ranks->room);
    for (; at && ranks->heap[(at - 1) / 2].rank > rank; at = (at - 1) / 2)
        ranks->heap[at] = ranks->heap[(at - 1) / 2];
    ranks->heap[at] = entry;
    put_in_table(ranks, entry);
}

void *ranks_take(struct ranks *ranks)
{
    assert(ranks->count);
    struct ranks_entry first = ranks->heap[0], last = ranks->heap[--ranks->count];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= ranks->count) break;
        if (child + 1 < ranks->count && ranks->heap[child + 1].rank < ranks->heap[child].rank)
            child++;
        if (ranks->heap[child].rank >= last.rank) break;
        ranks->heap[at] = ranks->heap[child];
        at = child;
    }
    ranks->heap[at] = last;
    take_from_table(ranks, first.rank);
    return first.item;
}

bool ranks_check(const struct ranks *ranks)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < ranks->table_size; i++) used += ranks->table[i].item != NULL;
    for (uint32_t i = 0; i < ranks->count; i++) {
        if (i && ranks->heap[(i - 1) / 2].rank >= ranks->heap[i].rank) return false;
        if (ranks_find(ranks, ranks->heap[i].rank) != ranks->heap[i].item) return false;
    }
    return used == ranks->count && 2 * used <= ranks->table_size + (ranks->table_size == 0);
}
