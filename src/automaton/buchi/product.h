/* Products of automata, and words that an automaton accepts. */
#ifndef CAIRN_AUTOMATON_BUCHI_PRODUCT_H
#define CAIRN_AUTOMATON_BUCHI_PRODUCT_H

#include "automaton/buchi/automaton.h"
#include "automaton/buchi/word.h"

/* An automaton for the words that both accept. Returns NULL, or why it could not be built. */
const char *product_make(const struct automaton *a, const struct automaton *b,
                         struct automaton *product);

/* Finds a word that the automaton accepts; false: there is none. Propositions that do not matter
 * are false in it. */
bool product_find_word(const struct automaton *automaton, struct word *word);

/* An automaton for this word only; `care` are the propositions that are compared. */
void product_word_automaton(const struct word *word, uint64_t care, struct mem *mem,
                            struct automaton *automaton);

/* The same language with at most one acceptance set, and all edges of a state marked or none: a
 * Büchi automaton with accepting states. */
void product_degeneralise(struct automaton *automaton);

#endif
