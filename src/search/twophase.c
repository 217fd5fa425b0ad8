/* The order of a reduced search: all states are one set, which is expanded in two phases (ample.h).
 * Counterexamples are paths of the model, in general not shortest.
 *
 * Invariant: result->transitions counts the steps of the reduced graph. */
#include "search/twophase.h"

#include "search/ample.h"
#include "search/path.h"

#include <assert.h>

static bool keeps(const struct search *search, uint64_t state, uint32_t rule)
{
    return ample_keeps(search->own, state, rule);
}

static bool begin(struct search *search)
{
    search->own = ample_make(search);
    search->set = search->space->kind->sets->make(search->space);
    return search->set != NULL;
}

static void end(struct search *search)
{
    if (search->set) search->set->kind->free(search->set);
    ample_free(search, search->own);
}

static bool log_steps(struct search *search, struct worker *worker, const struct batch_state *state,
                      uint32_t first, uint32_t end)
{
    return state->state == SET_NONE /* those begin by themselves */
           || ample_log(search, search->own, worker, state, first, end);
}

static bool run(struct search *search)
{
    return search_add_initial(search) && ample_expand(search, search->own);
}

static void violated(struct search *search, uint32_t property, struct set *set, uint64_t state,
                     uint32_t failed_rule)
{
    struct path path = {0};
    assert(set == search->set && state < set->count);
    for (uint64_t at = state; at != SET_NONE; at = ample_parent(search->own, at))
        vec_push(search->model->mem, &path.states, at);
    path_reverse(&path);
    set->kind->load(set, state, search->worker->other);
    path_show(search, property, path_trace(search, &path), failed_rule, search->worker->other);
}

const struct order twophase_order = {.name = "two-phase",
                                     .begin = begin,
                                     .run = run,
                                     .end = end,
                                     .log = log_steps,
                                     .keeps = keeps,
                                     .violated = violated,
                                     .states = search_kept};
