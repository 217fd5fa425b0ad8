/* Hidden variables (model_var.is_hidden): what a search is given of them.
 *
 * Hidden variables never distinguish states. A hidden variable is *harmless* when nothing that can
 * be seen depends on it: no condition, no value of a variable that is not hidden, no run-time error
 * and no property that is asked for, neither directly nor through other variables. Then it can be
 * left out, and what is found without it is exact, whatever the engine. The others *influence* what
 * can be seen, and stay: a search that compares states without them keeps the values with which it
 * came first, and may miss what other values lead to. */
#ifndef CAIRN_PASS_HIDE_H
#define CAIRN_PASS_HIDE_H

#include "model/model.h"

struct hiding {
    struct model *model; /* to search */
    uint32_t left_out;   /* variables */
    uint32_t influencing;
    bool *influences; /* per variable: it is hidden, and influences what can be seen; ... */
    struct place
        *where; /* ... where it is first seen to; the line is 0 where that has no position */
};

/* Makes a model in which the harmless variables have one value and are never written (is_left_out),
 * and only the others are hidden. All variables, rules, processes, properties, expressions and
 * formulas keep their numbers, so that a run of the new model, with initial values from
 * hide_restore, is one of the old model. `asked`: the formulas of the properties that will be
 * decided. The new model lives in the memory of the old one and shares its strings. */
void hide_model(struct hiding *hiding, struct model *model, const formula *asked, uint32_t count);

/* Hides the variables that nothing that is asked depends on, locations and the rank aside: they are
 * harmless, so that hide_model leaves them out. */
void hide_unused(struct model *model, const formula *asked, uint32_t count);

/* Gives the variables that are left out of `searched` values with which the state, an initial one
 * of `searched`, is an initial one of `model`. */
void hide_restore(const struct model *model, const struct model *searched, int64_t *state);
/* The other way: the state as `searched` has it. */
void hide_strip(const struct model *searched, int64_t *state);

#endif
