/* Method. The region of a p-path is what rules that are no p-points reach from its entries; the
 * entries of w.p are the successors of states in the region of w by p-point p; the empty p-path
 * begins with the initial states. P-paths are taken by length, and those of one length in the order
 * in which they were found. Entries that were visited before, in whatever partition, are dropped; a
 * p-path without any other is not extended. Every state that was visited is expanded, and its
 * successors are visited or wait: so the union of all partitions is the whole state space. Every
 * p-path that is searched has a new state, so there is an end.
 *
 * Memory. All states that fit are in the set, of earlier partitions too: as long as that goes well
 * every state is visited once. When memory is full the epoch ends (epochs.h): expanded states go to
 * disk, those that are not expanded wait, as entries of the p-path at hand, and the set is emptied.
 * Entries are compared with the states on disk, many at a time; states within a region are when
 * they are many, so partitions may overlap then: that is the difference between gross and net
 * counts. A partition that does not fit by itself is thereby cut into pieces. Each epoch but the
 * first expands an entry that was new, so there is an end here, too.
 *
 * Ranks. With past-freeze order, too, the clusters of the model's rank are searched one after the
 * other, each p-path by p-path. A step to a later cluster is no part of a region: what it leads to
 * waits, with its p-path, on a tape for later clusters, and the one with the smallest rank is next.
 * No step leads back, so a cluster that is done is given up, in memory and on disk. What must be
 * compared, and what is in memory, is one cluster at most.
 *
 * Reduction. Regions may be expanded in two phases (ample.h says why that is sound): then states
 * are not expanded in the order of their numbers, and an epoch ends between two walks.
 *
 * What waits is on tapes: one for the p-paths of this length and one for the next (entries.h).
 *
 * A state whose steps do not fit even in what was put aside did not happen: what they added to the
 * counts is taken away, and it is expanded again in the next epoch.
 *
 * Zones. What a state is as a record, only its set knows (set.h): with time, a discrete state and a
 * zone. On disk zones are compared exactly. A set by inclusion lets one state stand for others, so
 * "is in the set" means that a state stands for it there; what was expanded goes to disk, what was
 * given up before its turn does not: the one that stands for it is on disk, or waits.
 *
 * Invariants: (1) states of the set before the cursor, in a reduced search some others, and all on
 * disk, are expanded, or one stands
 * for them, and each of their successors is in the set, on disk, among what was found, or on a tape
 * of entries; (2) the log of origins has one entry per state of the set, in the order of numbers;
 * (3) no state is dropped unless it is in the set or on disk. */
#include "search/partition.h"

#include "program/reached.h"
#include "search/epochs.h"
#include "search/points.h"
#include "search/team.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#ifdef CAIRN_DEGENERATE
enum { MOST_STATES = 40, LEAST_BLOCK = 64, MOST_BLOCK = 64, MOST_PATHS = 200, LEAST_ROOM = 4 };
#else
enum {
    MOST_STATES = 0,
    LEAST_BLOCK = 1 << 10,
    MOST_BLOCK = 1 << 16,
    MOST_PATHS = PARTITION_LISTED,
    LEAST_ROOM = 64
};
#endif

/* The state whose steps are being added. */
struct addition {
    const struct batch *batch; /* NULL: none is */
    const struct batch_state *state;
    uint32_t end;         /* steps that are listed before this one are added */
    uint64_t transitions; /* that were counted before it */
};

struct partition {
    const struct points *points;
    struct partition_statistics *statistics;
    struct reserve reserve;
    struct entries entries;
    struct epochs epochs;
    struct ample *ample; /* a reduced search: regions are expanded in two phases; or NULL */
    uint64_t before;     /* expansions before this epoch; ... */
    uint64_t earlier;    /* ... before this cluster, which were of ... */
    uint64_t given_up;   /* ... so many states: in earlier clusters */
    uint64_t cursor;     /* the next state of the set that is to be expanded */
    uint64_t added;      /* states before this one are expanded, and what they lead to is added */
    bool *reached;       /* per p-point: continues the p-path at hand */
    bool is_root;        /* what is added now is an entry, and this says where it was found from */
    struct entries_tail root;
    struct addition addition;
    bool overflowed; /* even what was put aside is used up */
    bool in_region;  /* states of the set are being expanded */
    char *record;    /* room for one */
};

/* ---- the steps of one state ---- */

/* Of a step to a later cluster; the rest is its p-point, or MODEL_NONE. */
#define IS_LATER (UINT64_C(1) << 32)

/* A p-point leads to an entry of another p-path, a larger rank to one of a later cluster: it
 * belongs nowhere now. */
static void place(const struct search *search, struct worker *worker, uint32_t first, uint32_t end)
{
    const struct partition *own = search->own;
    const struct batch *batch = &worker->batch;
    for (uint32_t i = first; i < end; i++) {
        struct batch_step *step = &batch->steps[i];
        const uint32_t point = points_of(own->points, &search->space->layout, step->fast->rule,
                                         worker->words, batch_words(batch, i));
        const bool is_later =
            own->entries.by_rank
            && entries_rank(&own->entries, batch_words(batch, i)) != own->entries.rank;
        step->tag = is_later ? IS_LATER | point : point;
        if (step->tag == MODEL_NONE) continue;
        if (!is_later) store_prefetch(search->set->kind->store(search->set), step->hash);
        step->set = NULL;
    }
}

/* What was put aside does not suffice either: the state at hand did not happen. Its steps that are
 * known and were taken out are counted in their order. */
static bool overflow(struct search *search)
{
    struct partition *own = search->own;
    struct result *result = search->result;
    const struct addition *at = &own->addition;
    own->overflowed = true;
    if (!at->batch) { /* nor do states that the space could not commit */
        if (own->in_region && search->space->kind->commit && own->cursor > own->added)
            own->cursor = own->added;
        return false;
    }
    const uint32_t listed = at->end - at->state->first;
    const uint64_t known = result->transitions - at->transitions - listed;
    assert(known <= at->state->known && listed <= at->state->steps);
    for (uint32_t i = at->state->first; i < at->end; i++)
        result->taken[at->batch->steps[i].fast->rule]--;
    for (uint64_t i = 0; i < known; i++)
        result->taken[at->batch->rules[at->state->known_first + i]]--;
    result->transitions = at->transitions;
    if (!own->ample) own->cursor = at->state->state;
    own->addition.batch = NULL;
    return false;
}

static bool relieve(struct search *search)
{
    struct partition *own = search->own;
    return reserve_use(&own->reserve) || overflow(search);
}

/* A p-point is taken: the state that it leads to waits, unless it is known. */
static bool put_entry(struct search *search, struct worker *worker, const struct batch_state *state,
                      uint32_t i)
{
    struct partition *own = search->own;
    struct batch_step *step = &worker->batch.steps[i];
    const uint32_t point = (uint32_t)step->tag;
    const struct entries_tail tail = {own->epochs.number, state->state, step->number, point};
    if (point != MODEL_NONE) own->reached[point] = true;
    if (!(step->tag & IS_LATER)) {
        step->set = search->set;
        const bool known = search->space->kind->sets->find(worker, i) != SET_NONE;
        step->set = NULL;
        if (known) return true;
    } else if (entries_rank(&own->entries, batch_words(&worker->batch, i)) < own->entries.rank)
        return poll_stop(search, STOP_RANK);
    while (!own->entries.records->of_step(worker, i, search->set, own->record))
        if (!relieve(search)) return false;
    return entries_put_found(&own->entries, own->record, tail)
           || (search->result->stop == STOP_NONE && overflow(search));
}

static bool admit(struct search *search, struct worker *worker, struct batch_state *state)
{
    struct partition *own = search->own;
    const struct batch_step *steps = worker->batch.steps;
    if (state->state != SET_NONE) {
        own->addition =
            (struct addition){&worker->batch, state, state->first, search->result->transitions};
        search->set->next_level = state->state + 1; /* what is given up from now on was expanded */
    }
    /* room for all steps, because which of them were taken out depends on how far workers were;
     * with zones a rule may lead to several states */
    const uint64_t all = (uint64_t)state->steps + state->known;
    while (
        !origins_reserve(&own->epochs.origins, all) /* (2) */
        || (search->space->kind->alone && !origins_reserve_segments(&own->epochs.origins, all + 1)))
        if (!relieve(search)) return false;
    for (uint32_t i = state->first; i < state->first + state->steps; i++)
        if (steps[i].tag != MODEL_NONE && !put_entry(search, worker, state, i)) return false;
    return true;
}

static bool log_steps(struct search *search, struct worker *worker, const struct batch_state *state,
                      uint32_t first, uint32_t end)
{
    struct partition *own = search->own;
    struct origins *origins = &own->epochs.origins;
    const struct batch *batch = &worker->batch;
    own->addition.end = end;
    for (uint32_t f = 0; f < batch->fresh_count; f++) {
        const struct batch_step *step = &batch->steps[batch->fresh[f]];
        if (step->fast) origins_put(origins, own->epochs.number, state->state, step->number);
        else if (own->is_root)
            origins_put(origins, own->root.source, own->root.state, own->root.step);
        else origins_put(origins, ORIGINS_INITIAL, search->initial_number, 0);
        assert(origins->states == step->to + 1); /* (2) */
    }
    return !own->ample || state->state == SET_NONE
           || ample_log(search, own->ample, worker, state, first, end);
}

static bool skips(const struct search *search, uint64_t state)
{
    return epochs_is_known(&((const struct partition *)search->own)->epochs, state);
}

static bool is_full(const struct search *search)
{
    const struct partition *own = search->own;
    return own->reserve.is_full
           || (MOST_STATES && search->set->count > MOST_STATES && own->added
               && own->entries.record_bytes);
}

static bool pauses(struct search *search)
{
    struct partition *own = search->own;
    if (own->addition.batch) own->added = own->addition.state->state + 1;
    own->addition.batch = NULL;
    return is_full(search);
}

/* ---- a region ---- */

/* Between expansions. */
static bool end_epoch(struct search *search)
{
    struct partition *own = search->own;
    reserve_open(&own->reserve);
    if (!epochs_end(&own->epochs, own->cursor)) return false;
    own->statistics->spills++;
    own->cursor = own->added = 0;
    own->before = search->result->expanded;
    reserve_close(&own->reserve);
    return true;
}

/* The search must end, or memory ran out in the middle of an expansion: that did not happen, nor
 * did those after it. */
static bool give_back(struct search *search)
{
    struct partition *own = search->own;
    if (!own->overflowed) return false;
    own->overflowed = false;
    search->result->stop = STOP_NONE;
    if (!search_end_lot(search)) return false;
    if (own->ample ? ample_waits_for_all(own->ample) : !own->cursor)
        return poll_stop(search, STOP_MEMORY); /* a single state does not fit */
    if (own->ample) ample_pause(own->ample, true);
    return end_epoch(search);
}

/* All that is in the set, layer by layer. When memory is full the rest is pending. */
static bool explore(struct search *search)
{
    struct partition *own = search->own;
    const struct set *set = search->set;
    for (;;) {
        own->in_region = true;
        const bool good = own->ample ? ample_expand_from(search, own->ample, &own->cursor)
                                     : search_expand(search, &own->cursor, set->count);
        own->in_region = false;
        if (!good) return give_back(search);
        assert(own->epochs.origins.states == set->count); /* (2) */
        if (is_full(search)) return end_epoch(search);
        if (own->cursor == set->count) return true;
        if (!epochs_find_known(&own->epochs, own->cursor)) return false;
    }
}

/* ---- what a region begins with ---- */

/* Adds the only state in the batch, an initial one or an entry. */
static bool add_root(struct search *search)
{
    struct partition *own = search->own;
    struct worker *worker = search->worker;
    uint32_t next;
    assert(worker->batch.state_count == 1 && worker->batch.step_count == 1);
    worker->batch.steps[0].set = search->set;
    worker->batch.steps[0].tag = MODEL_NONE;
    if (!search_add(search, worker, 0, 1, &next)) {
        if (own->overflowed) search->result->stop = STOP_NONE;
        search_end_lot(search);
        return false;
    }
    if (!search_end_lot(search) || !search_goes_on(search)) return false;
    return search->lot.stop == STOP_NONE || poll_stop(search, search->lot.stop);
}

/* Leaves only those that were not visited before, in the order in which they were found. */
static bool filter_batch(struct search *search)
{
    struct partition *own = search->own;
    struct entries *entries = &own->entries;
    const uint64_t size = entries->size;
    char *batch = entries->batch;
    uint64_t kept = 0;
    entries_sort_batch(entries);
    for (uint64_t i = 0; i < entries->batch_count; i++) {
        const char *entry = batch + i * size;
        if (kept && !memcmp(batch + (kept - 1) * size, entry, entries->record_bytes)) continue;
        if (!entries_is_visited(entries, entry)) memmove(batch + kept++ * size, entry, size);
    }
    if (kept && !epochs_find(&own->epochs, kept)) return false;
    entries->batch_count = 0;
    for (uint64_t i = 0; i < kept; i++)
        if (!entries->has[i]) /* (3) */
            memmove(batch + entries->batch_count++ * size, batch + i * size, size);
    entries_sort_by_origin(entries);
    return true;
}

/* False: the search must end, or memory was refused. */
static bool add_entry(struct search *search, const char *entry)
{
    struct partition *own = search->own;
    struct worker *worker = search->worker;
    const uint64_t before = search->result->initial_states;
    while (!own->entries.records->thaw(worker, search->set, entry))
        if (!relieve(search)) return false;
    own->root = entries_tail_of(&own->entries, entry);
    own->is_root = true;
    const bool good = add_root(search);
    own->is_root = false;
    batch_clear(&worker->batch);
    search->result->initial_states = before;
    return good;
}

static bool add_entries(struct search *search)
{
    struct partition *own = search->own;
    struct entries *entries = &own->entries;
    for (uint64_t i = 0; i < entries->batch_count; i++) {
        const bool good = add_entry(search, entries->batch + i * entries->size);
        if (!good && !own->overflowed) return false;
        own->overflowed = false;
        if (!own->reserve.is_full) continue;
        if (!search->set->count) return poll_stop(search, STOP_MEMORY);
        if (!entries_put_back(entries, good ? i + 1 : i)) return false;
        /* with nothing to give up, those that are there come first */
        return !own->cursor || end_epoch(search);
    }
    return true;
}

/* All pending entries. *some: there was a new one. */
static bool search_pending(struct search *search, bool *some)
{
    struct partition *own = search->own;
    struct entries *entries = &own->entries;
    while (entries->pending.len) {
        if (!entries_load_batch(entries) || !filter_batch(search)) return false;
        *some |= entries->batch_count != 0;
        if (entries->batch_count && (!add_entries(search) || !explore(search))) return false;
    }
    if (own->ample) ample_pause(own->ample, false);
    return true;
}

/* ---- p-paths ---- */

static int by_point_and_place(const void *a, const void *b)
{
    const struct entries_waiting *one = a, *two = b;
    if (one->point != two->point) return one->point < two->point ? -1 : 1;
    return (one->offset > two->offset) - (one->offset < two->offset);
}

/* In the list of p-paths; MODEL_NONE: there is no room, and then none for its continuations. */
static uint32_t list_path(struct search *search, uint32_t parent, uint32_t point, uint64_t states,
                          bool is_first)
{
    struct partition_statistics *statistics = search->result->partition;
    const uint32_t count = statistics->path_count;
    if (count >= MOST_PATHS || (parent == MODEL_NONE && !is_first)) return MODEL_NONE;
    if ((count & (count + 1)) == 0) { /* there is room for 2^n - 1 */
        struct p_path *paths = mem_try_resize(search->model->mem, statistics->paths,
                                              (2 * (uint64_t)count + 1) * sizeof *paths);
        if (!paths) return MODEL_NONE;
        statistics->paths = paths;
    }
    statistics->paths[count] = (struct p_path){parent, point, states};
    return statistics->path_count++;
}

/* Where what was found in the p-path at hand begins in the lists of what waits. */
struct begun {
    uint32_t next, later;
};

static struct begun begun(const struct search *search)
{
    const struct entries *entries = &((const struct partition *)search->own)->entries;
    return (struct begun){entries->next.list.len, entries->later.list.len};
}

/* What was found in the p-path `of`, listed as number `path`, and waits: it continues that, or is
 * the same in a later cluster. */
static void name_paths(struct search *search, const struct entries_waiting *of, uint32_t path,
                       const struct entries_list *list, uint32_t first)
{
    struct partition *own = search->own;
    if (list->len > first)
        qsort(list->data + first, list->len - first, sizeof *list->data, by_point_and_place);
    for (uint32_t i = first; i < list->len; i++) {
        struct entries_waiting *item = &list->data[i];
        const bool is_same = item->point == MODEL_NONE;
        item->last = is_same ? of->last : item->point;
        item->parent = is_same ? of->parent : path;
        item->length = of->length + !is_same;
        if (!is_same) own->reached[item->point] = false;
    }
}

/* The p-path at hand is searched: its continuations wait. */
static bool finish_path(struct search *search, const struct entries_waiting *of, uint64_t states,
                        struct begun first)
{
    struct partition *own = search->own;
    struct partition_statistics *statistics = own->statistics;
    if (!entries_flush_found(&own->entries)) return false;
    const uint32_t path = list_path(search, of->parent, of->last, states, of->last == MODEL_NONE);
    name_paths(search, of, path, &own->entries.next.list, first.next);
    name_paths(search, of, path, &own->entries.later.list, first.later);
    if (of->length > statistics->longest) statistics->longest = of->length;
    for (uint32_t p = 0; p < own->points->count; p++) {
        statistics->skipped +=
            own->reached[p]; /* everything right after it was visited when it was found */
        own->reached[p] = false;
    }
    statistics->partitions++;
    if (states > statistics->largest) statistics->largest = states;
    return true;
}

/* The one in the batch. When memory is full, what is there is put aside, and it is tried again. */
static bool add_initial_state(struct search *search)
{
    struct partition *own = search->own;
    const struct set_records *records = own->entries.records;
    bool good = records->of_step(search->worker, 0, search->set, own->record)
                || poll_stop(search, STOP_MEMORY);
    if (!good) return false;
    good = add_root(search);
    while (!good && own->overflowed) {
        own->overflowed = false;
        batch_clear(&search->worker->batch);
        if (!search->set->count || !end_epoch(search)
            || !records->thaw(search->worker, search->set, own->record))
            return search->result->stop == STOP_NONE ? poll_stop(search, STOP_MEMORY) : false;
        good = add_root(search);
    }
    return good;
}

/* The initial states; whenever memory is full they are put aside. */
static bool add_initial(struct search *search)
{
    struct partition *own = search->own;
    struct worker *worker = search->worker;
    const struct space_kind *kind = search->space->kind;
    search->initial_number = 0;
    worker->is_refused = false;
    for (bool first = true; kind->initial(worker, first); first = false) {
        /* a state without a step is not possible */
        const bool good = !worker->batch.step_count || add_initial_state(search);
        batch_clear(&worker->batch);
        if (!good || (own->reserve.is_full && !end_epoch(search))) return false;
        search->initial_number++;
    }
    return !worker->is_refused || poll_stop(search, STOP_MEMORY);
}

static bool search_initial(struct search *search)
{
    bool some = true;
    const struct entries_waiting empty = {.last = MODEL_NONE, .parent = MODEL_NONE};
    return add_initial(search) && explore(search) && search_pending(search, &some)
           && finish_path(search, &empty, search->result->expanded, (struct begun){0, 0});
}

/* The p-path whose entries begin at `first` in the list; *end: where the next one's do. */
static bool search_path(struct search *search, uint32_t first, uint32_t *end)
{
    struct partition *own = search->own;
    struct entries *entries = &own->entries;
    const struct entries_list *now = &entries->now.list;
    const struct entries_waiting path = now->data[first];
    const uint64_t before = search->result->expanded;
    const struct begun found = begun(search);
    bool some = false;
    for (*end = first; *end < now->len && entries_are_of_one_path(&now->data[*end], &path); ++*end)
        if (!entries_push_pending(entries, now->data[*end])) return false;
    if (!search_pending(search, &some)) return false;
    if (some) return finish_path(search, &path, search->result->expanded - before, found);
    own->statistics->skipped++;
    return true;
}

static uint64_t count_paths(const struct entries_list *list, uint32_t first)
{
    uint64_t count = 0;
    for (uint32_t i = first; i < list->len; i++)
        count += i == first || !entries_are_of_one_path(&list->data[i], &list->data[i - 1]);
    return count;
}

/* P-paths from those of the layer at hand on, layer by layer. *at: how many of that had their
 * turn. */
static bool search_layers(struct search *search, uint32_t *at)
{
    struct entries *entries = &((struct partition *)search->own)->entries;
    for (; entries->now.list.len; entries_next_layer(entries))
        for (uint32_t end = *at = 0; *at < entries->now.list.len; *at = end)
            if (!search_path(search, *at, &end)) return false;
    return true;
}

/* Initial states wait like all others, in the clusters of their ranks. */
static bool put_initial(struct search *search)
{
    struct partition *own = search->own;
    struct worker *worker = search->worker;
    const struct space_kind *kind = search->space->kind;
    struct entries *entries = &own->entries;
    bool good = true;
    worker->is_refused = false;
    for (bool first = true; good && kind->initial(worker, first); first = false) {
        const struct entries_tail tail = {ORIGINS_INITIAL, search->initial_number, 0, MODEL_NONE};
        if (worker->batch.step_count) {
            good = entries->records->of_step(worker, 0, search->set, own->record)
                   && entries_put_found(entries, own->record, tail);
            search->result->initial_states++;
        }
        batch_clear(&worker->batch);
        search->initial_number++;
    }
    if (worker->is_refused || (!good && search->result->stop == STOP_NONE))
        return poll_stop(search, STOP_MEMORY);
    if (!good || !entries_flush_found(entries)) return false;
    const struct entries_waiting empty = {.last = MODEL_NONE, .parent = MODEL_NONE};
    name_paths(search, &empty, MODEL_NONE, &entries->later.list, 0);
    return true;
}

/* One cluster after the other; each is given up. */
static bool search_clusters(struct search *search, uint32_t *at)
{
    struct partition *own = search->own;
    if (!put_initial(search)) return false;
    for (;;) {
        uint64_t states;
        if (!entries_next_cluster(&own->entries)) return false;
        if (own->entries.rank == ENTRIES_NO_RANK) return true;
        if (!search_layers(search, at)) return false;
        reserve_open(&own->reserve);
        if (!epochs_give_up(&own->epochs, &states)) return false;
        reserve_close(&own->reserve);
        own->cursor = own->added = 0;
        own->before = own->earlier = search->result->expanded;
        own->given_up += states;
        own->statistics->clusters++;
    }
}

static bool search_paths(struct search *search, uint32_t *at)
{
    struct partition *own = search->own;
    if (!search_initial(search)) return false;
    entries_next_layer(&own->entries);
    if (!search_layers(search, at)) return false;
    /* what several partitions visited is known when all is in one place */
    return !own->epochs.number || (end_epoch(search) && epochs_count_words(&own->epochs));
}

static bool search_all(struct search *search)
{
    struct partition *own = search->own;
    struct partition_statistics *statistics = own->statistics;
    const struct entries *entries = &own->entries;
    uint32_t at = 0;
    bool good = entries->by_rank ? search_clusters(search, &at) : search_paths(search, &at);
    if (!good)
        statistics->waiting = count_paths(&entries->now.list, at)
                              + count_paths(&entries->next.list, 0)
                              + count_paths(&entries->later.list, 0);
    statistics->is_net = good;
    return good;
}

static bool run(struct search *search)
{
    struct partition *own = search->own;
    own->entries.crew = own->epochs.done.crew = search->team ? team_crew(search->team) : NULL;
    bool good = search_all(search);
    own->entries.crew = own->epochs.done.crew = NULL;
    reserve_end(&own->reserve);
    return good;
}

/* ---- what the result tells ---- */

static void violated(struct search *search, uint32_t property, struct set *set, uint64_t state,
                     uint32_t failed_rule)
{
    assert(set == search->set);
    (void)set;
    epochs_violated(&((struct partition *)search->own)->epochs, property, state, failed_rule);
}

static uint64_t states(const struct search *search)
{
    const struct partition *own = search->own;
    const uint64_t stored = search->set ? search->set->count : 0;
    if (!own->epochs.done.records && stored >= own->added)
        return own->given_up + search_kept(search);
    if (own->statistics->is_net) return own->given_up + own->epochs.done.records;
    const uint64_t done = own->ample ? search->result->expanded - own->before : own->added;
    const uint64_t seen = own->given_up + search->result->expanded - own->earlier
                          + (stored > done ? stored - done : 0);
    /* when a set was emptied, and there was no memory to fill it again, these are missing in it */
    return seen < search->result->initial_states ? search->result->initial_states : seen;
}

static void sum(const struct search *search, uint64_t *totals)
{
    epochs_sum(&((const struct partition *)search->own)->epochs, totals);
}

static void conclude(struct search *search)
{
    const struct partition *own = search->own;
    struct partition_statistics *statistics = own->statistics;
    statistics->gross_states = search->result->expanded;
    statistics->disk_states = own->epochs.records + own->epochs.done.records;
    statistics->written = own->epochs.done.written;
    if (search->set)
        reached_scan(search->model, &search->space->layout,
                     (struct reached_states){.store = search->set->kind->store(search->set)},
                     search->result, own->epochs.scan);
    reached_end(search->model, search->result);
}

/* ---- before and after ---- */

/* The first worker's batch is as large from the beginning as it nearly always becomes: when it is
 * needed beside a team depends on who was faster, and memory shall be full at the same state each
 * time. */
static void widen_batch(struct batch *batch)
{
    while (batch->state_room < LEAST_ROOM && batch_grow_states(batch)) {
    }
    while (batch->step_room < 2 * LEAST_ROOM && batch_grow_steps(batch)) {
    }
}

static bool begin(struct search *search)
{
    struct mem *mem = search->model->mem;
    struct partition *own = search->own = mem_alloc(mem, sizeof *own);
    own->points = search->task->points;
    own->statistics = search->result->partition = mem_alloc(mem, sizeof *own->statistics);
    own->statistics->points = own->points;
    own->statistics->chosen = search->task->points_chosen;
    if (search->task->threads > 1) widen_batch(&search->worker->batch);
    reserve_init(&own->reserve, mem,
                 search->space->layout.record_bytes + search->space->kind->sets->records->more);
    const uint32_t block = (uint32_t)reserve_share(&own->reserve, 256, LEAST_BLOCK, MOST_BLOCK);
    entries_init(&own->entries, search, &own->reserve, block);
    epochs_init(&own->epochs, search, &own->entries, block);
    own->reached = mem_alloc(mem, (own->points->count + UINT64_C(1)) * sizeof *own->reached);
    own->record = mem_alloc(mem, own->entries.record_bytes + UINT64_C(1));
    if (search->task->reduction != REDUCE_NONE) own->ample = own->epochs.ample = ample_make(search);
    search->set = search->space->kind->sets->make(search->space);
    reserve_keep(&own->reserve);
    return search->set != NULL;
}

static void end(struct search *search)
{
    struct partition *own = search->own;
    if (search->set) search->set->kind->free(search->set);
    entries_release(&own->entries);
    epochs_release(&own->epochs);
    if (own->ample) ample_free(search, own->ample);
    mem_free(search->model->mem, own->reached);
    mem_free(search->model->mem, own->record);
    mem_free(search->model->mem, own);
}

const struct order partition_order = {
    .name = "partition",
    .no_graph = "it needs the whole graph, and partitions are searched one by one: leave out "
                "--partition",
    .begin = begin,
    .run = run,
    .conclude = conclude,
    .end = end,
    .place = place,
    .admit = admit,
    .log = log_steps,
    .relieve = relieve,
    .skips = skips,
    .pauses = pauses,
    .violated = violated,
    .states = states,
    .sum = sum};
