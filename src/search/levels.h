/* How many states were known when each level of a search began. */
#ifndef CAIRN_SEARCH_LEVELS_H
#define CAIRN_SEARCH_LEVELS_H

#include "search/search.h"

struct levels {
    uint64_t *list;
    uint64_t count, room;
};

/* False: the search must end. */
bool levels_push(struct search *search, struct levels *levels, uint64_t states);

#endif
