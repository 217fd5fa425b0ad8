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
 * that can do the same. Where p is met by such a node, the clock is beyond every number. Waiting
 * changes no difference of clocks, and so nothing that zones are cut along; and beyond all
 * constants an urgent rule has its clock guards true always or never, so that what has them true is
 * left out.
 *
 * The same follows from a cycle on which time passes. Beyond its limit the clock matters no more;
 * in the graph of what happens then without setting it, with every zone kept, each valuation comes
 * from one of the zone before. So a valuation of a node on a cycle, or behind it, is reached after
 * as many rounds as one likes. A strongly connected part takes a unit of time per round when some
 * rule in it must wait that long since it was taken before, or when a clock is set in it and must
 * be a unit above that in it.
 *
 * What is neither after some doublings stays unknown. */
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
    bool *endless;         /* per term: it is proved that it has no largest value */
    bool *beyond;          /* per term: some bound is at its limit, or beyond it */
    uint32_t *codes;       /* per term: of an integer */
    struct dbm zone;
    bool has_zone;
    struct federation late, still; /* where it can rest for ever, and where time stands still */
    bool failed;
    bool **setters; /* per term: the rules that set the clock */
    bool proves;    /* every zone is kept, and cycles are looked for */
    VEC(bool) met;  /* per node then: p is met */
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
    federation_init(&e->late, e->mem, 0);
    federation_init(&e->still, e->mem, 0);
    e->query = model->queries.data[entry->property->query];
    e->has_stuck = pieces_has(model, e->query.p, FORMULA_DEADLOCK);
    const size_t count = e->query.terms + UINT64_C(1);
    e->values = mem_alloc(e->mem, count * sizeof *e->values);
    e->limits = mem_alloc(e->mem, count * sizeof *e->limits);
    e->beyond = mem_alloc(e->mem, count * sizeof *e->beyond);
    e->endless = mem_alloc(e->mem, count * sizeof *e->endless);
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
    if (tag && !e->proves) extent_raise(&e->values[tag - 1].sup, infinite);
    if (e->proves) e->met.data[e->met.len - 1] = true;
    for (uint32_t i = 0; !tag && i < e->query.terms; i++)
        if (term_of(e, i)->is_clock) add_clock(e, i, &e->zone);
        else add_number(e, i);
}

/* Nodes of the clock i begin, with the zone in e->zone. */
static void add_tagged(struct extremes *e, uint32_t i)
{
    struct moves *moves = &roam_worker(&e->roam)->moves;
    dbm_copy(&moves->next, &e->zone);
    roam_add(&e->roam, moves_join(moves), e->roam.worker.words, 1 + i, ROAM_WAITS);
}

static bool asks_largest(const struct extremes *e, uint32_t i)
{
    return term_of(e, i)->is_clock && e->values[i].sup.is_asked;
}

/* Where the state can rest for ever: the valuations in which all clocks are beyond all constants
 * and no urgent rule has its guards true, for each clock whose largest value is asked. */
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
    federation_clear(&e->late, moves->config.count);
    federation_clear(&e->still, moves->config.count);
    if (!federation_add(&e->late, &e->zone) || !moves_sort(moves, &e->late, &e->still))
        mem_refuse(e->mem);
    for (uint32_t k = 0; k < e->late.count; k++) {
        const struct dbm late = federation_get(&e->late, k);
        dbm_copy(&e->zone, &late);
        for (uint32_t i = 0; i < e->query.terms; i++)
            if (asks_largest(e, i)) add_tagged(e, i);
    }
}

/* For a proof by cycles: the valuations in which a clock is beyond its limit. */
static void add_beyond(struct extremes *e)
{
    const struct moves *moves = &roam_worker(&e->roam)->moves;
    for (uint32_t i = 0; i < e->query.terms; i++) {
        if (!asks_largest(e, i)) continue;
        const uint32_t x =
            config_clock_of(&moves->config, e->roam.zoned.timers.list.len + term_of(e, i)->clock);
        dbm_copy(&e->zone, &moves->source);
        if (dbm_constrain(&e->zone, 0, x, bound_strict(-e->limits[i]))) add_tagged(e, i);
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
    if (e->proves) vec_push(e->mem, &e->met, false);
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
    if (!tag && !e->proves) add_late(e, may_rest);
    if (!tag && e->proves) add_beyond(e);
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
        if (e->endless[i]) {
            const struct extent_end infinite = {.is_known = true, .is_infinite = true};
            extent_raise(&e->values[i].sup, infinite);
        }
        e->beyond[i] = false;
        if (term->is_clock) clocks_watch(&zoned->clocks, term->clock, e->limits[i]);
        else e->codes[i] = program_compile(&zoned->space.program, term->value);
    }
}

/* ---- cycles ---- */

/* A strongly connected part of the nodes of one tag, by what its rules do. */
struct part {
    uint64_t set, late; /* clocks, up to 64: set by a rule; above that by a unit in another */
    bool waits;         /* a rule waits a unit each time */
};

struct cycles {
    struct extremes *e;
    uint32_t *low, *number, *stack; /* Tarjan's; number 0: not visited */
    uint32_t count, height;
    VEC(struct roam_edge) path; /* node, and its next edge */
};

static uint64_t bit_of(uint32_t clock) { return clock < 64 ? UINT64_C(1) << clock : 0; }

/* What a clock is set to at most; INT64_MAX: that is not known. */
static int64_t highest_start(const struct model *model, uint32_t clock)
{
    int64_t highest = 0;
    for (uint32_t i = 0; i < model->resets.len; i++)
        if (model->resets.data[i].clock == clock && model->resets.data[i].value > highest)
            highest = model->resets.data[i].value;
    return model->clocks.data[clock].is_set_by_code ? INT64_MAX : highest;
}

static void add_rule(const struct model *model, struct part *part, uint32_t r)
{
    const struct model_rule *rule = &model->rules.data[r];
    part->waits |= rule->interval != MODEL_NONE && model->intervals.data[rule->interval].low >= 1;
    for (uint32_t i = 0; i < rule->resets; i++)
        part->set |= bit_of(model->resets.data[rule->first_reset + i].clock);
    for (uint32_t i = 0; i < rule->guards; i++) {
        const struct clock_constraint *guard = &model->constraints.data[rule->first_guard + i];
        if (guard->x != MODEL_NONE || guard->y == MODEL_NONE || guard->is_conditional
            || guard->varies || guard->unless)
            continue;
        const int64_t start = highest_start(model, guard->y);
        if (start != INT64_MAX && -guard->bound >= start + 1) part->late |= bit_of(guard->y);
    }
}

static bool is_between(const struct cycles *c, uint32_t root, uint32_t node)
{
    return c->number[node] != UINT32_MAX && c->number[node] >= c->number[root];
}

/* The nodes from the root on are one part: is it late? They leave the stack. */
static void end_part(struct cycles *c, uint32_t root, bool *late)
{
    const struct extremes *e = c->e;
    struct part part = {0};
    uint32_t first = c->height;
    while (c->stack[--first] != root) continue;
    for (uint32_t i = first; i < c->height; i++) {
        uint32_t count;
        const struct roam_edge *edges = roam_edges(&e->roam, c->stack[i], &count);
        for (uint32_t k = 0; k < count; k++)
            if (is_between(c, root, edges[k].to) && edges[k].via < ROAM_WAITS)
                add_rule(e->model, &part, edges[k].via);
    }
    const bool is_late = part.waits || (part.set & part.late);
    for (uint32_t i = first; i < c->height; i++) late[c->stack[i]] = is_late;
    for (uint32_t i = first; i < c->height; i++) c->number[c->stack[i]] = UINT32_MAX;
    c->height = first;
}

static void visit(struct cycles *c, uint32_t node)
{
    c->number[node] = c->low[node] = ++c->count;
    c->stack[c->height++] = node;
    vec_push(c->e->mem, &c->path, ((struct roam_edge){node, 0}));
}

/* Tarjan's algorithm, with a path of our own. UINT32_MAX is the number of what is done with. */
static void find_parts(struct cycles *c, uint32_t root, bool *late)
{
    visit(c, root);
    while (c->path.len) {
        struct roam_edge *top = &c->path.data[c->path.len - 1];
        const uint32_t node = top->to;
        uint32_t count;
        const struct roam_edge *edges = roam_edges(&c->e->roam, node, &count);
        if (top->via < count) {
            const uint32_t to = edges[top->via++].to;
            if (!c->number[to]) visit(c, to);
            else if (c->number[to] != UINT32_MAX && c->number[to] < c->low[node])
                c->low[node] = c->number[to];
            continue;
        }
        const uint32_t low = c->low[node];
        c->path.len--;
        if (low == c->number[node]) end_part(c, node, late);
        else if (c->low[c->path.data[c->path.len - 1].to] > low)
            c->low[c->path.data[c->path.len - 1].to] = low;
    }
}

/* What a late node leads to is late. */
static void spread(const struct extremes *e, bool *late)
{
    for (bool more = true; more;) {
        more = false;
        for (uint32_t n = 0; n < roam_count(&e->roam); n++) {
            uint32_t count;
            const struct roam_edge *edges = roam_edges(&e->roam, n, &count);
            for (uint32_t k = 0; late[n] && k < count; k++) {
                more |= !late[edges[k].to];
                late[edges[k].to] = true;
            }
        }
    }
}

static uint64_t tag_of(const struct roam *roam, uint32_t node)
{
    const uint64_t *words = store_get(&roam->nodes.discrete, nodes_discrete_of(&roam->nodes, node));
    return words[roam->size - 1];
}

/* Of the finished graph: which clocks have no largest value. */
static void find_late(struct extremes *e)
{
    const struct extent_end infinite = {.is_known = true, .is_infinite = true};
    const size_t count = roam_count(&e->roam) + UINT64_C(1);
    struct cycles c = {.e = e};
    bool *late = mem_alloc(e->mem, count);
    c.low = mem_alloc(e->mem, count * sizeof *c.low);
    c.number = mem_alloc(e->mem, count * sizeof *c.number);
    c.stack = mem_alloc(e->mem, count * sizeof *c.stack);
    for (uint32_t n = 0; n + 1 < count; n++)
        if (tag_of(&e->roam, n) && !c.number[n]) find_parts(&c, n, late);
    spread(e, late);
    for (uint32_t n = 0; n + 1 < count; n++)
        if (late[n] && e->met.data[n])
            extent_raise(&e->values[tag_of(&e->roam, n) - 1].sup, infinite);
    mem_free(e->mem, late);
    mem_free(e->mem, c.low);
    mem_free(e->mem, c.number);
    mem_free(e->mem, c.stack);
    vec_free(e->mem, &c.path);
}

/* With the limits as they are. */
static enum stop_reason search(struct extremes *e, struct task *task, struct result *result,
                               double started)
{
    enum stop_reason stop = STOP_NONE;
    roam_init(&e->roam, task, result, true, e->proves);
    e->roam.started = started;
    watch(e);
    roam_open(&e->roam);
    roam_add_initial(&e->roam, 0);
    for (uint32_t n = 0; stop == STOP_NONE && n < roam_count(&e->roam); n++) {
        if (n % LOOK_OFTEN == 0) stop = roam_stops(&e->roam);
        if (stop == STOP_NONE && !nodes_is_closed(&e->roam.nodes, n)) expand(e, n);
    }
    if (e->proves && stop == STOP_NONE) find_late(e);
    for (uint32_t i = 0; i < e->query.terms; i++) e->endless[i] |= e->values[i].sup.is_infinite;
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

/* One more search, for cycles. */
static enum stop_reason prove(struct extremes *e, struct task *task, struct result *result,
                              double started)
{
    e->proves = true;
    const enum stop_reason stop = search(e, task, result, started);
    e->proves = false;
    vec_free(e->mem, &e->met);
    return stop;
}

enum stop_reason extremes_check(struct task *task, struct property_result *entry,
                                struct result *result, double started)
{
    struct extremes *e = mem_alloc(task->model->mem, sizeof *e);
    enum stop_reason stop;
    unsigned round = 0;
    begin(e, task, entry);
    do {
        stop = search(e, task, result, started);
        if (stop == STOP_NONE && !round && is_open(e)) stop = prove(e, task, result, started);
    } while (stop == STOP_NONE && is_open(e) && round++ < DOUBLINGS && raise_limits(e));
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
    federation_release(&e->late);
    federation_release(&e->still);
    if (!entry->values) mem_free(e->mem, e->values);
    for (uint32_t i = 0; i < e->query.terms; i++) mem_free(e->mem, e->setters[i]);
    mem_free(e->mem, e->setters);
    mem_free(e->mem, e->limits);
    mem_free(e->mem, e->beyond);
    mem_free(e->mem, e->endless);
    mem_free(e->mem, e->codes);
    mem_free(e->mem, e);
    return stop;
}
