/* LTL on one run that ends in a loop, straight from the definition: independent of automata. */
#ifndef CAIRN_RESULT_LASSO_H
#define CAIRN_RESULT_LASSO_H

#include "result/trace.h"

/* Whether f is true on the run; false in *good when an atom cannot be evaluated. The trace must
 * have a loop and be possible. */
bool lasso_holds(const struct model *model, const struct trace *trace, formula f, bool *good);

/* Whether f says something about single runs without clocks: path quantifiers stand for "on this
 * run", so they may be A only. */
bool lasso_may_evaluate(const struct model *model, formula f);
/* The value of such an f in each state of the run, 0 .. steps. The trace must have a loop and be
 * possible. */
void lasso_values(const struct model *model, const struct trace *trace, formula f, bool *values);

/* For a trace without a loop: whether f is false on every infinite run that begins with it, as far
 * as f's structure tells; false in *good when an atom cannot be evaluated. */
bool lasso_prefix_refutes(const struct model *model, const struct trace *trace, formula f,
                          bool *good);

/* Whether the run is fair to every process: in its loop each takes part in a step, or can take part
 * in none in some state. */
bool lasso_is_fair(const struct model *model, const struct trace *trace);

#endif
