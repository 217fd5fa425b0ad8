/* cairn explore and cairn check. */
#ifndef CAIRN_CLI_SEARCH_H
#define CAIRN_CLI_SEARCH_H

#include "cli/session.h"

int search_explore(struct options *options, struct mem *mem);
int search_check(struct options *options, struct mem *mem);

/* Every trace is replayed in the reference evaluator before it is shown; one that does not replay
 * is an internal error. */
bool search_verify_traces(const struct model *model, const struct task *task);

/* The same in silence, and the engine has found nothing wrong with itself. */
bool search_is_sound(const struct model *model, const struct task *task,
                     const struct result *result);

#endif
