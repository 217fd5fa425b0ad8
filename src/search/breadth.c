/* Breadth-first order. States are expanded in the order of their numbers, level by level; who
 * discovered whom is two bits per state (parents.h). A set that forgets states is told which are
 * expanded; then the rules that found them are kept instead (ways.h).
 *
 * Invariants: (1) states before the cursor are expanded, or another one stands for them; (2) the
 * log of parents has one zero per state, in the order of numbers, and a one for each whose turn has
 * come; (3) the words of initial states, and of those that a team may expand again, are kept.
 *
 * With a folder, what is known when a level begins is kept in files (snapshot.h). */
#include "search/breadth.h"

#include "base/checked.h"
#include "search/levels.h"
#include "search/parents.h"
#include "search/path.h"
#include "search/snapshot.h"
#include "search/ways.h"

#include <assert.h>

#ifdef CAIRN_TEST_HOOKS
enum { FORGET_STATES = 256 };
#else
enum { FORGET_STATES = 1 << 13 }; /* more than a round of a team has: so many are kept */
#endif

struct breadth {
    struct parents parents;
    struct ways ways;
    uint64_t begun; /* states whose turn the log knows of */
    struct levels levels;
    struct snapshot *snapshot; /* or NULL: nothing of it is in files */
};

static bool begin(struct search *search)
{
    struct breadth *breadth = search->own = mem_alloc(search->model->mem, sizeof *breadth);
    parents_init(&breadth->parents, search->model->mem);
    search->result->has_depth = true;
    search->set = search->space->kind->sets->make(search->space);
    if (search->set && (search->set->kind->forget || search->space->folds_at != SET_NONE))
        ways_init(&breadth->ways, search->model->mem, search->model->rules.len);
    if (!search->set || !search->task->freeze) return search->set != NULL;
    breadth->snapshot =
        snapshot_open(&(struct snapshot_search){search, &breadth->parents, &breadth->levels});
    return breadth->snapshot != NULL;
}

/* A state that is the first of a lot of states is expanded: those before the last lot are done. */
static void forget(struct search *search, uint64_t state)
{
    const uint64_t end = state > FORGET_STATES ? state - FORGET_STATES : 0,
                   first = end > FORGET_STATES ? end - FORGET_STATES : 0,
                   initial = search->result->initial_states;
    if (search->set->kind->forget && end > initial)
        search->set->kind->forget(search->set, first > initial ? first : initial, end); /* (3) */
}

static bool log_ways(struct breadth *breadth, const struct batch *batch)
{
    bool good = true;
    for (uint32_t i = 0; good && i < batch->fresh_count; i++) {
        const struct fast_rule *fast = batch->steps[batch->fresh[i]].fast;
        good = ways_put(&breadth->ways, fast ? fast->rule : 0);
    }
    return good;
}

static bool log_steps(struct search *search, struct worker *worker, const struct batch_state *state,
                      uint32_t first, uint32_t end)
{
    struct breadth *breadth = search->own;
    bool good = true;
    (void)first, (void)end;
    if (state->state != SET_NONE)
        for (; good && breadth->begun <= state->state; breadth->begun += good)
            good = parents_expand(&breadth->parents);
    for (uint32_t i = 0; good && i < worker->batch.fresh_count; i++)
        good = parents_found(&breadth->parents);
    if (good && breadth->ways.width) good = log_ways(breadth, &worker->batch);
    if (state->state != SET_NONE && !(state->state % FORGET_STATES)) forget(search, state->state);
    return good || poll_stop(search, STOP_MEMORY);
}

/* Bits of the log: one for each state whose turn has come, one for each that was found. */
static bool reserve_log(struct search *search, uint64_t last, uint64_t news)
{
    struct breadth *breadth = search->own;
    return last >= breadth->begun
           && parents_reserve(&breadth->parents, last + 1 - breadth->begun + news)
           && (!breadth->ways.width || ways_reserve(&breadth->ways, news));
}

static void log_told(struct search *search, uint64_t state, const uint32_t *rules, uint32_t news)
{
    struct breadth *breadth = search->own;
    bool good = true;
    for (; breadth->begun <= state; breadth->begun++) good &= parents_expand(&breadth->parents);
    for (uint32_t i = 0; i < news; i++) {
        good &= parents_found(&breadth->parents);
        if (breadth->ways.width) good &= ways_put(&breadth->ways, rules[i]);
    }
    assert(good);
    (void)good;
    if (!(state % FORGET_STATES)) forget(search, state);
}

/* A level begins with the states that are known by now. False: the search must end. */
static bool begin_level(struct search *search, uint64_t cursor)
{
    struct breadth *breadth = search->own;
    struct set *set = search->set;
    set->next_level = set->count;
    assert(breadth->parents.zeros == set->count); /* (2) */
    assert(cursor <= set->count);                 /* (1) */
    return levels_push(search, &breadth->levels, set_kept(set))
           && (!breadth->snapshot || snapshot_level(breadth->snapshot, cursor, false));
}

static bool expand_levels(struct search *search, uint64_t *cursor)
{
    struct result *result = search->result;
    for (;;) {
        if (search->task->max_depth && result->depth >= search->task->max_depth)
            return poll_stop(search, STOP_DEPTH);
        if (!search_expand(search, cursor, search->set->next_level)) return false;
        assert(*cursor == search->set->next_level); /* (1) */
        if (*cursor == search->set->count) return true;
        result->depth++;
        if (!begin_level(search, *cursor)) return false;
    }
}

/* From the beginning, or from the last level that an earlier run has left in files. */
static bool expand_all(struct search *search)
{
    struct breadth *breadth = search->own;
    uint64_t cursor = 0;
    bool is_whole = false;
    if (breadth->snapshot && !snapshot_resume(breadth->snapshot, &cursor, &is_whole)) return false;
    if (is_whole) return true;
    assert(!breadth->levels.count == !breadth->parents.bits || !search->set->count);
    if (breadth->levels.count) {
        breadth->begun = breadth->parents.bits - breadth->parents.zeros;
        search->set->next_level = search->set->count;
        if (!search_end_lot(search)) return false;
    } else if (!search_add_initial(search) || !begin_level(search, cursor)) return false;
    return expand_levels(search, &cursor)
           && (!breadth->snapshot || snapshot_level(breadth->snapshot, cursor, true));
}

static bool run(struct search *search)
{
    struct breadth *breadth = search->own;
    bool good = expand_all(search);
    if (breadth->snapshot) snapshot_close(breadth->snapshot);
    breadth->snapshot = NULL;
    CHECKED(parents_check(&breadth->parents));
    return good && search->result->stop == STOP_NONE;
}

static void abandon(struct search *search)
{
    const struct breadth *breadth = search->own;
    if (breadth->snapshot) snapshot_abandon(breadth->snapshot);
}

/* The run through these states, first to last, by the rules that found them; the path is released.
 */
static struct trace *trace_ways(const struct search *search, struct path *path)
{
    const struct breadth *breadth = search->own;
    const uint64_t *states = path->states.data;
    struct trace *trace = trace_new(search->model, path->states.len - 1);
    search->set->kind->load(search->set, states[0], search->worker->other);
    layout_unpack(&search->space->layout, search->model, search->worker->other, trace->initial);
    for (uint32_t i = 1; i < path->states.len; i++)
        trace->rules[i - 1] = ways_of(&breadth->ways, states[i]);
    vec_free(search->model->mem, &path->states);
    return trace;
}

static void violated(struct search *search, uint32_t property, struct set *set, uint64_t state,
                     uint32_t failed_rule)
{
    const struct breadth *breadth = search->own;
    struct worker *worker = search->worker;
    struct path path = {0};
    for (uint64_t at = state; at != PARENTS_NONE; at = parents_of(&breadth->parents, at))
        vec_push(search->model->mem, &path.states, at);
    path_reverse(&path);
    if (breadth->snapshot) snapshot_violated(breadth->snapshot, property, state, failed_rule);
    struct trace *trace =
        breadth->ways.width ? trace_ways(search, &path) : path_trace(search, &path);
    set->kind->load(set, state, worker->other);
    path_show(search, property, trace, failed_rule, worker->other);
}

static void conclude(struct search *search)
{
    const struct breadth *breadth = search->own;
    search->result->levels = breadth->levels.list;
    search->result->level_count = breadth->levels.count;
}

static void end(struct search *search)
{
    struct breadth *breadth = search->own;
    if (search->set) search->set->kind->free(search->set);
    if (breadth->snapshot) snapshot_close(breadth->snapshot);
    parents_release(&breadth->parents);
    if (breadth->ways.width) ways_release(&breadth->ways);
    mem_free(search->model->mem, breadth);
}

static void show(const struct search *search, struct search_progress *progress)
{
    (void)search;
    progress->by_levels = true;
}

const struct order breadth_order = {.name = "bfs",
                                    .merges = true,
                                    .can_forget = true,
                                    .can_fold = true,
                                    .begin = begin,
                                    .run = run,
                                    .abandon = abandon,
                                    .conclude = conclude,
                                    .end = end,
                                    .log = log_steps,
                                    .log_told = log_told,
                                    .reserve_log = reserve_log,
                                    .violated = violated,
                                    .states = search_kept,
                                    .show = show};
