/* Makes an automaton smaller without changing its language. */
#ifndef CAIRN_AUTOMATON_BUCHI_REDUCE_H
#define CAIRN_AUTOMATON_BUCHI_REDUCE_H

#include "automaton/buchi/automaton.h"

void reduce_automaton(struct automaton *automaton);

#endif
