/* Sets of small numbers: a bit for each, in words of 64. Whoever has one allocates it, as zeros. */
#ifndef CAIRN_BASE_BITSET_H
#define CAIRN_BASE_BITSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes of a set of numbers below `limit`, at least one word. */
static inline size_t bitset_bytes(uint32_t limit)
{
    return ((size_t)limit / 64 + 1) * sizeof(uint64_t);
}

static inline bool bitset_has(const uint64_t *set, uint32_t i) { return set[i / 64] >> i % 64 & 1; }
static inline void bitset_add(uint64_t *set, uint32_t i) { set[i / 64] |= UINT64_C(1) << i % 64; }

#endif
