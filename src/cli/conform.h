/* cairn conform: whether a recorded log is the beginning of a run of the model. */
#ifndef CAIRN_CLI_CONFORM_H
#define CAIRN_CLI_CONFORM_H

#include "cli/options.h"

int conform_command(struct options *options, struct mem *mem);

#endif
