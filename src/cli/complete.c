#include "cli/complete.h"

#include "cli/options.h"
#include "run/deadline.h"
#include "run/guidefile.h"
#include "run/load.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY = 1 << 29 };
static const double seconds = 1;

/* ---- the line ---- */

static bool is_model(const char *word)
{
    const size_t length = strlen(word);
    for (unsigned i = 0; languages[i]; i++) {
        const size_t suffix = strlen(languages[i]->extension);
        if (length > suffix && !strcmp(word + length - suffix, languages[i]->extension))
            return true;
        for (const char *const *other = languages[i]->others; other && *other; other++)
            if (length > strlen(*other) && !strcmp(word + length - strlen(*other), *other))
                return true;
    }
    return false;
}

/* What matters for names: the model, its constants, its context. Everything else is skipped, and so
 * is what is not finished. */
static void read_line(struct ask *ask, struct mem *mem, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        const bool has_next = i + 1 < argc;
        if (!strcmp(word, "--context") && has_next) ask->context = argv[++i];
        else if (!strncmp(word, "--context=", 10)) ask->context = word + 10;
        else if (!strcmp(word, "--dialect") && has_next) ask->dialect = argv[++i];
        else if (!strncmp(word, "-D", 2) || !strcmp(word, "--define")) {
            char *given = word[1] == 'D' && word[2] ? argv[i] + 2 : has_next ? argv[++i] : NULL;
            char *equals = given ? strchr(given, '=') : NULL;
            if (!equals) continue;
            *equals = 0;
            vec_push(mem, &ask->defines,
                     ((struct language_define){
                         .name = given, .value = strtoll(equals + 1, NULL, 10), .optional = true}));
        } else if (word[0] != '-' && is_model(word)) ask->file = word;
    }
}

/* ---- names ---- */

static void print_name(const char *file, const char *name)
{
    if (strchr(name, '\n')) return; /* a line has one */
    if (file) printf("%s:", file);
    puts(name);
}

static void print_properties(struct session *session)
{
    if (!session->ask->file || !load_model(session, session->ask->file)) return;
    for (uint32_t i = 0; i < session->model->properties.len; i++)
        print_name(NULL, session->model->properties.data[i].name);
    print_name(NULL, "deadlock");
    print_name(NULL, "runtime-error");
}

/* Of FILE:NAME, whose name may be empty or wrong. */
static const char *file_of(struct mem *mem, const char *word)
{
    const char *colon = strrchr(word, ':');
    const size_t length = colon ? (size_t)(colon - word) : strlen(word);
    char *file = mem_alloc(mem, length + 1);
    return memcpy(file, word, length);
}

static void print_contexts(struct session *session, const char *word)
{
    const char *file = file_of(session->mem, word), *name;
    session->ask->context = file;
    if (!load_context(session, &name)) return;
    for (uint32_t i = 0; i < cdl_context_count(session->cdl); i++)
        print_name(file, cdl_context_name(session->cdl, i, NULL));
}

static void print_guides(struct session *session, const char *word)
{
    struct guidefile_reader reader;
    struct guidefile_source source = {.file = file_of(session->mem, word)};
    guidefile_init(&reader, session->mem, &session->diag);
    if (!guidefile_parse(&reader, &source)) return;
    for (uint32_t i = 0; i < xgdl_guide_count(source.xgdl); i++)
        print_name(source.file, xgdl_guide_name(source.xgdl, i));
}

static void print_kind(struct mem *mem, int argc, char **argv)
{
    static const struct door nobody = {.quiet = true};
    struct ask ask;
    struct session session;
    const char *kind = argc > 0 ? argv[0] : "", *word = argc > 1 ? argv[1] : "";
    ask_init(&ask);
    ask.command = ASK_CHECK;
    ask.memory = MEMORY;
    session_init(&session, &ask, mem, &nobody);
    if (argc > 2) read_line(&ask, mem, argc - 2, argv + 2);
    if (!strcmp(kind, "properties")) print_properties(&session);
    else if (!strcmp(kind, "context")) print_contexts(&session, word);
    else if (*kind) print_guides(&session, word);
}

int complete_names(int argc, char **argv)
{
    struct mem mem;
    jmp_buf refused;
    if (!freopen("/dev/null", "w", stderr)) return EXIT_HOLDS;
    mem_init(&mem);
    mem.recover = &refused;
    deadline_begin(&(struct deadline_plan){.seconds = seconds});
    if (!setjmp(refused)) print_kind(&mem, argc, argv);
    fflush(stdout);
    mem_release(&mem);
    return EXIT_HOLDS;
}
