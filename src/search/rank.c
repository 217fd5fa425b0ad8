/* The model has a rank: a variable that no step makes smaller. States with one rank are a cluster.
 * The smallest reached rank is next, and its cluster is searched breadth-first until it finds
 * nothing new; then no later step can lead into it, and it is given up at once: freed, or frozen in
 * files (past/history.h). What is visited is what every other order visits. In memory there are
 * only the cluster at hand and those that were reached and have not had their turn.
 *
 * Memory. A cluster is a set of its own and a log of origins. Clusters may be very many and very
 * small, so finished ones are used again, with their memory unless that is much. Where ranks are
 * very many, some neighbouring ones are one cluster: no step leads back to it either, and tables
 * that are a little larger are worth their while. What stays of a finished cluster is its log,
 * about half a byte per state: counterexamples are followed through logs alone. When memory is
 * refused, unused clusters are freed first, then all logs are given up: the search goes on, and
 * violations that are found later are told without their run.
 *
 * Reduction. A cluster may be expanded in two phases (ample.h): cycles are within clusters, so what
 * must be said of cycles is said of each cluster by itself.
 *
 * P-paths. A search that is split by p-paths has clusters of p-paths instead of ranks
 * (past/prefix.h): where a step belongs depends on the cluster at hand and on its p-point. No step
 * leads back there, either. A state may be in several clusters then, and is searched in each.
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
#include "search/rank.h"

#include "base/checked.h"
#include "past/part.h"
#include "past/prefix.h"
#include "program/reached.h"
#include "search/ample.h"
#include "search/path.h"
#include "search/points.h"

#include <assert.h>
#include <string.h>

struct cluster {
    struct history_cluster head; /* first: it is known by it */
    struct set *set;
    struct cluster *next; /* in the list of unused ones */
};

struct rank {
    struct history history;
    struct history_engine engine;
    struct cluster *unused;
    bool has_seeds;      /* what is added now was left by another part, ... */
    uint64_t seed_rank;  /* ... in the cluster of this rank */
    struct ample *ample; /* a reduced search: clusters are expanded in two phases; or NULL */
};

static struct history *history_of(const struct search *search)
{
    return &((struct rank *)search->own)->history;
}

static struct cluster *current(const struct search *search)
{
    return (struct cluster *)history_of(search)->current;
}

/* ---- making and freeing clusters ---- */

static struct cluster *make_cluster(struct search *search)
{
    struct rank *own = search->own;
    struct mem *mem = search->model->mem;
    struct cluster *cluster = own->unused;
    if (cluster) {
        own->unused = cluster->next;
        return cluster;
    }
    cluster = mem_try_alloc(mem, sizeof *cluster);
    if (!cluster) return NULL;
    origins_init(&cluster->head.origins, mem);
    cluster->set = search->space->kind->sets->make(search->space);
    if (!cluster->set) {
        mem_free(mem, cluster);
        return NULL;
    }
    cluster->set->owner = cluster;
    return cluster;
}

static void free_cluster(struct search *search, struct cluster *cluster)
{
    cluster->set->kind->free(cluster->set);
    origins_release(&cluster->head.origins);
    mem_free(search->model->mem, cluster);
}

/* For the next one. */
static void recycle(struct search *search, struct cluster *cluster)
{
    struct rank *own = search->own;
    assert(own->history.statistics->live && cluster != current(search));
    own->history.statistics->live--;
    own->history.statistics->live_states -= set_kept(cluster->set);
    if (!cluster->set->kind->clear(cluster->set)) {
        free_cluster(search, cluster);
        return;
    }
    origins_clear(&cluster->head.origins);
    cluster->next = own->unused;
    own->unused = cluster;
}

static bool free_unused(struct search *search)
{
    struct rank *own = search->own;
    bool some = own->unused != NULL;
    while (own->unused) {
        struct cluster *next = own->unused->next;
        free_cluster(search, own->unused);
        own->unused = next;
    }
    return some;
}

/* A part that can be handed on ends when memory runs out: what was put aside is for the way to that
 * end. */
static bool relieve(struct search *search)
{
    struct history *history = history_of(search);
    if (free_unused(search) || history_use_reserve(history)) return true;
    if (history->is_full || history->freezer || history->logs_dropped) return false;
    if (search->findings.found) findings_report(search); /* while the ways to them are known */
    return history_drop_logs(history);
}

static struct cluster *new_cluster(struct search *search, uint64_t rank)
{
    struct history *history = history_of(search);
    struct cluster_statistics *statistics = history->statistics;
    struct cluster *cluster = NULL;
    do {
        if (ranks_reserve(&history->waiting)) cluster = make_cluster(search);
    } while (!cluster && relieve(search));
    if (!cluster) {
        poll_stop(search, STOP_MEMORY);
        return NULL;
    }
    assert(!history->current || rank > history->current->rank); /* (1) */
    cluster->head.rank = rank;
    assert(!cluster->set->count && !cluster->head.origins.states); /* also of one used again */
    ranks_put(&history->waiting, rank, cluster);
    statistics->clusters++;
    if (++statistics->live > statistics->live_peak) statistics->live_peak = statistics->live;
    return cluster;
}

/* The cluster of a state; NULL: the search must end, as the result says. */
static struct cluster *reach(struct search *search, uint64_t rank)
{
    struct history *history = history_of(search);
    if (history->current && rank == history->current->rank) return current(search);
    if (history->current && rank < history->current->rank) {
        poll_stop(search, STOP_RANK);
        return NULL;
    }
    if (rank > history->farthest) history->farthest = rank;
    struct cluster *cluster = ranks_find(&history->waiting, rank);
    return cluster ? cluster : new_cluster(search, rank);
}

/* ---- where steps belong ---- */

/* The p-path that a step leads to from the cluster at hand. */
static uint64_t next_prefix(const struct search *search, uint32_t rule, const uint64_t *before,
                            const uint64_t *after)
{
    const struct task *task = search->task;
    const uint64_t prefix = history_of(search)->current->rank;
    if (prefix >= task->prefixes) return prefix; /* often: it is long enough */
    return prefix_next(task, prefix,
                       points_of(task->points, &search->space->layout, rule, before, after));
}

/* The rank of the cluster of a step in the worker's batch. */
static uint64_t rank_after(const struct search *search, const struct worker *worker, uint32_t i)
{
    const struct rank *own = search->own;
    const struct batch_step *step = &worker->batch.steps[i];
    const uint64_t *after = batch_words(&worker->batch, i);
    if (!prefix_is_used(search->task)) return history_rank(&own->history, after);
    if (step->fast) return next_prefix(search, step->fast->rule, worker->words, after);
    return own->has_seeds ? own->seed_rank : 0;
}

static void place_by_prefix(const struct search *search, struct worker *worker, uint32_t first,
                            uint32_t end)
{
    const struct history *history = history_of(search);
    for (uint32_t i = first; i < end; i++) {
        struct batch_step *step = &worker->batch.steps[i];
        step->tag = rank_after(search, worker, i);
        step->set = history->current && step->tag == history->current->rank ? search->set : NULL;
    }
}

/* Most steps stay in their cluster. */
static void place(const struct search *search, struct worker *worker, uint32_t first, uint32_t end)
{
    if (prefix_is_used(search->task)) {
        place_by_prefix(search, worker, first, end);
        return;
    }
    const struct history *history = history_of(search);
    const struct field field = history->field;
    const unsigned shift = history->shift;
    struct set *const set = search->set;
    const uint64_t rank = history->current ? history->current->rank : UINT64_MAX;
    struct batch_step *step = &worker->batch.steps[first];
    const uint64_t *word = batch_words(&worker->batch, first) + field.word;
    assert(rank != UINT64_MAX || !set); /* without a current cluster no step stays in it */
    for (const struct batch_step *last = step + (end - first); step < last; step++) {
        const uint64_t tag = (*word >> field.shift & field.mask) >> shift;
        step->tag = tag;
        step->set = tag == rank ? set : NULL;
        if (tag != rank) ranks_prefetch(&history->waiting, tag);
        word += worker->batch.words;
    }
}

/* For the others there are two more cache misses, for the table of clusters and the cluster. */
static void resolve(const struct search *search, struct worker *worker, uint32_t first,
                    uint32_t end)
{
    const struct history *history = history_of(search);
    struct batch *batch = &worker->batch;
    bool some = false;
    for (uint32_t i = first; i < end; i++) {
        struct batch_step *step = &batch->steps[i];
        if (step->set) continue;
        const struct cluster *cluster = ranks_find(&history->waiting, step->tag);
        if (!cluster) continue;
        step->set = cluster->set;
        some = true;
        __builtin_prefetch(step->set);
        __builtin_prefetch((const char *)step->set + 64);
        origins_prefetch(&cluster->head.origins);
    }
    for (uint32_t i = first, to; some && i < end; i = to + 1) { /* as far as they leave it */
        for (to = i; to < end && batch->steps[to].set != search->set;) to++;
        if (to > i) search->space->kind->sets->prefetch(worker, i, to);
    }
}

/* Clusters that wait stay where they are until the current one is done: what was found ahead
 * stands. */
static bool admit(struct search *search, struct worker *worker, struct batch_state *state)
{
    struct history *history = history_of(search);
    struct batch_step *step = &worker->batch.steps[state->first];
    if (state->state != SET_NONE) search->set->next_level = state->state + 1;
    for (const struct batch_step *last = step + state->steps; step < last; step++) {
        CHECKED(!step->set || ((struct cluster *)step->set->owner)->head.rank == step->tag);
        if (step->set && step->tag <= history->farthest) continue;
        if (step->set) {
            history->farthest = step->tag;
            continue;
        }
        const struct cluster *cluster = reach(search, step->tag);
        if (!cluster) return false;
        step->set = cluster->set;
    }
    return true;
}

static struct set *locate(const void *order, uint32_t rule, const uint64_t *before,
                          const uint64_t *after)
{
    const struct search *search = order;
    const struct history *history = history_of(search);
    const bool by_prefix = prefix_is_used(search->task);
    if (by_prefix && !history->current) return NULL; /* a run is followed */
    const uint64_t rank =
        by_prefix ? next_prefix(search, rule, before, after) : history_rank(history, after);
    if (history->current && rank == history->current->rank) return search->set;
    const struct cluster *cluster = ranks_find(&history->waiting, rank);
    return cluster ? cluster->set : NULL;
}

/* ---- how states were found ---- */

static bool log_steps(struct search *search, struct worker *worker, const struct batch_state *state,
                      uint32_t first, uint32_t end)
{
    struct rank *own = search->own;
    struct cluster_statistics *statistics = own->history.statistics;
    const struct batch *batch = &worker->batch;
    const struct set_kind *sets = search->space->kind->sets;
    if (!batch->fresh_count && !own->ample) return true; /* often */
    for (uint32_t f = 0; f < batch->fresh_count; f++) {
        const struct batch_step *step = &batch->steps[batch->fresh[f]];
        struct cluster *cluster = step->set->owner;
        statistics->live_states +=
            sets->gained ? (uint64_t)sets->gained(worker, batch->fresh[f]) : 1;
        if (statistics->live_states > statistics->peak_states)
            statistics->peak_states = statistics->live_states;
        uint64_t from = state->state != SET_NONE ? state->state
                        : own->has_seeds         ? cluster->head.origins.states
                                                 : search->initial_number;
        if (!history_log(&own->history, &cluster->head, from,
                         state->state == SET_NONE ? 0 : step->number))
            return poll_stop(search, STOP_MEMORY);
    }
    return !own->ample || state->state == SET_NONE
           || ample_log(search, own->ample, worker, state, first, end);
}

/* ---- the search ---- */

static bool pauses(struct search *search)
{
    const struct history *history = history_of(search);
    return history->is_full && history->statistics->finished;
}

static void scan(struct search *search, const struct set *set)
{
    reached_scan(search->model, &search->space->layout,
                 (struct reached_states){.store = set->kind->store(set)}, search->result,
                 history_of(search)->scan);
}

/* False: the search must end. */
static bool finish(struct search *search)
{
    struct history *history = history_of(search);
    struct cluster *cluster = current(search);
    const struct set_kind *sets = cluster->set->kind;
    uint64_t before[HISTORY_MORE];
    assert(history->logs_dropped || cluster->head.origins.states == cluster->set->count); /* (2) */
    scan(search, cluster->set);
    memcpy(before, history->more, sizeof before);
    if (sets->sum) sets->sum(cluster->set, history->more);
    if (!history_finish(history, set_kept(cluster->set))) {
        memcpy(history->more, before, sizeof before);
        return false;
    }
    search->set = NULL;
    recycle(search, cluster);
    return true;
}

static bool search_cluster(struct search *search)
{
    const struct rank *own = search->own;
    uint64_t cursor = 0;
    if (own->ample) return ample_expand(search, own->ample);
    if (!search_expand(search, &cursor, SET_NONE)) return false;
    return cursor == search->set->count || poll_stop(search, STOP_MEMORY);
}

static bool search_all(void *context)
{
    struct search *search = context;
    struct history *history = history_of(search);
    while (history->waiting.count) {
        if (part_is_deep(history, history->waiting.heap[0].rank))
            return poll_stop(search, STOP_HANDED_ON);
        history->current = ranks_take(&history->waiting);
        history->farthest = history->current->rank;
        history->statistics->rank = history->current->rank << history->shift;
        search->set = current(search)->set;
        assert(search->set->count); /* (1) */
        assert(!history->waiting.count || history->waiting.heap[0].rank > history->current->rank);
        if (!search_cluster(search) || !finish(search)) return false;
    }
    return true;
}

static bool run(struct search *search)
{
    struct rank *own = search->own;
    bool seeds = own->has_seeds = part_has_seeds(search->task);
    bool good = seeds ? part_add_seeds(&own->history, true, 0, true) : search_add_initial(search);
    own->has_seeds = false;
    return good && history_run(&own->history, search_all);
}

static void abandon(struct search *search)
{
    struct history *history = history_of(search);
    if (history->freezer) freezer_close(history->freezer);
    history->freezer = NULL;
}

static void violated(struct search *search, uint32_t property, struct set *set, uint64_t state,
                     uint32_t failed_rule)
{
    const struct cluster *cluster = set->owner;
    assert(cluster->set == set && state < set->count);
    set->kind->load(set, state, search->worker->other);
    history_violated(history_of(search), property, cluster->head.rank, state, failed_rule,
                     search->worker->other);
}

static uint64_t states(const struct search *search)
{
    const struct history *history = history_of(search);
    return history->done_states
           + (history->statistics->handed_on ? 0 : history->statistics->live_states);
}

static void sum(const struct search *search, uint64_t *totals)
{
    const struct history *history = history_of(search);
    const struct set_kind *sets = search->space->kind->sets;
    memcpy(totals, history->more, sets->more * sizeof *totals);
    if (history->statistics->handed_on) return;
    for (uint32_t i = 0; sets->sum && i < history->waiting.count; i++)
        sets->sum(((const struct cluster *)history_waiting(history, i))->set, totals);
    if (sets->sum && history->current) sets->sum(current(search)->set, totals);
}

static void show(const struct search *search, struct search_progress *progress)
{
    progress->rank = history_of(search)->statistics->rank;
    progress->ranks = history_of(search)->statistics->ranks;
}

/* ---- what history asks ---- */

static struct search *search_of(const struct history *history) { return history->search; }

static struct set *set_of(const struct history_cluster *cluster)
{
    return ((const struct cluster *)cluster)->set;
}

static uint64_t states_of(const struct history_cluster *cluster)
{
    return set_kept(set_of(cluster));
}

static uint64_t records_of(const struct history_cluster *cluster)
{
    uint64_t count = set_of(cluster)->count;
    return count < cluster->origins.states ? count : cluster->origins.states;
}

static uint64_t bytes_of(const struct history *history, const struct history_cluster *cluster)
{
    (void)history;
    return set_of(cluster)->kind->bytes(set_of(cluster), 0, records_of(cluster));
}

static bool put_records(struct history *history, const struct history_cluster *cluster,
                        struct freezer *freezer)
{
    (void)history;
    return set_of(cluster)->kind->freeze(set_of(cluster), 0, records_of(cluster), freezer);
}

static bool relieve_history(struct history *history) { return relieve(search_of(history)); }

static void discard(struct history *history)
{
    while (history->waiting.count) recycle(search_of(history), ranks_take(&history->waiting));
}

/* Adds the steps of the only state in the batch whose rank is larger than `last`, or all: without
 * counting or looking at them. */
static bool add_quietly(struct search *search, bool all, uint64_t last)
{
    struct worker *worker = search->worker;
    struct batch *batch = &worker->batch;
    const struct set_kind *sets = search->space->kind->sets;
    bool good = search_commit(search, worker, &batch->states[0]);
    for (uint32_t i = 0; good && i < batch->step_count; i++) {
        struct batch_step *step = &batch->steps[i];
        step->tag = rank_after(search, worker, i);
        step->set = NULL;
        if (!all && step->tag <= last) continue;
        struct cluster *cluster = reach(search, step->tag);
        good = cluster != NULL;
        if (good) step->set = cluster->set;
        while (good && sets->add(worker, i, i + 1) == i)
            good = relieve(search) || poll_stop(search, STOP_MEMORY);
        good = good && log_steps(search, worker, &batch->states[0], i, i + 1);
        batch->fresh_count = 0;
    }
    batch_clear(batch);
    return good;
}

static bool add_initial(struct history *history, bool all, uint64_t above)
{
    struct search *search = search_of(history);
    struct rank *own = search->own;
    const struct space_kind *kind = search->space->kind;
    bool good = true;
    own->has_seeds = part_has_seeds(search->task);
    if (own->has_seeds) good = part_add_seeds(history, all, above, false);
    search->initial_number = 0;
    for (bool first = true; good && !own->has_seeds && kind->initial(search->worker, first);
         first = false) {
        good = add_quietly(search, all, above);
        search->initial_number++;
    }
    own->has_seeds = false;
    if (good && search->worker->is_refused) return poll_stop(search, STOP_MEMORY);
    return good;
}

/* False: the record makes no sense, or the result says why. */
static bool thaw(struct search *search, const unsigned char *record, uint64_t size)
{
    struct worker *worker = search->worker;
    worker->is_refused = false;
    if (search->space->kind->thaw(worker, record, size)) return true;
    return worker->is_refused && poll_stop(search, STOP_MEMORY);
}

static bool add_seed(struct history *history, uint64_t rank, const unsigned char *record,
                     uint64_t size, bool is_watched)
{
    struct search *search = search_of(history);
    struct worker *worker = search->worker;
    uint32_t next;
    ((struct rank *)search->own)->seed_rank = rank;
    if (!thaw(search, record, size)) return false;
    if (!is_watched) return add_quietly(search, true, 0) && search_goes_on(search);
    const uint64_t before = search->result->initial_states;
    place(search, worker, 0, worker->batch.step_count);
    bool good = search_add(search, worker, 0, 1, &next);
    batch_clear(&worker->batch);
    search->result->initial_states = before;
    if (!good || !search_end_lot(search) || !search_goes_on(search)) return false;
    return search->lot.stop == STOP_NONE || poll_stop(search, search->lot.stop);
}

/* Steps of a frozen state beyond the last frozen rank. */
static bool expand(struct history *history, const unsigned char *record, uint64_t size,
                   uint64_t state, uint64_t last)
{
    struct search *search = search_of(history);
    struct worker *worker = search->worker;
    if (!search_goes_on(search) || !thaw(search, record, size)) return false;
    memcpy(worker->words, batch_words(&worker->batch, 0), worker->batch.words * sizeof(uint64_t));
    batch_clear(&worker->batch);
    return (search->space->kind->expand(worker, NULL, state) || poll_stop(search, STOP_MEMORY))
           && add_quietly(search, false, last);
}

static void decided(struct history *history, uint32_t property)
{
    struct search *search = search_of(history);
    search->findings.undecided -= !search->task->properties[property].watched_only;
}

static bool find_initial(const struct history *history, uint64_t rank, uint64_t number,
                         int64_t *values)
{
    (void)rank;
    return path_initial(history->model, number, values);
}

static void complete(struct history *history, struct property_result *entry, const uint64_t *words)
{
    struct space *space = search_of(history)->space;
    if (space->kind->complete) space->kind->complete(space, entry, words);
}

static bool follow(struct history *history, struct trace *trace, const uint32_t *steps)
{
    return path_follow(search_of(history), trace, steps);
}

static const struct history_engine engine = {.states = states_of,
                                             .records = records_of,
                                             .bytes = bytes_of,
                                             .put = put_records,
                                             .relieve = relieve_history,
                                             .add_initial = add_initial,
                                             .add_seed = add_seed,
                                             .expand = expand,
                                             .discard = discard,
                                             .monitors = &findings_monitors,
                                             .decided = decided,
                                             .find_initial = find_initial,
                                             .complete = complete,
                                             .follow = follow};

/* ---- before and after ---- */

static bool begin(struct search *search)
{
    const struct task *task = search->task;
    struct rank *own = search->own = mem_alloc(search->model->mem, sizeof *own);
    const struct set_kind *sets = search->space->kind->sets;
    own->engine = engine;
    own->engine.more = sets->more;
    search->space->locate = locate;
    search->space->order = search;
    own->history = (struct history){.search = search,
                                    .engine = &own->engine,
                                    .task = search->task,
                                    .model = search->model,
                                    .result = search->result,
                                    .layout = &search->space->layout,
                                    .varies = sets->varies,
                                    .hash = {task->freeze_hash[0], task->freeze_hash[1]}};
    /* which zones are kept depends on the order in which they are found: ranks stay apart there */
    while (!sets->is_open && !prefix_is_used(task)
           && (model_rank_count(search->model) - 1) >> own->history.shift >= CLUSTER_MANY)
        own->history.shift++;
    if (task->reduction != REDUCE_NONE) own->ample = ample_make(search);
    return history_init(&own->history);
}

static void conclude(struct search *search)
{
    struct history *history = history_of(search);
    history_conclude(history);
    for (uint32_t i = 0; i < history->waiting.count; i++)
        scan(search, set_of(history_waiting(history, i)));
    if (history->current) scan(search, current(search)->set);
    reached_end(search->model, search->result);
    /* it is done again, with zones that say more: what is in files is forgotten */
    if (search->result->stop == STOP_EXACT && history->freezer) freezer_forget(history->freezer);
}

static void end(struct search *search)
{
    struct rank *own = search->own;
    struct history *history = &own->history;
    if (history->current) free_cluster(search, current(search));
    for (uint32_t i = 0; i < history->waiting.count; i++)
        free_cluster(search, (struct cluster *)history_waiting(history, i));
    free_unused(search);
    history_release(history);
    if (own->ample) ample_free(search, own->ample);
    mem_free(search->model->mem, own);
}

const struct order rank_order = {.name = "past-freeze",
                                 .no_graph = "it needs the whole graph, and past-freeze order "
                                             "frees the past: --order bfs",
                                 .begin = begin,
                                 .run = run,
                                 .abandon = abandon,
                                 .conclude = conclude,
                                 .end = end,
                                 .place = place,
                                 .resolve = resolve,
                                 .admit = admit,
                                 .log = log_steps,
                                 .relieve = relieve,
                                 .pauses = pauses,
                                 .violated = violated,
                                 .states = states,
                                 .sum = sum,
                                 .show = show};
