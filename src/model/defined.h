/* When evaluating an expression does not fail, as an expression: for rules that must not be held
 * back by one that fails, and for languages in which nothing may fail. */
#ifndef CAIRN_MODEL_DEFINED_H
#define CAIRN_MODEL_DEFINED_H

#include "model/expr.h"

struct defined {
    struct exprs *exprs;
    bool fits;           /* exact arithmetic is known to stay within 64 bits, whatever the bounds of
                            expressions say */
    VEC(uint32_t) known; /* per expression: the answer, + 1; 0: not yet */
};

void defined_init(struct defined *defined, struct exprs *exprs);
void defined_release(struct defined *defined);

/* True where e can be evaluated; never fails itself. */
expr defined_condition(struct defined *defined, expr e);
/* Where e, a condition, can be evaluated and is true. */
expr defined_and_true(struct defined *defined, expr e);

/* Whether the operator itself may fail when its operands do not, as far as their bounds tell. */
bool defined_may_fail_here(const struct exprs *exprs, const struct expr_node *node);

#endif
