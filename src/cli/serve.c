#include "cli/serve.h"

#include "cli/door.h"
#include "serve/serve.h"

static bool print_address(const char *address)
{
    printf("%s\n", address);
    return door_close_file(stdout, NULL);
}

int serve_command(struct options *options, struct mem *mem)
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
