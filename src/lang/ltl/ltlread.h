/* Reads LTL formulas over free propositions, and words.
 *
 * Formulas: `!`, `X`, `F`, `G`, `U`, `R`, `W`, `M` (strong release), `&`, `|`, `->`, `<->`, `^`
 * (exclusive or), `true`, `false`, `1`, `0`, and the spellings of Spin (`[]`, `<>`, `V`). Operators
 * may be written in front of a name: `GFa` is G F a; a name that begins with X, F or G must be
 * quoted ("Go").
 *
 * Words: letters, then a cycle: `a & !b; 1; cycle{b; !b}`. A letter is a conjunction of literals;
 * propositions that it does not name are false. */
#ifndef CAIRN_LANG_LTL_LTLREAD_H
#define CAIRN_LANG_LTL_LTLREAD_H

#include "automaton/buchi/alphabet.h"
#include "automaton/buchi/product.h"
#include "automaton/buchi/nnf.h"

#include <stdio.h>

/* False after diagnostics. */
bool ltlread_formula(struct diag *diag, uint32_t source, struct alphabet *alphabet,
                     struct nnfs *nnfs, nnf *f);
bool ltlread_word(struct diag *diag, uint32_t source, struct alphabet *alphabet, struct word *word);

#endif
