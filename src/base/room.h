/* Arrays that grow and may be refused memory. */
#ifndef CAIRN_BASE_ROOM_H
#define CAIRN_BASE_ROOM_H

#include "base/mem.h"

#include <string.h>

/* `array` is the address of a pointer to items of `size` bytes. */
static inline bool room_grow(struct mem *mem, void *array, uint64_t *cap, uint64_t need,
                             size_t size)
{
    void *old;
    uint64_t grown = *cap + *cap / 2 + 16;
    if (grown < need) grown = need;
    memcpy(&old, array, sizeof old);
    if (grown > SIZE_MAX / 2 / size) return false;
    void *moved = mem_try_resize(mem, old, (size_t)grown * size);
    if (!moved && grown > need) moved = mem_try_resize(mem, old, (size_t)(grown = need) * size);
    if (!moved) return false;
    memcpy(array, &moved, sizeof moved);
    *cap = grown;
    return true;
}

/* Whether the array has room for `need` items; the array is unchanged when it has not. */
#define ROOM(mem, array, cap, need)                                                                \
    ((uint64_t)(need) <= *(cap) || room_grow((mem), &(array), (cap), (need), sizeof *(array)))

#endif
