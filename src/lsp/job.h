/* Work in a process of its own: what it writes to its standard output is collected, and given to
 * whoever wants it when it has ended. A job that is not wanted any more is killed, with every
 * process that it has started. */
#ifndef CAIRN_LSP_JOB_H
#define CAIRN_LSP_JOB_H

#include "base/mem.h"

#include <sys/types.h>

struct lsp_job {
    struct mem *mem;
    pid_t process; /* 0: there is none */
    int pipe;
    char *data;
    size_t length, cap;
};

/* Starts `run`, which writes to standard output. False: no process could be made. */
bool lsp_job_start(struct lsp_job *job, struct mem *mem, void (*run)(const void *context),
                   const void *context);
/* Takes what is there. True: it has ended; *good: by itself, with what it had to say. */
bool lsp_job_listen(struct lsp_job *job, bool *good);
/* Ends it, if it is at work, and frees what it said. */
void lsp_job_end(struct lsp_job *job);

#endif
