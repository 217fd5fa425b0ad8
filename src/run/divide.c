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
#include "run/attempt.h"
#include "run/session.h"
#include "run/jobs.h"
#include "run/load.h"
#include "run/merge.h"
#include "run/message.h"
#include "run/work.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { WAIT_NANOSECONDS = 100000000 };
static const double LOOK_SECONDS = 0.5; /* between two looks at what others do */

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

/* FILE, or FILE:NAME. */
static FILE *open_named(const char *name)
{
    FILE *file = fopen(name, "rb");
    const char *colon = strrchr(name, ':');
    char path[FILES_PATH];
    if (file || !colon || (size_t)(colon - name) >= sizeof path) return file;
    snprintf(path, sizeof path, "%.*s", (int)(colon - name), name);
    return fopen(path, "rb");
}

/* The same program, model, files and words of the command, apart from those that do not matter for
 * a result. */
static void make_key(struct divide *divide)
{
    const struct ask *ask = divide->ask;
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, CAIRN_VERSION, sizeof CAIRN_VERSION);
    if (ask->words_said) XXH3_128bits_update(&state, ask->words_said, strlen(ask->words_said));
    const char *const files[] = {ask->file, divide->file,
                                 divide->guides ? ask->context : ask->guide, ask->queries_file};
    for (unsigned f = 0; f < sizeof files / sizeof *files; f++) {
        FILE *file = files[f] ? open_named(files[f]) : NULL;
        char bytes[4096];
        for (size_t size; file && (size = fread(bytes, 1, sizeof bytes, file)) > 0;)
            XXH3_128bits_update(&state, bytes, size);
        if (file) fclose(file);
    }
    XXH128_hash_t hash = XXH3_128bits_digest(&state);
    divide->key[0] = hash.low64;
    divide->key[1] = hash.high64;
}

static void kept_path(const struct divide *divide, uint32_t job, bool final, struct text *path)
{
    text_init(path, divide->session->mem);
    text_add(path, "%s/%s.%s", divide->ask->results, divide_name(divide, job),
             final ? "result" : "partial");
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

/* In a work folder the first one to write a result has written it. */
static bool save_shared(const struct divide *divide, const struct wire *result, const char *path,
                        bool final)
{
    char written[FILES_PATH], beside[FILES_PATH];
    files_unique(written, divide->ask->results, ".new");
    files_unique(beside, divide->ask->results, ".new");
    return !wire_save(result, divide->key, written, beside)
           && (final ? files_publish(written, path, true) != FILES_FAILED
                     : files_replace(written, path, true));
}

static bool save_alone(const struct divide *divide, const struct wire *result, const char *path)
{
    struct text beside;
    text_init(&beside, divide->session->mem);
    text_add(&beside, "%s.part", path);
    const bool good = !wire_save(result, divide->key, path, beside.data);
    text_free(&beside);
    return good;
}

/* False: it could not be kept. */
static bool keep_result(struct divide *divide, uint32_t job)
{
    struct text path;
    const struct wire *result = &divide->messages[job];
    const bool shares = divide->ask->work;
    if (!divide->ask->results || !divide->results[job] || (!is_final(result) && !shares))
        return true;
    kept_path(divide, job, is_final(result), &path);
    const bool good = shares ? save_shared(divide, result, path.data, is_final(result))
                             : save_alone(divide, result, path.data);
    if (!good) {
        session_end_progress(divide->session);
        message(&divide->session->diag, DIAG_WARNING, NULL, "cannot keep the result of '%s' in %s",
                divide_name(divide, job), divide->ask->results);
    }
    text_free(&path);
    return good;
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

/* When it was written. */
static void note_time(struct divide *divide, const char *path)
{
    struct stat status;
    const bool known = !stat(path, &status);
    const double time =
        known ? (double)status.st_mtim.tv_sec + 1e-9 * (double)status.st_mtim.tv_nsec : 0;
    if (time > divide->last) divide->last = time;
}

/* A file that is damaged, or of another search, is as good as none. */
static bool take_kept(struct divide *divide, uint32_t job, bool final)
{
    const struct ask *ask = divide->ask;
    struct mem *mem = divide->session->mem;
    struct wire *told = &divide->messages[job];
    struct text path;
    if (!ask->results || !(ask->resume || ask->work)) return false;
    kept_path(divide, job, final, &path);
    bool good = (!ask->work || files_is_there(path.data))
                && wire_load(told, divide->key, mem, path.data) && is_final(told) == final
                && take_object(divide, job);
    if (good) note_time(divide, path.data);
    text_free(&path);
    if (!good) {
        wire_free(told, mem);
        return false;
    }
    divide->statuses[job] = (int)told->status;
    divide->kept++;
    divide->done++;
    divide->begun[job] = true;
    return true;
}

/* ---- jobs ---- */

/* Whether it may be searched here, now: in a work folder somebody else may have it. */
static bool claim_job(struct divide *divide, uint32_t job)
{
    const double now = clock_now();
    if (!divide->ask->work) return true;
    if (now - divide->looked[job] < LOOK_SECONDS) return false;
    divide->looked[job] = now;
    switch (claims_take(&divide->claims, divide_name(divide, job))) {
    case CLAIMS_MINE: return true;
    case CLAIMS_HOPELESS: divide->begun[job] = true; return false;
    case CLAIMS_BROKEN:
        message_error(&divide->session->diag, "%s", divide->claims.error);
        divide->ending = 1;
        divide->left = true;
        return false;
    case CLAIMS_OVER:
        if (!take_kept(divide, job, true)) claims_doubt(&divide->claims, divide_name(divide, job));
        return false;
    case CLAIMS_OTHERS: break;
    }
    return false;
}

static bool next_job(void *context, uint32_t *job)
{
    struct divide *divide = context;
    for (uint32_t i = 0; i < divide->count && !divide->ending && !limits_interrupted; i++) {
        if (divide->begun[i]
            || (divide->ask->work && clock_now() - divide->looked[i] < LOOK_SECONDS)
            || take_kept(divide, i, true) || !claim_job(divide, i))
            continue;
        divide->begun[i] = true;
        *job = i;
        return true;
    }
    return false;
}

/* Whether somebody may do something yet, here or elsewhere. */
static bool is_open(const struct divide *divide)
{
    for (uint32_t i = 0; i < divide->count; i++)
        if (!divide->begun[i]) return true;
    return false;
}

/* A folder for what this process writes, where several may search the same (run/attempt.h). False:
 * that was told. */
static bool choose_folder(const struct divide *divide, struct ask *ask, const char *folder)
{
    struct mem *mem = divide->session->mem;
    struct text text;
    ask->freeze = folder;
    if (!ask->work) return true;
    ask->resume = true;
    if (ask->split != SPLIT_NEVER) return true; /* that is made for it */
    const char *attempt = attempt_begin(mem, folder);
    if (!attempt)
        return message_error(&divide->session->diag, "cannot make the folder '%.200s': %s", folder,
                             strerror(errno));
    text_init(&text, mem);
    text_add(&text, "%s/%s", folder, attempt);
    ask->freeze = text.data;
    return true;
}

static void name_folder(const struct divide *divide, uint32_t job, struct text *folder)
{
    text_init(folder, divide->session->mem);
    text_add(folder, "%s/%s", divide->ask->freeze, divide_name(divide, job));
}

/* What became of it is noted where others see it. */
static void end_claim(struct divide *divide, uint32_t job, bool kept)
{
    const struct wire *told = &divide->messages[job];
    const bool is_there = divide->results[job], final = is_there && is_final(told) && kept;
    const enum stop_reason stop = is_there                            ? told->result.stop
                                  : divide->statuses[job] == -SIGKILL ? STOP_MEMORY
                                                                      : divide->limits[job];
    struct claims_row row = {.state = final                                      ? CLAIMS_DONE
                                      : stop == STOP_INTERRUPT || divide->ending ? CLAIMS_LEFT
                                                                                 : CLAIMS_FAILED,
                             .stop = stop,
                             .status = divide->statuses[job]};
    if (is_there) {
        row.states = told->result.states;
        row.transitions = told->result.transitions;
        row.seconds = told->result.seconds;
    }
    divide->found |= divide->statuses[job] == EXIT_VIOLATED;
    divide->left |= !final || divide->statuses[job] == EXIT_INCONCLUSIVE;
    if (divide->statuses[job] == EXIT_USAGE || divide->statuses[job] == EXIT_INTERNAL)
        if (divide->statuses[job] > divide->worst) divide->worst = divide->statuses[job];
    if (divide->ask->freeze && divide->ask->split == SPLIT_NEVER) {
        struct text folder;
        name_folder(divide, job, &folder);
        if (final) attempt_clean(folder.data, ""), rmdir(folder.data);
        else attempt_release(folder.data);
        text_free(&folder);
    }
    claims_end(&divide->claims, divide_name(divide, job), &row);
    if (divide->statuses[job] == EXIT_VIOLATED && divide->ask->first) claims_stop(&divide->claims);
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
        name_folder(divide, job, &folder);
        if (!choose_folder(divide, &ask, folder.data)) return EXIT_INCONCLUSIVE;
    }
    /* it is searched to its end here: who does what, and who stops whom, is about all of them */
    ask.work = NULL;
    ask.prepare = ask.part_auto = ask.join = ask.no_wait = false;
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
    const bool kept = keep_result(divide, job);
    if (divide->ask->work) end_claim(divide, job, kept);
    mem_free(mem, (char *)told->told); /* it is in the object */
    told->told = NULL;
}

static void look_for_an_end(struct divide *divide, double now)
{
    const struct ask *ask = divide->ask;
    if (limits_interrupted
        || (ask->work
            && (claims_are_stopped(&divide->claims)
                || (ask->leave > 0 && now - divide->started > ask->leave))))
        divide->ending = 1;
}

static void look(void *context, uint32_t running)
{
    struct divide *divide = context;
    const struct door *door = divide->session->door;
    const double now = clock_now();
    if (divide->ask->work) claims_keep(&divide->claims);
    look_for_an_end(divide, now);
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
    divide->begun = mem_alloc(mem, divide->count * sizeof *divide->begun);
    divide->looked = mem_alloc(mem, divide->count * sizeof *divide->looked);
    for (uint32_t i = 0; i < divide->count; i++) divide->statuses[i] = DIVIDE_NOT_BEGUN;
    ask->memory = (ask->memory ? ask->memory : mem_available() / 5 * 4) / at_once;
    /* the folders of contexts are made in it; what fails is told there */
    if (ask->freeze) mkdir(ask->freeze, 0777);
    if (ask->results) mkdir(ask->results, 0777);
    deadline_wait();
    mem_lift(mem);
}

/* ---- the work folder ---- */

static bool open_work(struct divide *divide)
{
    const struct ask *ask = divide->ask;
    struct mem *mem = divide->session->mem;
    struct work work = {.mem = mem,
                        .word = divide->word,
                        .file = divide->file,
                        .key = {divide->key[0], divide->key[1]}};
    for (uint32_t i = 0; i < divide->count; i++) {
        const char *name = divide_name(divide, i);
        vec_push(mem, &work.names, name);
    }
    char *claims = work_claims(mem, ask), *stop = work_stop(mem, ask);
    bool good = work_open(&work, ask, ask->join,
                          ask->resume || ask->prepare || ask->part_auto || ask->join);
    if (!good) message_error(&divide->session->diag, "%s", work.error);
    else if (!ask->join) {
        good = claims_open(&divide->claims, mem, claims, stop, ask->takeover)
               || message_error(&divide->session->diag, "%s", divide->claims.error);
        divide->claims.time = ask->time;
        divide->claims.is_eager = !ask->part_auto;
        if (!ask->part_auto) unlink(stop); /* it is to go on */
    }
    vec_free(mem, &work.names);
    mem_free(mem, claims);
    mem_free(mem, stop);
    return good;
}

/* What was found before a limit ended a job; of jobs without a result, what is noted. */
static void see_unfinished(struct divide *divide)
{
    struct mem *mem = divide->session->mem;
    struct claims_row row;
    char *claims = work_claims(mem, divide->ask);
    for (uint32_t i = 0; i < divide->count; i++) {
        if (divide->results[i] || take_kept(divide, i, true) || take_kept(divide, i, false))
            continue;
        if (!claims_read(mem, claims, divide_name(divide, i), &row) || row.state != CLAIMS_FAILED)
            continue;
        divide->limits[i] = row.stop;
        divide->statuses[i] = row.status;
    }
    mem_free(mem, claims);
}

static int status_of_work(const struct divide *divide)
{
    return divide->worst   ? divide->worst
           : divide->found ? EXIT_VIOLATED
           : divide->left  ? EXIT_INCONCLUSIVE
                           : EXIT_HOLDS;
}

/* Jobs until none is left; in a work folder, here and elsewhere. */
static bool work(struct divide *divide, const struct jobs *jobs)
{
    for (bool good;;) {
        good = jobs_run(jobs);
        look_for_an_end(divide, clock_now());
        if (!good || !divide->ask->work || divide->ending || !is_open(divide)
            || divide->ask->no_wait)
            return good;
        look(divide, 0);
        nanosleep(&(struct timespec){0, WAIT_NANOSECONDS}, NULL);
    }
}

static void tell_remarks(const struct divide *divide, bool good)
{
    struct diag *diag = &divide->session->diag;
    if (!good) message_error(diag, "not all processes could be started");
    if (divide->repeated && !divide->guides)
        message(diag, DIAG_NOTE, NULL, "the same in %u other context%s", divide->repeated,
                divide->repeated == 1 ? "" : "s");
    if (divide->kept && !diag->quiet && !divide->ask->work)
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
    if (ask->results) make_key(&divide);
    *status = EXIT_USAGE;
    if (ask->work && !open_work(&divide)) return NULL;
    begin(&divide, at_once);
    divide.claims.memory = ask->memory;
    struct jobs jobs = {.mem = session->mem,
                        .at_once = at_once,
                        .next = next_job,
                        .run = run_job,
                        .takes_errors = true,
                        .done = job_done,
                        .look = look,
                        .context = &divide,
                        .interrupted = &divide.ending};
    bool good = ask->prepare || ask->join || work(&divide, &jobs);
    session_end_progress(session);
    tell_remarks(&divide, good);
    divide.left |= !good;
    if (ask->work) claims_close(&divide.claims);
    session->worked = ask->prepare || ask->part_auto;
    *status = status_of_work(&divide);
    for (uint32_t i = 0; session->worked && i < divide.count; i++) json_decref(divide.results[i]);
    if (session->worked) return NULL;
    if (ask->work) see_unfinished(&divide);
    if (ask->join) divide.seconds = work_seconds(ask, session->mem, divide.last);
    return merge_results(&divide, status);
}
