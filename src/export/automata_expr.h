/* Expressions of a model in XTA and TCK: for automata_code.c. */
#ifndef CAIRN_EXPORT_AUTOMATA_EXPR_H
#define CAIRN_EXPORT_AUTOMATA_EXPR_H

#include "export/automata.h"

/* How tightly operators of XTA bind. */
enum automata_level { ANY, CHOICE, OR, AND, EQUAL, COMPARE, SUM, PRODUCT, UNARY };

/* XTA: an expression, in brackets when it binds less than that; one that is negated. */
void automata_expr_put(struct automata *a, expr e, enum automata_level level);
void automata_expr_not(struct automata *a, expr e);
/* TCK: a number (conditions are 0 or 1); one comparison. */
void automata_expr_term(struct automata *a, expr e);
void automata_expr_predicate(struct automata *a, expr e);
/* Either of them: a number; a condition; a constant, with a sign in brackets. */
void automata_expr_number(struct automata *a, expr e);
void automata_expr_condition(struct automata *a, expr e);
void automata_expr_constant(struct automata *a, int64_t value, bool in_brackets);
/* The parts of a conjunction. */
void automata_expr_conjuncts(struct automata *a, expr e, struct automata_list *list);
/* The cell at an offset from `base`, and `more` behind that. */
void automata_expr_cell(struct automata *a, bool local, uint32_t base, expr offset, uint32_t more);
/* The automaton whose location the variable is, or MODEL_NONE. */
uint32_t automata_expr_owner(const struct automata *a, uint32_t var);
/* Around what is nested: refuses where it is too deep. */
void automata_expr_enter(struct automata *a);
void automata_expr_leave(struct automata *a);

#endif
