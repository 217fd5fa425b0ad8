/* Whether a language is part of another one, with a shortest word that shows that it is not. */
#ifndef CAIRN_AUTOMATON_GUIDE_COMPARE_H
#define CAIRN_AUTOMATON_GUIDE_COMPARE_H

#include "automaton/guide/dfa.h"

struct compare_word {
    bool exists;
    uint32_t *labels; /* the caller frees them, in the memory of the automata */
    uint32_t length;
};

/* A shortest word of a that b does not have, the first by labels among those of its length. */
enum build_status compare_within(const struct dfa *a, const struct dfa *b,
                                 struct compare_word *word);
/* A shortest word that only one of them has; `*of_first` (if it exists) says whether that is a. */
enum build_status compare_equal(const struct dfa *a, const struct dfa *b, struct compare_word *word,
                                bool *of_first);

/* Of automata whose states are all final, a within b: `both_end[s]` (room for every state of a)
 * says whether nothing follows state s, nor any state of b that a word to s leads to. */
enum build_status compare_ends(const struct dfa *a, const struct dfa *b, bool *both_end);

#endif
