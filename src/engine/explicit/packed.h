/* The space of packed words: what the explicit engine searches. */
#ifndef CAIRN_ENGINE_EXPLICIT_PACKED_H
#define CAIRN_ENGINE_EXPLICIT_PACKED_H

#include "search/space.h"

extern const struct space_kind packed_kind;

#endif
