/* The bounded engine: looks for counterexamples of growing length with a SAT solver, and proves
 * properties by induction. It decides invariants, deadlocks, run-time errors and LTL; of CTL only
 * what says "always p". A property that is neither violated within the bound nor proved stays
 * unknown. */
#ifndef CAIRN_ENGINE_BOUNDED_BOUNDED_H
#define CAIRN_ENGINE_BOUNDED_BOUNDED_H

#include "result/result.h"

#include <stdio.h>

/* task->model->mem has a recovery point. */
void bounded_run(struct task *task, struct result *result);

/* The same with sets of independent rules to a step and safe steps before each, unless the task
 * names a reduction: what finds violations fastest in most models. The runs that it shows are not
 * shortest. */
void bounded_hunt(struct task *task, struct result *result);

/* As DIMACS: a formula that is satisfiable exactly when some run of task->max_depth steps (with a
 * reduction: of as many whole cycles as are in them) violates the task's first property, without
 * searching shorter ones. Comments say which literals are the variables of each state. Returns
 * NULL, or why it cannot be asked. */
const char *bounded_write(struct task *task, FILE *out);

#endif
