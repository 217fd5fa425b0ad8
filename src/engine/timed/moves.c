/* The zone of a state is  Extra(up(enter) and deadlines):  time has passed, and extrapolation has
 *                                                          made it larger. So deadlines and
 *                                                          invariants are imposed again when
 * it is expanded; after that
 *
 *     step(Z) = up(select(Z and interval and guards, minus what is held back) and invariants) and
 *         deadlines, extrapolated
 *
 * where select continues, sets and forgets timers and clocks. Priorities cut a zone into pieces;
 * nearly always one is left, because of an interval only the part before its lower end remains (its
 * upper end is a deadline).
 *
 * Stuck valuations: from a zone that time cannot leave without meeting a deadline, a rule can be
 * taken sooner or later exactly from the past of its guarded part. What no such past covers is
 * stuck. Priorities do not matter: where a rule is held back, the one that holds it back can be
 * taken. (Time passes freely between two points of a convex zone.) In a state where no time passes,
 * the past of a part is the part itself.
 *
 * Urgent rules with clock guards and differences of clocks are in moves_pass.c: there a step leads
 * to several zones. */
#include "engine/timed/moves.h"

#include <assert.h>
#include <string.h>

/* ---- room ---- */

bool moves_reserve(struct moves *moves, uint32_t clocks)
{
    if (clocks <= moves->most && moves->map) return true;
    uint32_t most = clocks + clocks / 2 + 4;
    struct dbm matrices[4] = {0};
    bool good = true;
    for (unsigned i = 0; i < 4; i++) good = good && dbm_init(&matrices[i], moves->mem, most);
    uint32_t *map = mem_try_alloc(moves->mem, (most + UINT64_C(1)) * sizeof *map);
    int64_t *set_to = mem_try_alloc(moves->mem, (most + UINT64_C(1)) * sizeof *set_to);
    int32_t *lower = mem_try_alloc(moves->mem, (most + UINT64_C(1)) * sizeof *lower),
            *upper = mem_try_alloc(moves->mem, (most + UINT64_C(1)) * sizeof *upper);
    struct dbm *old[4] = {&moves->source, &moves->guarded, &moves->next, &moves->other};
    good = good && map && set_to && lower && upper;
    for (unsigned i = 0; i < 4; i++) {
        if (good && moves->map) dbm_copy(&matrices[i], old[i]);
        if (good && moves->map) dbm_release(old[i], moves->mem);
        if (good) *old[i] = matrices[i];
        else if (matrices[i].entries) dbm_release(&matrices[i], moves->mem);
    }
    mem_free(moves->mem, good ? moves->map : map);
    mem_free(moves->mem, good ? moves->set_to : set_to);
    mem_free(moves->mem, good ? moves->lower : lower);
    mem_free(moves->mem, good ? moves->upper : upper);
    if (!good) return false;
    moves->map = map;
    moves->set_to = set_to;
    moves->lower = lower;
    moves->upper = upper;
    moves->most = most;
    return true;
}

bool moves_init(struct moves *moves, struct mem *mem, const struct timers *timers,
                const struct clocks *clocks, const struct program *program, uint32_t most)
{
    const struct model *model = timers->model;
    *moves = (struct moves){
        .model = model, .timers = timers, .clocks = clocks, .program = program, .mem = mem};
    moves->any_slow = timers->any_rushes || clocks->diagonals.len;
    for (uint32_t i = 0; i < model->constraints.len; i++)
        moves->any_unless |= model->constraints.data[i].unless;
    federation_init(&moves->rest, moves->mem, 0);
    federation_init(&moves->passed, moves->mem, 0);
    federation_init(&moves->split, moves->mem, 0);
    federation_init(&moves->open, moves->mem, 0);
    moves->moved =
        mem_try_alloc(moves->mem, (model->processes.len + UINT64_C(1)) * sizeof *moves->moved);
    bool good = moves->moved && moves_reserve(moves, most);
    if (!good) moves_release(moves);
    return good;
}

void moves_release(struct moves *moves)
{
    struct dbm *matrices[4] = {&moves->source, &moves->guarded, &moves->next, &moves->other};
    for (unsigned i = 0; moves->map && i < 4; i++) dbm_release(matrices[i], moves->mem);
    mem_free(moves->mem, moves->map);
    mem_free(moves->mem, moves->set_to);
    mem_free(moves->mem, moves->lower);
    mem_free(moves->mem, moves->upper);
    mem_free(moves->mem, moves->moved);
    federation_release(&moves->rest);
    federation_release(&moves->passed);
    federation_release(&moves->split);
    federation_release(&moves->open);
    moves->map = NULL;
}

/* ---- states ---- */

bool moves_within_invariants(struct dbm *zone, const struct config *config)
{
    bool good = !config->forbidden;
    for (uint32_t i = 1; good && i <= config->count; i++) {
        const struct config_clock *clock = config_clock(config, i - 1);
        good = moves_tighten(zone, i, 0, clock->until) && moves_tighten(zone, 0, i, clock->from);
    }
    for (uint32_t i = 0; good && i < config->bound_count; i++) {
        const struct config_bound *bound = config_bound(config, i);
        if (bound->group) break;
        good = moves_tighten(zone, bound->x, bound->y, bound->bound);
    }
    return good;
}

void moves_stop(struct dbm *zone, const struct config *config)
{
    for (uint32_t i = 1; i <= config->count; i++)
        moves_tighten(zone, i, 0, config_clock(config, i - 1)->until);
}

void moves_extrapolate(struct moves *moves, struct dbm *zone, const struct config *config)
{
    for (uint32_t i = 1; i <= config->count; i++) {
        moves->lower[i] = config_clock(config, i - 1)->lower;
        moves->upper[i] = config_clock(config, i - 1)->upper;
    }
    dbm_extrapolate_lu_plus(zone, moves->lower, moves->upper);
}

/* moves->next has just been entered: time passes, and what no future comparison can tell apart is
 * joined. MOVES_NONE: it cannot be entered. */
static enum moves_result let_pass(struct moves *moves, const struct config *config)
{
    struct dbm *zone = &moves->next;
    if (!moves_within_invariants(zone, config)) return MOVES_NONE;
    if (moves->any_slow) {
        moves->is_passed = true;
        moves->next_passed = 0;
        return moves_pass(moves, config) ? MOVES_ZONE : MOVES_REFUSED;
    }
    if (!config->urgent && !moves->stays) {
        dbm_up(zone);
        moves_stop(zone, config);
    }
    moves_extrapolate(moves, zone, config);
    moves->is_ready = true;
    return MOVES_ZONE;
}

/* What moves_next gives is not of a step. */
static void give_alone(struct moves *moves)
{
    moves->is_ready = moves->is_passed = false;
    moves->next_passed = 0;
    moves->single = true;
    moves->piece = 1; /* no step follows */
}

enum moves_result moves_initial(struct moves *moves, const struct config *config)
{
    const uint32_t timers = moves->timers->list.len;
    dbm_zero(&moves->next, config->count);
    for (uint32_t i = 0; i < config->count; i++) {
        const uint32_t source = config_clock(config, i)->source;
        if (source >= timers && moves->model->clocks.data[source - timers].init)
            dbm_reset(&moves->next, i + 1, moves->model->clocks.data[source - timers].init);
    }
    give_alone(moves);
    return let_pass(moves, config);
}

static void enter(struct moves *moves, const struct config *config)
{
    moves->config = *config;
    bool good = moves_within_invariants(&moves->source, config);
    assert(good); /* extrapolation only adds */
    (void)good;
}

void moves_enter_state(struct moves *moves, const struct config *config, const struct zones *zones,
                       uint64_t zone)
{
    zones_load(zones, zone, &moves->source);
    enter(moves, config);
}

void moves_enter_zone(struct moves *moves, const struct config *config, const struct dbm *zone)
{
    dbm_copy(&moves->source, zone);
    enter(moves, config);
}

enum moves_result moves_join(struct moves *moves)
{
    assert(!dbm_is_empty(&moves->next));
    give_alone(moves);
    if (!moves->any_slow) {
        moves_extrapolate(moves, &moves->next, &moves->config);
        moves->is_ready = true;
        return MOVES_ZONE;
    }
    moves->is_passed = true;
    return moves_part(moves, &moves->config) ? MOVES_ZONE : MOVES_REFUSED;
}

enum moves_result moves_stay_in(struct moves *moves, const struct dbm *zone)
{
    if (!moves->config.urgent) {
        dbm_up(&moves->next);
        dbm_intersect(&moves->next, zone);
    }
    return moves_join(moves);
}

void moves_enter_all(struct moves *moves)
{
    dbm_all(&moves->source, moves->config.count);
    const struct config config = moves->config;
    enter(moves, &config);
}

/* ---- when a rule can be taken ---- */

static bool constrain(struct moves *moves, struct dbm *zone, uint32_t i)
{
    const struct clock_constraint *constraint = &moves->model->constraints.data[i];
    dbm_bound bound;
    if (!clocks_bound(moves->clocks, moves->program, moves->words, i, &bound)) return true;
    uint32_t timers = moves->timers->list.len;
    uint32_t x =
        constraint->x == MODEL_NONE ? 0 : config_clock_of(&moves->config, timers + constraint->x);
    uint32_t y =
        constraint->y == MODEL_NONE ? 0 : config_clock_of(&moves->config, timers + constraint->y);
    if (constraint->x == constraint->y) return bound >= BOUND_ZERO;
    assert(!clocks_is_diagonal(constraint) || (x && y)); /* such a test counts for both */
    return x == y
           || moves_tighten(
               zone, x, y,
               bound); /* of a clock that does not matter, the constraint is always true */
}

static bool within_guards(struct moves *moves, struct dbm *zone, const struct model_rule *rule)
{
    for (uint32_t i = 0; i < rule->guards; i++)
        if (!moves->model->constraints.data[rule->first_guard + i].unless
            && !constrain(moves, zone, rule->first_guard + i))
            return false;
    return true;
}

bool moves_has_unless(const struct moves *moves, uint32_t rule)
{
    return moves->any_unless && model_next_unless(moves->model, &moves->model->rules.data[rule], 0);
}

bool moves_subtract_unless(struct moves *moves, uint32_t r, struct federation *zones)
{
    const struct model_rule *rule = &moves->model->rules.data[r];
    for (uint32_t g = 0; zones->count && (g = model_next_unless(moves->model, rule, g));) {
        bool some = true;
        dbm_all(&moves->other, moves->config.count);
        for (uint32_t i = 0; some && i < rule->guards; i++)
            if (moves->model->constraints.data[rule->first_guard + i].unless == g)
                some = constrain(moves, &moves->other, rule->first_guard + i);
        if (some && !federation_subtract(zones, &moves->other)) return false;
    }
    return true;
}

static bool within_interval(struct moves *moves, struct dbm *zone, uint32_t r)
{
    uint32_t t = moves->timers->of[r];
    if (t == TIMER_NONE) return true;
    const struct model_interval *interval =
        &moves->model->intervals.data[moves->model->rules.data[r].interval];
    uint32_t x = config_clock_of(&moves->config, t);
    assert(x);
    if (!interval->infinite
        && !moves_tighten(zone, x, 0,
                          interval->high_open ? bound_strict(interval->high)
                                              : bound_weak(interval->high)))
        return false;
    return moves_tighten(
        zone, 0, x, interval->low_open ? bound_strict(-interval->low) : bound_weak(-interval->low));
}

/* Whether a step sets a clock, as timed_sets says it; to what. */
static bool sets(const struct moves *moves, const struct moves_rule *moving, uint32_t c,
                 int64_t *value)
{
    const struct model *model = moves->model;
    const struct model_rule *rule = &model->rules.data[moving->rule];
    const struct model_clock *clock = &model->clocks.data[c];
    if (clock->is_set_by_code && model_writes(model, rule, clock->setter)) {
        *value = field_get(&moves->program->layout->fields[clock->setter], moving->words);
        if (*value >= 0) return true;
    }
    for (uint32_t i = 0; i < rule->resets; i++) {
        const struct clock_reset *reset = &model->resets.data[rule->first_reset + i];
        if (reset->clock == c) return *value = reset->value, true;
    }
    return false;
}

/* A clock after a step, seen before it: one of the zone, or 0, and a number that is added. */
struct origin {
    uint32_t clock;
    int64_t offset;
};

static struct origin origin_of(const struct moves *moves, const struct moves_rule *rule,
                               uint32_t clock)
{
    const uint32_t timers = moves->timers->list.len;
    int64_t value;
    if (!clock) return (struct origin){0, 0};
    const uint32_t source = config_clock(&rule->to, clock - 1)->source;
    if (source >= timers && sets(moves, rule, source - timers, &value))
        return (struct origin){0, value};
    return (struct origin){config_clock_of(&moves->config, source), 0};
}

/* x - y < or <= c after the step. */
static bool tighten_before(struct dbm *zone, struct origin x, struct origin y, dbm_bound bound)
{
    if (bound == BOUND_INFINITY) return true;
    bound += 2 * (y.offset - x.offset);
    return x.clock == y.clock ? bound >= BOUND_ZERO : moves_tighten(zone, x.clock, y.clock, bound);
}

/* The invariants of the locations that the rule leads to, seen before its step. */
static bool within_target(struct moves *moves, struct dbm *zone, const struct moves_rule *rule)
{
    const struct origin none = {0, 0};
    uint32_t timers = moves->timers->list.len;
    if (!rule->has_to) return true; /* there are no invariants in this model */
    if (rule->to.forbidden) return false;
    for (uint32_t i = 0; i < rule->to.count; i++) {
        const struct config_clock *clock = config_clock(&rule->to, i);
        if (clock->source < timers) continue; /* a timer that goes on keeps its deadline */
        if (clock->until == BOUND_INFINITY && clock->from >= BOUND_ZERO) continue;
        const struct origin x = origin_of(moves, rule, i + 1);
        if (!tighten_before(zone, x, none, clock->until)
            || !tighten_before(zone, none, x, clock->from))
            return false;
    }
    for (uint32_t i = 0; i < rule->to.bound_count; i++) {
        const struct config_bound *bound = config_bound(&rule->to, i);
        if (bound->group) break;
        if (!tighten_before(zone, origin_of(moves, rule, bound->x),
                            origin_of(moves, rule, bound->y), bound->bound))
            return false;
    }
    return true;
}

bool moves_within_chance(struct moves *moves, struct dbm *zone, const struct moves_rule *rule)
{
    return within_interval(moves, zone, rule->rule)
           && within_guards(moves, zone, &moves->model->rules.data[rule->rule])
           && within_target(moves, zone, rule);
}

/* ---- priorities ---- */

static bool begin_pieces(struct moves *moves)
{
    moves->single = false;
    federation_clear(&moves->rest, moves->config.count);
    return federation_add(&moves->rest, &moves->guarded);
}

/* Takes from moves->guarded what groups of constraints forbid and what rules above may take; the
 * pieces are in moves->rest unless `single` stays true. */
static enum moves_result hold_back(struct moves *moves, uint32_t r, const struct moves_rule *rules,
                                   uint32_t count)
{
    moves->single = true;
    if (moves_has_unless(moves, r)) {
        if (!begin_pieces(moves) || !moves_subtract_unless(moves, r, &moves->rest))
            return MOVES_REFUSED;
        if (!moves->rest.count) return MOVES_NONE;
    }
    if (!moves->timers->waits[r]) return MOVES_ZONE;
    for (uint32_t h = 0; h < count; h++) {
        if (!timers_is_above(moves->timers, rules[h].rule, r)) continue;
        dbm_all(&moves->other, moves->config.count);
        if (!moves_within_chance(moves, &moves->other, &rules[h])) continue;
        if (moves->single && !begin_pieces(moves)) return MOVES_REFUSED;
        if (!federation_subtract(&moves->rest, &moves->other)) return MOVES_REFUSED;
        if (!moves->rest.count) return MOVES_NONE;
    }
    return MOVES_ZONE;
}

/* ---- taking it ---- */

bool moves_can_begin(struct moves *moves, uint32_t rule)
{
    dbm_copy(&moves->guarded, &moves->source);
    return within_interval(moves, &moves->guarded, rule)
           && within_guards(moves, &moves->guarded, &moves->model->rules.data[rule]);
}

/* Which clocks go on. */
static void make_map(struct moves *moves)
{
    const struct model_rule *rule = &moves->model->rules.data[moves->rule->rule];
    uint32_t timers = moves->timers->list.len, own = moves->timers->of[moves->rule->rule];
    if (!++moves->move) { /* after 2^32 steps: old marks must not look new */
        memset(moves->moved, 0, moves->model->processes.len * sizeof *moves->moved);
        moves->move = 1;
    }
    for (uint32_t i = 0; i < rule->parts; i++) {
        const struct rule_part *part = &moves->model->parts.data[rule->first_part + i];
        if (part->process != MODEL_NONE && !part->stays) moves->moved[part->process] = moves->move;
    }
    moves->any_set = false;
    for (uint32_t i = 0; i < moves->rule->to.count; i++) {
        uint32_t source = config_clock(&moves->rule->to, i)->source;
        bool starts = source == own;
        moves->set_to[i] = 0;
        if (source < timers) {
            const struct timer *timer = &moves->timers->list.data[source];
            for (uint32_t k = 0; k < timer->processes && !starts; k++)
                starts = moves->moved[moves->timers->processes.data[timer->first_process + k]]
                         == moves->move;
        } else {
            starts = sets(moves, moves->rule, source - timers, &moves->set_to[i]);
            if (!starts) moves->set_to[i] = 0;
            moves->any_set |= moves->set_to[i] != 0;
            assert(starts || config_clock_of(&moves->config, source)); /* see clocks.c */
        }
        moves->map[i] = starts ? 0 : config_clock_of(&moves->config, source);
    }
}

enum moves_result moves_begin(struct moves *moves, const struct moves_rule *rule,
                              const struct moves_rule *rules, uint32_t count)
{
    moves->rule = rule;
    moves->piece = 0;
    moves->is_ready = moves->is_passed = false;
    enum moves_result result = hold_back(moves, rule->rule, rules, count);
    if (result == MOVES_ZONE) make_map(moves);
    return result;
}

/* A zone that is there already. */
static bool give(struct moves *moves)
{
    if (moves->is_passed && moves->next_passed < moves->passed.count) {
        const struct dbm zone = federation_get(&moves->passed, moves->next_passed++);
        dbm_copy(&moves->next, &zone);
        return true;
    }
    const bool is_ready = moves->is_ready;
    moves->is_ready = moves->is_passed = false;
    return is_ready;
}

enum moves_result moves_next(struct moves *moves)
{
    while (!give(moves)) {
        if (moves->piece >= (moves->single ? 1 : moves->rest.count)) return MOVES_NONE;
        struct dbm piece =
            moves->single ? moves->guarded : federation_get(&moves->rest, moves->piece);
        moves->piece++;
        dbm_select(&moves->next, &piece, moves->map, moves->rule->to.count);
        for (uint32_t i = 0; moves->any_set && i < moves->rule->to.count; i++)
            if (moves->set_to[i]) dbm_reset(&moves->next, i + 1, moves->set_to[i]);
        if (let_pass(moves, &moves->rule->to) == MOVES_REFUSED) return MOVES_REFUSED;
    }
    return MOVES_ZONE;
}

/* ---- other questions ---- */

enum moves_result moves_fails(struct moves *moves, uint32_t rule, const struct moves_rule *rules,
                              uint32_t count)
{
    return moves_can_begin(moves, rule) ? hold_back(moves, rule, rules, count) : MOVES_NONE;
}

/* Takes what leads to moves->other, in which a rule can be taken but for its groups of constraints,
 * from moves->rest. */
static bool subtract_past(struct moves *moves, uint32_t rule)
{
    struct federation *parts = &moves->split;
    federation_clear(parts, moves->config.count);
    if (!federation_add(parts, &moves->other)
        || (moves_has_unless(moves, rule) && !moves_subtract_unless(moves, rule, parts)))
        return false;
    for (uint32_t i = 0; i < parts->count; i++) {
        struct dbm part = federation_get(parts, i);
        if (!moves->config.urgent) dbm_down(&part);
        if (!federation_subtract(&moves->rest, &part)) return false;
    }
    return true;
}

/* The rest of the zone in moves->guarded, without the pasts of the parts in which rules can be
 * taken. */
static enum moves_result subtract_pasts(struct moves *moves, const struct moves_rule *rules,
                                        uint32_t count)
{
    if (moves_rushes(&moves->config)) {
        if (!moves_subtract_futures(moves, rules, count)) return MOVES_REFUSED;
        return moves->rest.count ? MOVES_ZONE : MOVES_NONE;
    }
    federation_clear(&moves->rest, moves->config.count);
    if (!federation_add(&moves->rest, &moves->guarded)) return MOVES_REFUSED;
    for (uint32_t i = 0; i < count && moves->rest.count; i++) {
        dbm_copy(&moves->other, &moves->guarded);
        if (!moves_within_chance(moves, &moves->other, &rules[i])) continue;
        if (!subtract_past(moves, rules[i].rule)) return MOVES_REFUSED;
    }
    return moves->rest.count ? MOVES_ZONE : MOVES_NONE;
}

enum moves_result moves_dead(struct moves *moves, const struct moves_rule *rules, uint32_t count,
                             bool any_waits)
{
    if (!count) return MOVES_ZONE;
    if (!moves->model->clocks.len && !any_waits && !moves->clocks->urgent.len)
        return MOVES_NONE; /* timers alone: a rule is in its interval before time must stop */
    for (uint32_t i = 0; !moves_rushes(&moves->config) && i < count;
         i++) { /* often one is enough */
        if (moves_has_unless(moves, rules[i].rule)) continue;
        dbm_copy(&moves->other, &moves->source);
        if (!moves_within_chance(moves, &moves->other, &rules[i])) continue;
        if (!moves->config.urgent) dbm_down(&moves->other);
        if (dbm_included(&moves->source, &moves->other)) return MOVES_NONE;
    }
    dbm_copy(&moves->guarded, &moves->source);
    return subtract_pasts(moves, rules, count);
}

void moves_enter_future(struct moves *moves, const struct dbm *part)
{
    const struct config config = moves->config;
    dbm_copy(&moves->source, part);
    if (!config.urgent) dbm_up(&moves->source);
    enter(moves, &config);
}

bool moves_find_dead(struct moves *moves, const struct moves_rule *rules, uint32_t count)
{
    if (moves_rushes(&moves->config)) { /* zones are cut where urgent guards hold: time goes on in
                                           others of the same state */
        dbm_all(&moves->guarded, moves->config.count);
        bool good = moves_within_invariants(&moves->guarded, &moves->config);
        assert(good);
        (void)good;
    } else dbm_copy(&moves->guarded, &moves->source);
    return subtract_pasts(moves, rules, count) != MOVES_REFUSED;
}
