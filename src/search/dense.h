/* A set of packed states of one word, which stand in the table itself (solver/wordset.h). Their
 * words are kept beside it, in the order of their numbers, only until they are expanded: a state
 * costs little more than a slot, and to look one up is one cache miss.
 *
 * What it cannot say is the number of a state that is known; nor, later, what state had a number.
 * So it is for an order that asks neither (`forgets`). */
#ifndef CAIRN_SEARCH_DENSE_H
#define CAIRN_SEARCH_DENSE_H

#include "search/set.h"
#include "solver/wordset.h"

extern const struct set_kind dense_kind;

/* Whether states with such records can be in one. */
bool dense_can(uint32_t state_bits, uint32_t record_bytes, uint32_t key_bytes);
const struct wordset *dense_words(const struct set *set);

#endif
