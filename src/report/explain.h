/* Why: which part of a condition is false, with the values; what blocks each process in a
 * state. */
#ifndef CAIRN_REPORT_EXPLAIN_H
#define CAIRN_REPORT_EXPLAIN_H

#include "model/eval.h"
#include "result/result.h"

/* The smallest parts of e that make it false (or true, with want = true) in the state, one line
 * each: `x + y < 4 is false: x = 3, y = 2`. */
void explain_expr(const struct model *model, struct text *text, expr e, const int64_t *state,
                  const char *indent);

/* For each process: where it stands, and of each of its commands that it is possible, or the
 * conjuncts that block it; in a deadlock all are. `timed` is the state in time, NULL in an untimed
 * model: then a command whose conjuncts are true is explained by its timer and by clocks. */
void explain_state(const struct model *model, const struct diag *diag, struct text *text,
                   const int64_t *state, struct timed_state *timed);

/* Of these rules (`is_one`, per rule) the one that is nearest to be enabled in the state: what
 * holds it back. Nothing when there are none, or time alone does. */
void explain_nearest(const struct model *model, const struct diag *diag, struct text *text,
                     const bool *is_one, const int64_t *state);

/* `division by zero`, `index 5 outside 0..4` */
void explain_reason(struct text *text, const struct eval_failure *failure);
/* Whether the only way in which a step of the model can fail is to divide by zero. */
bool explain_only_divides(const struct model *model);

/* Why a property is violated, in lines: what the last state of its run, or the state that is known,
 * breaks. Nothing when the run says it all. */
void explain_violation(const struct model *model, const struct diag *diag, struct text *text,
                       const struct property_result *entry);

/* What fails when the rule is tried in the state. */
void explain_failure(const struct model *model, const struct diag *diag, struct text *text,
                     uint32_t rule, const int64_t *state);

#endif
