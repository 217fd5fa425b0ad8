/* Breadth-first order. States are expanded in the order of their numbers, level by level; who
 * discovered whom is two bits per state (parents.h).
 *
 * Invariants: (1) states before the cursor are expanded, or another one stands for them; (2) the
 * log of parents has one zero per state, in the order of numbers, and a one for each whose turn has
 * come. */
#include "search/breadth.h"

#include "search/levels.h"
#include "search/parents.h"
#include "search/path.h"

#include <assert.h>

struct breadth {
    struct parents parents;
    uint64_t begun; /* states whose turn the log knows of */
    struct levels levels;
};

static bool begin(struct search *search)
{
    struct breadth *breadth = search->own = mem_alloc(search->model->mem, sizeof *breadth);
    parents_init(&breadth->parents, search->model->mem);
    search->result->has_depth = true;
    search->set = search->space->kind->sets->make(search->space);
    return search->set != NULL;
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
    return good || poll_stop(search, STOP_MEMORY);
}

static bool run(struct search *search)
{
    struct breadth *breadth = search->own;
    struct result *result = search->result;
    struct set *set = search->set;
    uint64_t cursor = 0;
    if (!search_add_initial(search)) return false;
    for (;; result->depth++) {
        set->next_level = set->count;
        assert(breadth->parents.zeros == set->count); /* (2) */
        assert(cursor <= set->count);                 /* (1) */
        if (!levels_push(search, &breadth->levels, set_kept(set))) return false;
        if (search->task->max_depth && result->depth >= search->task->max_depth)
            return poll_stop(search, STOP_DEPTH);
        if (!search_expand(search, &cursor, set->next_level)) return false;
        if (cursor == set->count) return true;
    }
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
    set->kind->load(set, state, worker->other);
    path_show(search, property, path_trace(search, &path), failed_rule, worker->other);
}

static uint64_t states(const struct search *search) { return set_kept(search->set); }

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
    parents_release(&breadth->parents);
    mem_free(search->model->mem, breadth);
}

const struct order breadth_order = {.name = "bfs",
                                    .merges = true,
                                    .begin = begin,
                                    .run = run,
                                    .conclude = conclude,
                                    .end = end,
                                    .log = log_steps,
                                    .violated = violated,
                                    .states = states};
