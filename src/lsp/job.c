#include "lsp/job.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void work(void (*run)(const void *context), const void *context, int to,
                           pid_t parent)
{
    int nothing = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || dup2(to, STDOUT_FILENO) < 0 || dup2(nothing, STDIN_FILENO) < 0)
        _exit(EXIT_FAILURE);
    run(context);
    _exit(fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS);
}

bool lsp_job_start(struct lsp_job *job, struct mem *mem, void (*run)(const void *context),
                   const void *context)
{
    int ends[2];
    pid_t parent = getpid();
    assert(!job->process);
    if (pipe2(ends, O_CLOEXEC)) return false;
    fflush(stdout);
    pid_t child = fork();
    if (!child) work(run, context, ends[1], parent);
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return false;
    }
    setpgid(child, child); /* whoever is first */
    *job = (struct lsp_job){.mem = mem, .process = child, .pipe = ends[0]};
    return true;
}

static int end_of(struct lsp_job *job)
{
    int status = 0;
    while (waitpid(job->process, &status, 0) < 0 && errno == EINTR) continue;
    close(job->pipe);
    job->process = 0;
    return status;
}

bool lsp_job_listen(struct lsp_job *job, bool *good)
{
    enum { PIECE = 1 << 16 };
    if (job->cap - job->length < PIECE) {
        job->cap = 2 * job->cap + PIECE;
        job->data = mem_resize(job->mem, job->data, job->cap);
    }
    ssize_t got = read(job->pipe, job->data + job->length, PIECE - 1);
    if (got > 0) job->length += (size_t)got;
    if (got > 0 || (got < 0 && errno == EINTR)) return false;
    int status = end_of(job);
    *good = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
    job->data[job->length] = 0;
    return true;
}

void lsp_job_end(struct lsp_job *job)
{
    if (job->process) {
        kill(-job->process, SIGKILL);
        kill(job->process, SIGKILL);
        end_of(job);
    }
    if (job->data) mem_free(job->mem, job->data);
    *job = (struct lsp_job){0};
}
