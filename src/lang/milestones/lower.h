/* Expressions and formulas of the syntax tree become those of the model, with the contract's widths
 * made explicit. */
#ifndef CAIRN_LANG_MILESTONES_LOWER_H
#define CAIRN_LANG_MILESTONES_LOWER_H

#include "lang/milestones/scope.h"

/* All return false after an error. */
bool lower_bool(struct scope *scope, struct ast *node, expr *result);
/* The value of an assignment to a variable of `width` bits. */
bool lower_value(struct scope *scope, struct ast *node, unsigned width, expr *result);
/* A formula of the given kind: temporal operators are checked against the logic. */
bool lower_formula(struct scope *scope, struct ast *node, enum property_kind kind, formula *result);

#endif
