/* LTL formulas in negation normal form over numbered propositions: literals, and, or, X, U and R.
 * Hash-consed, so that equal formulas are one node and equality is equality of handles.
 *
 * The makers below rewrite only what is trivial (constants, equal operands); simplify does
 * the rest. Too many nodes set `problem` and give the formula false from then on: callers look at
 * `problem` once, at the end.
 *
 * Invariants (nnfs_check): (1) equal formulas are one node; (2) operands have smaller indices, and
 * those of `and` and `or` ascend; (3) false is node 0 and true node 1, and only U and R have one of
 * them as an operand: U not as its right one, nor R; (4) the negation of the negation is the
 * formula. */
#ifndef CAIRN_AUTOMATON_BUCHI_NNF_H
#define CAIRN_AUTOMATON_BUCHI_NNF_H

#include "base/mem.h"

enum { NNF_MAX_NODES = 1 << 14, NNF_MAX_INPUT = 1 << 12, NNF_MAX_PROPOSITIONS = 64 };

enum nnf_op { NNF_FALSE, NNF_TRUE, NNF_LITERAL, NNF_AND, NNF_OR, NNF_X, NNF_U, NNF_R };

typedef struct {
    uint32_t i;
} nnf;

struct nnf_node {
    uint8_t op;
    bool negated;   /* of a literal */
    bool eventual;  /* f == F f is plain to see */
    bool universal; /* f == G f is plain to see */
    nnf a, b;       /* of a literal: a.i is the proposition */
};

struct nnfs {
    struct mem *mem;
    VEC(struct nnf_node) nodes;
    VEC(uint32_t) duals; /* per node: its negation + 1, 0 when not made yet */
    uint32_t *slots;     /* node + 1; open addressing */
    const char *problem;
};

void nnfs_init(struct nnfs *nnfs, struct mem *mem);
void nnfs_release(struct nnfs *nnfs);

static inline const struct nnf_node *nnf_get(const struct nnfs *nnfs, nnf f)
{
    return &nnfs->nodes.data[f.i];
}
static inline bool nnf_is(const struct nnfs *nnfs, nnf f, enum nnf_op op)
{
    return nnf_get(nnfs, f)->op == op;
}
static inline nnf nnf_false(void) { return (nnf){0}; }
static inline nnf nnf_true(void) { return (nnf){1}; }

nnf nnf_literal(struct nnfs *nnfs, uint32_t proposition, bool negated);
nnf nnf_and(struct nnfs *nnfs, nnf a, nnf b);
nnf nnf_or(struct nnfs *nnfs, nnf a, nnf b);
nnf nnf_iff(struct nnfs *nnfs, nnf a, nnf b);
nnf nnf_x(struct nnfs *nnfs, nnf a);
nnf nnf_u(struct nnfs *nnfs, nnf a, nnf b);
nnf nnf_r(struct nnfs *nnfs, nnf a, nnf b);
nnf nnf_weak_until(struct nnfs *nnfs, nnf a, nnf b);
nnf nnf_strong_release(struct nnfs *nnfs, nnf a, nnf b);
nnf nnf_negate(struct nnfs *nnfs, nnf f);

/* Whether the invariants hold. */
bool nnfs_check(const struct nnfs *nnfs);

#endif
