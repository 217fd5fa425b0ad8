/* cairn status: how far the work in a folder is, as a table or as JSON. */
#ifndef CAIRN_CLI_STATUS_H
#define CAIRN_CLI_STATUS_H

#include "cli/options.h"

int status_command(struct options *options, struct mem *mem);
/* The same once, after some of the work was done. False after a message. */
bool status_show(struct options *options, struct mem *mem, const char *folder);

#endif
