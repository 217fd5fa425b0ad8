/* Expressions and formulas of the model's own text form.
 *
 * They are read with a stack of our own: nesting is bounded by EXPR_MAX_DEPTH and not by the C
 * stack. Every expression carries an interval that contains its values (computed operator by
 * operator, with the ranges of variables at the leaves). It decides what cannot be decided exactly
 * here: operands of arithmetic lie within the modulus, offsets within their arrays, and stored
 * values within the range of their variable. */
#ifndef CAIRN_LANG_CAIRN_EXPRESSION_H
#define CAIRN_LANG_CAIRN_EXPRESSION_H

#include "lang/cairn/reader.h"

/* `logic` says which temporal operators may stand in it; PROPERTY_INVARIANT: none. */
bool expression_read(struct reader *reader, enum property_kind logic, struct term *term);
bool expression_formula(struct reader *reader, enum property_kind kind, formula *root);

bool expression_is_condition(struct reader *reader, const struct term *term);
bool expression_is_number(struct reader *reader, const struct term *term);
/* The offset of one of `count` cells. */
bool expression_is_offset(struct reader *reader, const struct term *offset, uint32_t count);

#endif
