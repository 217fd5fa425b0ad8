/* Several engines at the same time, each in a process of its own: `--engine auto --threads N` with
 * N of two or more. The first definite answer is told, by the process that found it, and the others
 * are stopped. */
#ifndef CAIRN_RUN_RACE_H
#define CAIRN_RUN_RACE_H

#include "run/session.h"

enum race_end {
    RACE_NONE, /* no process could be started: nothing was searched */
    RACE_TOLD, /* another process has told the result: this one ends with *status */
    RACE_TELL  /* this is the process that has the answer, in task and result: it tells it and
                       ends, as if it had been alone */
};

/* Of a loaded model and a prepared task. Like fork, it may return in two processes: once with
 * RACE_TOLD, once with RACE_TELL. Memory that is refused in a process that shall tell
 * jumps to the recovery point of session->mem there. */
enum race_end race_run(struct session *session, struct task *task, bool is_check,
                       struct result *result, int *status);

#endif
