#define XXH_INLINE_ALL
#include "run/outcome.h"

#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { CHECK_BYTES = 23, MOST_BYTES = 1 << 30 }; /* "check " 16 digits newline */

static uint64_t reached_bytes(const struct model *model)
{
    uint64_t bits = 0;
    for (uint32_t p = 0; p < model->processes.len; p++) bits += model->processes.data[p].locations;
    return bits / 8 + 1;
}

static void put_head(const struct parts *parts, uint32_t part, struct text *text)
{
    const struct parts_line *line = &parts->lines.data[part];
    text_add(text,
             "cairn part 3 %016" PRIx64 "%016" PRIx64 " %u %u %" PRIu64 " %" PRIu64 " %" PRIu64
             " %" PRIu64 "\n",
             parts->hash[0], parts->hash[1], part, line->parent, line->rank, line->last_rank,
             line->begin, line->end);
}

/* ---- writing ---- */

static void put_property(struct text *text, const struct model *model, uint32_t number,
                         const struct property_result *entry)
{
    const struct trace *trace = entry->trace;
    text_add(text, "property %u %u %u %u\n", number, (unsigned)entry->verdict,
             entry->reason == result_cannot_evaluate, entry->antecedent_met);
    if (trace) {
        text_add(text, "trace %u %u %u %" PRId64 "\n", number, trace->steps, trace->failed_rule,
                 trace->delays ? trace->denominator : 0);
        for (uint32_t v = 0; v < model->vars.len; v++)
            text_add(text, "%" PRId64 " ", trace->initial[v]);
        for (uint32_t i = 0; i < trace->steps; i++) text_add(text, "%u ", trace->rules[i]);
        for (uint32_t i = 0; trace->delays && i <= trace->steps; i++)
            text_add(text, "%" PRId64 " ", trace->delays[i]);
        text_add(text, "\n");
    } else if (entry->last) {
        text_add(text, "state %u\n", number);
        for (uint32_t v = 0; v < model->vars.len; v++)
            text_add(text, "%" PRId64 " ", entry->last[v]);
        text_add(text, "%s\n", entry->reason);
    }
}

static void put_all(struct text *text, const struct task *task, const struct result *result)
{
    const struct cluster_statistics *clusters = result->clusters;
    const struct model *model = task->model;
    text_add(text, "stop %u %u\n", (unsigned)result->stop, clusters && clusters->handed_on);
    if (result->stop_detail) text_add(text, "detail %s\n", result->stop_detail);
    text_add(text,
             "counts %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
             " %" PRIu64 "\n",
             result->states, result->transitions, result->initial_states, result->deadlocks,
             result->ends, result->runtime_errors, result->expanded);
    text_add(text, "costs %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
             (uint64_t)(result->seconds * 1e6), result->peak_bytes,
             clusters ? clusters->frozen_bytes : 0, clusters ? clusters->live_peak : 0);
    const struct timed_statistics *timed = result->timed;
    if (timed)
        text_add(text,
                 "timed %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                 " %" PRIu64 " %u %u %u\n",
                 timed->discrete_states, timed->zones, timed->configurations, timed->zone_bytes,
                 timed->space_bytes, timed->covered, timed->given_up, timed->timers, timed->clocks,
                 timed->largest);
    for (uint64_t i = 0; clusters && clusters->handed_on && i < clusters->rest_count; i++)
        text_add(text, "rest %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                 (uint64_t)(clusters->rest[i].rank - clusters->lowest), clusters->rest[i].states,
                 clusters->rest[i].entries);
    for (uint32_t i = 0; i < task->property_count; i++)
        put_property(text, model, i, &task->properties[i]);
    for (uint32_t r = 0; r < model->rules.len; r++)
        if (result->taken[r]) text_add(text, "rule %u %" PRIu64 "\n", r, result->taken[r]);
    for (uint64_t i = 0; result->reached && i < reached_bytes(model); i++)
        if (result->reached[i]) text_add(text, "reached %" PRIu64 " %u\n", i, result->reached[i]);
    text_add(text, "end\n");
}

const char *outcome_write(const struct parts *parts, uint32_t part, const struct task *task,
                          const struct result *result)
{
    const char *path = parts_name(parts, part, "outcome"),
               *new_path = parts_name(parts, part, "outcome.new");
    struct text text;
    text_init(&text, parts->mem);
    put_head(parts, part, &text);
    put_all(&text, task, result);
    text_add(&text, "check %016" PRIx64 "\n", (uint64_t)XXH3_64bits(text.data, text.len));
    FILE *file = fopen(new_path, "w");
    bool good = file && fwrite(text.data, 1, text.len, file) == text.len && !fflush(file)
                && !fsync(fileno(file));
    int reason = errno;
    if (file && fclose(file) && good) good = false, reason = errno;
    text_free(&text);
    if (good && !rename(new_path, path)) return NULL;
    if (!good) unlink(new_path);
    return strerror(good ? errno : reason);
}

/* ---- reading ---- */

struct reader {
    char *at;
    bool good;
};

static uint64_t number(struct reader *reader)
{
    char *end;
    uint64_t value = strtoull(reader->at, &end, 10);
    reader->good &= end != reader->at;
    reader->at = end;
    return value;
}

static int64_t integer(struct reader *reader)
{
    char *end;
    int64_t value = strtoll(reader->at, &end, 10);
    reader->good &= end != reader->at;
    reader->at = end;
    return value;
}

static uint32_t below(struct reader *reader, uint64_t limit)
{
    uint64_t value = number(reader);
    reader->good &= value < limit;
    return (uint32_t)value;
}

/* What is left of the line. */
static char *line(struct reader *reader)
{
    char *begin = reader->at + strspn(reader->at, " "), *end = strchr(begin, '\n');
    reader->good &= end != NULL;
    if (!end) return begin;
    *end = 0;
    reader->at = end + 1;
    return begin;
}

static bool is_word(struct reader *reader, const char *word)
{
    size_t length = strlen(word);
    char *at = reader->at + strspn(reader->at, " \n");
    if (strncmp(at, word, length) || !strchr(" \n", at[length])) return false;
    reader->at = at + length;
    return true;
}

static struct trace *read_trace(struct reader *reader, const struct model *model)
{
    uint32_t steps = below(reader, MOST_BYTES), failed = below(reader, UINT64_C(1) + MODEL_NONE);
    int64_t denominator = integer(reader);
    if (!reader->good) return NULL;
    struct trace *trace = trace_new(model, steps);
    trace->failed_rule = failed;
    for (uint32_t v = 0; v < model->vars.len; v++) trace->initial[v] = integer(reader);
    for (uint32_t i = 0; i < steps; i++) trace->rules[i] = below(reader, model->rules.len);
    if (denominator) trace_add_delays(model, trace, denominator);
    for (uint32_t i = 0; denominator && i <= steps; i++) trace->delays[i] = integer(reader);
    return trace;
}

/* Found with a run in one part and without one in another, it has a run. */
static void read_evidence(struct reader *reader, struct task *task, bool is_trace)
{
    uint32_t p = below(reader, task->property_count);
    if (!reader->good) return;
    struct property_result *entry = &task->properties[p];
    if (is_trace) {
        struct trace *trace = read_trace(reader, task->model);
        if (entry->trace) trace_free(task->model, trace);
        else entry->trace = trace;
        if (entry->last) entry->reason = NULL;
        entry->last = NULL;
        return;
    }
    int64_t *values =
        mem_alloc(task->model->mem, (task->model->vars.len + UINT64_C(1)) * sizeof *values);
    for (uint32_t v = 0; v < task->model->vars.len; v++) values[v] = integer(reader);
    const char *reason = line(reader);
    if (entry->trace || entry->last) return;
    entry->last = values;
    entry->reason = arena_copy(&task->model->arena, reason, strlen(reason));
}

static void read_property(struct reader *reader, struct task *task)
{
    uint32_t p = below(reader, task->property_count), verdict = below(reader, 3),
             cannot = below(reader, 2), met = below(reader, 2);
    if (!reader->good) return;
    struct property_result *entry = &task->properties[p];
    entry->antecedent_met |= met;
    if ((verdict == VERDICT_VIOLATED && entry->verdict != VERDICT_VIOLATED)
        || (verdict == VERDICT_HOLDS && entry->is_reachability)) {
        entry->verdict = (enum verdict)verdict;
        entry->reason = NULL;
    } else if (cannot && entry->verdict == VERDICT_UNKNOWN) {
        entry->reason = result_cannot_evaluate;
    }
}

static void read_costs(struct reader *reader, struct outcome *outcome)
{
    outcome->seconds = (double)number(reader) / 1e6;
    outcome->peak_bytes = number(reader);
    outcome->frozen_bytes = number(reader);
    outcome->live_peak = number(reader);
}

static void read_timed(struct reader *reader, struct timed_statistics *timed)
{
    uint64_t *const counts[] = {
        &timed->discrete_states, &timed->zones,   &timed->configurations, &timed->zone_bytes,
        &timed->space_bytes,     &timed->covered, &timed->given_up};
    uint32_t *const numbers[] = {&timed->timers, &timed->clocks, &timed->largest};
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) *counts[i] = number(reader);
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = below(reader, UINT64_C(1) << 32);
}

static void read_counts(struct reader *reader, struct outcome *outcome)
{
    uint64_t *const counts[] = {
        &outcome->states, &outcome->transitions,    &outcome->initial_states, &outcome->deadlocks,
        &outcome->ends,   &outcome->runtime_errors, &outcome->expanded};
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) *counts[i] = number(reader);
}

static bool read_all(struct reader *reader, struct task *task, struct result *result,
                     struct outcome *outcome)
{
    const struct model *model = task->model;
    while (reader->good && !is_word(reader, "end")) {
        if (is_word(reader, "stop")) {
            outcome->stop = (enum stop_reason)below(reader, STOP_COUNT);
            outcome->handed_on = number(reader);
        } else if (is_word(reader, "detail")) {
            const char *detail = line(reader);
            outcome->detail = arena_copy(&task->model->arena, detail, strlen(detail));
        } else if (is_word(reader, "counts")) read_counts(reader, outcome);
        else if (is_word(reader, "costs")) read_costs(reader, outcome);
        else if (is_word(reader, "timed")) read_timed(reader, &outcome->timed);
        else if (is_word(reader, "rest")) {
            struct cluster_size one = {.rank = integer(reader)};
            one.states = number(reader);
            one.entries = number(reader);
            vec_push(model->mem, &outcome->rest, one);
        } else if (is_word(reader, "property")) read_property(reader, task);
        else if (is_word(reader, "trace")) read_evidence(reader, task, true);
        else if (is_word(reader, "state")) read_evidence(reader, task, false);
        else if (is_word(reader, "rule")) {
            uint32_t rule = below(reader, model->rules.len);
            if (reader->good) result->taken[rule] += number(reader);
        } else if (is_word(reader, "reached")) {
            uint64_t at = below(reader, reached_bytes(model));
            if (reader->good) result->reached[at] |= (uint8_t)number(reader);
        } else reader->good = false;
    }
    return reader->good;
}

/* The file as a string, when its head and its checksum are right; else NULL. */
static char *load(const struct parts *parts, uint32_t part)
{
    struct stat status;
    struct text head;
    char check[CHECK_BYTES + 1], *bytes = NULL, *path = parts_name(parts, part, "outcome");
    FILE *file = fopen(path, "r");
    mem_free(parts->mem, path); /* parts can be very many */
    if (!file) return NULL;
    uint64_t size =
        !fstat(fileno(file), &status) && status.st_size < MOST_BYTES ? (uint64_t)status.st_size : 0;
    if (size > CHECK_BYTES) bytes = mem_alloc(parts->mem, size + 1);
    bool good = bytes && fread(bytes, 1, size, file) == size;
    fclose(file);
    text_init(&head, parts->mem);
    put_head(parts, part, &head);
    if (good)
        snprintf(check, sizeof check, "check %016" PRIx64 "\n",
                 (uint64_t)XXH3_64bits(bytes, size - CHECK_BYTES));
    good = good && size > head.len + CHECK_BYTES
           && !memcmp(bytes + size - CHECK_BYTES, check, CHECK_BYTES)
           && !memcmp(bytes, head.data, head.len);
    text_free(&head);
    if (good) return bytes;
    mem_free(parts->mem, bytes);
    return NULL;
}

bool outcome_read(const struct parts *parts, uint32_t part, struct task *task,
                  struct result *result, struct outcome *outcome)
{
    char *bytes = load(parts, part);
    if (!bytes) return false;
    struct reader reader = {strchr(bytes, '\n') + 1, true};
    *outcome = (struct outcome){0};
    bool good = read_all(&reader, task, result, outcome);
    mem_free(parts->mem, bytes);
    return good;
}
