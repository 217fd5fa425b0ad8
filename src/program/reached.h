/* Which locations of processes were reached in a finished search: for the list of those that never
 * are. */
#ifndef CAIRN_PROGRAM_REACHED_H
#define CAIRN_PROGRAM_REACHED_H

#include "program/layout.h"
#include "result/result.h"
#include "solver/store.h"
#include "solver/tree.h"
#include "solver/wordset.h"

/* States of a finished search, in one form or the other. */
struct reached_states {
    const struct store *store;
    const struct wordset *words;
    const struct tree *tree; /* whose records the words are, or NULL */
};

/* Fills result->reached, from result->taken and, where that does not tell, from the stored
 * states. */
void reached_find(struct model *model, const struct layout *layout, struct reached_states states,
                  struct result *result);

/* The same for a search that does not keep its states. First: which processes' locations must be
 * looked for in the states (one per process; the caller's). */
bool *reached_begin(struct model *model, struct result *result);
/* Looks at some states, once. */
void reached_scan(const struct model *model, const struct layout *layout,
                  struct reached_states states, struct result *result, const bool *scan);
/* At the end, from result->taken. */
void reached_end(const struct model *model, struct result *result);

#endif
