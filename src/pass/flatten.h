/* A model without code, arrays and priorities that does exactly what the given one does: for
 * engines and languages that know rules as conditions and parallel assignments only.
 *
 * The new model has the same variables, processes, properties and rules, with the same numbers: a
 * run of one is a run of the other. A rule is enabled, disabled or fails in the same states
 * (eval_rule). Expressions and formulas keep their handles: what was built in the old model before
 * the call can be used with the new one, and expressions still mean the same. The new model lives
 * in the memory of the old one, shares its strings, and is never freed by itself. */
#ifndef CAIRN_PASS_FLATTEN_H
#define CAIRN_PASS_FLATTEN_H

#include "model/model.h"

/* Why a model could not be flattened. */
struct flatten_refusal {
    const char *reason;
    const char *rule; /* its label, or NULL */
    struct place place;
};

/* Whether the model has anything that flattening removes. */
bool flatten_is_needed(const struct model *model);

/* NULL when it would become too large; `refusal` says why. The model must not be timed: with time,
 * priorities are no conditions on states. Arrays in formulas are left as they are, and read as they
 * were written, unless `with_formulas`. */
struct model *flatten_model(struct model *model, bool with_formulas,
                            struct flatten_refusal *refusal);

#endif
