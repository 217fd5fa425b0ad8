/* One loop, one thread: requests come from serve/http, what errands say from their pipes. Short
 * errands hold a request until they end; a check is answered with its number at once, and asked for
 * what it says as often as somebody likes.
 *
 * Invariants: (1) a request that waits is in exactly one job; (2) what has ended is kept for checks
 * alone, the last MOST_KEPT of them. */
#include "serve/serve.h"

#include "base/out.h"
#include "base/version.h"
#include "result/result.h"
#include "run/deadline.h"
#include "run/engines.h"
#include "serve/desk.h"
#include "serve/http.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The page, as the build made it of src/page. */
extern const unsigned char live_page[], live_style[], live_script[];
extern const size_t live_page_length, live_style_length, live_script_length;

enum {
    MOST_SHORT = 16,    /* errands at the same time */
    MOST_LONG = 4,      /* checks at the same time */
    MOST_KEPT = 8,      /* checks that have ended */
    SHORT_SECONDS = 20, /* for an errand that somebody waits for */
    MOST_JOBS = MOST_SHORT + MOST_LONG + MOST_KEPT
};

struct serve_job {
    bool is_used, is_long;
    uint64_t number;
    struct errand errand;
    struct http_exchange *exchange; /* who waits for it; NULL: nobody */
};

struct serve {
    const struct serve_plan *plan;
    struct http *http;
    int folder;
    char *hello; /* what a page is told first: an object */
    struct serve_job jobs[MOST_JOBS];
    uint64_t last; /* number */
};

/* ---- jobs ---- */

static void say(struct http_exchange *exchange, unsigned status, const char *text)
{
    http_answer(exchange, status, text, strlen(text));
}

static unsigned count_running(const struct serve *serve, bool is_long)
{
    unsigned count = 0;
    for (unsigned i = 0; i < MOST_JOBS; i++)
        count += serve->jobs[i].is_used && serve->jobs[i].is_long == is_long
                 && serve->jobs[i].errand.process;
    return count;
}

static void forget(struct serve_job *job)
{
    assert(!job->exchange && !job->errand.process);
    errand_free(&job->errand);
    *job = (struct serve_job){0};
}

/* (2) */
static void forget_old(struct serve *serve)
{
    for (;;) {
        struct serve_job *oldest = NULL;
        unsigned kept = 0;
        for (unsigned i = 0; i < MOST_JOBS; i++) {
            struct serve_job *job = &serve->jobs[i];
            if (!job->is_used || job->errand.process) continue;
            kept++;
            if (!oldest || job->number < oldest->number) oldest = job;
        }
        if (kept <= MOST_KEPT) return;
        forget(oldest);
    }
}

static void tell(struct serve *serve, const struct serve_job *job, struct http_exchange *exchange,
                 uint64_t from)
{
    struct text text;
    text_init(&text, serve->plan->mem);
    errand_tell(&job->errand, from, &text);
    http_answer(exchange, 200, text.data, text.len);
    text_free(&text);
}

static void begin(struct serve *serve, struct http_exchange *exchange,
                  const struct desk_request *request, bool is_long)
{
    struct serve_job *job = serve->jobs;
    char answer[64];
    if (count_running(serve, is_long) >= (is_long ? MOST_LONG : MOST_SHORT)) {
        say(exchange, 503, "{\"error\": \"so much runs already: stop something first\"}\n");
        return;
    }
    while (job->is_used) job++;
    assert(job < serve->jobs + MOST_JOBS);
    const struct errand_plan plan = {.mem = serve->plan->mem,
                                     .folder = serve->folder,
                                     .run = desk_run,
                                     .context = (void *)request,
                                     .seconds = is_long ? 0 : SHORT_SECONDS};
    if (!errand_start(&job->errand, &plan)) {
        say(exchange, 503, "{\"error\": \"the system gives no process\"}\n");
        return;
    }
    job->is_used = true;
    job->is_long = is_long;
    job->number = ++serve->last;
    job->exchange = is_long ? NULL : exchange;
    snprintf(answer, sizeof answer, "{\"id\": %" PRIu64 "}\n", job->number);
    if (is_long) say(exchange, 200, answer);
}

/* What came from the process of a job. */
static void attend(struct serve *serve, struct serve_job *job, const struct pollfd *polls)
{
    if (errand_listen(&job->errand, polls)) return;
    if (job->exchange) {
        struct http_exchange *exchange = job->exchange;
        job->exchange = NULL;
        tell(serve, job, exchange, 0);
    }
    if (!job->is_long) forget(job);
    forget_old(serve);
}

/* ---- requests ---- */

static struct serve_job *find_check(struct serve *serve, uint64_t number)
{
    for (unsigned i = 0; i < MOST_JOBS; i++)
        if (serve->jobs[i].is_used && serve->jobs[i].is_long && serve->jobs[i].number == number)
            return &serve->jobs[i];
    return NULL;
}

/* What a page is told first: what does not change, and the checks that run. */
static void greet(struct serve *serve, struct http_exchange *exchange)
{
    struct text text;
    const char *comma = "";
    text_init(&text, serve->plan->mem);
    text_add(&text, "{\"running\": [");
    for (unsigned i = 0; i < MOST_JOBS; i++) {
        const struct serve_job *job = &serve->jobs[i];
        if (!job->is_used || !job->is_long || !job->errand.process) continue;
        text_add(&text, "%s%" PRIu64, comma, job->number);
        comma = ", ";
    }
    text_add(&text, "], %s", serve->hello + 1);
    http_answer(exchange, 200, text.data, text.len);
    text_free(&text);
}

static void answer(void *context, struct http_exchange *exchange, const char *act, const char *body,
                   size_t length)
{
    struct serve *serve = context;
    bool is_long;
    const struct desk_request request = {act, body, length};
    const bool watches = !strcmp(act, "progress"), stops = !strcmp(act, "stop");
    if (!strcmp(act, "hello")) {
        greet(serve, exchange);
        return;
    }
    if (watches || stops) {
        struct serve_job *job = find_check(serve, http_number(exchange, "id"));
        if (stops && job) errand_stop(&job->errand);
        if (job) tell(serve, job, exchange, http_number(exchange, "since"));
        else say(exchange, 404, "{\"error\": \"there is no such check\"}\n");
        return;
    }
    if (desk_knows(act, &is_long)) begin(serve, exchange, &request, is_long);
    else say(exchange, 404, "{\"error\": \"there is nothing under this name\"}\n");
}

/* ---- the folder ---- */

static void put_names(struct out *json, const char *key, const char *const *names, unsigned count)
{
    out_key(json, key);
    out_open_inline(json, '[');
    for (unsigned i = 0; i < count; i++) out_string(json, names[i]);
    out_close(json, ']');
}

static char *make_hello(const char *folder, const char *model)
{
    char *text = NULL;
    size_t size;
    struct out json;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    out_init(&json, out);
    out_open(&json, '{');
    out_key(&json, "cairn");
    out_string(&json, CAIRN_VERSION);
    out_key(&json, "folder");
    out_string(&json, folder);
    out_key(&json, "model");
    out_string(&json, model);
    put_names(&json, "orders", search_order_name, ORDER_COUNT);
    out_key(&json, "engines");
    out_open_inline(&json, '[');
    for (unsigned i = 0; engines[i].name; i++) out_string(&json, engines[i].name);
    out_close(&json, ']');
    out_close(&json, '}');
    if (fclose(out)) return free(text), NULL;
    return text;
}

/* The folder of the model, and what to say of both. */
static bool open_folder(struct serve *serve, const char **why)
{
    const char *given = serve->plan->model ? serve->plan->model : ".", *model = NULL;
    struct stat info;
    char *path = realpath(given, NULL), *slash;
    if (!path || stat(path, &info)) {
        free(path);
        return *why = strerror(errno), false;
    }
    if (!S_ISDIR(info.st_mode)) {
        slash = strrchr(path, '/');
        model = slash + 1;
        *slash = 0;
    }
    serve->folder = open(*path ? path : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (serve->folder < 0) *why = strerror(errno);
    serve->hello = make_hello(*path ? path : "/", model);
    free(path);
    return serve->folder >= 0 && serve->hello;
}

/* ---- the loop ---- */

/* Until something happens, or so many milliseconds have passed. */
static void wait(struct serve *serve, int milliseconds, const sigset_t *usual)
{
    struct pollfd polls[1 + MOST_JOBS * ERRAND_STREAMS];
    struct timespec time;
    polls[0] = (struct pollfd){http_descriptor(serve->http), POLLIN, 0};
    for (unsigned i = 0; i < MOST_JOBS; i++) {
        struct pollfd *own = &polls[1 + i * ERRAND_STREAMS];
        own[ERRAND_ANSWER].fd = own[ERRAND_LINES].fd = -1;
        if (!serve->jobs[i].is_used || !serve->jobs[i].errand.process) continue;
        errand_wait(&serve->jobs[i].errand, own);
        if (milliseconds > 200) milliseconds = 200; /* it may have to be killed */
    }
    time = (struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000L};
    const int ready = ppoll(polls, 1 + MOST_JOBS * ERRAND_STREAMS, &time, usual);
    for (unsigned i = 0; i < 1 + MOST_JOBS * ERRAND_STREAMS && ready < 0; i++) polls[i].revents = 0;
    for (unsigned i = 0; i < MOST_JOBS; i++)
        if (serve->jobs[i].is_used && serve->jobs[i].errand.process)
            attend(serve, &serve->jobs[i], &polls[1 + i * ERRAND_STREAMS]);
}

static void end_all(struct serve *serve)
{
    for (unsigned i = 0; i < MOST_JOBS; i++) {
        struct serve_job *job = &serve->jobs[i];
        if (!job->is_used) continue;
        errand_kill(&job->errand);
        if (job->exchange) say(job->exchange, 503, "{\"error\": \"the server has ended\"}\n");
        job->exchange = NULL;
        forget(job);
    }
}

bool serve_can(void) { return http_is_there(); }

bool serve_run(const struct serve_plan *plan, const char **why)
{
    const struct http_page pages[] = {
        {"/", "text/html; charset=utf-8", live_page, live_page_length, true},
        {"/page.css", "text/css; charset=utf-8", live_style, live_style_length, false},
        {"/page.js", "text/javascript; charset=utf-8", live_script, live_script_length, false}};
    struct serve *serve = mem_alloc(plan->mem, sizeof *serve);
    sigset_t blocked, usual;
    char address[96];
    *serve = (struct serve){.plan = plan, .folder = -1};
    if (!open_folder(serve, why)) return false;
    serve->http =
        http_open(&(struct http_plan){plan->mem, plan->port, pages, 3, answer, serve}, why);
    if (!serve->http) return false;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &usual); /* they are seen while it waits */
    deadline_wait();
    const struct guard *guard = http_guard(serve->http);
    snprintf(address, sizeof address, "http://127.0.0.1:%u/?token=%s", guard->port, guard->token);
    const bool is_told = plan->ready(address);
    if (!is_told) *why = "its address could not be told";
    while (is_told && !limits_interrupted) wait(serve, http_run(serve->http), &usual);
    end_all(serve);
    http_run(serve->http);
    http_close(serve->http);
    close(serve->folder);
    free(serve->hello);
    sigprocmask(SIG_SETMASK, &usual, NULL);
    return is_told;
}
