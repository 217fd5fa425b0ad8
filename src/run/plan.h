/* Which engine a run is for, in which order it searches, with which model and how many threads:
 * what the ask leaves open is settled here, before anything is searched. */
#ifndef CAIRN_RUN_PLAN_H
#define CAIRN_RUN_PLAN_H

#include "run/engines.h"
#include "run/session.h"

struct plan {
    enum engine engine; /* ENGINE_AUTO: several take turns (run/stages) or race (run/race) */
    const char *why;    /* why this one, when nobody asked for it; NULL: it was asked for */
    bool races;
    bool splits; /* run/split */
};

/* Of a loaded model and listed properties; completes the ask (its order) and the task. False after
 * a message: it cannot be done; session->status is the exit status then. */
bool plan_make(struct session *session, struct task *task, struct plan *plan);

#endif
