/* Method. Clusters wait by rank (solver/ranks.h). The smallest is taken out and searched by
 * breadth.c, whose successors ask past_cluster where they belong.
 *
 * Memory. A cluster is a store of its own (solver/store.h) and a log of origins. Clusters may be
 * very many and very small, so finished ones are used again, with their memory unless that is much.
 * Where ranks are very many, some neighbouring ones are one cluster: no step leads back to it
 * either, and tables that are a little larger are worth their while. What stays of a finished
 * cluster is its log, about half a byte per state: counterexamples are followed through logs alone.
 * When memory is refused, unused clusters are freed first, then all logs are given up: the search
 * goes on, and violations that are found later are told without their run.
 *
 * Determinism. Numbers of states depend on the model only: the order of ranks, of states in a
 * cluster and of rules in a state is all that counts.
 *
 * Invariants:
 *  1. every waiting cluster has a larger rank than the current one, and has a state unless memory
 *     was refused;
 *  2. unless logs were dropped, the log of a cluster has one entry per state, in the order of
 *     numbers;
 *  3. the current cluster is not among them; its states before the cursor are expanded. */
#include "engine/explicit/past.h"

#include "past/part.h"
#include "program/reached.h"

#include <string.h>

enum { MANY_CLUSTERS = 1 << 13 };

/* ---- making and freeing clusters ---- */

static struct cluster *make_cluster(struct past *past)
{
    struct cluster *cluster = past->unused;
    if (cluster) past->unused = cluster->next;
    else cluster = mem_try_alloc(past->mem, sizeof *cluster);
    if (!cluster) return NULL;
    if (!cluster->store.mem) {
        origins_init(&cluster->head.origins, past->mem);
        if (!store_init(&cluster->store, past->mem, past->search->space.layout.record_bytes)) {
            store_release(&cluster->store);
            mem_free(past->mem, cluster);
            return NULL;
        }
    }
    return cluster;
}

static void free_cluster(struct past *past, struct cluster *cluster)
{
    if (cluster->store.mem) store_release(&cluster->store);
    if (cluster->head.origins.mem) origins_release(&cluster->head.origins);
    mem_free(past->mem, cluster);
}

/* For the next one. */
static void recycle(struct past *past, struct cluster *cluster)
{
    past->history.statistics->live--;
    past->history.statistics->live_states -= cluster->store.count;
    if (!store_clear(&cluster->store)) {
        free_cluster(past, cluster);
        return;
    }
    origins_clear(&cluster->head.origins);
    cluster->next = past->unused;
    past->unused = cluster;
}

static bool free_unused(struct past *past)
{
    bool some = past->unused != NULL;
    while (past->unused) {
        struct cluster *next = past->unused->next;
        free_cluster(past, past->unused);
        past->unused = next;
    }
    return some;
}

static struct past *past_of(const struct history *history)
{
    return ((struct search *)history->search)->past;
}

/* A part that can be handed on ends when memory runs out: what was put aside is for the way to that
 * end. */
static bool relieve(struct history *history)
{
    return free_unused(past_of(history)) || history_use_reserve(history)
           || (!history->is_full && history_drop_logs(history));
}

/* ---- adding states ---- */

static struct cluster *new_cluster(struct past *past, uint64_t rank)
{
    struct cluster_statistics *statistics = past->history.statistics;
    struct cluster *cluster = NULL;
    do {
        if (ranks_reserve(&past->history.waiting)) cluster = make_cluster(past);
    } while (!cluster && relieve(&past->history));
    if (!cluster) {
        visit_stop(past->search, STOP_MEMORY);
        return NULL;
    }
    cluster->head.rank = rank;
    ranks_put(&past->history.waiting, rank, cluster);
    statistics->clusters++;
    if (++statistics->live > statistics->live_peak) statistics->live_peak = statistics->live;
    return cluster;
}

void past_prefetch(const struct past *past, uint64_t rank)
{
    ranks_prefetch(&past->history.waiting, rank);
}

struct cluster *past_cluster(struct past *past, uint64_t rank)
{
    struct cluster *current = past_current(past);
    if (current && rank == current->head.rank) return current;
    if (current && rank < current->head.rank) {
        visit_stop(past->search, STOP_RANK);
        return NULL;
    }
    if (rank > past->history.farthest) past->history.farthest = rank;
    struct cluster *cluster = ranks_find(&past->history.waiting, rank);
    return cluster ? cluster : new_cluster(past, rank);
}

enum store_result past_add(struct past *past, struct cluster *cluster, const uint64_t *words,
                           uint64_t hash, uint32_t state, uint32_t step, uint32_t *index)
{
    struct cluster_statistics *statistics = past->history.statistics;
    enum store_result added;
    while ((added = store_add32(&cluster->store, words, hash, index)) == STORE_REFUSED)
        if (!relieve(&past->history)) {
            visit_stop(past->search, STOP_MEMORY);
            return STORE_REFUSED;
        }
    if (added != STORE_NEW) return added;
    if (++statistics->live_states > statistics->peak_states)
        statistics->peak_states = statistics->live_states;
    if (history_log(&past->history, &cluster->head,
                    past->history.current ? state : cluster->head.origins.states, step))
        return STORE_NEW;
    visit_stop(past->search, STOP_MEMORY);
    return STORE_REFUSED;
}

uint64_t past_states(const struct past *past)
{
    return past->history.done_states + past->history.statistics->live_states;
}

/* ---- the search ---- */

/* False: the search must end. */
static bool finish(struct past *past)
{
    struct search *search = past->search;
    struct cluster *cluster = past_current(past);
    reached_scan(search->model, &search->space.layout, &cluster->store, search->result,
                 past->history.scan);
    if (!history_finish(&past->history, cluster->store.count)) return false;
    search->space.store = &search->store;
    recycle(past, cluster);
    return true;
}

static bool search_cluster(struct search *search, const struct cluster *cluster)
{
    for (uint64_t cursor = 0;; cursor++) {
        if (cursor == cluster->store.count) {
            if (!breadth_flush(search)) return false;
            if (cursor == cluster->store.count) return true;
        }
        if (!visit_poll(search, 0) || !breadth_expand(search, (uint32_t)cursor)) return false;
        if (search->past->history.is_full && search->past->history.statistics->finished)
            return visit_stop(search, STOP_MEMORY);
    }
}

static bool search_all(void *context)
{
    struct search *search = context;
    struct past *past = search->past;
    struct history *history = &past->history;
    while (history->waiting.count) {
        if (part_is_deep(history, history->waiting.heap[0].rank))
            return visit_stop(search, STOP_HANDED_ON);
        history->current = ranks_take(&history->waiting);
        history->farthest = history->current->rank;
        history->statistics->rank = history->current->rank << history->shift;
        search->space.store = &past_current(past)->store;
        if (!search_cluster(search, past_current(past))) return false;
        if (!finish(past)) return false;
    }
    return true;
}

bool past_run(struct search *search) { return history_run(&search->past->history, search_all); }

void past_violated(struct past *past, uint32_t property, const struct cluster *cluster,
                   uint32_t state, uint32_t failed_rule)
{
    history_violated(&past->history, property, cluster->head.rank, state, failed_rule,
                     store_get(&cluster->store, state));
}

void past_conclude(struct past *past)
{
    struct search *search = past->search;
    const struct history *history = &past->history;
    history_conclude(&past->history);
    for (uint32_t i = 0; i < history->waiting.count; i++)
        reached_scan(search->model, &search->space.layout,
                     &((struct cluster *)history_waiting(history, i))->store, search->result,
                     history->scan);
    if (history->current)
        reached_scan(search->model, &search->space.layout, &past_current(past)->store,
                     search->result, history->scan);
    reached_end(search->model, search->result);
}

/* ---- what history asks ---- */

static uint64_t states_of(const struct history_cluster *cluster)
{
    return ((const struct cluster *)cluster)->store.count;
}

static uint64_t records_of(const struct history_cluster *cluster)
{
    uint64_t states = states_of(cluster);
    return states < cluster->origins.states ? states : cluster->origins.states;
}

static uint64_t bytes_of(const struct history *history, const struct history_cluster *cluster)
{
    const struct store *store = &((const struct cluster *)cluster)->store;
    (void)history;
    return store->count * store->record_bytes
           + ((store->count >> store->chunk_shift) + 1) * FREEZER_ITEM;
}

static bool put_records(struct history *history, const struct history_cluster *cluster,
                        struct freezer *freezer)
{
    const struct store *store = &((const struct cluster *)cluster)->store;
    (void)history;
    for (uint64_t first = 0, count = records_of(cluster); first < count;) { /* a chunk at a time */
        uint64_t some = (UINT64_C(1) << store->chunk_shift)
                        - (first & ((UINT64_C(1) << store->chunk_shift) - 1));
        if (some > count - first) some = count - first;
        if (!freezer_put(freezer, FREEZER_RECORDS, store_get(store, (uint32_t)first),
                         some * store->record_bytes))
            return false;
        first += some;
    }
    return true;
}

static void discard(struct history *history)
{
    while (history->waiting.count) recycle(past_of(history), ranks_take(&history->waiting));
}

static bool add_initial(struct history *history, bool all, uint64_t above)
{
    struct past *past = past_of(history);
    struct search *search = past->search;
    if (part_has_seeds(search->task)) return part_add_seeds(history, all, above, false);
    struct space *space = &search->space;
    eval_first_initial(search->model, search->values);
    do {
        uint32_t index;
        layout_pack(&space->layout, search->model, search->values, space->next);
        uint64_t rank = past_rank(past, space->next);
        if (!all && rank <= above) continue;
        struct cluster *cluster = past_cluster(past, rank);
        if (!cluster
            || past_add(past, cluster, space->next,
                        store_hash(space->next, space->layout.record_bytes), 0, 0, &index)
                   == STORE_REFUSED)
            return false;
    } while (eval_next_initial(search->model, search->values));
    return true;
}

static bool add_seed(struct history *history, const unsigned char *record, uint64_t size,
                     bool watch)
{
    struct past *past = past_of(history);
    struct search *search = past->search;
    struct space *space = &search->space;
    uint32_t index;
    memset(space->next, 0, space->layout.words * sizeof *space->next);
    memcpy(space->next, record, size);
    struct cluster *cluster = past_cluster(past, past_rank(past, space->next));
    enum store_result added =
        cluster ? past_add(past, cluster, space->next,
                           store_hash(space->next, space->layout.record_bytes), 0, 0, &index)
                : STORE_REFUSED;
    if (added == STORE_REFUSED || !visit_poll(search, 0)) return false;
    if (watch) visit_watch(search, search->active, space->next, index, cluster);
    if (watch) visit_report_findings(search);
    return true;
}

/* Steps of a frozen state beyond the last frozen rank. */
static bool expand(struct history *history, const unsigned char *record, uint64_t size,
                   uint32_t state, uint64_t last)
{
    struct past *past = past_of(history);
    struct search *search = past->search;
    struct space *space = &search->space;
    struct program_cursor cursor;
    const struct fast_rule *fast;
    enum step step;
    uint32_t number = 0, index;
    if (!visit_poll(search, 0)) return false;
    space->words[space->layout.words - 1] = 0;
    memcpy(space->words, record, size);
    program_start(&space->program, &cursor);
    while ((step = program_next(&space->program, &cursor, space->words, space->next, &fast))
           != STEP_NONE) {
        if (step != STEP_TAKEN) continue;
        uint64_t rank = past_rank(past, space->next);
        struct cluster *cluster = rank > last ? past_cluster(past, rank) : NULL;
        if (rank > last && !cluster) return false;
        uint64_t hash = store_hash(space->next, space->layout.record_bytes);
        if (cluster
            && past_add(past, cluster, space->next, hash, state, number, &index) == STORE_REFUSED)
            return false;
        number++;
    }
    return true;
}

static uint32_t monitors(const struct history *history)
{
    return past_of(history)->search->monitor_count;
}

static unsigned monitor_bits(const struct history *history, uint32_t m)
{
    const struct monitor *monitor = &past_of(history)->search->monitors[m];
    return !monitor->active + 2u * monitor->failed;
}

static void set_monitor(struct history *history, uint32_t m, unsigned bits)
{
    struct search *search = past_of(history)->search;
    if (bits & 1) visit_stop_monitor(search, m);
    search->monitors[m].failed |= bits >> 1 & 1;
}

static void decided(struct history *history, uint32_t property)
{
    struct search *search = past_of(history)->search;
    search->undecided -= !search->task->properties[property].watched_only;
}

/* The k-th initial state of a rank. */
static bool find_initial(const struct history *history, uint64_t rank, uint32_t k, int64_t *values)
{
    const struct model *model = history->model;
    eval_first_initial(model, values);
    do {
        int64_t value = model->rank == MODEL_NONE ? 0 : values[model->rank];
        if ((uint64_t)(value - history->statistics->lowest) >> history->shift == rank && !k--)
            return true;
    } while (eval_next_initial(model, values));
    return false;
}

static const struct history_engine engine = {.states = states_of,
                                             .records = records_of,
                                             .bytes = bytes_of,
                                             .put = put_records,
                                             .relieve = relieve,
                                             .add_initial = add_initial,
                                             .add_seed = add_seed,
                                             .expand = expand,
                                             .discard = discard,
                                             .monitors = monitors,
                                             .monitor = monitor_bits,
                                             .set_monitor = set_monitor,
                                             .decided = decided,
                                             .find_initial = find_initial};

/* ---- before and after ---- */

bool past_init(struct search *search)
{
    struct mem *mem = search->model->mem;
    struct past *past = search->past = mem_alloc(mem, sizeof *past);
    past->search = search;
    past->mem = mem;
    past->history =
        (struct history){.search = search,
                         .engine = &engine,
                         .task = search->task,
                         .model = search->model,
                         .result = search->result,
                         .layout = &search->space.layout,
                         .program = &search->space.program,
                         .hash = {search->task->freeze_hash[0], search->task->freeze_hash[1]}};
    while ((model_rank_count(search->model) - 1) >> past->history.shift >= MANY_CLUSTERS)
        past->history.shift++;
    return history_init(&past->history);
}

void past_release(struct search *search)
{
    struct past *past = search->past;
    struct history *history = &past->history;
    if (history->current) free_cluster(past, past_current(past));
    for (uint32_t i = 0; i < history->waiting.count; i++)
        free_cluster(past, (struct cluster *)history_waiting(history, i));
    free_unused(past);
    history_release(history);
    mem_free(past->mem, past);
    search->past = NULL;
}
