/* Which locations of processes were reached in a finished search: for the list of those that never are. */
#ifndef CAIRN_PROGRAM_REACHED_H
#define CAIRN_PROGRAM_REACHED_H

#include "program/layout.h"
#include "result/result.h"
#include "solver/store.h"

/* Fills result->reached, from result->taken and, where that does not tell, from the stored states. */
void reached_find(struct model *model, const struct layout *layout, const struct store *store, struct result *result);

#endif
