#define XXH_INLINE_ALL
/* Each context (or guide: the same is meant of them) is searched in a process of its own
 * (workers.h) by the command itself with --json; the objects they print are put together here. So a
 * context that runs out of memory leaves the others alone, and what is said of one context is what
 * a search of it alone says. A mistake in the model is one in every context: messages that were
 * told are not told again. */
#include "cli/contexts.h"

#include "base/clock.h"
#include "base/version.h"
#include "cli/deadline.h"
#include "cli/session.h"
#include "cli/workers.h"
#include "report/matrix.h"

#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { NOT_BEGUN = -1000 }; /* a status */

struct contexts {
    struct session *session;
    struct options *options;
    const char *command;
    int (*run)(struct options *options, struct mem *mem);
    const struct guided_list *guides; /* NULL: contexts */
    const char *word;                 /* what they are: "context", "guide" or "part" */
    const char *file;
    uint64_t key[2]; /* of kept results */
    uint32_t kept;   /* that were taken over */
    uint32_t count, next, done;
    uint32_t running;
    json_t **results; /* NULL: none yet */
    int *statuses;
    enum stop_reason *limits; /* that ended a job without a result, or STOP_NONE */
    VEC(const char *) told;   /* on standard error */
    uint32_t repeated;        /* so many contexts had nothing else to say */
    double started, shown;
};

bool contexts_are_several(struct options *options, struct mem *mem)
{
    struct session session;
    struct diag *diag = &session.diag;
    if (!options->context) return false;
    session_init(&session, options, mem);
    diag->listener = NULL; /* the search will tell what is wrong */
    const char *name;
    bool several =
        session_read_context(&session, &name) && !name && cdl_context_count(session.cdl) > 1;
    return several;
}

static const char *name_of(const struct contexts *contexts, uint32_t job)
{
    return contexts->guides ? contexts->guides->names[job]
                            : cdl_context_name(contexts->session->cdl, job, NULL);
}

/* The options that choose it, in the same model. */
static void add_arguments(const struct contexts *contexts, uint32_t job, struct text *text)
{
    const struct options *options = contexts->options;
    for (uint32_t i = 0; i < options->defines.len; i++)
        text_add(text, "-D %s=%" PRId64 " ", options->defines.data[i].name,
                 options->defines.data[i].value);
    if (!contexts->guides)
        text_add(text, "--context %s:%s", contexts->file, name_of(contexts, job));
    else if (!contexts->guides->are_parts)
        text_add(text, "--guide %s:%s", contexts->file, name_of(contexts, job));
    else
        text_add(text, "--guide %s --split %s --guide-part %u", contexts->options->guide,
                 contexts->options->split_by, job + 1);
}

/* ---- kept results ---- */

/* The same program, model, file and words of the command, apart from those that do not matter for a
 * result. */
static void make_key(struct contexts *contexts)
{
    static const char *const aside[] = {"--resume", "-q", "--quiet", "-v", "--verbose", "--json"};
    const struct options *options = contexts->options;
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, CAIRN_VERSION, sizeof CAIRN_VERSION);
    for (int i = 1; i < options->argc; i++) {
        bool matters = true;
        for (size_t k = 0; k < sizeof aside / sizeof *aside; k++)
            matters &= strcmp(options->argv[i], aside[k]) != 0;
        if (matters) XXH3_128bits_update(&state, options->argv[i], strlen(options->argv[i]) + 1);
    }
    const char *const files[] = {options->file, contexts->file,
                                 options->context && contexts->guides ? options->context : NULL};
    for (unsigned f = 0; f < 3; f++) {
        FILE *file = files[f] ? fopen(files[f], "rb") : NULL;
        char bytes[4096];
        for (size_t size; file && (size = fread(bytes, 1, sizeof bytes, file)) > 0;)
            XXH3_128bits_update(&state, bytes, size);
        if (file) fclose(file);
    }
    XXH128_hash_t hash = XXH3_128bits_digest(&state);
    contexts->key[0] = hash.low64;
    contexts->key[1] = hash.high64;
}

static void kept_path(const struct contexts *contexts, uint32_t job, struct text *path)
{
    text_init(path, contexts->session->mem);
    text_add(path, "%s/%s.json", contexts->options->results, name_of(contexts, job));
}

static void key_text(const struct contexts *contexts, char *text)
{
    snprintf(text, 40, "%016llx%016llx", (unsigned long long)contexts->key[1],
             (unsigned long long)contexts->key[0]);
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
static void keep_result(struct contexts *contexts, uint32_t job)
{
    int status = contexts->statuses[job];
    char key[40];
    struct text path, beside;
    if (!contexts->options->results || !contexts->results[job]
        || !is_final(contexts->results[job], status))
        return;
    kept_path(contexts, job, &path);
    text_init(&beside, contexts->session->mem);
    text_add(&beside, "%s.part", path.data);
    key_text(contexts, key);
    json_t *object = json_pack("{s:s, s:i, s:O}", "key", key, "status", status, "result",
                               contexts->results[job]);
    bool written = object
                   && !json_dump_file(object, beside.data, JSON_COMPACT | JSON_REAL_PRECISION(6))
                   && !rename(beside.data, path.data);
    if (!written) {
        session_end_progress(contexts->session);
        fprintf(stderr, "cairn: warning: cannot keep the result of '%s' in %s\n",
                name_of(contexts, job), contexts->options->results);
    }
    json_decref(object);
    text_free(&path);
    text_free(&beside);
}

/* A file that is damaged, or of another search, is as good as none. */
static bool take_kept(struct contexts *contexts, uint32_t job)
{
    const struct options *options = contexts->options;
    char key[40];
    struct text path;
    if (!options->results || !options->resume) return false;
    kept_path(contexts, job, &path);
    json_t *object = json_load_file(path.data, 0, NULL);
    text_free(&path);
    key_text(contexts, key);
    const char *its = json_string_value(json_object_get(object, "key"));
    json_t *result = json_object_get(object, "result"), *status = json_object_get(object, "status");
    bool good = its && !strcmp(its, key) && json_is_object(result) && json_is_integer(status)
                && is_final(result, (int)json_integer_value(status));
    if (good) {
        contexts->results[job] = json_incref(result);
        contexts->statuses[job] = (int)json_integer_value(status);
        contexts->kept++;
        contexts->done++;
    }
    json_decref(object);
    return good;
}

/* ---- jobs ---- */

static bool next_job(void *context, uint32_t *job)
{
    struct contexts *contexts = context;
    while (contexts->next < contexts->count && take_kept(contexts, contexts->next))
        contexts->next++;
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
    if (!contexts->guides) options.context = given.data;
    else if (contexts->guides->are_parts) options.guide_part = job + 1;
    else options.guide = given.data;
    options.guide_remarked = contexts->guides && contexts->guides->are_parts && job;
    options.json = true;
    options.told = true; /* what there is to tell when nothing could be searched, the whole tells */
    options.json_file = options.report_file = NULL;
    options.quiet = true;
    options.some_properties = true;
    options.progress = WHEN_NEVER;
    options.threads = 0;
    if (options.trace_file)
        options.trace_file =
            own_file(contexts->session->mem, options.trace_file, name_of(contexts, job));
    if (options.freeze) {
        text_init(&folder, contexts->session->mem);
        text_add(&folder, "%s/%s", options.freeze, name_of(contexts, job));
        options.freeze = folder.data;
    }
    mem.recover = &recover;
    if (setjmp(recover)) {
        if (result_why_refused() == STOP_TIME)
            fprintf(stderr, "cairn: error: %s\n", deadline_words());
        return deadline_status();
    }
    return contexts->run(&options, &mem);
}

static void tell_errors(struct contexts *contexts, const struct text *errors)
{
    struct mem *mem = contexts->session->mem;
    if (!errors->len) return;
    for (uint32_t i = 0; i < contexts->told.len; i++)
        if (!strcmp(contexts->told.data[i], errors->data)) {
            contexts->repeated++;
            return;
        }
    char *copy = mem_alloc(mem, errors->len + 1);
    memcpy(copy, errors->data, errors->len);
    vec_push(mem, &contexts->told, copy);
    session_end_progress(contexts->session);
    fputs(errors->data, stderr);
}

static void job_done(void *context, uint32_t job, const struct text *output,
                     const struct text *errors, int status)
{
    struct contexts *contexts = context;
    json_error_t error;
    contexts->done++;
    if (status > DEADLINE_STATUS)
        contexts->limits[job] = (enum stop_reason)(status - DEADLINE_STATUS);
    contexts->statuses[job] = status > DEADLINE_STATUS ? EXIT_INCONCLUSIVE : status;
    json_t *result = output->len ? json_loadb(output->data, output->len, 0, &error) : NULL;
    if (json_is_object(result)) contexts->results[job] = result;
    else json_decref(result);
    tell_errors(contexts, errors);
    keep_result(contexts, job);
}

static void look(void *context, uint32_t running)
{
    struct contexts *contexts = context;
    double now = clock_now();
    const struct options *options = contexts->options;
    bool wanted = options->progress == WHEN_ALWAYS
                  || (options->progress == WHEN_AUTO && isatty(STDERR_FILENO) && !options->quiet);
    contexts->running = running;
    if (!wanted || now - contexts->shown < 0.5) return;
    contexts->shown = now;
    fprintf(stderr, "\r\033[K%u of %u %ss, %.0f s", contexts->done, contexts->count, contexts->word,
            now - contexts->started);
    contexts->session->progress_shown = true;
}

/* ---- one result of all ---- */

/* Names of files may be no UTF-8. */
static json_t *string_of(struct mem *mem, const char *text)
{
    json_t *string = json_string(text);
    if (string) return string;
    char *copy = mem_alloc(mem, strlen(text) + 1);
    for (size_t i = 0; text[i]; i++) copy[i] = (unsigned char)text[i] < 128 ? text[i] : '?';
    string = json_string(copy);
    mem_free(mem, copy);
    return string;
}

/* A sum of counts, which may have any number of digits. */
struct sum {
    bool is_known; /* in all contexts */
    char *digits;
};

static char *add_digits(struct mem *mem, const char *a, const char *b)
{
    size_t left = strlen(a), right = strlen(b), room = (left > right ? left : right) + 1;
    char *sum = mem_alloc(mem, room + 1);
    unsigned carry = 0;
    for (size_t i = room; i-- > 0;) {
        if (left) carry += (unsigned)(a[--left] - '0');
        if (right) carry += (unsigned)(b[--right] - '0');
        sum[i] = (char)('0' + carry % 10);
        carry /= 10;
    }
    if (sum[0] == '0') memmove(sum, sum + 1, room);
    return sum;
}

static void add_count(struct mem *mem, struct sum *sum, const json_t *value)
{
    char number[32];
    if (json_is_integer(value))
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    sum->is_known &= json_is_integer(value) || json_is_string(value);
    if (sum->is_known)
        sum->digits = add_digits(mem, sum->digits ? sum->digits : "0",
                                 json_is_string(value) ? json_string_value(value) : number);
}

static json_t *count_of(const struct sum *sum)
{
    if (!sum->is_known || !sum->digits) return json_null();
    bool fits = strlen(sum->digits) < 16; /* 2^53 has 16 digits */
    return fits ? json_integer(strtoll(sum->digits, NULL, 10)) : json_string(sum->digits);
}

/* An object for a context that left none. */
static json_t *nothing(const struct contexts *contexts, uint32_t job)
{
    int status = contexts->statuses[job];
    enum stop_reason limit = contexts->limits[job];
    bool interrupted = status == NOT_BEGUN || limit == STOP_INTERRUPT;
    const char *why = interrupted          ? "it was interrupted before this was searched"
                      : status < 0         ? "the search was killed"
                      : limit == STOP_TIME ? "the time limit was reached before there was a result"
                      : status == EXIT_INCONCLUSIVE
                          ? "memory ran out before there was a result"
                          : "nothing was checked: see the messages on standard error";
    json_t *result = json_pack("{s:b, s:s}", "complete", 0, "assurance", why);
    if (strcmp(contexts->command, "check")) return result;
    json_object_set_new(result, "verdict", json_string("unknown"));
    json_object_set_new(result, "properties", json_array());
    return result;
}

static bool is_reach(const json_t *row)
{
    const char *kind = json_string_value(json_object_get(row, "kind"));
    return kind && !strcmp(kind, property_kind_name[PROPERTY_REACH]);
}

static enum verdict verdict_of(const char *word)
{
    for (unsigned v = 0; v < 3; v++)
        if (!strcmp(word, verdict_name[v])) return (enum verdict)v;
    return VERDICT_UNKNOWN;
}

/* A row per property: its verdict in all contexts together, and the run of the first context that
 * violates it. */
static void merge_property(json_t *properties, const json_t *row, const char *context)
{
    static const char *const keys[] = {"name",    "kind",   "text", "verdict", "asked", "engine",
                                       "vacuous", "reason", "why",  "trace",   "state"};
    const char *name = json_string_value(json_object_get(row, "name")),
               *verdict = json_string_value(json_object_get(row, "verdict"));
    size_t index;
    json_t *known, *target = NULL;
    if (!name || !verdict) return;
    json_array_foreach(properties, index,
                       known) if (!strcmp(json_string_value(json_object_get(known, "name")), name))
        target = known;
    enum verdict before = target ? verdict_of(json_string_value(json_object_get(target, "verdict")))
                                 : VERDICT_UNKNOWN;
    if (target && !json_is_true(json_object_get(row, "vacuous")))
        json_object_del(target, "vacuous"); /* in all contexts, or not at all */
    if (target && conclude_joined(is_reach(row), before, verdict_of(verdict)) == before) return;
    if (!target) json_array_append_new(properties, target = json_object());
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *value = json_object_get(row, keys[i]);
        if (value) json_object_set(target, keys[i], value);
        else json_object_del(target, keys[i]);
    }
    if (strcmp(verdict, "holds") || is_reach(row))
        json_object_set_new(target, "context", json_string(context));
}

struct merged {
    json_t *contexts, *properties;
    bool complete, violated, unknown, broken, usage;
    bool found; /* something that was sought: then nothing needs to be searched to its end */
    struct sum states, transitions, initial_states, deadlocks;
    json_int_t peak, depth; /* depth -1: not known */
    const char *silent;     /* the first context in which nothing was searched, or NULL */
};

/* Counts are over what was visited, so a context that left none leaves those of the others
 * alone. */
static void merge_counts(struct mem *mem, const json_t *result, struct merged *all)
{
    const json_t *depth = json_object_get(result, "depth");
    if (!json_object_get(result, "states")) return;
    add_count(mem, &all->states, json_object_get(result, "states"));
    add_count(mem, &all->transitions, json_object_get(result, "transitions"));
    add_count(mem, &all->initial_states, json_object_get(result, "initial_states"));
    add_count(mem, &all->deadlocks, json_object_get(result, "deadlocks"));
    if (!json_is_integer(depth)) all->depth = -1;
    else if (all->depth >= 0 && json_integer_value(depth) > all->depth)
        all->depth = json_integer_value(depth);
}

static void merge_context(struct contexts *contexts, uint32_t job, struct merged *all)
{
    struct mem *mem = contexts->session->mem;
    int status = contexts->statuses[job];
    json_t *result = contexts->results[job] ? contexts->results[job] : nothing(contexts, job), *row;
    const char *verdict = json_string_value(json_object_get(result, "verdict"));
    json_int_t peak = json_integer_value(json_object_get(result, "peak_memory_bytes"));
    size_t index;
    struct text arguments;
    text_init(&arguments, mem);
    add_arguments(contexts, job, &arguments);
    json_object_set_new(result, "context", json_string(name_of(contexts, job)));
    json_object_set_new(result, "arguments", string_of(mem, arguments.data));
    text_free(&arguments);
    all->complete &= json_is_true(json_object_get(result, "complete"));
    bool has_verdicts = json_array_size(json_object_get(result, "properties")) > 0;
    all->violated |= !verdict && status == EXIT_VIOLATED;
    all->unknown |= (verdict ? !has_verdicts : status == EXIT_INCONCLUSIVE) || status < 0;
    all->broken |= status == EXIT_INTERNAL
                   || (status < 0 && status != NOT_BEGUN && status != -SIGKILL && status != -SIGTERM
                       && status != -SIGINT);
    all->usage |= status == EXIT_USAGE;
    if (!json_object_get(result, "states") && !all->silent) all->silent = name_of(contexts, job);
    merge_counts(mem, result, all);
    if (peak > all->peak) all->peak = peak;
    json_array_foreach(json_object_get(result, "properties"), index, row)
        merge_property(all->properties, row, name_of(contexts, job));
    json_array_append_new(all->contexts, result);
}

/* What holds in all contexts but one, of which nothing is known, may not hold there. */
static void join_silence(json_t *row, const char *context)
{
    enum verdict before = verdict_of(json_string_value(json_object_get(row, "verdict")));
    if (conclude_joined(is_reach(row), before, VERDICT_UNKNOWN) == before) return;
    json_object_set_new(row, "verdict", json_string(verdict_name[VERDICT_UNKNOWN]));
    json_object_set_new(row, "reason", json_sprintf("%s was not searched", context));
    json_object_set_new(row, "context", json_string(context));
    json_object_del(row, "vacuous");
}

/* What each property comes to in all contexts together. */
static void join_verdicts(struct merged *all)
{
    json_t *row;
    size_t index;
    json_array_foreach(all->properties, index, row)
    {
        if (all->silent) join_silence(row, all->silent);
        enum verdict verdict = verdict_of(json_string_value(json_object_get(row, "verdict")));
        all->violated |= verdict == VERDICT_VIOLATED;
        all->unknown |= verdict == VERDICT_UNKNOWN && !json_is_false(json_object_get(row, "asked"));
        all->found |= verdict == VERDICT_HOLDS && is_reach(row);
    }
}

/* -p NAME: a context may do without, but not all of them. */
static bool has_properties(const struct contexts *contexts, const json_t *properties)
{
    const struct options *options = contexts->options;
    for (uint32_t i = 0; i < contexts->count; i++)
        if (!contexts->results[i]) return true; /* it could be there */
    for (uint32_t i = 0; i < options->properties.len; i++) {
        const char *name = options->properties.data[i];
        bool found = !strcmp(name, "deadlock") || !strcmp(name, "runtime-error");
        const json_t *row;
        size_t index;
        json_array_foreach((json_t *)properties, index, row) found |=
            !strcmp(json_string_value(json_object_get(row, "name")), name);
        if (found) continue;
        fprintf(stderr, "cairn: error: no %s has a property '%.60s'\n", contexts->word, name);
        return false;
    }
    return true;
}

/* What all of them stand under: as the first one does, with the whole file instead of its own
 * context or guide, and the restrictions of all. */
static json_t *join_under(const struct contexts *contexts, const json_t *rows)
{
    json_t *under = json_deep_copy(json_object_get(json_array_get(rows, 0), "under")),
           *restrictions = json_array(), *row, *name;
    size_t i, k;
    if (!under) under = json_object();
    json_array_foreach((json_t *)rows, i, row)
        json_array_foreach(json_object_get(json_object_get(row, "under"), "restrictions"), k, name)
            json_array_append(restrictions, name);
    json_object_set_new(under, "restrictions", restrictions);
    json_object_set_new(under, contexts->guides ? "guide" : "context",
                        string_of(contexts->session->mem, contexts->file));
    return under;
}

/* Names of restrictions, each once, in words. */
static void word_restrictions(const json_t *under, struct text *text)
{
    const json_t *list = json_object_get(under, "restrictions"), *name;
    size_t i;
    json_array_foreach((json_t *)list, i, name)
    {
        bool known = false;
        for (size_t k = 0; k < i; k++) known |= json_equal(json_array_get(list, k), name);
        if (!known) text_add(text, "%s%s", text->len ? ", " : "", json_string_value(name));
    }
}

static void word_constants(const json_t *under, struct text *text)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(under, "constants"), name, value)
    {
        text_add(text, "%s%s = ", text->len ? ", " : "", name);
        if (json_is_integer(value))
            text_add(text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        else text_add(text, "%s", json_string_value(value));
    }
}

/* The sentence for all of them. */
static void word_all(struct contexts *contexts, const json_t *under, bool complete,
                     struct text *assurance)
{
    struct mem *mem = contexts->session->mem;
    struct text restrictions, constants;
    text_init(&restrictions, mem);
    text_init(&constants, mem);
    word_restrictions(under, &restrictions);
    word_constants(under, &constants);
    conclude_divided(assurance,
                     &(struct conclude_division){
                         .semantics = json_string_value(json_object_get(under, "guide_semantics")),
                         .word = contexts->word,
                         .count = contexts->count,
                         .complete = complete,
                         .bound = contexts->options->guide_bound,
                         .are_parts = contexts->guides && contexts->guides->are_parts,
                         .restrictions = restrictions.data,
                         .constants = constants.data,
                         .reduction = json_string_value(
                             json_object_get(json_object_get(under, "reduction"), "keeps"))});
    text_free(&restrictions);
    text_free(&constants);
}

static json_t *merge(struct contexts *contexts, int *status)
{
    struct merged all = {.contexts = json_array(),
                         .properties = json_array(),
                         .complete = true,
                         .states.is_known = true,
                         .transitions.is_known = true,
                         .initial_states.is_known = true,
                         .deadlocks.is_known = true};
    struct mem *mem = contexts->session->mem;
    bool is_check = !strcmp(contexts->command, "check");
    struct text assurance;
    for (uint32_t i = 0; i < contexts->count; i++) merge_context(contexts, i, &all);
    join_verdicts(&all);
    if (!has_properties(contexts, all.properties)) all.usage = true;
    json_t *under = join_under(contexts, all.contexts);
    text_init(&assurance, mem);
    word_all(contexts, under, all.complete, &assurance);
    json_t *object = json_pack("{s:s, s:i, s:s}", "cairn", CAIRN_VERSION, "format", 2, "command",
                               contexts->command);
    json_object_set_new(object, "model", string_of(mem, contexts->options->file));
    json_object_set_new(object, contexts->guides ? "guides_file" : "contexts_file",
                        string_of(mem, contexts->file));
    if (contexts->guides && contexts->guides->are_parts)
        json_object_set_new(object, "guide_split", string_of(mem, contexts->options->split_by));
    json_object_set_new(object, "engine", json_string(contexts->guides ? "guides" : "contexts"));
    if (is_check)
        json_object_set_new(object, "verdict",
                            json_string(all.violated ? "violated"
                                        : all.unknown || !(all.complete || all.found) || all.usage
                                            ? "unknown"
                                            : "holds"));
    json_object_set_new(object, "complete", json_boolean(all.complete));
    json_object_set_new(object, "assurance", json_string(assurance.data));
    text_free(&assurance);
    json_object_set_new(object, "under", under);
    json_object_set_new(object, "states", count_of(&all.states));
    json_object_set_new(object, "transitions", count_of(&all.transitions));
    json_object_set_new(object, "initial_states", count_of(&all.initial_states));
    json_object_set_new(object, "deadlocks", count_of(&all.deadlocks));
    json_object_set_new(object, "depth", all.depth < 0 ? json_null() : json_integer(all.depth));
    json_object_set_new(object, "seconds", json_real(clock_now() - contexts->started));
    json_object_set_new(object, "peak_memory_bytes", json_integer(all.peak));
    if (is_check) json_object_set(object, "properties", all.properties);
    json_decref(all.properties);
    json_object_set_new(object, "contexts", all.contexts);
    json_object_set_new(object, "statistics", json_object());
    *status = all.broken                                    ? EXIT_INTERNAL
              : all.usage                                   ? EXIT_USAGE
              : all.violated                                ? EXIT_VIOLATED
              : all.unknown || !(all.complete || all.found) ? EXIT_INCONCLUSIVE
                                                            : EXIT_HOLDS;
    return object;
}

static bool tell(struct contexts *contexts, const json_t *all)
{
    const struct options *options = contexts->options;
    bool good = true;
    if (options->json) {
        FILE *file =
            options->json_file ? session_open(contexts->session, options->json_file) : stdout;
        contexts->options->told = true;
        if (file) json_dumpf(all, file, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        if (file) fputc('\n', file);
        good = file
               && session_close(file, options->json_file ? options->json_file : "standard output");
    }
    if (!options->json || options->json_file) matrix_show(&contexts->session->style, all);
    if (options->report_file) {
        FILE *file = session_open(contexts->session, options->report_file);
        if (file) matrix_html(file, all);
        good = file && session_close(file, options->report_file) && good;
    }
    return session_close(stdout, "standard output") && good;
}

int contexts_run(struct options *options, struct mem *mem, const struct guided_list *guides,
                 const char *command, int (*run)(struct options *options, struct mem *mem))
{
    struct session session;
    const char *name;
    session_init(&session, options, mem);
    if (!guides && !session_read_context(&session, &name)) {
        diag_finish(&session.diag);
        return EXIT_USAGE;
    }
    struct contexts contexts = {.session = &session,
                                .options = options,
                                .command = command,
                                .run = run,
                                .guides = guides,
                                .word = !guides             ? "context"
                                        : guides->are_parts ? "part"
                                                            : "guide",
                                .file = guides ? guides->file : options->context,
                                .count = guides ? guides->count : cdl_context_count(session.cdl),
                                .started = clock_now()};
    uint32_t at_once = options->threads > 1 ? (uint32_t)options->threads : 1;
    if (at_once > contexts.count) at_once = contexts.count;
    contexts.results = mem_alloc(mem, contexts.count * sizeof *contexts.results);
    contexts.statuses = mem_alloc(mem, contexts.count * sizeof *contexts.statuses);
    contexts.limits = mem_alloc(mem, contexts.count * sizeof *contexts.limits);
    for (uint32_t i = 0; i < contexts.count; i++) contexts.statuses[i] = NOT_BEGUN;
    options->memory = (options->memory ? options->memory : mem_available() / 5 * 4) / at_once;
    if (options->freeze)
        mkdir(options->freeze,
              0777); /* the folders of contexts are made in it; what fails is told there */
    if (options->results) mkdir(options->results, 0777);
    if (options->results) make_key(&contexts);
    deadline_wait();
    mem_lift(mem);
    struct workers workers = {.mem = mem,
                              .at_once = at_once,
                              .next = next_job,
                              .run = run_job,
                              .takes_errors = true,
                              .done = job_done,
                              .look = look,
                              .context = &contexts,
                              .interrupted = &limits_interrupted};
    bool good = workers_run(&workers);
    session_end_progress(&session);
    if (!good) fputs("cairn: error: not all processes could be started\n", stderr);
    if (contexts.repeated && !guides)
        fprintf(stderr, "cairn: note: the same in %u other context%s\n", contexts.repeated,
                contexts.repeated == 1 ? "" : "s");
    if (contexts.kept && !options->quiet)
        fprintf(stderr, "cairn: note: %u of %u results were taken from %s\n", contexts.kept,
                contexts.count, options->results);
    int status;
    json_t *all = merge(&contexts, &status);
    bool told = tell(&contexts, all);
    json_decref(all);
    return told ? status : EXIT_USAGE;
}
