/* A round may be as short as some microseconds, and there may be many thousands of them: who waits
 * first looks again and again for a while, and sleeps then. With more threads than processors
 * looking would only keep those from working who are waited for. */
#include "base/crew.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { SPINS = 3000 };

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void *serve(void *argument)
{
    struct crew_member *self = argument;
    struct crew *crew = self->crew;
    for (unsigned seen = 0;;) {
        for (uint32_t i = 0;
             i < crew->spins && atomic_load_explicit(&crew->round, memory_order_acquire) == seen;
             i++)
            relax();
        if (atomic_load_explicit(&crew->round, memory_order_acquire) == seen) {
            pthread_mutex_lock(&crew->lock);
            while (atomic_load_explicit(&crew->round, memory_order_acquire) == seen)
                pthread_cond_wait(&crew->begin, &crew->lock);
            pthread_mutex_unlock(&crew->lock);
        }
        seen++;
        if (crew->leaving) return NULL;
        crew->job(crew->context, self->number);
        if (atomic_fetch_sub_explicit(&crew->busy, 1, memory_order_acq_rel) > 1) continue;
        pthread_mutex_lock(
            &crew->lock); /* so that the caller is either asleep or has not looked yet */
        pthread_cond_signal(&crew->end);
        pthread_mutex_unlock(&crew->lock);
    }
}

void crew_start(struct crew *crew, uint32_t count)
{
    sigset_t all, usual;
    memset(crew, 0, sizeof *crew);
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->begin, NULL);
    pthread_cond_init(&crew->end, NULL);
    if (count > CREW_MOST) count = CREW_MOST;
    crew->spins = sysconf(_SC_NPROCESSORS_ONLN) >= (long)count ? SPINS : 0;
    crew->count = 1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &usual); /* signals are for the caller */
    while (crew->count < count) {
        struct crew_member *member = &crew->members[crew->count];
        *member = (struct crew_member){.crew = crew, .number = crew->count};
        if (pthread_create(&member->thread, NULL, serve, member)) break;
        crew->count++;
    }
    pthread_sigmask(SIG_SETMASK, &usual, NULL);
}

static void begin_round(struct crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    atomic_fetch_add_explicit(&crew->round, 1, memory_order_release);
    pthread_cond_broadcast(&crew->begin);
    pthread_mutex_unlock(&crew->lock);
}

void crew_round(struct crew *crew, void (*job)(void *context, uint32_t number), void *context)
{
    crew->job = job;
    crew->context = context;
    atomic_store_explicit(&crew->busy, crew->count - 1, memory_order_relaxed);
    if (crew->count > 1) begin_round(crew);
    job(context, 0);
    for (uint32_t i = 0; i < crew->spins && atomic_load_explicit(&crew->busy, memory_order_acquire);
         i++)
        relax();
    if (!atomic_load_explicit(&crew->busy, memory_order_acquire)) return;
    pthread_mutex_lock(&crew->lock);
    while (atomic_load_explicit(&crew->busy, memory_order_acquire))
        pthread_cond_wait(&crew->end, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}

void crew_stop(struct crew *crew)
{
    crew->leaving = true;
    if (crew->count > 1) begin_round(crew);
    for (uint32_t i = 1; i < crew->count; i++) pthread_join(crew->members[i].thread, NULL);
    crew->count = 1;
    pthread_mutex_destroy(&crew->lock);
    pthread_cond_destroy(&crew->begin);
    pthread_cond_destroy(&crew->end);
}
