/* The algorithm of the paper (figures 3 and 4), with an engine of our own in place of a foreign
 * one. For each p-path on a stack, the model is searched from its initial states, guided: as long
 * as a run is on the p-path it takes the p-points of the path in their order and no others; behind
 * its end, a p-point is noted as a continuation, and not taken. Each continuation is pushed. A
 * p-path without any is complete.
 *
 * How far a run has come on the p-path, its position, is hidden: states are compared without it. So
 * there is an end, because a longer p-path needs more states; and so coverage is not guaranteed: a
 * state that is reached first with one position stands for the same state with another one, and
 * what only that one leads to is lost. Unlike the paper we verify in every partition, not in
 * complete ones alone.
 *
 * Every search is breadth-first, so that `parents` gives its counterexamples. P-paths are taken
 * from the stack some at a time, so that several threads can search them ahead (scouts.h); their
 * order is the same with one thread. */
#include "engine/explicit/hidden.h"

#include "base/crew.h"
#include "engine/explicit/points.h"
#include "engine/explicit/scouts.h"
#include "model/eval.h"

#include <string.h>

enum { AT_ONCE = 64 }; /* p-paths taken from the stack */

struct guided {
    struct search *search;
    struct partition_statistics *statistics;
    const struct points *points;
    uint32_t *positions; /* per state */
    uint64_t position_room;
    uint32_t *path; /* p-points of the path at hand */
    uint32_t length;
    uint32_t *stack; /* p-paths that wait, in the list of p-paths */
    uint64_t stack_len, stack_room;
    uint64_t path_room, list_room;
    bool *continues;               /* per p-point */
    struct scouts *scouts;         /* NULL: one thread */
    struct scouted turns[AT_ONCE]; /* p-paths taken from the stack ... */
    uint32_t turn_count, turn;     /* ... and whose turn it is */
};

static bool refused(struct guided *guided) { return visit_stop(guided->search, STOP_MEMORY); }

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
    if (!grow(guided, (void **)&guided->positions, search->store.count, &guided->position_room,
              sizeof *guided->positions))
        return false;
    enum store_result added =
        store_add32(&search->store, words, store_hash(words, search->store.record_bytes), &index);
    if (added == STORE_REFUSED || (added == STORE_NEW && !parents_found(&search->parents)))
        return refused(guided);
    if (added != STORE_NEW) return true;
    guided->positions[index] = position;
    visit_watch(search, bits, words, index);
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
    while ((step = program_next(&space->program, &cursor, space->words, space->next, &fast))
           != STEP_NONE) {
        if (step == STEP_FAILED) {
            if (failed_rule == MODEL_NONE) failed_rule = fast->rule;
            else search->result->runtime_errors++;
            continue;
        }
        enabled = true;
        search->result->transitions++;
        search->result->taken[fast->rule]++;
        uint32_t point =
            points_of(guided->points, &space->layout, fast->rule, space->words, space->next);
        if (point != MODEL_NONE && position == guided->length) guided->continues[point] = true;
        bool stays = point == MODEL_NONE,
             follows = !stays && position < guided->length && guided->path[position] == point;
        if ((stays || follows)
            && !add(guided, space->next, position + follows, fast->touches & search->active))
            return false;
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
    for (uint32_t at = path; paths[at].parent != MODEL_NONE; at = paths[at].parent)
        guided->length++;
    while (guided->path_room < guided->length)
        if (!grow(guided, (void **)&guided->path, guided->path_room, &guided->path_room,
                  sizeof *guided->path))
            return false;
    uint32_t left = guided->length;
    for (uint32_t at = path; paths[at].parent != MODEL_NONE; at = paths[at].parent)
        guided->path[--left] = paths[at].point;
    return true;
}

static bool push(struct guided *guided, uint32_t parent, uint32_t point)
{
    struct partition_statistics *statistics = guided->statistics;
    if (!grow(guided, (void **)&statistics->paths, statistics->path_count, &guided->list_room,
              sizeof *statistics->paths))
        return false;
    if (!grow(guided, (void **)&guided->stack, guided->stack_len, &guided->stack_room,
              sizeof *guided->stack))
        return false;
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
    return store_init(&search->store, search->model->mem, search->space.layout.record_bytes)
           || refused(guided);
}

/* The p-path is searched. */
static bool finish_path(struct guided *guided, uint32_t path, uint64_t states,
                        const bool *continues)
{
    struct partition_statistics *statistics = guided->statistics;
    bool some = false;
    if (!visit_poll(guided->search, 0)) return false;
    statistics->partitions++;
    statistics->paths[path].states = states;
    if (states > statistics->largest) statistics->largest = states;
    if (guided->length > statistics->longest) statistics->longest = guided->length;
    for (uint32_t p = guided->points->count; p-- > 0;) {
        some |= continues[p];
        if (continues[p] && !push(guided, path, p)) return false;
    }
    statistics->complete_paths += !some;
    return true;
}

static bool search_path(struct guided *guided, uint32_t path)
{
    struct search *search = guided->search;
    memset(guided->continues, 0, guided->points->count * sizeof *guided->continues);
    if (!empty_store(guided) || !add_initial(guided, !path)) return false;
    for (uint64_t cursor = 0; cursor < search->store.count; cursor++)
        if (!visit_poll(search, 0) || !expand(guided, (uint32_t)cursor)) return false;
    return finish_path(guided, path, search->store.count, guided->continues);
}

/* ---- several threads ---- */

/* After the first p-path: its states begin with the initial ones. */
static void call_scouts(struct guided *guided)
{
    struct search *search = guided->search;
    struct mem *mem = search->model->mem;
    const uint64_t points = guided->points->count + UINT64_C(1);
    if (search->task->threads < 2 || search->graph || !search->space.layout.record_bytes) return;
    bool *continues = mem_try_alloc(mem, AT_ONCE * points * sizeof *continues);
    if (continues)
        guided->scouts = scouts_new(
            search, search->task->threads < CREW_MOST ? search->task->threads : CREW_MOST);
    if (!guided->scouts) {
        mem_free(mem, continues);
        return;
    }
    for (uint32_t i = 0; i < AT_ONCE; i++) guided->turns[i].continues = continues + i * points;
    search->result->threads = scouts_count(guided->scouts);
}

static void dismiss_scouts(struct guided *guided)
{
    if (!guided->scouts) return;
    mem_free(guided->search->model->mem, guided->turns[0].continues);
    scouts_release(guided->scouts);
    guided->scouts = NULL;
}

/* The p-paths at the top of the stack. */
static bool search_some(struct guided *guided)
{
    const struct partition_statistics *statistics = guided->statistics;
    guided->turn_count = guided->turn = 0;
    while (guided->stack_len && guided->turn_count < AT_ONCE) {
        struct scouted *turn = &guided->turns[guided->turn_count++];
        turn->path = guided->stack[--guided->stack_len];
        turn->is_done = false;
    }
    if (guided->scouts && guided->turn_count > 1
        && (!empty_store(guided)
            || !scouts_search(guided->scouts, statistics->paths, guided->turns,
                              guided->turn_count)))
        return false;
    for (; guided->turn < guided->turn_count; guided->turn++) {
        const struct scouted *turn = &guided->turns[guided->turn];
        if (!spell(guided, turn->path)) return false;
        if (turn->is_done ? !finish_path(guided, turn->path, turn->states, turn->continues)
                          : !search_path(guided, turn->path))
            return false;
    }
    return true;
}

static bool search_all(struct guided *guided)
{
    bool good = push(guided, MODEL_NONE, MODEL_NONE) && search_some(guided);
    if (good) call_scouts(guided);
    while (good && guided->stack_len) good = search_some(guided);
    guided->statistics->waiting = guided->stack_len + (guided->turn_count - guided->turn);
    return good;
}

bool hidden_run(struct search *search)
{
    struct mem *mem = search->model->mem;
    jmp_buf *const outer = mem->recover;
    jmp_buf recover;
    struct guided *guided = mem_alloc(mem, sizeof *guided);
    guided->search = search;
    guided->points = search->task->points;
    guided->statistics = search->result->partition = mem_alloc(mem, sizeof *guided->statistics);
    guided->statistics->points = guided->points;
    guided->statistics->chosen = search->task->points_chosen;
    guided->statistics->hidden = true;
    guided->continues =
        mem_alloc(mem, (guided->points->count + UINT64_C(1)) * sizeof *guided->continues);
    if (setjmp(recover)) { /* a counterexample was refused memory: nobody may be left at work */
        mem->recover = outer;
        dismiss_scouts(guided);
        mem_refuse(mem);
    }
    mem->recover = &recover;
    bool good = search_all(guided);
    mem->recover = outer;
    dismiss_scouts(guided);
    guided->statistics->gross_states = search->result->expanded;
    mem_free(mem, guided->positions);
    mem_free(mem, guided->path);
    mem_free(mem, guided->stack);
    mem_free(mem, guided->continues);
    mem_free(mem, guided);
    return good ? visit_stop(search, STOP_HIDDEN) : false;
}
