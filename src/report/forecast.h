/* How long a search will take, learned from how it goes: from levels, or from clusters. What cannot
 * be known is not guessed: `why_not` says why there is no forecast.
 *
 * Breadth-first. Every expansion takes one state from those that wait, and finds some new ones. At
 * least the states that wait are left to expand: that end of the range is certain. Beyond the peak
 * fewer new states are found than expanded; if that goes on as it did in the last part of the
 * search, the states that wait run out: that is the other end, with some room. While as many are
 * found as expanded, there is no end in sight; and where the number of those that wait has fallen
 * and risen again, it may do so once more.
 *
 * Past-freeze. The number of ranks is known, and how many are done. What is left costs between a
 * third of the cheapest and three times the dearest of the rates since the beginning and lately. */
#ifndef CAIRN_REPORT_FORECAST_H
#define CAIRN_REPORT_FORECAST_H

#include "result/result.h"

enum { FORECAST_SAMPLES = 64 };

struct forecast_sample {
    double seconds;
    uint64_t expanded, states, rank;
};

struct forecast {
    struct forecast_sample samples[FORECAST_SAMPLES]; /* thinner where they are older */
    uint32_t count;
    uint64_t waiting;      /* states, at the sample before */
    uint32_t fewer;        /* for so many samples they have become fewer */
    uint64_t peak, trough; /* of the states that wait: since the last rise, since the last fall */
    bool falls, rose;      /* now; after a fall */
    uint64_t last_bytes;   /* for memory: at the sample before */
    double last_seconds;

    /* What is known now. */
    bool is_known;
    const char *why_not;              /* when it is not */
    double share_low, share_high;     /* done, from 0 to 1 */
    double seconds_low, seconds_high; /* of the whole search */
    uint64_t states_low, states_high; /* of the whole search; the first is known always */
    double full_in;                   /* seconds until memory is full; negative: not known */
};

void forecast_note(struct forecast *forecast, const struct search_progress *progress,
                   uint64_t memory_limit);

/* Whether memory will be full, or the time over (0: no limit), before the search ends. */
bool forecast_lacks_memory(const struct forecast *forecast, const struct search_progress *progress,
                           uint64_t memory_limit);
bool forecast_lacks_time(const struct forecast *forecast, double limit);

#endif
