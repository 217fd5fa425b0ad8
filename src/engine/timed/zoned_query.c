/* Queries that single symbolic states answer: A[] p and E<> p, where p has clock constraints or
 * `deadlock`. The zone of a state is within its invariants and time has passed in it, so p is true
 * at some moment there exactly when a piece of p (pieces.c) meets the zone.
 *
 * Zones are extrapolated. The constants of p count for every clock of p, in every state and in both
 * directions: two valuations that extrapolation joins have the same p. `deadlock` is kept by exact
 * zones only; the others tell when it is unclear (zoned.c), and the search begins again. */
#include "engine/timed/zoned.h"
#include "search/findings.h"

/* ---- before the search ---- */

static const struct model_query *query_of(const struct model *model,
                                          const struct property_result *entry)
{
    return entry->kind == PROPERTY_QUERY ? &model->queries.data[entry->property->query] : NULL;
}

bool zoned_sees(const struct model *model, const struct property_result *entry)
{
    const struct model_query *query = query_of(model, entry);
    return query && !entry->in_each_state
           && (query->kind == QUERY_ALWAYS || query->kind == QUERY_SOMETIME);
}

void zoned_watch_condition(struct zoned *zoned, formula f)
{
    const struct model *model = zoned->space.model;
    const struct formula_node *node = formula_get(&model->formulas, f);
    if (node->op == FORMULA_CLOCK)
        clocks_watch_constraint(&zoned->clocks, &model->constraints.data[node->constraint]);
    for (unsigned i = 0; i < formula_table[node->op].arity; i++)
        zoned_watch_condition(zoned, i ? node->b : node->a);
}

/* In the order of the task's properties: number i is the sight of bit i. */
void zoned_watch(struct zoned *zoned, const struct task *task)
{
    const struct model *model = zoned->space.model;
    zoned->queries =
        mem_alloc(zoned->space.mem, (task->property_count + UINT64_C(1)) * sizeof *zoned->queries);
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        if (!zoned_sees(model, entry) || zoned->query_count == FINDINGS_SIGHTS) continue;
        const struct model_query *query = query_of(model, entry);
        const struct zoned_query seen = {.property = entry->property,
                                         .f = query->p,
                                         .wanted = query->kind == QUERY_SOMETIME,
                                         .has_stuck =
                                             pieces_has(model, query->p, FORMULA_DEADLOCK)};
        zoned_watch_condition(zoned, query->p);
        pieces_prepare(&zoned->pieces, &zoned->space.program, query->p);
        zoned->look_for_stuck |= seen.has_stuck;
        zoned->queries[zoned->query_count++] = seen;
    }
}

/* ---- in a state ---- */

enum pieces_result zoned_find(struct worker *worker, formula f, bool wanted, bool has_stuck)
{
    const struct zoned *zoned = (const struct zoned *)worker->space;
    struct zoned_worker *own = zoned_of(worker);
    const uint32_t clocks = own->moves.config.count;
    const struct pieces_state state = {.program = worker->program,
                                       .words = worker->words,
                                       .config = &own->moves.config,
                                       .stuck = &own->moves.rest};
    federation_clear(&own->within, clocks);
    federation_clear(&own->found, clocks);
    if (!federation_add(&own->within, &own->moves.source)
        || (has_stuck
            && (!zoned_ready(worker)
                || !moves_find_dead(&own->moves, own->moving, own->rule_count))))
        return PIECES_REFUSED;
    return pieces_find(&zoned->pieces, &own->pieces, &state, f, wanted, &own->within, &own->found);
}

bool zoned_look(struct worker *worker, struct batch_state *begun)
{
    const struct zoned *zoned = (const struct zoned *)worker->space;
    for (uint32_t i = 0; i < zoned->query_count; i++) {
        const struct zoned_query *query = &zoned->queries[i];
        const enum pieces_result result =
            zoned_find(worker, query->f, query->wanted, query->has_stuck);
        if (result == PIECES_REFUSED) return false;
        if (result == PIECES_FAILED) begun->unclear |= UINT64_C(1) << i;
        else if (zoned_of(worker)->found.count) begun->seen |= UINT64_C(1) << i;
    }
    return true;
}

/* ---- what a reduction must keep ---- */

struct sight {
    struct model *model;
    bool *vars, *clocks;
};

static void see_var(void *context, uint32_t var)
{
    const struct sight *sight = context;
    sight->vars[var] = true;
}

/* Marks what the formula reads. */
static void see(struct sight *sight, formula f)
{
    struct model *model = sight->model;
    const struct formula_node node = *formula_get(&model->formulas, f);
    if (node.op == FORMULA_ATOM) expr_each_var(&model->exprs, node.atom, see_var, sight);
    if (node.op == FORMULA_CLOCK) {
        const struct clock_constraint *constraint = &model->constraints.data[node.constraint];
        if (constraint->x != MODEL_NONE) sight->clocks[constraint->x] = true;
        if (constraint->y != MODEL_NONE) sight->clocks[constraint->y] = true;
        if (constraint->is_conditional)
            expr_each_var(&model->exprs, constraint->when, see_var, sight);
        if (constraint->varies) expr_each_var(&model->exprs, constraint->value, see_var, sight);
    }
    for (unsigned i = 0; i < formula_table[node.op].arity; i++) see(sight, i ? node.b : node.a);
}

/* Whether the condition has this value in deadlocks only: these are all kept. */
static bool needs_deadlock(const struct model *model, formula f, bool wanted)
{
    const struct formula_node *node = formula_get(&model->formulas, f);
    if (node->op == FORMULA_DEADLOCK) return wanted;
    if (node->op == FORMULA_NOT) return needs_deadlock(model, node->a, !wanted);
    const bool both =
        wanted ? node->op == FORMULA_AND : node->op == FORMULA_OR || node->op == FORMULA_IMPLIES;
    return both
           && (needs_deadlock(model, node->a, wanted != (node->op == FORMULA_IMPLIES))
               || needs_deadlock(model, node->b, wanted));
}

/* What is asked of the property is kept if what is marked is not changed; false: it is not, because
 * it is true in some states that are no deadlocks, and false in deadlocks like them. */
static bool see_property(struct sight *sight, const struct property_result *entry)
{
    const struct model *model = sight->model;
    const struct model_query *query = query_of(model, entry);
    if (entry->kind == PROPERTY_DEADLOCK || entry->kind == PROPERTY_RUNTIME_ERROR) return true;
    if (query && zoned_sees(model, entry) && pieces_has(model, query->p, FORMULA_DEADLOCK))
        return needs_deadlock(model, query->p, query->kind == QUERY_SOMETIME);
    see(sight, query ? query->p : entry->property->root);
    return true;
}

void zoned_reduce(struct zoned *zoned, const struct task *task)
{
    struct model *model = zoned->space.model;
    struct sight sight = {.model = model,
                          .vars = mem_alloc(model->mem, model->vars.len + UINT64_C(1)),
                          .clocks = mem_alloc(model->mem, model->clocks.len + UINT64_C(1))};
    bool keeps = true;
    for (uint32_t i = 0; i < task->property_count; i++)
        keeps &= see_property(&sight, &task->properties[i]);
    zoned->is_reduced = keeps;
    if (keeps)
        stubborn_init(&zoned->stubborn, model, &zoned->space.layout, sight.vars, sight.clocks);
    mem_free(model->mem, sight.vars);
    mem_free(model->mem, sight.clocks);
    if (!keeps) return;
    zoned->result->reduction = REDUCE_POR;
    zoned->result->keeps = KEEP_ASKED;
}
