/* The doors that are folders of their own, as commands: `cairn serve` prints the address of the
 * page (serve/serve.h), `cairn lsp` speaks to an editor (lsp/lsp.h). */
#ifndef CAIRN_DOORS_DOORS_H
#define CAIRN_DOORS_DOORS_H

#include "cli/options.h"

int doors_serve(struct options *options, struct mem *mem);
int doors_edit(struct options *options, struct mem *mem);

#endif
