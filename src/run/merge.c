#include "run/merge.h"

#include "base/clock.h"
#include "base/version.h"
#include "run/message.h"

#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char *command_word(const struct divide *divide)
{
    return divide->ask->command == ASK_CHECK ? "check" : "explore";
}

/* The options that choose it, in the same model. */
static void add_arguments(const struct divide *divide, uint32_t job, struct text *text)
{
    const struct ask *ask = divide->ask;
    for (uint32_t i = 0; i < ask->defines.len; i++)
        text_add(text, "-D %s=%" PRId64 " ", ask->defines.data[i].name, ask->defines.data[i].value);
    if (!divide->guides) text_add(text, "--context %s:%s", divide->file, divide_name(divide, job));
    else if (!divide->guides->are_parts)
        text_add(text, "--guide %s:%s", divide->file, divide_name(divide, job));
    else
        text_add(text, "--guide %s --split %s --guide-part %u", divide->ask->guide,
                 divide->ask->split_by, job + 1);
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
static json_t *nothing(const struct divide *divide, uint32_t job)
{
    int status = divide->statuses[job];
    enum stop_reason limit = divide->limits[job];
    bool interrupted = status == DIVIDE_NOT_BEGUN || limit == STOP_INTERRUPT;
    const char *why = interrupted          ? "it was interrupted before this was searched"
                      : status < 0         ? "the search was killed"
                      : limit == STOP_TIME ? "the time limit was reached before there was a result"
                      : status == EXIT_INCONCLUSIVE
                          ? "memory ran out before there was a result"
                          : "nothing was checked: see the messages on standard error";
    json_t *result = json_pack("{s:b, s:s}", "complete", 0, "assurance", why);
    if (strcmp(command_word(divide), "check")) return result;
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

static void merge_context(struct divide *divide, uint32_t job, struct merged *all)
{
    struct mem *mem = divide->session->mem;
    int status = divide->statuses[job];
    json_t *result = divide->results[job] ? divide->results[job] : nothing(divide, job), *row;
    const char *verdict = json_string_value(json_object_get(result, "verdict"));
    json_int_t peak = json_integer_value(json_object_get(result, "peak_memory_bytes"));
    size_t index;
    struct text arguments;
    text_init(&arguments, mem);
    add_arguments(divide, job, &arguments);
    json_object_set_new(result, "context", json_string(divide_name(divide, job)));
    json_object_set_new(result, "arguments", string_of(mem, arguments.data));
    text_free(&arguments);
    all->complete &= json_is_true(json_object_get(result, "complete"));
    bool has_verdicts = json_array_size(json_object_get(result, "properties")) > 0;
    all->violated |= !verdict && status == EXIT_VIOLATED;
    all->unknown |= (verdict ? !has_verdicts : status == EXIT_INCONCLUSIVE) || status < 0;
    all->broken |= status == EXIT_INTERNAL
                   || (status < 0 && status != DIVIDE_NOT_BEGUN && status != -SIGKILL
                       && status != -SIGTERM && status != -SIGINT);
    all->usage |= status == EXIT_USAGE;
    if (!json_object_get(result, "states") && !all->silent) all->silent = divide_name(divide, job);
    merge_counts(mem, result, all);
    if (peak > all->peak) all->peak = peak;
    json_array_foreach(json_object_get(result, "properties"), index, row)
        merge_property(all->properties, row, divide_name(divide, job));
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
static bool has_properties(const struct divide *divide, const json_t *properties)
{
    const struct ask *ask = divide->ask;
    for (uint32_t i = 0; i < divide->count; i++)
        if (!divide->results[i]) return true; /* it could be there */
    for (uint32_t i = 0; i < ask->properties.len; i++) {
        const char *name = ask->properties.data[i];
        bool found = !strcmp(name, "deadlock") || !strcmp(name, "runtime-error");
        const json_t *row;
        size_t index;
        json_array_foreach((json_t *)properties, index, row) found |=
            !strcmp(json_string_value(json_object_get(row, "name")), name);
        if (found) continue;
        message(&divide->session->diag, MESSAGE_ERROR, NULL, "no %s has a property '%.60s'",
                divide->word, name);
        return false;
    }
    return true;
}

/* What all of them stand under: as the first one does, with the whole file instead of its own
 * context or guide, and the restrictions of all. */
static json_t *join_under(const struct divide *divide, const json_t *rows)
{
    json_t *under = json_deep_copy(json_object_get(json_array_get(rows, 0), "under")),
           *restrictions = json_array(), *row, *name;
    size_t i, k;
    if (!under) under = json_object();
    json_array_foreach((json_t *)rows, i, row)
        json_array_foreach(json_object_get(json_object_get(row, "under"), "restrictions"), k, name)
            json_array_append(restrictions, name);
    json_object_set_new(under, "restrictions", restrictions);
    json_object_set_new(under, divide->guides ? "guide" : "context",
                        string_of(divide->session->mem, divide->file));
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
static void word_all(struct divide *divide, const json_t *under, bool complete,
                     struct text *assurance)
{
    struct mem *mem = divide->session->mem;
    struct text restrictions, constants;
    text_init(&restrictions, mem);
    text_init(&constants, mem);
    word_restrictions(under, &restrictions);
    word_constants(under, &constants);
    conclude_divided(assurance,
                     &(struct conclude_division){
                         .semantics = json_string_value(json_object_get(under, "guide_semantics")),
                         .word = divide->word,
                         .count = divide->count,
                         .complete = complete,
                         .bound = divide->ask->guide_bound,
                         .are_parts = divide->guides && divide->guides->are_parts,
                         .restrictions = restrictions.data,
                         .constants = constants.data,
                         .reduction = json_string_value(
                             json_object_get(json_object_get(under, "reduction"), "keeps"))});
    text_free(&restrictions);
    text_free(&constants);
}

struct json_t *merge_results(struct divide *divide, int *status)
{
    struct merged all = {.contexts = json_array(),
                         .properties = json_array(),
                         .complete = true,
                         .states.is_known = true,
                         .transitions.is_known = true,
                         .initial_states.is_known = true,
                         .deadlocks.is_known = true};
    struct mem *mem = divide->session->mem;
    bool is_check = !strcmp(command_word(divide), "check");
    struct text assurance;
    for (uint32_t i = 0; i < divide->count; i++) merge_context(divide, i, &all);
    join_verdicts(&all);
    if (!has_properties(divide, all.properties)) all.usage = true;
    json_t *under = join_under(divide, all.contexts);
    text_init(&assurance, mem);
    word_all(divide, under, all.complete, &assurance);
    json_t *object = json_pack("{s:s, s:i, s:s}", "cairn", CAIRN_VERSION, "format", 2, "command",
                               command_word(divide));
    json_object_set_new(object, "model", string_of(mem, divide->ask->file));
    json_object_set_new(object, divide->guides ? "guides_file" : "contexts_file",
                        string_of(mem, divide->file));
    if (divide->guides && divide->guides->are_parts)
        json_object_set_new(object, "guide_split", string_of(mem, divide->ask->split_by));
    json_object_set_new(object, "engine", json_string(divide->guides ? "guides" : "contexts"));
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
    json_object_set_new(object, "seconds", json_real(clock_now() - divide->started));
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
