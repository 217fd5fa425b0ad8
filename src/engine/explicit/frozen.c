/* A frozen cluster is its states in the order of their numbers, its log of origins, and a summary in the journal: what was counted in it, how often each rule was taken, which
 * violations were found while it was searched, where its steps lead. So a search goes on without doing anything of it again: counts are added up from summaries, and the clusters that
 * were waiting are found again by expanding only frozen clusters that have steps beyond the last frozen rank. As that is done in the old order, states get their old numbers.
 *
 * A block that cannot be read ends what is known there: the search goes on from the cluster before. Invariant: summaries are in the order of ranks, and each has the differences to the one before. */
#include "engine/explicit/frozen.h"

#include "base/varint.h"

#include <string.h>

enum { SUMMARY_NUMBERS = 16 };

struct past_counts {
    uint64_t transitions, deadlocks, ends, runtime_errors, expanded;
};

static struct past_counts count(const struct result *result)
{
    return (struct past_counts){result->transitions, result->deadlocks, result->ends, result->runtime_errors, result->expanded};
}

static uint64_t reached_bytes(const struct past *past)
{
    const struct model *model = past->search->model;
    uint64_t bits = 0;
    for (uint32_t p = 0; p < model->processes.len; p++) bits += model->processes.data[p].locations;
    return bits / 8 + 1;
}

static bool scans(const struct past *past)
{
    bool some = false;
    for (uint32_t p = 0; p < past->search->model->processes.len; p++) some |= past->scan[p];
    return some;
}

uint64_t frozen_max_summary(const struct past *past)
{
    const struct search *search = past->search;
    uint64_t numbers = SUMMARY_NUMBERS + 2 * (uint64_t)search->model->rules.len + 5 * (uint64_t)search->task->property_count + 2 * (uint64_t)search->monitor_count;
    return numbers * VARINT_BYTES + (uint64_t)search->task->property_count * search->space.layout.record_bytes + reached_bytes(past);
}

bool frozen_open(struct past *past)
{
    struct search *search = past->search;
    const struct task *task = search->task;
    struct freezer_identity identity = {{task->freeze_hash[0], task->freeze_hash[1]}, search->space.layout.record_bytes};
    char why[512];
    past->frozen_counts = mem_alloc(past->mem, sizeof *past->frozen_counts);
    past->frozen_taken = mem_alloc(past->mem, (search->model->rules.len + UINT64_C(1)) * sizeof *past->frozen_taken);
    past->summary = mem_alloc(past->mem, frozen_max_summary(past));
    past->freezer = freezer_open(past->mem, task->freeze, &identity, task->resume, frozen_max_summary(past), why, sizeof why);
    if (past->freezer) return true;
    search->result->refused = arena_copy(&search->model->arena, why, strlen(why));
    return false;
}

void frozen_release(struct past *past)
{
    if (past->freezer) freezer_close(past->freezer);
    mem_free(past->mem, past->frozen_counts);
    mem_free(past->mem, past->frozen_taken);
    mem_free(past->mem, past->summary);
    mem_free(past->mem, past->log_bytes);
}

static bool failed(struct past *past)
{
    const char *error = freezer_error(past->freezer);
    past->search->result->stop_detail = arena_copy(&past->search->model->arena, error, strlen(error));
    return visit_stop(past->search, STOP_DISK);
}

bool frozen_finish(struct past *past)
{
    bool good = freezer_finish(past->freezer);
    past->statistics->frozen_bytes = freezer_written(past->freezer);
    if (good || past->search->result->stop == STOP_DISK) return good;
    return failed(past);
}

/* ---- summaries ---- */

static uint64_t put_places(struct past *past, uint64_t at)
{
    const struct search *search = past->search;
    uint32_t fresh = 0;
    for (uint32_t i = 0; i < search->task->property_count; i++) fresh += past->places[i].known && !past->places[i].frozen;
    at = varint_put(past->summary, at, fresh);
    for (uint32_t i = 0; fresh && i < search->task->property_count; i++) {
        struct past_place *place = &past->places[i];
        if (!place->known || place->frozen) continue;
        at = varint_put(past->summary, at, i);
        at = varint_put(past->summary, at, place->rank);
        at = varint_put(past->summary, at, place->state);
        at = varint_put(past->summary, at, place->failed_rule);
        memcpy(past->summary + at, place->words, search->space.layout.record_bytes);
        at += search->space.layout.record_bytes;
        place->frozen = true;
    }
    return at;
}

/* Which monitors are done, and which failed somewhere: only when that has changed. */
static uint64_t put_monitors(struct past *past, uint64_t at)
{
    const struct search *search = past->search;
    uint32_t done = 0, fails = 0;
    for (uint32_t m = 0; m < search->monitor_count; m++) {
        done += !search->monitors[m].active;
        fails += search->monitors[m].failed;
    }
    bool same = done == past->frozen_done && fails == past->frozen_failed;
    at = varint_put(past->summary, at, !same);
    for (uint32_t m = 0; !same && m < search->monitor_count; m++) at = varint_put(past->summary, at, !search->monitors[m].active + 2u * search->monitors[m].failed);
    past->frozen_done = done;
    past->frozen_failed = fails;
    return at;
}

static uint64_t put_taken(struct past *past, uint64_t at)
{
    const struct search *search = past->search;
    uint32_t last = 0;
    for (uint32_t r = 0; r < search->model->rules.len; r++) {
        uint64_t more = search->result->taken[r] - past->frozen_taken[r];
        if (!more) continue;
        at = varint_put(past->summary, at, r - last + 1); /* 0 ends the list */
        at = varint_put(past->summary, at, more);
        past->frozen_taken[r] = search->result->taken[r];
        last = r;
    }
    return varint_put(past->summary, at, 0);
}

static uint64_t make_summary(struct past *past)
{
    struct past_counts now = count(past->search->result), *before = past->frozen_counts;
    unsigned char *summary = past->summary;
    uint64_t at = varint_put(summary, 0, past->current->store.count);
    at = varint_put(summary, at, past->farthest - past->current->rank);
    at = varint_put(summary, at, past->statistics->live_peak);
    at = varint_put(summary, at, past->statistics->peak_states);
    at = varint_put(summary, at, now.transitions - before->transitions);
    at = varint_put(summary, at, now.deadlocks - before->deadlocks);
    at = varint_put(summary, at, now.ends - before->ends);
    at = varint_put(summary, at, now.runtime_errors - before->runtime_errors);
    at = varint_put(summary, at, now.expanded - before->expanded);
    *before = now;
    at = put_taken(past, at);
    at = put_places(past, at);
    at = put_monitors(past, at);
    if (scans(past)) {
        memcpy(summary + at, past->search->result->reached, reached_bytes(past));
        at += reached_bytes(past);
    }
    return at;
}

/* ---- freezing ---- */

/* The log as bytes, in past->log_bytes; returns how many. 0: memory was refused. */
static uint64_t write_log(struct past *past)
{
    uint64_t bound = origins_bound(&past->current->origins);
    while (bound > past->log_bytes_room) {
        uint64_t room = bound + bound / 2;
        unsigned char *bytes = mem_try_resize(past->mem, past->log_bytes, room);
        if (!bytes && past_relieve(past)) continue;
        if (!bytes) return visit_stop(past->search, STOP_MEMORY), 0;
        past->log_bytes = bytes;
        past->log_bytes_room = room;
    }
    return origins_write(&past->current->origins, past->log_bytes);
}

bool frozen_put_states(struct freezer *freezer, const struct store *store)
{
    for (uint64_t first = 0; first < store->count;) { /* a chunk at a time */
        uint64_t some = (UINT64_C(1) << store->chunk_shift) - (first & ((UINT64_C(1) << store->chunk_shift) - 1));
        if (some > store->count - first) some = store->count - first;
        if (!freezer_put(freezer, FREEZER_RECORDS, store_get(store, (uint32_t)first), some * store->record_bytes)) return false;
        first += some;
    }
    return true;
}

bool frozen_put(struct past *past)
{
    const struct store *store = &past->current->store;
    uint64_t log = write_log(past), states = store->count * store->record_bytes;
    if (!log) return false;
    while (!freezer_make_room(past->freezer, states + log))
        if (!past_relieve(past)) return visit_stop(past->search, STOP_MEMORY);
    if (!freezer_begin(past->freezer, past->current->rank, states + log) || !frozen_put_states(past->freezer, store)) return failed(past);
    if (!freezer_put(past->freezer, FREEZER_LOG, past->log_bytes, log)) return failed(past);
    return freezer_end(past->freezer, past->summary, make_summary(past)) || failed(past);
}

/* ---- going on ---- */

/* Frozen clusters that have steps beyond themselves. */
struct reach {
    uint64_t rank, farthest;
};

struct resumption {
    struct past *past;
    VEC(struct reach) reaches;
    uint64_t last;          /* rank */
    uint64_t source;        /* the rank of the cluster being expanded */
    uint32_t state;         /* in it */
    unsigned char *record;  /* one that comes in pieces, and ... */
    uint64_t record_size;   /* ... how much of it is there */
    bool damaged;
};

static bool get_places(struct past *past, struct varint_input *input)
{
    struct search *search = past->search;
    uint32_t record_bytes = search->space.layout.record_bytes;
    for (uint64_t left = varint_get(input); left && input->good; left--) {
        uint64_t property = varint_get(input), rank = varint_get(input), state = varint_get(input), rule = varint_get(input);
        if (!input->good || property >= search->task->property_count || (uint64_t)(input->end - input->at) < record_bytes) return false;
        struct property_result *entry = &search->task->properties[property];
        struct past_place *place = &past->places[property];
        uint64_t *words = place->words ? place->words : mem_alloc(past->mem, search->space.layout.words * sizeof *words);
        memcpy(words, input->at, record_bytes);
        input->at += record_bytes;
        *place = (struct past_place){true, true, rank, (uint32_t)state, (uint32_t)rule, words};
        if (entry->verdict != VERDICT_VIOLATED) search->undecided -= !entry->watched_only;
        entry->verdict = VERDICT_VIOLATED;
    }
    return input->good;
}

static void get_monitors(struct past *past, struct varint_input *input)
{
    struct search *search = past->search;
    if (!varint_get(input)) return;
    for (uint32_t m = 0; m < search->monitor_count; m++) {
        uint64_t bits = varint_get(input);
        if (bits & 1) visit_stop_monitor(search, m);
        search->monitors[m].failed |= bits >> 1 & 1;
    }
}

static bool get_taken(struct past *past, struct varint_input *input)
{
    struct search *search = past->search;
    uint64_t rule = 0, step;
    while ((step = varint_get(input)) && input->good) {
        rule += step - 1;
        if (rule >= search->model->rules.len) return false;
        search->result->taken[rule] += varint_get(input);
        past->frozen_taken[rule] = search->result->taken[rule];
    }
    return input->good;
}

/* Adds what a summary says. */
static bool take_over(void *context, uint64_t rank, const unsigned char *summary, uint64_t size)
{
    struct resumption *resumption = context;
    struct past *past = resumption->past;
    struct result *result = past->search->result;
    struct varint_input input = {summary, summary + size, true};
    uint64_t states = varint_get(&input), farthest = rank + varint_get(&input), live_peak = varint_get(&input), peak_states = varint_get(&input);
    result->transitions += varint_get(&input);
    result->deadlocks += varint_get(&input);
    result->ends += varint_get(&input);
    result->runtime_errors += varint_get(&input);
    result->expanded += varint_get(&input);
    if (!get_taken(past, &input) || !get_places(past, &input)) return false;
    get_monitors(past, &input);
    for (uint64_t i = 0; scans(past) && input.at < input.end && i < reached_bytes(past); i++) result->reached[i] |= *input.at++;
    if (!input.good) return false;
    past_note(past, rank, states);
    past->statistics->resumed++;
    past->statistics->live_peak = live_peak;
    past->statistics->peak_states = peak_states;
    if (farthest > rank) vec_push(past->mem, &resumption->reaches, ((struct reach){rank, farthest}));
    resumption->last = rank;
    return true;
}

/* Steps of a frozen state beyond the last frozen rank. */
static bool expand(struct resumption *resumption, const unsigned char *record)
{
    struct past *past = resumption->past;
    struct search *search = past->search;
    struct space *space = &search->space;
    struct program_cursor cursor;
    const struct fast_rule *fast;
    enum step step;
    uint32_t number = 0, index;
    if (!visit_poll(search, 0)) return false;
    space->words[space->layout.words - 1] = 0;
    memcpy(space->words, record, space->layout.record_bytes);
    program_start(&space->program, &cursor);
    while ((step = program_next(&space->program, &cursor, space->words, space->next, &fast)) != STEP_NONE) {
        if (step != STEP_TAKEN) continue;
        uint64_t rank = past_rank(past, space->next);
        struct cluster *cluster = rank > resumption->last ? past_cluster(past, rank) : NULL;
        if (rank > resumption->last && !cluster) return false;
        uint64_t hash = store_hash(space->next, space->layout.record_bytes);
        if (cluster && past_add(past, cluster, space->next, hash, resumption->state, number, &index) == STORE_REFUSED) return false;
        number++;
    }
    resumption->state++;
    return true;
}

static bool take_records(void *context, const unsigned char *bytes, uint64_t size)
{
    struct resumption *resumption = context;
    uint64_t record_bytes = resumption->past->search->space.layout.record_bytes;
    while (size) {
        uint64_t some = record_bytes - resumption->record_size;
        if (some > size) some = size;
        memcpy(resumption->record + resumption->record_size, bytes, some);
        resumption->record_size += some;
        bytes += some;
        size -= some;
        if (resumption->record_size < record_bytes) continue;
        resumption->record_size = 0;
        if (!expand(resumption, resumption->record)) return false;
    }
    return true;
}

/* The clusters that were waiting. False: memory or a limit, unless `damaged`. */
static bool find_waiting(struct resumption *resumption)
{
    struct past *past = resumption->past;
    struct cluster source = {0};
    bool good = past_add_initial(past, false, resumption->last);
    past->current = &source;
    for (uint32_t i = 0; good && i < resumption->reaches.len; i++) {
        const char *why;
        const struct reach *reach = &resumption->reaches.data[i];
        if (reach->farthest <= resumption->last) continue;
        source.rank = reach->rank;
        resumption->state = 0;
        resumption->record_size = 0;
        good = freezer_read(past->freezer, reach->rank, FREEZER_RECORDS, take_records, resumption, &why);
        resumption->damaged = !good && past->search->result->stop == STOP_NONE;
    }
    past->current = NULL;
    return good;
}

/* As if nothing had been read. Violations that were found stay: they are there. */
static void forget(struct resumption *resumption)
{
    struct past *past = resumption->past;
    struct result *result = past->search->result;
    struct cluster_statistics *statistics = past->statistics;
    past_discard(past);
    result->transitions = result->deadlocks = result->ends = result->runtime_errors = result->expanded = 0;
    memset(result->taken, 0, past->search->model->rules.len * sizeof *result->taken);
    memset(past->frozen_taken, 0, past->search->model->rules.len * sizeof *past->frozen_taken);
    past->done_states = 0;
    statistics->finished = statistics->clusters = statistics->resumed = statistics->size_count = 0;
    statistics->live_peak = statistics->peak_states = 0;
    statistics->largest = (struct cluster_size){0};
    resumption->reaches.len = 0;
    resumption->damaged = false;
}

/* Summaries, then what was waiting. Whatever cannot be read shortens what is taken over. */
static bool resume(struct resumption *resumption)
{
    struct past *past = resumption->past;
    struct cluster_statistics *statistics = past->statistics;
    for (;;) {
        forget(resumption);
        if (!freezer_blocks(past->freezer)) return past_add_initial(past, true, 0);
        if (!freezer_summaries(past->freezer, take_over, resumption)) {
            past->search->result->stop_detail = "the journal has an entry that makes no sense";
            return visit_stop(past->search, STOP_DISK);
        }
        uint64_t live_peak = statistics->live_peak, peak_states = statistics->peak_states;
        bool good = find_waiting(resumption);
        statistics->live_peak = live_peak;
        statistics->peak_states = peak_states;
        if (good || !resumption->damaged) return good;
        freezer_cut(past->freezer);
    }
}

bool frozen_resume(struct past *past)
{
    struct search *search = past->search;
    bool good = true;
    if (freezer_blocks(past->freezer)) {
        struct resumption resumption = {.past = past, .record = mem_alloc(past->mem, search->space.layout.record_bytes + UINT64_C(1))};
        good = resume(&resumption);
        *past->frozen_counts = count(search->result);
        mem_free(past->mem, resumption.record);
        vec_free(past->mem, &resumption.reaches);
    }
    return good && (freezer_continue(past->freezer) || failed(past));
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

bool frozen_log_of(struct past *past, struct freezer *freezer, uint64_t rank, const char **why)
{
    struct collector collector = {.mem = past->mem};
    *why = "the files do not have it";
    bool good = freezer_read(freezer, rank, FREEZER_LOG, collect, &collector, why) && collector.size;
    if (good && !origins_read(&past->loaded, collector.bytes, collector.size)) {
        *why = "the files have a record of it that makes no sense";
        good = false;
    }
    mem_free(past->mem, collector.bytes);
    return good;
}

bool frozen_log(struct past *past, uint64_t rank, const char **why)
{
    return frozen_log_of(past, past->freezer, rank, why);
}

void frozen_restore_counts(struct past *past)
{
    struct result *result = past->search->result;
    const struct past_counts *counts = past->frozen_counts;
    result->transitions = counts->transitions;
    result->deadlocks = counts->deadlocks;
    result->ends = counts->ends;
    result->runtime_errors = counts->runtime_errors;
    result->expanded = counts->expanded;
    memcpy(result->taken, past->frozen_taken, past->search->model->rules.len * sizeof *result->taken);
}
