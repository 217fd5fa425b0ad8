/* Invariants: (1) every waiting cluster has a larger rank than the current one; (2) unless logs
 * were dropped or memory was refused, the log of a cluster has one entry per state, in the order of
 * numbers;
 * (3) places have what is needed to make their traces after the search: the logs of the clusters
 *     before them are in memory or in files. */
#include "past/history.h"

#include "past/frozen.h"
#include "past/part.h"
#include "past/prefix.h"
#include "program/reached.h"

#include "base/checked.h"

#include <string.h>

struct freezer_identity history_identity(const struct history *history)
{
    return (struct freezer_identity){{history->hash[0], history->hash[1]},
                                     history->varies ? 0 : history->layout->record_bytes};
}

/* For summaries. */
static void violated(struct summary *summary, uint32_t property)
{
    struct history *history = summary->owner;
    struct property_result *entry = &history->task->properties[property];
    if (entry->verdict != VERDICT_VIOLATED) history->engine->decided(history, property);
    entry->verdict = VERDICT_VIOLATED;
}

/* ---- before and after ---- */

bool history_init(struct history *history)
{
    const struct model *model = history->model;
    struct mem *mem = history->mem = model->mem;
    const struct task *task = history->task;
    if (model->rank != MODEL_NONE)
        history->field = history->layout->fields[model->rank]; /* otherwise it has no bits */
    ranks_init(&history->waiting, mem);
    logs_init(&history->logs, mem);
    origins_init(&history->loaded, mem);
    history->statistics = history->result->clusters = mem_alloc(mem, sizeof *history->statistics);
    assert(history->shift < 64 && history->engine->more <= HISTORY_MORE);
    history->statistics->ranks = prefix_count(task);
    history->statistics->lowest = prefix_lowest(task);
    history->summary = (struct summary){.owner = history,
                                        .search = history->search,
                                        .monitors = history->engine->monitors,
                                        .violated = violated,
                                        .task = history->task,
                                        .result = history->result,
                                        .record_bytes = history->layout->record_bytes,
                                        .words = history->layout->words,
                                        .more = history->more,
                                        .more_count = history->engine->more};
    summary_init(&history->summary);
    history->scan = reached_begin(history->model, history->result);
    history->freezer_budget = freezer_share(mem);
    if (task->freeze && !frozen_open(history)) return false;
    if (task->part && task->part->hands_on && history->freezer)
        history->reserve = mem_try_alloc(mem, part_reserve(mem));
    return true;
}

void history_release(struct history *history)
{
    struct mem *mem = history->mem;
    logs_release(&history->logs);
    origins_release(&history->loaded);
    part_release(history);
    frozen_release(history);
    summary_release(&history->summary);
    mem_free(mem, history->reserve);
    ranks_release(&history->waiting);
    mem_free(mem, history->scan);
}

bool history_stop(struct history *history, enum stop_reason reason)
{
    history->result->stop = reason;
    return false;
}

/* ---- logs ---- */

bool history_log(struct history *history, struct history_cluster *cluster, uint64_t state,
                 uint32_t step)
{
    for (;;) {
        if (history->logs_dropped) return true;
        if (origins_add(&cluster->origins,
                        history->current ? history->current->rank : ORIGINS_INITIAL, state, step))
            return true;
        if (!history->engine->relieve(history)) return false;
    }
}

bool history_drop_logs(struct history *history)
{
    if (history->logs_dropped || history->freezer) return false;
    assert(!history->reserve);    /* of a part, which has a folder */
    history_make_traces(history); /* of what was found before */
    history->logs_dropped = history->statistics->logs_dropped = true;
    logs_release(&history->logs);
    for (uint32_t i = 0; i < history->waiting.count; i++)
        origins_release(&history_waiting(history, i)->origins);
    if (history->current) origins_release(&history->current->origins);
    return true;
}

bool history_use_reserve(struct history *history)
{
    if (!history->reserve) return false;
    assert(history->freezer && !history->is_full);
    mem_free(history->mem, history->reserve);
    history->reserve = NULL;
    history->is_full = true;
    return true;
}

/* ---- clusters ---- */

bool history_check(const struct history *history)
{
    const struct history_engine *engine = history->engine;
    if (!ranks_check(&history->waiting)) return false;
    for (uint32_t i = 0; i < history->waiting.count; i++) {
        const struct history_cluster *cluster = history_waiting(history, i);
        if (history->current && cluster->rank <= history->current->rank) return false; /* (1) */
        if (!history->logs_dropped && engine->records(cluster) != cluster->origins.states)
            return false; /* (2) */
    }
    return history->statistics->live == history->waiting.count + (history->current != NULL);
}

void history_note(struct history *history, uint64_t rank, uint64_t states)
{
    history->done_states += states;
    history->last_states = states;
    result_note_cluster(history->statistics, history->mem, rank << history->shift, states);
}

bool history_finish(struct history *history, uint64_t states)
{
    const struct history_cluster *cluster = history->current;
    assert(cluster && (history->logs_dropped || states <= history->engine->records(cluster)));
    CHECKED(!checked_due(&history->checked, states, history->waiting.count)
            || history_check(history));
    if (history->freezer && !frozen_put(history)) return false;
    while (!history->freezer && !history->logs_dropped
           && !logs_keep(&history->logs, cluster->rank, &cluster->origins))
        history->engine->relieve(history);
    history_note(history, cluster->rank, states);
    history->current = NULL;
    return true;
}

bool history_run(struct history *history, bool (*search_all)(void *search))
{
    if (!history->freezer) return search_all(history->search);
    bool resumed = frozen_resume(history), good = resumed && search_all(history->search);
    good = frozen_finish(history) && good;
    /* a search that could not even be resumed does not know all that is waiting */
    if (resumed && (history->result->stop == STOP_HANDED_ON || part_is_full(history))) {
        history->result->stop = STOP_HANDED_ON;
        history_make_traces(history); /* while everything is there */
        part_hand_on(history);
    }
    return good;
}

/* ---- counterexamples ---- */

void history_violated(struct history *history, uint32_t property, uint64_t rank, uint64_t state,
                      uint32_t failed_rule, const void *record)
{
    const struct summary_place place = {.rank = rank, .state = state, .failed_rule = failed_rule};
    summary_note(&history->summary, property, place, record);
}

/* The log of a cluster, live or finished; NULL: there is none, and *why says why, unless it is for
 * lack of memory. */
static const struct origins *log_of(struct history *history, uint64_t rank, const char **why)
{
    const struct history_cluster *live = history->current && history->current->rank == rank
                                             ? history->current
                                             : ranks_find(&history->waiting, rank);
    if (live) return &live->origins;
    if (history->freezer) {
        if (history->has_loaded && history->loaded_rank == rank) return &history->loaded;
        history->loaded_rank = rank;
        history->has_loaded = false;
        return (history->has_loaded = frozen_log(history, rank, why)) ? &history->loaded : NULL;
    }
    return logs_find(&history->logs, rank); /* NULL: there was no memory to read it */
}

/* The same in a part that this one comes from. A cluster that it has not finished is in its
 * rest. */
static const struct origins *log_before(struct history *history, uint32_t level, uint64_t rank,
                                        bool *in_rest, const char **why)
{
    history->has_loaded = false;
    if (!*in_rest && part_log(history, level, rank, false, why)) return &history->loaded;
    if (!part_log(history, level, rank, true, why)) return NULL;
    *in_rest = false; /* a source is in either */
    return &history->loaded;
}

static struct trace *make_trace(struct history *history, const struct summary_place *place,
                                const char **why)
{
    VEC(uint32_t) steps = {0};
    struct origin origin = {.state = place->state};
    uint64_t rank = place->rank;
    const uint32_t own = history->task->part ? history->task->part->folder_count : 0;
    assert(place->known && place->words && !history->logs_dropped); /* (3) */
    uint32_t level = own; /* the part that the state is in */
    bool in_rest = false;
    for (;;) {
        const struct origins *log = level == own ? log_of(history, rank, why)
                                                 : log_before(history, level, rank, &in_rest, why);
        if (log && origin.state >= log->states)
            *why = "the record of how it was reached ends before it", log = NULL;
        if (!log) {
            vec_free(history->mem, &steps);
            return NULL;
        }
        origin = origins_of(log, origin.state);
        if (origin.source == ORIGINS_INITIAL) {
            if (!level) break;
            level--; /* the same state in the rest of the part before */
            origin.state += history->task->part->skipped[level];
            in_rest = true;
            continue;
        }
        rank = origin.source;
        vec_push(history->mem, &steps, origin.step);
    }
    struct trace *trace = trace_new(history->model, steps.len);
    trace->failed_rule = place->failed_rule;
    if (!history->engine->find_initial(history, rank, origin.state, trace->initial)
        || !history->engine->follow(history, trace, steps.data))
        history->result->broken = "a run does not follow its record";
    vec_free(history->mem, &steps);
    return trace;
}

void history_make_traces(struct history *history)
{
    const struct mem_lift before =
        mem_lift(history->mem); /* what was found must not be lost to the limit on the search */
    for (uint32_t i = 0; i < history->task->property_count; i++) {
        struct property_result *entry = &history->task->properties[i];
        const struct summary_place *place = &history->summary.places[i];
        if (!place->known || entry->trace || entry->last) continue;
        const char *why =
            "the way to this state was forgotten for lack of memory: --freeze keeps it in files";
        if (!history->logs_dropped) entry->trace = make_trace(history, place, &why);
        if (entry->trace && history->engine->complete && !history->result->broken)
            history->engine->complete(history, entry, place->words);
        if (entry->trace) continue;
        entry->reason = arena_copy(&history->model->arena, why, strlen(why));
        entry->last =
            mem_alloc(history->mem, (history->model->vars.len + UINT64_C(1)) * sizeof *entry->last);
        layout_unpack(history->layout, history->model, place->words, entry->last);
    }
    mem_lower(history->mem, before);
}

void history_conclude(struct history *history)
{
    bool all = !history->current && !history->waiting.count;
    history->statistics->freed_states = history->done_states - (all ? history->last_states : 0);
    result_end_clusters(history->statistics, history->mem);
    history_make_traces(history);
}
