#include "cli/session.h"

#include "cli/guided.h"

#include "lang/cdl/cdl.h"
#include "lang/languages.h"
#include "pass/observe.h"
#include "pass/senders.h"
#include "pass/tighten.h"
#include "pass/weave.h"
#include "report/diagnostics.h"

#include <errno.h>
#include <setjmp.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool use_color(const struct options *options, FILE *stream)
{
    if (options->color != WHEN_AUTO) return options->color == WHEN_ALWAYS;
    return isatty(fileno(stream));
}

void session_init(struct session *session, struct options *options, struct mem *mem)
{
    memset(session, 0, sizeof *session);
    session->options = options;
    session->mem = mem;
    if (!mem->limit)
        mem_set_limit(mem, options->memory ? options->memory
                                           : mem_available() / 5 * 4); /* reading counts, too */
    diag_init(&session->diag, mem);
    diagnostics_open(&session->diag, stderr, use_color(options, stderr));
    session->diag.quiet = options->quiet;
    session->status = EXIT_USAGE;
    session->style =
        (struct report_style){stdout,         use_color(options, stdout), options->full,
                              options->quiet, options->verbose,           options->raw};
}

/* ---- contexts ---- */

const char *session_split_name(struct session *session, const char *given, const char **name)
{
    const char *colon = strrchr(given, ':');
    *name = NULL;
    if (!colon || !colon[1] || strchr(colon, '/') || !access(given, F_OK)) return given;
    char *file = mem_alloc(session->mem, (size_t)(colon - given) + 1);
    memcpy(file, given, (size_t)(colon - given));
    *name = colon + 1;
    return file;
}

static const char *split_context(struct session *session, const char **name)
{
    return session_split_name(session, session->options->context, name);
}

/* Reads the file of --context. Constants that only the context knows are no mistake in -D. */
static bool read_context(struct session *session)
{
    struct options *options = session->options;
    const char *name;
    uint32_t source;
    if (!options->context) return true;
    const char *file = split_context(session, &name);
    if (diag_read_source(&session->diag, file, &source))
        session->cdl = cdl_read(&session->diag, session->mem, source);
    for (uint32_t i = 0; session->cdl && i < options->defines.len; i++)
        options->defines.data[i].optional |=
            cdl_has_constant(session->cdl, options->defines.data[i].name);
    return session->cdl != NULL;
}

bool session_read_context(struct session *session, const char **name)
{
    split_context(session, name);
    return read_context(session);
}

/* Which context of the file: the one that is named, or the only one. */
static bool choose_context(struct session *session, uint32_t *index)
{
    const char *name, *nearest = NULL, *file = split_context(session, &name);
    unsigned distance = 0;
    uint32_t count = cdl_context_count(session->cdl);
    for (*index = 0; *index < count; ++*index) {
        const char *each = cdl_context_name(session->cdl, *index, NULL);
        if (name ? !strcmp(name, each) : count == 1) return true;
        if (name) text_nearest(name, each, &nearest, &distance);
    }
    if (name && nearest)
        fprintf(stderr, "cairn: error: %s has no context '%.60s': did you mean '%s'?\n", file, name,
                nearest);
    else
        fprintf(stderr,
                name
                    ? "cairn: error: %s has no context '%.60s'; it has"
                    : "cairn: error: %s has several contexts: choose one with --context FILE:NAME:",
                file, name);
    for (uint32_t i = 0; !(name && nearest) && i < count; i++)
        fprintf(stderr, "%s %s", i ? "," : "", cdl_context_name(session->cdl, i, NULL));
    if (!(name && nearest)) fputc('\n', stderr);
    session->diag.errors++;
    return false;
}

/* What the user has set is part of every claim about the model. */
static void mark_constants(struct session *session)
{
    const struct options *options = session->options;
    for (uint32_t c = 0; c < session->model->constants.len; c++)
        for (uint32_t i = 0; i < options->defines.len; i++) {
            struct model_constant *constant = &session->model->constants.data[c];
            constant->is_set |= !strcmp(constant->name, options->defines.data[i].name);
        }
}

/* Composes the model with the context. */
static bool weave(struct session *session)
{
    struct model *model = session->model;
    uint32_t index;
    if (!session->cdl) return true;
    if (!choose_context(session, &index)) return false;
    struct context *context = cdl_context(
        session->cdl, index, model, session->options->defines.data, session->options->defines.len);
    if (!context || !senders_settle(model, context, &session->diag)) return false;
    weave_context(model, context);
    if (context->has_scenario) {
        session->depths =
            mem_alloc(session->mem, context->scenario.states * sizeof *session->depths);
        dag_depths(&context->scenario, session->depths);
    }
    if (!observe_weave(model, context, &session->diag)) return false;
    model->context = names_format(&model->names, "%s:%s", context->file, context->name);
    session->context = context;
    return true;
}

bool session_load(struct session *session, const char *path)
{
    struct options *options = session->options;
    struct language_input input = {.mem = session->mem,
                                   .diag = &session->diag,
                                   .defines = options->defines.data,
                                   .define_count = options->defines.len,
                                   .dialect = options->dialect};
    const struct language *language = languages_find(path);
    void *scope = NULL;
    bool has_source = diag_read_source(&session->diag, path, &input.source),
         has_context = read_context(session);
    if (has_source) session->model = language->load(&input, &scope);
    if (session->model) session->model->dialect = options->dialect;
    if (!has_context
        || (session->model && (!weave(session) || !guided_weave(session, &session->status))))
        session->model = NULL;
    if (session->model) mark_constants(session);
    for (uint32_t i = 0; session->model && i < options->formulas.len; i++) {
        static const char *const names[] = {"--ctl", "--ltl", "--invariant"};
        const struct formula_option *given = &options->formulas.data[i];
        uint32_t source =
            diag_add_source(&session->diag, names[given->kind], given->text, strlen(given->text));
        language->property(scope, given->kind, source);
    }
    diag_finish(&session->diag);
    if (session->diag.errors && !languages_knows(path))
        fprintf(stderr,
                "cairn: note: '%.60s' was read as %s: its name has none of the known endings\n",
                path, language->name);
    if (session->diag.errors || !session->model) return false;
    if (language->wide_types && !session->keep_ranges) tighten(session->model);
    struct text complaint;
    text_init(&complaint, session->mem);
    if (!model_check(session->model, &complaint)) {
        fprintf(stderr, "cairn: BUG: the model of %s is not well formed: %s\n", path,
                complaint.data);
        _exit(EXIT_INTERNAL);
    }
    return true;
}

/* ---- properties ---- */

static bool is_chosen(const struct options *options, const struct property_result *entry,
                      bool *used)
{
    bool chosen = false;
    for (uint32_t i = 0; i < options->properties.len; i++)
        if (!strcmp(options->properties.data[i], entry->property->name)) chosen = used[i] = true;
    return chosen;
}

static bool is_from_command_line(const struct session *session, const struct property_result *entry)
{
    const struct model_property *property = entry->property,
                                *first = session->model->properties.data;
    if (property < first || property >= first + session->model->properties.len) return false;
    return (uint32_t)(property - first)
           >= session->model->properties.len - session->options->formulas.len;
}

/* With -p only the named ones are kept; run-time errors always are, because they put everything
 * else in doubt, and so are formulas given on the command line. */
bool session_properties(struct session *session, struct task *task)
{
    struct options *options = session->options;
    uint32_t count, kept = 0;
    bool named_deadlock = false;
    for (uint32_t i = 0; i < options->properties.len; i++)
        named_deadlock |= !strcmp(options->properties.data[i], "deadlock");
    bool with_deadlock = options->properties.len ? named_deadlock : !options->no_deadlock;
    task->properties = result_list_properties(session->model, with_deadlock, &count);
    bool *used = mem_alloc(session->mem, options->properties.len + 1);
    for (uint32_t i = 0; i < count; i++) {
        struct property_result *entry = &task->properties[i];
        bool chosen = !options->properties.len || is_chosen(options, entry, used);
        entry->watched_only = !chosen && entry->kind == PROPERTY_RUNTIME_ERROR;
        if (chosen || entry->watched_only || is_from_command_line(session, entry))
            task->properties[kept++] = *entry;
    }
    task->property_count = kept;
    for (uint32_t i = 0; i < options->properties.len; i++) {
        const char *nearest = NULL, *name = options->properties.data[i];
        unsigned distance = 0;
        if (used[i] || options->some_properties || !strcmp(name, "runtime-error")) continue;
        for (uint32_t p = 0; p < session->model->properties.len; p++)
            text_nearest(name, session->model->properties.data[p].name, &nearest, &distance);
        if (nearest)
            fprintf(stderr, "cairn: error: the model has no property '%.60s': did you mean '%s'?\n",
                    name, nearest);
        else fprintf(stderr, "cairn: error: the model has no property '%.60s'\n", name);
        return false;
    }
    return true;
}

/* ---- hidden variables ---- */

void session_hide(struct session *session, const struct property_result *properties, uint32_t count)
{
    struct model *model = session->model;
    uint32_t asked = 0;
    if (!model_has_hidden(model)) return;
    formula *formulas = mem_alloc(session->mem, (count + UINT64_C(1)) * sizeof *formulas);
    for (uint32_t i = 0; i < count; i++)
        if (properties[i].kind != PROPERTY_DEADLOCK && properties[i].kind != PROPERTY_RUNTIME_ERROR)
            formulas[asked++] = properties[i].property->root;
    hide_model(&session->hiding, model, formulas, asked);
    mem_free(session->mem, formulas);
    session->shown = model;
    session->model = session->hiding.model;
    for (uint32_t v = 0; v < model->vars.len; v++) {
        const struct model_var *var = &model->vars.data[v];
        if (session->hiding.influences[v])
            diag_warning(&session->diag, DIAG_COVERAGE,
                         session->hiding.where[v].line ? session->hiding.where[v] : var->place,
                         "the hidden variable '%.60s' influences what can be seen: coverage is not "
                         "guaranteed",
                         var->name);
    }
    diag_finish(&session->diag);
}

bool session_show_run(const struct session *session, struct trace *trace)
{
    struct trace_walk walk;
    hide_restore(session->shown, session->model, trace->initial);
    bool good = trace_walk_start(&walk, session->shown, trace);
    while (good && walk.at < trace->steps) good = trace_walk_step(&walk);
    trace_walk_end(&walk);
    return good;
}

bool session_is_influenced(const struct session *session, struct text *names)
{
    enum { SHOWN = 3 };
    uint32_t found = 0;
    if (!session->shown || !session->hiding.influencing) return false;
    for (uint32_t v = 0; v < session->shown->vars.len; v++)
        if (session->hiding.influences[v] && found++ < SHOWN)
            text_add(names, "%s%s", found > 1 ? ", " : "", session->shown->vars.data[v].name);
    if (found > SHOWN) text_add(names, " and %u more", found - SHOWN);
    return true;
}

/* ---- without code ---- */

/* A refusal of memory is an answer here: other engines can go on. */
struct model *session_flat(struct session *session, bool with_formulas)
{
    struct mem *mem = session->mem;
    jmp_buf refused, *const outer = mem->recover;
    if (!flatten_is_needed(session->model)) return session->model;
    if (session->flat || session->refusal.reason) return session->flat;
    if (setjmp(refused)) {
        mem->recover = outer;
        session->is_limited = true;
        session->refusal = (struct flatten_refusal){
            .reason = limits_enough() ? stop_reason_text[result_why_refused()]
                                      : "memory does not suffice"};
        return NULL;
    }
    mem->recover = &refused;
    struct model *flat = flatten_model(session->model, with_formulas, &session->refusal);
    mem->recover = outer;
    if (flat) session->refusal = (struct flatten_refusal){0};
    return session->flat = flat;
}

int session_tell_refusal(struct session *session, const char *purpose)
{
    const struct flatten_refusal *refusal = &session->refusal;
    if (refusal->rule)
        diag_error(&session->diag, DIAG_UNSUPPORTED, refusal->place,
                   "the rule '%.60s' cannot be turned into conditions for %s: %s", refusal->rule,
                   purpose, refusal->reason);
    else
        diag_error(&session->diag, DIAG_UNSUPPORTED, refusal->place,
                   "the model cannot be turned into conditions for %s: %s", purpose,
                   refusal->reason);
    diag_finish(&session->diag);
    return session->is_limited ? EXIT_INCONCLUSIVE : EXIT_USAGE;
}

bool session_refuses_time(const struct session *session)
{
    if (!model_is_timed(session->model)) return false;
    fprintf(stderr,
            "%s: error: cannot be translated to %s: the model has clocks or time intervals\n",
            session->model->file, session->options->to);
    return true;
}

/* ---- limits and progress ---- */

static void show_forecast(const struct session *session, const struct search_progress *progress,
                          double elapsed)
{
    uint64_t limit = session->mem->limit;
    if (!limit || progress->bytes <= session->last_bytes || elapsed <= 0) return;
    double per_second = (double)(progress->bytes - session->last_bytes) / elapsed;
    double seconds = (double)(limit - progress->bytes) / per_second;
    if (seconds < 120) fprintf(stderr, ", full in %.0f s", seconds);
    else if (seconds < 7200) fprintf(stderr, ", full in %.0f min", seconds / 60);
    else if (seconds < 360000) fprintf(stderr, ", full in %.0f h", seconds / 3600);
}

static void show_progress(void *context, const struct search_progress *progress)
{
    struct session *session = context;
    char states[32], queue[32], bytes[32];
    double elapsed = progress->seconds - session->last_line;
    if (progress->is_bounded) {
        fprintf(stderr, "\r\033[Kdepth %llu: %.60s, %.0f s, %s",
                (unsigned long long)progress->depth, progress->phase ? progress->phase : "",
                progress->seconds, report_bytes(bytes, progress->bytes));
        fflush(stderr);
        session->progress_shown = true;
        return;
    }
    if (progress->nodes) {
        fprintf(stderr, "\r\033[K%.60s: %s nodes, %.0f s, %s",
                progress->phase ? progress->phase : "searching",
                text_count(states, progress->nodes), progress->seconds,
                report_bytes(bytes, progress->bytes));
        fflush(stderr);
        session->progress_shown = true;
        return;
    }
    if (progress->phase) {
        fprintf(stderr, "\r\033[K%s states; deciding %.60s, %.0f s, %s",
                text_count(states, progress->states), progress->phase, progress->seconds,
                report_bytes(bytes, progress->bytes));
        fflush(stderr);
        session->progress_shown = true;
        return;
    }
    char where[64];
    if (progress->ranks)
        snprintf(where, sizeof where, "rank %llu of %llu (%.1f%%)",
                 (unsigned long long)progress->rank, (unsigned long long)progress->ranks,
                 100.0 * (double)progress->rank / (double)progress->ranks);
    else snprintf(where, sizeof where, "depth %llu", (unsigned long long)progress->depth);
    double rate = elapsed > 0 ? (double)(progress->states - session->last_states) / elapsed : 0;
    fprintf(stderr, "\r\033[K%s states, %.2f M/s, %s, %s waiting, %s",
            text_count(states, progress->states), rate / 1e6, where,
            text_count(queue, progress->states - progress->expanded),
            report_bytes(bytes, progress->bytes));
    show_forecast(session, progress, elapsed);
    fflush(stderr);
    session->last_line = progress->seconds;
    session->last_states = progress->states;
    session->last_bytes = progress->bytes;
    session->progress_shown = true;
}

void session_end_progress(struct session *session)
{
    if (session->progress_shown) fputs("\r\033[K", stderr);
    session->progress_shown = false;
}

void session_prepare(struct session *session, struct task *task)
{
    struct options *options = session->options;
    task->model = session->model;
    task->order = options->order;
    task->relation = options->relation;
    task->direction = options->direction;
    task->reduction = options->reduction;
    task->keep = options->keep;
    task->variant = options->variant ? options->variant : 1;
    task->without_frontier = options->no_frontier;
    task->count_levels = options->verbose;
    task->by_tableau = options->tableau;
    task->weakly_fair = options->fair;
    task->has_phase = options->has_phase;
    task->phase_auto = options->phase_auto;
    task->phase = (uint32_t)options->phase;
    task->without_induction = options->no_induction;
    task->equal_zones = options->equal_zones;
    task->by_interactions = options->guide_auto;
    task->freeze = options->freeze;
    task->resume = options->resume;
    task->max_depth = options->bound;
    task->max_seconds = options->time;
    task->stop_at_first = options->first;
    task->interrupted = &limits_interrupted;
    bool show = options->progress == WHEN_ALWAYS
                || (options->progress == WHEN_AUTO && isatty(STDERR_FILENO));
    if (show && !options->quiet) {
        task->progress = show_progress;
        task->progress_context = session;
    }
}

/* ---- files ---- */

FILE *session_open(const struct session *session, const char *path)
{
    struct stat target, model;
    const char *input = session->options->file;
    if (input && !stat(path, &target) && !stat(input, &model) && S_ISREG(model.st_mode)
        && target.st_dev == model.st_dev && target.st_ino == model.st_ino) {
        fprintf(stderr, "cairn: error: %s would be overwritten: it is the input\n", path);
        return NULL;
    }
    FILE *file = fopen(path, "w");
    if (!file) fprintf(stderr, "cairn: error: cannot write %s: %s\n", path, strerror(errno));
    return file;
}

bool session_close(FILE *file, const char *path)
{
    errno = 0;
    bool good = !fflush(file) && !ferror(file);
    int reason = errno;
    if (file != stdout && fclose(file)) good = false, reason = errno;
    if (!good)
        fprintf(stderr, "cairn: error: cannot write %s: %s\n", path,
                reason ? strerror(reason) : "output error");
    return good;
}
