/* An equivalent formula that makes a smaller automaton. */
#ifndef CAIRN_AUTOMATON_BUCHI_SIMPLIFY_H
#define CAIRN_AUTOMATON_BUCHI_SIMPLIFY_H

#include "automaton/buchi/nnf.h"

nnf simplify_formula(struct nnfs *nnfs, nnf f);

#endif
