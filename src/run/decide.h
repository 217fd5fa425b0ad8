/* A search, from the ask to a result that may be told: loads the model, plans, searches with one
 * engine, with several or in parts, says what the result claims, and verifies its evidence. */
#ifndef CAIRN_RUN_DECIDE_H
#define CAIRN_RUN_DECIDE_H

#include "reduce/process_model.h"
#include "run/session.h"

enum decide_end {
    DECIDE_RESULT, /* there is one, in task and result */
    DECIDE_NONE,   /* there is none, as was told */
    DECIDE_TOLD,   /* another process has told it (run/race.h) */
    DECIDE_WORKED  /* some parts of a search were done, in a folder that others share */
};

/* Of an initialised session, whose model is loaded unless it is there. *status is the exit status.
 * With several engines at the same time (threads and ENGINE_AUTO) it may return in two processes,
 * like fork: with DECIDE_TOLD and with DECIDE_RESULT. After DECIDE_RESULT memory is enough to tell
 * it, and no clock runs. */
enum decide_end decide_run(struct session *session, struct task *task, struct result *result,
                           int *status);

/* Which rules a reduction may take alone, for the properties named in the ask and the formulas
 * given there; without any, for deadlocks and run-time errors. `visible`: per variable. False: it
 * failed, as was told, and session->status is the exit status. */
bool decide_process_model(struct session *session, struct process_model *process_model,
                          bool **visible);

#endif
