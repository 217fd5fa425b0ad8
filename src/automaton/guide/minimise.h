/* The minimal automaton of a language, with states in the one order that dfa.h asks for. */
#ifndef CAIRN_AUTOMATON_GUIDE_MINIMISE_H
#define CAIRN_AUTOMATON_GUIDE_MINIMISE_H

#include "automaton/guide/dfa.h"

/* Every state must be reached and must reach a final one; their numbers need no order. On
 * BUILD_REFUSED the automaton is unchanged. */
enum build_status minimise(struct dfa *dfa);

#endif
