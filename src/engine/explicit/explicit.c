/* The frame of a search: what comes before and after, with and without reduction. The orders are in
 * breadth.c, rounds.c, parallel.c, depth.c, past.c, partition.c, hidden.c and twophase.c. */
#include "engine/explicit/visit.h"

#include "base/clock.h"
#include "engine/explicit/hidden.h"
#include "engine/explicit/partition.h"
#include "engine/explicit/past.h"
#include "engine/explicit/rounds.h"
#include "past/part.h"
#include "program/reached.h"
#include "result/furthest.h"

#include <assert.h>
#include <string.h>

enum { POLL_STATES = 2048, POLL_RULES = 200000 };

/* ---- initial states ---- */

static bool add_initial_states(struct search *search)
{
    if (part_has_seeds(search->task)) return part_add_seeds(&search->past->history, true, 0, true);
    int64_t *values = search->values;
    eval_first_initial(search->model, values);
    do {
        uint32_t index;
        layout_pack(&search->space.layout, search->model, values, search->space.next);
        uint64_t hash = store_hash(search->space.next, search->space.layout.key_bytes);
        struct cluster *cluster =
            search->past ? past_cluster(search->past, past_rank(search->past, search->space.next))
                         : NULL;
        if (search->past && !cluster) return false;
        enum store_result added =
            search->past ? past_add(search->past, cluster, search->space.next, hash, 0, 0, &index)
                         : store_add(search->space.store, search->space.next, hash, &index);
        if (added == STORE_REFUSED) return visit_stop(search, STOP_MEMORY);
        if (added == STORE_KNOWN
            && search->hides) { /* with other hidden values, which may be very many */
            if (!visit_poll(search, 0)) return false;
            continue;
        }
        assert(added == STORE_NEW); /* counting never repeats */
        if (!search->past && search->task->order != ORDER_DFS && !parents_found(&search->parents))
            return visit_stop(search, STOP_MEMORY);
        search->result->initial_states++;
        if (search->graph) {
            search->graph->state(search->graph->context, index, values);
            search->graph->edge(search->graph->context, MODEL_NONE, MODEL_NONE, index);
        }
        visit_watch(search, search->active, search->space.next, index, cluster);
        visit_report_findings(search);
        if (!visit_poll(search, 0)) return false;
    } while (eval_next_initial(search->model, values));
    return true;
}

/* ---- reduced ---- */

static void reduced_found(void *context, uint32_t state, const uint64_t *words,
                          const struct fast_rule *by)
{
    struct search *search = context;
    visit_tell_state(search, state, words);
    visit_watch(search, by->touches & search->active, words, state, NULL);
}

static void reduced_step(void *context, uint32_t from, uint32_t rule, uint32_t to)
{
    const struct explicit_graph *graph = ((struct search *)context)->graph;
    if (graph) graph->edge(graph->context, from, rule, to);
}

static void reduced_expanded(void *context, uint32_t state, uint32_t enabled, uint32_t failures,
                             uint32_t failed_rule)
{
    struct search *search = context;
    visit_report_findings(search);
    if (!enabled) visit_dead_end(search, state);
    if (!failures) return;
    visit_rule_failed(search, state, failed_rule);
    search->result->runtime_errors += failures - 1;
}

static bool reduced_go_on(void *context) { return visit_poll(context, 0); }

static bool any_rule_fails(const struct model *model)
{
    bool fails = false;
    for (uint32_t r = 0; r < model->rules.len; r++) fails |= model_rule_may_fail(model, r);
    return fails;
}

/* One reduced graph for all properties of the task: what any of them reads is visible, and one CTL
 * formula makes it keep branching time. A search for deadlocks must mind cycles only to find
 * run-time errors as well. */
static void prepare_reduction(struct search *search)
{
    struct model *model = search->model;
    struct twophase *twophase = mem_alloc(model->mem, sizeof *twophase);
    bool *visible = mem_alloc(model->mem, model->vars.len + UINT64_C(1));
    for (uint32_t i = 0; i < search->task->property_count; i++) {
        const struct property_result *entry = &search->task->properties[i];
        if (entry->kind == PROPERTY_DEADLOCK || entry->kind == PROPERTY_RUNTIME_ERROR) continue;
        process_model_see(model, entry->property->root, visible);
        twophase->branching |= entry->kind == PROPERTY_CTL && !entry->in_each_state;
    }
    twophase->branching |= search->task->keep == KEEP_CTL;
    twophase->any_cycles = search->task->reduction == REDUCE_DEADLOCK && !any_rule_fails(model);
    twophase->found = reduced_found;
    twophase->step = reduced_step;
    twophase->expanded = reduced_expanded;
    twophase->go_on = reduced_go_on;
    twophase->context = search;
    twophase_init(twophase, &search->space, search->result, visible);
    mem_free(model->mem, visible);
    search->twophase = twophase;
    search->result->reduction = search->task->reduction;
    search->result->keeps = search->task->reduction == REDUCE_DEADLOCK ? KEEP_DEADLOCK
                            : twophase->branching                      ? KEEP_CTL
                                                                       : KEEP_LTL;
    if (!search->task->property_count)
        search->result->kept = process_model_kept(&twophase->process_model);
    search->result->has_depth = false;
}

/* ---- before and after ---- */

static void release(struct search *search)
{
    struct mem *mem = search->model->mem;
    if (search->parallel) parallel_release(search);
    store_release(&search->store);
    if (search->past) past_release(search);
    rounds_release(search);
    if (search->partition) partition_release(search);
    parents_release(&search->parents);
    program_release(&search->space.program);
    layout_release(&search->space.layout, search->model);
    if (search->twophase) twophase_release(search->twophase);
    mem_free(mem, search->twophase);
    mem_free(mem, search->findings);
    mem_free(mem, search->monitors);
    mem_free(mem, search->space.words);
    mem_free(mem, search->space.next);
    mem_free(mem, search->batch);
    mem_free(mem, search->values);
    mem_free(mem, search->stack);
}

/* One search, reduced when the task says so and then for all its properties. */
static void run_once(struct task *task, const struct explicit_graph *graph, struct result *result)
{
    struct model *model = task->model;
    struct mem *mem = model->mem;
    struct search *search = mem_alloc(mem, sizeof *search);
    memset(result, 0, sizeof *result);
    search->task = task;
    search->model = search->space.model = model;
    search->result = result;
    search->graph = graph;
    search->started = search->last_progress = clock_now();
    search->hides = model_has_hidden(model);
    assert(!search->hides || explicit_can_hide(task));
    result->engine = "explicit";
    result->has_depth = task->order != ORDER_DFS && task->order != ORDER_PAST_FREEZE
                        && !task->points && !search->hides;
    result->taken = mem_alloc(mem, (model->rules.len + UINT64_C(1)) * sizeof *result->taken);
    layout_init(&search->space.layout, model);
    program_init(&search->space.program, model, &search->space.layout);
    parents_init(&search->parents, mem);
    visit_prepare_properties(search);
    if (model->has_final) search->final = program_compile(&search->space.program, model->final);
    search->poll_interval = 1;
    search->looked = search->started;
    search->poll_most = model->rules.len < POLL_RULES / POLL_STATES
                            ? POLL_STATES
                            : POLL_RULES / model->rules.len + 1;
    search->space.words = mem_alloc(mem, search->space.layout.words * sizeof *search->space.words);
    search->space.next = mem_alloc(mem, search->space.layout.words * sizeof *search->space.next);
    search->batch =
        mem_alloc(mem, (size_t)VISIT_BATCH * search->space.layout.words * sizeof *search->batch);
    search->values = mem_alloc(mem, (model->vars.len + 1) * sizeof *search->values);
    search->findings = mem_alloc(mem, (search->monitor_count + 1) * sizeof *search->findings);
    if (task->reduction != REDUCE_NONE) prepare_reduction(search);
    search->space.store = &search->store;
    bool ready = store_init_keyed(&search->store, mem, search->space.layout.record_bytes,
                                  search->space.layout.key_bytes)
                 && (task->order != ORDER_PAST_FREEZE || past_init(search));
    if (ready && task->points && !task->hides_position) partition_init(search);
    if (result->refused) visit_stop(search, STOP_DISK);
    else if (!ready) visit_stop(search, STOP_MEMORY);
    else if (search->partition) partition_run(search);
    else if (task->hides_position) hidden_run(search);
    else if (add_initial_states(search)) {
        if (search->twophase) twophase_run(search->twophase);
        else if (search->past) past_run(search);
        else if (task->by_interactions) rounds_run(search);
        else if (task->order == ORDER_DFS) depth_run(search);
        else if (task->threads > 1 && !graph && !explicit_one_thread(task) && parallel_init(search))
            parallel_run(search);
        else breadth_run(search);
    }
    result->states = search->past           ? past_states(search->past)
                     : search->partition    ? partition_states(search->partition)
                     : task->hides_position ? result->expanded
                                            : search->store.count;
    if (search->past && result->clusters->handed_on)
        result->states = search->past->history.done_states;
    if (search->hides && result->stop == STOP_NONE) visit_stop(search, STOP_INFLUENCE);
    result->all_states = result->stop == STOP_NONE;
    temporal_check(search);
    result->seconds = clock_now() - search->started;
    result->peak_bytes = mem->peak;
    const struct mem_lift before = mem_lift(mem);
    result->record_bytes = search->space.layout.record_bytes;
    result->state_bits = search->space.layout.state_bits;
    result->levels = search->levels;
    result->level_count = search->level_count;
    if (search->past) past_conclude(search->past);
    else if (search->partition) partition_conclude(search);
    else reached_find(model, &search->space.layout, &search->store, result);
    visit_conclude(search);
    release(search);
    mem_free(mem, search);
    mem_lower(mem, before);
}

/* ---- with and without reduction ---- */

/* Why the reduction that was asked for does not keep this property; NULL: it does. */
static const char *why_not_reduced(const struct task *task, const struct property_result *entry)
{
    if (entry->kind == PROPERTY_DEADLOCK || entry->kind == PROPERTY_RUNTIME_ERROR) return NULL;
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
    return kept;
}

/* The properties that the reduction does not keep, on all states. Counts stay those of the reduced
 * search. */
static void run_unreduced(struct task *task, const struct task *reduced, struct result *result)
{
    struct result full;
    bool violated =
        result_overall(reduced->properties, reduced->property_count) == VERDICT_VIOLATED;
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

static void run_reduced(struct task *task, const struct explicit_graph *graph,
                        struct result *result)
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

const char *explicit_one_thread(const struct task *task)
{
    if (model_has_hidden(task->model)) return "a search of a model with hidden variables has one";
    if (task->order == ORDER_DFS) return "a depth-first search has one";
    if (task->order == ORDER_PAST_FREEZE) return "past-freeze order has one";
    if (task->by_interactions) return "a search by interactions has one";
    if (task->reduction != REDUCE_NONE) return "a search with --reduce has one";
    if (task->points && !task->hides_position) return NULL;
    if (task->max_states) return "a search with a limit on states has one";
    for (uint32_t i = 0; i < task->property_count; i++)
        if (!task->properties[i].in_each_state && !task->points)
            return "temporal properties are decided by one";
    return NULL;
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
    const struct explicit_graph *graph;
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
 * are compared on disk (partition.h). What was violated before that stays violated. */
static void run_rounds(struct task *task, const struct explicit_graph *graph, struct result *result)
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

void explicit_run(struct task *task, const struct explicit_graph *graph, struct result *result)
{
    if (task->by_interactions && task->reduction == REDUCE_NONE) run_rounds(task, graph, result);
    else if (task->reduction == REDUCE_NONE) run_once(task, graph, result);
    else run_reduced(task, graph, result);
}
