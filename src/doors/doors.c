#include "doors/doors.h"

#include "cli/door.h"
#include "lsp/lsp.h"
#include "serve/serve.h"

#include <assert.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static bool print_address(const char *address)
{
    printf("%s\n", address);
    return door_close_file(stdout, NULL);
}

/* The program beside this one, or where it is installed, that has the library for it. Returns when
 * there is none. */
static void start_other(const struct options *options)
{
    static const char *const places[] = {"/cairn-serve", "/../lib/cairn/cairn-serve"};
    char here[PATH_MAX], path[PATH_MAX + 32], port[32];
    const ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
    here[length > 0 ? length : 0] = 0;
    char *name = strrchr(here, '/');
    if (!name || !strcmp(name, places[0])) return; /* that is this one */
    *name = 0;
    snprintf(port, sizeof port, "%llu", (unsigned long long)options->port);
    char *words[] = {"cairn", "serve", "--port", port, (char *)options->ask.file, NULL};
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s%s", here, places[i]);
        execv(path, words);
    }
}

int doors_serve(struct options *options, struct mem *mem)
{
    const char *why = NULL;
    assert(options->port <= UINT16_MAX);
    if (!serve_can()) start_other(options);
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
