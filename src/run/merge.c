#include "run/merge.h"

#include "base/clock.h"
#include "base/version.h"
#include "result/tables.h"
#include "run/message.h"

#include <assert.h>
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

static void add_count(struct mem *mem, struct sum *sum, const struct result *result,
                      const char *name)
{
    const struct member_view view = {.result = result};
    struct member_value value;
    char number[32];
    member_get(member_find(&tables_result, name, strlen(name)), &view, result, &value);
    snprintf(number, sizeof number, "%" PRIu64, value.count);
    sum->is_known &= value.is_known;
    if (sum->is_known)
        sum->digits =
            add_digits(mem, sum->digits ? sum->digits : "0", value.text ? value.text : number);
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
    const char *why =
        divide->ask->join && status == DIVIDE_NOT_BEGUN ? "it was not searched to its end yet"
        : interrupted                 ? "it was interrupted before this was searched"
        : status < 0                  ? "the search was killed"
        : limit == STOP_TIME          ? "the time limit was reached before there was a result"
        : status == EXIT_INCONCLUSIVE ? "memory ran out before there was a result"
                                      : "nothing was checked: see the messages on standard error";
    json_t *result = json_pack("{s:b, s:s}", "complete", 0, "assurance", why);
    if (divide->ask->command != ASK_CHECK) return result;
    json_object_set_new(result, "verdict", json_string("unknown"));
    json_object_set_new(result, "properties", json_array());
    return result;
}

/* What is known of a property in all contexts together. */
struct merged_property {
    json_t *row;
    const char *name;
    enum verdict verdict;
    bool is_reach, is_asked;
    const struct extent *values; /* of the row's */
};

struct merged {
    json_t *contexts, *rows; /* rows: those of `properties` */
    VEC(struct merged_property) properties;
    bool complete, violated, unknown, broken, usage;
    bool found; /* something that was sought: then nothing needs to be searched to its end */
    struct sum states, transitions, initial_states, deadlocks;
    uint64_t peak, depth;
    bool has_depth;
    const char *silent; /* the first context in which nothing was searched, or NULL */
};

static struct merged_property *find_property(struct merged *all, const char *name)
{
    for (uint32_t i = 0; i < all->properties.len; i++)
        if (!strcmp(all->properties.data[i].name, name)) return &all->properties.data[i];
    return NULL;
}

static void copy_row(json_t *to, const json_t *from)
{
    static const char *const keys[] = {"name",   "kind",    "text",   "verdict", "asked",
                                       "engine", "vacuous", "reason", "why",     "trace",
                                       "traces", "state",   "value"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *value = json_object_get(from, keys[i]);
        if (value) json_object_set_new(to, keys[i], json_deep_copy(value)); /* it may be merged */
        else json_object_del(to, keys[i]);
    }
}

/* Of two rows with values, both of which hold: the larger sup and the smaller inf of each term. */
static void merge_values(struct mem *mem, struct merged_property *target, const json_t *row,
                         const struct property_result *entry)
{
    json_t *mine = json_object_get(target->row, "value"), *other = json_object_get(row, "value");
    struct extent *values = mem_alloc(mem, (entry->value_count + UINT64_C(1)) * sizeof *values);
    if (!mine || !other) return;
    for (uint32_t i = 0; i < entry->value_count; i++) {
        const struct extent *added = &entry->values[i];
        json_t *to = json_object_get(mine, added->term),
               *from = json_object_get(other, added->term);
        values[i] = target->values[i];
        if (extent_raise(&values[i].sup, added->sup))
            json_object_set(to, "sup", json_object_get(from, "sup"));
        if (extent_lower(&values[i].inf, added->inf))
            json_object_set(to, "inf", json_object_get(from, "inf"));
    }
    target->values = values;
}

/* A row per property: its verdict in all contexts together, and the run of the first context that
 * violates it. */
static void merge_property(struct mem *mem, struct merged *all, const json_t *row,
                           const struct property_result *entry, const char *context)
{
    struct merged_property *target = find_property(all, entry->property->name);
    const bool is_reach = entry->seeks;
    const enum verdict verdict = result_answer(entry);
    if (target && !result_is_vacuous(entry))
        json_object_del(target->row, "vacuous"); /* in all contexts, or not at all */
    if (target && entry->value_count && target->verdict == VERDICT_HOLDS
        && verdict == VERDICT_HOLDS)
        merge_values(mem, target, row, entry);
    if (target && conclude_joined(is_reach, target->verdict, verdict) == target->verdict) return;
    if (!target) {
        vec_push(mem, &all->properties,
                 ((struct merged_property){.row = json_object(), .name = entry->property->name}));
        target = &all->properties.data[all->properties.len - 1];
        json_array_append_new(all->rows, target->row);
    }
    target->verdict = verdict;
    target->values = entry->values;
    target->is_reach = is_reach;
    target->is_asked = !entry->watched_only;
    copy_row(target->row, row);
    if (verdict != VERDICT_HOLDS || is_reach)
        json_object_set_new(target->row, "context", json_string(context));
}

/* Counts are over what was visited, so a context that left none leaves those of the others
 * alone. */
static void merge_counts(struct mem *mem, const struct result *result, struct merged *all)
{
    add_count(mem, &all->states, result, "states");
    add_count(mem, &all->transitions, result, "transitions");
    add_count(mem, &all->initial_states, result, "initial_states");
    add_count(mem, &all->deadlocks, result, "deadlocks");
    all->has_depth &= result->has_depth;
    if (result->depth > all->depth) all->depth = result->depth;
    if (result->peak_bytes > all->peak) all->peak = result->peak_bytes;
}

static void merge_verdicts(struct divide *divide, uint32_t job, struct merged *all)
{
    const struct wire *message = &divide->messages[job];
    const json_t *rows = json_object_get(divide->results[job], "properties");
    all->complete &= message->result.complete;
    merge_counts(divide->session->mem, &message->result, all);
    for (uint32_t i = 0; i < message->property_count; i++)
        merge_property(divide->session->mem, all, json_array_get(rows, i), &message->properties[i],
                       divide_name(divide, job));
}

static void merge_context(struct divide *divide, uint32_t job, struct merged *all)
{
    struct mem *mem = divide->session->mem;
    const int status = divide->statuses[job];
    const bool is_check = divide->ask->command == ASK_CHECK, is_there = divide->results[job];
    json_t *result = is_there ? divide->results[job] : nothing(divide, job);
    struct text arguments;
    text_init(&arguments, mem);
    add_arguments(divide, job, &arguments);
    json_object_set_new(result, "context", json_string(divide_name(divide, job)));
    json_object_set_new(result, "arguments", string_of(mem, arguments.data));
    text_free(&arguments);
    const bool has_verdicts = is_there && divide->messages[job].property_count;
    all->violated |= !is_check && status == EXIT_VIOLATED;
    all->unknown |= (is_check ? !has_verdicts : status == EXIT_INCONCLUSIVE) || status < 0;
    all->broken |= status == EXIT_INTERNAL
                   || (status < 0 && status != DIVIDE_NOT_BEGUN && status != -SIGKILL
                       && status != -SIGTERM && status != -SIGINT);
    all->usage |= status == EXIT_USAGE;
    if (is_there) merge_verdicts(divide, job, all);
    else all->complete = false;
    if (!is_there && !all->silent) all->silent = divide_name(divide, job);
    json_array_append_new(all->contexts, result);
}

/* What holds in all contexts but one, of which nothing is known, may not hold there. */
static void join_silence(struct merged_property *property, const char *context)
{
    json_t *row = property->row;
    const enum verdict before = property->verdict;
    if (conclude_joined(property->is_reach, before, VERDICT_UNKNOWN) == before) return;
    property->verdict = VERDICT_UNKNOWN;
    json_object_set_new(row, "verdict", json_string(verdict_name[VERDICT_UNKNOWN]));
    json_object_set_new(row, "reason", json_sprintf("%s was not searched", context));
    json_object_set_new(row, "context", json_string(context));
    json_object_del(row, "vacuous");
}

/* What each property comes to in all contexts together. */
static void join_verdicts(struct merged *all)
{
    for (uint32_t i = 0; i < all->properties.len; i++) {
        struct merged_property *property = &all->properties.data[i];
        if (all->silent) join_silence(property, all->silent);
        all->violated |= property->verdict == VERDICT_VIOLATED;
        all->unknown |= property->verdict == VERDICT_UNKNOWN && property->is_asked;
        all->found |= property->verdict == VERDICT_HOLDS && property->is_reach;
    }
}

/* -p NAME: a context may do without, but not all of them. */
static bool has_properties(const struct divide *divide, struct merged *all)
{
    const struct ask *ask = divide->ask;
    for (uint32_t i = 0; i < divide->count; i++)
        if (!divide->results[i]) return true; /* it could be there */
    for (uint32_t i = 0; i < ask->properties.len; i++) {
        const char *name = ask->properties.data[i];
        if (!strcmp(name, property_kind_name[PROPERTY_DEADLOCK])
            || !strcmp(name, property_kind_name[PROPERTY_RUNTIME_ERROR])
            || find_property(all, name))
            continue;
        message(&divide->session->diag, DIAG_ERROR, NULL, "no %s has a property '%.60s'",
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
                         .rows = json_array(),
                         .complete = true,
                         .has_depth = true,
                         .states.is_known = true,
                         .transitions.is_known = true,
                         .initial_states.is_known = true,
                         .deadlocks.is_known = true};
    struct mem *mem = divide->session->mem;
    bool is_check = divide->ask->command == ASK_CHECK;
    struct text assurance;
    for (uint32_t i = 0; i < divide->count; i++) merge_context(divide, i, &all);
    join_verdicts(&all);
    if (!has_properties(divide, &all)) all.usage = true;
    json_t *under = join_under(divide, all.contexts);
    text_init(&assurance, mem);
    word_all(divide, under, all.complete, &assurance);
    assert(json_array_size(all.contexts) == divide->count);
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
    json_object_set_new(object, "depth",
                        all.has_depth ? json_integer((json_int_t)all.depth) : json_null());
    json_object_set_new(
        object, "seconds",
        json_real(divide->seconds > 0 ? divide->seconds : clock_now() - divide->started));
    json_object_set_new(object, "peak_memory_bytes", json_integer((json_int_t)all.peak));
    if (is_check) json_object_set(object, "properties", all.rows);
    json_decref(all.rows);
    vec_free(mem, &all.properties);
    json_object_set_new(object, "contexts", all.contexts);
    json_object_set_new(object, "statistics", json_object());
    *status = all.broken                                    ? EXIT_INTERNAL
              : all.usage                                   ? EXIT_USAGE
              : all.violated                                ? EXIT_VIOLATED
              : all.unknown || !(all.complete || all.found) ? EXIT_INCONCLUSIVE
                                                            : EXIT_HOLDS;
    return object;
}
