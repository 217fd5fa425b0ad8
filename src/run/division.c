#include "run/division.h"

#include "base/clock.h"
#include "engine/explicit/recount.h"
#include "engine/timed/repeats.h"
#include "engine/timed/timed.h"
#include "past/prefix.h"
#include "program/layout.h"
#include "run/deadline.h"
#include "run/message.h"

#include <assert.h>

uint32_t division_count(const struct division *split)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < split->parts.lines.len; i++) count += division_has(split, i);
    return count;
}

bool division_is_decided(const struct division *split)
{
    bool asked = false, all = true;
    for (uint32_t i = 0; i < split->task->property_count; i++) {
        const struct property_result *entry = &split->task->properties[i];
        if (entry->watched_only) continue;
        asked = true;
        all &= entry->verdict != VERDICT_UNKNOWN;
        if (entry->verdict == VERDICT_VIOLATED && split->task->stop_at_first) return true;
    }
    return asked && all;
}

/* Everything asked is decided by a violation; otherwise it stops at the first one. */
static enum stop_reason stop_when_decided(const struct division *split)
{
    for (uint32_t i = 0; i < split->task->property_count; i++)
        if (split->task->properties[i].verdict == VERDICT_UNKNOWN
            && !split->task->properties[i].watched_only)
            return STOP_FIRST;
    return STOP_DECIDED;
}

/* What was counted in a part that was divided is counted in others. */
static bool counts(const struct division_piece *piece)
{
    return piece->has_outcome && piece->state != PART_DIVIDED;
}

/* The p-paths of a part, the first and the last one; NULL: it is one by ranks. */
static const char *name_paths(const struct division *split, const struct parts_line *line)
{
    struct model *model = split->session->model;
    struct text text;
    if (!prefix_is_used(split->task)) return NULL;
    text_init(&text, split->session->mem);
    prefix_write(split->task, line->rank, &text);
    if (line->last_rank != line->rank) text_add(&text, " to ");
    if (line->last_rank != line->rank) prefix_write(split->task, line->last_rank, &text);
    const char *name = arena_copy(&model->arena, text.data, text.len);
    text_free(&text);
    return name;
}

static void list_parts(const struct division *split, struct split_statistics *statistics)
{
    static const char *const words[] = {
        [PART_WAITING] = "waiting", [PART_RUNNING] = "waiting", [PART_DONE] = "done",
        [PART_DIVIDED] = "divided", [PART_LIMITED] = "limited", [PART_FAILED] = "failed"};
    const int64_t lowest = prefix_lowest(split->task);
    statistics->points = prefix_is_used(split->task) ? split->task->points : NULL;
    statistics->chosen = split->task->points_chosen;
    statistics->list = mem_alloc(split->session->mem,
                                 (split->pieces.len + UINT64_C(1)) * sizeof *statistics->list);
    for (uint32_t i = 0; i < split->pieces.len; i++) {
        const struct division_piece *piece = &split->pieces.data[i];
        const struct parts_line *line = &split->parts.lines.data[i];
        if (!line->is_known) continue;
        statistics->list[statistics->list_count++] = (struct split_part){
            .number = i,
            .parent = line->parent == NO_PART ? MODEL_NONE : line->parent,
            .rank = lowest + (int64_t)line->rank,
            .last_rank = lowest + (int64_t)line->last_rank,
            .p_path = name_paths(split, line),
            .begin = line->begin,
            .end = line->end,
            .state = piece->outcome.handed_on && piece->state == PART_DONE ? "split"
                                                                           : words[piece->state],
            .is_known = counts(piece),
            .states = piece->outcome.states,
            .transitions = piece->outcome.transitions,
            .seconds = piece->outcome.seconds};
    }
}

static void add_counts(struct division *split, struct split_statistics *statistics)
{
    struct result *result = split->result;
    for (uint32_t i = 0; i < split->pieces.len; i++) {
        const struct outcome *outcome = &split->pieces.data[i].outcome;
        if (!division_has(split, i)) continue;
        if (split->pieces.data[i].state == PART_DIVIDED) statistics->divided++;
        if (!counts(&split->pieces.data[i])) continue;
        result->states += outcome->states;
        result->transitions += outcome->transitions;
        result->deadlocks += outcome->deadlocks;
        result->ends += outcome->ends;
        result->runtime_errors += outcome->runtime_errors;
        result->expanded += outcome->expanded;
        if (!i) result->initial_states = outcome->initial_states;
        if (outcome->peak_bytes > result->peak_bytes) result->peak_bytes = outcome->peak_bytes;
        statistics->parts++;
        statistics->split += outcome->handed_on;
        statistics->frozen_bytes += outcome->frozen_bytes;
        if (outcome->live_peak > statistics->live_peak) statistics->live_peak = outcome->live_peak;
    }
    statistics->waiting = division_count(split) - statistics->parts - statistics->divided;
    statistics->gross_states = result->states;
    statistics->gross_transitions = result->transitions;
}

/* A refusal outside of the search for them must not end everything. */
static bool find_repeated(struct division *split, const char *const *folders,
                          const uint64_t *states, uint32_t count, struct net_counts *repeated,
                          struct split_statistics *statistics)
{
    struct mem *mem = split->session->mem;
    jmp_buf *const outer = mem->recover;
    jmp_buf recover;
    if (setjmp(recover)) {
        statistics->is_net = false;
        statistics->why_gross =
            limits_enough() ? stop_reason_text[result_why_refused()] : "there is too little memory";
    } else {
        mem->recover = &recover;
        deadline_search(split->session->ask->time);
        mem_lower(mem, (struct mem_lift){split->limit, false});
        statistics->is_net = (split->timed ? repeats_find : recount_find)(
            split->task, folders, states, count, repeated, &statistics->why_gross);
    }
    mem->recover = outer;
    mem_lift(mem);
    deadline_tell();
    return statistics->is_net;
}

/* What several parts have counted counts once. Of a search that is not complete counts say little,
 * and stay as they are. */
static void make_net(struct division *split, struct split_statistics *statistics)
{
    struct result *result = split->result;
    struct net_counts repeated;
    uint32_t count = 0;
    statistics->why_gross = "the search is not complete";
    if (result->stop != STOP_NONE) return;
    const char **folders =
        mem_alloc(split->session->mem, (split->pieces.len + UINT64_C(1)) * sizeof *folders);
    uint64_t *states =
        mem_alloc(split->session->mem, (split->pieces.len + UINT64_C(1)) * sizeof *states);
    for (uint32_t i = 0; i < split->pieces.len; i++) {
        if (!division_has(split, i) || !counts(&split->pieces.data[i])
            || !split->pieces.data[i].outcome.states)
            continue;
        folders[count] = parts_kept(&split->parts, i, NULL);
        states[count++] = split->pieces.data[i].outcome.states;
    }
    if (!find_repeated(split, folders, states, count, &repeated, statistics)) return;
    if (split->timed) result->timed->discrete_states -= repeated.discrete;
    if (split->timed && split->task->zones != ZONES_EQUAL && repeated.discrete) {
        statistics->is_net = false;
        statistics->why_gross = "zones stand for others, so that symbolic states depend on "
                                "where the search was split (discrete states are net)";
        return;
    }
    assert(repeated.states <= result->states && repeated.transitions <= result->transitions);
    result->states -= repeated.states;
    result->transitions -= repeated.transitions;
    result->deadlocks -= repeated.deadlocks;
    result->ends -= repeated.ends;
    result->runtime_errors -= repeated.runtime_errors;
    result->expanded -= repeated.states;
    if (split->timed && split->task->zones == ZONES_EQUAL)
        result->timed->covered = result->transitions + result->initial_states - result->states;
}

/* Sums over parts, or the most in one of them. */
static void add_timed(struct division *split)
{
    struct timed_statistics *all = split->result->timed =
        mem_alloc(split->session->mem, sizeof *all);
    *all =
        (struct timed_statistics){.storage = split->task->zones, .exact = split->task->exact_zones};
    for (uint32_t i = 0; i < split->pieces.len; i++) {
        const struct timed_statistics *one = &split->pieces.data[i].outcome.timed;
        if (!division_has(split, i) || !counts(&split->pieces.data[i])) continue;
        all->discrete_states += one->discrete_states;
        all->zones += one->zones;
        all->zone_bytes += one->zone_bytes;
        all->covered += one->covered;
        all->given_up += one->given_up;
        all->timers = one->timers;
        all->clocks = one->clocks;
        if (one->storage > all->storage) all->storage = one->storage; /* what keeps more */
        if (one->configurations > all->configurations) all->configurations = one->configurations;
        if (one->space_bytes > all->space_bytes) all->space_bytes = one->space_bytes;
        if (one->largest > all->largest) all->largest = one->largest;
    }
}

/* Why it ended before everything was searched. */
static enum stop_reason stop_of(const struct division *split)
{
    const struct ask *ask = split->session->ask;
    bool all = true;
    for (uint32_t i = 0; i < split->pieces.len; i++) {
        const struct division_piece *piece = &split->pieces.data[i];
        all &= !division_has(split, i) || piece->state == PART_DIVIDED
               || (piece->state == PART_DONE
                   && (piece->outcome.handed_on || piece->outcome.stop == STOP_NONE));
    }
    if (all) return STOP_NONE;
    if (division_is_decided(split)) return stop_when_decided(split);
    if (split->stop != STOP_NONE) return split->stop;
    if (limits_interrupted) return STOP_INTERRUPT;
    return ask->time > 0 && clock_now() - split->started > ask->time ? STOP_TIME : STOP_PARTS;
}

static void conclude_properties(const struct division *split)
{
    const struct result *result = split->result;
    for (uint32_t i = 0; i < split->task->property_count; i++) {
        struct property_result *entry = &split->task->properties[i];
        if (entry->verdict != VERDICT_UNKNOWN || entry->reason) continue;
        if (entry->is_reachability && result->complete) entry->verdict = VERDICT_VIOLATED;
        else if (entry->is_reachability) entry->reason = stop_reason_text[result->stop];
        else if (!entry->in_each_state && !(split->timed && timed_sees(split->task, entry)))
            entry->reason = split->timed && entry->kind == PROPERTY_CTL ? timed_reachability_only
                            : prefix_is_used(split->task)
                                ? "it needs the whole graph: leave out --partition"
                                : "it needs the whole graph: --order bfs";
        else if (result->complete) entry->verdict = VERDICT_HOLDS;
        else entry->reason = stop_reason_text[result->stop];
        entry->antecedent_never = result->complete && !entry->antecedent_met;
    }
}

void division_conclude(struct division *split)
{
    struct result *result = split->result;
    struct layout layout;
    struct split_statistics *statistics = mem_alloc(split->session->mem, sizeof *statistics);
    result->engine = split->timed ? "timed" : "explicit";
    if (split->timed && split->session->ask->engine == ENGINE_AUTO)
        result->why_engine = "the model has time";
    result->parts = statistics;
    result->stop = stop_of(split);
    if (result->stop == split->stop) result->stop_detail = split->detail;
    result->complete = result->all_states = result->stop == STOP_NONE;
    add_counts(split, statistics);
    list_parts(split, statistics);
    if (split->timed) {
        result->no_deadlocks = split->session->model->clocks.len && !split->task->count_deadlocks;
        for (uint32_t i = 0; i < split->task->property_count; i++)
            result->no_deadlocks &= split->task->properties[i].kind != PROPERTY_DEADLOCK;
        add_timed(split);
    }
    make_net(split, statistics);
    layout_init(&layout, split->session->model);
    result->record_bytes = layout.record_bytes;
    result->state_bits = layout.state_bits;
    layout_release(&layout, split->session->model);
    result->seconds = clock_now() - split->started;
    if (split->messages > DIVISION_MESSAGES)
        message(&split->session->diag, DIAG_REMARK, NULL, "... and so did %u more parts",
                split->messages - DIVISION_MESSAGES);
    conclude_properties(split);
}
