#include "engine/explicit/visit.h"

#include "base/clock.h"
#include "engine/explicit/partition.h"

#include <string.h>

/* ---- findings ---- */

struct trace *visit_make_trace(struct search *search, const uint32_t *path, uint32_t length)
{
    struct trace *trace = trace_new(search->model, length - 1);
    space_load(&search->space, path[0]);
    layout_unpack(&search->space.layout, search->model, search->space.words, trace->initial);
    for (uint32_t i = 0; i + 1 < length; i++) {
        trace->rules[i] = space_rule_between(&search->space, path[i], path[i + 1]);
        if (trace->rules[i] == MODEL_NONE)
            search->result->broken = "no rule leads from a state to its child";
    }
    return trace;
}

bool visit_follow(struct search *search, struct trace *trace, const uint32_t *steps)
{
    struct mem *mem = search->model->mem;
    const struct layout *layout = &search->space.layout;
    uint64_t *words = mem_alloc(mem, layout->words * sizeof *words),
             *next = mem_alloc(mem, layout->words * sizeof *next);
    bool good = true;
    layout_pack(layout, search->model, trace->initial, words);
    for (uint32_t i = 0; good && i < trace->steps; i++) {
        struct program_cursor cursor;
        const struct fast_rule *fast = NULL;
        enum step step;
        uint32_t left = steps[trace->steps - 1 - i];
        program_start(&search->space.program, &cursor);
        while ((step = program_next(&search->space.program, &cursor, words, next, &fast))
               != STEP_NONE)
            if (step == STEP_TAKEN && !left--) break;
        good = step == STEP_TAKEN;
        if (good) trace->rules[i] = fast->rule;
        memcpy(words, next, layout->words * sizeof *words);
    }
    mem_free(mem, words);
    mem_free(mem, next);
    return good;
}

/* The path to a state, by parents. */
static struct trace *trace_to(struct search *search, uint32_t state)
{
    struct mem *mem = search->model->mem;
    VEC(uint32_t) path = {0};
    for (uint64_t at = state; at != PARENTS_NONE; at = parents_of(&search->parents, at))
        vec_push(mem, &path, (uint32_t)at);
    for (uint32_t i = 0; i < path.len / 2; i++) {
        uint32_t other = path.data[path.len - 1 - i];
        path.data[path.len - 1 - i] = path.data[i];
        path.data[i] = other;
    }
    struct trace *trace = visit_make_trace(search, path.data, path.len);
    vec_free(mem, &path);
    return trace;
}

/* Records a violation with its trace. */
void visit_violated(struct search *search, uint32_t property, uint32_t state, uint32_t failed_rule)
{
    struct property_result *entry = &search->task->properties[property];
    if (entry->verdict == VERDICT_VIOLATED) return;
    const struct mem_lift before = mem_lift(
        search->model->mem); /* what was found must not be lost to the limit on the search */
    entry->verdict = VERDICT_VIOLATED;
    if (search->partition) partition_violated(search->partition, entry, state, failed_rule);
    else {
        entry->trace = trace_to(search, state);
        entry->trace->failed_rule = failed_rule;
    }
    mem_lower(search->model->mem, before);
    search->undecided -= !entry->watched_only;
}

void visit_stop_monitor(struct search *search, uint32_t m)
{
    search->monitors[m].active = false;
    search->active = 0;
    for (uint32_t i = 0; i < search->monitor_count; i++)
        if (search->monitors[i].active)
            search->active |= UINT64_C(1) << (i < VISIT_MONITOR_BITS ? i : VISIT_MONITOR_BITS - 1);
}

static void report_monitor(struct search *search, const struct finding *finding)
{
    struct monitor *monitor = &search->monitors[finding->monitor];
    if (!monitor->active) return;
    visit_stop_monitor(search, finding->monitor);
    if (!monitor->is_antecedent)
        visit_violated(search, monitor->property, finding->state, MODEL_NONE);
}

void visit_report_findings(struct search *search)
{
    for (uint32_t i = 0; i < search->found; i++) report_monitor(search, &search->findings[i]);
    search->found = 0;
}

/* At most one finding per monitor is kept in the list, which has room for all. */
void visit_watch(struct search *search, uint64_t bits, const uint64_t *words, uint32_t state)
{
    for (uint32_t i = 0; i < search->monitor_count; i++) {
        struct monitor *monitor = &search->monitors[i];
        if (!monitor->active
            || !(bits >> (i < VISIT_MONITOR_BITS ? i : VISIT_MONITOR_BITS - 1) & 1))
            continue;
        int64_t value;
        if (!program_run(&search->space.program, monitor->code, words, &value)) {
            monitor->failed = true; /* and goes on: a violation elsewhere still counts */
            continue;
        }
        if (monitor->is_antecedent ? !value : value) continue;
        bool known = false;
        for (uint32_t f = 0; f < search->found; f++) known |= search->findings[f].monitor == i;
        if (!known) search->findings[search->found++] = (struct finding){i, state};
    }
}

/* ---- limits ---- */

bool visit_stop(struct search *search, enum stop_reason reason)
{
    search->result->stop = reason;
    return false;
}

static uint64_t states_so_far(const struct search *search)
{
    return search->partition ? partition_states(search->partition) : search->space.store->count;
}

bool visit_look(struct search *search, struct search_progress *progress)
{
    if (search->task->interrupted && *search->task->interrupted)
        return visit_stop(search, STOP_INTERRUPT);
    double time = clock_now();
    search->poll_interval =
        clock_pace(search->poll_interval, search->poll_most, time - search->looked);
    search->looked = time;
    progress->seconds = time - search->started;
    progress->phase = search->phase;
    if (search->task->max_seconds > 0 && progress->seconds >= search->task->max_seconds)
        return visit_stop(search, STOP_TIME);
    if (search->task->progress && time - search->last_progress >= 0.25) {
        search->task->progress(search->task->progress_context, progress);
        search->last_progress = time;
    }
    return true;
}

static bool may_have_more(const struct task *task)
{
    return task->at_max_states && task->at_max_states(task->max_states_context);
}

bool visit_poll(struct search *search, uint64_t depth)
{
    if (!search->phase && (search->task->stop_at_first || !search->undecided)) {
        bool found = !search->undecided
                     || result_overall(search->task->properties, search->task->property_count)
                            == VERDICT_VIOLATED;
        if (found && search->task->property_count)
            return visit_stop(search, search->undecided ? STOP_FIRST : STOP_DECIDED);
    }
    if (search->task->max_states && states_so_far(search) > search->task->max_states
        && !search->phase && !may_have_more(search->task))
        return visit_stop(search, STOP_STATES);
    if (search->poll_in--) return true;
    search->poll_in = search->poll_interval;
    struct search_progress progress = {.states = states_so_far(search),
                                       .transitions = search->result->transitions,
                                       .expanded = search->result->expanded,
                                       .depth = depth,
                                       .bytes = search->model->mem->used};
    return visit_look(search, &progress);
}

/* ---- adding states ---- */

void visit_tell_state(struct search *search, uint32_t state, const uint64_t *words)
{
    if (!search->graph) return;
    layout_unpack(&search->space.layout, search->model, words, search->values);
    search->graph->state(search->graph->context, state, search->values);
}

void visit_rule_failed(struct search *search, uint32_t state, uint32_t rule)
{
    search->result->runtime_errors++;
    if (search->runtime_error != MODEL_NONE)
        visit_violated(search, search->runtime_error, state, rule);
}

static bool is_final(struct search *search, uint32_t state)
{
    int64_t value;
    if (!search->model->has_final) return false;
    space_load(&search->space, state);
    return program_run(&search->space.program, search->final, search->space.words, &value) && value;
}

void visit_dead_end(struct search *search, uint32_t state)
{
    if (is_final(search, state)) {
        search->result->ends++;
        return;
    }
    search->result->deadlocks++;
    if (search->deadlock != MODEL_NONE) visit_violated(search, search->deadlock, state, MODEL_NONE);
}

/* ---- properties ---- */

static void add_monitor(struct search *search, uint32_t property, expr e, bool is_antecedent)
{
    uint32_t m = search->monitor_count++;
    search->monitors[m] = (struct monitor){property, program_compile(&search->space.program, e),
                                           is_antecedent, true, false};
    unsigned bit = m < VISIT_MONITOR_BITS ? m : VISIT_MONITOR_BITS - 1;
    program_watch(&search->space.program, e, bit);
    search->active |= UINT64_C(1) << bit;
}

void visit_prepare_properties(struct search *search)
{
    struct task *task = search->task;
    search->monitors = mem_alloc(search->model->mem, (2 * (uint64_t)task->property_count + 1)
                                                         * sizeof *search->monitors);
    search->deadlock = search->runtime_error = MODEL_NONE;
    for (uint32_t i = 0; i < task->property_count; i++) {
        struct property_result *entry = &task->properties[i];
        search->undecided += !entry->watched_only;
        if (entry->has_antecedent) add_monitor(search, i, entry->antecedent, true);
        if (entry->has_safety) add_monitor(search, i, entry->safety, false);
        if (!entry->in_each_state) continue; /* the rest after the search, on the whole graph */
        if (entry->kind == PROPERTY_DEADLOCK) search->deadlock = i;
        else if (entry->kind == PROPERTY_RUNTIME_ERROR) search->runtime_error = i;
        else add_monitor(search, i, entry->invariant, false);
    }
}

/* What a complete search did not refute holds. */
void visit_conclude(struct search *search)
{
    struct result *result = search->result;
    result->complete = result->stop == STOP_NONE;
    for (uint32_t m = 0; m < search->monitor_count; m++) {
        struct property_result *entry = &search->task->properties[search->monitors[m].property];
        if (search->monitors[m].failed && !search->monitors[m].is_antecedent
            && entry->verdict == VERDICT_UNKNOWN)
            entry->reason = result_cannot_evaluate;
    }
    for (uint32_t i = 0; i < search->task->property_count; i++) {
        struct property_result *entry = &search->task->properties[i];
        if (entry->verdict == VERDICT_UNKNOWN && !entry->reason) {
            if (result->all_states) entry->verdict = VERDICT_HOLDS;
            else entry->reason = stop_reason_text[result->stop];
        }
    }
    for (uint32_t m = 0; m < search->monitor_count; m++) {
        struct property_result *entry = &search->task->properties[search->monitors[m].property];
        if (!search->monitors[m].is_antecedent) continue;
        entry->antecedent_met = !search->monitors[m].active;
        entry->antecedent_never = search->monitors[m].active && result->all_states;
    }
}
