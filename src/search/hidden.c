/* The algorithm of the paper (figures 3 and 4), with a search of our own in place of a foreign one.
 * For each p-path on a stack, the model is searched from its initial states, guided: as long as a
 * run is on the p-path it takes the p-points of the path in their order and no others; behind its
 * end, a p-point is noted as a continuation, and not taken. Each continuation is pushed. A p-path
 * without any is complete.
 *
 * How far a run has come on the p-path, its position, is hidden: states are compared without it. So
 * there is an end, because a longer p-path needs more states; and so coverage is not guaranteed: a
 * state that is reached first with one position stands for the same state with another one, and
 * what only that one leads to is lost. Unlike the paper we verify in every partition, not in
 * complete ones alone.
 *
 * Every p-path is searched breadth-first, so that the log of parents gives its counterexamples.
 * P-paths are taken from the stack some at a time, so that several threads can search them ahead
 * (scouts.h); their order is the same with one thread.
 *
 * Invariants: (1) every state of the set has a position, at most the length of the p-path at hand;
 * (2) the parents of a p-path in the list come before it. */
#include "search/hidden.h"

#include "past/summary.h"
#include "program/reached.h"
#include "search/parents.h"
#include "search/path.h"
#include "search/points.h"
#include "search/scouts.h"

#include <assert.h>
#include <string.h>

enum { AT_ONCE = 64 }; /* p-paths taken from the stack */

/* The search of one p-path. */
struct walk {
    const struct points *points;
    const struct p_path *paths; /* the list of them */
    struct parents parents;
    uint64_t begun;      /* states whose turn the log knows of */
    uint32_t *positions; /* per state */
    uint64_t position_room;
    uint32_t *path; /* p-points of the path at hand */
    uint32_t length;
    uint64_t path_room;
    bool *continues;               /* per p-point */
    uint64_t totals[SUMMARY_MORE]; /* what sets of earlier p-paths counted of their own */
};

/* A p-path that was taken from the stack. */
struct turn {
    uint32_t path; /* in the list of p-paths */
    uint32_t length;
    uint64_t states;
    bool *continues;
};

struct hidden {
    struct walk walk; /* first: it is known by it */
    struct partition_statistics *statistics;
    uint32_t *stack; /* p-paths that wait, in the list of p-paths */
    uint64_t stack_len, stack_room;
    uint64_t list_room;
    struct scouts *scouts; /* NULL: one thread */
    struct turn turns[AT_ONCE];
    bool done[AT_ONCE];        /* by a scout */
    uint32_t turn_count, turn; /* ... and whose turn it is */
};

static bool grow(struct search *search, void **list, uint64_t len, uint64_t *room, size_t size)
{
    if (len < *room) return true;
    uint64_t more = *room ? 2 * *room : 16;
    void *larger = mem_try_resize(search->model->mem, *list, more * size);
    if (!larger) return poll_stop(search, STOP_MEMORY);
    *list = larger;
    *room = more;
    return true;
}

/* ---- one state ---- */

/* A step that stays in its region has its position as tag. A p-point has its number + 1 before
 * that, and leads nowhere unless it follows the p-path. */
static uint64_t place_point(const struct walk *own, struct batch_step *step, uint32_t point,
                            uint32_t position)
{
    const bool follows = position < own->length && own->path[position] == point;
    if (!follows) step->set = NULL;
    return (uint64_t)(point + 1) << 32 | (position + follows);
}

static void place(const struct search *search, struct worker *worker, uint32_t first, uint32_t end)
{
    const struct walk *own = search->own;
    const struct points *points = own->points;
    const struct batch *batch = &worker->batch;
    const uint64_t state = batch->states[batch->state_count - 1].state;
    const uint32_t position = state == SET_NONE ? 0 : own->positions[state];
    for (uint32_t i = first; i < end; i++) {
        struct batch_step *step = &batch->steps[i];
        step->tag = position;
        if (state == SET_NONE) continue;
        const uint32_t point = points_of(points, &search->space->layout, step->fast->rule,
                                         worker->words, batch_words(batch, i));
        if (point != MODEL_NONE) step->tag = place_point(own, step, point, position);
    }
}

/* P-points behind the end of the p-path continue it. */
static bool admit(struct search *search, struct worker *worker, struct batch_state *state)
{
    struct walk *own = search->own;
    const struct batch_step *steps = worker->batch.steps;
    if (state->state == SET_NONE || own->positions[state->state] < own->length) return true;
    for (uint32_t i = state->first; i < state->first + state->steps; i++)
        if (steps[i].tag >> 32) own->continues[(steps[i].tag >> 32) - 1] = true;
    return true;
}

static bool log_steps(struct search *search, struct worker *worker, const struct batch_state *state,
                      uint32_t first, uint32_t end)
{
    struct walk *own = search->own;
    const struct batch *batch = &worker->batch;
    bool good = true;
    (void)first, (void)end;
    if (state->state != SET_NONE)
        for (; good && own->begun <= state->state; own->begun += good)
            good = parents_expand(&own->parents);
    while (good && search->set->count > own->position_room)
        good = grow(search, (void **)&own->positions, own->position_room, &own->position_room,
                    sizeof *own->positions);
    for (uint32_t f = 0; good && f < batch->fresh_count; f++) {
        const struct batch_step *step = &batch->steps[batch->fresh[f]];
        own->positions[step->to] = (uint32_t)step->tag;
        assert(own->positions[step->to] <= own->length); /* (1) */
        good = parents_found(&own->parents);
    }
    return good || poll_stop(search, STOP_MEMORY);
}

/* ---- one p-path ---- */

/* The p-points of a p-path of the list. */
static bool spell(struct search *search, uint32_t path)
{
    struct walk *own = search->own;
    const struct p_path *paths = own->paths;
    own->length = 0;
    for (uint32_t at = path; paths[at].parent != MODEL_NONE; at = paths[at].parent) own->length++;
    while (own->path_room < own->length)
        if (!grow(search, (void **)&own->path, own->path_room, &own->path_room, sizeof *own->path))
            return false;
    uint32_t left = own->length;
    for (uint32_t at = path; paths[at].parent != MODEL_NONE; at = paths[at].parent)
        own->path[--left] = paths[at].point;
    return true;
}

static bool push(struct search *search, uint32_t parent, uint32_t point)
{
    struct hidden *own = search->own;
    struct partition_statistics *statistics = own->statistics;
    if (!grow(search, (void **)&statistics->paths, statistics->path_count, &own->list_room,
              sizeof *statistics->paths)
        || !grow(search, (void **)&own->stack, own->stack_len, &own->stack_room,
                 sizeof *own->stack))
        return false;
    if (statistics->path_count == UINT32_MAX - 1) return poll_stop(search, STOP_MEMORY);
    assert(parent == MODEL_NONE || parent < statistics->path_count); /* (2) */
    statistics->paths[statistics->path_count] = (struct p_path){parent, point, 0};
    own->stack[own->stack_len++] = statistics->path_count++;
    return true;
}

static bool empty_set(struct search *search)
{
    struct walk *own = search->own;
    const struct set_kind *sets = search->space->kind->sets;
    parents_clear(&own->parents);
    own->begun = 0;
    if (search->set && sets->sum) sets->sum(search->set, own->totals);
    if (search->set && sets->clear(search->set)) return true;
    if (search->set) sets->free(search->set);
    search->set = sets->make(search->space);
    return search->set || poll_stop(search, STOP_MEMORY);
}

static bool search_path(struct search *search, struct turn *turn)
{
    struct walk *own = search->own;
    const uint64_t initial = search->result->initial_states, before = search->result->expanded;
    uint64_t cursor = 0;
    own->continues = turn->continues;
    memset(own->continues, 0, own->points->count * sizeof *own->continues);
    if (!spell(search, turn->path) || !empty_set(search) || !search_add_initial(search))
        return false;
    if (turn->path) search->result->initial_states = initial;
    if (!search_expand(search, &cursor, SET_NONE)) return false;
    turn->length = own->length;
    turn->states = search->result->expanded - before;
    return search->lot.stop == STOP_NONE || poll_stop(search, search->lot.stop);
}

/* Gross: those of every p-path. */
static uint64_t states(const struct search *search) { return search->result->expanded; }

static const struct order scout_order = {.name = "hidden",
                                         .place = place,
                                         .admit = admit,
                                         .log = log_steps,
                                         .violated = scouts_violated,
                                         .states = states,
                                         .show = scouts_show};

/* ---- all of them ---- */

/* The p-path is searched. */
static bool finish_path(struct search *search, const struct turn *turn)
{
    struct hidden *own = search->own;
    struct partition_statistics *statistics = own->statistics;
    bool some = false;
    if (!search_goes_on(search)) return false;
    statistics->partitions++;
    statistics->paths[turn->path].states = turn->states;
    if (turn->states > statistics->largest) statistics->largest = turn->states;
    if (turn->length > statistics->longest) statistics->longest = turn->length;
    for (uint32_t p = own->walk.points->count; p-- > 0;) {
        some |= turn->continues[p];
        if (turn->continues[p] && !push(search, turn->path, p)) return false;
    }
    statistics->complete_paths += !some;
    return true;
}

/* A scout's. */
static bool scout_path(struct search *scout, void *context, uint32_t number)
{
    struct hidden *chief = context;
    struct walk *own = scout->own = mem_try_alloc(scout->model->mem, sizeof *own);
    if (!own) return false;
    own->points = chief->walk.points;
    own->paths = chief->walk.paths;
    parents_init(&own->parents, scout->model->mem);
    return search_path(scout, &chief->turns[number]);
}

/* The p-paths at the top of the stack. */
static bool search_some(struct search *search)
{
    struct hidden *own = search->own;
    own->walk.paths = own->statistics->paths;
    for (own->turn_count = own->turn = 0; own->stack_len && own->turn_count < AT_ONCE;) {
        own->done[own->turn_count] = false;
        own->turns[own->turn_count++].path = own->stack[--own->stack_len];
    }
    if (own->scouts && own->turn_count > 1
        && (!empty_set(search)
            || !scouts_search(own->scouts, scout_path, own, own->done, own->turn_count)))
        return false;
    for (; own->turn < own->turn_count; own->turn++) {
        struct turn *turn = &own->turns[own->turn];
        own->walk.paths = own->statistics->paths; /* which may have grown */
        if ((!own->done[own->turn] && !search_path(search, turn)) || !finish_path(search, turn))
            return false;
    }
    return true;
}

static void abandon(struct search *search)
{
    struct hidden *own = search->own;
    if (own->scouts) scouts_dismiss(own->scouts);
    own->scouts = NULL;
}

static bool run(struct search *search)
{
    struct hidden *own = search->own;
    bool good = push(search, MODEL_NONE, MODEL_NONE) && search_some(search);
    if (good) own->scouts = scouts_call(search, &scout_order);
    if (own->scouts) search->result->threads = scouts_count(own->scouts);
    while (good && own->stack_len) good = search_some(search);
    abandon(search);
    own->statistics->waiting = own->stack_len + (own->turn_count - own->turn);
    return good && poll_stop(search, STOP_HIDDEN);
}

static void violated(struct search *search, uint32_t property, struct set *set, uint64_t state,
                     uint32_t failed_rule)
{
    const struct walk *own = search->own;
    struct path path = {0};
    for (uint64_t at = state; at != PARENTS_NONE; at = parents_of(&own->parents, at))
        vec_push(search->model->mem, &path.states, at);
    path_reverse(&path);
    set->kind->load(set, state, search->worker->other);
    path_show(search, property, path_trace(search, &path), failed_rule, search->worker->other);
}

static void sum(const struct search *search, uint64_t *totals)
{
    const struct walk *own = search->own;
    const struct set_kind *sets = search->space->kind->sets;
    assert(sets->more <= SUMMARY_MORE);
    memcpy(totals, own->totals, sets->more * sizeof *totals);
    if (search->set && sets->sum) sets->sum(search->set, totals);
}

/* ---- before and after ---- */

static bool begin(struct search *search)
{
    struct mem *mem = search->model->mem;
    struct hidden *own = search->own = mem_alloc(mem, sizeof *own);
    const uint64_t points = search->task->points->count + UINT64_C(1);
    own->walk.points = search->task->points;
    parents_init(&own->walk.parents, mem);
    own->statistics = search->result->partition = mem_alloc(mem, sizeof *own->statistics);
    own->statistics->points = search->task->points;
    own->statistics->chosen = search->task->points_chosen;
    own->statistics->hidden = true;
    own->turns[0].continues = mem_alloc(mem, AT_ONCE * points * sizeof(bool));
    for (uint32_t i = 1; i < AT_ONCE; i++)
        own->turns[i].continues = own->turns[i - 1].continues + points;
    search->lot.most_states = 1;
    search->lot.most_steps = UINT32_MAX;
    return true;
}

static void conclude(struct search *search)
{
    ((struct hidden *)search->own)->statistics->gross_states = search->result->expanded;
    if (search->set)
        reached_find(search->model, &search->space->layout,
                     (struct reached_states){.store = search->set->kind->store(search->set)},
                     search->result);
}

static void end(struct search *search)
{
    struct hidden *own = search->own;
    struct mem *mem = search->model->mem;
    if (search->set) search->set->kind->free(search->set);
    parents_release(&own->walk.parents);
    mem_free(mem, own->walk.positions);
    mem_free(mem, own->walk.path);
    mem_free(mem, own->stack);
    mem_free(mem, own->turns[0].continues);
    mem_free(mem, own);
}

const struct order hidden_order = {.name = "hidden",
                                   .has_scouts = true,
                                   .no_graph = "it needs the whole graph, and partitions are "
                                               "searched one by one: leave out --partition",
                                   .begin = begin,
                                   .run = run,
                                   .abandon = abandon,
                                   .conclude = conclude,
                                   .end = end,
                                   .place = place,
                                   .admit = admit,
                                   .log = log_steps,
                                   .violated = violated,
                                   .states = states,
                                   .sum = sum};
