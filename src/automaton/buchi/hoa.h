/* Automata in the Hanoi Omega-Automata format, version 1, and for people.
 *
 * The writer uses edge labels and edge marks, or accepting states when asked. The reader takes one
 * automaton that is not alternating, with the acceptance conditions that are conjunctions of Inf:
 * Buchi, generalized-Buchi, all, none, and those with Inf(!x). Labels may stand on edges or states
 * or be implicit, aliases are followed, several initial states become one. */
#ifndef CAIRN_AUTOMATON_BUCHI_HOA_H
#define CAIRN_AUTOMATON_BUCHI_HOA_H

#include "automaton/buchi/alphabet.h"
#include "automaton/buchi/automaton.h"

#include <stdio.h>

void hoa_write(FILE *out, const struct automaton *automaton, const struct alphabet *alphabet,
               const char *name, bool accepting_states);
/* A never claim of Spin. The automaton must have accepting states (product_degeneralise). */
void hoa_write_never(FILE *out, const struct automaton *automaton, const struct alphabet *alphabet);
void hoa_write_dot(FILE *out, const struct automaton *automaton, const struct alphabet *alphabet);
void hoa_write_text(FILE *out, const struct automaton *automaton, const struct alphabet *alphabet);

/* False after diagnostics. */
bool hoa_read(struct diag *diag, uint32_t source, struct alphabet *alphabet,
              struct automaton *automaton);

#endif
