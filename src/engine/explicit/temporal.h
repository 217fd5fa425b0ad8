/* Temporal properties, on the graph of a complete search. */
#ifndef CAIRN_ENGINE_EXPLICIT_TEMPORAL_H
#define CAIRN_ENGINE_EXPLICIT_TEMPORAL_H

#include "search/search.h"

/* Decides those that single states have left open. A limit that is reached here leaves the state
 * space complete and the property unknown. */
void temporal_check(struct search *search);

#endif
