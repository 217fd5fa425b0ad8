/* Where code goes, and the statements of code. A front end keeps one of these for what it lowers:
 * the body of a rule, of a function, of initialisation.
 *
 * Cells are places of values: a cell of a type with n cells stands for n cells from there on. */
#ifndef CAIRN_LANG_KIT_EMIT_H
#define CAIRN_LANG_KIT_EMIT_H

#include "lang/kit/type.h"

struct emit {
    struct model *model;
    struct code_sequence *out; /* NULL: no code is allowed, only expressions */
    bool in_rule;    /* REQUIRE becomes part of the rule's guard as long as there is no code */
    bool impossible; /* a REQUIRE that is never true was met */
};

/* ---- cells ---- */

/* One variable, or local, that is known. */
struct cell emit_cell(struct model *model, bool local, uint32_t base);
/* New locals of code for a value of the type. */
struct cell emit_local(struct model *model, const struct type *type, const char *name);
/* So many cells behind. */
struct cell emit_behind(const struct cell *cell, uint32_t cells);
/* Moves to element number `index` of the array in `at`, with a check at run time unless it is known
 * to be inside. A constant index is inside. */
void emit_element(struct model *model, const struct type *array, expr index, struct cell *at);
/* The cell as an expression, whose values lie in the range. */
expr emit_read(struct model *model, const struct cell *at, struct type_range range);
/* Cell number n of a value; its range is that of all cells it may be, as the offset moves by whole
 * elements. */
expr emit_read_nth(struct model *model, const struct type *type, const struct cell *at, uint32_t n);

/* ---- statements: emit->out is not NULL ---- */

/* The value must lie in the range of every cell that can be meant: expr_within. */
void emit_set(struct emit *emit, const struct cell *at, expr value, struct place place);
void emit_copy(struct emit *emit, const struct cell *to, const struct cell *from, uint32_t cells,
               struct place place);
/* Sets all cells of a value to those of its type's initial value; to those of value number n. */
void emit_initial(struct emit *emit, const struct type *type, const struct cell *at,
                  struct place place);
void emit_nth(struct emit *emit, const struct type *type, const struct cell *at, uint64_t n,
              struct place place);
/* The path goes on only if this holds; wording: of the model, 0: none. */
void emit_require(struct emit *emit, expr cond, struct place place, uint32_t wording);
/* Evaluates an expression for its failure only. */
void emit_check(struct emit *emit, expr e, struct place place);
void emit_if(struct emit *emit, expr cond, struct code_sequence yes, struct code_sequence no,
             struct place place);
void emit_while(struct emit *emit, expr cond, struct code_sequence body, struct place place);
/* Leaves the function. */
void emit_leave(struct emit *emit, struct place place);
void emit_call(struct emit *emit, statement body, struct place place);
/* All of these statements. */
void emit_sequence(struct emit *emit, const struct code_sequence *code);

/* ---- blocks ---- */

/* Between the two, code goes into the block: a branch, the body of a loop, what may be needed or
 * not. What is impossible there is impossible in this block alone. Without code allowed it stays
 * so. */
struct emit_block {
    struct code_sequence *out;
    bool in_rule, impossible;
};
struct emit_block emit_open(struct emit *emit, struct code_sequence *block);
void emit_close(struct emit *emit, const struct emit_block *before);

#endif
