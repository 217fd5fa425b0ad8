/* All symbolic states are visited; where a piece of p (pieces.c) meets the zone, the terms have
 * values there: an integer one, a clock those between its bounds in the part.
 *
 * A clock that is asked about is compared, so to speak, with a limit: extrapolation keeps its
 * values up to that, and of what is beyond only that it is. So a bound at or beyond the limit says
 * nothing, and the search begins again with a larger one. It ends when all bounds are below their
 * limits, or when it is proved that the clock has no largest value: where a state has no upper
 * bounds and time may pass, it can rest until all clocks are beyond all constants, and much longer.
 * From there on (nodes with a tag of the clock) everything that follows without setting the clock
 * can follow as late as one likes: extrapolation with the larger of both bounds joins valuations
 * that can do the same. Where p is met by such a node, the clock is beyond every number. What is
 * neither after some doublings stays unknown: a clock that is never set while the model runs in
 * circles. */
#include "engine/timed/extremes.h"

#include "base/clock.h"
#include "engine/timed/roam.h"

#include <assert.h>

enum { LOOK_OFTEN = 64, DOUBLINGS = 8 };

struct extremes {
    struct roam roam;
    struct mem *mem;
    const struct model *model;
    struct model_query query;
    bool has_stuck;
    struct extent *values; /* per term */
    int64_t *limits;       /* per term: of a clock */
    bool *beyond;          /* per term: some bound is at its limit, or beyond it */
    uint32_t *codes;       /* per term: of an integer */
    struct dbm zone;
    bool has_zone;
    bool failed;
    bool **setters; /* per term: the rules that set the clock */
};

static const struct query_term *term_of(const struct extremes *e, uint32_t i)
{
    return &e->model->query_terms.data[e->query.first_term + i];
}

bool extremes_decides(const struct model *model, const struct property_result *entry)
{
    return entry->kind == PROPERTY_QUERY
           && model->queries.data[entry->property->query].kind >= QUERY_SUP;
}

/* ---- limits ---- */

/* The largest constant of the model that any clock is compared with. */
static int64_t largest_constant(const struct model *model)
{
    int64_t largest = 1;
    for (uint32_t i = 0; i < model->constraints.len; i++) {
        const struct clock_constraint *constraint = &model->constraints.data[i];
        const int64_t size = constraint->bound < 0 ? -constraint->bound : constraint->bound;
        if (!constraint->varies && size > largest) largest = size;
    }
    return largest;
}

/* Rules that write what sets the clock by code may set it. */
static void find_setters(struct extremes *e, uint32_t i)
{
    const struct model *model = e->model;
    const struct query_term *term = term_of(e, i);
    bool *sets = e->setters[i] = mem_alloc(e->mem, model->rules.len + UINT64_C(1));
    if (!term->is_clock) return;
    const struct model_clock *clock = &model->clocks.data[term->clock];
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        for (uint32_t k = 0; k < rule->resets; k++)
            sets[r] |= model->resets.data[rule->first_reset + k].clock == term->clock;
        for (uint32_t k = 0; clock->is_set_by_code && k < rule->writes; k++)
            sets[r] |= model->accesses.data[rule->first_write + k] == clock->setter;
    }
}

static void begin(struct extremes *e, struct task *task, const struct property_result *entry)
{
    const struct model *model = task->model;
    *e = (struct extremes){.mem = model->mem, .model = model};
    e->query = model->queries.data[entry->property->query];
    e->has_stuck = pieces_has(model, e->query.p, FORMULA_DEADLOCK);
    const size_t count = e->query.terms + UINT64_C(1);
    e->values = mem_alloc(e->mem, count * sizeof *e->values);
    e->limits = mem_alloc(e->mem, count * sizeof *e->limits);
    e->beyond = mem_alloc(e->mem, count * sizeof *e->beyond);
    e->codes = mem_alloc(e->mem, count * sizeof *e->codes);
    e->setters = mem_alloc(e->mem, count * sizeof *e->setters);
    for (uint32_t i = 0; i < e->query.terms; i++) {
        e->limits[i] = largest_constant(model) + 1;
        find_setters(e, i);
    }
}

/* Clocks whose bounds were beyond have limits twice as high. False: they are high enough. */
static bool raise_limits(struct extremes *e)
{
    bool any = false;
    for (uint32_t i = 0; i < e->query.terms; i++) {
        if (!e->beyond[i]) continue;
        any = true;
        e->limits[i] *= 2;
        if (!bound_fits(2 * e->limits[i])) return false;
    }
    return any;
}

/* ---- values ---- */

static struct extent_end closed(int64_t number)
{
    return (struct extent_end){.is_known = true, .number = number};
}

static void add_number(struct extremes *e, uint32_t i)
{
    int64_t value;
    const struct worker *worker = &e->roam.worker;
    if (!program_run(worker->program, e->codes[i], worker->words, &value)) {
        e->failed = true;
        return;
    }
    extent_raise(&e->values[i].sup, closed(value));
    extent_lower(&e->values[i].inf, closed(value));
}

/* The clock in a part of a zone. */
static void add_clock(struct extremes *e, uint32_t i, const struct dbm *part)
{
    const struct moves *moves = &roam_worker(&e->roam)->moves;
    struct extent *value = &e->values[i];
    const uint32_t x =
        config_clock_of(&moves->config, e->roam.zoned.timers.list.len + term_of(e, i)->clock);
    assert(x); /* it matters everywhere */
    const dbm_bound upper = dbm_at(part, x, 0), lower = dbm_at(part, 0, x);
    const struct extent_end low = {
        .is_known = true, .is_open = bound_is_strict(lower), .number = -bound_constant(lower)};
    if (upper != BOUND_INFINITY && bound_constant(upper) < e->limits[i])
        extent_raise(&value->sup, (struct extent_end){.is_known = true,
                                                      .is_open = bound_is_strict(upper),
                                                      .number = bound_constant(upper)});
    else e->beyond[i] |= value->sup.is_asked;
    if (low.number < e->limits[i]) extent_lower(&value->inf, low);
    else if (!value->inf.is_known) e->beyond[i] |= value->inf.is_asked;
}

static void add_part(struct extremes *e, const struct dbm *piece, uint64_t tag)
{
    const struct extent_end infinite = {.is_known = true, .is_infinite = true};
    dbm_copy(&e->zone, piece);
    if (!dbm_intersect(&e->zone, &roam_worker(&e->roam)->moves.source)) return;
    if (tag) extent_raise(&e->values[tag - 1].sup, infinite);
    for (uint32_t i = 0; !tag && i < e->query.terms; i++)
        if (term_of(e, i)->is_clock) add_clock(e, i, &e->zone);
        else add_number(e, i);
}

/* Where the state can rest for ever: the valuations in which all clocks are beyond all constants,
 * for each clock whose largest value is asked. */
static void add_late(struct extremes *e, bool may_rest)
{
    struct moves *moves = &roam_worker(&e->roam)->moves;
    if (moves->config.urgent || !may_rest) return;
    dbm_copy(&e->zone, &moves->source);
    for (uint32_t k = 1; k <= moves->config.count; k++) {
        const struct config_clock *clock = config_clock(&moves->config, k - 1);
        assert(clock->lower == clock->upper); /* zones are exact */
        if (!dbm_constrain(&e->zone, 0, k, bound_strict(-(int64_t)clock->upper))) return;
    }
    for (uint32_t i = 0; i < e->query.terms; i++) {
        if (!term_of(e, i)->is_clock || !e->values[i].sup.is_asked) continue;
        dbm_copy(&moves->next, &e->zone);
        moves_join(moves);
        roam_add(&e->roam, e->roam.worker.words, 1 + i, ROAM_WAITS);
    }
}

/* ---- the search ---- */

static void reserve(struct extremes *e, uint32_t clocks)
{
    if (e->has_zone && e->zone.most >= clocks) return;
    if (e->has_zone) dbm_release(&e->zone, e->mem);
    e->has_zone = false;
    if (!dbm_init(&e->zone, e->mem, clocks + clocks / 2 + 4)) mem_refuse(e->mem);
    e->has_zone = true;
}

static void expand(struct extremes *e, uint32_t node)
{
    struct roam *roam = &e->roam;
    struct zoned_worker *own = roam_worker(roam);
    const uint64_t tag = roam_enter(roam, node);
    reserve(e, own->moves.config.count);
    moves_enter_all(&own->moves);
    const bool may_rest = dbm_is_unbounded(&own->moves.source);
    const enum pieces_result result = zoned_find(&roam->worker, e->query.p, true, e->has_stuck);
    if (result == PIECES_REFUSED) mem_refuse(e->mem);
    e->failed |= result == PIECES_FAILED;
    roam_load(roam, node);
    for (uint32_t i = 0; result == PIECES_GOOD && i < own->found.count; i++) {
        const struct dbm piece = federation_get(&own->found, i);
        add_part(e, &piece, tag);
    }
    if (!tag) add_late(e, may_rest);
    roam->leave_out = tag ? e->setters[tag - 1] : NULL;
    roam_take_all(roam, tag);
}

static void watch(struct extremes *e)
{
    struct zoned *zoned = &e->roam.zoned;
    zoned_watch_condition(zoned, e->query.p);
    pieces_prepare(&zoned->pieces, &zoned->space.program, e->query.p);
    for (uint32_t i = 0; i < e->query.terms; i++) {
        const struct query_term *term = term_of(e, i);
        e->values[i] = (struct extent){.term = term->text, .is_clock = term->is_clock};
        e->values[i].sup.is_asked = e->query.kind != QUERY_INF;
        e->values[i].inf.is_asked = e->query.kind != QUERY_SUP;
        e->beyond[i] = false;
        if (term->is_clock) clocks_watch(&zoned->clocks, term->clock, e->limits[i]);
        else e->codes[i] = program_compile(&zoned->space.program, term->value);
    }
}

/* With the limits as they are. */
static enum stop_reason search(struct extremes *e, struct task *task, struct result *result,
                               double started)
{
    enum stop_reason stop = STOP_NONE;
    roam_init(&e->roam, task, result, true, false);
    e->roam.started = started;
    watch(e);
    roam_open(&e->roam);
    roam_add_initial(&e->roam, 0);
    for (uint32_t n = 0; stop == STOP_NONE && n < roam_count(&e->roam); n++) {
        if (n % LOOK_OFTEN == 0) stop = roam_stops(&e->roam);
        if (stop == STOP_NONE && !nodes_is_closed(&e->roam.nodes, n)) expand(e, n);
    }
    roam_release(&e->roam);
    return stop;
}

/* A proved infinite one is no reason to go on. */
static bool is_open(struct extremes *e)
{
    bool any = false;
    for (uint32_t i = 0; i < e->query.terms; i++) {
        const struct extent *value = &e->values[i];
        const bool sup = !value->sup.is_asked || value->sup.is_infinite,
                   inf = !value->inf.is_asked || value->inf.is_known;
        if (sup && inf) e->beyond[i] = false;
        any |= e->beyond[i];
    }
    return any;
}

void extremes_check(struct task *task, struct property_result *entry, struct result *result)
{
    struct extremes *e = mem_alloc(task->model->mem, sizeof *e);
    const double started = clock_now();
    enum stop_reason stop;
    unsigned round = 0;
    begin(e, task, entry);
    do stop = search(e, task, result, started);
    while (stop == STOP_NONE && is_open(e) && round++ < DOUBLINGS && raise_limits(e));
    if (stop != STOP_NONE) entry->reason = stop_reason_text[stop];
    else if (e->failed) entry->reason = result_cannot_evaluate;
    else if (is_open(e))
        entry->reason = "a clock grows beyond every limit that was tried, and it is not proved "
                        "that it has no largest value";
    else {
        entry->verdict = VERDICT_HOLDS;
        entry->reason = NULL;
        entry->values = e->values;
        entry->value_count = e->query.terms;
    }
    if (e->has_zone) dbm_release(&e->zone, e->mem);
    if (!entry->values) mem_free(e->mem, e->values);
    for (uint32_t i = 0; i < e->query.terms; i++) mem_free(e->mem, e->setters[i]);
    mem_free(e->mem, e->setters);
    mem_free(e->mem, e->limits);
    mem_free(e->mem, e->beyond);
    mem_free(e->mem, e->codes);
    mem_free(e->mem, e);
}
