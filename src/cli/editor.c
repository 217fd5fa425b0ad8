#include "cli/editor.h"

#include "lsp/lsp.h"

int editor_command(struct options *options, struct mem *mem)
{
    (void)options;
    return lsp_run(mem);
}
