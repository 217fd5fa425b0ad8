/* The stack machine that runs guards, values and bodies of rules on packed states. */
#ifndef CAIRN_PROGRAM_MACHINE_H
#define CAIRN_PROGRAM_MACHINE_H

#include "program/program.h"

enum machine_op {
    /* the operators of expressions come first, with their own numbers */
    OP_PUSH_FIELD = EXPR_OPS,
    OP_PUSH_NUMBER,
    OP_PUSH_LOCAL,
    OP_PUSH_AT, /* offset -> value */
    OP_PUSH_LOCAL_AT,
    OP_JUMP_IF_FALSE, /* keeps the value when it jumps, drops it otherwise */
    OP_JUMP_IF_TRUE,
    OP_FIELD_EQ,
    OP_FIELD_NE,
    OP_FIELD_LT,
    OP_FIELD_LE,
    OP_FIELD_GT,
    OP_FIELD_GE, /* field with constant, in one */
    OP_FIELDS_EQ,
    OP_FIELDS_NE,
    OP_FIELDS_LT,
    OP_FIELDS_LE,
    OP_FIELDS_GT,
    OP_FIELDS_GE, /* two fields; the next instruction holds the second */
    OP_NEED_FIELD_EQ,
    OP_NEED_FIELD_NE,
    OP_NEED_FIELD_LT,
    OP_NEED_FIELD_LE,
    OP_NEED_FIELD_GT,
    OP_NEED_FIELD_GE,
    OP_NEED_FIELDS_EQ,
    OP_NEED_FIELDS_NE,
    OP_NEED_FIELDS_LT,
    OP_NEED_FIELDS_LE,
    OP_NEED_FIELDS_GT,
    OP_NEED_FIELDS_GE, /* the same twelve, in the same order, with OP_REQUIRE */
    OP_ADD,
    OP_SUB,
    OP_MUL,    /* exact, known not to overflow */
    OP_WITHIN, /* number = low, mask = high - low */
    OP_TABLE,  /* index -> entry */
    OP_FAIL,
    OP_STORE_FIELD,
    OP_STORE_LOCAL,
    OP_STORE_AT, /* value, offset -> */
    OP_STORE_LOCAL_AT,
    OP_COPY, /* source offset, target offset -> ; the next instruction holds the source */
    OP_REQUIRE,
    OP_PATCH, /* makes the new state; word = first patch, number = how many */
    OP_ENTER, /* from here on the new state is read, too */
    OP_JUMP,
    OP_BRANCH, /* drops the value, jumps when it was false */
    OP_ZERO,   /* a local */
    OP_ROUND,  /* counts a round of a loop */
    OP_CALL,
    OP_RETURN,
    OP_END
};

enum { MACHINE_MAX_CALLS = 256 };

uint32_t machine_emit(struct program *program, struct instruction instruction);
/* Code that leaves the value on the stack, whose height is then `height`. */
void machine_compile(struct program *program, expr e, uint32_t height);
/* Ends a piece of code, and makes the stack high enough for it. Returns where the end is. */
uint32_t machine_end(struct program *program);
/* A comparison of a variable with a constant of its range: finds both and the operator with the
 * variable on the left. */
bool machine_is_comparison(const struct program *program, const struct expr_node *node,
                           uint32_t *var, int64_t *number, uint8_t *op);

/* The code of a rule, which machine_end ends: conditions, in their order; then, once all of them
 * are true, the new state with its patches; then values, of the old state; then the body, on the
 * new one. */
void machine_add_condition(struct program *program, expr cond);
void machine_add_patches(struct program *program, uint32_t first, uint32_t count);
void machine_add_store(struct program *program, uint32_t var, expr value);
/* Bodies that are called from several places are compiled once, by machine_finish. */
void machine_add_body(struct program *program, statement body);
void machine_finish(struct program *program);
void machine_release(struct program *program);
/* Whether everything that instructions name exists, and code ends. */
bool machine_check(const struct program *program);

#endif
