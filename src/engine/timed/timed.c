/* The search, and properties of single states. A symbolic state is a pair of nodes.h; its zone
 * holds the valuations of timers and clocks that are reached in its discrete state, after letting
 * time pass; moves.c makes the zones of its successors. Pairs are expanded in the order of their
 * numbers: the list of pairs is the queue.
 *
 * Zones are extrapolated with lower and upper bounds (Behrmann, Bouyer, Larsen, Pelanek 2006):
 * every added valuation is simulated by one that is reached. So exactly the reachable discrete
 * states are found, and the sequence of rules that leads to a pair can be followed in time. Being
 * stuck is not kept: a valuation that was added may be able to do less. When a model with clocks
 * seems to get stuck, the search therefore starts again with the larger of both bounds for each
 * clock, `exact`: then every added valuation has the same future as one that is reached. (Models
 * with timers alone are stuck where no rule is enabled.)
 *
 * Invariants while searching:
 *  1. pairs 0 .. cursor - 1 are expanded or given up, the others wait;
 *  2. a monitor is evaluated once in each discrete state, when that is found;
 *  3. the zone of a pair is over the clocks of its discrete state's configuration. */
#include "engine/timed/search.h"

#include "base/clock.h"
#include "engine/timed/zonetext.h"
#include "past/part.h"
#include "program/reached.h"
#include "result/furthest.h"

#include <assert.h>
#include <string.h>

enum { MONITOR_BITS = 64, POLL_STATES = 256, POLL_RULES = 50000 };

/* ---- limits ---- */

bool zsearch_stop(struct search *search, enum stop_reason reason)
{
    search->result->stop = reason;
    return false;
}

static void tell_progress(struct search *search, double time)
{
    struct search_progress progress = {.states = clusters_sum(search).states,
                                       .transitions = search->result->transitions,
                                       .expanded = search->result->expanded,
                                       .depth = search->result->depth,
                                       .bytes = search->model->mem->used,
                                       .seconds = time - search->started,
                                       .phase = search->phase};
    if (search->past) {
        progress.rank = search->past->history.statistics->rank;
        progress.ranks = search->past->history.statistics->ranks;
    }
    search->task->progress(search->task->progress_context, &progress);
    search->last_progress = time;
}

bool zsearch_poll(struct search *search)
{
    struct task *task = search->task;
    if (!search->phase && (task->stop_at_first || !search->undecided)) {
        bool found = !search->undecided
                     || result_overall(task->properties, task->property_count) == VERDICT_VIOLATED;
        if (found && task->property_count)
            return zsearch_stop(search, search->undecided ? STOP_FIRST : STOP_DECIDED);
    }
    if (task->max_states && !search->phase && clusters_sum(search).states > task->max_states)
        return zsearch_stop(search, STOP_STATES);
    if (search->poll_in--) return true;
    search->poll_in = search->poll_interval;
    if (task->interrupted && *task->interrupted) return zsearch_stop(search, STOP_INTERRUPT);
    double time = clock_now();
    search->poll_interval =
        clock_pace(search->poll_interval, search->poll_most, time - search->looked);
    search->looked = time;
    if (task->max_seconds > 0 && time - search->started >= task->max_seconds)
        return zsearch_stop(search, STOP_TIME);
    if (task->progress && time - search->last_progress >= 0.25) tell_progress(search, time);
    return true;
}

/* ---- traces ---- */

void zsearch_load_discrete(struct search *search, uint32_t discrete)
{
    search->words[search->layout.words - 1] = 0; /* the record may end within the last word */
    memcpy(search->words, store_get(&search->cluster->nodes.discrete, discrete),
           search->layout.record_bytes);
}

static struct trace *trace_to(struct search *search, uint32_t node)
{
    const struct node *list = search->cluster->nodes.list;
    uint32_t steps = 0, at = node;
    for (; list[at].parent != NODES_NONE; at = list[at].parent) steps++;
    struct trace *trace = trace_new(search->model, steps);
    zsearch_load_discrete(search, list[at].discrete);
    layout_unpack(&search->layout, search->model, search->words, trace->initial);
    for (at = node; steps; at = list[at].parent) trace->rules[--steps] = list[at].rule;
    return trace;
}

void zsearch_date(struct search *search, struct trace *trace, const struct dating_goal *goals,
                  uint32_t count)
{
    bool found = !model_is_timed(search->model);
    for (uint32_t i = 0; !found && i < count; i++)
        found = dating_find(search->model, trace, &goals[i]);
    if (!found && !count) found = dating_find(search->model, trace, NULL);
    if (!found)
        search->result->broken = "there are no dates for a sequence of rules that zones allow";
}

/* One of the zones in moves.rest must be reached by waiting in the last state. */
bool zsearch_date_stuck(struct search *search, struct trace *trace)
{
    struct mem *mem = search->model->mem;
    const struct config *config = search->moves.config;
    if (!search->enabled_count) return zsearch_date(search, trace, NULL, 0), true;
    if (!moves_find_dead(&search->moves, search->rules, search->enabled_count)) return false;
    uint32_t count = search->moves.rest.count, timers = search->timers.list.len;
    struct dating_goal *goals = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *goals);
    struct dbm *zones = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *zones);
    uint32_t *sources = mem_alloc(mem, (config->count + UINT64_C(1)) * sizeof *sources);
    for (uint32_t i = 0; i < config->count; i++) {
        uint32_t source = configs_clock(&search->configs, config, i)->source;
        sources[i] = source < timers ? search->timers.list.data[source].rule
                                     : search->model->rules.len + source - timers;
    }
    for (uint32_t i = 0; i < count; i++) {
        zones[i] = federation_get(&search->moves.rest, i);
        goals[i] =
            (struct dating_goal){.zone = &zones[i], .sources = sources, .failing = MODEL_NONE};
    }
    zsearch_date(search, trace, goals, count);
    mem_free(mem, goals);
    mem_free(mem, zones);
    mem_free(mem, sources);
    return true;
}

/* When a deadlock is dated its state is entered once more: the search may be elsewhere by then.
 * Nothing else is being expanded. */
static bool enter_again(struct search *search, const uint64_t *words)
{
    struct enabled to = {.discrete = NODES_NONE};
    memcpy(search->words, words, search->layout.words * sizeof *words);
    if (!zsearch_find_config(search, search->words, &to)) return false;
    search->moves.config = configs_get(&search->configs, to.config);
    return zsearch_list_enabled(search);
}

void zsearch_complete(struct search *search, struct property_result *entry, const uint64_t *words)
{
    struct trace *trace = entry->trace;
    struct dating_goal failing = {.failing = trace->failed_rule};
    if (entry->kind != PROPERTY_DEADLOCK)
        zsearch_date(search, trace, &failing, trace->failed_rule != MODEL_NONE);
    else if (!enter_again(search, words) || !zsearch_date_stuck(search, trace))
        mem_refuse(search->model->mem);
}

static void violated(struct search *search, uint32_t property, const struct cluster *cluster,
                     uint32_t node, uint32_t failed_rule)
{
    struct property_result *entry = &search->task->properties[property];
    struct mem *mem = search->model->mem;
    if (entry->verdict == VERDICT_VIOLATED) return;
    const struct mem_lift before =
        mem_lift(mem);   /* what was found must not be lost to the limit on the search */
    if (!search->past) { /* a run that is refused memory before it has its dates is none */
        struct trace *trace = trace_to(search, node);
        trace->failed_rule = failed_rule;
        struct dating_goal failing = {.failing = failed_rule};
        if (entry->kind != PROPERTY_DEADLOCK)
            zsearch_date(search, trace, &failing, failed_rule != MODEL_NONE);
        else if (!zsearch_date_stuck(search, trace)) mem_refuse(mem);
        entry->trace = trace;
    }
    entry->verdict = VERDICT_VIOLATED;
    entry->reason = NULL; /* of an order that could not have decided all of it */
    if (search->past) clusters_violated(search, property, cluster, node, failed_rule);
    mem_lower(mem, before);
    search->undecided -= !entry->watched_only;
}

/* ---- monitors ---- */

static void stop_monitor(struct search *search, uint32_t m)
{
    search->monitors[m].active = false;
    search->active = 0;
    for (uint32_t i = 0; i < search->monitor_count; i++)
        if (search->monitors[i].active)
            search->active |= UINT64_C(1) << (i < MONITOR_BITS ? i : MONITOR_BITS - 1);
}

static void witnessed(struct search *search, const struct monitor *monitor)
{
    search->task->properties[monitor->property].verdict = VERDICT_HOLDS;
    search->undecided--;
}

void zsearch_report_findings(struct search *search)
{
    for (uint32_t i = 0; i < search->finding_count; i++) {
        const struct finding *finding = &search->findings[i];
        const struct monitor *monitor = &search->monitors[finding->monitor];
        if (!monitor->active) continue;
        stop_monitor(search, finding->monitor);
        if (monitor->kind == MONITOR_ALWAYS)
            violated(search, monitor->property, finding->cluster, finding->node, MODEL_NONE);
        if (monitor->kind == MONITOR_NOT_ALWAYS) witnessed(search, monitor);
    }
    search->finding_count = 0;
}

void zsearch_end_monitor(struct search *search, uint32_t m)
{
    if (!search->monitors[m].active) return;
    stop_monitor(search, m);
    if (search->monitors[m].kind == MONITOR_NOT_ALWAYS) witnessed(search, &search->monitors[m]);
}

/* In a new discrete state, whose first pair is `node` of the cluster. */
static void run_monitors(struct search *search, uint64_t bits, const uint64_t *words,
                         const struct cluster *cluster, uint32_t node)
{
    for (uint32_t i = 0; i < search->monitor_count; i++) {
        struct monitor *monitor = &search->monitors[i];
        if (!monitor->active || !(bits >> (i < MONITOR_BITS ? i : MONITOR_BITS - 1) & 1)) continue;
        int64_t value;
        if (!program_run(&search->program, monitor->code, words, &value)) {
            monitor->failed = true; /* and goes on: a violation elsewhere still counts */
            continue;
        }
        if (monitor->kind == MONITOR_ANTECEDENT ? !value : value) continue;
        bool known = false;
        for (uint32_t f = 0; f < search->finding_count; f++)
            known |= search->findings[f].monitor == i;
        if (!known) search->findings[search->finding_count++] = (struct finding){i, node, cluster};
    }
}

/* ---- edges ---- */

static bool grow(struct search *search, void **data, uint64_t *cap, uint64_t len, size_t size)
{
    if (len < *cap) return true;
    uint64_t bigger = *cap ? *cap + *cap / 2 : 256;
    void *moved = mem_try_resize(search->model->mem, *data, bigger * size);
    if (!moved) return zsearch_stop(search, STOP_MEMORY);
    *data = moved;
    *cap = bigger;
    return true;
}

/* The steps of a pair begin; all pairs are expanded, in order, when steps are kept. */
static bool begin_edges(struct search *search, uint32_t node)
{
    struct search_edges *edges = &search->edges;
    if (!edges->wanted) return true;
    if (!grow(search, (void **)&edges->first, &edges->first_cap, node + UINT64_C(1),
              sizeof *edges->first))
        return false;
    edges->first[node] = edges->first[node + 1] = edges->count;
    return true;
}

static bool keep_edge(struct search *search, uint32_t to)
{
    struct search_edges *edges = &search->edges;
    if (!edges->wanted) return true;
    if (!grow(search, (void **)&edges->to, &edges->to_cap, edges->count, sizeof *edges->to))
        return false;
    edges->to[edges->count++] = to;
    return true;
}

/* ---- adding states ---- */

static void tell_state(struct search *search, uint32_t node, const uint64_t *words,
                       const struct config *config)
{
    struct text text;
    if (!search->graph) return;
    layout_unpack(&search->layout, search->model, words, search->values);
    text_init(&text, search->model->mem);
    zonetext_add(&text, &search->configs, config, &search->moves.next);
    search->graph->state(search->graph->context, node, search->values, text.data ? text.data : "");
    text_free(&text);
}

/* Adds the successor's discrete state to its cluster. */
static bool add_discrete(struct search *search, const uint64_t *words, struct enabled *to)
{
    while ((to->discrete = nodes_add_discrete(&to->cluster->nodes, words, to->hash, to->config))
           == NODES_NONE)
        if (!clusters_relieve(search)) return zsearch_stop(search, STOP_MEMORY);
    return true;
}

bool zsearch_add_pair(struct search *search, const uint64_t *words, struct enabled *to,
                      uint32_t parent, uint32_t step, uint64_t bits)
{
    uint32_t node, rule = to->fast ? to->fast->rule : MODEL_NONE;
    enum nodes_result added;
    if (!to->cluster) to->cluster = clusters_reach(search, words);
    if (!to->cluster) return false;
    if (search->past && to->cluster->head.rank > search->past->history.farthest)
        search->past->history.farthest = to->cluster->head.rank;
    struct nodes *nodes = &to->cluster->nodes;
    if (to->discrete == NODES_NONE)
        to->discrete =
            store_find(&nodes->discrete, words, to->hash); /* another rule may have led there */
    bool is_new = to->discrete == NODES_NONE;
    if (is_new && !add_discrete(search, words, to)) return false;
    uint64_t before = nodes_kept(nodes);
    while ((added = nodes_add(nodes, to->discrete, &search->moves.next,
                              search->past ? NODES_NONE : parent, rule, &node))
           == NODES_REFUSED)
        if (!clusters_relieve(search)) return zsearch_stop(search, STOP_MEMORY);
    if (search->past && added == NODES_NEW
        && !clusters_added(search, to->cluster, (int64_t)(nodes_kept(nodes) - before), parent,
                           step))
        return false;
    if (added == NODES_NEW)
        tell_state(search, node, words, configs_get(&search->configs, to->config));
    if (search->graph) search->graph->edge(search->graph->context, parent, rule, node);
    if (parent != NODES_NONE && !keep_edge(search, node)) return false;
    if (is_new && bits) run_monitors(search, bits, words, to->cluster, node);
    return true;
}

bool zsearch_find_config(struct search *search, const uint64_t *words, struct enabled *to)
{
    to->config =
        to->discrete != NODES_NONE ? to->cluster->nodes.infos[to->discrete].config : CONFIG_NONE;
    while (to->config == CONFIG_NONE
           && (to->config = configs_find(&search->configs, words)) == CONFIG_NONE)
        if (!clusters_relieve(search)) return zsearch_stop(search, STOP_MEMORY);
    while (!moves_reserve(&search->moves, search->configs.most))
        if (!clusters_relieve(search)) return zsearch_stop(search, STOP_MEMORY);
    return true;
}

bool zsearch_add_initial(struct search *search, bool watch, const uint64_t *above)
{
    uint64_t *words = search->words;
    uint32_t number = 0;
    eval_first_initial(search->model, search->values);
    do {
        struct enabled to = {.discrete = NODES_NONE};
        uint32_t step = number++;
        layout_pack(&search->layout, search->model, search->values, words);
        if (above && history_rank(&search->past->history, words) <= *above) continue;
        if (!zsearch_find_config(search, words, &to)) return false;
        if (!moves_initial(&search->moves, configs_get(&search->configs, to.config))) continue;
        to.hash = store_hash(words, search->layout.record_bytes);
        to.cluster = clusters_find(search, words);
        if (!zsearch_add_pair(search, words, &to, NODES_NONE, step, watch ? search->active : 0))
            return false;
        search->result->initial_states += watch;
        zsearch_report_findings(search);
        layout_unpack(&search->layout, search->model, words,
                      search->values); /* others have used them */
        if (!zsearch_poll(search)) return false;
    } while (eval_next_initial(search->model, search->values));
    return true;
}

/* ---- expanding one ---- */

static bool reserve_enabled(struct search *search)
{
    struct mem *mem = search->model->mem;
    if (search->enabled_count < search->enabled_cap && search->failed_count < search->enabled_cap)
        return true;
    uint64_t cap = search->enabled_cap ? 2 * (uint64_t)search->enabled_cap : 16;
    void *enabled = mem_try_resize(mem, search->enabled, cap * sizeof *search->enabled);
    if (enabled) search->enabled = enabled;
    void *rules = mem_try_resize(mem, search->rules, cap * sizeof *search->rules);
    if (rules) search->rules = rules;
    void *successors = mem_try_resize(mem, search->successors,
                                      cap * search->layout.words * sizeof *search->successors);
    if (successors) search->successors = successors;
    void *failed = mem_try_resize(mem, search->failed, cap * sizeof *search->failed);
    if (failed) search->failed = failed;
    if (!enabled || !rules || !successors || !failed) return zsearch_stop(search, STOP_MEMORY);
    search->enabled_cap = (uint32_t)cap;
    return true;
}

uint64_t *zsearch_successor(const struct search *search, uint32_t i)
{
    return search->successors + (size_t)i * search->layout.words;
}

static bool find_enabled(struct search *search)
{
    struct program_cursor cursor;
    const struct fast_rule *fast;
    search->enabled_count = search->failed_count = search->barred_count = 0;
    program_start(&search->program, &cursor);
    cursor.alone = true;
    for (;;) {
        if (!reserve_enabled(search)) return false;
        uint64_t *next = zsearch_successor(search, search->enabled_count);
        enum step step = program_next(&search->program, &cursor, search->words, next, &fast);
        if (step == STEP_NONE) return true;
        if (!program_permits(&search->program, fast, search->words)) {
            search->barred_count++; /* it has its timer and its deadline (config.c), and is not
                                       taken */
            search->any_barred = true;
            continue;
        }
        if (step == STEP_FAILED) {
            search->failed[search->failed_count++] = fast->rule;
            continue;
        }
        uint64_t hash = store_hash(next, search->layout.record_bytes);
        if (search->cluster) store_prefetch(&search->cluster->nodes.discrete, hash);
        search->rules[search->enabled_count] = (struct moves_rule){fast->rule, NULL};
        search->enabled[search->enabled_count++] =
            (struct enabled){fast, hash, NULL, NODES_NONE, CONFIG_NONE};
    }
}

bool zsearch_resolve(struct search *search, uint32_t i)
{
    struct enabled *enabled = &search->enabled[i];
    if (enabled->config != CONFIG_NONE) return true;
    enabled->cluster = clusters_find(search, zsearch_successor(search, i));
    if (enabled->cluster)
        enabled->discrete = store_find(&enabled->cluster->nodes.discrete,
                                       zsearch_successor(search, i), enabled->hash);
    if (!zsearch_find_config(search, zsearch_successor(search, i), enabled)) return false;
    search->rules[i].to = configs_get(&search->configs, enabled->config);
    return true;
}

bool zsearch_take(struct search *search, uint32_t node, uint32_t i, bool counts)
{
    struct enabled *enabled = &search->enabled[i];
    struct result *result = search->result;
    uint32_t rule = enabled->fast->rule;
    if (!moves_can_begin(&search->moves, rule)) return true;
    if (!zsearch_resolve(search, i)) return false;
    enum moves_result begun =
        moves_begin(&search->moves, &search->rules[i], search->rules, search->enabled_count);
    if (begun == MOVES_REFUSED) return zsearch_stop(search, STOP_MEMORY);
    while (begun == MOVES_ZONE && moves_next(&search->moves)) {
        result->transitions += counts;
        result->taken[rule] += counts;
        if (!zsearch_add_pair(search, zsearch_successor(search, i), enabled, node, i,
                              counts ? enabled->fast->touches & search->active : 0))
            return false;
    }
    return true;
}

static bool report_failures(struct search *search, uint32_t node)
{
    for (uint32_t i = 0; i < search->failed_count; i++) {
        uint32_t rule = search->failed[i];
        enum moves_result tried =
            moves_fails(&search->moves, rule, search->rules, search->enabled_count);
        if (tried == MOVES_REFUSED) return zsearch_stop(search, STOP_MEMORY);
        if (tried == MOVES_NONE) continue;
        search->result->runtime_errors++;
        if (search->runtime_error != MODEL_NONE)
            violated(search, search->runtime_error, search->cluster, node, rule);
    }
    return true;
}

static bool is_final(struct search *search)
{
    int64_t value;
    return search->model->has_final
           && program_run(&search->program, search->final, search->words, &value) && value;
}

static bool look_for_stuck(struct search *search, uint32_t node)
{
    uint32_t count = search->enabled_count;
    if (count && !search->look_for_stuck) return true;
    enum moves_result dead = moves_dead(&search->moves, search->rules, count,
                                        search->failed_count + search->barred_count);
    if (dead == MOVES_NONE) return true;
    if (dead == MOVES_REFUSED) return zsearch_stop(search, STOP_MEMORY);
    if (count && !search->exact) {
        search->start_again = true;
        return false;
    }
    zsearch_load_discrete(
        search, search->cluster->nodes.list[node].discrete); /* a trace may have used the words */
    if (is_final(search)) {
        search->result->ends++;
        return keep_edge(search, node);
    }
    search->result->deadlocks++;
    if (search->deadlock != MODEL_NONE)
        violated(search, search->deadlock, search->cluster, node, MODEL_NONE);
    return keep_edge(search, node);
}

bool zsearch_list_enabled(struct search *search)
{
    bool going = find_enabled(search);
    for (uint32_t i = 0; going && search->clocks.invariants.len && i < search->enabled_count; i++)
        going = zsearch_resolve(search, i);
    return going;
}

bool zsearch_enter(struct search *search, uint32_t node)
{
    uint32_t discrete = search->cluster->nodes.list[node].discrete;
    const struct config *config =
        configs_get(&search->configs, search->cluster->nodes.infos[discrete].config);
    zsearch_load_discrete(search, discrete);
    moves_enter_state(&search->moves, config, &search->cluster->nodes.zones,
                      search->cluster->nodes.list[node].zone);
    return zsearch_list_enabled(search);
}

bool zsearch_expand(struct search *search, uint32_t node)
{
    bool going = begin_edges(search, node) && zsearch_enter(search, node);
    for (uint32_t i = 0; going && i < search->enabled_count; i++)
        if (search->pass == PASS_ALL
            || search->model->rules.data[search->enabled[i].fast->rule].is_guided
                   == (search->pass == PASS_INTERACTIONS))
            going = zsearch_take(search, node, i, true);
    zsearch_report_findings(search); /* also when memory has just run out */
    if (search->pass == PASS_INTERACTIONS) return going;
    return going && report_failures(search, node) && look_for_stuck(search, node);
}

/* ---- counting what one adds ---- */

static bool count_steps(struct search *search, struct search_counts *counts)
{
    for (uint32_t i = 0; i < search->enabled_count; i++) {
        if (!moves_can_begin(&search->moves, search->rules[i].rule)) continue;
        if (!zsearch_resolve(search, i)) return false;
        enum moves_result begun =
            moves_begin(&search->moves, &search->rules[i], search->rules, search->enabled_count);
        if (begun == MOVES_REFUSED) return false;
        while (begun == MOVES_ZONE && moves_next(&search->moves)) counts->transitions++;
    }
    return true;
}

bool zsearch_count(struct search *search, struct search_counts *counts)
{
    uint32_t count = search->enabled_count;
    if (!count_steps(search, counts)) return false;
    for (uint32_t i = 0; i < search->failed_count; i++) {
        enum moves_result tried =
            moves_fails(&search->moves, search->failed[i], search->rules, count);
        if (tried == MOVES_REFUSED) return false;
        counts->runtime_errors += tried != MOVES_NONE;
    }
    if (count && !search->look_for_stuck) return true;
    enum moves_result dead = moves_dead(&search->moves, search->rules, count,
                                        search->failed_count + search->barred_count);
    if (dead == MOVES_REFUSED) return false;
    if (dead == MOVES_NONE) return true;
    if (is_final(search)) counts->ends++;
    else counts->deadlocks++;
    return true;
}

/* ---- breadth first ---- */

static bool push_level(struct search *search)
{
    if (search->level_count == search->level_cap) {
        uint32_t cap = search->level_cap ? 2 * search->level_cap : 64;
        uint64_t *levels = mem_try_resize(search->model->mem, search->levels, cap * sizeof *levels);
        if (!levels) return zsearch_stop(search, STOP_MEMORY);
        search->levels = levels;
        search->level_cap = cap;
    }
    search->levels[search->level_count++] = nodes_kept(&search->cluster->nodes);
    return true;
}

static bool breadth_first(struct search *search)
{
    struct result *result = search->result;
    uint64_t level_end = search->cluster->nodes.next_level = search->cluster->nodes.count;
    if (!push_level(search)) return false;
    for (uint64_t cursor = 0; cursor < search->cluster->nodes.count; cursor++) {
        if (cursor == level_end) {
            level_end = search->cluster->nodes.next_level = search->cluster->nodes.count;
            result->depth++;
            if (!push_level(search)) return false;
        }
        if (nodes_is_given_up(&search->cluster->nodes, (uint32_t)cursor)) continue;
        if (search->task->max_depth && result->depth >= search->task->max_depth)
            return zsearch_stop(search, STOP_DEPTH);
        if (!zsearch_poll(search) || !zsearch_expand(search, (uint32_t)cursor)) return false;
        result->expanded++;
    }
    return true;
}

/* ---- before and after ---- */

static void add_monitor(struct search *search, uint32_t property, expr e, enum monitor_kind kind)
{
    uint32_t m = search->monitor_count++;
    search->monitors[m] =
        (struct monitor){property, program_compile(&search->program, e), kind, true, false};
    unsigned bit = m < MONITOR_BITS ? m : MONITOR_BITS - 1;
    program_watch(&search->program, e, bit);
    search->active |= UINT64_C(1) << bit;
}

/* EF q and the like: not (always p), with p = not q. */
static bool is_reachability(struct model *model, const struct property_result *entry, expr *always)
{
    if (entry->kind != PROPERTY_CTL) return false;
    formula negated =
        formula_make(&model->formulas, &model->exprs, FORMULA_NOT, entry->property->root,
                     entry->property->root, entry->property->place);
    return formula_is_invariant(&model->formulas, &model->exprs, negated, always);
}

static void prepare_properties(struct search *search)
{
    struct task *task = search->task;
    search->monitors = mem_alloc(search->model->mem, (2 * (uint64_t)task->property_count + 1)
                                                         * sizeof *search->monitors);
    search->findings = mem_alloc(search->model->mem, (2 * (uint64_t)task->property_count + 1)
                                                         * sizeof *search->findings);
    search->deadlock = search->runtime_error = MODEL_NONE;
    if (search->model->has_final)
        search->final = program_compile(&search->program, search->model->final);
    for (uint32_t i = 0; i < task->property_count; i++) {
        struct property_result *entry = &task->properties[i];
        expr always;
        search->undecided += !entry->watched_only;
        if (entry->kind == PROPERTY_DEADLOCK) search->deadlock = i;
        else if (entry->kind == PROPERTY_RUNTIME_ERROR) search->runtime_error = i;
        else if (entry->in_each_state) add_monitor(search, i, entry->invariant, MONITOR_ALWAYS);
        else if (is_reachability(search->model, entry, &always))
            add_monitor(search, i, always, MONITOR_NOT_ALWAYS);
        else if (entry->kind == PROPERTY_CTL) entry->reason = timed_reachability_only;
        else if (task->by_interactions)
            entry->reason = "it needs the whole graph: without --bound auto";
        else if (task->order == ORDER_PAST_FREEZE)
            entry->reason =
                "it needs the whole graph, and past-freeze order frees the past: --order bfs";
        else search->edges.wanted = true; /* after the search, on the whole graph */
        if (entry->has_safety) add_monitor(search, i, entry->safety, MONITOR_ALWAYS);
        if (entry->has_antecedent) add_monitor(search, i, entry->antecedent, MONITOR_ANTECEDENT);
    }
    search->look_for_stuck =
        search->deadlock != MODEL_NONE || task->count_deadlocks || search->edges.wanted;
}

static void conclude(struct search *search)
{
    struct result *result = search->result;
    result->complete = result->stop == STOP_NONE;
    for (uint32_t m = 0; m < search->monitor_count; m++) {
        const struct monitor *monitor = &search->monitors[m];
        struct property_result *entry = &search->task->properties[monitor->property];
        if (monitor->kind == MONITOR_ANTECEDENT || entry->verdict != VERDICT_UNKNOWN) continue;
        if (monitor->failed) entry->reason = result_cannot_evaluate;
        else if (monitor->kind == MONITOR_NOT_ALWAYS && result->all_states && !search->task->part)
            entry->verdict = VERDICT_VIOLATED;
        else if (monitor->kind == MONITOR_NOT_ALWAYS && search->task->part)
            entry->reason = stop_reason_text[STOP_PARTS]; /* whether others have such a state is not
                                                             known here */
    }
    for (uint32_t i = 0; i < search->task->property_count; i++) {
        struct property_result *entry = &search->task->properties[i];
        if (entry->verdict != VERDICT_UNKNOWN || entry->reason) continue;
        if (result->all_states) entry->verdict = VERDICT_HOLDS;
        else entry->reason = stop_reason_text[result->stop];
    }
    for (uint32_t m = 0; m < search->monitor_count; m++) {
        struct property_result *entry = &search->task->properties[search->monitors[m].property];
        if (search->monitors[m].kind != MONITOR_ANTECEDENT) continue;
        entry->antecedent_met = !search->monitors[m].active;
        entry->antecedent_never = search->monitors[m].active && result->all_states;
    }
}

static void add_statistics(struct search *search, uint64_t space_bytes)
{
    struct clusters_totals all = clusters_sum(search);
    struct timed_statistics *statistics = mem_alloc(search->model->mem, sizeof *statistics);
    *statistics = (struct timed_statistics){
        .discrete_states = all.discrete,
        .zones = all.zones,
        .configurations = search->configs.count,
        .zone_bytes = all.zone_bytes,
        .space_bytes = search->past ? search->past->space_bytes : space_bytes,
        .covered = all.covered,
        .given_up = all.given_up,
        .timers = search->timers.list.len,
        .clocks = search->model->clocks.len,
        .largest = (uint32_t)all.largest,
        .equal = search->task->equal_zones || search->edges.wanted,
        .exact = search->exact};
    search->result->timed = statistics;
    search->result->states = all.states;
}

/* Why there is no folder to freeze in: the result says more about it, unless memory was refused. */
static enum stop_reason result_of_opening(const struct search *search)
{
    return search->result->refused ? STOP_DISK : STOP_MEMORY;
}

bool zsearch_prepare(struct search *search)
{
    struct mem *mem = search->model->mem;
    if (!configs_init(&search->configs, mem, &search->program, &search->timers, &search->clocks))
        return zsearch_stop(search, STOP_MEMORY);
    search->configs.exact = search->exact;
    if (!moves_init(&search->moves, &search->configs, 8)) {
        configs_release(&search->configs);
        return zsearch_stop(search, STOP_MEMORY);
    }
    if (search->task->order == ORDER_PAST_FREEZE && !clusters_init(search))
        zsearch_stop(search, result_of_opening(search));
    else if (!search->past) search->cluster = clusters_make(search);
    if (!search->past && !search->cluster) {
        moves_release(&search->moves);
        configs_release(&search->configs);
        return zsearch_stop(search, STOP_MEMORY);
    }
    return true;
}

void zsearch_end(struct search *search, bool has_space)
{
    struct mem *mem = search->model->mem;
    if (has_space) {
        clusters_free(search, search->cluster);
        if (search->past) clusters_release(search);
        moves_release(&search->moves);
        configs_release(&search->configs);
    }
    nodes_release_work(&search->nodes_work, mem);
    clocks_release(&search->clocks);
    timers_release(&search->timers);
    program_release(&search->program);
    layout_release(&search->layout, search->model);
    mem_free(mem, search->monitors);
    mem_free(mem, search->findings);
    mem_free(mem, search->words);
    mem_free(mem, search->enabled);
    mem_free(mem, search->rules);
    mem_free(mem, search->successors);
    mem_free(mem, search->failed);
    mem_free(mem, search->values);
    mem_free(mem, search->edges.first);
    mem_free(mem, search->edges.to);
    mem_free(mem, search);
}

struct search *zsearch_begin(struct task *task, const struct timed_graph *graph,
                             struct result *result, bool exact)
{
    struct model *model = task->model;
    struct mem *mem = model->mem;
    struct search *search = mem_alloc(mem, sizeof *search);
    search->exact = exact;
    search->task = task;
    search->model = model;
    search->result = result;
    search->graph = graph;
    layout_init(&search->layout, model);
    program_init(&search->program, model, &search->layout);
    timers_init(&search->timers, model);
    clocks_init(&search->clocks, model, &search->timers);
    prepare_properties(search);
    search->poll_interval = 1;
    search->looked = clock_now();
    search->poll_most = model->rules.len < POLL_RULES / POLL_STATES
                            ? POLL_STATES
                            : POLL_RULES / model->rules.len + 1;
    search->words = mem_alloc(mem, (search->layout.words + UINT64_C(1)) * sizeof *search->words);
    search->values = mem_alloc(mem, (model->vars.len + UINT64_C(1)) * sizeof *search->values);
    return search;
}

/* False: it must be done again, exactly. */
static bool run_once(struct task *task, const struct timed_graph *graph, struct result *result,
                     bool exact, double started)
{
    struct model *model = task->model;
    struct mem *mem = model->mem;
    memset(result, 0, sizeof *result);
    result->engine = "timed";
    result->has_depth = task->order != ORDER_PAST_FREEZE && !task->by_interactions;
    result->taken = mem_alloc(mem, (model->rules.len + UINT64_C(1)) * sizeof *result->taken);
    struct search *search = zsearch_begin(task, graph, result, exact);
    search->started = search->last_progress = started;
    uint64_t before = mem->used;
    bool has_space = zsearch_prepare(search);
    bool begun =
        has_space && result->stop == STOP_NONE
        && (search->past && part_has_seeds(task) ? clusters_add_seeds(search)
                                                 : zsearch_add_initial(search, true, NULL));
    if (begun)
        search->past            ? clusters_run(search)
        : task->by_interactions ? interactions_run(search)
                                : breadth_first(search);
    bool done = !search->start_again;
    if (!done) zsearch_stop(search, STOP_EXACT);
    result->all_states = result->stop == STOP_NONE;
    if (done) temporal_check_all(search);
    result->seconds = clock_now() - started;
    result->peak_bytes = mem->peak;
    const struct mem_lift lift = mem_lift(mem);
    if (has_space) {
        if (search->past) clusters_conclude(search);
        else reached_find(model, &search->layout, &search->cluster->nodes.discrete, result);
        add_statistics(search, mem->used - before);
    }
    if (!done && search->past)
        clusters_forget(search); /* runs have been read from its files by now */
    result->record_bytes = search->layout.record_bytes;
    result->state_bits = search->layout.state_bits;
    result->levels = search->levels;
    result->level_count = search->level_count;
    result->no_deadlocks = (model->clocks.len || result->runtime_errors || search->any_barred)
                           && !search->look_for_stuck;
    conclude(search);
    zsearch_end(search, has_space);
    mem_lower(mem, lift);
    return done;
}

/* An earlier run had already begun again: going on with it means to go on with such zones. */
static bool is_exact_run(const struct task *task)
{
    struct freezer_identity identity = {.record_bytes = 0};
    clusters_hash(task, true, identity.hash);
    return task->freeze && task->resume && freezer_is_of(task->freeze, &identity);
}

struct freezer_identity timed_identity(const struct task *task)
{
    struct freezer_identity identity = {.record_bytes = 0};
    clusters_hash(task, task->exact_zones, identity.hash);
    return identity;
}

const char timed_reachability_only[] =
    "the timed engine decides CTL formulas about reachability only: AG p, EF p and their negations";

void timed_classify(struct task *task)
{
    expr always;
    for (uint32_t i = 0; i < task->property_count; i++)
        task->properties[i].is_reachability =
            !task->properties[i].in_each_state
            && is_reachability(task->model, &task->properties[i], &always);
}

struct repetition {
    struct task *task;
    const struct timed_graph *graph;
    struct result *result;
    struct furthest furthest;
    double started;
};

static void run_exactly(void *context)
{
    struct repetition *repetition = context;
    struct task again = *repetition->task;
    again.resume = true; /* the folder has a run: one that was forgotten */
    run_once(&again, repetition->graph, repetition->result, true, repetition->started);
    furthest_add(&repetition->furthest, repetition->result);
}

/* A search that meets a state whose deadlock its zones do not tell begins again with exact ones.
 * Both kinds are exact for reachability, so what was found before that stays found; when the second
 * one is cut short, the further one is told (result/furthest.h). Of a search that is split, all
 * parts begin again: run/split.c does that. */
void timed_run(struct task *task, const struct timed_graph *graph, struct result *result)
{
    struct repetition repetition = {
        .task = task, .graph = graph, .result = result, .started = clock_now()};
    assert(task->order != ORDER_PAST_FREEZE || !graph);
    furthest_begin(&repetition.furthest, task);
    bool done =
        run_once(task, graph, result, task->exact_zones || is_exact_run(task), repetition.started);
    furthest_add(&repetition.furthest, result);
    if (!done && !task->part) furthest_run(&repetition.furthest, run_exactly, &repetition);
    furthest_end(&repetition.furthest, result);
}

/* ---- what is beyond it ---- */

static const char *refuse_constraint(const struct clock_constraint *constraint, struct place *place)
{
    *place = constraint->place;
    if (constraint->x != MODEL_NONE && constraint->y != MODEL_NONE)
        return "the timed engine does not compare clocks with each other";
    return bound_fits(constraint->bound) ? NULL : "a time has more than 2^30 ticks";
}

const char *timed_refuses(const struct model *model, struct place *place)
{
    const char *why = NULL;
    *place = (struct place){0};
    for (uint32_t i = 0; !why && i < model->constraints.len; i++)
        why = refuse_constraint(&model->constraints.data[i], place);
    for (uint32_t r = 0; !why && r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        if (rule->interval == MODEL_NONE) continue;
        const struct model_interval *interval = &model->intervals.data[rule->interval];
        bool point = interval->low == interval->high,
             empty = interval->low > interval->high
                     || (point && (interval->low_open || interval->high_open));
        if (rule->parts) *place = model->parts.data[rule->first_part].place;
        if (!bound_fits(interval->low) || (!interval->infinite && !bound_fits(interval->high)))
            why = "a time has more than 2^30 ticks";
        if (interval->low < 0 || (!interval->infinite && empty))
            why = "the interval of a rule is empty";
    }
    return why;
}
