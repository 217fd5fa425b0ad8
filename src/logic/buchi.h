/* LTL to automata: a formula becomes a generalised Büchi automaton that accepts exactly the words on which it is true.
 *
 * The tableau of Gerth, Peled, Vardi and Wolper (1995): a state is a consistent set of subformulas that it promises, split into what must be
 * true now (literals) and what must be true next. Subformulas are hash-consed in negation normal form and simplified first, so that
 * equal promises are one bit. For every `f U g` there is one acceptance set: the states that do not promise it or fulfil it.
 * States are labelled: a run is in a state while it reads a letter that satisfies the state's literals. */
#ifndef CAIRN_LOGIC_BUCHI_H
#define CAIRN_LOGIC_BUCHI_H

#include "model/model.h"

enum { BUCHI_MAX_SUBFORMULAS = 256, BUCHI_MAX_STATES = 1 << 14, BUCHI_MAX_ATOMS = 64, BUCHI_MAX_ACCEPTANCE = 64 };

struct buchi_state {
    uint64_t positive, negative; /* atoms that must be true, must be false */
    uint64_t accepting;          /* the acceptance sets it belongs to */
    uint32_t first_edge, edges;  /* into buchi.targets */
};

struct buchi {
    VEC(expr) atoms;
    VEC(struct buchi_state) states;
    VEC(uint32_t) targets;
    VEC(uint32_t) initial;
    uint32_t acceptance; /* number of acceptance sets: a run visits each infinitely often */
};

/* The automaton of f, or of its negation. Returns NULL, or why it could not be built (too many parts). */
const char *buchi_translate(struct buchi *buchi, struct model *model, formula f, bool negated);
void buchi_release(struct buchi *buchi, const struct model *model);

#endif
