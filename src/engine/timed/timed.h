/* Search of timed models: every reachable discrete state with the zones of timers and clocks that
 * are reached there, breadth-first. Time is dense. Decides invariants, deadlock, run-time errors
 * and CTL formulas about reachability while searching; exact for these. Untimed models have no
 * timers and one zone: the search is then the explicit one. */
#ifndef CAIRN_ENGINE_TIMED_H
#define CAIRN_ENGINE_TIMED_H

#include "result/result.h"
#include "solver/freezer.h"

struct search_graph; /* who is told of states and steps: search/search.h */

/* Why this model is beyond the engine, and where; NULL: it is not. */
const char *timed_refuses(const struct model *model, struct place *place);

/* The same for the queries that are asked. */
const char *timed_refuses_queries(const struct model *model, const struct task *task,
                                  struct place *place);

/* Of a search that is split: whose run it is, in the folders of parts; which properties say EF p;
 * why others in CTL are not decided. */
struct freezer_identity timed_identity(const struct task *task);
void timed_classify(struct task *task);
extern const char timed_reachability_only[];
/* Whether a query is looked at in each symbolic state, as an invariant is. */
bool timed_sees(const struct task *task, const struct property_result *entry);

/* Answers task->properties in place. Memory: task->model->mem and its limit. `graph` may be NULL;
 * it goes with a task that asks nothing, because a search for stuck states may start again. */
void timed_run(struct task *task, const struct search_graph *graph, struct result *result);

#endif
