/* Which order of search a task asks for, with and without reduction, and what comes before and
 * after it. The orders are in search/. */

#include "engine/explicit/explicit.h"

#include "base/clock.h"
#include "engine/explicit/packed.h"
#include "engine/explicit/temporal.h"
#include "program/reached.h"
#include "result/furthest.h"
#include "search/best.h"
#include "search/breadth.h"
#include "search/dense.h"
#include "search/depth.h"
#include "search/flat.h"
#include "search/frame.h"
#include "search/hidden.h"
#include "search/interactions.h"
#include "search/partition.h"
#include "search/projection.h"
#include "search/rank.h"
#include "search/spread.h"
#include "search/twophase.h"
#include "reduce/process_model.h"

#include <assert.h>
#include <string.h>

enum { POLL_STATES = 2048, POLL_RULES = 200000 };

/* ---- one search ---- */

/* Those that are asked for by name. */
static const struct order *const orders[ORDER_COUNT] = {[ORDER_DEFAULT] = &breadth_order,
                                                        [ORDER_BFS] = &breadth_order,
                                                        [ORDER_DFS] = &depth_order,
                                                        [ORDER_PAST_FREEZE] = &rank_order,
                                                        [ORDER_BEST_FIRST] = &best_order};

static const struct order *order_of(const struct task *task)
{
    if (task->peers) return &spread_order;
    if (task->prefixes) return &rank_order;
    if (task->points) return task->hides_position ? &hidden_order : &partition_order;
    if (task->reduction != REDUCE_NONE && task->order != ORDER_PAST_FREEZE) return &twophase_order;
    if (task->by_interactions) return &interactions_order;
    assert(orders[task->order]);
    return orders[task->order];
}

static void prepare_properties(struct search *search)
{
    const struct task *task = search->task;
    struct findings *findings = &search->findings;
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        findings->undecided += !entry->watched_only;
        if (entry->has_antecedent) findings_add(search, i, entry->antecedent, FINDINGS_ANTECEDENT);
        if (entry->has_safety) findings_add(search, i, entry->safety, FINDINGS_ALWAYS);
        if (!entry->in_each_state) continue; /* the rest after the search, on the whole graph */
        if (entry->kind == PROPERTY_DEADLOCK) findings->deadlock = i;
        else if (entry->kind == PROPERTY_RUNTIME_ERROR) findings->runtime_error = i;
        else findings_add(search, i, entry->invariant, FINDINGS_ALWAYS);
    }
}

/* The states that temporal properties would need are gone. */
static void refuse_temporal(struct task *task, const char *why)
{
    for (uint32_t i = 0; i < task->property_count; i++) {
        struct property_result *entry = &task->properties[i];
        if (!entry->in_each_state && entry->verdict == VERDICT_UNKNOWN) entry->reason = why;
    }
}

/* Whether nobody asks for states by their numbers. */
static bool may_be_dense(const struct task *task, const struct order *order,
                         const struct search_graph *graph)
{
    bool may = order->can_forget && !graph && !task->freeze && task->sets != SETS_FLAT;
    for (uint32_t i = 0; i < task->property_count; i++) may &= task->properties[i].in_each_state;
    return may;
}

/* One search, reduced when the task says so and then for all its properties. */
static void run_once(struct task *task, const struct search_graph *graph, struct result *result)
{
    struct model *model = task->model;
    struct mem *mem = model->mem;
    const double started = clock_now();
    const bool hides = model_has_hidden(model);
    struct space *space = mem_alloc(mem, sizeof *space);
    struct projection projection = {.mem = mem};
    const struct order *order =
        task->counts_orders ? projection_order(&projection, mem) : order_of(task);
    memset(result, 0, sizeof *result);
    result->order = task->order;
    assert(!hides || explicit_can_hide(task));
    space_init(space, &packed_kind, model);
    if (may_be_dense(task, order, graph) && !packed_be_dense(space) && order->can_fold)
        packed_fold_later(space, task->sets == SETS_TREE);
    struct search *search = frame_begin(task, space, order, graph, result, started,
                                        (struct frame_pace){POLL_STATES, POLL_RULES});
    prepare_properties(search);
    frame_run(search, task->threads);
    if (hides) result->has_depth = false;
    result->states = search->own ? search->order->states(search) : 0;
    if (hides && result->stop == STOP_NONE) poll_stop(search, STOP_INFLUENCE);
    result->all_states = result->stop == STOP_NONE;
    if (search->order->no_graph) refuse_temporal(task, search->order->no_graph);
    else temporal_check(search);
    if (task->counts_orders) projection_count(search, &projection);
    result->seconds = clock_now() - started;
    result->peak_bytes = mem->peak;
    const struct mem_lift before = mem_lift(mem);
    if (search->set && (task->peers || !search->order->no_graph))
        reached_find(model, &space->layout,
                     search->set->kind == &flat_kind
                         ? (struct reached_states){.store = flat_store(search->set)}
                         : (struct reached_states){.words = dense_words(search->set),
                                                   .tree = space->is_folded ? &space->tree : NULL},
                     result);
    if (task->peers) spread_part(search);
    frame_end(search);
    projection_release(&projection);
    space_release(space);
    mem_free(mem, space);
    mem_lower(mem, before);
}

/* ---- with and without reduction ---- */

/* Why the reduction that was asked for does not keep this property; NULL: it does. */
static const char *why_not_reduced(const struct task *task, const struct property_result *entry)
{
    if (entry->kind == PROPERTY_DEADLOCK || entry->kind == PROPERTY_RUNTIME_ERROR) return NULL;
    if ((task->order == ORDER_PAST_FREEZE || task->points) && !entry->in_each_state)
        return NULL; /* nor would a search without reduction decide it */
    if (task->reduction == REDUCE_DEADLOCK)
        return "without reduction: --reduce deadlock keeps deadlocks and run-time errors only";
    if (task->keep == KEEP_LTL && entry->kind == PROPERTY_CTL && !entry->in_each_state)
        return "without reduction: --keep ltl keeps no CTL";
    if (process_model_has_next(task->model, entry->property->root))
        return "without reduction: it has X";
    if (task->weakly_fair && !entry->in_each_state)
        return "without reduction: fairness is not kept";
    return NULL;
}

/* The properties that the reduction keeps first; returns how many. `from` gets the old
 * positions. */
static uint32_t split_properties(const struct task *task, struct property_result *sorted,
                                 uint32_t *from)
{
    uint32_t count = 0, kept = 0;
    for (unsigned refused = 0; refused < 2; refused++)
        for (uint32_t i = 0; i < task->property_count; i++) {
            const char *why = why_not_reduced(task, &task->properties[i]);
            if (refused != (why != NULL)) continue;
            from[count] = i;
            sorted[count] = task->properties[i];
            sorted[count++].method = why;
            kept += !why;
        }
    assert(count == task->property_count);
    return kept;
}

/* The properties that the reduction does not keep, on all states. Counts stay those of the reduced
 * search. */
static void run_unreduced(struct task *task, const struct task *reduced, struct result *result)
{
    struct result full;
    bool violated =
        result_overall(reduced->properties, reduced->property_count) == VERDICT_VIOLATED;
    assert(task->reduction == REDUCE_NONE && task->property_count);
    if (task->stop_at_first && violated) result->stop = STOP_FIRST;
    if (task->max_seconds > 0) {
        task->max_seconds -= result->seconds;
        if (task->max_seconds <= 0) result->stop = STOP_TIME;
    }
    if (result->stop != STOP_NONE && result->stop != STOP_DECIDED) {
        result->complete = false;
        for (uint32_t i = 0; i < task->property_count; i++)
            task->properties[i].reason = stop_reason_text[result->stop];
        return;
    }
    run_once(task, NULL, &full);
    result->unreduced_properties = task->property_count;
    result->unreduced_states = full.states;
    result->seconds += full.seconds;
    result->complete &= full.complete;
    if (result->stop == STOP_NONE || full.stop != STOP_NONE)
        result->stop = full.stop; /* not "everything was decided" when it was not */
    if (full.peak_bytes > result->peak_bytes) result->peak_bytes = full.peak_bytes;
    if (full.broken) result->broken = full.broken;
}

static void run_reduced(struct task *task, const struct search_graph *graph, struct result *result)
{
    struct mem *mem = task->model->mem;
    struct property_result *sorted =
        mem_alloc(mem, (task->property_count + UINT64_C(1)) * sizeof *sorted);
    uint32_t *from = mem_alloc(mem, (task->property_count + UINT64_C(1)) * sizeof *from);
    uint32_t kept = split_properties(task, sorted, from), asked = 0;
    for (uint32_t i = 0; i < kept; i++) asked += !sorted[i].watched_only;
    struct task reduced = *task, unreduced = *task;
    reduced.properties = sorted;
    unreduced.reduction = REDUCE_NONE;
    unreduced.threads = 1;
    if (task->property_count && !asked) { /* nothing to reduce for: one search, of all states */
        reduced = unreduced;
        reduced.properties = sorted;
        run_once(&reduced, graph, result);
    } else {
        reduced.property_count = kept;
        run_once(&reduced, graph, result);
        unreduced.properties = sorted + kept;
        unreduced.property_count = task->property_count - kept;
        if (unreduced.property_count) run_unreduced(&unreduced, &reduced, result);
    }
    for (uint32_t i = 0; i < task->property_count; i++) task->properties[from[i]] = sorted[i];
    mem_free(mem, sorted);
    mem_free(mem, from);
}

bool explicit_can_hide(const struct task *task)
{
    return task->order != ORDER_PAST_FREEZE && task->reduction == REDUCE_NONE && !task->points
           && !task->by_interactions;
}

/* ---- by interactions, with files ---- */

/* All interactions are one p-point: a p-path is a number of interactions, and its partition what is
 * new in that round. */
static void make_points(struct task *task, struct points *points)
{
    struct model *model = task->model;
    *points = (struct points){.count = 1, .room = 1};
    points->names = arena_alloc(&model->arena, sizeof *points->names);
    points->rules = arena_alloc(&model->arena, sizeof *points->rules);
    points->of_rule =
        arena_alloc(&model->arena, (model->rules.len + UINT64_C(1)) * sizeof *points->of_rule);
    points->names[0] = "an interaction with the guide";
    points->rules[0] = MODEL_NONE;
    for (uint32_t r = 0; r < model->rules.len; r++)
        points->of_rule[r] = model->rules.data[r].is_guided ? 0 : MODEL_NONE;
}

static void tell_rounds(struct task *task, struct result *result)
{
    const struct partition_statistics *partition = result->partition;
    struct round_statistics *rounds = mem_alloc(task->model->mem, sizeof *rounds);
    rounds->count = (uint32_t)partition->longest + 1;
    if (partition->path_count == rounds->count && partition->gross_states == result->states)
        rounds->states = mem_alloc(task->model->mem, rounds->count * sizeof *rounds->states);
    for (uint32_t i = 0; rounds->states && i < rounds->count; i++)
        rounds->states[i] = partition->paths[i].states;
    result->rounds = rounds;
}

/* Whether a search that memory has ended leaves anything to be asked. */
static bool is_open(const struct task *task)
{
    bool open = !task->property_count, violated = false;
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        open |= entry->verdict == VERDICT_UNKNOWN && !entry->watched_only;
        violated |= entry->verdict == VERDICT_VIOLATED;
    }
    return open && !(violated && task->stop_at_first);
}

struct division {
    struct task *task;
    const struct search_graph *graph;
    struct result *result;
    struct furthest furthest;
    double used; /* seconds */
};

/* With files: only the states of one round are in memory. */
static void divide_rounds(void *context)
{
    struct division *division = context;
    struct task divided = *division->task;
    struct points *points = arena_alloc(&divided.model->arena, sizeof *points);
    make_points(&divided, points);
    divided.points = points;
    divided.by_interactions = false;
    divided.threads = 1; /* as was told */
    if (divided.max_seconds > 0) divided.max_seconds -= division->used;
    run_once(&divided, division->graph, division->result);
    division->result->seconds += division->used;
    if (division->result->partition) tell_rounds(&divided, division->result);
    furthest_add(&division->furthest, division->result);
}

/* When the states of all rounds do not fit in memory, it is enough that those of one do: the others
 * are compared on disk (search/partition.h). What was violated before that stays violated. */
static void run_rounds(struct task *task, const struct search_graph *graph, struct result *result)
{
    struct division division = {.task = task, .graph = graph, .result = result};
    furthest_begin(&division.furthest, task);
    run_once(task, graph, result);
    division.used = result->seconds;
    bool has_time = !(task->max_seconds > 0) || task->max_seconds > division.used;
    bool divides = result->stop == STOP_MEMORY && has_time && is_open(task);
    furthest_add(&division.furthest, result);
    if (divides) furthest_run(&division.furthest, divide_rounds, &division);
    furthest_end(&division.furthest, result);
}

void explicit_run(struct task *task, const struct search_graph *graph, struct result *result)
{
    if (task->by_interactions && task->reduction == REDUCE_NONE) run_rounds(task, graph, result);
    else if (task->reduction == REDUCE_NONE) run_once(task, graph, result);
    else run_reduced(task, graph, result);
}
