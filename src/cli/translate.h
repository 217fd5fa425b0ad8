/* cairn translate: the model in another language, or its state graph. */
#ifndef CAIRN_CLI_TRANSLATE_H
#define CAIRN_CLI_TRANSLATE_H

#include "cli/options.h"

int translate_command(struct options *options, struct mem *mem);

#endif
