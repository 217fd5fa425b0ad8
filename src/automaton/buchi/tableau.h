/* A formula becomes an automaton that accepts exactly the words on which it is true. */
#ifndef CAIRN_AUTOMATON_BUCHI_TABLEAU_H
#define CAIRN_AUTOMATON_BUCHI_TABLEAU_H

#include "automaton/buchi/automaton.h"
#include "automaton/buchi/nnf.h"

/* Simplifies f, builds its automaton, and reduces that. Returns NULL, or why it could not be
 * built. */
const char *tableau_translate(struct nnfs *nnfs, nnf f, struct automaton *automaton);

#endif
