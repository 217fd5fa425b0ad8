/* The propositions of automata that stand for themselves: names, in the order of their numbers. */
#ifndef CAIRN_LOGIC_ALPHABET_H
#define CAIRN_LOGIC_ALPHABET_H

#include "base/diag.h"
#include "base/text.h"
#include "logic/nnf.h"

struct alphabet {
    struct mem *mem;
    struct names *names; /* where they are interned */
    VEC(const char *) propositions;
};

/* The number of a name, which may be new; AUTOMATON_NONE when there are too many. */
uint32_t alphabet_number(struct alphabet *alphabet, const char *name);

#endif
