#include "cli/translate.h"

#include "cli/door.h"
#include "run/translate.h"

#include <assert.h>
#include <string.h>

/* What goes to a second file beside x.smv, of the same stem: the order of the variables to x.ord;
 * beside x.xta, the queries to x.q. NULL: nothing. */
static const char *beside(const char *format)
{
    return !strcmp(format, "smv") ? "ord" : !strcmp(format, "xta") ? "q" : NULL;
}

static int write_beside(struct session *session, const struct options *options, const char *format)
{
    assert(options->output);
    const char *path = options->output, *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
    char *name = mem_alloc(session->mem, stem + strlen(format) + 2);
    memcpy(name, path, stem);
    name[stem] = '.';
    strcpy(name + stem + 1, format);
    FILE *file = door_open_file(options, name);
    if (!file) return EXIT_USAGE;
    int status = translate_find(format)->write(session, file);
    return door_close_file(file, name) ? status : EXIT_USAGE;
}

static int unknown(const char *format)
{
    fprintf(stderr, "cairn: error: --to does not know '%.40s':", format);
    for (const struct translate_format *each = translate_formats; each->name; each++)
        fprintf(stderr, "%s %s",
                each == translate_formats ? ""
                : each[1].name            ? ","
                                          : " or",
                each->name);
    fputc('\n', stderr);
    return EXIT_USAGE;
}

int translate_command(struct options *options, struct mem *mem)
{
    struct screen screen;
    struct session session;
    const struct translate_format *format = translate_find(options->ask.to);
    if (!format) return unknown(options->ask.to);
    door_open_session(&screen, &session, options, mem);
    if (!translate_load(&session, format)) return session.status;
    FILE *out = door_open_file(options, options->output);
    if (!out) return EXIT_USAGE;
    int status = format->write(&session, out);
    if (status == EXIT_HOLDS && options->output && beside(format->name))
        status = write_beside(&session, options, beside(format->name));
    return door_close_file(out, options->output) ? status : EXIT_USAGE;
}
