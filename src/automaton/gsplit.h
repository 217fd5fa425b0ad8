/* Splitting a guide into several that allow the same together, so that a search can be made in
 * parts. Splits follow the text of a term, and each rests on a law of languages; but whoever uses
 * one compares the languages first (gsplit_union, compile.h). */
#ifndef CAIRN_AUTOMATON_GSPLIT_H
#define CAIRN_AUTOMATON_GSPLIT_H

#include "automaton/gterm.h"

struct gterm_list {
    gterm *data;
    uint32_t len, cap;
};

enum gsplit_kind {
    GSPLIT_ALTERNATIVES, /* a [] b: a, and b; also where they are operands of `;` and `||` */
    GSPLIT_PERMUTATIONS, /* {i,j} of [...]: one part for each choice of j operands, and of one
                            alternative in each of them */
    GSPLIT_POSITION /* a*; f; a*: one part for each number of rounds up to `rounds`, and one for
                       more; also a* || f, if a is a choice of interactions */
};

enum gsplit_status {
    GSPLIT_DONE,
    GSPLIT_NOTHING /* the term has nothing to split in this way */,
    GSPLIT_TOO_MANY
};

enum { GSPLIT_MAX_PARTS = 100000, GSPLIT_ROUNDS = 8 };

/* Adds the parts to the list, which is the caller's, also when there are too many. `rounds`: of
 * GSPLIT_POSITION, at least 1; of a bounded repetition all numbers of rounds when `rounds` is 0. */
enum gsplit_status gsplit(struct gterms *terms, gterm t, enum gsplit_kind kind, uint32_t rounds,
                          struct gterm_list *parts);

/* The guide that allows what one of the parts allows. */
gterm gsplit_union(struct gterms *terms, const struct gterm_list *parts);

#endif
