/* The reference semantics: slow, obvious, small. Every engine is judged by it; every counterexample is replayed in it.
 * A state is an array of one value per variable. */
#ifndef CAIRN_MODEL_EVAL_H
#define CAIRN_MODEL_EVAL_H

#include "model/model.h"

enum eval_result { EVAL_DISABLED, EVAL_ENABLED, EVAL_FAILED };

/* False when the evaluation fails (division by zero). */
bool eval_expr(const struct model *model, expr e, const int64_t *state, int64_t *value);

/* Tries the rule; when enabled, writes the successor to next (which may not be state). */
enum eval_result eval_rule(const struct model *model, uint32_t rule, const int64_t *state, int64_t *next);

bool eval_is_initial(const struct model *model, const int64_t *state);
/* The first initial state, and the one after `state` in counting order (false: there is none). */
void eval_first_initial(const struct model *model, int64_t *state);
bool eval_next_initial(const struct model *model, int64_t *state);

#endif
