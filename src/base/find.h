/* Finding in arrays that ascend. */
#ifndef CAIRN_BASE_FIND_H
#define CAIRN_BASE_FIND_H

#include <stdint.h>

/* The first of the places low .. high - 1 whose number is at least `wanted`; `high` when there is
 * none. The numbers between ascend. */
static inline uint32_t find_first(const uint32_t *numbers, uint32_t low, uint32_t high,
                                  uint32_t wanted)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (numbers[middle] < wanted) low = middle + 1;
        else high = middle;
    }
    return low;
}

#endif
