/* Method. Waiting clusters are in a heap by rank and in a hash table by rank. The smallest is taken out and searched by breadth.c, whose successors ask past_cluster where they belong.
 *
 * Memory. A cluster is a store of its own (solver/store.h) and a log of origins. Clusters may be very many and very small, so finished ones are used again, with their memory
 * unless that is much. Where ranks are very many, some neighbouring ones are one cluster: no step leads back to it either, and tables that are a little larger are worth their while. What stays of a finished cluster is its log, about half a byte per state: counterexamples are followed through logs alone. When
 * memory is refused, unused clusters are freed first, then all logs are given up: the search goes on, and violations that are found later are told without their run.
 *
 * Determinism. Numbers of states depend on the model only: the order of ranks, of states in a cluster and of rules in a state is all that counts.
 *
 * Invariants:
 *  1. every waiting cluster is in heap and table, has a larger rank than the current one, and has a state unless memory was refused;
 *  2. heap[i] has a smaller rank than heap[2i + 1] and heap[2i + 2]; the table has no free slot between a cluster's home and its place;
 *  3. unless logs were dropped, the log of a cluster has one entry per state, in the order of numbers;
 *  4. the current cluster is in neither; its states before the cursor are expanded. */
#include "engine/explicit/past.h"

#include "engine/explicit/frozen.h"
#include "engine/explicit/part.h"
#include "program/reached.h"

#include <stdlib.h>
#include <string.h>

#ifdef CAIRN_DEGENERATE
enum { FIRST_TABLE = 2, PAGE_BYTES = 64, MANY_SIZES = 50, MANY_CLUSTERS = 1 << 13 };
#else
enum { FIRST_TABLE = 64, PAGE_BYTES = 1 << 18, MANY_SIZES = 4000, MANY_CLUSTERS = 1 << 13 };
#endif

/* ---- waiting clusters ---- */

static uint32_t home_of(const struct past *past, uint64_t rank)
{
    return (uint32_t)(rank * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (past->table_size - 1);
}

static struct cluster *find(const struct past *past, uint64_t rank)
{
    for (uint32_t i = home_of(past, rank); past->table[i].cluster; i = (i + 1) & (past->table_size - 1))
        if (past->table[i].rank == rank) return past->table[i].cluster;
    return NULL;
}

static void put_in_table(struct past *past, struct past_entry entry)
{
    uint32_t i = home_of(past, entry.rank);
    while (past->table[i].cluster) i = (i + 1) & (past->table_size - 1);
    past->table[i] = entry;
}

static void take_from_table(struct past *past, uint64_t rank)
{
    uint32_t mask = past->table_size - 1, hole = home_of(past, rank);
    while (past->table[hole].rank != rank || !past->table[hole].cluster) hole = (hole + 1) & mask;
    for (uint32_t i = (hole + 1) & mask; past->table[i].cluster; i = (i + 1) & mask) {
        uint32_t home = home_of(past, past->table[i].rank);
        if (((i - home) & mask) < ((i - hole) & mask)) continue; /* it stands after the hole on its own way */
        past->table[hole] = past->table[i];
        hole = i;
    }
    past->table[hole] = (struct past_entry){0};
}

/* Room for one more. */
static bool reserve(struct past *past)
{
    if (past->heap_len == past->heap_room) {
        uint32_t room = past->heap_room + past->heap_room / 2 + 16;
        struct past_entry *heap = mem_try_resize(past->mem, past->heap, room * sizeof *heap);
        if (!heap) return false;
        past->heap = heap;
        past->heap_room = room;
    }
    if (2 * (past->heap_len + 1) > past->table_size) {
        uint32_t size = past->table_size ? 2 * past->table_size : FIRST_TABLE;
        struct past_entry *table = mem_try_alloc(past->mem, size * sizeof *table);
        if (!table) return false;
        mem_free(past->mem, past->table);
        past->table = table;
        past->table_size = size;
        for (uint32_t i = 0; i < past->heap_len; i++) put_in_table(past, past->heap[i]);
    }
    return true;
}

static void push(struct past *past, struct cluster *cluster)
{
    struct past_entry entry = {cluster->rank, cluster};
    uint32_t at = past->heap_len++;
    for (; at && past->heap[(at - 1) / 2].rank > entry.rank; at = (at - 1) / 2) past->heap[at] = past->heap[(at - 1) / 2];
    past->heap[at] = entry;
    put_in_table(past, entry);
}

static struct cluster *pop(struct past *past)
{
    struct past_entry first = past->heap[0], last = past->heap[--past->heap_len];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= past->heap_len) break;
        if (child + 1 < past->heap_len && past->heap[child + 1].rank < past->heap[child].rank) child++;
        if (past->heap[child].rank >= last.rank) break;
        past->heap[at] = past->heap[child];
        at = child;
    }
    past->heap[at] = last;
    take_from_table(past, first.rank);
    return first.cluster;
}

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

static void free_logs(struct past *past)
{
    for (uint64_t i = 0; i < past->page_count; i++) mem_free(past->mem, past->pages[i]);
    mem_free(past->mem, past->pages);
    mem_free(past->mem, past->logs);
    past->pages = NULL;
    past->logs = NULL;
    past->page = NULL;
    past->page_count = past->page_room = past->page_left = past->log_count = past->log_room = 0;
}

static bool drop_logs(struct past *past)
{
    if (past->logs_dropped || past->freezer) return false;
    past_make_traces(past); /* of what was found before */
    past->logs_dropped = past->statistics->logs_dropped = true;
    free_logs(past);
    for (uint32_t i = 0; i < past->heap_len; i++) origins_release(&past->heap[i].cluster->origins);
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
        if (reserve(past)) cluster = make_cluster(past);
    } while (!cluster && past_relieve(past));
    if (!cluster) {
        visit_stop(past->search, STOP_MEMORY);
        return NULL;
    }
    cluster->rank = rank;
    push(past, cluster);
    statistics->clusters++;
    if (++statistics->live > statistics->live_peak) statistics->live_peak = statistics->live;
    return cluster;
}

void past_prefetch(const struct past *past, uint64_t rank)
{
    __builtin_prefetch(&past->table[home_of(past, rank)]);
}

struct cluster *past_cluster(struct past *past, uint64_t rank)
{
    if (past->current && rank == past->current->rank) return past->current;
    if (past->current && rank < past->current->rank) {
        visit_stop(past->search, STOP_RANK);
        return NULL;
    }
    if (rank > past->farthest) past->farthest = rank;
    struct cluster *cluster = find(past, rank);
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

/* Room in a page, or in a block of its own. In a page, what is used of it is taken afterwards. */
static unsigned char *log_room(struct past *past, uint64_t size)
{
    if (size > past->page_left) {
        if (past->page_count == past->page_room) {
            uint64_t room = 2 * past->page_room + 16;
            unsigned char **pages = mem_try_resize(past->mem, past->pages, room * sizeof *pages);
            if (!pages) return NULL;
            past->pages = pages;
            past->page_room = room;
        }
        bool alone = size > PAGE_BYTES / 4;
        unsigned char *page = mem_try_alloc(past->mem, alone ? size : PAGE_BYTES);
        if (!page) return NULL;
        past->pages[past->page_count++] = page;
        if (alone) return page;
        past->page = page;
        past->page_left = PAGE_BYTES;
    }
    return past->page;
}

static bool keep_log(struct past *past, const struct cluster *cluster)
{
    if (past->log_count == past->log_room) {
        uint64_t room = past->log_room + past->log_room / 2 + 64;
        struct past_log *logs = mem_try_resize(past->mem, past->logs, room * sizeof *logs);
        if (!logs) return false;
        past->logs = logs;
        past->log_room = room;
    }
    unsigned char *bytes = log_room(past, origins_bound(&cluster->origins));
    if (!bytes) return false;
    uint64_t size = origins_write(&cluster->origins, bytes);
    if (bytes == past->page) {
        past->page += size;
        past->page_left -= size;
    }
    past->logs[past->log_count++] = (struct past_log){cluster->rank, bytes, size};
    return true;
}

void past_note(struct past *past, uint64_t rank, uint64_t states)
{
    struct cluster_statistics *statistics = past->statistics;
    struct cluster_size size = {statistics->lowest + (int64_t)(rank << past->shift), states};
    statistics->finished++;
    statistics->rank = rank << past->shift;
    past->done_states += states;
    past->last_states = states;
    if (size.states > statistics->largest.states) statistics->largest = size;
    if (statistics->size_count == past->sizes_room && !statistics->sizes_lost) {
        uint64_t room = past->sizes_room + past->sizes_room / 2 + 64;
        struct cluster_size *sizes = mem_try_resize(past->mem, statistics->sizes, room * sizeof *sizes);
        if (!sizes) {
            statistics->sizes_lost = true; /* they are no reason to end */
            return;
        }
        statistics->sizes = sizes;
        past->sizes_room = room;
    }
    if (!statistics->sizes_lost) statistics->sizes[statistics->size_count++] = size;
}

/* False: the search must end. */
static bool finish(struct past *past)
{
    struct search *search = past->search;
    struct cluster *cluster = past->current;
    reached_scan(search->model, &search->space.layout, &cluster->store, search->result, past->scan);
    if (past->freezer && !frozen_put(past)) return false;
    while (!past->freezer && !past->logs_dropped && !keep_log(past, cluster)) past_relieve(past);
    past_note(past, cluster->rank, cluster->store.count);
    past->current = NULL;
    search->space.store = &search->store;
    recycle(past, cluster);
    return true;
}

/* ---- the search ---- */

void past_discard(struct past *past)
{
    while (past->heap_len) recycle(past, pop(past));
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
    while (past->heap_len) {
        if (part_is_deep(past, past->heap[0].rank)) return visit_stop(search, STOP_HANDED_ON);
        past->current = pop(past);
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
    if (!reserve(past) || (search->task->freeze && !frozen_open(past))) return false;
    if (search->task->part && search->task->part->hands_on && past->freezer) past->reserve = mem_try_alloc(mem, part_reserve(mem));
    return true;
}

void past_release(struct search *search)
{
    struct past *past = search->past;
    struct mem *mem = past->mem;
    if (past->current) free_cluster(past, past->current);
    for (uint32_t i = 0; i < past->heap_len; i++) free_cluster(past, past->heap[i].cluster);
    free_unused(past);
    free_logs(past);
    origins_release(&past->loaded);
    part_release(past);
    frozen_release(past);
    for (uint32_t i = 0; i < search->task->property_count; i++) mem_free(mem, past->places[i].words);
    mem_free(mem, past->places);
    mem_free(mem, past->reserve);
    mem_free(mem, past->heap);
    mem_free(mem, past->table);
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
    const struct cluster *live = past->current && past->current->rank == rank ? past->current : find(past, rank);
    if (live) return &live->origins;
    if (past->has_loaded && past->loaded_rank == rank) return &past->loaded;
    past->has_loaded = false;
    past->loaded_rank = rank;
    if (past->freezer) return (past->has_loaded = frozen_log(past, rank, why)) ? &past->loaded : NULL;
    uint64_t low = 0, high = past->log_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (past->logs[middle].rank < rank) low = middle + 1;
        else high = middle;
    }
    past->has_loaded = low < past->log_count && past->logs[low].rank == rank && origins_read(&past->loaded, past->logs[low].bytes, past->logs[low].size);
    if (past->has_loaded) return &past->loaded;
    *why = "how it was reached is lost";
    return NULL;
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

/* Takes the steps with these numbers, the last one first; false: there is no such run. */
static bool follow(struct past *past, struct trace *trace, const uint32_t *steps)
{
    struct search *search = past->search;
    const struct layout *layout = &search->space.layout;
    uint64_t *words = mem_alloc(past->mem, layout->words * sizeof *words), *next = mem_alloc(past->mem, layout->words * sizeof *next);
    bool good = true;
    layout_pack(layout, search->model, trace->initial, words);
    for (uint32_t i = 0; good && i < trace->steps; i++) {
        struct program_cursor cursor;
        const struct fast_rule *fast = NULL;
        enum step step;
        uint32_t left = steps[trace->steps - 1 - i];
        program_start(&search->space.program, &cursor);
        while ((step = program_next(&search->space.program, &cursor, words, next, &fast)) != STEP_NONE)
            if (step == STEP_TAKEN && !left--) break;
        good = step == STEP_TAKEN;
        if (good) trace->rules[i] = fast->rule;
        memcpy(words, next, layout->words * sizeof *words);
    }
    mem_free(past->mem, words);
    mem_free(past->mem, next);
    return good;
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
    if (!find_initial(past, rank, origin.state, trace->initial) || !follow(past, trace, steps.data)) search->result->broken = "a run does not follow its record";
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

static int by_states(const void *a, const void *b)
{
    const struct cluster_size *x = a, *y = b;
    return (x->states > y->states) - (x->states < y->states);
}

static void find_quantiles(struct past *past)
{
    struct cluster_statistics *statistics = past->statistics;
    uint64_t count = statistics->size_count, *quantiles = mem_alloc(past->mem, (CLUSTER_PARTS + 1) * sizeof *quantiles);
    struct cluster_size *sorted = mem_alloc(past->mem, count * sizeof *sorted);
    memcpy(sorted, statistics->sizes, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_states);
    for (uint64_t p = 0; p <= CLUSTER_PARTS; p++) quantiles[p] = sorted[(count - 1) * p / CLUSTER_PARTS].states;
    mem_free(past->mem, sorted);
    statistics->quantiles = quantiles;
}

void past_conclude(struct past *past)
{
    bool all = !past->current && !past->heap_len;
    past->statistics->freed_states = past->done_states - (all ? past->last_states : 0);
    if (past->statistics->size_count > MANY_SIZES) find_quantiles(past);
    past_make_traces(past);
    for (uint32_t i = 0; i < past->heap_len; i++) reached_scan(past->search->model, &past->search->space.layout, &past->heap[i].cluster->store, past->search->result, past->scan);
    if (past->current) reached_scan(past->search->model, &past->search->space.layout, &past->current->store, past->search->result, past->scan);
    reached_end(past->search->model, past->search->result);
}
