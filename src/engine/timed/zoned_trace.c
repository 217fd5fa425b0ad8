/* When the steps of a run happen that shows a violation. */
#include "engine/timed/zoned.h"

#include <assert.h>
#include <string.h>

void zoned_date(struct zoned *zoned, struct trace *trace, const struct dating_goal *goals,
                uint32_t count)
{
    const struct model *model = zoned->space.model;
    bool found = !model_is_timed(model);
    for (uint32_t i = 0; !found && i < count; i++) found = dating_find(model, trace, &goals[i]);
    if (!found && !count) found = dating_find(model, trace, NULL);
    if (!found)
        zoned->result->broken = "there are no dates for a sequence of rules that zones allow";
}

uint32_t *zoned_sources(const struct zoned *zoned, const struct config *config)
{
    const uint32_t timers = zoned->timers.list.len;
    uint32_t *sources =
        mem_alloc(zoned->space.mem, (config->count + UINT64_C(1)) * sizeof *sources);
    for (uint32_t i = 0; i < config->count; i++) {
        const uint32_t source = config_clock(config, i)->source;
        sources[i] = source < timers ? zoned->timers.list.data[source].rule
                                     : zoned->space.model->rules.len + source - timers;
    }
    return sources;
}

/* One of the zones of the state's configuration must be reached by waiting in the last state. */
static void date_rest(struct zoned *zoned, const struct config *config,
                      const struct federation *rest, struct trace *trace)
{
    struct mem *mem = zoned->space.mem;
    const uint32_t count = rest->count;
    struct dating_goal *goals = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *goals);
    struct dbm *zones = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *zones);
    uint32_t *sources = zoned_sources(zoned, config);
    for (uint32_t i = 0; i < count; i++) {
        zones[i] = federation_get(rest, i);
        goals[i] =
            (struct dating_goal){.zone = &zones[i], .sources = sources, .failing = MODEL_NONE};
    }
    zoned_date(zoned, trace, goals, count);
    mem_free(mem, goals);
    mem_free(mem, zones);
    mem_free(mem, sources);
}

/* Lists the rules of a state, and has its configuration in moves. */
static bool enter(struct worker *worker, const uint64_t *words)
{
    struct zoned_worker *own = zoned_of(worker);
    uint32_t built;
    const struct layout *layout = &worker->space->layout;
    memcpy(worker->words, words, layout->words * sizeof *words);
    const uint64_t hash = store_hash(worker->words, layout->key_bytes);
    if (!zoned_begin(worker, SET_NONE) || !zoned_build(worker, worker->words, hash, &built))
        return false;
    own->source = built;
    own->moves.config = zoned_config(worker, built);
    return moves_reserve(&own->moves, own->moves.config.count) && zoned_list(worker, NULL);
}

/* The same, with the stuck valuations of its configuration in moves.rest. */
static bool find_stuck(struct worker *worker, const uint64_t *words)
{
    struct zoned_worker *own = zoned_of(worker);
    if (!enter(worker, words)) return false;
    moves_enter_all(&own->moves);
    return zoned_ready(worker)
           && (!own->rule_count || moves_find_dead(&own->moves, own->moving, own->rule_count));
}

/* The same, with the valuations that the query of a property looks for in own->found. */
static bool find_seen(struct worker *worker, const uint64_t *words,
                      const struct model_property *property)
{
    const struct zoned *zoned = (const struct zoned *)worker->space;
    const struct zoned_query *query = zoned->queries;
    while (query->property != property) query++;
    assert(query < zoned->queries + zoned->query_count);
    if (!enter(worker, words)) return false;
    moves_enter_all(&zoned_of(worker)->moves);
    return zoned_find(worker, query->f, query->wanted, query->has_stuck) == PIECES_GOOD;
}

static void date_seen(struct zoned *zoned, struct trace *trace, const uint64_t *words,
                      const struct model_property *property)
{
    struct mem *mem = zoned->space.mem;
    struct worker worker;
    if (!worker_open(&worker, &zoned->space, mem, true) || !find_seen(&worker, words, property)) {
        worker_close(&worker);
        mem_refuse(mem);
    }
    const struct zoned_worker *own = zoned_of(&worker);
    date_rest(zoned, &own->moves.config, &own->found, trace);
    worker_close(&worker);
}

void zoned_date_stuck(struct zoned *zoned, struct trace *trace, const uint64_t *words)
{
    struct mem *mem = zoned->space.mem;
    struct worker worker;
    if (!worker_open(&worker, &zoned->space, mem, true) || !find_stuck(&worker, words)) {
        worker_close(&worker);
        mem_refuse(mem);
    }
    if (zoned_of(&worker)->rule_count)
        date_rest(zoned, &zoned_of(&worker)->moves.config, &zoned_of(&worker)->moves.rest, trace);
    else zoned_date(zoned, trace, NULL, 0);
    worker_close(&worker);
}

/* A run that is refused memory before it has its dates is none. */
void zoned_complete(struct space *space, struct property_result *entry, const uint64_t *words)
{
    struct zoned *zoned = (struct zoned *)space;
    struct trace *trace = entry->trace;
    assert(trace && !trace->delays); /* it gets its dates once */
    const struct dating_goal failing = {.failing = trace->failed_rule};
    entry->trace = NULL;
    if (entry->kind == PROPERTY_DEADLOCK) zoned_date_stuck(zoned, trace, words);
    else if (zoned_sees(zoned->space.model, entry)) date_seen(zoned, trace, words, entry->property);
    else zoned_date(zoned, trace, &failing, trace->failed_rule != MODEL_NONE);
    entry->trace = trace;
}
