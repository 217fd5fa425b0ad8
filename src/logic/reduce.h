/* Makes an automaton smaller without changing its language. */
#ifndef CAIRN_LOGIC_REDUCE_H
#define CAIRN_LOGIC_REDUCE_H

#include "logic/automaton.h"

void reduce_automaton(struct automaton *automaton);

#endif
