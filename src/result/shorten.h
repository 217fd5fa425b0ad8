/* Runs that were not looked for but met, by chance: without the steps that do not matter. */
#ifndef CAIRN_RESULT_SHORTEN_H
#define CAIRN_RESULT_SHORTEN_H

#include "result/trace.h"

/* A run that shows the same (trace_verify) with fewer steps, or NULL: none was found. Of an untimed
 * run that does not repeat. */
struct trace *shorten_run(const struct model *model, const struct trace *trace,
                          enum property_kind kind, expr invariant);

#endif
