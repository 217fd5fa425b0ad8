/* The reference semantics: slow, obvious, small. Every engine is judged by it; every counterexample
 * is replayed in it. A state is an array of one value per variable. */
#ifndef CAIRN_MODEL_EVAL_H
#define CAIRN_MODEL_EVAL_H

#include "model/model.h"

enum eval_result { EVAL_DISABLED, EVAL_ENABLED, EVAL_FAILED };

/* Why and where an evaluation failed; where a REQUIRE of code stopped it, just where (the reason is
 * FAILURE_NONE): for messages. */
struct eval_failure {
    enum failure reason;
    int64_t value, low, high; /* of FAILURE_RANGE and FAILURE_INDEX */
    struct place place;
    statement at; /* of code: the innermost statement that stopped it */
};

/* False when the evaluation fails. */
bool eval_expr(const struct model *model, expr e, const int64_t *state, int64_t *value);

/* Tries the rule; when enabled, writes the successor to next (which may not be state). */
enum eval_result eval_rule(const struct model *model, uint32_t rule, const int64_t *state,
                           int64_t *next);
/* Whether what the rule asks for, besides being enabled, is true. */
bool eval_permits(const struct model *model, uint32_t rule, const int64_t *state);
/* The same as eval_rule without regard to priorities and to what it asks for; *failure (may be
 * NULL) is set when it fails, and when its code disables it. */
enum eval_result eval_rule_alone(const struct model *model, uint32_t rule, const int64_t *state,
                                 int64_t *next, struct eval_failure *failure);
/* Runs a statement block on a state, in place. EVAL_DISABLED: a REQUIRE was false. */
enum eval_result eval_code(const struct model *model, statement block, int64_t *state,
                           struct eval_failure *failure);

/* Whether runs may end in the state: then it is no deadlock that no rule is enabled. */
bool eval_is_final(const struct model *model, const int64_t *state);
bool eval_is_initial(const struct model *model, const int64_t *state);
/* The first initial state, and the one after `state` in counting order (false: there is none). */
void eval_first_initial(const struct model *model, int64_t *state);
bool eval_next_initial(const struct model *model, int64_t *state);

#endif
