#define XXH_INLINE_ALL
/* Each context (or guide: the same is meant of them) is searched in a process of its own
 * (jobs.h) as if it were alone; the results they send (run/wire.h) are put together here. So a
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

#include <assert.h>
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
    uint32_t source;
    if (!session->ask->context) return false;
    struct load_silence silence = load_in_silence(session); /* the search tells what is wrong */
    /* the model comes first, as in every other run: places are told in the order of sources */
    if (session->ask->file)
        load_source(&session->diag, session->known, session->ask->file, &source);
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
    text_add(path, "%s/%s.result", divide->ask->results, divide_name(divide, job));
}

/* Whether the same search would say the same again: it was not ended by a limit or a signal. (What
 * is left open by the bound of a guide, or because a part does not tell, stays open.) */
static bool is_final(const struct wire *message)
{
    const enum stop_reason stop = message->result.stop;
    return (stop == STOP_NONE || stop == STOP_DECIDED || stop == STOP_FIRST || stop == STOP_GUIDE)
           && (message->status == EXIT_HOLDS || message->status == EXIT_VIOLATED
               || message->status == EXIT_INCONCLUSIVE);
}

static void keep_result(struct divide *divide, uint32_t job)
{
    struct text path, beside;
    const struct wire *result = &divide->messages[job];
    if (!divide->ask->results || !divide->results[job] || !is_final(result)) return;
    kept_path(divide, job, &path);
    text_init(&beside, divide->session->mem);
    text_add(&beside, "%s.part", path.data);
    if (wire_save(result, divide->key, path.data, beside.data)) {
        session_end_progress(divide->session);
        message(&divide->session->diag, DIAG_WARNING, NULL, "cannot keep the result of '%s' in %s",
                divide_name(divide, job), divide->ask->results);
    }
    text_free(&path);
    text_free(&beside);
}

/* The object that a message has. What tells nothing is no result. */
static bool take_object(struct divide *divide, uint32_t job)
{
    struct wire *told = &divide->messages[job];
    json_t *object = told->told ? json_loads(told->told, 0, NULL) : NULL;
    const bool is_object = json_is_object(object);
    if (is_object) divide->results[job] = object;
    else json_decref(object);
    return is_object;
}

/* A file that is damaged, or of another search, is as good as none. */
static bool take_kept(struct divide *divide, uint32_t job)
{
    const struct ask *ask = divide->ask;
    struct mem *mem = divide->session->mem;
    struct text path;
    if (!ask->results || !ask->resume) return false;
    kept_path(divide, job, &path);
    bool good = wire_load(&divide->messages[job], divide->key, mem, path.data)
                && is_final(&divide->messages[job]) && take_object(divide, job);
    text_free(&path);
    if (!good) {
        wire_free(&divide->messages[job], mem);
        return false;
    }
    divide->statuses[job] = (int)divide->messages[job].status;
    divide->kept++;
    divide->done++;
    return true;
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

bool divide_send(const struct divide_job *job, const struct model *model, const struct task *task,
                 const struct result *result, const char *object, int status)
{
    struct wire message = wire_of(model, task, result);
    message.status = (uint32_t)status;
    message.told = object;
    return wire_send(&message, job->key, STDOUT_FILENO);
}

static int run_job(void *context, uint32_t job)
{
    struct divide *divide = context;
    const struct divide_job one = {divide_name(divide, job), {divide->key[0], divide->key[1]}};
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
    return divide->one(divide->context, &ask, &one, &mem);
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
    const struct door *door = divide->session->door;
    if (door->relay) door->relay(door->context, errors->data);
}

static void job_done(void *context, uint32_t job, const struct text *output,
                     const struct text *errors, int status)
{
    struct divide *divide = context;
    struct wire *told = &divide->messages[job];
    struct mem *mem = divide->session->mem;
    assert(job < divide->count && !divide->results[job]); /* each is done once */
    divide->done++;
    if (status > DEADLINE_STATUS)
        divide->limits[job] = (enum stop_reason)(status - DEADLINE_STATUS);
    divide->statuses[job] = status > DEADLINE_STATUS ? EXIT_INCONCLUSIVE : status;
    if (output->len && wire_read(told, divide->key, mem, output->data, output->len)
        && !take_object(divide, job))
        wire_free(told, mem);
    tell_errors(divide, errors);
    keep_result(divide, job);
    mem_free(mem, (char *)told->told); /* it is in the object */
    told->told = NULL;
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

/* Jobs know what this process has read, so that all search the same text, also one that can be read
 * only once. What is wrong with the file they tell. */
static void read_model(struct session *session)
{
    uint32_t source;
    struct load_silence silence = load_in_silence(session);
    bool good = load_source(&session->diag, session->known, session->ask->file, &source);
    load_aloud(session, silence, good);
}

static void begin(struct divide *divide, uint32_t at_once)
{
    struct ask *ask = divide->ask;
    struct mem *mem = divide->session->mem;
    read_model(divide->session);
    divide->results = mem_alloc(mem, divide->count * sizeof *divide->results);
    divide->messages = mem_alloc(mem, divide->count * sizeof *divide->messages);
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
        message(diag, DIAG_NOTE, NULL, "the same in %u other context%s", divide->repeated,
                divide->repeated == 1 ? "" : "s");
    if (divide->kept && !diag->quiet)
        message(diag, DIAG_NOTE, NULL, "%u of %u results were taken from %s", divide->kept,
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
    assert(at_once > 0); /* there are several to search */
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
