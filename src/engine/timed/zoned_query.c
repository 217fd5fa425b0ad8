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
        || (has_stuck && !moves_find_dead(&own->moves, own->moving, own->rule_count)))
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
