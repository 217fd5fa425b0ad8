/* Types of values, for every language with data. A value is a run of cells, each a bounded integer
 * (a variable of the model, or a local of code):
 *   bool, int                   one cell
 *   array n of T                n times the cells of T
 *   record                      the cells of its fields, one after the other
 *   queue n of T                the length, then n times the cells of T; cells behind the length
 *                               hold T's initial value
 *   union                       the number of the constructor, then the cells of its argument;
 *                               constructors share these cells, and those that the present one does
 *                               not use hold the `blank` value of the cell
 * so that equal values have equal cells. An enumeration is a union without arguments. Types are
 * structural, but for unions, which are equal only to themselves.
 *
 * What must hold:
 * 1. cells is what the list above says, at least 1 and below TYPE_MAX_CELLS; depth is one more than
 *    that of the deepest part.
 * 2. A range is not empty, and the initial value lies in it. */
#ifndef CAIRN_LANG_KIT_TYPE_H
#define CAIRN_LANG_KIT_TYPE_H

#include "base/text.h"
#include "model/model.h"

enum type_kind { TYPE_BOOL, TYPE_INT, TYPE_ARRAY, TYPE_QUEUE, TYPE_UNION, TYPE_RECORD };

struct type;

struct type_member { /* a field, or a constructor */
    const char *name;
    struct type *type; /* of a constructor: NULL when it has no argument */
    uint32_t offset;   /* first cell of a field */
};

struct type {
    enum type_kind kind;
    int64_t low, high, initial; /* of a TYPE_INT */
    struct type *of;            /* elements of arrays and queues */
    uint32_t count;             /* of elements */
    struct type_member *members;
    uint32_t member_count;
    uint32_t cells;
    uint32_t depth;            /* of nested types */
    const char *name;          /* as declared; NULL: none */
    const struct shape *shape; /* see type_shape; NULL: not asked for yet */
};

enum { TYPE_MAX_CELLS = 1 << 24, TYPE_MAX_DEPTH = 500 };

/* ---- making them, in an arena ---- */

struct type *type_new_bool(struct arena *arena);
/* initial lies in low .. high. */
struct type *type_new_int(struct arena *arena, int64_t low, int64_t high, int64_t initial,
                          const char *name);
/* An array, or a queue, of 1 or more elements. NULL when it would have TYPE_MAX_CELLS or more. */
struct type *type_new_sequence(struct arena *arena, enum type_kind kind, const struct type *of,
                               int64_t count);
/* A record, or a union, with room for members, which type_add_member fills in; false when there are
 * too many cells. type_close when all are there. */
struct type *type_new_composed(struct arena *arena, enum type_kind kind, uint32_t members);
bool type_add_member(struct type *type, const char *name, const struct type *member);
void type_close(struct type *type);
/* An enumeration of so many values, which is equal only to itself: one of names, or, without them
 * (NULL), a set of scalars, whose values have nothing but their numbers. */
struct type *type_new_enumeration(struct arena *arena, const char *name, const char *const *names,
                                  uint32_t count);
bool type_is_too_deep(const struct type *type);

/* ---- questions ---- */

struct type_range {
    int64_t low, high, initial;
};
struct type_range type_cell(const struct type *type, uint32_t cell);
/* A cell of a union's arguments; `initial` is what it holds while it is not used. */
struct type_range type_shared_cell(const struct type *type, uint32_t cell);
bool type_is_scalar(const struct type *type);
/* The same shape: the ranges of integers may differ. */
bool type_matches(const struct type *a, const struct type *b);
bool type_same(const struct type *a, const struct type *b);
/* Number of values of a scalar type, 0 when there are more than `most`. */
uint64_t type_values(const struct type *type, uint64_t most);
/* The same for any type; and the cells of value number n. */
uint64_t type_count(const struct type *type, uint64_t most);
void type_nth(const struct type *type, uint64_t n, int64_t *cells);
/* Which value of the type a combination has that is chosen with others, counted through: its part
 * of *choice, which is taken out. The type has at most `most` values. */
uint64_t type_take_choice(const struct type *type, uint64_t most, uint64_t *choice);
void type_show(struct text *text, const struct type *type);
/* How those who refer to values from outside see the type; made once. */
const struct shape *type_shape(struct arena *arena, const struct type *type);

#endif
