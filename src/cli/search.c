#include "cli/search.h"

#include "cli/door.h"
#include "cli/status.h"
#include "cli/submit.h"
#include "report/machine.h"
#include "report/matrix.h"
#include "report/page.h"
#include "report/processes.h"
#include "report/vcd.h"
#include "run/decide.h"
#include "run/divide.h"
#include "run/expect.h"
#include "run/slurm.h"

#include <assert.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* One search, and where it is told. */
struct telling {
    struct screen screen;
    struct session session;
    struct options *options;
    struct task task;
    struct result result;
};

/* ---- one result ---- */

static const struct property_result *first_trace(const struct task *task)
{
    for (uint32_t i = 0; i < task->property_count; i++)
        if (task->properties[i].trace) return &task->properties[i];
    return NULL;
}

static bool save_trace(const struct telling *telling)
{
    const struct options *options = telling->options;
    const struct property_result *entry = first_trace(&telling->task);
    if (!options->trace_file || !entry) return true;
    FILE *file = door_open_file(options, options->trace_file);
    if (!file) return false;
    if (vcd_is_name(options->trace_file)) vcd_write(file, telling->session.model, entry->trace);
    else machine_itf(file, telling->session.model, entry->trace, entry, options->raw);
    return door_close_file(file, options->trace_file);
}

static void write_object(const struct telling *telling, FILE *file, const char *trace_file)
{
    const struct options *options = telling->options;
    machine_result(file, options->command->name, telling->session.model, &telling->session.diag,
                   &telling->task, &telling->result,
                   &(struct machine_form){.trace_file = trace_file,
                                          .raw = options->raw,
                                          .advice = telling->session.advice.data,
                                          .advice_count = telling->session.advice.len});
}

/* The same for a page. */
static struct page make_page(struct telling *telling)
{
    telling->screen.samples.limit = telling->options->ask.memory;
    return (struct page){.command = telling->options->command->name,
                         .session = &telling->session,
                         .task = &telling->task,
                         .result = &telling->result,
                         .samples = &telling->screen.samples,
                         .trace_file = telling->options->trace_file,
                         .raw = telling->options->raw};
}

static bool tell(struct telling *telling)
{
    struct options *options = telling->options;
    const struct session *session = &telling->session;
    const struct property_result *traced = first_trace(&telling->task);
    const char *trace_file = traced ? options->trace_file : NULL;
    bool written = true;
    assert(!options->told); /* there is one object */
    if (options->json) {
        FILE *file = door_open_file(options, options->json_file);
        if (file) door_has_told();
        if (file) write_object(telling, file, trace_file);
        options->told = true; /* before that, memory may have been refused; once the object has
                                 begun it is told whole */
        written = file && door_close_file(file, options->json_file);
    }
    if (!options->json || options->json_file) {
        const struct report_style *style = &telling->screen.style;
        if (options->ask.command == ASK_CHECK)
            report_check(style, session->model, &session->diag, &telling->task, &telling->result);
        else report_explore(style, session->model, &session->diag, &telling->result);
        report_advice(style, session->advice.data, session->advice.len);
        if (trace_file)
            printf("Saved the trace of %s in %s.\n", traced->property->name, trace_file);
    }
    return door_close_file(stdout, NULL) && written;
}

static bool save_report(struct telling *telling)
{
    const char *path = telling->options->report_file;
    if (!path) return true;
    FILE *file = door_open_file(telling->options, path);
    const struct page page = make_page(telling);
    if (file) page_one(file, &page);
    return file && door_close_file(file, path);
}

/* A result is told whatever happens to the files. */
static int tell_all(struct telling *telling, int status)
{
    assert(status == EXIT_HOLDS || status == EXIT_VIOLATED || status == EXIT_INCONCLUSIVE);
    bool saved = save_trace(telling), told = tell(telling), reported = save_report(telling);
    return saved && told && reported ? status : EXIT_USAGE;
}

/* With --expect the status says whether all is as expected. */
static int compare(struct telling *telling, int status)
{
    struct options *options = telling->options;
    struct expect expect;
    if (!options->expect_file || status == EXIT_USAGE) return status;
    if (!expect_compare(&telling->session, options->expect_file, &telling->task, &telling->result,
                        &expect))
        return EXIT_USAGE;
    FILE *out = options->json && !options->json_file ? stderr : stdout;
    if (expect.unexpected) fprintf(out, "Not as expected:\n%s", expect.told.data);
    else if (!options->quiet)
        fprintf(out, "All is as expected (%u line%s of %s).\n", expect.lines,
                expect.lines == 1 ? "" : "s", options->expect_file);
    return !door_close_file(stdout, NULL) ? EXIT_USAGE
           : expect.unexpected            ? EXIT_VIOLATED
                                          : EXIT_HOLDS;
}

/* A part of the work was done: how far the whole is. */
static int tell_work(struct telling *telling, int status)
{
    struct options *options = telling->options;
    options->told = options->json;
    if (options->quiet && !options->json) return status;
    return status_show(options, telling->session.mem, options->ask.work) ? status : EXIT_USAGE;
}

static int search_one(struct telling *telling)
{
    int status;
    switch (decide_run(&telling->session, &telling->task, &telling->result, &status)) {
    case DECIDE_NONE: break;
    case DECIDE_TOLD: telling->options->told = true; break;
    case DECIDE_RESULT: return compare(telling, tell_all(telling, status));
    case DECIDE_WORKED: return tell_work(telling, status);
    }
    return status;
}

/* ---- several results ---- */

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

/* What was found goes to the process that puts all together, with the object that tells it. */
static int send_part(struct telling *telling, const struct divide_job *job, int status,
                     bool has_page)
{
    char *text = NULL;
    size_t size = 0;
    const char *trace_file = first_trace(&telling->task) ? telling->options->trace_file : NULL;
    bool saved = save_trace(telling);
    struct page page = make_page(telling);
    page.trace_file = trace_file;
    FILE *memory = open_memstream(&text, &size);
    if (memory) page_part(memory, &page, has_page);
    if (!memory || fclose(memory)) return free(text), EXIT_INCONCLUSIVE;
    bool sent = divide_send(job, telling->session.model, &telling->task, &telling->result, text,
                            saved ? status : EXIT_USAGE);
    free(text);
    return saved && sent ? status : EXIT_USAGE;
}

/* In a process of its own. */
static int search_part(void *context, struct ask *ask, const struct divide_job *job,
                       struct mem *mem)
{
    const struct telling *whole = context;
    struct options options = *whole->options;
    struct telling telling = {.options = &options};
    int status;
    options.ask = *ask;
    options.told = true; /* what there is to tell when nothing could be searched, the whole tells */
    options.json = true;
    options.json_file = NULL;
    options.quiet = true;
    options.progress = WHEN_NEVER;
    if (options.trace_file) options.trace_file = own_file(mem, options.trace_file, job->name);
    door_open_session(&telling.screen, &telling.session, &options, mem);
    telling.session.known = &whole->session.diag;
    if (decide_run(&telling.session, &telling.task, &telling.result, &status) != DECIDE_RESULT)
        return status;
    /* in a work folder somebody else may want a page of all */
    return send_part(&telling, job, status, options.report_file || whole->options->ask.work);
}

static bool tell_matrix(struct telling *telling, json_t *all)
{
    struct options *options = telling->options;
    bool good = true;
    assert(all && !options->told);
    struct page_texts *pages = page_take(telling->session.mem, all);
    if (options->json) {
        FILE *file = door_open_file(options, options->json_file);
        options->told = true;
        if (file) json_dumpf(all, file, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        if (file) fputc('\n', file);
        good = file && door_close_file(file, options->json_file);
    }
    if (!options->json || options->json_file) matrix_show(&telling->screen.style, all);
    if (options->report_file) {
        FILE *file = door_open_file(options, options->report_file);
        if (file) page_several(file, all, pages);
        good = file && door_close_file(file, options->report_file) && good;
    }
    page_texts_free(pages);
    return door_close_file(stdout, NULL) && good;
}

static int search_several(struct telling *telling, const struct guideload_list *guides)
{
    int status;
    json_t *all = divide_run(&telling->session, guides, search_part, telling, &status);
    if (!all && telling->session.worked) return tell_work(telling, status);
    if (!all) return status;
    bool told = tell_matrix(telling, all);
    json_decref(all);
    return told ? status : EXIT_USAGE;
}

/* One search, or one for each context or guide of a file. */
int search_check(struct options *options, struct mem *mem)
{
    struct guideload_list guides;
    struct telling telling = {.options = options};
    if (options->slurm) return submit_command(options, mem);
    if (options->ask.work) slurm_limits(&options->ask);
    door_open_session(&telling.screen, &telling.session, options, mem);
    bool contexts = divide_are_several(&telling.session);
    if (options->expect_file && (contexts || guideload_are_several(&telling.session, &guides))) {
        door_complain("--expect is for one search: name one context or guide (FILE:NAME)");
        return EXIT_USAGE;
    }
    if (options->ask.peers && (contexts || guideload_are_several(&telling.session, &guides))) {
        door_complain("several ranks do one search: name one context or guide (FILE:NAME)");
        return EXIT_USAGE;
    }
    if (contexts) return search_several(&telling, NULL);
    if (guideload_are_several(&telling.session, &guides)) return search_several(&telling, &guides);
    if (!options->ask.results || (options->ask.work && options->ask.split != SPLIT_NEVER))
        return search_one(&telling);
    if (options->ask.work) {
        door_complain("--work is the folder of a search that is divided: add --split, or a file of "
                      "several contexts or guides, or --split alternatives to a guide");
        return EXIT_USAGE;
    }
    door_complain("--results keeps the results of several searches: of all contexts or guides of a "
                  "file, or of the parts of a guide");
    return EXIT_USAGE;
}

/* ---- the process model ---- */

static int show_process_model(struct options *options, struct mem *mem)
{
    struct screen screen;
    struct session session;
    struct process_model process_model;
    bool *visible;
    door_open_session(&screen, &session, options, mem);
    if (!decide_process_model(&session, &process_model, &visible)) return session.status;
    FILE *file = options->json ? door_open_file(options, options->json_file) : NULL;
    options->told = options->json;
    if (file) processes_json(file, &session.diag, &process_model, visible);
    bool written = !options->json || (file && door_close_file(file, options->json_file));
    if (!options->json || options->json_file)
        processes_show(&screen.style, &process_model, visible);
    bool undecided = process_model.undecided;
    if (undecided)
        fprintf(stderr,
                "cairn: note: some guards are too hard to compare%s: they count as ones that may "
                "both hold\n",
                process_model.lacks_memory ? " in this memory" : "");
    process_model_release(&process_model);
    if (!door_close_file(stdout, NULL) || !written) return EXIT_USAGE;
    return undecided ? EXIT_INCONCLUSIVE : EXIT_HOLDS;
}

int search_explore(struct options *options, struct mem *mem)
{
    return options->ask.show_process_model ? show_process_model(options, mem)
                                           : search_check(options, mem);
}
