/* cairn explore and cairn check. */
#ifndef CAIRN_CLI_SEARCH_H
#define CAIRN_CLI_SEARCH_H

#include "cli/options.h"

int search_explore(struct options *options, struct mem *mem);
int search_check(struct options *options, struct mem *mem);

#endif
