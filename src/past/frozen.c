/* A frozen cluster is its states in the order of their numbers, its log of origins, and a summary
 * in the journal: what was counted in it, how often each rule was taken, which violations were
 * found while it was searched, where its steps lead. So a search goes on without doing anything of
 * it again: counts are added up from summaries, and the clusters that were waiting are found again
 * by expanding only frozen clusters that have steps beyond the last frozen rank. As that is done in
 * the old order, states get their old numbers.
 *
 * A block that cannot be read ends what is known there: the search goes on from the cluster before.
 * Invariant: summaries are in the order of ranks, and each has the differences to the one
 * before. */
#include "past/frozen.h"

#include "base/varint.h"
#include "past/records.h"

#include <string.h>

enum { SUMMARY_NUMBERS = 16 + HISTORY_MORE };

static struct history_counts count(const struct history *history)
{
    const struct result *result = history->result;
    struct history_counts counts = {.transitions = result->transitions,
                                    .deadlocks = result->deadlocks,
                                    .ends = result->ends,
                                    .runtime_errors = result->runtime_errors,
                                    .expanded = result->expanded};
    memcpy(counts.more, history->more, sizeof counts.more);
    return counts;
}

static uint64_t reached_bytes(const struct history *history)
{
    const struct model *model = history->model;
    uint64_t bits = 0;
    for (uint32_t p = 0; p < model->processes.len; p++) bits += model->processes.data[p].locations;
    return bits / 8 + 1;
}

static bool scans(const struct history *history)
{
    bool some = false;
    for (uint32_t p = 0; p < history->model->processes.len; p++) some |= history->scan[p];
    return some;
}

uint64_t frozen_max_summary(const struct history *history)
{
    uint64_t numbers = SUMMARY_NUMBERS + 2 * (uint64_t)history->model->rules.len
                       + 5 * (uint64_t)history->task->property_count
                       + 2 * (uint64_t)history->engine->monitors(history);
    return numbers * VARINT_BYTES
           + (uint64_t)history->task->property_count * history->layout->record_bytes
           + reached_bytes(history);
}

bool frozen_open(struct history *history)
{
    const struct task *task = history->task;
    struct freezer_identity identity = history_identity(history);
    struct freezer_refusal why;
    history->frozen_taken = mem_alloc(history->mem, (history->model->rules.len + UINT64_C(1))
                                                        * sizeof *history->frozen_taken);
    history->summary = mem_alloc(history->mem, frozen_max_summary(history));
    history->freezer = freezer_open(history->mem, task->freeze, &identity, task->resume,
                                    frozen_max_summary(history), history->freezer_budget, &why);
    if (history->freezer) return true;
    history->result->refused = arena_copy(&history->model->arena, why.text, strlen(why.text));
    history->result->refused_for = why.fault == FREEZER_NO_MEMORY ? STOP_MEMORY : STOP_DISK;
    return false;
}

void frozen_release(struct history *history)
{
    if (history->freezer) freezer_close(history->freezer);
    mem_free(history->mem, history->frozen_taken);
    mem_free(history->mem, history->summary);
    mem_free(history->mem, history->log_bytes);
}

static bool failed(struct history *history)
{
    const char *error = freezer_error(history->freezer);
    history->result->stop_detail = arena_copy(&history->model->arena, error, strlen(error));
    return history_stop(history, STOP_DISK);
}

bool frozen_finish(struct history *history)
{
    bool good = freezer_finish(history->freezer);
    history->statistics->frozen_bytes = freezer_written(history->freezer);
    if (good || history->result->stop == STOP_DISK) return good;
    return failed(history);
}

/* ---- summaries ---- */

static uint64_t put_places(struct history *history, uint64_t at)
{
    uint32_t fresh = 0;
    for (uint32_t i = 0; i < history->task->property_count; i++)
        fresh += history->places[i].known && !history->places[i].frozen;
    at = varint_put(history->summary, at, fresh);
    for (uint32_t i = 0; fresh && i < history->task->property_count; i++) {
        struct history_place *place = &history->places[i];
        if (!place->known || place->frozen) continue;
        at = varint_put(history->summary, at, i);
        at = varint_put(history->summary, at, place->rank);
        at = varint_put(history->summary, at, place->state);
        at = varint_put(history->summary, at, place->failed_rule);
        memcpy(history->summary + at, place->words, history->layout->record_bytes);
        at += history->layout->record_bytes;
        place->frozen = true;
    }
    return at;
}

/* Which monitors are done, and which failed somewhere: only when that has changed. */
static uint64_t put_monitors(struct history *history, uint64_t at)
{
    const struct history_engine *engine = history->engine;
    uint32_t done = 0, fails = 0, count_all = engine->monitors(history);
    for (uint32_t m = 0; m < count_all; m++) {
        done += engine->monitor(history, m) & 1;
        fails += engine->monitor(history, m) >> 1;
    }
    bool same = done == history->frozen_done && fails == history->frozen_failed;
    at = varint_put(history->summary, at, !same);
    for (uint32_t m = 0; !same && m < count_all; m++)
        at = varint_put(history->summary, at, engine->monitor(history, m));
    history->frozen_done = done;
    history->frozen_failed = fails;
    return at;
}

static uint64_t put_taken(struct history *history, uint64_t at)
{
    uint32_t last = 0;
    for (uint32_t r = 0; r < history->model->rules.len; r++) {
        uint64_t more = history->result->taken[r] - history->frozen_taken[r];
        if (!more) continue;
        at = varint_put(history->summary, at, r - last + 1); /* 0 ends the list */
        at = varint_put(history->summary, at, more);
        history->frozen_taken[r] = history->result->taken[r];
        last = r;
    }
    return varint_put(history->summary, at, 0);
}

static uint64_t make_summary(struct history *history)
{
    struct history_counts now = count(history), *before = &history->frozen_counts;
    unsigned char *summary = history->summary;
    uint64_t at = varint_put(summary, 0, history->engine->states(history->current));
    at = varint_put(summary, at, history->farthest - history->current->rank);
    at = varint_put(summary, at, history->statistics->live_peak);
    at = varint_put(summary, at, history->statistics->peak_states);
    at = varint_put(summary, at, now.transitions - before->transitions);
    at = varint_put(summary, at, now.deadlocks - before->deadlocks);
    at = varint_put(summary, at, now.ends - before->ends);
    at = varint_put(summary, at, now.runtime_errors - before->runtime_errors);
    at = varint_put(summary, at, now.expanded - before->expanded);
    for (unsigned i = 0; i < history->engine->more; i++)
        at = varint_put(summary, at, now.more[i] - before->more[i]);
    *before = now;
    at = put_taken(history, at);
    at = put_places(history, at);
    at = put_monitors(history, at);
    if (scans(history)) {
        memcpy(summary + at, history->result->reached, reached_bytes(history));
        at += reached_bytes(history);
    }
    return at;
}

/* ---- freezing ---- */

/* The log as bytes, in history->log_bytes; returns how many. 0: memory was refused. */
static uint64_t write_log(struct history *history)
{
    uint64_t bound = origins_bound(&history->current->origins);
    while (bound > history->log_bytes_room) {
        uint64_t room = bound + bound / 2;
        unsigned char *bytes = mem_try_resize(history->mem, history->log_bytes, room);
        if (!bytes && history->engine->relieve(history)) continue;
        if (!bytes) return history_stop(history, STOP_MEMORY), 0;
        history->log_bytes = bytes;
        history->log_bytes_room = room;
    }
    return origins_write(&history->current->origins, history->log_bytes);
}

bool frozen_put(struct history *history)
{
    const struct history_engine *engine = history->engine;
    uint64_t log = write_log(history),
             bytes = engine->bytes(history, history->current) + FREEZER_ITEM + log;
    if (!log) return false;
    while (!freezer_make_room(history->freezer, bytes))
        if (!engine->relieve(history)) return history_stop(history, STOP_MEMORY);
    if (!freezer_begin(history->freezer, history->current->rank, bytes)
        || !engine->put(history, history->current, history->freezer))
        return failed(history);
    if (!freezer_put(history->freezer, FREEZER_LOG, history->log_bytes, log))
        return failed(history);
    return freezer_end(history->freezer, history->summary, make_summary(history))
           || failed(history);
}

/* ---- going on ---- */

/* Frozen clusters that have steps beyond themselves. */
struct reach {
    uint64_t rank, farthest;
};

struct resumption {
    struct history *history;
    VEC(struct reach) reaches;
    uint64_t last;  /* rank */
    uint32_t state; /* in it */
    bool damaged;
};

static bool get_places(struct history *history, struct varint_input *input)
{
    uint32_t record_bytes = history->layout->record_bytes;
    for (uint64_t left = varint_get(input); left && input->good; left--) {
        uint64_t property = varint_get(input), rank = varint_get(input), state = varint_get(input),
                 rule = varint_get(input);
        if (!input->good || property >= history->task->property_count
            || (uint64_t)(input->end - input->at) < record_bytes)
            return false;
        struct property_result *entry = &history->task->properties[property];
        struct history_place *place = &history->places[property];
        uint64_t *words =
            place->words
                ? place->words
                : mem_alloc(history->mem, (history->layout->words + UINT64_C(1)) * sizeof *words);
        memcpy(words, input->at, record_bytes);
        input->at += record_bytes;
        *place = (struct history_place){true, true, rank, (uint32_t)state, (uint32_t)rule, words};
        if (entry->verdict != VERDICT_VIOLATED)
            history->engine->decided(history, (uint32_t)property);
        entry->verdict = VERDICT_VIOLATED;
    }
    return input->good;
}

static void get_monitors(struct history *history, struct varint_input *input)
{
    const struct history_engine *engine = history->engine;
    if (!varint_get(input)) return;
    for (uint32_t m = 0; m < engine->monitors(history); m++)
        engine->set_monitor(history, m, (unsigned)varint_get(input) & 3);
}

static bool get_taken(struct history *history, struct varint_input *input)
{
    uint64_t rule = 0, step;
    while ((step = varint_get(input)) && input->good) {
        rule += step - 1;
        if (rule >= history->model->rules.len) return false;
        history->result->taken[rule] += varint_get(input);
        history->frozen_taken[rule] = history->result->taken[rule];
    }
    return input->good;
}

/* Adds what a summary says. */
static bool take_over(void *context, uint64_t rank, const unsigned char *summary, uint64_t size)
{
    struct resumption *resumption = context;
    struct history *history = resumption->history;
    struct result *result = history->result;
    struct varint_input input = {summary, summary + size, true};
    uint64_t states = varint_get(&input), farthest = rank + varint_get(&input),
             live_peak = varint_get(&input), peak_states = varint_get(&input);
    result->transitions += varint_get(&input);
    result->deadlocks += varint_get(&input);
    result->ends += varint_get(&input);
    result->runtime_errors += varint_get(&input);
    result->expanded += varint_get(&input);
    for (unsigned i = 0; i < history->engine->more; i++) history->more[i] += varint_get(&input);
    if (!get_taken(history, &input) || !get_places(history, &input)) return false;
    get_monitors(history, &input);
    for (uint64_t i = 0; scans(history) && input.at < input.end && i < reached_bytes(history); i++)
        result->reached[i] |= *input.at++;
    if (!input.good) return false;
    history_note(history, rank, states);
    history->statistics->resumed++;
    history->statistics->clusters++;
    history->statistics->live_peak = live_peak;
    history->statistics->peak_states = peak_states;
    if (farthest > rank)
        vec_push(history->mem, &resumption->reaches, ((struct reach){rank, farthest}));
    resumption->last = rank;
    return true;
}

/* Steps of a frozen state beyond the last frozen rank. */
static bool expand(void *context, const unsigned char *record, uint64_t size)
{
    struct resumption *resumption = context;
    return resumption->history->engine->expand(resumption->history, record, size,
                                               resumption->state++, resumption->last);
}

/* The clusters that were waiting. False: memory or a limit, unless `damaged`. */
static bool find_waiting(struct resumption *resumption)
{
    struct history *history = resumption->history;
    struct history_cluster source = {0};
    struct records records = records_begin(
        history->mem, history->varies ? 0 : history->layout->record_bytes, expand, resumption);
    bool good = history->engine->add_initial(history, false, resumption->last);
    history->current = &source;
    for (uint32_t i = 0; good && i < resumption->reaches.len; i++) {
        const char *why;
        const struct reach *reach = &resumption->reaches.data[i];
        if (reach->farthest <= resumption->last) continue;
        source.rank = reach->rank;
        resumption->state = 0;
        good = freezer_read(history->freezer, reach->rank, FREEZER_RECORDS, records_take, &records,
                            &why)
               && records_are_whole(&records);
        if (records.refused) history_stop(history, STOP_MEMORY);
        resumption->damaged = !good && history->result->stop == STOP_NONE;
    }
    history->current = NULL;
    records_release(&records);
    return good;
}

/* As if nothing had been read. Violations that were found stay: they are there. */
static void forget(struct resumption *resumption)
{
    struct history *history = resumption->history;
    struct result *result = history->result;
    struct cluster_statistics *statistics = history->statistics;
    history->engine->discard(history);
    result->transitions = result->deadlocks = result->ends = result->runtime_errors =
        result->expanded = 0;
    memset(result->taken, 0, history->model->rules.len * sizeof *result->taken);
    memset(history->frozen_taken, 0, history->model->rules.len * sizeof *history->frozen_taken);
    memset(history->more, 0, sizeof history->more);
    for (uint32_t i = 0; i < history->task->property_count; i++)
        history->places[i].frozen = false; /* until a summary has it that counts */
    history->frozen_done = history->frozen_failed = 0;
    history->done_states = 0;
    statistics->finished = statistics->clusters = statistics->resumed = statistics->size_count = 0;
    statistics->live_peak = statistics->peak_states = 0;
    statistics->largest = (struct cluster_size){0};
    resumption->reaches.len = 0;
    resumption->damaged = false;
}

/* Summaries, then what was waiting. Whatever cannot be read shortens what is taken over. */
static bool resume(struct resumption *resumption)
{
    struct history *history = resumption->history;
    struct cluster_statistics *statistics = history->statistics;
    for (;;) {
        forget(resumption);
        if (!freezer_blocks(history->freezer))
            return history->engine->add_initial(history, true, 0);
        if (!freezer_summaries(history->freezer, take_over, resumption)) {
            history->result->stop_detail = "the journal has an entry that makes no sense";
            return history_stop(history, STOP_DISK);
        }
        uint64_t live_peak = statistics->live_peak, peak_states = statistics->peak_states;
        bool good = find_waiting(resumption);
        statistics->live_peak = live_peak;
        statistics->peak_states = peak_states;
        if (good || !resumption->damaged) return good;
        freezer_cut(history->freezer);
    }
}

bool frozen_resume(struct history *history)
{
    bool good = true;
    if (freezer_blocks(history->freezer)) {
        struct resumption resumption = {.history = history};
        good = resume(&resumption);
        history->frozen_counts = count(history);
        vec_free(history->mem, &resumption.reaches);
    }
    return good && (freezer_continue(history->freezer) || failed(history));
}

/* ---- logs ---- */

struct collector {
    struct mem *mem;
    unsigned char *bytes;
    uint64_t size;
};

static bool collect(void *context, const unsigned char *bytes, uint64_t size)
{
    struct collector *collector = context;
    collector->bytes = mem_resize(collector->mem, collector->bytes, collector->size + size);
    memcpy(collector->bytes + collector->size, bytes, size);
    collector->size += size;
    return true;
}

bool frozen_log_of(struct history *history, struct freezer *freezer, uint64_t rank,
                   const char **why)
{
    struct collector collector = {.mem = history->mem};
    *why = "the files do not have it";
    bool good =
        freezer_read(freezer, rank, FREEZER_LOG, collect, &collector, why) && collector.size;
    if (good && !origins_read(&history->loaded, collector.bytes, collector.size)) {
        *why = "the files have a record of it that makes no sense";
        good = false;
    }
    mem_free(history->mem, collector.bytes);
    return good;
}

bool frozen_log(struct history *history, uint64_t rank, const char **why)
{
    return frozen_log_of(history, history->freezer, rank, why);
}

void frozen_restore_counts(struct history *history)
{
    struct result *result = history->result;
    const struct history_counts *counts = &history->frozen_counts;
    result->transitions = counts->transitions;
    result->deadlocks = counts->deadlocks;
    result->ends = counts->ends;
    result->runtime_errors = counts->runtime_errors;
    result->expanded = counts->expanded;
    memcpy(history->more, counts->more, sizeof counts->more);
    memcpy(result->taken, history->frozen_taken, history->model->rules.len * sizeof *result->taken);
}
