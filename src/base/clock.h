/* Seconds that pass, from some fixed moment on. */
#ifndef CAIRN_BASE_CLOCK_H
#define CAIRN_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline double clock_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* For loops that look at the clock after so many rounds: how many next, when these took `seconds`.
 * Rounds can be a thousand times slower than usual ones; a look should come several times a
 * second. */
static inline uint32_t clock_pace(uint32_t rounds, uint32_t most, double seconds)
{
    if (seconds > 0.05) return rounds > 1 ? rounds / 2 : 1;
    return seconds > 0.01 || rounds >= most ? rounds : rounds < most / 2 ? 2 * rounds : most;
}

#endif
