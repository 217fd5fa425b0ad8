#ifndef CAIRN_CLI_EDITOR_H
#define CAIRN_CLI_EDITOR_H

#include "cli/options.h"

int editor_command(struct options *options, struct mem *mem);

#endif
