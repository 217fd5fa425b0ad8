/* Depth-first order, with a stack of states and how far their rules have been tried. A step is
 * taken at a time, with those before it that lead to known states: the stack is the run to the
 * state on its top.
 *
 * Invariant: a step leads from each state of the stack to the one above. */
#include "search/depth.h"

#include "search/path.h"

#include <assert.h>

struct frame {
    uint64_t state;
    struct program_cursor cursor;
};

struct depth {
    struct frame *stack;
    uint64_t len, room;
    uint64_t found; /* the new state that the last step led to, or SET_NONE */
};

static bool begin(struct search *search)
{
    search->own = mem_alloc(search->model->mem, sizeof(struct depth));
    search->lot.most_states = 1;
    search->lot.most_steps = UINT32_MAX;
    search->set = search->space->kind->sets->make(search->space);
    return search->set != NULL;
}

static bool log_steps(struct search *search, struct worker *worker, const struct batch_state *state,
                      uint32_t first, uint32_t end)
{
    struct depth *depth = search->own; /* whose stack is the log */
    (void)state, (void)end;
    if (worker->batch.fresh_count) depth->found = worker->batch.steps[first].to;
    return true;
}

static bool push(struct search *search, uint64_t state)
{
    struct depth *depth = search->own;
    if (depth->len == depth->room) {
        uint64_t room = depth->room ? depth->room + depth->room / 2 : 1024;
        struct frame *stack =
            mem_try_resize(search->model->mem, depth->stack, room * sizeof *stack);
        if (!stack) return poll_stop(search, STOP_MEMORY);
        depth->stack = stack;
        depth->room = room;
    }
    depth->stack[depth->len++] = (struct frame){.state = state};
    if (depth->len > search->result->max_stack) search->result->max_stack = depth->len;
    return true;
}

/* Takes one step from the top of the stack: a new state is pushed, a finished one popped. */
static bool take_step(struct search *search)
{
    struct depth *depth = search->own;
    struct worker *worker = search->worker;
    assert(depth->len && depth->len <= search->set->count);
    struct frame *frame = &depth->stack[depth->len - 1];
    /* the next state is added as it is found: not after the end */
    if (search->lot.stop != STOP_NONE) return poll_stop(search, search->lot.stop);
    if (!search->space->kind->expand_next(worker, search->set, frame->state, &frame->cursor))
        return poll_stop(search, STOP_MEMORY);
    const uint32_t steps = worker->batch.step_count;
    depth->found = SET_NONE;
    bool good = search_add_next(search, worker);
    batch_clear(&worker->batch);
    if (!steps) depth->len--;
    else if (good && depth->found != SET_NONE) good = push(search, depth->found);
    return good;
}

static bool run(struct search *search)
{
    const struct depth *depth = search->own;
    if (!search_add_initial(search)) return false;
    for (uint64_t i = 0, initial = search->set->count; i < initial; i++) {
        if (!push(search, i)) return false;
        while (depth->len)
            if (!search_goes_on(search) || !take_step(search)) return false;
    }
    return true;
}

static void violated(struct search *search, uint32_t property, struct set *set, uint64_t state,
                     uint32_t failed_rule)
{
    const struct depth *depth = search->own;
    struct path path = {0};
    for (uint64_t i = 0; i < depth->len; i++)
        vec_push(search->model->mem, &path.states, depth->stack[i].state);
    if (!depth->len || depth->stack[depth->len - 1].state != state)
        vec_push(search->model->mem, &path.states, state);
    set->kind->load(set, state, search->worker->other);
    path_show(search, property, path_trace(search, &path), failed_rule, search->worker->other);
}

static void show(const struct search *search, struct search_progress *progress)
{
    progress->depth = ((const struct depth *)search->own)->len;
}

static void end(struct search *search)
{
    struct depth *depth = search->own;
    if (search->set) search->set->kind->free(search->set);
    mem_free(search->model->mem, depth->stack);
    mem_free(search->model->mem, depth);
}

const struct order depth_order = {.name = "dfs",
                                  .begin = begin,
                                  .run = run,
                                  .end = end,
                                  .log = log_steps,
                                  .violated = violated,
                                  .states = search_kept,
                                  .show = show};
