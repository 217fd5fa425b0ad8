#include "base/stack.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

struct visit {
    struct mem *mem;
    void (*work)(void *context);
    void *context;
    bool refused;
};

/* A jump must not leave the thread: the refusal is told to the caller, who repeats it. */
static void *visit(void *argument)
{
    struct visit *visit = argument;
    jmp_buf recover, *outer = visit->mem->recover;
    if (!setjmp(recover)) {
        visit->mem->recover = &recover;
        visit->work(visit->context);
    } else {
        visit->refused = true;
    }
    visit->mem->recover = outer;
    return NULL;
}

static bool start(pthread_t *thread, uint64_t bytes, struct visit *job)
{
    pthread_attr_t attributes;
    sigset_t all, usual;
    if (pthread_attr_init(&attributes)) return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &usual); /* signals are for the caller */
    bool good = !pthread_attr_setstacksize(&attributes, bytes)
                && !pthread_create(thread, &attributes, visit, job);
    pthread_sigmask(SIG_SETMASK, &usual, NULL);
    pthread_attr_destroy(&attributes);
    return good;
}

/* The stack comes on top of what the process may have (mem_cap_process). */
static void raise_cap(uint64_t bytes, struct rlimit *old)
{
    struct rlimit more;
    if (getrlimit(RLIMIT_DATA, old)) old->rlim_cur = RLIM_INFINITY;
    more = *old;
    if (more.rlim_cur == RLIM_INFINITY) return;
    more.rlim_cur += bytes;
    if (more.rlim_cur > more.rlim_max) more.rlim_cur = more.rlim_max;
    setrlimit(RLIMIT_DATA, &more);
}

bool stack_run(struct mem *mem, uint64_t bytes, void (*work)(void *context), void *context)
{
    enum { PAGE = 1 << 12, ARENA = 2 << 20 }; /* a thread's first blocks come from an arena */
    struct visit job = {.mem = mem, .work = work, .context = context};
    struct rlimit old;
    pthread_t thread;
    bytes = (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    if (bytes > (uint64_t)1 << 46 || !mem_take(mem, bytes)) return false;
    const uint64_t whole = bytes + (uint64_t)STACK_PLAIN * STACK_FACTOR;
    raise_cap(whole + ARENA, &old);
    const bool started = start(&thread, whole, &job);
    if (started) pthread_join(thread, NULL);
    if (old.rlim_cur != RLIM_INFINITY) setrlimit(RLIMIT_DATA, &old);
    mem_give(mem, bytes);
    if (job.refused) mem_refuse(mem);
    return started;
}
