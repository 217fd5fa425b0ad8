/* Adding to a model that is complete already: variables, conditions and code for rules that exist.
 * What passes that weave something into a model share. After the last change model_finish computes
 * reads and writes anew. */
#ifndef CAIRN_PASS_GRAFT_H
#define CAIRN_PASS_GRAFT_H

#include "model/model.h"

/* Initial states that are listed get its initial value. */
uint32_t graft_variable(struct model *model, struct model_var var);
/* Lists the initial states, with init(context, state) as the new value of the variable in each.
 * False: there are more than `most`. */
bool graft_initial(struct model *model, uint32_t var, uint32_t most,
                   int64_t (*init)(void *context, const int64_t *state), void *context);

/* A condition of the rule's first part, tested before all others, and its wording. */
void graft_condition(struct model *model, uint32_t rule, expr cond, struct place place,
                     uint32_t wording);
/* One more participant, and one more assignment, behind the others. */
void graft_part(struct model *model, uint32_t rule, uint32_t process, struct place place);
void graft_store(struct model *model, uint32_t rule, struct rule_store store);
void graft_class(struct model *model, uint32_t rule, uint32_t priority_class);
/* One more clock that the rule sets. */
void graft_reset(struct model *model, uint32_t rule, struct clock_reset reset);

/* Code around what a rule does: `before` runs in the old state, `after` in the new one, whatever
 * the rule's own code does. */
struct graft {
    struct code_sequence before, after;
};
void graft_code(struct model *model, uint32_t rule, const struct graft *graft);

/* cell := value */
void graft_set(struct model *model, struct code_sequence *sequence, bool local, uint32_t cell,
               expr value);

#endif
