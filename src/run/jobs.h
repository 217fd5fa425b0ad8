/* Jobs in processes of their own, some at the same time: one that runs out of memory or crashes
 * takes nothing with it. What a job prints on standard output reaches the parent as text, and what
 * it prints on standard error too, if that is wanted. */
#ifndef CAIRN_RUN_JOBS_H
#define CAIRN_RUN_JOBS_H

#include "base/mem.h"
#include "base/text.h"

#include <stdatomic.h>

struct jobs {
    struct mem *mem;
    uint32_t at_once;
    /* The next job; false: there is none until another one is done. */
    bool (*next)(void *context, uint32_t *job);
    /* In its own process: does the job, returns the exit status. */
    int (*run)(void *context, uint32_t job);
    bool takes_errors; /* standard error is text, too */
    /* Status: that of the process, or less than 0 when a signal ended it. */
    void (*done)(void *context, uint32_t job, const struct text *output, const struct text *errors,
                 int status);
    /* Called from time to time. May be NULL. */
    void (*look)(void *context, uint32_t running);
    void *context;
    atomic_int *interrupted; /* then no job is started, and those that run are told */
};

/* Until there is no job left. False: no process could be made, or memory ran out. */
bool jobs_run(const struct jobs *jobs);

#endif
