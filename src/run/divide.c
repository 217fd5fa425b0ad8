#define XXH_INLINE_ALL
/* Each context (or guide: the same is meant of them) is searched in a process of its own
 * (jobs.h) by the command itself with --json; the objects they print are put together here. So a
 * context that runs out of memory leaves the others alone, and what is said of one context is what
 * a search of it alone says. A mistake in the model is one in every context: messages that were
 * told are not told again. */
#include "run/divide.h"

#include "base/clock.h"
#include "base/version.h"
#include "run/deadline.h"
#include "run/session.h"
#include "run/jobs.h"
#include "run/load.h"
#include "run/merge.h"
#include "run/message.h"

#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

bool divide_are_several(struct session *session)
{
    const char *name;
    if (!session->ask->context) return false;
    struct load_silence silence = load_in_silence(session); /* the search tells what is wrong */
    bool several = load_context(session, &name) && !name && cdl_context_count(session->cdl) > 1;
    if (!load_aloud(session, silence, session->cdl)) session->cdl = NULL;
    return several;
}

const char *divide_name(const struct divide *divide, uint32_t job)
{
    return divide->guides ? divide->guides->names[job]
                          : cdl_context_name(divide->session->cdl, job, NULL);
}

/* ---- kept results ---- */

/* The same program, model, file and words of the command, apart from those that do not matter for a
 * result. */
static void make_key(struct divide *divide)
{
    const struct ask *ask = divide->ask;
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, CAIRN_VERSION, sizeof CAIRN_VERSION);
    if (ask->words_said) XXH3_128bits_update(&state, ask->words_said, strlen(ask->words_said));
    const char *const files[] = {ask->file, divide->file,
                                 ask->context && divide->guides ? ask->context : NULL};
    for (unsigned f = 0; f < 3; f++) {
        FILE *file = files[f] ? fopen(files[f], "rb") : NULL;
        char bytes[4096];
        for (size_t size; file && (size = fread(bytes, 1, sizeof bytes, file)) > 0;)
            XXH3_128bits_update(&state, bytes, size);
        if (file) fclose(file);
    }
    XXH128_hash_t hash = XXH3_128bits_digest(&state);
    divide->key[0] = hash.low64;
    divide->key[1] = hash.high64;
}

static void kept_path(const struct divide *divide, uint32_t job, struct text *path)
{
    text_init(path, divide->session->mem);
    text_add(path, "%s/%s.json", divide->ask->results, divide_name(divide, job));
}

static void key_text(const struct divide *divide, char *text)
{
    snprintf(text, 40, "%016llx%016llx", (unsigned long long)divide->key[1],
             (unsigned long long)divide->key[0]);
}

/* Whether the same search would say the same again: it was not ended by a limit or a signal. (What
 * is left open by the bound of a guide, or because a part does not tell, stays open.) */
static bool is_final(const json_t *result, int status)
{
    static const enum stop_reason ends[] = {STOP_DECIDED, STOP_FIRST, STOP_GUIDE};
    const json_t *stop = json_object_get(json_object_get(result, "statistics"), "stop");
    const char *text = json_string_value(stop);
    bool good = json_is_null(stop);
    for (size_t i = 0; text && i < sizeof ends / sizeof *ends; i++)
        good |= !strcmp(text, stop_reason_text[ends[i]]);
    return good && (status == EXIT_HOLDS || status == EXIT_VIOLATED || status == EXIT_INCONCLUSIVE);
}

/* Written beside, then renamed, so that a file is there whole or not at all. */
static void keep_result(struct divide *divide, uint32_t job)
{
    int status = divide->statuses[job];
    char key[40];
    struct text path, beside;
    if (!divide->ask->results || !divide->results[job] || !is_final(divide->results[job], status))
        return;
    kept_path(divide, job, &path);
    text_init(&beside, divide->session->mem);
    text_add(&beside, "%s.part", path.data);
    key_text(divide, key);
    json_t *object =
        json_pack("{s:s, s:i, s:O}", "key", key, "status", status, "result", divide->results[job]);
    bool written = object
                   && !json_dump_file(object, beside.data, JSON_COMPACT | JSON_REAL_PRECISION(6))
                   && !rename(beside.data, path.data);
    if (!written) {
        session_end_progress(divide->session);
        message(&divide->session->diag, MESSAGE_WARNING, NULL,
                "cannot keep the result of '%s' in %s", divide_name(divide, job),
                divide->ask->results);
    }
    json_decref(object);
    text_free(&path);
    text_free(&beside);
}

/* A file that is damaged, or of another search, is as good as none. */
static bool take_kept(struct divide *divide, uint32_t job)
{
    const struct ask *ask = divide->ask;
    char key[40];
    struct text path;
    if (!ask->results || !ask->resume) return false;
    kept_path(divide, job, &path);
    json_t *object = json_load_file(path.data, 0, NULL);
    text_free(&path);
    key_text(divide, key);
    const char *its = json_string_value(json_object_get(object, "key"));
    json_t *result = json_object_get(object, "result"), *status = json_object_get(object, "status");
    bool good = its && !strcmp(its, key) && json_is_object(result) && json_is_integer(status)
                && is_final(result, (int)json_integer_value(status));
    if (good) {
        divide->results[job] = json_incref(result);
        divide->statuses[job] = (int)json_integer_value(status);
        divide->kept++;
        divide->done++;
    }
    json_decref(object);
    return good;
}

/* ---- jobs ---- */

static bool next_job(void *context, uint32_t *job)
{
    struct divide *divide = context;
    while (divide->next < divide->count && take_kept(divide, divide->next)) divide->next++;
    if (divide->next == divide->count) return false;
    *job = divide->next++;
    return true;
}

static int run_job(void *context, uint32_t job)
{
    struct divide *divide = context;
    struct ask ask = *divide->ask;
    struct mem mem;
    jmp_buf recover;
    mem_init(&mem);
    struct text given, folder;
    text_init(&given, divide->session->mem);
    text_add(&given, "%s:%s", divide->file, divide_name(divide, job));
    if (!divide->guides) ask.context = given.data;
    else if (divide->guides->are_parts) ask.guide_part = job + 1;
    else ask.guide = given.data;
    ask.guide_remarked = divide->guides && divide->guides->are_parts && job;
    ask.some_properties = true;
    ask.threads = 0;
    if (ask.freeze) {
        text_init(&folder, divide->session->mem);
        text_add(&folder, "%s/%s", ask.freeze, divide_name(divide, job));
        ask.freeze = folder.data;
    }
    mem.recover = &recover;
    if (setjmp(recover)) {
        if (result_why_refused() == STOP_TIME)
            message_error(&divide->session->diag, "%s", deadline_words());
        return deadline_status();
    }
    return divide->one(divide->context, &ask, divide_name(divide, job), &mem);
}

static void tell_errors(struct divide *divide, const struct text *errors)
{
    struct mem *mem = divide->session->mem;
    if (!errors->len) return;
    for (uint32_t i = 0; i < divide->told.len; i++)
        if (!strcmp(divide->told.data[i], errors->data)) {
            divide->repeated++;
            return;
        }
    char *copy = mem_alloc(mem, errors->len + 1);
    memcpy(copy, errors->data, errors->len);
    vec_push(mem, &divide->told, copy);
    session_end_progress(divide->session);
    if (divide->session->diag.out) fputs(errors->data, divide->session->diag.out);
}

static void job_done(void *context, uint32_t job, const struct text *output,
                     const struct text *errors, int status)
{
    struct divide *divide = context;
    json_error_t error;
    divide->done++;
    if (status > DEADLINE_STATUS)
        divide->limits[job] = (enum stop_reason)(status - DEADLINE_STATUS);
    divide->statuses[job] = status > DEADLINE_STATUS ? EXIT_INCONCLUSIVE : status;
    json_t *result = output->len ? json_loadb(output->data, output->len, 0, &error) : NULL;
    if (json_is_object(result)) divide->results[job] = result;
    else json_decref(result);
    tell_errors(divide, errors);
    keep_result(divide, job);
}

static void look(void *context, uint32_t running)
{
    struct divide *divide = context;
    const struct door *door = divide->session->door;
    const double now = clock_now();
    if (!door->show_jobs || now - divide->shown < 0.5) return;
    divide->shown = now;
    door->show_jobs(door->context, &(struct door_jobs){.word = divide->word,
                                                       .done = divide->done,
                                                       .count = divide->count,
                                                       .running = running,
                                                       .seconds = now - divide->started});
}

static void begin(struct divide *divide, uint32_t at_once)
{
    struct ask *ask = divide->ask;
    struct mem *mem = divide->session->mem;
    divide->results = mem_alloc(mem, divide->count * sizeof *divide->results);
    divide->statuses = mem_alloc(mem, divide->count * sizeof *divide->statuses);
    divide->limits = mem_alloc(mem, divide->count * sizeof *divide->limits);
    for (uint32_t i = 0; i < divide->count; i++) divide->statuses[i] = DIVIDE_NOT_BEGUN;
    ask->memory = (ask->memory ? ask->memory : mem_available() / 5 * 4) / at_once;
    /* the folders of contexts are made in it; what fails is told there */
    if (ask->freeze) mkdir(ask->freeze, 0777);
    if (ask->results) mkdir(ask->results, 0777);
    if (ask->results) make_key(divide);
    deadline_wait();
    mem_lift(mem);
}

static void tell_remarks(const struct divide *divide, bool good)
{
    struct diag *diag = &divide->session->diag;
    if (!good) message_error(diag, "not all processes could be started");
    if (divide->repeated && !divide->guides)
        message(diag, MESSAGE_NOTE, NULL, "the same in %u other context%s", divide->repeated,
                divide->repeated == 1 ? "" : "s");
    if (divide->kept && !diag->quiet)
        message(diag, MESSAGE_NOTE, NULL, "%u of %u results were taken from %s", divide->kept,
                divide->count, divide->ask->results);
}

struct json_t *divide_run(struct session *session, const struct guideload_list *guides,
                          divide_one *one, void *context, int *status)
{
    struct ask *ask = session->ask;
    struct divide divide = {.session = session,
                            .ask = ask,
                            .one = one,
                            .context = context,
                            .guides = guides,
                            .word = !guides             ? "context"
                                    : guides->are_parts ? "part"
                                                        : "guide",
                            .file = guides ? guides->file : ask->context,
                            .count = guides ? guides->count : cdl_context_count(session->cdl),
                            .started = clock_now()};
    uint32_t at_once = ask->threads > 1 ? (uint32_t)ask->threads : 1;
    if (at_once > divide.count) at_once = divide.count;
    begin(&divide, at_once);
    struct jobs jobs = {.mem = session->mem,
                        .at_once = at_once,
                        .next = next_job,
                        .run = run_job,
                        .takes_errors = true,
                        .done = job_done,
                        .look = look,
                        .context = &divide,
                        .interrupted = &limits_interrupted};
    bool good = jobs_run(&jobs);
    session_end_progress(session);
    tell_remarks(&divide, good);
    return merge_results(&divide, status);
}
