/* Explicit-state search: visits every reachable state once, breadth-first (shortest
 * counterexamples) or depth-first. Decides invariants, deadlock and run-time errors while
 * searching, CTL and LTL afterwards on the whole graph. Exact: states are stored and compared in
 * full. */
#ifndef CAIRN_ENGINE_EXPLICIT_H
#define CAIRN_ENGINE_EXPLICIT_H

#include "result/result.h"

struct search_graph; /* who is told of states and steps: search/search.h */

/* Answers task->properties in place. Memory: task->model->mem and its limit. `graph` may be
 * NULL. */
void explicit_run(struct task *task, const struct search_graph *graph, struct result *result);

/* Whether the search that the task asks for can compare states without hidden variables:
 * breadth-first and depth-first. Of a model with some, that is the only one that may be run, and it
 * is never complete: of states that differ in them alone the first one is kept, and what others
 * would lead to may be missing. */
bool explicit_can_hide(const struct task *task);

#endif
