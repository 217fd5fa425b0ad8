/* cairn simulate: random runs, or steps chosen by hand. */
#ifndef CAIRN_CLI_SIMULATE_H
#define CAIRN_CLI_SIMULATE_H

#include "cli/options.h"

int simulate_command(struct options *options, struct mem *mem);

#endif
