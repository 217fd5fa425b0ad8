/* Runs that are told without steps that do not matter (result/shorten), judged as all evidence is
 * (run/verify). */
#ifndef CAIRN_RUN_TRIM_H
#define CAIRN_RUN_TRIM_H

#include "result/result.h"

/* A run that shows the same with fewer steps, or NULL. Of a timed run that repeats none is looked
 * for: that its loop can be taken for ever is known from its zones alone. */
struct trace *trim_run(const struct model *model, const struct task *task,
                       const struct property_result *entry);

/* The runs of temporal properties that repeat. Engines find a loop, not a short one. */
void trim_loops(const struct model *model, struct task *task);

#endif
