/* Breadth-first search by several threads, level by level.
 *
 * In a round, threads take some states of the level at a time from a common cursor, expand them,
 * and add successors to a common set (solver/shared.h); each has its own batch of successors on
 * their way, as in breadth.c. A round ends when the level is used up, when the tables of the set
 * must grow (then another round goes on with the level), or when a limit is reached. Between rounds
 * there is one thread.
 *
 * What is found does not depend on who was faster. Counts do not anyway, once a level is finished.
 * Of the states of a level that violate a property the one with the smallest record is reported,
 * when the level is finished: so the search ends after whole levels, also where one thread would
 * have ended within one. And of the states that lead to a new one, the parent is the one with the
 * smallest key, 8 bits of the hash: the set keeps the smallest key, which is one byte instead of a
 * number, and the parent is looked for in the level before when a counterexample asks for it.
 *
 * Invariants: (1) between levels records have the numbers 0 .. count, level after level; (2) a
 * round writes to the set, to its own worker and to atomic fields only; (3) an expansion that is
 * open, and states that were taken, stay with their worker until a later round of the level; (4)
 * memory is allocated with the lock of the set. */
#include "engine/explicit/visit.h"

#include "base/clock.h"
#include "base/crew.h"
#include "solver/shared.h"

#include <string.h>

#ifdef CAIRN_TEST_HOOKS /* so that small models have several threads, too */
enum { ALONE = 2 };
#else
enum { ALONE = 128 }; /* fewer states than these are not worth waking anybody */
#endif
enum { GRAB_MOST = 256 };

enum {
    FOUND_ERROR,
    FOUND_DEADLOCK,
    FOUND_MONITORS
}; /* places of findings: the first monitor has the last one */

struct candidate { /* a successor on its way */
    const struct fast_rule *fast;
    uint64_t hash;
    uint32_t guess; /* its number, probably */
};

struct expanded { /* a state whose successors are on their way */
    uint32_t state, successors;
    uint8_t key;
    bool enabled;
    uint32_t failed; /* the first rule that failed, of ... */
    uint64_t failures;
};

struct counts {
    uint64_t transitions, expanded, deadlocks, ends, runtime_errors;
};

struct worker {
    struct parallel *parallel;
    struct program program; /* with working memory of its own */
    struct shared_block block;
    uint32_t at, end; /* states that it has taken */
    bool open;        /* the last expansion has more successors to come: */
    struct program_cursor cursor;
    uint64_t *words, *other; /* the state being expanded; room for one */
    uint64_t *batch;
    struct candidate candidates[VISIT_BATCH];
    uint32_t batch_size;
    struct expanded expansions[VISIT_BATCH];
    uint32_t expansion_count;
    struct counts counts; /* of this level */
    uint64_t *taken;
    bool *found, *failed; /* per finding; per monitor: it could not be evaluated */
    uint64_t *kept;       /* per finding: the smallest state */
    uint32_t failed_rule;
    atomic_uint_fast64_t transitions, expanded; /* the same counts, for the progress display */
};

struct parallel {
    struct search *search;
    struct shared shared;
    struct crew crew;
    struct worker *workers[CREW_MOST];
    uint32_t count;
    uint32_t level_begin, level_end, grab;
    uint64_t active; /* monitors */
    atomic_uint_fast64_t cursor;
    atomic_uint segment; /* the next one to grow */
    atomic_int stop;     /* enum stop_reason */
};

/* ---- one thread in a round ---- */

static void stop(struct parallel *parallel, enum stop_reason reason)
{
    int none = STOP_NONE;
    atomic_compare_exchange_strong(&parallel->stop, &none, (int)reason);
}

static bool shall_leave(const struct parallel *parallel)
{
    return atomic_load_explicit(&parallel->stop, memory_order_relaxed) != STOP_NONE
           || shared_is_full(&parallel->shared);
}

static void load_state(const struct worker *worker, uint32_t state, uint64_t *words)
{
    const struct layout *layout = worker->program.layout;
    words[layout->words - 1] = 0;
    memcpy(words, shared_get(&worker->parallel->shared, state), layout->record_bytes);
}

/* True: it is the smallest one so far. */
static bool offer(struct worker *worker, uint32_t finding, const uint64_t *words)
{
    const struct layout *layout = worker->program.layout;
    uint64_t *kept = worker->kept + (size_t)finding * layout->words;
    if (worker->found[finding] && memcmp(kept, words, layout->record_bytes) <= 0) return false;
    worker->found[finding] = true;
    memcpy(kept, words, layout->words * sizeof *kept);
    return true;
}

static void watch(struct worker *worker, uint64_t bits, const uint64_t *words)
{
    const struct search *search = worker->parallel->search;
    for (uint32_t i = 0; i < search->monitor_count; i++) {
        const struct monitor *monitor = &search->monitors[i];
        if (!monitor->active
            || !(bits >> (i < VISIT_MONITOR_BITS ? i : VISIT_MONITOR_BITS - 1) & 1))
            continue;
        int64_t value;
        if (!program_run(&worker->program, monitor->code, words, &value)) worker->failed[i] = true;
        else if (monitor->is_antecedent ? value : !value) offer(worker, FOUND_MONITORS + i, words);
    }
}

/* All successors of the state are added. */
static void finish(struct worker *worker, const struct expanded *expansion)
{
    const struct search *search = worker->parallel->search;
    worker->counts.expanded++;
    worker->counts.runtime_errors += expansion->failures;
    if (expansion->enabled && !expansion->failures) return;
    load_state(worker, expansion->state, worker->other);
    int64_t value;
    bool final = !expansion->enabled && search->model->has_final
                 && program_run(&worker->program, search->final, worker->other, &value) && value;
    if (final) worker->counts.ends++;
    else if (!expansion->enabled) {
        worker->counts.deadlocks++;
        offer(worker, FOUND_DEADLOCK, worker->other);
    }
    if (expansion->failures && offer(worker, FOUND_ERROR, worker->other))
        worker->failed_rule = expansion->failed;
}

static bool add_successors(struct worker *worker, const struct expanded *expansion, uint32_t first)
{
    struct parallel *parallel = worker->parallel;
    for (uint32_t i = first; i < first + expansion->successors; i++) {
        const uint64_t *words = worker->batch + (size_t)i * worker->program.layout->words;
        const struct candidate *candidate = &worker->candidates[i];
        uint32_t index = candidate->guess;
        bool known = index != UINT32_MAX && shared_has(&parallel->shared, index, words);
        enum store_result added = known ? STORE_KNOWN
                                        : shared_add(&parallel->shared, &worker->block, words,
                                                     candidate->hash, expansion->key, &index);
        if (added == STORE_REFUSED) return false;
        worker->counts.transitions++;
        worker->taken[candidate->fast->rule]++;
        uint64_t bits = candidate->fast->touches & parallel->active;
        if (added == STORE_NEW && bits) watch(worker, bits, words);
        if (added == STORE_KNOWN && index >= parallel->level_end)
            shared_lower_key(&parallel->shared, index, expansion->key);
    }
    return true;
}

/* Adds everything that was collected. */
static void flush(struct worker *worker)
{
    uint32_t first = 0, i = 0;
    bool good = true;
    for (uint32_t k = 0; k < worker->batch_size; k++)
        worker->candidates[k].guess =
            shared_guess(&worker->parallel->shared, worker->candidates[k].hash);
    for (; good && i < worker->expansion_count; i++) {
        struct expanded *expansion = &worker->expansions[i];
        good = add_successors(worker, expansion, first);
        first += expansion->successors;
        expansion->successors = 0;
        if (worker->open && i + 1 == worker->expansion_count) break;
        if (good) finish(worker, expansion);
    }
    if (!good) {
        stop(worker->parallel, STOP_MEMORY);
        worker->open = false;
    }
    if (worker->open) worker->expansions[0] = worker->expansions[worker->expansion_count - 1];
    worker->expansion_count = worker->open;
    worker->batch_size = 0;
    atomic_store_explicit(&worker->transitions, worker->counts.transitions, memory_order_relaxed);
    atomic_store_explicit(&worker->expanded, worker->counts.expanded, memory_order_relaxed);
}

static void begin(struct worker *worker, uint32_t state)
{
    const struct layout *layout = worker->program.layout;
    if (worker->expansion_count == VISIT_BATCH) flush(worker);
    load_state(worker, state, worker->words);
    uint64_t hash = store_hash(worker->words, layout->record_bytes);
    worker->expansions[worker->expansion_count++] =
        (struct expanded){.state = state, .key = (uint8_t)(hash >> 24)};
    program_start(&worker->program, &worker->cursor);
    worker->open = true;
}

/* Expands the open state. False: the round ends before it is done. */
static bool expand(struct worker *worker)
{
    struct expanded *expansion = &worker->expansions[worker->expansion_count - 1];
    const struct layout *layout = worker->program.layout;
    const struct fast_rule *fast;
    for (;;) {
        uint64_t *next = worker->batch + (size_t)worker->batch_size * layout->words;
        enum step step =
            program_next(&worker->program, &worker->cursor, worker->words, next, &fast);
        if (step == STEP_NONE) break;
        if (step == STEP_FAILED) {
            if (!expansion->failures++) expansion->failed = fast->rule;
            continue;
        }
        uint64_t hash = store_hash(next, layout->record_bytes);
        worker->candidates[worker->batch_size++] = (struct candidate){.fast = fast, .hash = hash};
        shared_prefetch(&worker->parallel->shared, hash);
        expansion->enabled = true;
        expansion->successors++;
        if (worker->batch_size < VISIT_BATCH) continue;
        flush(worker);
        if (shall_leave(worker->parallel)) return false;
        expansion = &worker->expansions[0];
    }
    worker->open = false;
    return true;
}

static bool take_states(struct worker *worker)
{
    struct parallel *parallel = worker->parallel;
    uint64_t from =
                 atomic_fetch_add_explicit(&parallel->cursor, parallel->grab, memory_order_relaxed),
             to = from + parallel->grab;
    if (from >= parallel->level_end) return false;
    worker->at = (uint32_t)from;
    worker->end = to < parallel->level_end ? (uint32_t)to : parallel->level_end;
    return true;
}

/* By the caller's thread only, now and then: the clock, the keyboard, the display. */
static void look(struct parallel *parallel)
{
    struct search *search = parallel->search;
    if (search->poll_in--) return;
    search->poll_in = search->poll_interval;
    struct search_progress progress = {.depth = search->result->depth,
                                       .transitions = search->result->transitions,
                                       .expanded = search->result->expanded};
    for (uint32_t w = 0; w < parallel->count; w++) {
        progress.transitions +=
            atomic_load_explicit(&parallel->workers[w]->transitions, memory_order_relaxed);
        progress.expanded +=
            atomic_load_explicit(&parallel->workers[w]->expanded, memory_order_relaxed);
    }
    pthread_mutex_lock(&parallel->shared.lock);
    progress.states = parallel->shared.given;
    progress.bytes = search->model->mem->used;
    pthread_mutex_unlock(&parallel->shared.lock);
    if (!visit_look(search, &progress)) stop(parallel, search->result->stop);
}

static void work(void *context, uint32_t number)
{
    struct parallel *parallel = context;
    struct worker *worker = parallel->workers[number];
    for (;;) {
        if (shall_leave(parallel)) break;
        if (!worker->open) {
            if (worker->at == worker->end && !take_states(worker)) break;
            begin(worker, worker->at++);
        }
        if (!expand(worker)) break;
        if (!number) look(parallel);
    }
    flush(worker);
}

/* ---- between rounds ---- */

static void grow(void *context, uint32_t number)
{
    struct parallel *parallel = context;
    (void)number;
    for (unsigned s; (s = atomic_fetch_add(&parallel->segment, 1)) < SHARED_SEGMENTS;)
        shared_grow_segment(&parallel->shared, s);
}

static bool is_finished(const struct parallel *parallel)
{
    if (atomic_load(&parallel->cursor) < parallel->level_end) return false;
    for (uint32_t w = 0; w < parallel->count; w++)
        if (parallel->workers[w]->open || parallel->workers[w]->at < parallel->workers[w]->end)
            return false;
    return true;
}

/* The sums of the workers go to the result. */
static void collect(struct parallel *parallel)
{
    struct search *search = parallel->search;
    struct result *result = search->result;
    for (uint32_t w = 0; w < parallel->count; w++) {
        struct worker *worker = parallel->workers[w];
        result->transitions += worker->counts.transitions;
        result->expanded += worker->counts.expanded;
        result->deadlocks += worker->counts.deadlocks;
        result->ends += worker->counts.ends;
        result->runtime_errors += worker->counts.runtime_errors;
        worker->counts = (struct counts){0};
        atomic_store(&worker->transitions, 0);
        atomic_store(&worker->expanded, 0);
        for (uint32_t m = 0; m < search->monitor_count; m++)
            search->monitors[m].failed |= worker->failed[m];
    }
}

/* The worker with the smallest state of a finding, which is forgotten then; NULL: there is none. */
static const struct worker *smallest(struct parallel *parallel, uint32_t finding)
{
    const struct layout *layout = &parallel->search->space.layout;
    const struct worker *best = NULL;
    for (uint32_t w = 0; w < parallel->count; w++) {
        struct worker *worker = parallel->workers[w];
        size_t at = (size_t)finding * layout->words;
        if (worker->found[finding]
            && (!best || memcmp(worker->kept + at, best->kept + at, layout->record_bytes) < 0))
            best = worker;
        worker->found[finding] = false;
    }
    return best;
}

/* What the level has shown. */
static void report(struct parallel *parallel)
{
    struct search *search = parallel->search;
    const struct layout *layout = &search->space.layout;
    for (uint32_t f = 0; f < FOUND_MONITORS + search->monitor_count; f++) {
        const struct worker *worker = smallest(parallel, f);
        if (!worker) continue;
        const uint64_t *words = worker->kept + (size_t)f * layout->words;
        uint32_t state =
            shared_find(&parallel->shared, words, store_hash(words, layout->record_bytes));
        uint32_t property = f == FOUND_ERROR ? search->runtime_error : search->deadlock;
        if (f >= FOUND_MONITORS) {
            search->findings[search->found++] = (struct finding){f - FOUND_MONITORS, state, NULL};
            visit_report_findings(search);
        } else if (property != MODEL_NONE)
            visit_violated(search, property, NULL, state,
                           f == FOUND_ERROR ? worker->failed_rule : MODEL_NONE);
    }
}

static bool search_level(struct parallel *parallel)
{
    const uint32_t size = parallel->level_end - parallel->level_begin;
    parallel->active = parallel->search->active;
    parallel->grab = size / (4 * parallel->count) < 1           ? 1
                     : size / (4 * parallel->count) > GRAB_MOST ? GRAB_MOST
                                                                : size / (4 * parallel->count);
    atomic_store(&parallel->cursor, parallel->level_begin);
    for (;;) {
        if (size < ALONE) work(parallel, 0);
        else crew_round(&parallel->crew, work, parallel);
        if (atomic_load(&parallel->stop) != STOP_NONE) break;
        if (shared_is_full(&parallel->shared)) {
            atomic_store(&parallel->segment, 0);
            crew_round(&parallel->crew, grow, parallel);
            if (!shared_grown(&parallel->shared)) stop(parallel, STOP_MEMORY);
        } else if (is_finished(parallel)) break;
    }
    struct shared_block *blocks[CREW_MOST];
    for (uint32_t w = 0; w < parallel->count; w++) blocks[w] = &parallel->workers[w]->block;
    shared_view(&parallel->shared, shared_settle(&parallel->shared, blocks, parallel->count),
                &parallel->search->store);
    collect(parallel);
    report(parallel);
    int why = atomic_load(&parallel->stop);
    return why == STOP_NONE || visit_stop(parallel->search, (enum stop_reason)why);
}

static bool run_levels(struct parallel *parallel)
{
    struct search *search = parallel->search;
    struct result *result = search->result;
    for (;; result->depth++) {
        if (!breadth_push_level(search)) return false;
        if (search->task->max_depth && result->depth >= search->task->max_depth)
            return visit_stop(search, STOP_DEPTH);
        if (!visit_poll(search, result->depth)) return false;
        parallel->level_begin = parallel->level_end;
        parallel->level_end = (uint32_t)search->store.count;
        if (!search_level(parallel)) return false;
        if (search->store.count == parallel->level_end) return true;
    }
}

bool parallel_run(struct search *search)
{
    struct parallel *parallel = search->parallel;
    struct mem *mem = search->model->mem;
    jmp_buf *const outer = mem->recover;
    jmp_buf recover;
    crew_start(&parallel->crew, parallel->count);
    parallel->count = search->result->threads = parallel->crew.count;
    if (setjmp(recover)) { /* a counterexample was refused memory: nobody may be left at work */
        mem->recover = outer;
        crew_stop(&parallel->crew);
        mem_refuse(mem);
    }
    mem->recover = &recover;
    bool done = run_levels(parallel);
    mem->recover = outer;
    crew_stop(&parallel->crew);
    for (uint32_t w = 0; w < parallel->count; w++)
        for (uint32_t r = 0; r < search->model->rules.len; r++)
            search->result->taken[r] += parallel->workers[w]->taken[r];
    return done;
}

/* ---- parents ---- */

uint32_t parallel_parent(struct search *search, uint32_t state)
{
    const struct shared *shared = &search->parallel->shared;
    const uint32_t bytes = search->space.layout.record_bytes;
    uint32_t level = 0, best = MODEL_NONE;
    for (uint32_t high = search->level_count;
         level < high;) { /* the first level that ends behind it */
        uint32_t middle = level + (high - level) / 2;
        if (search->levels[middle] <= state) level = middle + 1;
        else high = middle;
    }
    if (!level) return MODEL_NONE;
    uint8_t key = atomic_load_explicit(shared_key(shared, state), memory_order_relaxed);
    for (uint64_t s = level > 1 ? search->levels[level - 2] : 0; s < search->levels[level - 1];
         s++) {
        const char *record = shared_get(shared, (uint32_t)s);
        if ((uint8_t)(store_hash(record, bytes) >> 24) != key) continue;
        if (best != MODEL_NONE && memcmp(record, shared_get(shared, best), bytes) > 0) continue;
        if (space_rule_between(&search->space, (uint32_t)s, state) != MODEL_NONE)
            best = (uint32_t)s;
    }
    if (best == MODEL_NONE) search->result->broken = "a state has no parent in the level before";
    return best;
}

/* ---- before and after ---- */

static struct worker *new_worker(struct parallel *parallel)
{
    struct search *search = parallel->search;
    struct mem *mem = search->model->mem;
    const size_t state = search->space.layout.words * sizeof(uint64_t),
                 findings = FOUND_MONITORS + (size_t)search->monitor_count;
    struct worker *worker = mem_try_alloc(mem, sizeof *worker);
    if (!worker) return NULL;
    parallel->workers[parallel->count++] = worker;
    worker->parallel = parallel;
    worker->words = mem_try_alloc(mem, state);
    worker->other = mem_try_alloc(mem, state);
    worker->batch = mem_try_alloc(mem, VISIT_BATCH * state);
    worker->kept = mem_try_alloc(mem, findings * state);
    worker->found = mem_try_alloc(mem, findings * sizeof *worker->found);
    worker->failed = mem_try_alloc(mem, findings * sizeof *worker->failed);
    worker->taken =
        mem_try_alloc(mem, (search->model->rules.len + UINT64_C(1)) * sizeof *worker->taken);
    bool good = worker->words && worker->other && worker->batch && worker->kept && worker->found
                && worker->failed && worker->taken;
    return good && program_fork(&search->space.program, &worker->program) ? worker : NULL;
}

static void free_worker(struct mem *mem, struct worker *worker)
{
    program_release_fork(&worker->program);
    mem_free(mem, worker->words);
    mem_free(mem, worker->other);
    mem_free(mem, worker->batch);
    mem_free(mem, worker->kept);
    mem_free(mem, worker->found);
    mem_free(mem, worker->failed);
    mem_free(mem, worker->taken);
    mem_free(mem, worker);
}

/* The initial states keep their numbers. */
static bool take_over(struct parallel *parallel, const struct store *store)
{
    struct shared *shared = &parallel->shared;
    struct shared_block *block = &parallel->workers[0]->block;
    for (uint64_t s = 0; s < store->count; s++) {
        const void *record = store_get(store, (uint32_t)s);
        uint32_t index;
        if (shared_is_full(shared)) {
            for (uint32_t i = 0; i < SHARED_SEGMENTS; i++) shared_grow_segment(shared, i);
            if (!shared_grown(shared)) return false;
        }
        if (shared_add(shared, block, record, store_hash(record, store->record_bytes), 0, &index)
            == STORE_REFUSED)
            return false;
    }
    shared_settle(shared, &block, 1);
    return true;
}

bool parallel_init(struct search *search)
{
    struct mem *mem = search->model->mem;
    const uint32_t record_bytes = search->space.layout.record_bytes,
                   threads = search->task->threads < CREW_MOST ? search->task->threads : CREW_MOST;
    struct parallel *parallel = record_bytes ? mem_try_alloc(mem, sizeof *parallel) : NULL;
    if (!parallel) return false;
    parallel->search = search;
    bool good = true;
    while (good && parallel->count < threads) good = new_worker(parallel);
    if (good && shared_init(&parallel->shared, mem, record_bytes, threads)
        && take_over(parallel, &search->store)) {
        uint64_t count = search->store.count;
        search->parallel = parallel;
        store_release(&search->store);
        parents_release(&search->parents);
        shared_view(&parallel->shared, count, &search->store);
        return true;
    }
    shared_release(&parallel->shared);
    for (uint32_t w = 0; w < parallel->count; w++) free_worker(mem, parallel->workers[w]);
    mem_free(mem, parallel);
    return false;
}

void parallel_release(struct search *search)
{
    struct parallel *parallel = search->parallel;
    struct mem *mem = search->model->mem;
    memset(&search->store, 0, sizeof search->store); /* it was a view */
    shared_release(&parallel->shared);
    for (uint32_t w = 0; w < CREW_MOST && parallel->workers[w]; w++)
        free_worker(mem, parallel->workers[w]);
    mem_free(mem, parallel);
    search->parallel = NULL;
}
