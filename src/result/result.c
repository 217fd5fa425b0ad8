#include "result/result.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *const verdict_name[] = {"unknown", "holds", "violated"};
const char *const search_order_name[] = {
    [ORDER_DEFAULT] = "default",   [ORDER_BFS] = "bfs",
    [ORDER_DFS] = "dfs",           [ORDER_SATURATION] = "saturation",
    [ORDER_CHAINING] = "chaining", [ORDER_PAST_FREEZE] = "past-freeze"};
const char *const relation_form_name[] = {[RELATION_PER_RULE] = "per-rule",
                                          [RELATION_MONOLITHIC] = "monolithic",
                                          [RELATION_LABELLED] = "labelled"};
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
    "deadlocks need zones of another kind"};
const char result_cannot_evaluate[] = "it cannot be evaluated in a reachable state: it divides by "
                                      "zero, uses a wrong index or reads an empty queue there";

enum stop_reason result_why_refused(void)
{
    return !limits_enough() ? STOP_MEMORY : limits_interrupted ? STOP_INTERRUPT : STOP_TIME;
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

static void classify(struct model *model, struct property_result *entry)
{
    const struct model_property *property = entry->property;
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
