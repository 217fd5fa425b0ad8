/* Who asked: a run never prints, it tells its door. What comes while it works comes through here;
 * what it found is in its result. */
#ifndef CAIRN_RUN_DOOR_H
#define CAIRN_RUN_DOOR_H

#include "base/diag.h"
#include "result/result.h"

/* Jobs in processes of their own: how far they are. */
struct door_jobs {
    const char *word; /* what they are: context, guide, part; NULL: parts of a split search */
    uint32_t done, count, running;
    double seconds;
};

struct door {
    diag_listener *listener; /* of diagnostics, as they come; NULL: they are kept only */
    void *listener_context;
    diag_opener *opener; /* how files are opened; NULL: as the system does */
    void *opener_context;
    bool quiet;            /* no warnings and notes */
    bool may_return_twice; /* engines may race in processes, one of which tells (run/race.h) */
    void *context;
    /* Progress of a search, and of jobs; NULL: nobody looks. */
    void (*show)(void *context, const struct search_progress *progress);
    void (*show_jobs)(void *context, const struct door_jobs *jobs);
    /* The display of progress ends, or makes room for a message. `others`: also what another
     * process has shown. May be NULL. */
    void (*clear)(void *context, bool others);
    /* What a job has written to its standard error. May be NULL. */
    void (*relay)(void *context, const char *text);
};

void door_clear(const struct door *door, bool others);

#endif
