/* Code blocks: small deterministic programs that run as part of a rule.
 *
 * A block is a tree of statements in one table; statements of a sequence hang together by `next`.
 * It works on a copy of the state, in place and in order, and on locals: cells that live only while
 * the rule runs and begin with the lowest value of their range. No function calls itself (recursion
 * is unrolled), so every local has a fixed number; a function's body is one subtree that all its
 * calls share.
 *
 *  - SET: a cell becomes the value of an expression, which lies in the cell's range (the front end
 *    puts WITHIN around it);
 *  - COPY: `count` cells at once, as if through a buffer;
 *  - REQUIRE: the rule is not enabled in this state unless the condition is true;
 *  - IF, WHILE: as everywhere; more than CODE_MAX_ROUNDS rounds of one loop are a failure;
 *  - CALL: runs the body; a LEAVE inside it ends the innermost CALL. */
#ifndef CAIRN_MODEL_CODE_H
#define CAIRN_MODEL_CODE_H

#include "base/diag.h"
#include "model/expr.h"

typedef struct {
    uint32_t i;
} statement;

enum { CODE_MAX_ROUNDS = 1000000 };

enum code_op { CODE_SET, CODE_COPY, CODE_REQUIRE, CODE_IF, CODE_WHILE, CODE_CALL, CODE_LEAVE };

/* The cell number base + offset, or the run of cells that starts there. The offset lies in 0 ..
 * count - 1. */
struct cell {
    bool local;
    uint32_t base, count;
    expr offset;
};

struct code_node {
    uint8_t op;
    struct cell target, source; /* SET, COPY */
    uint32_t cells;             /* COPY */
    expr value;                 /* SET; the condition of REQUIRE, IF, WHILE */
    statement body, other;      /* IF, WHILE, CALL */
    statement next;
    struct place place;
    uint32_t wording; /* of the condition of REQUIRE: as of a conjunct (model.h) */
};

static inline bool code_is_none(statement c) { return c.i == UINT32_MAX; }
static inline statement code_none(void) { return (statement){UINT32_MAX}; }

/* A sequence that grows at its end. */
struct code_sequence {
    statement first, last;
};

static inline struct code_sequence code_sequence_empty(void)
{
    return (struct code_sequence){code_none(), code_none()};
}

#endif
