/* From guides to automata: the minimal deterministic automaton of all prefixes of a term's words.
 * All its states are final. */
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
