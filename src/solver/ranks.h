/* Things that wait, each with a rank of its own: found by rank, and the one with the smallest rank
 * is taken first. A heap, and a hash table of the same entries, at most half full. */
#ifndef CAIRN_SOLVER_RANKS_H
#define CAIRN_SOLVER_RANKS_H

#include "base/mem.h"

struct ranks_entry {
    uint64_t rank;
    void *item; /* NULL: a free slot */
};

struct ranks {
    struct mem *mem;
    struct ranks_entry *heap, *table;
    uint32_t count, room, table_size;
};

void ranks_init(struct ranks *ranks, struct mem *mem);
/* Not the things themselves. */
void ranks_release(struct ranks *ranks);
/* The thing with this rank, or NULL. */
void *ranks_find(const struct ranks *ranks, uint64_t rank);
/* Brings what ranks_find will need closer. */
void ranks_prefetch(const struct ranks *ranks, uint64_t rank);
/* Room for one more; false: memory was refused, and nothing has changed. */
bool ranks_reserve(struct ranks *ranks);
/* After ranks_reserve: adds one. No other has this rank. */
void ranks_put(struct ranks *ranks, uint64_t rank, void *item);
/* Takes the one with the smallest rank; there is one. */
void *ranks_take(struct ranks *ranks);
/* Whether the invariants hold; for tests. */
bool ranks_check(const struct ranks *ranks);

#endif
