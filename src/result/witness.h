/* Whether a run shows what is said about a query that looks at more than the values of single
 * states: the reference semantics follow it moment by moment. */
#ifndef CAIRN_RESULT_WITNESS_H
#define CAIRN_RESULT_WITNESS_H

#include "result/trace.h"

/* NULL when it does; otherwise what is wrong. A[] and E<>: the condition has its value at the end.
 * E[], A<>, -->: the run is a whole one (model.h), and the condition has its value all the time, or
 * from a moment on. Of a loop the first round is followed, as in trace_verify_temporal. */
const char *witness_check(const struct model *model, const struct trace *trace,
                          const struct model_query *query);

#endif
