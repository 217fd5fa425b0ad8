/* Counts. A state that is on disk already when an epoch ends was expanded twice: it is expanded
 * once more, and what it adds is taken away. So counts are net at the end. In a reduced search that
 * are the steps that it had this time, so these states are found while the set is still there.
 *
 * Invariants: (1) the log of origins has one entry per state of the set, in the order of numbers;
 * (2) no state is dropped unless it is on disk or among the entries that wait; (3) `known` has a
 * bit for states of the set that are on disk and were not expanded in this epoch. */
#include "search/epochs.h"

#include "program/reached.h"
#include "search/path.h"

#include <assert.h>
#include <string.h>

#ifdef CAIRN_DEGENERATE
enum { WORTH_READING = 100, LEAST_LAYER = 2 };
#else
enum { WORTH_READING = 100, LEAST_LAYER = 1000 };
#endif

/* ---- what is on disk ---- */

/* The block to read with may need what was put aside. */
bool epochs_find(struct epochs *epochs, uint64_t count)
{
    struct entries *entries = epochs->entries;
    struct runs *runs = &epochs->done;
    while (!runs_find(runs, entries->batch, entries->size, count, entries->has))
        if (runs->error || !reserve_use(entries->reserve))
            return entries_fail(epochs->search, runs->error);
    return true;
}

static bool reserve_known(struct epochs *epochs, uint64_t states)
{
    uint64_t words = states / 64 + 1;
    if (words <= epochs->known_words) return true;
    words += words / 2;
    uint64_t *known = mem_try_resize(epochs->mem, epochs->known, words * sizeof *known);
    if (!known) return false;
    memset(known + epochs->known_words, 0, (words - epochs->known_words) * sizeof *known);
    epochs->known = known;
    epochs->known_words = words;
    return true;
}

/* A state of the set as the i-th entry of the batch. */
static bool make_question(struct epochs *epochs, uint64_t i, uint64_t state)
{
    struct entries *entries = epochs->entries;
    char *entry = entries->batch + i * entries->size;
    const struct entries_tail tail = {.state = state};
    if (!entries->records->of_state(epochs->search->set, state, entry)) return false;
    memcpy(entry + entries->record_bytes, &tail, sizeof tail);
    return true;
}

/* Notes which states of the set from `first` on are on disk, so many at a time as there is room
 * for, until fewer than `least` are left. False: the search must end. */
static bool look_up(struct epochs *epochs, uint64_t first, uint64_t least,
                    void (*found)(struct epochs *epochs, uint64_t state, const char *record))
{
    struct entries *entries = epochs->entries;
    struct set *set = epochs->search->set;
    for (; first < set->count; first += entries->batch_count) {
        const uint64_t left = set->count - first;
        entries->batch_count = left < entries->batch_room ? left : entries->batch_room;
        if (entries->batch_count < least) break;
        for (uint64_t i = 0; i < entries->batch_count; i++)
            if (!make_question(epochs, i, first + i)) return true;
        entries_sort_batch(entries);
        if (!epochs_find(epochs, entries->batch_count)) return false;
        for (uint64_t i = 0; i < entries->batch_count; i++) {
            const char *entry = entries->batch + i * entries->size;
            if (entries->has[i]) found(epochs, entries_tail_of(entries, entry).state, entry);
        }
    }
    return true;
}

static void note_known(struct epochs *epochs, uint64_t state, const char *record)
{
    (void)record;
    epochs->known[state / 64] |= UINT64_C(1) << state % 64;
}

/* Reading takes time that only many states are worth. */
bool epochs_find_known(struct epochs *epochs, uint64_t first)
{
    struct entries *entries = epochs->entries;
    const uint64_t count = epochs->search->set->count;
    const uint64_t least = epochs->done.records / WORTH_READING + LEAST_LAYER;
    if (!epochs->done.records || count - first < least || entries->most_batch < least
        || !reserve_known(epochs, count) || !entries_reserve_batch(entries, count - first))
        return epochs->search->result->stop == STOP_NONE;
    return look_up(epochs, first, least, note_known);
}

/* ---- the end of an epoch ---- */

/* What the expansion of a state added to the counts is taken away; number: of a reduced search, in
 * the set. */
static void uncount(struct epochs *epochs, const void *record, uint64_t number)
{
    struct search *search = epochs->search;
    struct result *result = search->result;
    struct worker *worker = search->worker;
    struct batch *batch = &worker->batch;
    bool good = epochs->entries->records->thaw(worker, search->set, record);
    if (good) memcpy(worker->words, batch_words(batch, 0), batch->words * sizeof *worker->words);
    batch_clear(batch);
    good = good && search->space->kind->expand(worker, NULL, SET_NONE);
    epochs->miscounted |= !good;
    for (uint32_t s = 0; s < batch->state_count; s++) {
        const struct batch_state *state = &batch->states[s];
        result->runtime_errors -= state->failures;
        result->ends -= state->end == BATCH_FINAL;
        result->deadlocks -= state->end == BATCH_DEAD;
    }
    for (uint32_t i = 0; i < batch->step_count; i++) {
        const uint32_t rule = batch->steps[i].fast->rule;
        if (epochs->ample && !ample_keeps(epochs->ample, number, rule)) continue;
        result->taken[rule]--;
        result->transitions--;
    }
    batch_clear(batch);
}

static void take_away(void *context, const void *record)
{
    const struct epochs *epochs = context;
    assert(!epochs->ample); /* they were found before */
    (void)epochs;
    uncount(context, record, 0);
}

/* Whether it is to be expanded in another epoch. */
static bool waits(const struct epochs *epochs, uint64_t state, uint64_t expanded)
{
    return epochs->ample ? ample_waits(epochs->ample, state) : state >= expanded;
}

/* States that are not expanded wait: with their own origins. */
static bool put_rest(struct epochs *epochs, uint64_t expanded)
{
    struct entries *entries = epochs->entries;
    struct set *set = epochs->search->set;
    const uint64_t first = epochs->ample ? 0 : expanded;
    struct entries_waiting rest = {.offset = entries->now.tape.bytes};
    assert(first <= set->count && epochs->origins.states == set->count); /* (1) */
    for (uint64_t i = first; i < set->count; i++) rest.count += waits(epochs, i, expanded);
    if (!rest.count) return true;
    char *entry = mem_try_alloc(epochs->mem, entries->size);
    char *record = mem_try_alloc(epochs->mem, entries->record_bytes + UINT64_C(1));
    bool good = (entry && record) || entries_fail(epochs->search, NULL);
    for (uint64_t i = first; good && i < set->count; i++) { /* (2) */
        if (!waits(epochs, i, expanded)) continue;
        const struct origin origin = origins_of(&epochs->origins, i);
        good = entries->records->of_state(set, i, record) || entries_fail(epochs->search, NULL);
        if (!good) break;
        entries_make(entries, entry, record,
                     (struct entries_tail){origin.source, origin.state, origin.step, 0});
        good = entries_append(entries, entry, 1);
    }
    mem_free(epochs->mem, entry);
    mem_free(epochs->mem, record);
    return good && entries_push_pending(entries, rest);
}

static bool keep_log(struct epochs *epochs)
{
    struct epochs_log *logs = entries_grow(epochs->entries, epochs->logs, epochs->number,
                                           &epochs->log_room, sizeof *logs);
    if (!logs) return false;
    epochs->logs = logs;
    unsigned char *bytes = mem_try_alloc(epochs->mem, origins_bound(&epochs->origins) + 1);
    if (!bytes) return entries_fail(epochs->search, NULL);
    const uint64_t size = origins_write(&epochs->origins, bytes);
    logs[epochs->number] = (struct epochs_log){epochs->tape.bytes, size};
    bool good =
        tape_append(&epochs->tape, bytes, size) || entries_fail(epochs->search, epochs->tape.error);
    mem_free(epochs->mem, bytes);
    origins_release(&epochs->origins);
    return good;
}

static bool is_left_out(const void *context, uint64_t state)
{
    const struct epochs *epochs = context;
    return epochs_is_known(epochs, state) /* (3) */
           || (epochs->ample && ample_waits(epochs->ample, state));
}

/* Of a reduced search: one that is expanded now and was in an earlier epoch. */
static void note_repeated(struct epochs *epochs, uint64_t state, const char *record)
{
    if (ample_waits(epochs->ample, state) || epochs_is_known(epochs, state)) return;
    note_known(epochs, state, record);
    uncount(epochs, record, state);
}

static bool find_repeated(struct epochs *epochs)
{
    const uint64_t count = epochs->search->set->count;
    if (!epochs->done.records || !count) return true;
    if (!reserve_known(epochs, count)) return entries_fail(epochs->search, NULL);
    return entries_reserve_batch(epochs->entries, count) && look_up(epochs, 0, 1, note_repeated);
}

/* What its sets count of their own is added up before they are emptied. */
static void add_totals(struct epochs *epochs)
{
    const struct set_kind *sets = epochs->search->space->kind->sets;
    assert(sets->more <= EPOCHS_TOTALS);
    if (sets->sum) sets->sum(epochs->search->set, epochs->totals);
}

static void scan(struct epochs *epochs)
{
    const struct search *search = epochs->search;
    reached_scan(search->model, &search->space->layout,
                 (struct reached_states){.store = search->set->kind->store(search->set)},
                 search->result, epochs->scan);
}

/* After the set was emptied. */
static bool begin_next(struct epochs *epochs)
{
    if (epochs->ample) ample_forget(epochs->search, epochs->ample);
    if (!keep_log(epochs)) return false;
    epochs->number++;
    return true;
}

bool epochs_end(struct epochs *epochs, uint64_t expanded)
{
    struct search *search = epochs->search;
    const struct set_records *records = epochs->entries->records;
    struct runs_items items;
    assert(!search->worker->batch.state_count);
    scan(epochs);
    if (!put_rest(epochs, expanded) || (epochs->ample && !find_repeated(epochs))) return false;
    add_totals(epochs);
    if (epochs->ample) expanded = search->set->count; /* those among them that are */
    bool good = records->list(search->set, expanded, is_left_out, epochs, &items)
                && runs_add(&epochs->done, &items, take_away, epochs);
    mem_free(epochs->mem, epochs->known);
    epochs->known = NULL;
    epochs->known_words = 0;
    if (!records->empty(search->set)) return entries_fail(search, NULL);
    if (!good || epochs->miscounted) return entries_fail(search, epochs->done.error);
    return begin_next(epochs);
}

bool epochs_give_up(struct epochs *epochs, uint64_t *states)
{
    struct search *search = epochs->search;
    struct runs *done = &epochs->done;
    if (done->records) {
        if (!epochs_end(epochs, search->set->count) || !epochs_count_words(epochs)) return false;
        *states = done->records;
        epochs->records += done->records;
        runs_clear(done);
        return true;
    }
    scan(epochs);
    add_totals(epochs);
    *states = set_kept(search->set);
    epochs->words += search->set->kind->store(search->set)->count;
    if (!epochs->entries->records->empty(search->set)) return entries_fail(search, NULL);
    return begin_next(epochs);
}

/* ---- counterexamples ---- */

/* The log of an epoch; NULL: *why says why there is none. */
static const struct origins *log_of(struct epochs *epochs, uint64_t number, const char **why)
{
    if (number == epochs->number) return &epochs->origins;
    if (epochs->has_loaded && epochs->loaded_number == number) return &epochs->loaded;
    const struct epochs_log *log = &epochs->logs[number];
    unsigned char *bytes = mem_alloc(epochs->mem, log->size + 1);
    epochs->has_loaded = tape_read(&epochs->tape, log->offset, bytes, log->size)
                         && origins_read(&epochs->loaded, bytes, log->size);
    epochs->loaded_number = number;
    mem_free(epochs->mem, bytes);
    if (!epochs->has_loaded)
        *why = epochs->tape.error ? epochs->tape.error
                                  : "the record of how it was reached makes no sense";
    return epochs->has_loaded ? &epochs->loaded : NULL;
}

/* The run is known by its last state alone. */
static void show_last(struct search *search, struct property_result *entry, const char *why,
                      const uint64_t *words)
{
    struct model *model = search->model;
    entry->reason = why;
    entry->last = mem_alloc(model->mem, (model->vars.len + UINT64_C(1)) * sizeof *entry->last);
    layout_unpack(&search->space->layout, model, words, entry->last);
}

void epochs_violated(struct epochs *epochs, uint32_t property, uint64_t state, uint32_t failed_rule)
{
    struct search *search = epochs->search;
    uint64_t *words = search->worker->other;
    VEC(uint32_t) steps = {0};
    struct origin origin = {epochs->number, state, 0};
    const char *why = NULL;
    assert(state < epochs->origins.states); /* (1) */
    search->set->kind->load(search->set, state, words);
    for (;;) {
        const struct origins *log = log_of(epochs, origin.source, &why);
        if (!log) break;
        origin = origins_of(log, origin.state);
        if (origin.source == ORIGINS_INITIAL) break;
        vec_push(epochs->mem, &steps, origin.step);
    }
    if (why) show_last(search, &search->task->properties[property], why, words);
    else {
        struct trace *trace = trace_new(search->model, steps.len);
        if (!path_initial(search->model, origin.state, trace->initial)
            || !path_follow(search, trace, steps.data))
            search->result->broken = "a run does not follow its record";
        path_show(search, property, trace, failed_rule, words);
    }
    vec_free(epochs->mem, &steps);
}

/* ---- what sets count ---- */

bool epochs_count_words(struct epochs *epochs)
{
    struct search *search = epochs->search;
    uint64_t words = 0;
    if (!epochs->entries->records->count) return true;
    const bool good = runs_count(&epochs->done, search->space->layout.record_bytes, &words);
    epochs->words += words;
    return good || entries_fail(search, epochs->done.error);
}

void epochs_sum(const struct epochs *epochs, uint64_t *totals)
{
    const struct search *search = epochs->search;
    const struct set_kind *sets = search->space->kind->sets;
    for (unsigned i = 0; i < sets->more; i++) totals[i] += epochs->totals[i];
    if (search->set && sets->sum) sets->sum(search->set, totals);
    if (epochs->number && epochs->entries->records->count)
        epochs->entries->records->count(epochs->words, totals);
}

/* ---- before and after ---- */

void epochs_init(struct epochs *epochs, struct search *search, struct entries *entries,
                 uint32_t block)
{
    struct mem *mem = search->model->mem;
    const uint32_t record_bytes = entries->record_bytes;
    *epochs = (struct epochs){.search = search, .mem = mem, .entries = entries};
    origins_init(&epochs->origins, mem);
    origins_init(&epochs->loaded, mem);
    tape_init(&epochs->tape, mem, block);
    if (!tape_reserve(&epochs->tape)) mem_refuse(mem);
    runs_init(&epochs->done, mem, record_bytes ? record_bytes : 1, block);
    epochs->scan = reached_begin(search->model, search->result);
}

void epochs_release(struct epochs *epochs)
{
    struct mem *mem = epochs->mem;
    origins_release(&epochs->origins);
    origins_release(&epochs->loaded);
    tape_release(&epochs->tape);
    runs_release(&epochs->done);
    mem_free(mem, epochs->logs);
    mem_free(mem, epochs->known);
    mem_free(mem, epochs->scan);
}
