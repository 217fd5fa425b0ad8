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

#include "past/records.h"

#include <assert.h>
#include <string.h>

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
    return summary_most(&history->summary) + reached_bytes(history);
}

bool frozen_open(struct history *history)
{
    const struct task *task = history->task;
    struct freezer_identity identity = history_identity(history);
    struct freezer_refusal why;
    summary_reserve(&history->summary, reached_bytes(history));
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

static void make_summary(struct history *history)
{
    struct summary *summary = &history->summary;
    const struct cluster_statistics *statistics = history->statistics;
    assert(history->farthest >= history->current->rank);
    summary_begin(summary);
    summary_put(summary, history->engine->states(history->current));
    summary_put(summary, history->farthest - history->current->rank);
    summary_put(summary, statistics->live_peak);
    summary_put(summary, statistics->peak_states);
    summary_end(summary);
    if (!scans(history)) return;
    memcpy(summary->bytes + summary->size, history->result->reached, reached_bytes(history));
    summary->size += reached_bytes(history);
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
    assert(history->current && !history->logs_dropped);
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
    make_summary(history);
    assert(history->summary.size <= frozen_max_summary(history));
    return freezer_end(history->freezer, history->summary.bytes, history->summary.size)
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
    uint64_t state; /* in it */
    bool damaged;
};

/* Adds what a summary says. */
static bool take_over(void *context, uint64_t rank, const unsigned char *summary, uint64_t size)
{
    struct resumption *resumption = context;
    struct history *history = resumption->history;
    struct result *result = history->result;
    struct varint_input input = {summary, summary + size, true};
    uint64_t states = varint_get(&input), farthest = rank + varint_get(&input),
             live_peak = varint_get(&input), peak_states = varint_get(&input);
    if (!summary_take_over(&history->summary, &input)) return false;
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
    assert(!history->current);
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
    struct cluster_statistics *statistics = history->statistics;
    history->engine->discard(history);
    summary_forget(&history->summary);
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

void frozen_restore_counts(struct history *history) { summary_restore(&history->summary); }
