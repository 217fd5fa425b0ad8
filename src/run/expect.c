#include "run/expect.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 64, DEPTH = 4 };

/* One line, cut into words. */
struct line {
    uint32_t number;
    char *words[MOST_WORDS];
    uint32_t count, options; /* the first ones are options */
};

struct comparison {
    struct session *session;
    const struct task *task;
    const struct result *result;
    struct expect *expect;
    uint32_t source;
    bool *spoken_of; /* per property */
};

static bool complain(struct comparison *at, const struct line *line, const char *format,
                     const char *word)
{
    struct place place = {at->source, line->number, 1};
    diag_error(&at->session->diag, DIAG_SYNTAX, place, format, word);
    return false;
}

/* ---- whether a line is about this run ---- */

static bool sets_constant(const struct ask *ask, const char *word)
{
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : 0;
    for (uint32_t i = 0; i < ask->defines.len; i++) {
        const struct language_define *define = &ask->defines.data[i];
        if (strlen(define->name) == length && !strncmp(define->name, word, length))
            return strtoll(equals + 1, NULL, 10) == define->value;
    }
    return false;
}

/* A file of the command line, which may stand in another folder than where the line was written. */
static bool is_file(const char *given, const char *word)
{
    if (!given) return false;
    size_t all = strlen(given), length = strlen(word);
    return all >= length && !strcmp(given + all - length, word)
           && (all == length || given[all - length - 1] == '/');
}

static bool is_bound(const struct ask *ask, const char *word)
{
    if (!strcmp(word, "auto")) return ask->guide_auto || ask->bound_auto;
    uint64_t bound = strtoull(word, NULL, 10);
    return bound && bound == (ask->guide_bound ? ask->guide_bound : ask->bound);
}

static bool is_about(const struct ask *ask, const struct line *line)
{
    uint32_t constants = 0;
    bool context = false, guide = false, bound = false, good = true;
    for (uint32_t i = 0; i + 1 < line->options; i += 2) {
        const char *option = line->words[i], *value = line->words[i + 1];
        if (!strcmp(option, "-D")) {
            constants++;
            good &= sets_constant(ask, value);
        } else if (!strcmp(option, "--context"))
            context = true, good &= is_file(ask->context, value);
        else if (!strcmp(option, "--guide")) guide = true, good &= is_file(ask->guide, value);
        else bound = true, good &= is_bound(ask, value);
    }
    bool is_bounded = ask->guide_bound || ask->guide_auto || ask->bound || ask->bound_auto;
    return good && constants == ask->defines.len && context == !!ask->context
           && guide == !!ask->guide && bound == is_bounded;
}

/* ---- what it says ---- */

static void tell(struct comparison *at, const struct line *line, const char *what,
                 const char *found, const char *wanted)
{
    struct text *told = &at->expect->told;
    at->expect->unexpected++;
    text_add(told, "%s is %s, not %s", what, found, wanted);
    if (line)
        text_add(told, " (%s:%u)", at->session->diag.sources.data[at->source].name, line->number);
    text_add(told, "\n");
}

static bool compare_property(struct comparison *at, const struct line *line)
{
    uint32_t word = line->options + 1;
    if (word + 1 >= line->count)
        return complain(at, line, "a name and a verdict are missing after '%s'", "property");
    const char *name = line->words[word], *wanted = line->words[word + 1];
    if (strcmp(wanted, "holds") && strcmp(wanted, "violated") && strcmp(wanted, "unknown"))
        return complain(at, line, "'%.60s' is no verdict: holds, violated or unknown", wanted);
    for (uint32_t i = 0; i < at->task->property_count; i++) {
        const struct property_result *entry = &at->task->properties[i];
        if (strcmp(entry->property->name, name)) continue;
        at->spoken_of[i] = true;
        const char *found = verdict_name[result_answer(entry)];
        if (strcmp(found, wanted)) tell(at, line, name, found, wanted);
        else if (word + 2 < line->count && !strncmp(line->words[word + 2], "distance=", 9)) {
            char steps[32] = "not known";
            const char *distance = line->words[word + 2] + 9;
            if (entry->trace) snprintf(steps, sizeof steps, "%u", entry->trace->steps);
            if (strcmp(steps, distance)) tell(at, line, "its distance", steps, distance);
        }
    }
    return true; /* one that was not asked is none of this run's */
}

static bool compare_count(struct comparison *at, const struct line *line, const char *word)
{
    const struct result *result = at->result;
    const struct {
        const char *name;
        uint64_t count;
        const char *digits;
    } counts[] = {{"states=", result->states, result->exact.states},
                  {"transitions=", result->transitions, result->exact.transitions},
                  {"deadlocks=", result->deadlocks, result->exact.deadlocks},
                  {"initial_states=", result->initial_states, result->exact.initial_states},
                  [DEPTH] = {"depth=", result->depth, NULL}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        size_t length = strlen(counts[i].name);
        char found[32], what[32];
        if (strncmp(word, counts[i].name, length)) continue;
        if (!result->all_states || (i == DEPTH && !result->has_depth))
            return true; /* a part says nothing about the whole */
        snprintf(found, sizeof found, "%" PRIu64, counts[i].count);
        snprintf(what, sizeof what, "the number of %.*s", (int)length - 1, counts[i].name);
        const char *digits = counts[i].digits ? counts[i].digits : found;
        if (strcmp(digits, word + length)) tell(at, line, what, digits, word + length);
        return true;
    }
    if (!strncmp(word, "discrete=", 9) || !strncmp(word, "bound=", 6)) return true;
    return complain(at, line, "'%.60s' is not understood", word);
}

static bool compare_line(struct comparison *at, const struct line *line)
{
    if (line->count == line->options)
        return complain(at, line, "nothing is expected after ':'%s", "");
    if (!is_about(at->session->ask, line)) return true;
    at->expect->lines++;
    if (!strcmp(line->words[line->options], "property")) return compare_property(at, line);
    bool good = true;
    for (uint32_t i = line->options; i < line->count && good; i++)
        good = compare_count(at, line, line->words[i]);
    return good;
}

/* ---- reading ---- */

static bool is_option(const char *word)
{
    return !strcmp(word, "-D") || !strcmp(word, "--context") || !strcmp(word, "--guide")
           || !strcmp(word, "--bound");
}

/* The text after `expect`: options, a colon at the end of the last one, and what is expected. */
static bool read_line(struct comparison *at, struct line *line, char *text)
{
    bool in_options = true;
    if (*text == ':') in_options = false, text++;
    for (char *word = strtok(text, " \t\r"); word; word = strtok(NULL, " \t\r")) {
        size_t length = strlen(word);
        if (!strcmp(word, "-->")) break;
        if (line->count == MOST_WORDS) return complain(at, line, "too many words%s", "");
        bool is_last = in_options && word[length - 1] == ':';
        if (is_last) word[length - 1] = 0;
        if (in_options && line->count % 2 == 0 && !is_option(word))
            return complain(at, line,
                            "'%.60s' is no option of an expectation: -D, --context, "
                            "--guide or --bound",
                            word);
        line->words[line->count++] = word;
        if (in_options) line->options = line->count;
        if (is_last) in_options = false;
    }
    if (in_options || line->options % 2)
        return complain(at, line, "a ':' is missing after the options%s", "");
    return compare_line(at, line);
}

/* `// expect`, `# expect`, `<!-- expect`, or just `expect`. */
static char *find_expectation(char *text)
{
    text += strspn(text, " \t");
    text += strspn(text, "/#<!-*");
    text += strspn(text, " \t");
    if (strncmp(text, "expect", 6)) return NULL;
    return text[6] == ' ' || text[6] == ':' ? text + 6 : NULL;
}

static bool read_lines(struct comparison *at)
{
    const struct source *source = &at->session->diag.sources.data[at->source];
    struct mem *mem = at->session->mem;
    char *copy = mem_alloc(mem, source->length + 1), *next;
    bool good = true;
    uint32_t number = 1;
    memcpy(copy, source->text, source->length);
    copy[source->length] = 0;
    for (char *text = copy; text && good; text = next, number++) {
        struct line line = {.number = number};
        next = strchr(text, '\n');
        if (next) *next++ = 0;
        char *expectation = find_expectation(text);
        if (expectation) {
            expectation += strspn(expectation, " \t");
            good = read_line(at, &line, expectation);
        }
    }
    mem_free(mem, copy);
    return good;
}

bool expect_compare(struct session *session, const char *path, const struct task *task,
                    const struct result *result, struct expect *expect)
{
    struct comparison at = {session, task, result, expect, 0, NULL};
    *expect = (struct expect){0};
    text_init(&expect->told, session->mem);
    at.spoken_of = mem_alloc(session->mem, task->property_count + UINT64_C(1));
    if (!diag_read_source(&session->diag, path, &at.source) || !read_lines(&at)) {
        diag_finish(&session->diag);
        return false;
    }
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        const char *found = verdict_name[result_answer(entry)];
        if (!at.spoken_of[i] && !entry->watched_only && strcmp(found, "holds"))
            tell(&at, NULL, entry->property->name, found, "holds");
    }
    assert(!expect->unexpected == !expect->told.len);
    return true;
}
