/* All contexts of a file, or all guides, or the parts of a guide that is split: one after the other
 * or some at the same time (--threads), and their results as one: a matrix of them and the
 * properties. With --results each result is kept in a file, and --resume searches only what has
 * none. */
#ifndef CAIRN_CLI_CONTEXTS_H
#define CAIRN_CLI_CONTEXTS_H

#include "cli/guided.h"
#include "cli/options.h"

/* Whether --context names a file with several contexts and none of them. False also after an error,
 * which the search will tell. */
bool contexts_are_several(struct options *options, struct mem *mem);

/* run(options, mem) searches one context, with --json. `guides`: NULL: contexts. Returns the exit
 * status. */
int contexts_run(struct options *options, struct mem *mem, const struct guided_list *guides,
                 const char *command, int (*run)(struct options *options, struct mem *mem));

#endif
