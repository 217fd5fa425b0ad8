/* Method. Clusters wait by rank (solver/ranks.h). The smallest is taken out and searched by breadth.c, whose successors ask past_cluster where they belong.
 *
 * Memory. A cluster is a store of its own (solver/store.h) and a log of origins. Clusters may be very many and very small, so finished ones are used again, with their memory
 * unless that is much. Where ranks are very many, some neighbouring ones are one cluster: no step leads back to it either, and tables that are a little larger are worth their while. What stays of a finished cluster is its log, about half a byte per state: counterexamples are followed through logs alone. When
 * memory is refused, unused clusters are freed first, then all logs are given up: the search goes on, and violations that are found later are told without their run.
 *
 * Determinism. Numbers of states depend on the model only: the order of ranks, of states in a cluster and of rules in a state is all that counts.
 *
 * Invariants:
 *  1. every waiting cluster has a larger rank than the current one, and has a state unless memory was refused;
 *  2. unless logs were dropped, the log of a cluster has one entry per state, in the order of numbers;
 *  3. the current cluster is not among them; its states before the cursor are expanded. */
#include "engine/explicit/past.h"

#include "engine/explicit/frozen.h"
#include "engine/explicit/part.h"
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
        origins_init(&cluster->origins, past->mem);
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
    if (cluster->origins.mem) origins_release(&cluster->origins);
    mem_free(past->mem, cluster);
}

/* For the next one. */
static void recycle(struct past *past, struct cluster *cluster)
{
    past->statistics->live--;
    past->statistics->live_states -= cluster->store.count;
    if (!store_clear(&cluster->store)) {
        free_cluster(past, cluster);
        return;
    }
    origins_clear(&cluster->origins);
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

static bool drop_logs(struct past *past)
{
    if (past->logs_dropped || past->freezer) return false;
    past_make_traces(past); /* of what was found before */
    past->logs_dropped = past->statistics->logs_dropped = true;
    logs_release(&past->logs);
    for (uint32_t i = 0; i < past->waiting.count; i++) origins_release(&past_waiting(past, i)->origins);
    if (past->current) origins_release(&past->current->origins);
    return true;
}

/* A part that can be handed on ends when memory runs out: what was put aside is for the way to that end. */
static bool use_reserve(struct past *past)
{
    if (!past->reserve) return false;
    mem_free(past->mem, past->reserve);
    past->reserve = NULL;
    past->is_full = true;
    return true;
}

bool past_relieve(struct past *past)
{
    return free_unused(past) || use_reserve(past) || (!past->is_full && drop_logs(past));
}

/* ---- adding states ---- */

static struct cluster *new_cluster(struct past *past, uint64_t rank)
{
    struct cluster_statistics *statistics = past->statistics;
    struct cluster *cluster = NULL;
    do {
        if (ranks_reserve(&past->waiting)) cluster = make_cluster(past);
    } while (!cluster && past_relieve(past));
    if (!cluster) {
        visit_stop(past->search, STOP_MEMORY);
        return NULL;
    }
    cluster->rank = rank;
    ranks_put(&past->waiting, rank, cluster);
    statistics->clusters++;
    if (++statistics->live > statistics->live_peak) statistics->live_peak = statistics->live;
    return cluster;
}

void past_prefetch(const struct past *past, uint64_t rank)
{
    ranks_prefetch(&past->waiting, rank);
}

struct cluster *past_cluster(struct past *past, uint64_t rank)
{
    if (past->current && rank == past->current->rank) return past->current;
    if (past->current && rank < past->current->rank) {
        visit_stop(past->search, STOP_RANK);
        return NULL;
    }
    if (rank > past->farthest) past->farthest = rank;
    struct cluster *cluster = ranks_find(&past->waiting, rank);
    return cluster ? cluster : new_cluster(past, rank);
}

/* A log that cannot grow is given up with all others: without one of them the others say nothing. */
static bool add_origin(struct past *past, struct cluster *cluster, uint32_t state, uint32_t step)
{
    bool is_initial = !past->current;
    for (;;) {
        if (past->logs_dropped) return true;
        if (origins_add(&cluster->origins, is_initial ? ORIGINS_INITIAL : past->current->rank, is_initial ? cluster->origins.states : state, step)) return true;
        if (!past_relieve(past)) return visit_stop(past->search, STOP_MEMORY);
    }
}

enum store_result past_add(struct past *past, struct cluster *cluster, const uint64_t *words, uint64_t hash, uint32_t state, uint32_t step, uint32_t *index)
{
    struct cluster_statistics *statistics = past->statistics;
    enum store_result added;
    while ((added = store_add(&cluster->store, words, hash, index)) == STORE_REFUSED)
        if (!past_relieve(past)) {
            visit_stop(past->search, STOP_MEMORY);
            return STORE_REFUSED;
        }
    if (added != STORE_NEW) return added;
    if (++statistics->live_states > statistics->peak_states) statistics->peak_states = statistics->live_states;
    return add_origin(past, cluster, state, step) ? STORE_NEW : STORE_REFUSED;
}

uint64_t past_states(const struct past *past)
{
    return past->done_states + past->statistics->live_states;
}

/* ---- finished clusters ---- */

void past_note(struct past *past, uint64_t rank, uint64_t states)
{
    past->done_states += states;
    past->last_states = states;
    result_note_cluster(past->statistics, past->mem, rank << past->shift, states);
}

/* False: the search must end. */
static bool finish(struct past *past)
{
    struct search *search = past->search;
    struct cluster *cluster = past->current;
    reached_scan(search->model, &search->space.layout, &cluster->store, search->result, past->scan);
    if (past->freezer && !frozen_put(past)) return false;
    while (!past->freezer && !past->logs_dropped && !logs_keep(&past->logs, cluster->rank, &cluster->origins)) past_relieve(past);
    past_note(past, cluster->rank, cluster->store.count);
    past->current = NULL;
    search->space.store = &search->store;
    recycle(past, cluster);
    return true;
}

/* ---- the search ---- */

void past_discard(struct past *past)
{
    while (past->waiting.count) recycle(past, ranks_take(&past->waiting));
}

bool past_add_initial(struct past *past, bool all, uint64_t above)
{
    struct search *search = past->search;
    if (part_has_seeds(search->task)) return part_add_seeds(past, all, above, NULL);
    struct space *space = &search->space;
    eval_first_initial(search->model, search->values);
    do {
        uint32_t index;
        layout_pack(&space->layout, search->model, search->values, space->next);
        uint64_t rank = past_rank(past, space->next);
        if (!all && rank <= above) continue;
        struct cluster *cluster = past_cluster(past, rank);
        if (!cluster || past_add(past, cluster, space->next, store_hash(space->next, space->layout.record_bytes), 0, 0, &index) == STORE_REFUSED) return false;
    } while (eval_next_initial(search->model, search->values));
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
        if (search->past->is_full && search->past->statistics->finished) return visit_stop(search, STOP_MEMORY);
    }
}

static bool search_all(struct search *search)
{
    struct past *past = search->past;
    while (past->waiting.count) {
        if (part_is_deep(past, past->waiting.heap[0].rank)) return visit_stop(search, STOP_HANDED_ON);
        past->current = ranks_take(&past->waiting);
        past->farthest = past->current->rank;
        past->statistics->rank = past->current->rank << past->shift;
        search->space.store = &past->current->store;
        if (!search_cluster(search, past->current)) return false;
        if (!finish(past)) return false;
    }
    return true;
}

bool past_run(struct search *search)
{
    struct past *past = search->past;
    if (!past->freezer) return search_all(search);
    bool resumed = frozen_resume(past), good = resumed && search_all(search);
    good = frozen_finish(past) && good;
    /* a search that could not even be resumed does not know all that is waiting */
    if (resumed && (search->result->stop == STOP_HANDED_ON || part_is_full(past))) {
        search->result->stop = STOP_HANDED_ON;
        past_make_traces(past); /* while everything is there */
        part_hand_on(past);
    }
    return good;
}

bool past_init(struct search *search)
{
    struct mem *mem = search->model->mem;
    const struct model_var *var = &search->model->vars.data[search->model->rank];
    struct past *past = search->past = mem_alloc(mem, sizeof *past);
    past->search = search;
    past->mem = mem;
    past->field = search->space.layout.fields[search->model->rank];
    past->statistics = search->result->clusters = mem_alloc(mem, sizeof *past->statistics);
    past->statistics->ranks = (uint64_t)var->high - (uint64_t)var->low + 1;
    past->statistics->lowest = var->low;
    while ((past->statistics->ranks - 1) >> past->shift >= MANY_CLUSTERS) past->shift++;
    past->places = mem_alloc(mem, (search->task->property_count + UINT64_C(1)) * sizeof *past->places);
    past->scan = reached_begin(search->model, search->result);
    origins_init(&past->loaded, mem);
    ranks_init(&past->waiting, mem);
    logs_init(&past->logs, mem);
    if (search->task->freeze && !frozen_open(past)) return false;
    if (search->task->part && search->task->part->hands_on && past->freezer) past->reserve = mem_try_alloc(mem, part_reserve(mem));
    return true;
}

void past_release(struct search *search)
{
    struct past *past = search->past;
    struct mem *mem = past->mem;
    if (past->current) free_cluster(past, past->current);
    for (uint32_t i = 0; i < past->waiting.count; i++) free_cluster(past, past_waiting(past, i));
    free_unused(past);
    logs_release(&past->logs);
    origins_release(&past->loaded);
    part_release(past);
    frozen_release(past);
    for (uint32_t i = 0; i < search->task->property_count; i++) mem_free(mem, past->places[i].words);
    mem_free(mem, past->places);
    mem_free(mem, past->reserve);
    ranks_release(&past->waiting);
    mem_free(mem, past->scan);
    mem_free(mem, past);
    search->past = NULL;
}

/* ---- counterexamples ---- */

void past_violated(struct past *past, uint32_t property, const struct cluster *cluster, uint32_t state, uint32_t failed_rule)
{
    const struct layout *layout = &past->search->space.layout;
    struct past_place *place = &past->places[property];
    *place = (struct past_place){true, false, cluster->rank, state, failed_rule, mem_alloc(past->mem, layout->words * sizeof(uint64_t))};
    memcpy(place->words, store_get(&cluster->store, state), layout->record_bytes);
}

/* The log of a cluster, live or finished; NULL: there is none, and *why says why. */
static const struct origins *log_of(struct past *past, uint64_t rank, const char **why)
{
    const struct cluster *live = past->current && past->current->rank == rank ? past->current : ranks_find(&past->waiting, rank);
    if (live) return &live->origins;
    if (past->freezer) {
        if (past->has_loaded && past->loaded_rank == rank) return &past->loaded;
        past->loaded_rank = rank;
        past->has_loaded = false;
        return (past->has_loaded = frozen_log(past, rank, why)) ? &past->loaded : NULL;
    }
    const struct origins *log = logs_find(&past->logs, rank);
    if (!log) *why = "how it was reached is lost";
    return log;
}

/* The same in a part that this one comes from. A cluster that it has not finished is in its rest. */
static const struct origins *log_before(struct past *past, uint32_t level, uint64_t rank, bool *in_rest, const char **why)
{
    past->has_loaded = false;
    if (!*in_rest && part_log(past, level, rank, false, why)) return &past->loaded;
    if (!part_log(past, level, rank, true, why)) return NULL;
    *in_rest = false; /* a source is in either */
    return &past->loaded;
}

/* The k-th initial state of a rank. */
static bool find_initial(struct past *past, uint64_t rank, uint32_t k, int64_t *values)
{
    const struct model *model = past->search->model;
    eval_first_initial(model, values);
    do {
        if ((uint64_t)(values[model->rank] - past->statistics->lowest) >> past->shift == rank && !k--) return true;
    } while (eval_next_initial(model, values));
    return false;
}

static struct trace *make_trace(struct past *past, const struct past_place *place, const char **why)
{
    struct search *search = past->search;
    VEC(uint32_t) steps = {0};
    struct origin origin = {.state = place->state};
    uint64_t rank = place->rank;
    const uint32_t own = search->task->part ? search->task->part->folder_count : 0;
    uint32_t level = own; /* the part that the state is in */
    bool in_rest = false;
    for (;;) {
        const struct origins *log = level == own ? log_of(past, rank, why) : log_before(past, level, rank, &in_rest, why);
        if (log && origin.state >= log->states) *why = "the record of how it was reached ends before it", log = NULL;
        if (!log) {
            vec_free(past->mem, &steps);
            return NULL;
        }
        origin = origins_of(log, origin.state);
        if (origin.source == ORIGINS_INITIAL) {
            if (!level) break;
            level--; /* the same state in the rest of the part before */
            in_rest = true;
            continue;
        }
        rank = origin.source;
        vec_push(past->mem, &steps, origin.step);
    }
    struct trace *trace = trace_new(search->model, steps.len);
    trace->failed_rule = place->failed_rule;
    if (!find_initial(past, rank, origin.state, trace->initial) || !visit_follow(search, trace, steps.data)) search->result->broken = "a run does not follow its record";
    vec_free(past->mem, &steps);
    return trace;
}

/* Of all violations that have none yet. */
void past_make_traces(struct past *past)
{
    uint64_t limit = past->mem->limit;
    past->mem->limit = 0; /* what was found must not be lost to the limit on the search */
    for (uint32_t i = 0; i < past->search->task->property_count; i++) {
        struct property_result *entry = &past->search->task->properties[i];
        struct past_place *place = &past->places[i];
        if (!place->known || entry->trace || entry->last) continue;
        const char *why = "the way to this state was forgotten for lack of memory: --freeze keeps it in files";
        if (!past->logs_dropped) entry->trace = make_trace(past, place, &why);
        if (entry->trace) continue;
        entry->reason = arena_copy(&past->search->model->arena, why, strlen(why));
        entry->last = mem_alloc(past->mem, (past->search->model->vars.len + UINT64_C(1)) * sizeof *entry->last);
        layout_unpack(&past->search->space.layout, past->search->model, place->words, entry->last);
    }
    past->mem->limit = limit;
}

void past_conclude(struct past *past)
{
    bool all = !past->current && !past->waiting.count;
    past->statistics->freed_states = past->done_states - (all ? past->last_states : 0);
    result_end_clusters(past->statistics, past->mem);
    past_make_traces(past);
    for (uint32_t i = 0; i < past->waiting.count; i++) reached_scan(past->search->model, &past->search->space.layout, &past_waiting(past, i)->store, past->search->result, past->scan);
    if (past->current) reached_scan(past->search->model, &past->search->space.layout, &past->current->store, past->search->result, past->scan);
    reached_end(past->search->model, past->search->result);
}
