/* Splitting a guide into several that allow the same together, so that a search can be made in
 * parts. Splits follow the text of a term, and each rests on a law of languages; but whoever uses
 * one compares the languages first (phrase_split_union, compile.h). */
#ifndef CAIRN_AUTOMATON_GUIDE_PHRASE_SPLIT_H
#define CAIRN_AUTOMATON_GUIDE_PHRASE_SPLIT_H

#include "automaton/guide/phrase.h"

struct phrase_list {
    phrase *data;
    uint32_t len, cap;
};

enum phrase_split_kind {
    PHRASE_SPLIT_ALTERNATIVES, /* a [] b: a, and b; also where they are operands of `;` and `||` */
    PHRASE_SPLIT_PERMUTATIONS, /* {i,j} of [...]: one part for each choice of j operands, and of one
                            alternative in each of them */
    PHRASE_SPLIT_POSITION /* a*; f; a*: one part for each number of rounds up to `rounds`, and one
                       for more; also a* || f, if a is a choice of interactions */
};

enum phrase_split_status {
    PHRASE_SPLIT_DONE,
    PHRASE_SPLIT_NOTHING /* the term has nothing to split in this way */,
    PHRASE_SPLIT_TOO_MANY
};

enum { PHRASE_SPLIT_MAX_PARTS = 100000, PHRASE_SPLIT_ROUNDS = 8 };

/* Adds the parts to the list, which is the caller's, also when there are too many. `rounds`: of
 * PHRASE_SPLIT_POSITION, at least 1; of a bounded repetition all numbers of rounds when `rounds` is
 * 0. */
enum phrase_split_status phrase_split(struct phrases *terms, phrase t, enum phrase_split_kind kind,
                                      uint32_t rounds, struct phrase_list *parts);

/* The guide that allows what one of the parts allows. */
phrase phrase_split_union(struct phrases *terms, const struct phrase_list *parts);

#endif
