/* Some threads that work together in rounds: everybody does the same job, the caller too, and a
 * round ends when all have ended. Between rounds only the caller runs, so that it may change
 * anything; what it has written the others see in the next round, and the other way round. */
#ifndef CAIRN_BASE_CREW_H
#define CAIRN_BASE_CREW_H

#include "base/mem.h"

#include <pthread.h>
#include <stdatomic.h>

enum { CREW_MOST = 64 };

struct crew_member {
    struct crew *crew;
    uint32_t number; /* 0 is the caller */
    pthread_t thread;
};

struct crew {
    struct crew_member members[CREW_MOST];
    uint32_t count; /* with the caller */
    uint32_t spins; /* looks before going to sleep */
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    atomic_uint round; /* changes when one begins */
    atomic_uint busy;  /* members who have not ended it */
    bool leaving;
    void (*job)(void *context, uint32_t number);
    void *context;
};

/* Threads that the system refuses are left out: crew->count says how many there are. The crew must
 * not be moved. */
void crew_start(struct crew *crew, uint32_t count);
/* Between rounds: ends the threads. */
void crew_stop(struct crew *crew);
/* job(context, n) for every member n at the same time. */
void crew_round(struct crew *crew, void (*job)(void *context, uint32_t number), void *context);

#endif
