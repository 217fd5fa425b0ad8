#include "doors.h"

#include "cli/door.h"
#include "lsp/lsp.h"
#include "serve/serve.h"

static bool print_address(const char *address)
{
    printf("%s\n", address);
    return door_close_file(stdout, NULL);
}

int doors_serve(struct options *options, struct mem *mem)
{
    const char *why = NULL;
    const struct serve_plan plan = {.mem = mem,
                                    .model = options->ask.file,
                                    .port = (uint16_t)options->port,
                                    .ready = print_address};
    if (serve_run(&plan, &why)) return EXIT_HOLDS;
    fprintf(stderr, "cairn: error: cannot serve %s: %s\n",
            options->ask.file ? options->ask.file : "the current folder", why);
    return EXIT_USAGE;
}

int doors_edit(struct options *options, struct mem *mem)
{
    (void)options;
    return lsp_run(mem);
}
