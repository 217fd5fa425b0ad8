/* From guides to automata: the minimal deterministic automaton of all prefixes of a term's words.
 * All its states are final. What must hold, here and for whoever uses guides:
 *  1. No term is without a word: whatever has begun can be finished. So prefixes may be taken
 *     early, and all states of a guide are final.
 *  2. Operands are minimal before an operation works on them; an operation makes only sets of
 *     configurations that are reached.
 *  3. A limit is a status, never a wrong automaton. A split is written only after the languages
 *     were compared.
 *  4. What a guide does to a step depends on its alphabet, too: the names in its text
 *     (xgdl_mark_alphabet), which its term, and more so a part of it, may have lost. Whoever
 *     searches, writes or compares guides takes names from there. */
#ifndef CAIRN_AUTOMATON_GUIDE_COMPILE_H
#define CAIRN_AUTOMATON_GUIDE_COMPILE_H

#include "automaton/guide/dfa.h"
#include "automaton/guide/phrase.h"

/* BUILD_TOO_LARGE: the automaton, or that of a part of the term, needs more than max_states states,
 * before or after it is minimised. The automaton is empty then, as when memory is refused;
 * dfa_release is right in any case. */
enum build_status compile_guide(struct dfa *dfa, struct mem *mem, const struct phrases *terms,
                                phrase t, uint32_t max_states);

/* The term's words alone, without their prefixes. */
enum build_status compile_words(struct dfa *dfa, struct mem *mem, const struct phrases *terms,
                                phrase t, uint32_t max_states);

#endif
