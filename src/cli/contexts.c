/* Each context is searched in a process of its own (workers.h) by the command itself with --json; the objects they print are put together here. So a context that runs out of memory leaves
 * the others alone, and what is said of one context is what a search of it alone says. */
#include "cli/contexts.h"

#include "base/clock.h"
#include "base/version.h"
#include "cli/session.h"
#include "cli/workers.h"
#include "report/matrix.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct contexts {
    struct session *session;
    struct options *options;
    const char *command;
    int (*run)(struct options *options, struct mem *mem);
    const char *file;
    uint32_t count, next, done;
    uint32_t running;
    json_t **results; /* NULL: none yet */
    int *statuses;
    double started, shown;
};

bool contexts_are_several(struct options *options, struct mem *mem)
{
    struct session session;
    struct diag *diag = &session.diag;
    if (!options->context) return false;
    session_init(&session, options, mem);
    diag->out = NULL; /* the search will tell what is wrong */
    const char *name;
    bool several = session_read_context(&session, &name) && !name && cdl_context_count(session.cdl) > 1;
    return several;
}

static const char *name_of(const struct contexts *contexts, uint32_t job)
{
    return cdl_context_name(contexts->session->cdl, job, NULL);
}

static bool next_job(void *context, uint32_t *job)
{
    struct contexts *contexts = context;
    if (contexts->next == contexts->count) return false;
    *job = contexts->next++;
    return true;
}

/* trace.itf.json becomes trace.NAME.itf.json. */
static const char *own_file(struct mem *mem, const char *path, const char *name)
{
    const char *slash = strrchr(path, '/'), *dot = strchr(slash ? slash : path, '.');
    size_t before = dot ? (size_t)(dot - path) : strlen(path);
    struct text text;
    text_init(&text, mem);
    text_add(&text, "%.*s.%s%s", (int)before, path, name, dot ? dot : "");
    return text.data;
}

static int run_job(void *context, uint32_t job)
{
    struct contexts *contexts = context;
    struct options options = *contexts->options;
    struct mem mem;
    jmp_buf recover;
    mem_init(&mem);
    struct text given, folder;
    text_init(&given, contexts->session->mem);
    text_add(&given, "%s:%s", contexts->file, name_of(contexts, job));
    options.context = given.data;
    options.json = true;
    options.json_file = options.report_file = NULL;
    options.quiet = true;
    options.progress = WHEN_NEVER;
    options.threads = 0;
    if (options.trace_file) options.trace_file = own_file(contexts->session->mem, options.trace_file, name_of(contexts, job));
    if (options.freeze) {
        text_init(&folder, contexts->session->mem);
        text_add(&folder, "%s/%s", options.freeze, name_of(contexts, job));
        options.freeze = folder.data;
    }
    mem.recover = &recover;
    if (setjmp(recover)) return EXIT_INCONCLUSIVE;
    return contexts->run(&options, &mem);
}

static void job_done(void *context, uint32_t job, const struct text *output, int status)
{
    struct contexts *contexts = context;
    json_error_t error;
    contexts->done++;
    contexts->statuses[job] = status;
    contexts->results[job] = output->len ? json_loadb(output->data, output->len, JSON_DECODE_ANY, &error) : NULL;
    if (contexts->results[job] && !json_is_object(contexts->results[job])) contexts->results[job] = NULL;
}

static void look(void *context, uint32_t running)
{
    struct contexts *contexts = context;
    double now = clock_now();
    const struct options *options = contexts->options;
    bool wanted = options->progress == WHEN_ALWAYS || (options->progress == WHEN_AUTO && isatty(STDERR_FILENO) && !options->quiet);
    contexts->running = running;
    if (!wanted || now - contexts->shown < 0.5) return;
    contexts->shown = now;
    fprintf(stderr, "\r\033[K%u of %u contexts, %.0f s", contexts->done, contexts->count, now - contexts->started);
    contexts->session->progress_shown = true;
}

/* ---- one result of all ---- */

static int64_t number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) ? strtoll(json_string_value(value), NULL, 10) : json_integer_value(value);
}

/* An object for a context that left none. */
static json_t *nothing(int status)
{
    const char *why = status < 0 ? "the search was killed" : status == EXIT_INCONCLUSIVE ? "memory ran out before there was a result" : "nothing was checked: see the messages on standard error";
    return json_pack("{s:s, s:b, s:s, s:[]}", "verdict", "unknown", "complete", 0, "assurance", why, "properties");
}

/* A row per property: its verdict in all contexts together. */
static void merge_property(json_t *properties, const json_t *row)
{
    const char *name = json_string_value(json_object_get(row, "name")), *verdict = json_string_value(json_object_get(row, "verdict"));
    size_t index;
    json_t *known;
    if (!name || !verdict) return;
    json_array_foreach(properties, index, known) {
        const char *before = json_string_value(json_object_get(known, "verdict"));
        if (strcmp(json_string_value(json_object_get(known, "name")), name)) continue;
        bool worse = !strcmp(verdict, "violated") || (!strcmp(verdict, "unknown") && strcmp(before, "violated"));
        if (worse) json_object_set_new(known, "verdict", json_string(verdict));
        return;
    }
    json_t *copy = json_object();
    static const char *const keys[] = {"name", "kind", "text", "verdict"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) json_object_set(copy, keys[i], json_object_get(row, keys[i]));
    json_object_set_new(copy, "trace", json_null());
    json_array_append_new(properties, copy);
}

static json_t *merge(struct contexts *contexts, int *status)
{
    json_t *list = json_array(), *properties = json_array();
    bool complete = true, violated = false, unknown = false, broken = false, usage = false;
    int64_t states = 0, transitions = 0, deadlocks = 0, peak = 0;
    double seconds = clock_now() - contexts->started;
    for (uint32_t i = 0; i < contexts->count; i++) {
        int own = contexts->statuses[i];
        json_t *result = contexts->results[i] ? contexts->results[i] : nothing(own), *row;
        const char *verdict = json_string_value(json_object_get(result, "verdict"));
        size_t index;
        json_object_set_new(result, "context", json_string(name_of(contexts, i)));
        complete &= json_is_true(json_object_get(result, "complete"));
        violated |= verdict ? !strcmp(verdict, "violated") : own == EXIT_VIOLATED;
        unknown |= verdict ? !strcmp(verdict, "unknown") : own == EXIT_INCONCLUSIVE;
        broken |= own == EXIT_INTERNAL;
        usage |= own == EXIT_USAGE;
        states += number_of(result, "states");
        transitions += number_of(result, "transitions");
        deadlocks += number_of(result, "deadlocks");
        if (number_of(result, "peak_memory_bytes") > peak) peak = number_of(result, "peak_memory_bytes");
        json_array_foreach(json_object_get(result, "properties"), index, row) merge_property(properties, row);
        json_array_append_new(list, result);
    }
    char assurance[200];
    snprintf(assurance, sizeof assurance, "%u contexts, each searched by itself: what holds is proved for what these contexts let the environment do%s", contexts->count,
             complete ? "" : "; some were not searched to the end");
    json_t *all = json_pack("{s:s, s:i, s:s, s:s, s:s, s:s}", "cairn", CAIRN_VERSION, "format", 1, "command", contexts->command, "model", contexts->options->file, "contexts_file", contexts->file,
                            "engine", "contexts");
    bool is_check = !strcmp(contexts->command, "check");
    if (is_check) json_object_set_new(all, "verdict", json_string(violated ? "violated" : unknown || !complete ? "unknown" : "holds"));
    json_object_set_new(all, "complete", json_boolean(complete));
    json_object_set_new(all, "assurance", json_string(assurance));
    json_object_set_new(all, "states", json_integer(states));
    json_object_set_new(all, "transitions", json_integer(transitions));
    json_object_set_new(all, "deadlocks", json_integer(deadlocks));
    json_object_set_new(all, "seconds", json_real(seconds));
    json_object_set_new(all, "peak_memory_bytes", json_integer(peak));
    if (is_check) json_object_set_new(all, "properties", properties);
    else json_decref(properties);
    json_object_set_new(all, "contexts", list);
    json_object_set_new(all, "statistics", json_object());
    *status = broken ? EXIT_INTERNAL : usage ? EXIT_USAGE : violated ? EXIT_VIOLATED : unknown || !complete ? EXIT_INCONCLUSIVE : EXIT_HOLDS;
    return all;
}

static bool tell(struct contexts *contexts, const json_t *all)
{
    const struct options *options = contexts->options;
    bool good = true;
    if (options->json) {
        FILE *file = options->json_file ? session_open(contexts->session, options->json_file) : stdout;
        contexts->options->told = true;
        if (file) json_dumpf(all, file, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        if (file) fputc('\n', file);
        good = file && session_close(file, options->json_file ? options->json_file : "standard output");
    }
    if (!options->json || options->json_file) matrix_show(&contexts->session->style, all);
    if (options->report_file) {
        FILE *file = session_open(contexts->session, options->report_file);
        if (file) matrix_html(file, all);
        good = file && session_close(file, options->report_file) && good;
    }
    return session_close(stdout, "standard output") && good;
}

int contexts_run(struct options *options, struct mem *mem, const char *command, int (*run)(struct options *options, struct mem *mem))
{
    struct session session;
    const char *name;
    session_init(&session, options, mem);
    if (!session_read_context(&session, &name)) {
        diag_finish(&session.diag);
        return EXIT_USAGE;
    }
    struct contexts contexts = {.session = &session, .options = options, .command = command, .run = run, .file = options->context, .count = cdl_context_count(session.cdl), .started = clock_now()};
    uint32_t at_once = options->threads > 1 ? (uint32_t)options->threads : 1;
    if (at_once > contexts.count) at_once = contexts.count;
    contexts.results = mem_alloc(mem, contexts.count * sizeof *contexts.results);
    contexts.statuses = mem_alloc(mem, contexts.count * sizeof *contexts.statuses);
    for (uint32_t i = 0; i < contexts.count; i++) contexts.statuses[i] = EXIT_INCONCLUSIVE; /* until it has been searched */
    options->memory = (options->memory ? options->memory : mem_available() / 5 * 4) / at_once;
    if (options->freeze) mkdir(options->freeze, 0777); /* the folders of contexts are made in it; what fails is told there */
    session_stop_at(SIGINT);
    session_stop_at(SIGTERM);
    struct workers workers = {.mem = mem, .at_once = at_once, .next = next_job, .run = run_job, .done = job_done, .look = look, .context = &contexts, .interrupted = session_interrupted()};
    bool good = workers_run(&workers);
    session_end_progress(&session);
    if (!good) fputs("cairn: error: not all processes could be started\n", stderr);
    int status;
    json_t *all = merge(&contexts, &status);
    bool told = tell(&contexts, all);
    json_decref(all);
    return told ? status : EXIT_USAGE;
}
