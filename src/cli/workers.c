/* Each job is a forked process with a pipe as its standard output, in a process group of its own: a Ctrl-C reaches the parent alone, which passes it on once, because a second one would end a
 * job without its result. Jobs never outlive the parent: the system kills them when it dies. */
#include "cli/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MILLISECONDS = 200, PIECE = 1 << 16 };

struct worker {
    pid_t process; /* 0: none */
    int pipe;
    uint32_t job;
    struct text output;
};

static _Noreturn void be_worker(const struct workers *workers, uint32_t job, int output, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || dup2(output, STDOUT_FILENO) < 0) _exit(4);
    close(output);
    int status = workers->run(workers->context, job);
    if (fflush(stdout)) status = 4;
    _exit(status);
}

static bool start(const struct workers *workers, struct worker *worker, uint32_t job)
{
    int ends[2];
    pid_t parent = getpid();
    fflush(stdout);
    fflush(stderr);
    if (pipe2(ends, O_CLOEXEC)) return false;
    pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    if (!child) {
        close(ends[0]);
        be_worker(workers, job, ends[1], parent);
    }
    close(ends[1]);
    *worker = (struct worker){.process = child, .pipe = ends[0], .job = job};
    text_init(&worker->output, workers->mem);
    return true;
}

/* False: it has ended. */
static bool listen_to(struct worker *worker, char *piece)
{
    ssize_t got = read(worker->pipe, piece, PIECE);
    if (got < 0 && errno == EINTR) return true;
    if (got > 0) text_add(&worker->output, "%.*s", (int)got, piece);
    return got > 0;
}

static void end(const struct workers *workers, struct worker *worker)
{
    int status = 0;
    while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR) continue;
    close(worker->pipe);
    worker->process = 0;
    workers->done(workers->context, worker->job, &worker->output, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    text_free(&worker->output);
}

static void stop_all(const struct workers *workers, struct worker *list)
{
    for (uint32_t i = 0; i < workers->at_once; i++)
        if (list[i].process) kill(list[i].process, SIGINT);
}

/* Fills free places. False: a process could not be made. */
static bool start_some(const struct workers *workers, struct worker *list, uint32_t *running)
{
    uint32_t job;
    for (uint32_t i = 0; i < workers->at_once && !*workers->interrupted; i++) {
        if (list[i].process) continue;
        if (!workers->next(workers->context, &job)) return true;
        if (!start(workers, &list[i], job)) return false;
        ++*running;
    }
    return true;
}

bool workers_run(const struct workers *workers)
{
    struct worker *list = mem_alloc(workers->mem, workers->at_once * sizeof *list);
    struct pollfd *polls = mem_alloc(workers->mem, workers->at_once * sizeof *polls);
    char *piece = mem_alloc(workers->mem, PIECE);
    bool good = true, told = false;
    for (uint32_t running = 0;;) {
        good = start_some(workers, list, &running) && good;
        if (!running) break;
        if (*workers->interrupted && !told) stop_all(workers, list);
        told |= *workers->interrupted != 0;
        for (uint32_t i = 0; i < workers->at_once; i++) polls[i] = (struct pollfd){list[i].process ? list[i].pipe : -1, POLLIN, 0};
        if (poll(polls, workers->at_once, LOOK_MILLISECONDS) < 0 && errno != EINTR) good = false;
        for (uint32_t i = 0; i < workers->at_once; i++) {
            if (!list[i].process || !polls[i].revents || listen_to(&list[i], piece)) continue;
            end(workers, &list[i]);
            running--;
        }
        if (workers->look) workers->look(workers->context, running);
    }
    mem_free(workers->mem, list);
    mem_free(workers->mem, polls);
    mem_free(workers->mem, piece);
    return good;
}
