/* The space of packed words: what the explicit engine searches. */
#ifndef CAIRN_ENGINE_EXPLICIT_PACKED_H
#define CAIRN_ENGINE_EXPLICIT_PACKED_H

#include "search/space.h"

extern const struct space_kind packed_kind;

/* Has the states of a space in the table itself (search/dense.h), for an order that can do with
 * that; false: they are too large. */
bool packed_be_dense(struct space *space);
/* Has those of a space that are wider as words that a tree makes of them (solver/tree.h), once
 * there are many; `must`: soon, and even if that takes more memory. False: they cannot be, or need
 * not. */
bool packed_fold_later(struct space *space, bool must);

#endif
