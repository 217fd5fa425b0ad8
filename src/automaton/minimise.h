/* The minimal automaton of a language, with states in the one order that dfa.h asks for. */
#ifndef CAIRN_AUTOMATON_MINIMISE_H
#define CAIRN_AUTOMATON_MINIMISE_H

#include "automaton/dfa.h"

/* Every state must be reached and must reach a final one; their numbers need no order. On
 * DAG_REFUSED the automaton is unchanged. */
enum dag_status minimise(struct dfa *dfa);

#endif
