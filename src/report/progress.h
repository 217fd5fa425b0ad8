/* How far a search is, for machines: a JSON object per line. */
#ifndef CAIRN_REPORT_PROGRESS_H
#define CAIRN_REPORT_PROGRESS_H

#include "report/forecast.h"
#include "run/advice.h"
#include "run/door.h"

#include <stdio.h>

/* Where the lines go, and what the last one said. */
struct progress {
    FILE *out;
    uint64_t memory_limit;           /* 0: none */
    const struct forecast *forecast; /* or NULL */
    const char *warning;             /* once, when a limit will end the search, with ... */
    const struct advice *advice;     /* ... what to try; or NULL */
    uint32_t advice_count;
    double last_seconds;
    uint64_t last_states;
};

void progress_search(struct progress *progress, const struct search_progress *search);
void progress_jobs(struct progress *progress, const struct door_jobs *jobs);

#endif
