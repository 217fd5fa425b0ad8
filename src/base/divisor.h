/* The greatest common divisor, of numbers that are not negative. */
#ifndef CAIRN_BASE_DIVISOR_H
#define CAIRN_BASE_DIVISOR_H

#include <stdint.h>

static inline int64_t divisor_greatest(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
