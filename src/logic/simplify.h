/* An equivalent formula that makes a smaller automaton. */
#ifndef CAIRN_LOGIC_SIMPLIFY_H
#define CAIRN_LOGIC_SIMPLIFY_H

#include "logic/nnf.h"

nnf simplify_formula(struct nnfs *nnfs, nnf f);

#endif
