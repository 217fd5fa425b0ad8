#include "engine/symbolic/evidence.h"

#include <assert.h>
#include <string.h>

static bdd model_step(void *context, bdd set, enum dd_direction direction)
{
    return symbolic_step(context, set, direction);
}

void walk_init(struct walk *walk, struct symbolic *s)
{
    *walk = (struct walk){
        .s = s, .step = model_step, .context = s, .width = dd_pairs(s->dd), .loop = MODEL_NONE};
}

void walk_release(struct walk *walk)
{
    vec_free(walk->s->mem, &walk->bits);
    vec_free(walk->s->mem, &walk->by);
}

static bool belongs(const struct walk *walk, uint32_t pair)
{
    return pair < walk->s->e.bits.total
           || (pair >= walk->first_extra && pair - walk->first_extra < walk->extra);
}

/* The set of one state. */
static bdd cube(struct walk *walk, const uint8_t *bits)
{
    struct dd *dd = walk->s->dd;
    bdd all = BDD_TRUE, bit = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &all, &bit);
    for (uint32_t k = dd_pairs(dd); k-- > 0;) {
        uint32_t pair = dd_pair_at(dd, k);
        if (!belongs(walk, pair)) continue;
        bit = dd_variable(dd, dd_now(pair));
        all = bits[pair] ? dd_and(dd, all, bit) : dd_diff(dd, all, bit);
    }
    dd_release(dd, mark);
    return all;
}

static uint8_t *state_bits(const struct walk *walk, uint32_t i)
{
    assert(i < walk->states);
    return walk->bits.data + (size_t)i * walk->width;
}

/* Room for `count` more states at the end. */
static void extend(struct walk *walk, uint32_t count)
{
    uint64_t bytes = (uint64_t)count * walk->width;
    if (bytes > UINT32_MAX / 2 - walk->bits.len) mem_refuse(walk->s->mem);
    vec_reserve(walk->s->mem, &walk->bits, bytes);
    walk->bits.len += (uint32_t)bytes;
    walk->states += count;
    for (uint32_t i = 0; i < count; i++) vec_push(walk->s->mem, &walk->by, MODEL_NONE);
    assert(walk->by.len == walk->states);
}

void walk_fork(struct walk *walk, const struct walk *from, uint32_t states)
{
    assert(states && states <= from->states);
    *walk = *from;
    walk->bits.data = NULL;
    walk->by.data = NULL;
    walk->bits.len = walk->bits.cap = walk->by.len = walk->by.cap = walk->states = 0;
    walk->loop = MODEL_NONE;
    extend(walk, states);
    memcpy(walk->bits.data, from->bits.data, (size_t)states * walk->width);
}

bdd walk_last(struct walk *walk) { return cube(walk, state_bits(walk, walk->states - 1)); }

void walk_begin(struct walk *walk, bdd set)
{
    assert(set != BDD_FALSE);
    extend(walk, 1);
    dd_pick(walk->s->dd, set, state_bits(walk, walk->states - 1));
}

/* ---- onion rings ---- */

/* Rings live in blocks of their own, because the manager knows them by address. */
enum { BLOCK = 256 };
struct rings {
    struct walk *walk;
    bdd **blocks;
    uint32_t block_count, count;
};

static bdd *ring(const struct rings *rings, uint32_t i)
{
    assert(i < rings->count);
    return &rings->blocks[i / BLOCK][i % BLOCK];
}

static void add_ring(struct rings *rings, bdd set)
{
    struct mem *mem = rings->walk->s->mem;
    struct dd *dd = rings->walk->s->dd;
    if (rings->count % BLOCK == 0) {
        rings->blocks =
            mem_resize(mem, rings->blocks, (rings->block_count + 1) * sizeof *rings->blocks);
        rings->blocks[rings->block_count] = mem_alloc(mem, BLOCK * sizeof(bdd));
        dd_protect_array(dd, rings->blocks[rings->block_count++], BLOCK);
    }
    rings->count++;
    *ring(rings, rings->count - 1) = set;
}

static void free_rings(struct rings *rings)
{
    struct mem *mem = rings->walk->s->mem;
    for (uint32_t i = 0; i < rings->block_count; i++) mem_free(mem, rings->blocks[i]);
    mem_free(mem, rings->blocks);
}

/* From the last ring, which meets the target, back to the first; the states are written to the end
 * of the path. */
static void walk_back(struct walk *walk, const struct rings *rings, bdd inside, bdd target,
                      uint32_t skip)
{
    struct dd *dd = walk->s->dd;
    bdd set = BDD_FALSE;
    uint32_t mark = dd_mark(dd), first = walk->states;
    dd_protect(dd, &set);
    extend(walk, rings->count - skip);
    set = dd_and(dd, *ring(rings, rings->count - 1), target);
    for (uint32_t i = rings->count; i-- > skip;) {
        assert(set != BDD_FALSE); /* whatever is in a ring has come from the one before */
        dd_pick(dd, set, state_bits(walk, first + i - skip));
        if (i == skip) break;
        set = cube(walk, state_bits(walk, first + i - skip));
        set = walk->step(walk->context, set, DD_BACKWARD);
        set = dd_and(dd, set, *ring(rings, i - 1));
        set = dd_and(dd, set, inside);
    }
    dd_release(dd, mark);
}

void walk_to(struct walk *walk, bdd from, bdd inside, bdd target, bool at_least_one)
{
    struct dd *dd = walk->s->dd;
    struct rings rings = {.walk = walk};
    bdd seen = BDD_FALSE, meet = BDD_FALSE, next = BDD_FALSE;
    bool goes_on = walk->states > 0;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &inside, &target, &seen, &meet, &next);
    next = goes_on ? walk_last(walk) : from;
    add_ring(&rings, next);
    seen = at_least_one ? BDD_FALSE : next; /* then the first state may be met again */
    meet = at_least_one ? BDD_FALSE : dd_and(dd, next, target);
    while (meet == BDD_FALSE) {
        next = dd_and(dd, *ring(&rings, rings.count - 1), inside);
        next = walk->step(walk->context, next, DD_FORWARD);
        next = dd_diff(dd, next, seen);
        if (next == BDD_FALSE) break; /* there was no way after all */
        seen = dd_or(dd, seen, next);
        add_ring(&rings, next);
        meet = dd_and(dd, next, target);
        dd_rest(dd);
    }
    if (meet != BDD_FALSE) walk_back(walk, &rings, inside, target, goes_on);
    dd_release(dd, mark);
    free_rings(&rings);
}

/* ---- cycles ---- */

static bdd reach_within(struct walk *walk, bdd from, bdd inside, enum dd_direction direction)
{
    struct dd *dd = walk->s->dd;
    bdd all = from, frontier = from;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &inside, &all, &frontier);
    while (frontier != BDD_FALSE) {
        frontier = walk->step(walk->context, frontier, direction);
        frontier = dd_and(dd, frontier, inside);
        frontier = dd_diff(dd, frontier, all);
        all = dd_or(dd, all, frontier);
        dd_rest(dd);
    }
    dd_release(dd, mark);
    return all;
}

/* Moves the path into a component from which no other one can be reached (inside the set): whatever
 * state it is in then, all others lead back to it, so the cycle can be closed (Clarke, Grumberg,
 * McMillan and Zhao 1995). */
static void walk_to_bottom(struct walk *walk, bdd inside)
{
    struct dd *dd = walk->s->dd;
    bdd here = BDD_FALSE, ahead = BDD_FALSE, back = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &inside, &here, &ahead, &back);
    for (;;) {
        here = walk_last(walk);
        ahead = reach_within(walk, here, inside, DD_FORWARD);
        back = reach_within(walk, here, ahead, DD_BACKWARD);
        ahead = dd_diff(dd, ahead, back); /* what cannot come back */
        if (ahead == BDD_FALSE) break;
        walk_to(walk, BDD_FALSE, inside, ahead, false);
    }
    dd_release(dd, mark);
}

void walk_cycle(struct walk *walk, bdd inside, const bdd *fair, uint32_t fair_count,
                void (*detour)(struct walk *walk, bdd inside))
{
    struct dd *dd = walk->s->dd;
    bdd start = BDD_FALSE, goal = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    dd_keep(dd, &inside, &start, &goal);
    walk_to_bottom(walk, inside);
    start = walk_last(walk);
    uint32_t first = walk->states - 1;
    for (uint32_t k = 0; k < fair_count; k++) {
        goal = dd_and(dd, inside, fair[k]);
        walk_to(walk, BDD_FALSE, inside, goal, false);
    }
    if (detour) detour(walk, inside);
    walk_to(walk, BDD_FALSE, inside, start, true);
    assert(walk->states > first + 1); /* at least one step */
    walk->states--;                   /* the last one is the first again */
    walk->bits.len -= walk->width;
    walk->by.len--;
    walk->loop = first;
    dd_release(dd, mark);
}

/* ---- traces ---- */

static void values_of(const struct walk *walk, uint32_t i, int64_t *values)
{
    const struct encoding *e = &walk->s->e;
    for (uint32_t v = 0; v < e->model->vars.len; v++) {
        uint64_t code = 0;
        for (uint32_t b = 0; b < bits_width(&e->bits, v); b++)
            code |= (uint64_t)state_bits(walk, i)[e->bits.first[v] + b] << b;
        values[v] = (int64_t)((uint64_t)e->model->vars.data[v].low + code);
    }
}

enum { NO_RULE = MODEL_NONE, STUCK = MODEL_NONE - 1 };

/* The rule that leads from one state to the other, with this process unless it is MODEL_NONE;
 * STUCK: they are the same, and none is enabled. */
static uint32_t rule_between(const struct model *model, const int64_t *from, const int64_t *to,
                             int64_t *next, uint32_t process)
{
    bool enabled = false;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        if (process != MODEL_NONE && !model_takes_part(model, r, process)) continue;
        if (eval_rule(model, r, from, next) != EVAL_ENABLED) continue;
        enabled = true;
        if (!memcmp(next, to, model->vars.len * sizeof *to)) return r;
    }
    return !enabled && !memcmp(from, to, model->vars.len * sizeof *to) ? STUCK : NO_RULE;
}

struct trace *walk_trace(struct walk *walk, const char **broken)
{
    const struct model *model = walk->s->model;
    struct mem *mem = walk->s->mem;
    assert(walk->states && (walk->loop == MODEL_NONE || walk->loop < walk->states));
    size_t size = (model->vars.len + UINT64_C(1)) * sizeof(int64_t);
    int64_t *from = mem_alloc(mem, size), *to = mem_alloc(mem, size), *next = mem_alloc(mem, size);
    struct trace *trace = trace_new(model, walk->states - 1);
    values_of(walk, 0, trace->initial);
    memcpy(from, trace->initial, model->vars.len * sizeof *from);
    trace->loop = walk->loop;
    uint32_t last =
        walk->loop == MODEL_NONE ? walk->states - 1 : walk->states; /* the closing step counts */
    for (uint32_t i = 0; i < last; i++) {
        values_of(walk, i + 1 < walk->states ? i + 1 : walk->loop, to);
        uint32_t rule = rule_between(model, from, to, next,
                                     i + 1 < walk->states ? walk->by.data[i + 1] : MODEL_NONE);
        if (rule == STUCK) { /* a deadlocked state repeats for ever: nothing new comes after it */
            trace->steps = i;
            trace->loop = i;
            trace->rules[i] = MODEL_NONE;
            break;
        }
        if (rule == NO_RULE) *broken = "no rule leads from a state of the evidence to the next one";
        trace->rules[i] = rule;
        memcpy(from, to, model->vars.len * sizeof *from);
    }
    mem_free(mem, from);
    mem_free(mem, to);
    mem_free(mem, next);
    return trace;
}
