/* LTL over a model: a formula becomes a generalised Büchi automaton whose propositions are Boolean
 * expressions of the model. */
#ifndef CAIRN_AUTOMATON_BUCHI_H
#define CAIRN_AUTOMATON_BUCHI_H

#include "automaton/buchi/automaton.h"
#include "automaton/buchi/nnf.h"
#include "model/model.h"

/* Proposition i is true where list.data[i] is. */
struct buchi_atoms {
    VEC(expr) list;
};

struct buchi {
    struct buchi_atoms atoms;
    struct automaton automaton;
};

/* The automaton of f, or of its negation. Returns NULL, or why it could not be built (too many
 * parts). */
const char *buchi_translate(struct buchi *buchi, struct model *model, formula f, bool negated);
/* The negation normal form of f, or of its negation, as it is written: not simplified, its atoms
 * not taken apart. Returns NULL, or why not. */
const char *buchi_normalise(struct nnfs *nnfs, struct buchi_atoms *atoms, struct model *model,
                            formula f, bool negated, nnf *root);
void buchi_release(struct buchi *buchi, const struct model *model);

#endif
