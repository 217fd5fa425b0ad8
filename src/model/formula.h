/* Formulas of properties: temporal operators over atoms, which are Boolean expressions of the
 * model. Maximal parts without temporal operators are one atom. */
#ifndef CAIRN_MODEL_FORMULA_H
#define CAIRN_MODEL_FORMULA_H

#include "base/diag.h"
#include "model/expr.h"

typedef struct {
    uint32_t i;
} formula;

enum formula_op {
    FORMULA_ATOM,
    FORMULA_NOT,
    FORMULA_AND,
    FORMULA_OR,
    FORMULA_IMPLIES,
    FORMULA_IFF,
    FORMULA_X, /* path operators */
    FORMULA_F,
    FORMULA_G,
    FORMULA_U,
    FORMULA_R,
    FORMULA_W,
    FORMULA_A, /* path quantifiers: their operand is a path operator */
    FORMULA_E,
    FORMULA_CLOCK,    /* atoms of queries: a clock constraint of the model; ... */
    FORMULA_DEADLOCK, /* ... nothing is possible any more, however long one waits */
    FORMULA_OPS
};

struct formula_info {
    const char *word, *symbol;
    uint8_t arity;
    uint8_t strength;
};
extern const struct formula_info formula_table[FORMULA_OPS];

/* The Boolean operators of expressions, as operators of formulas; 0 for the others. */
extern const uint8_t formula_of_expr[EXPR_OPS];

struct formula_node {
    uint8_t op;
    formula a, b;
    expr atom;
    uint32_t constraint; /* CLOCK: into the model's constraints */
    struct place place;
};

struct formulas {
    struct mem *mem;
    VEC(struct formula_node) nodes;
};

void formulas_init(struct formulas *formulas, struct mem *mem);
formula formula_atom(struct formulas *formulas, expr atom, struct place place);
formula formula_clock(struct formulas *formulas, uint32_t constraint, struct place place);
formula formula_deadlock(struct formulas *formulas, struct place place);
/* Boolean operators over atoms are folded into one atom. */
formula formula_make(struct formulas *formulas, struct exprs *exprs, enum formula_op op, formula a,
                     formula b, struct place place);
static inline const struct formula_node *formula_get(const struct formulas *formulas, formula f)
{
    return &formulas->nodes.data[f.i];
}

/* When f says "always p" for a p without temporal operators (G p, AG p, !F q, !EF q, conjunctions
 * of these), finds p. */
bool formula_is_invariant(struct formulas *formulas, struct exprs *exprs, formula f, expr *always);

#endif
