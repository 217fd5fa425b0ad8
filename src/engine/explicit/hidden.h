/* A search that is divided by p-points as in paper 003, with a hidden position. Inside of
 * engine/explicit only. */
#ifndef CAIRN_ENGINE_EXPLICIT_HIDDEN_H
#define CAIRN_ENGINE_EXPLICIT_HIDDEN_H

#include "engine/explicit/visit.h"

/* Always ends as incomplete: nothing guarantees coverage. */
bool hidden_run(struct search *search);

#endif
