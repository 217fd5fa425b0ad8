#include "result/result.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const verdict_name[] = {"unknown", "holds", "violated"};
#define X(code, name, words) name,
const char *const search_order_name[] = {SEARCH_ORDERS(X) NULL};
#undef X
#define X(code, name, words) words,
const char *const search_order_words[] = {SEARCH_ORDERS(X) NULL};
#undef X
const char *const relation_form_name[] = {[RELATION_PER_RULE] = "per-rule",
                                          [RELATION_MONOLITHIC] = "monolithic",
                                          [RELATION_LABELLED] = "labelled"};
const char *const state_sets_name[] = {
    [SETS_AUTO] = "auto", [SETS_FLAT] = "flat", [SETS_TREE] = "tree", NULL};
const char *const native_mode_name[] = {
    [NATIVE_AUTO] = "auto", [NATIVE_ALWAYS] = "always", [NATIVE_NEVER] = "never", NULL};

const char *const zone_storage_name[] = {[ZONES_BY_SIMULATION] = "simulation",
                                         [ZONES_BY_INCLUSION] = "inclusion",
                                         [ZONES_EQUAL] = "equal",
                                         NULL};
const char *const reduction_name[] = {[REDUCE_NONE] = "none",
                                      [REDUCE_POR] = "por",
                                      [REDUCE_DEADLOCK] = "deadlock",
                                      [REDUCE_IMPROVISO] = "improviso",
                                      [REDUCE_STEPS] = "steps"};
const char *const keeping_name[] = {
    [KEEP_ASKED] = "asked", [KEEP_LTL] = "ltl", [KEEP_CTL] = "ctl", [KEEP_DEADLOCK] = "deadlock"};
const char *const stop_reason_text[] = {
    "",
    "the memory limit was reached",
    "the time limit was reached",
    "it was interrupted",
    "the depth limit was reached",
    "everything asked was decided",
    "the search stopped at the first violation",
    "the model has more bits than the symbolic engine can handle",
    "the limit on states was reached",
    "a step made the rank smaller, so that the rank of the model is wrong",
    "the folder of --freeze failed",
    "the rest was left for other parts",
    "not all parts were searched",
    "the guide was cut at its bound",
    "coverage is not guaranteed (--partition-hidden)",
    "coverage is not guaranteed, because hidden variables influence what can be seen",
    "deadlocks need zones of another kind",
    "another rank could not go on"};
const char result_cannot_evaluate[] = "it cannot be evaluated in a reachable state: it divides by "
                                      "zero, uses a wrong index or reads an empty queue there";

enum stop_reason result_why_refused(void)
{
    return !limits_enough() ? STOP_MEMORY : limits_interrupted ? STOP_INTERRUPT : STOP_TIME;
}

enum reason result_reason(const char *reason)
{
    if (reason == result_cannot_evaluate) return REASON_CANNOT_EVALUATE;
    for (unsigned stop = STOP_NONE; stop < STOP_COUNT; stop++)
        if (reason == stop_reason_text[stop]) return (enum reason)(REASON_STOPPED + stop);
    return REASON_OTHER;
}

const char *result_reason_text(enum reason reason)
{
    assert(reason < REASON_COUNT);
    if (reason == REASON_OTHER) return NULL;
    return reason == REASON_CANNOT_EVALUATE ? result_cannot_evaluate
                                            : stop_reason_text[reason - REASON_STOPPED];
}

bool result_is_influenced(const struct result *result)
{
    return result->searched && model_has_hidden(result->searched);
}

bool result_knows_rules(const struct result *result)
{
    return result->reduction == REDUCE_NONE || result->reduction == REDUCE_POR;
}

bool result_location_reached(const struct result *result, uint32_t process, uint32_t location)
{
    uint64_t bit = result->reached_first[process] + location;
    return result->reached[bit / 8] >> bit % 8 & 1;
}

bool result_has_coverage(const struct result *result)
{
    return result->taken && result->reached && result->reached_first && !result->bounded
           && !(result->partition && result->partition->hidden);
}

const struct points *result_points(const struct result *result, bool *chosen)
{
    if (result->partition) return *chosen = result->partition->chosen, result->partition->points;
    if (result->orders) return *chosen = result->orders->chosen, result->orders->points;
    return *chosen = result->parts && result->parts->chosen,
           result->parts ? result->parts->points : NULL;
}

struct member_shape result_shape(const struct model *model)
{
    uint64_t bits = 0;
    for (uint32_t p = 0; p < model->processes.len; p++) bits += model->processes.data[p].locations;
    return (struct member_shape){model->vars.len, model->rules.len, model->processes.len,
                                 bits / 8 + 1};
}

double result_progress(const struct result *result)
{
    const struct cluster_statistics *clusters = result->clusters;
    if (result->all_states) return 1;
    return clusters->ranks ? (double)clusters->rank / (double)clusters->ranks : 0;
}

double result_freezability(const struct result *result)
{
    return result->states ? (double)result->clusters->freed_states / (double)result->states : 0;
}

/* ---- clusters ---- */

#ifdef CAIRN_DEGENERATE
enum { MANY_SIZES = 50 };
#else
enum { MANY_SIZES = 4000 };
#endif

void result_note_cluster(struct cluster_statistics *clusters, struct mem *mem, uint64_t rank,
                         uint64_t states)
{
    struct cluster_size size = {.rank = clusters->lowest + (int64_t)rank, .states = states};
    clusters->finished++;
    clusters->rank = rank;
    if (states > clusters->largest.states) clusters->largest = size;
    if (clusters->size_count == clusters->size_room && !clusters->sizes_lost) {
        uint64_t room = clusters->size_room + clusters->size_room / 2 + 64;
        struct cluster_size *sizes = mem_try_resize(mem, clusters->sizes, room * sizeof *sizes);
        if (!sizes) {
            clusters->sizes_lost = true; /* they are no reason to end */
            return;
        }
        clusters->sizes = sizes;
        clusters->size_room = room;
    }
    if (!clusters->sizes_lost) clusters->sizes[clusters->size_count++] = size;
}

static int by_states(const void *a, const void *b)
{
    const struct cluster_size *x = a, *y = b;
    return (x->states > y->states) - (x->states < y->states);
}

void result_end_clusters(struct cluster_statistics *clusters, struct mem *mem)
{
    uint64_t count = clusters->size_count;
    if (count <= MANY_SIZES) return;
    struct cluster_size *sorted = mem_alloc(mem, count * sizeof *sorted);
    memcpy(sorted, clusters->sizes, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_states);
    clusters->quantiles = mem_alloc(mem, (CLUSTER_PARTS + 1) * sizeof *clusters->quantiles);
    for (uint64_t p = 0; p <= CLUSTER_PARTS; p++)
        clusters->quantiles[p] = sorted[(count - 1) * p / CLUSTER_PARTS].states;
    mem_free(mem, sorted);
}

/* ---- properties ---- */

/* G (a -> f) and AG (a -> f): vacuous when a is never true. */
static void find_antecedent(const struct model *model, struct property_result *entry)
{
    const struct formulas *formulas = &model->formulas;
    const struct formula_node *node = formula_get(formulas, entry->property->root);
    if (node->op == FORMULA_A) node = formula_get(formulas, node->a);
    if (node->op != FORMULA_G) return;
    node = formula_get(formulas, node->a);
    if (node->op != FORMULA_IMPLIES || formula_get(formulas, node->a)->op != FORMULA_ATOM) return;
    entry->has_antecedent = true;
    entry->antecedent = formula_get(formulas, node->a)->atom;
}

static expr conjoin(struct exprs *exprs, bool has_first, expr first, expr second)
{
    return has_first ? expr_make(exprs, EXPR_AND, 0, first, second) : second;
}

/* What every state must satisfy among the parts of a conjunction in LTL. */
static void find_safety(struct model *model, formula f, struct property_result *entry)
{
    const struct formula_node node = *formula_get(&model->formulas, f);
    expr always;
    if (formula_is_invariant(&model->formulas, &model->exprs, f, &always)) {
        entry->safety = conjoin(&model->exprs, entry->has_safety, entry->safety, always);
        entry->has_safety = true;
    } else if (node.op == FORMULA_AND) {
        find_safety(model, node.a, entry);
        find_safety(model, node.b, entry);
    }
}

/* A query about single states without clocks and dead ends is asked like a property of every other
 * language. What is sought has `seeks`, whoever decides it. */
static void classify_query(struct model *model, struct property_result *entry)
{
    const struct model_query *query = &model->queries.data[entry->property->query];
    const struct formula_node *p = formula_get(&model->formulas, query->p);
    entry->seeks = query->kind == QUERY_SOMETIME || query->kind == QUERY_KEEPS;
    entry->in_each_state =
        p->op == FORMULA_ATOM && (query->kind == QUERY_ALWAYS || query->kind == QUERY_SOMETIME);
    if (!entry->in_each_state) return;
    entry->invariant =
        entry->seeks ? expr_make(&model->exprs, EXPR_NOT, 0, p->atom, p->atom) : p->atom;
}

static void classify(struct model *model, struct property_result *entry)
{
    const struct model_property *property = entry->property;
    if (property->kind == PROPERTY_QUERY) {
        classify_query(model, entry);
        return;
    }
    const struct formula_node *root = formula_get(&model->formulas, property->root);
    if (property->kind == PROPERTY_INVARIANT) {
        entry->invariant = root->atom;
        entry->in_each_state = true;
    } else if (property->kind == PROPERTY_REACH) {
        entry->invariant = expr_make(&model->exprs, EXPR_NOT, 0, root->atom, root->atom);
        entry->in_each_state = entry->seeks = true;
    } else {
        entry->in_each_state = formula_is_invariant(&model->formulas, &model->exprs, property->root,
                                                    &entry->invariant);
    }
    if (!entry->in_each_state) {
        find_antecedent(model, entry);
        if (property->kind == PROPERTY_LTL) find_safety(model, property->root, entry);
        return;
    }
    const struct expr_node *node = expr_get(&model->exprs, entry->invariant);
    entry->has_antecedent = node->op == EXPR_IMPLIES;
    if (entry->has_antecedent) entry->antecedent = node->a;
}

static void add_built_in(struct model *model, struct property_result *entry,
                         enum property_kind kind, const char *text)
{
    struct model_property *property = arena_alloc(&model->arena, sizeof *property);
    property->name = property_kind_name[kind];
    property->kind = kind;
    property->text = text;
    entry->property = property;
    entry->kind = kind;
    entry->in_each_state = true;
}

struct property_result *result_list_properties(struct model *model, bool with_deadlock,
                                               uint32_t *count)
{
    struct property_result *list =
        mem_alloc(model->mem, (model->properties.len + 2) * sizeof *list);
    *count = 0;
    for (uint32_t i = 0; i < model->properties.len; i++) {
        struct property_result *entry = &list[(*count)++];
        entry->property = &model->properties.data[i];
        entry->kind = entry->property->kind;
        classify(model, entry);
    }
    if (with_deadlock)
        add_built_in(model, &list[(*count)++], PROPERTY_DEADLOCK,
                     "every reachable state has an enabled rule");
    add_built_in(model, &list[(*count)++], PROPERTY_RUNTIME_ERROR,
                 "no division by zero or other run-time error occurs");
    return list;
}

enum verdict result_answer(const struct property_result *entry)
{
    if (!entry->seeks || entry->verdict == VERDICT_UNKNOWN) return entry->verdict;
    return entry->verdict == VERDICT_VIOLATED ? VERDICT_HOLDS : VERDICT_VIOLATED;
}

bool result_is_vacuous(const struct property_result *entry)
{
    assert(!(entry->antecedent_met && entry->antecedent_never));
    return entry->verdict == VERDICT_HOLDS && !entry->seeks && entry->has_antecedent
           && entry->antecedent_never;
}

enum verdict result_overall(const struct property_result *properties, uint32_t count)
{
    enum verdict all = VERDICT_HOLDS;
    for (uint32_t i = 0; i < count; i++) {
        if (result_answer(&properties[i]) == VERDICT_VIOLATED) return VERDICT_VIOLATED;
        if (properties[i].verdict == VERDICT_UNKNOWN && !properties[i].watched_only)
            all = VERDICT_UNKNOWN;
    }
    return all;
}

/* ---- what must hold ---- */

static const char *check_end(const struct result *result)
{
    if (!result->engine && !result->refused) return "1: no engine";
    if (result->complete && result->stop != STOP_NONE) return "2: complete, and stopped";
    if (result->complete && !result->all_states && !result->bounded)
        return "2: complete, and states are left";
    if (!!result->symbolic + !!result->bounded + !!result->timed > 1) return "3: two engines";
    return NULL;
}

static const char *check_counts(const struct result *result)
{
    /* sets of states that were not counted before memory ran out say 0 */
    const bool exact = !result->exact.states && (result->all_states || !result->symbolic);
    /* symbolic states may be given up for larger ones */
    const bool keeps_all = exact && (!result->timed || result->timed->storage == ZONES_EQUAL);
    if (keeps_all && result->initial_states > result->states) return "4: initial states";
    if (keeps_all && !result->no_deadlocks
        && (result->deadlocks > result->states
            || result->ends > result->states - result->deadlocks))
        return "4: deadlocks and ends";
    if (result->level_count && !result->levels) return "8: levels";
    for (uint64_t i = 0; i < result->level_count && exact && !result->timed; i++)
        if (result->levels[i]
            > (i + 1 < result->level_count ? result->levels[i + 1] : result->states))
            return "5: levels";
    if (result->search_count && !result->searches) return "8: searches";
    return NULL;
}

static const char *check_clusters(const struct cluster_statistics *clusters)
{
    if (!clusters) return NULL;
    if ((clusters->size_count && !clusters->sizes) || (clusters->rest_count && !clusters->rest))
        return "8: clusters";
    if (clusters->size_count > clusters->size_room) return "6: sizes";
    if (clusters->size_count > clusters->finished) return "6: finished clusters";
    if (clusters->live > clusters->live_peak && clusters->live_peak) return "6: live clusters";
    for (uint64_t i = 0; i < clusters->size_count; i++)
        if (clusters->sizes[i].states > clusters->largest.states) return "6: the largest cluster";
    return NULL;
}

static const char *check_points(const struct points *points)
{
    if (!points || (points->count && !points->names)) return "8: p-points";
    for (uint32_t i = 0; i < points->count; i++)
        if (!points->names[i]) return "8: the name of a p-point";
    return NULL;
}

static const char *check_paths(const struct partition_statistics *partition)
{
    const char *wrong = partition ? check_points(partition->points) : NULL;
    if (!partition || wrong) return wrong;
    const struct points *points = partition->points;
    if (partition->path_count && !partition->paths) return "8: p-paths";
    for (uint32_t i = 0; i < partition->path_count; i++) {
        const struct p_path *path = &partition->paths[i];
        if (path->parent != MODEL_NONE && (path->parent >= i || path->point >= points->count))
            return "7: p-paths";
    }
    return NULL;
}

static const char *check_orders(const struct order_statistics *orders)
{
    const char *wrong = orders ? check_points(orders->points) : NULL;
    if (!orders || wrong) return wrong;
    const struct order_counts *counts = &orders->counts;
    if (counts->list_count && !counts->list) return "8: execution orders";
    for (uint32_t i = 0; i < counts->list_count; i++) {
        const struct execution_order *order = &counts->list[i];
        if (order->parent != MODEL_NONE
            && (order->parent >= i || order->point >= orders->points->count))
            return "7: execution orders";
    }
    return NULL;
}

static const char *check_parts(const struct split_statistics *parts)
{
    if (!parts) return NULL;
    if (parts->list_count && !parts->list) return "8: parts";
    for (uint32_t i = 0; i < parts->list_count; i++)
        if (parts->list[i].parent != MODEL_NONE && parts->list[i].parent >= i) return "7: parts";
    return NULL;
}

static const char *check_lists(const struct result *result, const struct member_shape *shape)
{
    const struct symbolic_statistics *symbolic = result->symbolic;
    const struct bounded_statistics *bounded = result->bounded;
    if (symbolic && symbolic->iteration_count && !symbolic->iterations) return "8: iterations";
    if (bounded && bounded->depth_count && !bounded->depths) return "8: depths";
    for (uint32_t p = 0; result->reached_first && result->reached && p < shape->processes; p++)
        if (result->reached_first[p] / 8 >= shape->reached) return "8: locations";
    return NULL;
}

const char *result_check(const struct result *result, const struct member_shape *shape)
{
    const char *wrong = check_end(result);
    if (!wrong) wrong = check_counts(result);
    if (!wrong) wrong = check_clusters(result->clusters);
    if (!wrong) wrong = check_paths(result->partition);
    if (!wrong) wrong = check_orders(result->orders);
    if (!wrong) wrong = check_parts(result->parts);
    return wrong ? wrong : check_lists(result, shape);
}

/* ---- properties ---- */

static const char *check_trace(const struct trace *trace, const struct member_shape *shape)
{
    if (!trace->initial || !trace->rules) return "11: a run without states";
    for (uint32_t i = 0; i < trace->steps; i++)
        if (trace->rules[i] >= shape->rules) return "11: a step without a rule";
    const uint32_t closing = trace->rules[trace->steps];
    if (trace->loop != MODEL_NONE
        && (trace->loop > trace->steps || (closing != MODEL_NONE && closing >= shape->rules)))
        return "11: a loop";
    if (trace->failed_rule != MODEL_NONE && trace->failed_rule >= shape->rules)
        return "11: a rule that fails";
    return trace->delays && trace->denominator < 1 ? "11: delays" : NULL;
}

static const char *check_branches(const struct property_result *entry,
                                  const struct member_shape *shape)
{
    if (entry->branch_count && (!entry->trace || !entry->branches)) return "10: branches";
    for (uint32_t b = 0; b < entry->branch_count; b++) {
        const struct trace_branch *branch = &entry->branches[b];
        if (!branch->trace || !branch->part || branch->parent > b) return "10: a branch";
        const struct trace *parent =
            branch->parent ? entry->branches[branch->parent - 1].trace : entry->trace;
        if (branch->from > parent->steps) return "10: where a branch begins";
        const char *wrong = check_trace(branch->trace, shape);
        if (wrong) return wrong;
    }
    return NULL;
}

const char *result_check_property(const struct property_result *entry,
                                  const struct member_shape *shape)
{
    if (!entry->property || !entry->property->name) return "13: no property";
    if (entry->kind != entry->property->kind) return "13: another kind";
    if (entry->antecedent_met && entry->antecedent_never) return "12: an antecedent";
    if ((entry->trace || entry->last) && entry->verdict == VERDICT_UNKNOWN) return "9: undecided";
    if (entry->last && (entry->trace || !entry->reason)) return "9: a last state";
    if (entry->value_count && !entry->values) return "8: values";
    if (entry->has_end && !entry->trace) return "10: an end without a run";
    if (entry->further_count && (!entry->trace || !entry->further)) return "10: further runs";
    const char *wrong = entry->trace ? check_trace(entry->trace, shape) : NULL;
    for (uint32_t i = 0; !wrong && i < entry->further_count; i++)
        wrong = entry->further[i].trace ? check_trace(entry->further[i].trace, shape)
                                        : "10: a further run";
    return wrong ? wrong : check_branches(entry, shape);
}

void result_assert(const struct task *task, const struct result *result)
{
#ifdef CAIRN_TEST_HOOKS
    const struct member_shape shape = result_shape(task->model);
    const char *wrong = result_check(result, &shape);
    for (uint32_t i = 0; !wrong && i < task->property_count; i++)
        wrong = result_check_property(&task->properties[i], &shape);
    if (!wrong) return;
    fprintf(stderr, "cairn: BUG: a result breaks invariant %s (engine %s)\n", wrong,
            result->engine ? result->engine : "none");
    abort();
#else
    (void)task, (void)result;
#endif
}
