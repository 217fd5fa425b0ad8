/* Every trace is replayed in the reference evaluator before it is shown: one that does not replay
 * is an internal error. */
#ifndef CAIRN_RUN_VERIFY_H
#define CAIRN_RUN_VERIFY_H

#include "result/result.h"

/* What is wrong with a run as evidence of the property; NULL: nothing. */
const char *verify_trace(const struct model *model, const struct task *task,
                         const struct property_result *entry, const struct trace *trace);

/* False after a message: a trace of the task does not show what it should. */
bool verify_traces(struct diag *diag, const struct model *model, const struct task *task);

/* The same in silence, and the engine has found nothing wrong with itself. */
bool verify_is_sound(const struct model *model, const struct task *task,
                     const struct result *result);

#endif
