/* `cairn serve`: prints the address of the page (serve/serve.h). */
#ifndef CAIRN_CLI_SERVE_H
#define CAIRN_CLI_SERVE_H

#include "cli/options.h"

int serve_command(struct options *options, struct mem *mem);

#endif
