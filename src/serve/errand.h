/* An errand: one thing that is done in a process of its own, so that a model that is hard to read,
 * a limit or a crash ends nothing else, and so that it can be watched and stopped. It writes an
 * answer, one JSON value, and lines, one JSON object each: diagnostics, progress. */
#ifndef CAIRN_SERVE_ERRAND_H
#define CAIRN_SERVE_ERRAND_H

#include "base/text.h"

#include <poll.h>
#include <stdio.h>
#include <sys/types.h>

enum { ERRAND_ANSWER, ERRAND_LINES, ERRAND_STREAMS };

/* What it has in its process. */
struct errand_tools {
    FILE *answer, *lines;
    int folder; /* a descriptor; also its working folder */
    void *context;
};

struct errand_plan {
    struct mem *mem; /* for what it says */
    int folder;
    /* In its process: does it, and returns the exit status; 0: the answer is whole. */
    int (*run)(const struct errand_tools *tools);
    void *context;
    double seconds; /* it may take so long; 0: as long as it likes */
};

struct errand {
    pid_t process;                    /* 0: it has ended */
    int pipes[ERRAND_STREAMS];        /* -1: closed */
    struct text said[ERRAND_STREAMS]; /* lines: the last ones, if there are very many */
    size_t forgotten;                 /* bytes of lines before these */
    double ends;                      /* it is killed then; 0: never */
    bool is_stopped;                  /* somebody asked for it */
    const char *killed;               /* why, in words; or NULL */
    int status;                       /* of a process that has ended; less than 0: by this signal */
};

/* False: there can be no process. */
bool errand_start(struct errand *errand, const struct errand_plan *plan);
/* What is to be waited for; then what came. False: it has ended. */
void errand_wait(const struct errand *errand, struct pollfd polls[ERRAND_STREAMS]);
bool errand_listen(struct errand *errand, const struct pollfd polls[ERRAND_STREAMS]);
/* Asks for an end, with what is known by then; after a while it is killed. */
void errand_stop(struct errand *errand);
/* Ends it and all that it has started. */
void errand_kill(struct errand *errand);
/* Forgets what it said. It has ended. */
void errand_free(struct errand *errand);

/* {"status", "killed", "stopped", "next", "lines", "answer"}: of the lines those behind this byte,
 * which `next` of an answer before was. The answer is null until it is there, whole. */
void errand_tell(const struct errand *errand, uint64_t from, struct text *text);

#endif
