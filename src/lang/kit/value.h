/* Values in expressions. A scalar is an expression of the model (Boolean for bool); the others are
 * cells. What needs code emits it. */
#ifndef CAIRN_LANG_KIT_VALUE_H
#define CAIRN_LANG_KIT_VALUE_H

#include "lang/kit/emit.h"

struct value {
    const struct type *type;
    expr e;
    struct cell at; /* of a scalar: where it is kept, or all zero */
};

enum { VALUE_MAX_COMPARED = 4096 }; /* cells */

struct value value_scalar(const struct type *type, expr e);
struct value value_cells(struct model *model, const struct type *type, const struct cell *at);
/* The initial value of a scalar type. */
struct value value_initial(struct model *model, const struct type *type);

/* Puts a value of a matching type (type_matches) into cells, with checks at run time where a range
 * is narrower. */
void value_store(struct emit *emit, const struct type *type, const struct cell *at,
                 const struct value *value, struct place place);
/* The same value, which later code does not change any more. */
struct value value_keep(struct emit *emit, struct value value, struct place place);
/* Whether two values of matching types, of at most VALUE_MAX_COMPARED cells, are equal. */
expr value_equal(struct model *model, const struct value *a, const struct value *b);
/* A value of a union, with its argument or NULL; and the number of the constructor. */
struct value value_construct(struct emit *emit, const struct type *type, uint32_t tag,
                             const struct value *argument, struct place place,
                             struct place argument_place);
expr value_tag(struct model *model, const struct value *value);

/* a and b, a or b, where b is evaluated only if need be: `code` computes b. */
struct value value_logic(struct emit *emit, bool is_and, struct value a, const struct value *b,
                         struct code_sequence code, struct place place);
/* One of two values of matching types, whose code computes it. The result has this type, which both
 * match; of numbers it is as wide as the two. */
struct value_branch {
    struct value value;
    struct code_sequence code;
    struct place place;
};
struct value value_conditional(struct emit *emit, const struct type *type, expr cond,
                               struct value_branch yes, struct value_branch no, struct place place);

/* ---- queues ---- */

expr value_length(struct model *model, const struct value *queue);
/* The first element: a scalar that fails if there is none, or cells, with a check emitted. */
struct value value_first(struct emit *emit, const struct value *queue, struct place place);
/* The queue in `at` loses its first element. */
void value_remove(struct emit *emit, const struct type *type, const struct cell *at,
                  struct place place);
/* The queue in `at` gets an element of a matching type, at its tail or at its head. */
void value_add(struct emit *emit, const struct type *type, const struct cell *at,
               const struct value *element, bool head, struct place place);

#endif
