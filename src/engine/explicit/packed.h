/* The space of packed words: what the explicit engine searches. */
#ifndef CAIRN_ENGINE_EXPLICIT_PACKED_H
#define CAIRN_ENGINE_EXPLICIT_PACKED_H

#include "search/space.h"

extern const struct space_kind packed_kind;

/* Has the states of a space in the table itself (search/dense.h), for an order that can do with
 * that; false: they are too large. */
bool packed_be_dense(struct space *space);

#endif
