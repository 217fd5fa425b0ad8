/* cairn replay: runs a saved trace against its model, step by step. */
#ifndef CAIRN_CLI_REPLAY_H
#define CAIRN_CLI_REPLAY_H

#include "cli/options.h"

int replay_command(struct options *options, struct mem *mem);

#endif
