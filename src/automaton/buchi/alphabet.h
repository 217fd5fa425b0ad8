/* The propositions of automata that stand for themselves: names, in the order of their numbers. */
#ifndef CAIRN_AUTOMATON_BUCHI_ALPHABET_H
#define CAIRN_AUTOMATON_BUCHI_ALPHABET_H

#include "automaton/buchi/word.h"
#include "base/diag.h"
#include "base/text.h"

#include <stdio.h>

#include <stdio.h>

struct alphabet {
    struct mem *mem;
    struct names *names; /* where they are interned */
    VEC(const char *) propositions;
};

/* The number of a name, which may be new; AUTOMATON_NONE when there are too many. */
uint32_t alphabet_number(struct alphabet *alphabet, const char *name);

/* Letters and words in the syntax that lang/ltl reads, for messages. */
void alphabet_write_word(FILE *out, const struct alphabet *alphabet, const struct word *word);
void alphabet_write_letter(FILE *out, const struct alphabet *alphabet, uint64_t positive,
                           uint64_t negative);

#endif
