/* Reproducible random numbers (splitmix64). */
#ifndef CAIRN_BASE_RANDOM_H
#define CAIRN_BASE_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
    uint64_t z = random->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* 0 .. bound - 1, uniformly; bound > 0. */
static inline uint64_t random_below(struct random *random, uint64_t bound)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % bound, number;
    do number = random_next(random);
    while (number >= limit);
    return number % bound;
}

#endif
