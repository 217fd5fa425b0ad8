/* One symbolic state and its steps. Rules are listed first, without regard to priorities and
 * permissions: a rule that is held back by another one may be taken at other times, and one that is
 * not permitted still has its timer and its deadline. Then each is taken, which leads to a zone, or
 * to several where priorities cut one into pieces.
 *
 * The configuration of a successor is that of its discrete state, if that is known; otherwise it is
 * made here, from its rules, and gets a number when the state is committed (zoned.c): only the
 * thread that adds gives numbers. */
#include "engine/timed/zoned.h"

#include <assert.h>
#include <string.h>

#ifdef CAIRN_DEGENERATE
enum { FIRST_PLACES = 2 };
#else
enum { FIRST_PLACES = 32 };
#endif

/* ---- room ---- */

static bool grow(struct mem *mem, void **list, uint64_t *room, uint64_t least, size_t size)
{
    const uint64_t larger = 2 * *room > 16 ? 2 * *room : 16, all = larger < least ? least : larger;
    void *resized = mem_try_resize(mem, *list, all * size);
    if (!resized) return false;
    *list = resized;
    *room = all;
    return true;
}

/* Room for `more` things behind `count`. */
static inline bool reserve(struct mem *mem, void **list, uint64_t *room, uint64_t count,
                           uint64_t more, size_t size)
{
    return count + more <= *room || grow(mem, list, room, count + more, size);
}

uint32_t zoned_pool(struct zoned_worker *own, uint64_t words)
{
    const uint64_t at = own->used;
    if (at + words > UINT32_MAX
        || !reserve(own->mem, (void **)&own->pool, &own->pool_room, at, words, sizeof *own->pool))
        return UINT32_MAX;
    own->used += words;
    return (uint32_t)at;
}

static bool reserve_rules(struct zoned_worker *own, uint64_t count)
{
    if (count <= own->rule_room) return true;
    const uint64_t room = 2 * count;
    void *rules = mem_try_resize(own->mem, own->rules, room * sizeof *own->rules);
    if (rules) own->rules = rules;
    void *moving = mem_try_resize(own->mem, own->moving, room * sizeof *own->moving);
    if (moving) own->moving = moving;
    void *failed = mem_try_resize(own->mem, own->failed, room * sizeof *own->failed);
    if (failed) own->failed = failed;
    void *enabled = mem_try_resize(own->mem, own->enabled, room * sizeof *own->enabled);
    if (enabled) own->enabled = enabled;
    if (!rules || !moving || !failed || !enabled) return false;
    own->rule_room = (uint32_t)room;
    return true;
}

/* ---- configurations ---- */

struct config zoned_config(const struct worker *worker, uint32_t built)
{
    const struct zoned_worker *own = zoned_of(worker);
    const struct zoned_built *config = &own->built[built];
    assert(built < own->built_count);
    return (struct config){.count = config->count,
                           .urgent = config->urgent,
                           .forbidden = config->forbidden,
                           .numbers = own->builder.numbers,
                           .table = own->clocks + config->first,
                           .bound_count = config->bound_count,
                           .bound_numbers = own->builder.numbers,
                           .bounds = own->bounds + config->first_bound};
}

/* Clocks of the batch have moved. */
static void refer_again(const struct worker *worker)
{
    struct zoned_worker *own = zoned_of(worker);
    if (own->source != ZONED_NO_BUILT) own->moves.config = zoned_config(worker, own->source);
    for (uint32_t i = 0; i < own->rule_count; i++)
        if (own->moving[i].has_to && own->rules[i].built != ZONED_NO_BUILT)
            own->moving[i].to = zoned_config(worker, own->rules[i].built);
}

/* Steps may lead to one state that is not known: its configuration is made once in a batch. */
static struct zoned_place *find_place(const struct worker *worker, const uint64_t *words,
                                      uint64_t hash)
{
    const struct zoned_worker *own = zoned_of(worker);
    const uint32_t bytes = worker->space->layout.key_bytes;
    for (uint64_t at = hash & (own->place_count - 1);; at = (at + 1) & (own->place_count - 1)) {
        struct zoned_place *place = &own->places[at];
        if (place->batch != own->batch) return place;
        const struct zoned_built *built = &own->built[place->built];
        if (built->hash == hash && store_same(own->pool + built->words, words, bytes)) return place;
    }
}

/* Room for one more; what was there is put where it belongs now. */
static bool reserve_place(struct worker *worker)
{
    struct zoned_worker *own = zoned_of(worker);
    if (2 * (own->built_count + 1) <= own->place_count) return true;
    const uint64_t count = own->place_count ? 2 * own->place_count : FIRST_PLACES;
    struct zoned_place *places = mem_try_alloc(own->mem, count * sizeof *places);
    if (!places) return false;
    mem_free(own->mem, own->places);
    own->places = places;
    own->place_count = count;
    for (uint32_t i = 0; i < own->built_count; i++)
        *find_place(worker, own->pool + own->built[i].words, own->built[i].hash) =
            (struct zoned_place){own->batch, i};
    return true;
}

/* As space_list, of a state that may have come up before. */
static bool list_rules(struct worker *worker, const uint64_t *words, uint64_t hash,
                       struct batch *list)
{
    const struct fast_rule *rules = worker->program->rules.data;
    struct listings *own = &zoned_of(worker)->listings;
    struct listings_shared *shared =
        worker->has_fork ? ((const struct zoned *)worker->space)->listings : NULL;
    if (!shared && !own->most) return space_list(worker, words, list);
    if (shared ? listings_find_shared(shared, words, hash, rules, list)
               : listings_find(own, words, hash, rules, list))
        return true;
    if (!space_list(worker, words, list)) return false;
    if (shared) listings_keep_shared(shared, words, hash, rules, list);
    else listings_keep(own, words, hash, rules, list);
    return true;
}

/* Makes it, and keeps it in the batch. */
static bool build(struct worker *worker, const uint64_t *words, uint64_t hash)
{
    struct zoned_worker *own = zoned_of(worker);
    const uint32_t size = worker->space->layout.words;
    if (!list_rules(worker, words, hash, &own->ahead)) return false;
    config_build(&own->builder, worker->program, words, &own->ahead);
    const struct config *config = &own->builder.config;
    const struct config_clock *before = own->clocks;
    const struct config_bound *bounds_before = own->bounds;
    if (!reserve(own->mem, (void **)&own->built, &own->built_room, own->built_count, 1,
                 sizeof *own->built)
        || !reserve(own->mem, (void **)&own->clocks, &own->clock_room, own->clock_count,
                    config->count + UINT64_C(1), sizeof *own->clocks)
        || !reserve(own->mem, (void **)&own->bounds, &own->bound_room, own->bound_count,
                    config->bound_count, sizeof *own->bounds))
        return false;
    if (before != own->clocks || bounds_before != own->bounds) refer_again(worker);
    const uint32_t kept = zoned_pool(own, size);
    if (kept == UINT32_MAX) return false;
    memcpy(own->pool + kept, words, size * sizeof *words);
    memcpy(own->clocks + own->clock_count, config->table, config->count * sizeof *own->clocks);
    if (config->bound_count)
        memcpy(own->bounds + own->bound_count, config->bounds,
               config->bound_count * sizeof *own->bounds);
    own->built[own->built_count] = (struct zoned_built){.count = config->count,
                                                        .first = (uint32_t)own->clock_count,
                                                        .bound_count = config->bound_count,
                                                        .first_bound = (uint32_t)own->bound_count,
                                                        .urgent = config->urgent,
                                                        .forbidden = config->forbidden,
                                                        .words = kept,
                                                        .hash = hash,
                                                        .number = CONFIG_NONE};
    own->clock_count += config->count;
    own->bound_count += config->bound_count;
    own->built_count++;
    return true;
}

bool zoned_build(struct worker *worker, const uint64_t *words, uint64_t hash, uint32_t *built)
{
    struct zoned_worker *own = zoned_of(worker);
    if (!reserve_place(worker)
        || !reserve(own->mem, (void **)&own->uses, &own->use_room, own->use_count, 1,
                    sizeof *own->uses))
        return false;
    struct zoned_place *place = find_place(worker, words, hash);
    if (place->batch != own->batch) {
        if (!build(worker, words, hash)) return false;
        *place = (struct zoned_place){own->batch, (uint32_t)own->built_count - 1};
    }
    *built = own->uses[own->use_count++] = place->built;
    return true;
}

/* ---- a state of the batch ---- */

struct batch_state *zoned_begin(struct worker *worker, uint64_t state)
{
    struct zoned_worker *own = zoned_of(worker);
    const uint32_t number = worker->batch.state_count;
    if (!number) {
        own->used = own->built_count = own->use_count = own->clock_count = own->bound_count = 0;
        if (!++own->batch) { /* after 2^32 batches: old places must not look new */
            memset(own->places, 0, own->place_count * sizeof *own->places);
            own->batch = 1;
        }
        worker->is_full = false;
    }
    if (!reserve(own->mem, (void **)&own->states, &own->state_room, number, 1, sizeof *own->states))
        return NULL;
    own->states[number] = (struct zoned_state){.first_use = (uint32_t)own->use_count};
    own->rule_count = 0;
    own->source = ZONED_NO_BUILT;
    return batch_begin(&worker->batch, state);
}

void zoned_undo(struct worker *worker)
{
    struct zoned_worker *own = zoned_of(worker);
    own->use_count = own->states[worker->batch.state_count - 1].first_use;
    batch_undo(&worker->batch); /* the rest stays until the batch ends */
}

bool zoned_put(struct worker *worker, struct batch_state *begun, const struct zoned_step *known,
               const struct fast_rule *fast, uint64_t hash)
{
    struct zoned_worker *own = zoned_of(worker);
    const struct dbm *zone = &own->moves.next;
    const size_t room = dbm_room(dbm_clocks(zone));
    const uint32_t at = zoned_pool(own, room);
    if (at == UINT32_MAX) return false;
    memcpy(own->pool + at, zone->entries, room * sizeof *own->pool);
    struct batch_step *step = batch_put(&worker->batch, begun);
    step->fast = fast;
    step->hash = hash;
    struct zoned_step *extra = zoned_step(worker, worker->batch.step_count - 1);
    *extra = *known;
    extra->zone = at;
    extra->clocks = dbm_clocks(zone);
    return true;
}

/* ---- rules ---- */

static void sort_out(struct worker *worker, const struct set *set)
{
    struct zoned_worker *own = zoned_of(worker);
    const struct space *space = worker->space;
    uint32_t number = 0;
    own->rule_count = own->failed_count = 0;
    own->barred = false;
    for (uint32_t i = 0; i < own->listed.step_count; i++) {
        struct batch_step *step = &own->listed.steps[i];
        const uint32_t own_number = number;
        number += step->tag == STEP_TAKEN;
        if (worker->program->permits
            && !program_permits(worker->program, step->fast, worker->words)) {
            own->barred = true; /* it has its timer and its deadline, and is not taken */
            continue;
        }
        if (step->tag == STEP_FAILED) {
            own->failed[own->failed_count++] = step->fast->rule;
            continue;
        }
        step->hash = store_hash(batch_words(&own->listed, i), space->layout.key_bytes);
        if (set) store_prefetch(&((const struct nodes *)set)->discrete, step->hash);
        own->moving[own->rule_count].words = batch_words(&own->listed, i);
        own->moving[own->rule_count].rule = step->fast->rule;
        own->moving[own->rule_count].has_to = false;
        own->rules[own->rule_count++] = (struct zoned_rule){
            .listed = i, .number = own_number, .discrete = STORE_NONE, .built = ZONED_NO_BUILT};
    }
}

bool zoned_resolve(struct worker *worker, struct set *set, uint32_t i)
{
    const struct zoned *zoned = (const struct zoned *)worker->space;
    struct zoned_worker *own = zoned_of(worker);
    struct zoned_rule *rule = &own->rules[i];
    struct moves_rule *moving = &own->moving[i];
    if (moving->has_to) return true;
    const uint64_t *words = batch_words(&own->listed, rule->listed);
    rule->set = worker->space->locate ? worker->space->locate(worker->space->order, moving->rule,
                                                              worker->words, words)
                                      : set;
    const struct nodes *nodes = (const struct nodes *)rule->set;
    if (nodes)
        rule->discrete = store_find(&nodes->discrete, words, own->listed.steps[rule->listed].hash);
    if (rule->discrete != STORE_NONE)
        moving->to = configs_get(&zoned->configs, nodes->infos[rule->discrete].config);
    else {
        uint32_t built;
        if (!zoned_build(worker, words, own->listed.steps[rule->listed].hash, &built)) return false;
        rule->built = built;
        moving->to = zoned_config(worker, built);
    }
    moving->has_to = true;
    return moving->to.count <= own->moves.most || moves_reserve(&own->moves, moving->to.count);
}

bool zoned_list(struct worker *worker, struct set *set)
{
    struct zoned_worker *own = zoned_of(worker);
    const uint64_t hash = store_hash(worker->words, worker->space->layout.key_bytes);
    own->goal = set;
    if (!list_rules(worker, worker->words, hash, &own->listed)
        || !reserve_rules(own, own->listed.step_count))
        return false;
    sort_out(worker, set);
    return true;
}

/* What cannot be taken from the zone neither holds anything back there nor ends being stuck.
 * (moves_find_dead looks beyond the zone where urgent rules have clock guards.) */
bool zoned_ready(struct worker *worker)
{
    const struct zoned *zoned = (const struct zoned *)worker->space;
    struct zoned_worker *own = zoned_of(worker);
    const bool all = moves_rushes(&own->moves.config);
    bool good = true;
    for (uint32_t i = 0; good && zoned->clocks.invariants.len && i < own->rule_count; i++)
        if (!own->moving[i].has_to && (all || moves_can_begin(&own->moves, own->moving[i].rule)))
            good = zoned_resolve(worker, own->goal, i);
    return good;
}

/* ---- taking them ---- */

static bool take(struct worker *worker, struct set *set, struct batch_state *begun, uint32_t i)
{
    struct zoned_worker *own = zoned_of(worker);
    struct batch *batch = &worker->batch;
    const struct zoned_rule *rule = &own->rules[i];
    const struct batch_step *listed = &own->listed.steps[rule->listed];
    if (zoned_is_out(worker, i) || !moves_can_begin(&own->moves, listed->fast->rule)) return true;
    if (!zoned_resolve(worker, set, i)) return false;
    enum moves_result moved =
        moves_begin(&own->moves, &own->moving[i], own->moving, own->rule_count);
    const struct zoned_step known = {.discrete = rule->discrete, .built = rule->built};
    while (moved == MOVES_ZONE && (moved = moves_next(&own->moves)) == MOVES_ZONE) {
        uint64_t *words = batch_room(batch);
        if (!words) return false;
        const uint64_t *from = batch_words(&own->listed, rule->listed);
        for (uint32_t w = 0; w < own->listed.words; w++) words[w] = from[w]; /* few */
        if (!zoned_put(worker, begun, &known, listed->fast, listed->hash)) return false;
        batch->steps[batch->step_count - 1].set = rule->set;
        batch->steps[batch->step_count - 1].number = rule->number;
    }
    return moved != MOVES_REFUSED;
}

static bool look_for_failures(struct zoned_worker *own, struct batch_state *begun)
{
    for (uint32_t i = 0; i < own->failed_count; i++) {
        enum moves_result tried =
            moves_fails(&own->moves, own->failed[i], own->moving, own->rule_count);
        if (tried == MOVES_REFUSED) return false;
        if (tried == MOVES_ZONE && !begun->failures++) begun->failed = own->failed[i];
    }
    return true;
}

/* Whether some valuation is stuck. */
static bool look_for_end(const struct worker *worker, struct batch_state *begun)
{
    const struct zoned *zoned = (const struct zoned *)worker->space;
    struct zoned_worker *own = zoned_of(worker);
    if (own->rule_count && !zoned->look_for_stuck) return true;
    enum moves_result dead =
        moves_dead(&own->moves, own->moving, own->rule_count, own->failed_count || own->barred);
    if (dead == MOVES_REFUSED) return false;
    if (dead == MOVES_NONE) return true;
    if (own->rule_count && !zoned->exact) begun->end = BATCH_UNCLEAR;
    else
        begun->end = space_is_final(worker->space, worker->program, worker->words) ? BATCH_FINAL
                                                                                   : BATCH_DEAD;
    return true;
}

/* Whether the rule can be taken at once, whatever the valuation is. */
static bool is_always_possible(void *context, uint32_t i)
{
    struct zoned_worker *own = context;
    struct moves *moves = &own->moves;
    dbm_copy(&moves->other, &moves->source);
    return !moves_has_unless(moves, own->moving[i].rule)
           && moves_within_chance(moves, &moves->other, &own->moving[i])
           && dbm_included(&moves->source, &moves->other);
}

/* Whether a reduced search takes some rules only: those that own->stubborn has. */
static bool is_partial(const struct worker *worker)
{
    const struct zoned *zoned = (const struct zoned *)worker->space;
    struct zoned_worker *own = zoned_of(worker);
    if (!zoned->is_reduced || !own->moves.config.urgent || own->failed_count || own->barred)
        return false;
    for (uint32_t i = 0; i < own->rule_count; i++) own->enabled[i] = own->moving[i].rule;
    return stubborn_choose(&zoned->stubborn, &own->stubborn, worker->words, own->enabled,
                           own->rule_count, is_always_possible, own);
}

/* The state in worker->words, and its zone in moves, at whose rules we look now. */
static bool take_all(struct worker *worker, struct set *set, struct batch_state *begun)
{
    struct zoned_worker *own = zoned_of(worker);
    const bool *leave_out = worker->space->leave_out;
    if (!zoned_list(worker, set) || !zoned_ready(worker)) return false;
    const bool partial = is_partial(worker);
    for (uint32_t i = 0; i < own->rule_count; i++) {
        const uint32_t rule = own->moving[i].rule;
        if (leave_out && leave_out[rule]) continue;
        if (partial && !stubborn_takes(&own->stubborn, rule)) continue;
        if (!take(worker, set, begun, i)) return false;
    }
    own->states[worker->batch.state_count - 1].barred = own->barred;
    begun->enabled = own->rule_count;
    return worker->space->is_again
           || (look_for_failures(own, begun) && look_for_end(worker, begun)
               && zoned_look(worker, begun));
}

static bool enter(struct worker *worker, const struct nodes *nodes, uint64_t state)
{
    const struct zoned *zoned = (const struct zoned *)worker->space;
    struct zoned_worker *own = zoned_of(worker);
    if (!nodes) { /* it was in files: see zoned.c */
        uint32_t built;
        const uint64_t hash = store_hash(worker->words, worker->space->layout.key_bytes);
        if (!zoned_build(worker, worker->words, hash, &built)) return false;
        const struct config config = zoned_config(worker, built);
        own->source = built;
        moves_enter_zone(&own->moves, &config, &own->moves.next);
        return true;
    }
    const uint64_t discrete = nodes_discrete_of(nodes, state);
    const struct config config = configs_get(&zoned->configs, nodes->infos[discrete].config);
    if (config.count > own->moves.most && !moves_reserve(&own->moves, config.count)) return false;
    nodes->set.kind->load(&nodes->set, state, worker->words);
    moves_enter_state(&own->moves, &config, &nodes->zones, nodes_zone_of(nodes, state));
    return true;
}

bool zoned_expand(struct worker *worker, struct set *set, uint64_t state)
{
    struct zoned_worker *own = zoned_of(worker);
    struct batch_state *begun = zoned_begin(worker, state);
    if (!begun) return false;
    own->at_hand = set;
    if (!set && own->is_closed) return true;
    if (!enter(worker, (const struct nodes *)set, state) || !take_all(worker, set, begun)) {
        zoned_undo(worker);
        return false;
    }
    const uint64_t bytes = own->used * sizeof *own->pool;
    worker->is_full = worker->has_fork && bytes > worker->mem->limit / 8;
    return true;
}
