/* The symbolic engine: sets of states as decision diagrams. Counts state spaces exactly however
 * large they are, and decides all of CTL and LTL on them. */
#ifndef CAIRN_ENGINE_SYMBOLIC_SYMBOLIC_H
#define CAIRN_ENGINE_SYMBOLIC_SYMBOLIC_H

#include "result/result.h"

/* Answers task->properties in place, as explicit_run does. */
void symbolic_run(struct task *task, struct result *result);

#endif
