#include "base/map.h"

void map_init(struct map *map, struct mem *mem) { *map = (struct map){.mem = mem}; }

static uint32_t slot_of(const struct map *map, const char *name, uint32_t scope)
{
    uint64_t h = ((uintptr_t)name ^ (uint64_t)scope << 40) * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = (uint32_t)(h >> 32) & (map->size - 1);
    while (map->entries[at].name
           && (map->entries[at].name != name || map->entries[at].scope != scope))
        at = (at + 1) & (map->size - 1);
    return at;
}

uint32_t map_get(const struct map *map, const char *name, uint32_t scope)
{
    if (!map->size) return MAP_NONE;
    const struct map_entry *entry = &map->entries[slot_of(map, name, scope)];
    return entry->name ? entry->value : MAP_NONE;
}

static void grow(struct map *map)
{
    struct map old = *map;
    map->size = old.size ? 2 * old.size : 64;
    map->entries = mem_alloc(map->mem, map->size * sizeof *map->entries);
    for (uint32_t i = 0; i < old.size; i++)
        if (old.entries[i].name)
            map->entries[slot_of(map, old.entries[i].name, old.entries[i].scope)] = old.entries[i];
    mem_free(map->mem, old.entries);
}

bool map_add(struct map *map, const char *name, uint32_t scope, uint32_t value)
{
    if (2 * map->count >= map->size) grow(map);
    struct map_entry *entry = &map->entries[slot_of(map, name, scope)];
    if (entry->name) return false;
    *entry = (struct map_entry){name, scope, value};
    map->count++;
    return true;
}
