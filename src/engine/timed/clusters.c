/* Method. Waiting clusters are found by rank, and the one with the smallest is searched next. Its pairs are expanded in the order of their numbers; one whose zone a larger one covers before its turn
 * comes is left out, because there are no shortest ways to be kept in this order.
 *
 * Memory. Discrete states, zones and pairs are a cluster's own and go with it. What stays of it is its log, about half a byte per pair: how a pair was found is followed through logs
 * alone, by numbers of rules among those that are enabled, so that no zone is needed. When memory is refused, all logs are given up: the search goes on, and violations that are found later are told
 * without their run. Configurations are everybody's: they are as many as there are different sets of timers and clocks, whatever the rank.
 *
 * Invariants: (1) every waiting cluster has a larger rank than the one at hand, and has a pair unless memory was refused; (2) unless logs were dropped, the log of a cluster has one
 * entry per pair, in the order of numbers; (3) pairs of the cluster at hand before the cursor are expanded or given up. */
#include "engine/timed/clusters.h"

#include "engine/timed/search.h"
#include "program/reached.h"

#include <string.h>

/* ---- making and freeing clusters ---- */

struct cluster *clusters_make(struct search *search)
{
    struct mem *mem = search->model->mem;
    struct cluster *cluster = mem_try_alloc(mem, sizeof *cluster);
    if (!cluster) return NULL;
    origins_init(&cluster->origins, mem);
    if (nodes_init(&cluster->nodes, mem, search->layout.record_bytes, search->task->equal_zones || search->edges.wanted, &search->nodes_work)) return cluster;
    mem_free(mem, cluster);
    return NULL;
}

void clusters_free(struct search *search, struct cluster *cluster)
{
    if (!cluster) return;
    nodes_release(&cluster->nodes);
    origins_release(&cluster->origins);
    mem_free(search->model->mem, cluster);
}

static struct cluster *waiting(const struct clusters *past, uint32_t i)
{
    return past->waiting.heap[i].item;
}

void clusters_init(struct search *search)
{
    struct mem *mem = search->model->mem;
    const struct model_var *var = &search->model->vars.data[search->model->rank];
    struct clusters *past = search->past = mem_alloc(mem, sizeof *past);
    past->mem = mem;
    past->before = mem->used;
    past->field = search->layout.fields[search->model->rank];
    past->statistics = search->result->clusters = mem_alloc(mem, sizeof *past->statistics);
    past->statistics->ranks = (uint64_t)var->high - (uint64_t)var->low + 1;
    past->statistics->lowest = var->low;
    past->scan = reached_begin(search->model, search->result);
    ranks_init(&past->waiting, mem);
    logs_init(&past->logs, mem);
}

void clusters_release(struct search *search)
{
    struct clusters *past = search->past;
    for (uint32_t i = 0; i < past->waiting.count; i++) clusters_free(search, waiting(past, i));
    ranks_release(&past->waiting);
    logs_release(&past->logs);
    mem_free(past->mem, past->scan);
    mem_free(past->mem, past);
    search->past = NULL;
}

bool clusters_relieve(struct search *search)
{
    struct clusters *past = search->past;
    if (!past || past->logs_dropped) return false;
    search_report_findings(search); /* while the ways to them are known */
    past->logs_dropped = past->statistics->logs_dropped = true;
    logs_release(&past->logs);
    for (uint32_t i = 0; i < past->waiting.count; i++) origins_release(&waiting(past, i)->origins);
    if (search->cluster) origins_release(&search->cluster->origins);
    return true;
}

/* ---- adding pairs ---- */

static uint64_t rank_of(const struct clusters *past, const uint64_t *words)
{
    return words[past->field.word] >> past->field.shift & past->field.mask;
}

struct cluster *clusters_find(const struct search *search, const uint64_t *words)
{
    if (!search->past) return search->cluster;
    uint64_t rank = rank_of(search->past, words);
    return search->cluster && search->cluster->rank == rank ? search->cluster : ranks_find(&search->past->waiting, rank);
}

static struct cluster *new_cluster(struct search *search, uint64_t rank)
{
    struct clusters *past = search->past;
    struct cluster_statistics *statistics = past->statistics;
    struct cluster *cluster = NULL;
    do {
        if (ranks_reserve(&past->waiting)) cluster = clusters_make(search);
    } while (!cluster && clusters_relieve(search));
    if (!cluster) {
        search_stop(search, STOP_MEMORY);
        return NULL;
    }
    cluster->rank = rank;
    ranks_put(&past->waiting, rank, cluster);
    statistics->clusters++;
    if (++statistics->live > statistics->live_peak) statistics->live_peak = statistics->live;
    return cluster;
}

struct cluster *clusters_reach(struct search *search, const uint64_t *words)
{
    struct cluster *cluster = clusters_find(search, words);
    if (cluster) return cluster;
    uint64_t rank = rank_of(search->past, words);
    if (!search->cluster || rank > search->cluster->rank) return new_cluster(search, rank);
    search_stop(search, STOP_RANK);
    return NULL;
}

void clusters_added(struct search *search, struct cluster *cluster, int64_t more, uint32_t parent, uint32_t step)
{
    struct clusters *past = search->past;
    struct cluster_statistics *statistics = past->statistics;
    bool is_initial = parent == NODES_NONE;
    statistics->live_states += (uint64_t)more;
    if (statistics->live_states > statistics->peak_states) statistics->peak_states = statistics->live_states;
    while (!past->logs_dropped) {
        if (origins_add(&cluster->origins, is_initial ? ORIGINS_INITIAL : search->cluster->rank, is_initial ? step : parent, is_initial ? 0 : step)) break;
        clusters_relieve(search); /* all logs are given up: without this one the others say nothing */
    }
}

/* ---- the search ---- */

static void add_totals(struct clusters_totals *totals, const struct nodes *nodes)
{
    totals->states += nodes_kept(nodes);
    totals->discrete += nodes->discrete.count;
    totals->zones += nodes->zones.count;
    totals->zone_bytes += nodes->zones.string_bytes;
    totals->covered += nodes->covered;
    totals->given_up += nodes->given_up;
}

struct clusters_totals clusters_sum(const struct search *search)
{
    struct clusters_totals totals = {0};
    if (search->past) totals = search->past->done;
    for (uint32_t i = 0; search->past && i < search->past->waiting.count; i++) add_totals(&totals, &waiting(search->past, i)->nodes);
    if (search->cluster) add_totals(&totals, &search->cluster->nodes);
    return totals;
}

static void note_space(struct clusters *past)
{
    uint64_t bytes = past->mem->used - past->before;
    if (bytes > past->space_bytes) past->space_bytes = bytes;
}

static void finish(struct search *search)
{
    struct clusters *past = search->past;
    struct cluster *cluster = search->cluster;
    note_space(past);
    reached_scan(search->model, &search->layout, &cluster->nodes.discrete, search->result, past->scan);
    while (!past->logs_dropped && !logs_keep(&past->logs, cluster->rank, &cluster->origins)) clusters_relieve(search);
    add_totals(&past->done, &cluster->nodes);
    past->last_states = nodes_kept(&cluster->nodes);
    result_note_cluster(past->statistics, past->mem, cluster->rank, past->last_states);
    past->statistics->live--;
    past->statistics->live_states -= past->last_states;
    clusters_free(search, cluster);
    search->cluster = NULL;
}

static bool search_cluster(struct search *search)
{
    struct nodes *nodes = &search->cluster->nodes;
    for (uint64_t cursor = 0; cursor < nodes->count; cursor++) {
        nodes->next_level = cursor + 1;
        if (nodes_is_given_up(nodes, (uint32_t)cursor)) continue;
        if (!search_poll(search) || !search_expand(search, (uint32_t)cursor)) return false;
        search->result->expanded++;
    }
    return true;
}

bool clusters_run(struct search *search)
{
    struct clusters *past = search->past;
    while (past->waiting.count) {
        search->cluster = ranks_take(&past->waiting);
        past->statistics->rank = search->cluster->rank;
        if (!search_cluster(search)) return false;
        finish(search);
    }
    return true;
}

/* ---- counterexamples ---- */

static const struct origins *log_of(struct search *search, uint64_t rank)
{
    if (search->cluster && search->cluster->rank == rank) return &search->cluster->origins;
    const struct cluster *cluster = ranks_find(&search->past->waiting, rank);
    return cluster ? &cluster->origins : logs_find(&search->past->logs, rank);
}

static bool find_initial(const struct model *model, uint32_t number, int64_t *values)
{
    eval_first_initial(model, values);
    for (; number; number--)
        if (!eval_next_initial(model, values)) return false;
    return true;
}

/* Takes the rules with these numbers, the last one first; false: there is no such run. */
static bool follow(struct search *search, struct trace *trace, const uint32_t *steps)
{
    struct mem *mem = search->model->mem;
    uint64_t *words = mem_alloc(mem, (search->layout.words + UINT64_C(1)) * sizeof *words), *next = mem_alloc(mem, (search->layout.words + UINT64_C(1)) * sizeof *next);
    bool good = true;
    layout_pack(&search->layout, search->model, trace->initial, words);
    for (uint32_t i = 0; good && i < trace->steps; i++) {
        struct program_cursor cursor;
        const struct fast_rule *fast = NULL;
        enum step step;
        uint32_t left = steps[trace->steps - 1 - i];
        program_start(&search->program, &cursor);
        cursor.alone = true;
        while ((step = program_next(&search->program, &cursor, words, next, &fast)) != STEP_NONE)
            if (step == STEP_TAKEN && !left--) break;
        good = step == STEP_TAKEN;
        if (good) trace->rules[i] = fast->rule;
        memcpy(words, next, search->layout.words * sizeof *words);
    }
    mem_free(mem, words);
    mem_free(mem, next);
    return good;
}

struct trace *clusters_trace(struct search *search, const struct cluster *cluster, uint32_t node, const char **why)
{
    struct mem *mem = search->model->mem;
    VEC(uint32_t) steps = {0};
    struct origin origin = {.state = node};
    const struct origins *log = search->past->logs_dropped ? NULL : &cluster->origins;
    while (log && origin.state < log->states) {
        origin = origins_of(log, origin.state);
        if (origin.source == ORIGINS_INITIAL) break;
        vec_push(mem, &steps, origin.step);
        log = log_of(search, origin.source);
    }
    struct trace *trace = NULL;
    if (!log) *why = "the way to this state was forgotten for lack of memory"; /* all of it, or a log cannot be read */
    else {
        trace = trace_new(search->model, steps.len);
        bool good = origin.source == ORIGINS_INITIAL && find_initial(search->model, origin.state, trace->initial) && follow(search, trace, steps.data);
        if (!good) search->result->broken = "a run does not follow its record";
    }
    vec_free(mem, &steps);
    return trace;
}

/* ---- afterwards ---- */

void clusters_conclude(struct search *search)
{
    struct clusters *past = search->past;
    bool all = !search->cluster && !past->waiting.count;
    note_space(past);
    past->statistics->freed_states = past->done.states - (all ? past->last_states : 0);
    result_end_clusters(past->statistics, past->mem);
    for (uint32_t i = 0; i < past->waiting.count; i++) reached_scan(search->model, &search->layout, &waiting(past, i)->nodes.discrete, search->result, past->scan);
    if (search->cluster) reached_scan(search->model, &search->layout, &search->cluster->nodes.discrete, search->result, past->scan);
    reached_end(search->model, search->result);
}
