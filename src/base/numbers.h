/* An array of numbers below 2^40, such as numbers of states: 4 bytes each, or 5 when the largest of
 * them needs more than 32 bits.
 *
 * Invariant: (1) without `high` all numbers are below NUMBERS_NARROW. */
#ifndef CAIRN_BASE_NUMBERS_H
#define CAIRN_BASE_NUMBERS_H

#include "base/mem.h"

#include <assert.h>

#ifdef CAIRN_DEGENERATE /* a test build in which few numbers are small */
typedef uint32_t numbers_high;
enum { NUMBERS_LOW_BITS = 5 };
#define NUMBERS_NARROW UINT64_C(50)
#else
typedef uint8_t numbers_high;
enum { NUMBERS_LOW_BITS = 32 };
#define NUMBERS_NARROW (UINT64_C(1) << 32)
#endif
#define NUMBERS_END (UINT64_C(1) << 40) /* numbers are smaller */

struct numbers {
    uint32_t *low;
    numbers_high *high; /* or NULL */
};

/* `count` zeros, to become numbers up to `most`. False: memory was refused, or `most` is too large;
 * then nothing is left to free. */
bool numbers_init(struct numbers *numbers, struct mem *mem, uint64_t count, uint64_t most);
void numbers_free(struct numbers *numbers, struct mem *mem);

static inline uint64_t numbers_get(const struct numbers *numbers, uint64_t i)
{
    const uint64_t low = numbers->low[i];
    return !numbers->high ? low : low | (uint64_t)numbers->high[i] << NUMBERS_LOW_BITS;
}

static inline void numbers_set(struct numbers *numbers, uint64_t i, uint64_t number)
{
    assert(numbers->high ? number < NUMBERS_END : number < NUMBERS_NARROW); /* (1) */
    if (numbers->high) {
        numbers->high[i] = (numbers_high)(number >> NUMBERS_LOW_BITS);
        number &= (UINT64_C(1) << NUMBERS_LOW_BITS) - 1;
    }
    numbers->low[i] = (uint32_t)number;
}

#endif
