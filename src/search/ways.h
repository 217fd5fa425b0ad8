/* By which rule each state was found, in the order of numbers: so that a run can be told by rules
 * alone. One byte a state, or two or four in models with many rules. */
#ifndef CAIRN_SEARCH_WAYS_H
#define CAIRN_SEARCH_WAYS_H

#include "base/mem.h"

struct ways {
    struct mem *mem;
    uint32_t width; /* bytes of a rule's number; 0: nothing is kept */
    uint64_t count;
    unsigned char **pages;
    uint64_t page_count, page_room;
};

void ways_init(struct ways *ways, struct mem *mem, uint32_t rules);
void ways_release(struct ways *ways);
/* Of the next state; false: memory was refused. */
bool ways_put(struct ways *ways, uint32_t rule);
/* Room for so many more. */
bool ways_reserve(struct ways *ways, uint64_t states);
uint32_t ways_of(const struct ways *ways, uint64_t state);

#endif
