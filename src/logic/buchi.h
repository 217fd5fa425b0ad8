/* LTL over a model: a formula becomes a generalised Büchi automaton whose propositions are Boolean expressions of the model. */
#ifndef CAIRN_LOGIC_BUCHI_H
#define CAIRN_LOGIC_BUCHI_H

#include "logic/automaton.h"
#include "model/model.h"

struct buchi {
    VEC(expr) atoms; /* proposition i is true where atoms.data[i] is */
    struct automaton automaton;
};

/* The automaton of f, or of its negation. Returns NULL, or why it could not be built (too many parts). */
const char *buchi_translate(struct buchi *buchi, struct model *model, formula f, bool negated);
void buchi_release(struct buchi *buchi, const struct model *model);

#endif
