#include "cli/door.h"

#include "report/diagnostics.h"
#include "report/machine.h"
#include "run/deadline.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- progress ---- */

static void show_forecast(const struct screen *screen, const struct search_progress *progress,
                          double elapsed)
{
    uint64_t limit = screen->mem->limit;
    if (!limit || progress->bytes <= screen->last_bytes || elapsed <= 0) return;
    double per_second = (double)(progress->bytes - screen->last_bytes) / elapsed;
    double seconds = (double)(limit - progress->bytes) / per_second;
    if (seconds < 120) fprintf(stderr, ", full in %.0f s", seconds);
    else if (seconds < 7200) fprintf(stderr, ", full in %.0f min", seconds / 60);
    else if (seconds < 360000) fprintf(stderr, ", full in %.0f h", seconds / 3600);
}

static void show_progress(void *context, const struct search_progress *progress)
{
    struct screen *screen = context;
    char states[32], queue[32], bytes[32];
    double elapsed = progress->seconds - screen->last_line;
    if (progress->is_bounded) {
        fprintf(stderr, "\r\033[Kdepth %llu: %.60s, %.0f s, %s",
                (unsigned long long)progress->depth, progress->phase ? progress->phase : "",
                progress->seconds, report_bytes(bytes, progress->bytes));
        fflush(stderr);
        screen->progress_shown = true;
        return;
    }
    if (progress->nodes) {
        fprintf(stderr, "\r\033[K%.60s: %s nodes, %.0f s, %s",
                progress->phase ? progress->phase : "searching",
                text_count(states, progress->nodes), progress->seconds,
                report_bytes(bytes, progress->bytes));
        fflush(stderr);
        screen->progress_shown = true;
        return;
    }
    if (progress->phase) {
        fprintf(stderr, "\r\033[K%s states; deciding %.60s, %.0f s, %s",
                text_count(states, progress->states), progress->phase, progress->seconds,
                report_bytes(bytes, progress->bytes));
        fflush(stderr);
        screen->progress_shown = true;
        return;
    }
    char where[64];
    if (progress->ranks)
        snprintf(where, sizeof where, "rank %llu of %llu (%.1f%%)",
                 (unsigned long long)progress->rank, (unsigned long long)progress->ranks,
                 100.0 * (double)progress->rank / (double)progress->ranks);
    else snprintf(where, sizeof where, "depth %llu", (unsigned long long)progress->depth);
    double rate = elapsed > 0 ? (double)(progress->states - screen->last_states) / elapsed : 0;
    fprintf(stderr, "\r\033[K%s states, %.2f M/s, %s, %s waiting, %s",
            text_count(states, progress->states), rate / 1e6, where,
            text_count(queue, progress->states - progress->expanded),
            report_bytes(bytes, progress->bytes));
    show_forecast(screen, progress, elapsed);
    fflush(stderr);
    screen->last_line = progress->seconds;
    screen->last_states = progress->states;
    screen->last_bytes = progress->bytes;
    screen->progress_shown = true;
}

/* ---- progress for machines ---- */

static void tell_progress(void *context, const struct search_progress *progress)
{
    struct screen *screen = context;
    screen->lines.memory_limit = screen->mem->limit;
    progress_search(&screen->lines, progress);
}

static void tell_jobs(void *context, const struct door_jobs *jobs)
{
    struct screen *screen = context;
    progress_jobs(&screen->lines, jobs);
}

/* For a page, which needs it whether somebody looks now or not. */
static void note_progress(void *context, const struct search_progress *progress)
{
    struct screen *screen = context;
    page_note(&screen->samples, screen->mem, progress);
    if (screen->show) screen->show(context, progress);
}

static void show_jobs(void *context, const struct door_jobs *jobs)
{
    struct screen *screen = context;
    if (jobs->word)
        fprintf(stderr, "\r\033[K%u of %u %ss, %.0f s", jobs->done, jobs->count, jobs->word,
                jobs->seconds);
    else
        fprintf(stderr, "\r\033[K%u of %u parts are done, %u at work, %.0f s", jobs->done,
                jobs->count, jobs->running, jobs->seconds);
    screen->progress_shown = true;
}

static void clear(void *context, bool others)
{
    struct screen *screen = context;
    if (screen->progress_shown || others) fputs("\r\033[K", stderr);
    screen->progress_shown = false;
}

static void relay(void *context, const char *text)
{
    (void)context;
    fputs(text, stderr);
}

/* ---- sessions ---- */

static bool use_color(const struct options *options, FILE *stream)
{
    if (options->color != WHEN_AUTO) return options->color == WHEN_ALWAYS;
    return isatty(fileno(stream));
}

void door_open_session(struct screen *screen, struct session *session, struct options *options,
                       struct mem *mem)
{
    bool always = options->progress == WHEN_ALWAYS,
         usually = options->progress == WHEN_AUTO && isatty(STDERR_FILENO) && !options->quiet;
    bool for_machines = options->progress == WHEN_JSON;
    void (*show)(void *, const struct search_progress *) = for_machines ? tell_progress
                                                           : (always || usually) && !options->quiet
                                                               ? show_progress
                                                               : NULL;
    *screen = (struct screen){.door = {.quiet = options->quiet,
                                       .may_return_twice = true,
                                       .context = screen,
                                       .show = options->report_file ? note_progress : show,
                                       .show_jobs = for_machines        ? tell_jobs
                                                    : always || usually ? show_jobs
                                                                        : NULL,
                                       .clear = for_machines ? NULL : clear,
                                       .relay = relay},
                              .style = {stdout, use_color(options, stdout), options->full,
                                        options->quiet, options->ask.verbose, options->raw},
                              .options = options,
                              .mem = mem,
                              .lines = {.out = stderr},
                              .show = show};
    session_init(session, &options->ask, mem, &screen->door);
    if (options->records) records_open(&options->diagnostics, &session->diag);
    else diagnostics_open(&session->diag, stderr, use_color(options, stderr));
}

/* ---- files ---- */

FILE *door_open_file(const struct options *options, const char *path)
{
    struct stat target, model;
    const char *input = options->ask.file;
    if (!path) return stdout;
    if (input && !stat(path, &target) && !stat(input, &model) && S_ISREG(model.st_mode)
        && target.st_dev == model.st_dev && target.st_ino == model.st_ino) {
        fprintf(stderr, "cairn: error: %s would be overwritten: it is the input\n", path);
        return NULL;
    }
    FILE *file = fopen(path, "w");
    if (!file) fprintf(stderr, "cairn: error: cannot write %s: %s\n", path, strerror(errno));
    return file;
}

bool door_close_file(FILE *file, const char *path)
{
    if (!path) path = "standard output";
    errno = 0;
    bool good = !fflush(file) && !ferror(file);
    int reason = errno;
    if (file != stdout && fclose(file)) good = false, reason = errno;
    if (!good)
        fprintf(stderr, "cairn: error: cannot write %s: %s\n", path,
                reason ? strerror(reason) : "output error");
    return good;
}

bool door_complain(const char *why)
{
    fprintf(stderr, "cairn: error: %s\n", why);
    return false;
}

/* ---- last words ---- */

/* What a handler tells must be there before: it can call nothing that would make it. */
static char object[1 << 15];
static size_t object_length;

static void speak_last_words(const char *text, bool is_part)
{
    static const char begin[] = "cairn: error: ", end[] = "\n";
    bool told = write(STDERR_FILENO, begin, sizeof begin - 1) >= 0
                && write(STDERR_FILENO, text, strlen(text)) >= 0
                && write(STDERR_FILENO, end, 1) >= 0;
    if (is_part) return; /* whoever started it tells of it */
    if (object_length) told &= write(STDOUT_FILENO, object, object_length) >= 0;
    _exit(told ? EXIT_INCONCLUSIVE : EXIT_USAGE);
}

static void make_object(const struct options *options)
{
    object_length = 0;
    if (!options->json || options->json_file || options->told) return;
    FILE *file = fmemopen(object, sizeof object, "w");
    if (!file) return;
    machine_failure(
        file, options->command->name, options->ask.file,
        "incomplete: the time limit was reached, or a signal came, before there was a result");
    long length = ftell(file);
    bool fits = !fclose(file) && length > 0 && (size_t)length < sizeof object;
    object_length = fits ? (size_t)length : 0;
}

bool door_begin(struct options *options)
{
    if (options->records) {
        const char *path = options->records_file;
        FILE *file = path ? door_open_file(options, path) : stderr;
        if (!file) return false;
        records_begin(&options->diagnostics, file, options->sarif);
    }
    make_object(options);
    deadline_begin(
        &(struct deadline_plan){options->ask.time, options->ask.threads, speak_last_words});
    return true;
}

bool door_end(struct options *options)
{
    FILE *file = options->diagnostics.out;
    if (!file) return true;
    records_end(&options->diagnostics);
    options->diagnostics.out = NULL;
    return file == stderr || door_close_file(file, options->records_file);
}

void door_has_told(void) { object_length = 0; }
