/* A set of packed states of one word, which stand in the table itself (solver/wordset.h). Their
 * words are kept beside it, in the order of their numbers, only until they are expanded: a state
 * costs little more than a slot, and to look one up is one cache miss.
 *
 * What it cannot say is the number of a state that is known; nor, later, what state had a number.
 * So it is for an order that asks neither (`forgets`).
 *
 * States of several words are in one when a tree (solver/tree.h) makes words of them: the table has
 * these words. Lists of the tree grow only while states are added; a step whose state needs an
 * entry that is not there yet has no hash (0), and leads to a state that is not known. */
#ifndef CAIRN_SEARCH_DENSE_H
#define CAIRN_SEARCH_DENSE_H

#include "search/set.h"
#include "solver/tree.h"
#include "solver/wordset.h"

extern const struct set_kind dense_kind;
extern const struct set_kind dense_tree_kind; /* of a space with a tree */

/* Whether states with such records can be in one. */
bool dense_can(uint32_t state_bits, uint32_t record_bytes, uint32_t key_bytes);
const struct wordset *dense_words(const struct set *set);
/* Of a set with a tree: a view shows one of its states; adds a state to an empty one, or to one
 * that has been added to in this way only. False: memory was refused. */
void dense_show(const struct set *set, uint64_t state, struct tree_view *view);
bool dense_append(struct set *set, const uint64_t *words);

#endif
