/* The algorithm of the paper (figures 3 and 4), with an engine of our own in place of a foreign one. For each p-path on a stack, the model is searched from its initial states, guided: as long as a run is
 * on the p-path it takes the p-points of the path in their order and no others; behind its end, a p-point is noted as a continuation, and not taken. Each continuation is pushed. A p-path without any is complete.
 *
 * How far a run has come on the p-path, its position, is hidden: states are compared without it. So there is an end, because a longer p-path needs more states; and so coverage is not guaranteed:
 * a state that is reached first with one position stands for the same state with another one, and what only that one leads to is lost. Unlike the paper we verify in every partition, not in complete ones alone.
 *
 * Every search is breadth-first, so that `parents` gives its counterexamples. */
#include "engine/explicit/hidden.h"

#include "engine/explicit/points.h"
#include "model/eval.h"

#include <string.h>

struct guided {
    struct search *search;
    struct partition_statistics *statistics;
    const struct points *points;
    uint32_t *positions; /* per state */
    uint64_t position_room;
    uint32_t *path;      /* p-points of the path at hand */
    uint32_t length;
    uint32_t *stack;     /* p-paths that wait, in the list of p-paths */
    uint64_t stack_len, stack_room;
    uint64_t path_room, list_room;
    bool *continues;     /* per p-point */
};

static bool refused(struct guided *guided)
{
    return visit_stop(guided->search, STOP_MEMORY);
}

static bool grow(struct guided *guided, void **list, uint64_t len, uint64_t *room, size_t size)
{
    if (len < *room) return true;
    uint64_t more = *room ? 2 * *room : 16;
    void *larger = mem_try_resize(guided->search->model->mem, *list, more * size);
    if (!larger) return refused(guided);
    *list = larger;
    *room = more;
    return true;
}

/* A state with its position, unless it is known with another one. */
static bool add(struct guided *guided, const uint64_t *words, uint32_t position, uint64_t bits)
{
    struct search *search = guided->search;
    uint32_t index;
    if (!grow(guided, (void **)&guided->positions, search->store.count, &guided->position_room, sizeof *guided->positions)) return false;
    enum store_result added = store_add(&search->store, words, store_hash(words, search->store.record_bytes), &index);
    if (added == STORE_REFUSED || (added == STORE_NEW && !parents_found(&search->parents))) return refused(guided);
    if (added != STORE_NEW) return true;
    guided->positions[index] = position;
    visit_watch(search, bits, words, index, NULL);
    return true;
}

static bool add_initial(struct guided *guided, bool count)
{
    struct search *search = guided->search;
    eval_first_initial(search->model, search->values);
    do {
        layout_pack(&search->space.layout, search->model, search->values, search->space.next);
        if (!add(guided, search->space.next, 0, search->active)) return false;
        search->result->initial_states += count;
        visit_report_findings(search);
    } while (eval_next_initial(search->model, search->values));
    return true;
}

static bool expand(struct guided *guided, uint32_t state)
{
    struct search *search = guided->search;
    struct space *space = &search->space;
    struct program_cursor cursor;
    const struct fast_rule *fast;
    enum step step;
    uint32_t failed_rule = MODEL_NONE, position = guided->positions[state];
    bool enabled = false;
    if (!parents_expand(&search->parents)) return refused(guided);
    space_load(space, state);
    program_start(&space->program, &cursor);
    while ((step = program_next(&space->program, &cursor, space->words, space->next, &fast)) != STEP_NONE) {
        if (step == STEP_FAILED) {
            if (failed_rule == MODEL_NONE) failed_rule = fast->rule;
            else search->result->runtime_errors++;
            continue;
        }
        enabled = true;
        search->result->transitions++;
        search->result->taken[fast->rule]++;
        uint32_t point = points_of(guided->points, &space->layout, fast->rule, space->words, space->next);
        if (point != MODEL_NONE && position == guided->length) guided->continues[point] = true;
        bool stays = point == MODEL_NONE, follows = !stays && position < guided->length && guided->path[position] == point;
        if ((stays || follows) && !add(guided, space->next, position + follows, fast->touches & search->active)) return false;
    }
    visit_report_findings(search);
    if (!enabled) visit_dead_end(search, state);
    if (failed_rule != MODEL_NONE) visit_rule_failed(search, state, failed_rule);
    search->result->expanded++;
    return true;
}

/* The p-points of a p-path of the list. */
static bool spell(struct guided *guided, uint32_t path)
{
    const struct p_path *paths = guided->statistics->paths;
    guided->length = 0;
    for (uint32_t at = path; paths[at].parent != MODEL_NONE; at = paths[at].parent) guided->length++;
    while (guided->path_room < guided->length)
        if (!grow(guided, (void **)&guided->path, guided->path_room, &guided->path_room, sizeof *guided->path)) return false;
    uint32_t left = guided->length;
    for (uint32_t at = path; paths[at].parent != MODEL_NONE; at = paths[at].parent) guided->path[--left] = paths[at].point;
    return true;
}

static bool push(struct guided *guided, uint32_t parent, uint32_t point)
{
    struct partition_statistics *statistics = guided->statistics;
    if (!grow(guided, (void **)&statistics->paths, statistics->path_count, &guided->list_room, sizeof *statistics->paths)) return false;
    if (!grow(guided, (void **)&guided->stack, guided->stack_len, &guided->stack_room, sizeof *guided->stack)) return false;
    if (statistics->path_count == UINT32_MAX - 1) return refused(guided);
    statistics->paths[statistics->path_count] = (struct p_path){parent, point, 0};
    guided->stack[guided->stack_len++] = statistics->path_count++;
    return true;
}

static bool empty_store(struct guided *guided)
{
    struct search *search = guided->search;
    parents_release(&search->parents);
    store_release(&search->store);
    return store_init(&search->store, search->model->mem, search->space.layout.record_bytes) || refused(guided);
}

static bool search_path(struct guided *guided, uint32_t path)
{
    struct search *search = guided->search;
    struct partition_statistics *statistics = guided->statistics;
    bool some = false;
    memset(guided->continues, 0, guided->points->count * sizeof *guided->continues);
    if (!spell(guided, path) || !empty_store(guided) || !add_initial(guided, !path)) return false;
    for (uint64_t cursor = 0; cursor < search->store.count; cursor++)
        if (!visit_poll(search, 0) || !expand(guided, (uint32_t)cursor)) return false;
    if (!visit_poll(search, 0)) return false;
    statistics->partitions++;
    statistics->paths[path].states = search->store.count;
    if (search->store.count > statistics->largest) statistics->largest = search->store.count;
    if (guided->length > statistics->longest) statistics->longest = guided->length;
    for (uint32_t p = guided->points->count; p-- > 0;) {
        some |= guided->continues[p];
        if (guided->continues[p] && !push(guided, path, p)) return false;
    }
    statistics->complete_paths += !some;
    return true;
}

bool hidden_run(struct search *search)
{
    struct mem *mem = search->model->mem;
    struct guided guided = {.search = search, .points = search->task->points, .statistics = mem_alloc(mem, sizeof *guided.statistics)};
    search->result->partition = guided.statistics;
    guided.statistics->points = guided.points;
    guided.statistics->chosen = search->task->points_chosen;
    guided.statistics->hidden = true;
    guided.continues = mem_alloc(mem, (guided.points->count + UINT64_C(1)) * sizeof *guided.continues);
    bool good = push(&guided, MODEL_NONE, MODEL_NONE);
    while (good && guided.stack_len) good = search_path(&guided, guided.stack[--guided.stack_len]);
    guided.statistics->waiting = guided.stack_len;
    guided.statistics->gross_states = search->result->expanded;
    mem_free(mem, guided.positions);
    mem_free(mem, guided.path);
    mem_free(mem, guided.stack);
    mem_free(mem, guided.continues);
    return good ? visit_stop(search, STOP_HIDDEN) : false;
}
