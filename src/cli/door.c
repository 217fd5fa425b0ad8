#include "cli/door.h"

#include "report/diagnostics.h"
#include "report/machine.h"
#include "run/deadline.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- progress ---- */

/* 40 s, 12 min, 3.5 h. */
static const char *duration(char buffer[16], double seconds)
{
    if (seconds < 120) snprintf(buffer, 16, "%.0f s", seconds);
    else if (seconds < 7200) snprintf(buffer, 16, "%.0f min", seconds / 60);
    else if (seconds < 36000000) snprintf(buffer, 16, "%.1f h", seconds / 3600);
    else snprintf(buffer, 16, "years");
    return buffer;
}

/* "12 s of 30 s to 55 s (22% to 40%)", or "12 s". */
static void show_forecast(const struct forecast *forecast, const struct search_progress *progress)
{
    char a[16], b[16];
    fprintf(stderr, ", %s", duration(a, progress->seconds));
    if (forecast->is_known)
        fprintf(stderr, " of %s to %s (%.0f%% to %.0f%% done)", duration(a, forecast->seconds_low),
                duration(b, forecast->seconds_high), 100 * forecast->share_low,
                100 * forecast->share_high);
    if (forecast->full_in >= 0
        && (!forecast->is_known || forecast->full_in < forecast->seconds_high - progress->seconds))
        fprintf(stderr, ", memory full in %s", duration(a, forecast->full_in));
}

/* Once, when a limit will end the search: what to try next. */
static const char *why_hopeless(struct screen *screen, const struct search_progress *progress)
{
    const struct forecast *forecast = &screen->forecast;
    const uint64_t limit = screen->mem->limit;
    enum stop_reason stop = forecast_lacks_memory(forecast, progress, limit)           ? STOP_MEMORY
                            : forecast_lacks_time(forecast, screen->options->ask.time) ? STOP_TIME
                                                                                       : STOP_NONE;
    if (screen->was_hopeless || stop == STOP_NONE) return NULL;
    screen->was_hopeless = true;
    advice_soon(screen->session, stop, progress);
    return stop == STOP_MEMORY ? "memory will be full before the search ends"
                               : "the search will need more time than --time allows";
}

static void warn(struct screen *screen, const struct search_progress *progress)
{
    const char *why = why_hopeless(screen, progress);
    if (!why || screen->options->quiet) return;
    fprintf(stderr, "\r\033[Kcairn: note: %s\n", why);
    for (uint32_t i = 0; i < screen->session->soon.len; i++)
        fprintf(stderr, "- %s\n    %s\n", screen->session->soon.data[i].why,
                screen->session->soon.data[i].command);
}

static void show_states(const struct screen *screen, const struct search_progress *progress)
{
    char states[32], queue[32], bytes[32], where[64];
    const double elapsed = progress->seconds - screen->last_line;
    const uint64_t found =
        progress->states > screen->last_states ? progress->states - screen->last_states : 0;
    if (progress->ranks)
        snprintf(where, sizeof where, "rank %llu of %llu (%.1f%%)",
                 (unsigned long long)progress->rank, (unsigned long long)progress->ranks,
                 100.0 * (double)progress->rank / (double)progress->ranks);
    else snprintf(where, sizeof where, "depth %llu", (unsigned long long)progress->depth);
    fprintf(stderr, "\r\033[K%s states, %.2f M/s, %s, %s waiting, %s",
            text_count(states, progress->states), elapsed > 0 ? (double)found / elapsed / 1e6 : 0,
            where, text_count(queue, progress->states - progress->expanded),
            report_bytes(bytes, progress->bytes));
    show_forecast(&screen->forecast, progress);
}

static void show_progress(void *context, const struct search_progress *progress)
{
    struct screen *screen = context;
    char states[32], bytes[32], time[16];
    forecast_note(&screen->forecast, progress, screen->mem->limit);
    warn(screen, progress);
    report_bytes(bytes, progress->bytes);
    duration(time, progress->seconds);
    if (progress->is_bounded)
        fprintf(stderr, "\r\033[Kdepth %llu: %.60s, %s, %s", (unsigned long long)progress->depth,
                progress->phase ? progress->phase : "", time, bytes);
    else if (progress->nodes)
        fprintf(stderr, "\r\033[K%.60s: %s nodes, %s, %s",
                progress->phase ? progress->phase : "searching",
                text_count(states, progress->nodes), time, bytes);
    else if (progress->phase)
        fprintf(stderr, "\r\033[K%s states; deciding %.60s, %s, %s",
                text_count(states, progress->states), progress->phase, time, bytes);
    else show_states(screen, progress);
    fflush(stderr);
    screen->last_line = progress->seconds;
    screen->last_states = progress->states;
    screen->progress_shown = true;
}

/* ---- progress for machines ---- */

static void tell_progress(void *context, const struct search_progress *progress)
{
    struct screen *screen = context;
    forecast_note(&screen->forecast, progress, screen->mem->limit);
    screen->lines.memory_limit = screen->mem->limit;
    screen->lines.forecast = &screen->forecast;
    screen->lines.warning = why_hopeless(screen, progress);
    screen->lines.advice = screen->session->soon.data;
    screen->lines.advice_count = screen->session->soon.len;
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
                              .session = session,
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
