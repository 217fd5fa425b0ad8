/* cairn replay: runs a saved trace against its model, step by step, in the reference evaluator. */
#ifndef CAIRN_CLI_REPLAY_H
#define CAIRN_CLI_REPLAY_H

#include "cli/session.h"

int replay_run(struct options *options, struct mem *mem);

#endif
