/* A hash map from (interned name, scope number) to an index: the symbol table of readers. */
#ifndef CAIRN_BASE_MAP_H
#define CAIRN_BASE_MAP_H

#include "base/mem.h"

struct map_entry {
    const char *name;
    uint32_t scope, value;
};

struct map {
    struct mem *mem;
    struct map_entry *entries;
    uint32_t count, size;
};

enum { MAP_NONE = 0xFFFFFFFF };

void map_init(struct map *map, struct mem *mem);
uint32_t map_get(const struct map *map, const char *name,
                 uint32_t scope); /* MAP_NONE when absent */
/* Returns false, changing nothing, when the key is there already. */
bool map_add(struct map *map, const char *name, uint32_t scope, uint32_t value);

#endif
