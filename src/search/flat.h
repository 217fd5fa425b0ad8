/* A set of packed states: records in a store (solver/store.h), told apart by their key. */
#ifndef CAIRN_SEARCH_FLAT_H
#define CAIRN_SEARCH_FLAT_H

#include "search/set.h"
#include "solver/store.h"

struct flat {
    struct set set; /* first: it is known by it */
    struct store store;
};

extern const struct set_kind flat_kind;

static inline struct store *flat_store(const struct set *set)
{
    return &((struct flat *)set)->store;
}

#endif
