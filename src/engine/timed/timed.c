/* Which order of search a task asks for, and what comes before and after it. What a symbolic state
 * is, and leads to, is in zoned.c; the orders are in search/. */
#include "engine/timed/timed.h"

#include "base/clock.h"
#include "engine/timed/extremes.h"
#include "engine/timed/maximal.h"
#include "engine/timed/temporal.h"
#include "engine/timed/zoned.h"
#include "program/reached.h"
#include "result/furthest.h"
#include "search/breadth.h"
#include "search/frame.h"
#include "search/hidden.h"
#include "search/interactions.h"
#include "search/partition.h"
#include "search/projection.h"
#include "search/rank.h"
#include "search/spread.h"

#include <assert.h>
#include <string.h>

enum { POLL_STATES = 256, POLL_RULES = 50000, NEARBY_SHARE = 8 };

/* ---- properties ---- */

static const struct order *order_of(const struct task *task)
{
    if (task->peers) return &spread_order;
    if (task->prefixes) return &rank_order;
    if (task->points) return task->hides_position ? &hidden_order : &partition_order;
    if (task->order == ORDER_PAST_FREEZE) return &rank_order;
    return task->by_interactions ? &interactions_order : &breadth_order;
}

const char timed_reachability_only[] =
    "the timed engine decides CTL formulas about reachability only: AG p, EF p and their negations";

/* EF q and the like: not (always p), with p = not q. */
static bool is_reachability(struct model *model, const struct property_result *entry, expr *always)
{
    if (entry->kind != PROPERTY_CTL) return false;
    formula negated =
        formula_make(&model->formulas, &model->exprs, FORMULA_NOT, entry->property->root,
                     entry->property->root, entry->property->place);
    return formula_is_invariant(&model->formulas, &model->exprs, negated, always);
}

/* What is not decided in single states: why not at all, or NULL: afterwards, on the whole graph. */
static const char *why_not(const struct task *task, const struct property_result *entry)
{
    if (entry->kind == PROPERTY_CTL) return timed_reachability_only;
    if (entry->kind == PROPERTY_QUERY) return "this kind of query is not decided";
    if (task->by_interactions) return "it needs the whole graph: without --bound auto";
    return order_of(task)->no_graph;
}

/* By a search of its own. */
static bool is_answered_later(const struct model *model, const struct property_result *entry)
{
    return maximal_decides(model, entry) || extremes_decides(model, entry);
}

static const char too_many_queries[] =
    "more than 64 queries about clocks or deadlocks are asked at once: choose some with -p";

static void prepare_property(struct search *search, uint32_t i)
{
    struct property_result *entry = &search->task->properties[i];
    expr always;
    search->findings.undecided += !entry->watched_only && !is_answered_later(search->model, entry);
    if (entry->kind == PROPERTY_DEADLOCK) search->findings.deadlock = i;
    else if (entry->kind == PROPERTY_RUNTIME_ERROR) search->findings.runtime_error = i;
    else if (zoned_sees(search->model, entry)) {
        if (!findings_add_sight(search, i)) entry->reason = too_many_queries;
    } else if (entry->in_each_state) findings_add(search, i, entry->invariant, FINDINGS_ALWAYS);
    else if (is_reachability(search->model, entry, &always))
        findings_add(search, i, always, FINDINGS_NOT_ALWAYS);
    else entry->reason = why_not(search->task, entry);
    if (entry->has_safety) findings_add(search, i, entry->safety, FINDINGS_ALWAYS);
    if (entry->has_antecedent) findings_add(search, i, entry->antecedent, FINDINGS_ANTECEDENT);
}

/* Whether a property needs the whole graph, and there will be one. */
static bool needs_graph(const struct task *task)
{
    expr always;
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        if (entry->kind != PROPERTY_DEADLOCK && entry->kind != PROPERTY_RUNTIME_ERROR
            && !entry->in_each_state && entry->kind != PROPERTY_QUERY
            && !is_reachability(task->model, entry, &always) && !why_not(task, entry))
            return true;
    }
    return false;
}

/* ---- one search ---- */

/* Zones are told apart within a peer; so they are counted there. */
static void unite_totals(const struct search *search, struct nodes_totals *all)
{
    struct zoned *zoned = (struct zoned *)search->space;
    uint64_t sums[] = {all->discrete, all->zones, all->zone_bytes, all->covered, all->given_up},
             maxima[] = {all->largest, zoned->any_barred};
    if (!spread_unite(search->task, sums, 5, maxima, 2)) return;
    *all = (struct nodes_totals){.discrete = sums[0],
                                 .zones = sums[1],
                                 .zone_bytes = sums[2],
                                 .covered = sums[3],
                                 .given_up = sums[4],
                                 .largest = maxima[0]};
    zoned->any_barred = maxima[1];
}

static void add_statistics(const struct search *search)
{
    const struct zoned *zoned = (const struct zoned *)search->space;
    struct nodes_totals all = {0};
    struct timed_statistics *statistics = mem_alloc(search->model->mem, sizeof *statistics);
    search_sum(search, (uint64_t *)&all);
    if (search->task->peers) unite_totals(search, &all);
    if (zoned->configs.most > all.largest) all.largest = zoned->configs.most;
    *statistics = (struct timed_statistics){.discrete_states = all.discrete,
                                            .zones = all.zones,
                                            .configurations = zoned->configs.count,
                                            .zone_bytes = all.zone_bytes,
                                            .space_bytes = zoned->most_bytes,
                                            .covered = all.covered,
                                            .given_up = all.given_up,
                                            .timers = zoned->timers.list.len,
                                            .clocks = search->model->clocks.len,
                                            .largest = (uint32_t)all.largest,
                                            .storage = zoned->storage,
                                            .exact = zoned->exact};
    search->result->timed = statistics;
}

/* Whose run it is, in files. */
static void mark_exact(uint64_t *hash) { *hash ^= UINT64_C(0x9E3779B97F4A7C15); }

static void conclude(struct search *search)
{
    struct result *result = search->result;
    const struct zoned *zoned = (const struct zoned *)search->space;
    if (search->set && (search->task->peers || !search->order->no_graph))
        reached_find(search->model, &zoned->space.layout,
                     (struct reached_states){.store = search->set->kind->store(search->set)},
                     result);
    result->no_deadlocks = (search->model->clocks.len || result->runtime_errors || zoned->any_barred
                            || zoned->clocks.urgent.len)
                           && !zoned->look_for_stuck;
}

/* What is asked for, or what keeps more: simulation keeps neither being stuck nor differences of
 * clocks, and graphs have every zone. */
static enum zone_storage storage_of(const struct task *task, const struct zoned *zoned,
                                    bool keeps_edges)
{
    if (keeps_edges || task->counts_orders) return ZONES_EQUAL;
    if (task->zones == ZONES_BY_SIMULATION
        && (zoned->look_for_stuck || zoned->clocks.diagonals.len))
        return ZONES_BY_INCLUSION;
    return task->zones;
}

/* False: it must be done again, exactly. */
static bool run_once(const struct task *asked, const struct search_graph *graph,
                     struct result *result, bool exact, double started)
{
    struct task task = *asked;
    struct model *model = task.model;
    struct mem *mem = model->mem;
    struct zoned *zoned = mem_alloc(mem, sizeof *zoned);
    struct temporal_edges edges = {.mem = mem};
    struct projection projection = {.mem = mem};
    memset(result, 0, sizeof *result);
    task.reduction = REDUCE_NONE; /* it is no order of the search: states say what they lead to */
    if (exact) mark_exact(&task.freeze_hash[0]);
    const bool is_ready = zoned_init(zoned, model, result, exact);
    const bool keeps_edges = needs_graph(&task);
    zoned_watch(zoned, &task);
    assert(!keeps_edges || !task.counts_orders); /* properties are not asked then */
    const struct order *order = keeps_edges          ? temporal_order(&edges)
                                : task.counts_orders ? projection_order(&projection, mem)
                                                     : order_of(&task);
    struct search *search = frame_begin(&task, &zoned->space, order, graph, result, started,
                                        (struct frame_pace){POLL_STATES, POLL_RULES});
    for (uint32_t i = 0; i < task.property_count; i++) prepare_property(search, i);
    zoned->look_for_stuck |=
        search->findings.deadlock != MODEL_NONE || task.count_deadlocks || keeps_edges;
    if (asked->reduction != REDUCE_NONE && !keeps_edges && !task.counts_orders)
        zoned_reduce(zoned, &task);
    zoned->storage = storage_of(&task, zoned, keeps_edges);
    if (!is_ready) mem_refuse(mem);
    frame_run(search, task.threads);
    result->states = search->own ? search->order->states(search) : 0;
    result->all_states = result->stop == STOP_NONE;
    if (keeps_edges) temporal_check_all(search, &edges);
    if (task.counts_orders) projection_count(search, &projection);
    result->seconds = clock_now() - started;
    result->peak_bytes = mem->peak;
    const struct mem_lift lift = mem_lift(mem);
    const bool done = result->stop != STOP_EXACT;
    add_statistics(search);
    conclude(search);
    if (task.peers) spread_part(search);
    frame_end(search);
    temporal_release(&edges);
    projection_release(&projection);
    zoned_release(zoned);
    mem_free(mem, zoned);
    mem_lower(mem, lift);
    return done;
}

/* ---- one after the other ---- */

struct freezer_identity timed_identity(const struct task *task)
{
    struct freezer_identity identity = {.hash = {task->freeze_hash[0], task->freeze_hash[1]}};
    if (task->exact_zones) mark_exact(&identity.hash[0]);
    return identity;
}

/* An earlier run had already begun again: going on with it means to go on with such zones. */
static bool is_exact_run(const struct task *task)
{
    struct freezer_identity identity = {.hash = {task->freeze_hash[0], task->freeze_hash[1]}};
    mark_exact(&identity.hash[0]);
    return task->freeze && task->resume && freezer_is_of(task->freeze, &identity);
}

void timed_classify(struct task *task)
{
    expr always;
    for (uint32_t i = 0; i < task->property_count; i++)
        task->properties[i].is_reachability =
            !task->properties[i].in_each_state
            && is_reachability(task->model, &task->properties[i], &always);
}

bool timed_sees(const struct task *task, const struct property_result *entry)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < task->property_count; i++)
        count += zoned_sees(task->model, &task->properties[i]);
    return count <= FINDINGS_SIGHTS && zoned_sees(task->model, entry);
}

struct repetition {
    struct task *task;
    const struct search_graph *graph;
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

/* ---- queries that need searches of their own ---- */

/* Why such searches cannot say all; NULL: they can. */
static const char *why_not_whole(const struct task *task)
{
    if (task->part || task->max_depth || task->by_interactions || task->hides_position)
        return "it needs the whole graph: without --bound, --split and --partition";
    if (task->peers) return "it needs the whole graph, which no rank has: use cairn";
    return NULL;
}

/* Memory that is refused leaves the property unknown, and what it had until everything ends. */
static enum stop_reason answer_query(struct task *task, struct property_result *entry,
                                     struct result *result, double started, bool only_nearby)
{
    struct mem *mem = task->model->mem;
    const struct mem_lift before = {mem->limit, mem->lifted};
    jmp_buf *const outer = mem->recover;
    jmp_buf recover;
    if (setjmp(recover)) {
        mem->recover = outer;
        mem_lower(mem, before);
        entry->trace = NULL;
        entry->verdict = VERDICT_UNKNOWN;
        entry->reason = stop_reason_text[result_why_refused()];
        return result_why_refused();
    }
    mem->recover = &recover;
    const enum stop_reason stop = maximal_decides(task->model, entry)
                                      ? maximal_check(task, entry, result, started, only_nearby)
                                      : extremes_check(task, entry, result, started);
    mem->recover = outer;
    return stop;
}

/* Queries about whole runs are first asked of what is near the initial states: that often decides
 * them, where the search for all other properties takes long. The answers are kept aside, because
 * that search begins with fresh properties, twice sometimes. What a refusal of memory leaves behind
 * is lost for it, so little is given to this. */
static struct property_result *answer_nearby(struct task *task, struct result *result,
                                             double started)
{
    const struct model *model = task->model;
    const size_t size = (task->property_count + UINT64_C(1)) * sizeof(struct property_result);
    struct mem *mem = model->mem;
    struct property_result *nearby = mem_alloc(mem, size);
    const struct mem_lift before = {mem->limit, mem->lifted};
    enum stop_reason stop = why_not_whole(task) ? STOP_DEPTH : STOP_NONE;
    if (mem->limit > mem->used) mem->limit = mem->used + (mem->limit - mem->used) / NEARBY_SHARE;
    for (uint32_t i = 0; i < task->property_count; i++) {
        nearby[i] = task->properties[i];
        if (!maximal_decides(model, &nearby[i])) continue;
        if (stop == STOP_NONE || stop == STOP_STATES)
            stop = answer_query(task, &nearby[i], result, started, true);
    }
    mem_lower(mem, before);
    return nearby;
}

/* What is not known yet, after the search for all other properties. */
static void answer_queries(struct task *task, const struct property_result *nearby,
                           struct result *result, double started)
{
    const bool ended = result->stop != STOP_NONE && result->stop != STOP_DECIDED;
    for (uint32_t i = 0; i < task->property_count; i++) {
        struct property_result *entry = &task->properties[i];
        if (!is_answered_later(task->model, entry)) continue;
        if (nearby[i].verdict != VERDICT_UNKNOWN) {
            *entry = nearby[i];
            continue;
        }
        entry->reason = ended ? stop_reason_text[result->stop] : why_not_whole(task);
        if (entry->reason) continue;
        const enum stop_reason stop = answer_query(task, entry, result, started, false);
        if (result->stop == STOP_DECIDED && stop != STOP_NONE) result->stop = stop;
    }
    result->seconds = clock_now() - started;
}

/* A search that meets a state whose deadlock its zones do not tell begins again with exact ones.
 * Both kinds are exact for reachability, so what was found before that stays found; when the second
 * one is cut short, the further one is told (result/furthest.h). Of a search that is split, all
 * parts begin again: run/split.c does that. */
void timed_run(struct task *task, const struct search_graph *graph, struct result *result)
{
    const double started = clock_now();
    struct repetition repetition = {
        .task = task, .graph = graph, .result = result, .started = started};
    struct result before = {0};
    assert(task->order != ORDER_PAST_FREEZE || !graph);
    struct property_result *nearby = answer_nearby(task, &before, started);
    furthest_begin(&repetition.furthest, task);
    bool done =
        run_once(task, graph, result, task->exact_zones || is_exact_run(task), repetition.started);
    furthest_add(&repetition.furthest, result);
    if (!done && !task->part) furthest_run(&repetition.furthest, run_exactly, &repetition);
    furthest_end(&repetition.furthest, result);
    if (before.broken) result->broken = before.broken;
    answer_queries(task, nearby, result, started);
    mem_free(task->model->mem, nearby);
}

/* ---- what is beyond it ---- */

static const char too_long[] = "a time has more than 2^30 ticks";

static const char *refuse_constraint(const struct model *model,
                                     const struct clock_constraint *constraint, struct place *place)
{
    int64_t low, high;
    *place = constraint->place;
    model_bound_range(model, constraint, &low, &high);
    if (!bound_fits(low) || !bound_fits(high))
        return constraint->varies ? "a bound of a clock may have more than 2^30 ticks" : too_long;
    if (!clocks_is_diagonal(constraint)) return NULL;
    if (high - low >= CLOCKS_MOST_BOUNDS)
        return "the bound of a difference of clocks may be one of more than 4,096 numbers";
    const int64_t most = high > -low ? high : -low;
    return bound_fits(most + clocks_largest(model, constraint->x))
                   && bound_fits(most + clocks_largest(model, constraint->y))
               ? NULL
               : "two times have more than 2^30 ticks together";
}

const char *timed_refuses(const struct model *model, struct place *place)
{
    const char *why = NULL;
    *place = (struct place){0};
    for (uint32_t c = 0; !why && c < model->clocks.len; c++) {
        *place = model->clocks.data[c].place;
        if (!bound_fits(clocks_largest(model, c))) why = too_long;
    }
    for (uint32_t i = 0; !why && i < model->constraints.len; i++)
        why = refuse_constraint(model, &model->constraints.data[i], place);
    for (uint32_t r = 0; !why && r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        if (rule->interval == MODEL_NONE) continue;
        const struct model_interval *interval = &model->intervals.data[rule->interval];
        bool point = interval->low == interval->high,
             empty = interval->low > interval->high
                     || (point && (interval->low_open || interval->high_open));
        if (rule->parts) *place = model->parts.data[rule->first_part].place;
        if (!bound_fits(interval->low) || (!interval->infinite && !bound_fits(interval->high)))
            why = too_long;
        if (interval->low < 0 || (!interval->infinite && empty))
            why = "the interval of a rule is empty";
    }
    return why;
}

static const char *refuse_atom(const struct model *model, const struct formula_node *node)
{
    const struct clock_constraint *constraint = &model->constraints.data[node->constraint];
    if (!constraint->varies) return NULL;
    const struct expr_node *value = expr_get(&model->exprs, constraint->value);
    return bound_fits(value->low) && bound_fits(value->high)
               ? NULL
               : "what a clock is compared with may have more than 2^30 ticks";
}

static const char *refuse_condition(const struct model *model, formula f, struct place *place)
{
    const struct formula_node *node = formula_get(&model->formulas, f);
    const char *why = node->op == FORMULA_CLOCK ? refuse_atom(model, node) : NULL;
    if (why) *place = node->place;
    for (unsigned i = 0; !why && i < formula_table[node->op].arity; i++)
        why = refuse_condition(model, i ? node->b : node->a, place);
    return why;
}

const char *timed_refuses_queries(const struct model *model, const struct task *task,
                                  struct place *place)
{
    const char *why = NULL;
    *place = (struct place){0};
    for (uint32_t i = 0; !why && i < task->property_count; i++) {
        if (task->properties[i].kind != PROPERTY_QUERY) continue;
        const struct model_query *query = &model->queries.data[task->properties[i].property->query];
        why = refuse_condition(model, query->p, place);
        if (!why) why = refuse_condition(model, query->q, place);
    }
    return why;
}
