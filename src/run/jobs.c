/* Each job is a forked process with a pipe as its standard output (and one as its standard error),
 * in a process group of its own: a Ctrl-C reaches the parent alone, which passes it on once,
 * because a second one would end a job without its result. Jobs never outlive the parent: the
 * system kills them when it dies. */
#include "run/jobs.h"

#include "run/deadline.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MILLISECONDS = 200, PIECE = 1 << 16 };

enum { OUTPUT, ERRORS, STREAMS };

struct worker {
    pid_t process; /* 0: none */
    uint32_t job;
    int pipes[STREAMS]; /* -1: closed */
    struct text texts[STREAMS];
};

static _Noreturn void be_worker(const struct jobs *jobs, uint32_t job, const int ends[STREAMS],
                                pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || dup2(ends[OUTPUT], STDOUT_FILENO) < 0) _exit(EXIT_INTERNAL);
    if (ends[ERRORS] >= 0 && dup2(ends[ERRORS], STDERR_FILENO) < 0) _exit(EXIT_INTERNAL);
    for (unsigned i = 0; i < STREAMS; i++)
        if (ends[i] >= 0) close(ends[i]);
    deadline_begin_again();
    int status = jobs->run(jobs->context, job);
    if (fflush(stdout)) status = EXIT_INTERNAL;
    _exit(status);
}

static void close_all(int ends[STREAMS])
{
    for (unsigned i = 0; i < STREAMS; i++) {
        if (ends[i] >= 0) close(ends[i]);
        ends[i] = -1;
    }
}

static bool start(const struct jobs *jobs, struct worker *worker, uint32_t job)
{
    int from[STREAMS] = {-1, -1}, to[STREAMS] = {-1, -1}, ends[2];
    pid_t parent = getpid(), child = -1;
    bool good = true;
    fflush(stdout);
    fflush(stderr);
    for (unsigned i = 0; good && i < (jobs->takes_errors ? STREAMS : ERRORS); i++) {
        good = !pipe2(ends, O_CLOEXEC);
        if (good) from[i] = ends[0], to[i] = ends[1];
    }
    if (good) child = fork();
    if (!child) {
        close_all(from);
        be_worker(jobs, job, to, parent);
    }
    close_all(to);
    if (child < 0) {
        close_all(from);
        return false;
    }
    *worker = (struct worker){.process = child, .pipes = {from[OUTPUT], from[ERRORS]}, .job = job};
    for (unsigned i = 0; i < STREAMS; i++) text_init(&worker->texts[i], jobs->mem);
    return true;
}

static void listen_to(struct worker *worker, unsigned stream, char *piece)
{
    ssize_t got = read(worker->pipes[stream], piece, PIECE);
    if (got < 0 && errno == EINTR) return;
    if (got > 0) text_add(&worker->texts[stream], "%.*s", (int)got, piece);
    if (got > 0) return;
    close(worker->pipes[stream]);
    worker->pipes[stream] = -1;
}

static bool has_ended(const struct worker *worker)
{
    return worker->pipes[OUTPUT] < 0 && worker->pipes[ERRORS] < 0;
}

static void end(const struct jobs *jobs, struct worker *worker)
{
    int status = 0;
    assert(worker->process > 0 && has_ended(worker));
    while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR) continue;
    worker->process = 0;
    jobs->done(jobs->context, worker->job, &worker->texts[OUTPUT], &worker->texts[ERRORS],
               WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    for (unsigned i = 0; i < STREAMS; i++) text_free(&worker->texts[i]);
}

static void stop_all(const struct jobs *jobs, struct worker *list)
{
    for (uint32_t i = 0; i < jobs->at_once; i++)
        if (list[i].process) kill(list[i].process, SIGINT);
}

/* Fills free places. False: a process could not be made. */
static bool start_some(const struct jobs *jobs, struct worker *list, uint32_t *running)
{
    uint32_t job;
    for (uint32_t i = 0; i < jobs->at_once && !*jobs->interrupted; i++) {
        if (list[i].process) continue;
        if (!jobs->next(jobs->context, &job)) return true;
        if (!start(jobs, &list[i], job)) return false;
        ++*running;
    }
    return true;
}

/* Ends all without a result. */
static void kill_all(const struct jobs *jobs, struct worker *list)
{
    for (uint32_t i = 0; i < jobs->at_once; i++) {
        if (!list[i].process) continue;
        kill(list[i].process, SIGKILL);
        while (waitpid(list[i].process, NULL, 0) < 0 && errno == EINTR) continue;
        close_all(list[i].pipes);
    }
}

bool jobs_run(const struct jobs *jobs)
{
    struct mem *const mem = jobs->mem;
    jmp_buf refused, *const outer = mem->recover;
    struct worker *const list = mem_alloc(jobs->mem, jobs->at_once * sizeof *list);
    struct pollfd *const polls =
        mem_alloc(jobs->mem, (size_t)STREAMS * jobs->at_once * sizeof *polls);
    char *const piece = mem_alloc(jobs->mem, PIECE);
    bool good = true, told = false;
    assert(jobs->at_once > 0);
    if (setjmp(refused)) { /* nobody is left behind */
        mem->recover = outer;
        kill_all(jobs, list);
        mem_refuse(mem);
    }
    mem->recover = &refused;
    for (uint32_t running = 0;;) {
        good = start_some(jobs, list, &running) && good;
        if (!running) break;
        if (*jobs->interrupted && !told) stop_all(jobs, list);
        told |= *jobs->interrupted != 0;
        for (uint32_t i = 0; i < STREAMS * jobs->at_once; i++)
            polls[i] = (struct pollfd){
                list[i / STREAMS].process ? list[i / STREAMS].pipes[i % STREAMS] : -1, POLLIN, 0};
        if (poll(polls, STREAMS * jobs->at_once, LOOK_MILLISECONDS) < 0) {
            good &= errno == EINTR;
            continue;
        }
        for (uint32_t i = 0; i < STREAMS * jobs->at_once; i++)
            if (polls[i].revents) listen_to(&list[i / STREAMS], i % STREAMS, piece);
        for (uint32_t i = 0; i < jobs->at_once; i++) {
            if (!list[i].process || !has_ended(&list[i])) continue;
            end(jobs, &list[i]);
            running--;
        }
        if (jobs->look) jobs->look(jobs->context, running);
    }
    mem->recover = outer;
    mem_free(jobs->mem, list);
    mem_free(jobs->mem, polls);
    mem_free(jobs->mem, piece);
    return good;
}
