/* Engines one after the other, when nobody has chosen one.
 *
 * Small state spaces are faster to list than to encode, and listing gives the shortest
 * counterexamples; large ones are what decision diagrams are for, unless they explode; a SAT solver
 * finds what is not deep, however many states there are. So: the explicit engine up to a number of
 * states, the bounded one for a moment, the symbolic one for a while, the bounded one for a while,
 * then the explicit one to the end (unless memory ended it before: it would end there again).
 *
 * Where nothing needs the whole graph, and memory is not short, the explicit engine only pauses
 * meanwhile: first soon and for a moment, then once more, for a while.
 *
 * What is told (result/furthest.h): what one of them has decided stays decided; the result is that
 * of the engine which answered the last open question; when none did, that of the engine which got
 * furthest, and `why_engine` says so. */
#ifndef CAIRN_RUN_STAGES_H
#define CAIRN_RUN_STAGES_H

#include "run/engines.h"
#include "run/session.h"

/* Of a loaded model and a prepared task. */
void stages_run(struct session *session, struct task *task, struct result *result);

/* One engine alone, under the limits of the task. */
void stages_run_one(const struct engine_row *engine, struct task *task, struct result *result);

#endif
