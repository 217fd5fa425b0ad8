/* Best-first order. Of the states that are not yet expanded, one is next that looks nearest to a
 * violation of a property that is undecided, or to what is sought: the oldest of these. When
 * nothing is found this is a complete search, in another order.
 *
 * How near a state is, is read off the condition that it must fulfil, as if every variable went
 * there one by one: `a && b` is as far as both together, `a || b` as the nearer one; `x == y`, `x <
 * y` as the numbers are apart; everything else is 0 or 1. Negations are pushed in. Locations and
 * enumerations have no distance: to be in another one is 1. A condition that cannot be evaluated is
 * far away. Deadlocks and run-time errors have no estimate.
 *
 * States wait in queues, one per distance up to NEAR, then one per power of two. Per state 16 bytes
 * say who found it and who waits behind it.
 *
 * Invariants: (1) a state is found by one with a smaller number, or is initial; (2) a state waits
 * in one queue until it is expanded; (3) the queues before `least` are empty. */
#include "search/best.h"

#include "search/path.h"

#include <assert.h>

enum { NEAR = 1024, QUEUES = NEAR + 64, MOST_MEASURES = 10000 };

/* What is added up stays far below what a number can hold. */
static const uint64_t FAR = UINT64_C(1) << 48;

enum measure_kind {
    MEASURE_NONE,     /* 0 */
    MEASURE_NEVER,    /* far */
    MEASURE_SUM,      /* of measures a and b */
    MEASURE_LEAST,    /* of them */
    MEASURE_TRUTH,    /* whether code a gives `wanted` */
    MEASURE_EQUAL,    /* code a == code b */
    MEASURE_AT_MOST,  /* a <= b */
    MEASURE_LESS_THAN /* a < b */
};

struct measure {
    enum measure_kind kind;
    uint32_t a, b;
    bool wanted;
};

struct goal {
    uint32_t property, measure;
};

struct waiting {
    uint64_t from; /* who found it, or SET_NONE */
    uint64_t next; /* in its queue, or SET_NONE */
};

struct best {
    VEC(struct measure) measures;
    VEC(struct goal) goals;
    struct waiting *states; /* per state */
    uint64_t count, room;
    uint64_t waits; /* so many do */
    uint64_t from;  /* whose steps are at hand */
    uint64_t first[QUEUES], last[QUEUES];
    uint32_t least;
};

/* ---- what is measured ---- */

struct compiler {
    struct search *search;
    struct best *best;
};

static const struct expr_node *node_of(const struct compiler *compiler, expr e)
{
    return expr_get(&compiler->search->model->exprs, e);
}

static uint32_t put(struct compiler *compiler, struct measure measure)
{
    vec_push(compiler->search->model->mem, &compiler->best->measures, measure);
    return compiler->best->measures.len - 1;
}

static uint32_t code_of(struct compiler *compiler, expr e)
{
    return program_compile(&compiler->search->space->program, e);
}

static uint32_t measure(struct compiler *compiler, expr e, bool wanted);

static uint32_t join(struct compiler *compiler, enum measure_kind kind, uint32_t a, uint32_t b)
{
    return put(compiler, (struct measure){.kind = kind, .a = a, .b = b});
}

/* Both are as wanted, or one of them is. */
static uint32_t both(struct compiler *compiler, expr a, bool wanted_a, expr b, bool wanted_b)
{
    return join(compiler, MEASURE_SUM, measure(compiler, a, wanted_a),
                measure(compiler, b, wanted_b));
}

static uint32_t either(struct compiler *compiler, expr a, bool wanted_a, expr b, bool wanted_b)
{
    return join(compiler, MEASURE_LEAST, measure(compiler, a, wanted_a),
                measure(compiler, b, wanted_b));
}

/* Whether the number is on a scale, on which some values are nearer to each other than others. */
static bool is_scale(const struct compiler *compiler, expr e)
{
    const struct model *model = compiler->search->model;
    const struct expr_node *node = node_of(compiler, e);
    if (node->op != EXPR_VAR) return true;
    const uint32_t var = (uint32_t)node->value;
    return !model_is_location(model, var) && !model->vars.data[var].value_names;
}

static uint32_t compare(struct compiler *compiler, enum measure_kind kind, expr a, expr b)
{
    return join(compiler, kind, code_of(compiler, a), code_of(compiler, b));
}

/* a < b, or a <= b; unless it is wanted, the contrary: b <= a, or b < a. */
static uint32_t compare_order(struct compiler *compiler, expr a, expr b, bool is_strict,
                              bool wanted)
{
    return compare(compiler, is_strict == wanted ? MEASURE_LESS_THAN : MEASURE_AT_MOST,
                   wanted ? a : b, wanted ? b : a);
}

static uint32_t measure_comparison(struct compiler *compiler, expr e, bool wanted)
{
    const struct expr_node node = *node_of(compiler, e);
    const bool scale = is_scale(compiler, node.a) && is_scale(compiler, node.b);
    switch (node.op) {
    case EXPR_EQ:
    case EXPR_NE:
        if (wanted != (node.op == EXPR_EQ) || !scale) break;
        return compare(compiler, MEASURE_EQUAL, node.a, node.b);
    case EXPR_LT:
    case EXPR_LE: return compare_order(compiler, node.a, node.b, node.op == EXPR_LT, wanted);
    case EXPR_GT:
    case EXPR_GE: return compare_order(compiler, node.b, node.a, node.op == EXPR_GT, wanted);
    default: break;
    }
    return put(compiler, (struct measure){
                             .kind = MEASURE_TRUTH, .a = code_of(compiler, e), .wanted = wanted});
}

/* The measure of how far it is to a state in which the condition is as wanted. */
static uint32_t measure(struct compiler *compiler, expr e, bool wanted)
{
    const struct expr_node node = *node_of(compiler, e);
    if (compiler->best->measures.len >= MOST_MEASURES)
        return measure_comparison(compiler, e, wanted);
    switch (node.op) {
    case EXPR_CONST:
        return put(compiler,
                   (struct measure){.kind = !node.value == wanted ? MEASURE_NEVER : MEASURE_NONE});
    case EXPR_NOT: return measure(compiler, node.a, !wanted);
    case EXPR_AND:
        return wanted ? both(compiler, node.a, true, node.b, true)
                      : either(compiler, node.a, false, node.b, false);
    case EXPR_OR:
        return wanted ? either(compiler, node.a, true, node.b, true)
                      : both(compiler, node.a, false, node.b, false);
    case EXPR_IMPLIES:
        return wanted ? either(compiler, node.a, false, node.b, true)
                      : both(compiler, node.a, true, node.b, false);
    case EXPR_IFF: {
        const uint32_t yes = both(compiler, node.a, true, node.b, wanted),
                       no = both(compiler, node.a, false, node.b, !wanted);
        return join(compiler, MEASURE_LEAST, yes, no);
    }
    default: return measure_comparison(compiler, e, wanted);
    }
}

/* ---- measuring ---- */

/* b is to be as large as a, at least. */
static uint64_t behind(int64_t a, int64_t b)
{
    if (a <= b) return 0;
    const uint64_t apart = (uint64_t)a - (uint64_t)b;
    return apart < FAR ? apart : FAR;
}

static uint64_t compared(const struct search *search, const struct measure *at,
                         const uint64_t *words)
{
    const struct program *program = &search->space->program;
    int64_t a, b;
    if (!program_run(program, at->a, words, &a) || !program_run(program, at->b, words, &b))
        return FAR;
    if (at->kind == MEASURE_EQUAL) return a > b ? behind(a, b) : behind(b, a);
    return behind(a, b) + (at->kind == MEASURE_LESS_THAN && a >= b);
}

static uint64_t distance(const struct search *search, uint32_t number, const uint64_t *words)
{
    const struct best *best = search->own;
    assert(number < best->measures.len);
    const struct measure *at = &best->measures.data[number];
    int64_t value;
    switch (at->kind) {
    case MEASURE_NONE: return 0;
    case MEASURE_NEVER: return FAR;
    case MEASURE_SUM: {
        const uint64_t all = distance(search, at->a, words) + distance(search, at->b, words);
        return all < FAR ? all : FAR;
    }
    case MEASURE_LEAST: {
        const uint64_t a = distance(search, at->a, words), b = distance(search, at->b, words);
        return a < b ? a : b;
    }
    case MEASURE_TRUTH:
        if (!program_run(&search->space->program, at->a, words, &value)) return FAR;
        return !value == at->wanted;
    default: return compared(search, at, words);
    }
}

/* The queue of a state: by the goal that is nearest and still open. */
static uint32_t queue_of(const struct search *search, const uint64_t *words)
{
    const struct best *best = search->own;
    uint64_t nearest = best->goals.len ? FAR : 0;
    for (uint32_t i = 0; i < best->goals.len; i++) {
        const struct goal *goal = &best->goals.data[i];
        if (search->task->properties[goal->property].verdict != VERDICT_UNKNOWN) continue;
        const uint64_t apart = distance(search, goal->measure, words);
        if (apart < nearest) nearest = apart;
    }
    return nearest < NEAR ? (uint32_t)nearest : NEAR + 63 - (uint32_t)__builtin_clzll(nearest);
}

/* ---- waiting ---- */

static bool grow(struct search *search)
{
    struct best *best = search->own;
    const uint64_t room = best->room ? best->room + best->room / 2 : 1024;
    struct waiting *states =
        mem_try_resize(search->model->mem, best->states, room * sizeof *states);
    if (!states) return poll_stop(search, STOP_MEMORY);
    best->states = states;
    best->room = room;
    return true;
}

static bool wait_for_turn(struct search *search, uint64_t state, uint64_t from, uint32_t queue)
{
    struct best *best = search->own;
    assert(state == best->count && (from == SET_NONE || from < state)); /* (1) */
    assert(queue < QUEUES);
    if (state == best->room && !grow(search)) return false;
    best->states[best->count++] = (struct waiting){from, SET_NONE};
    if (best->first[queue] == SET_NONE) best->first[queue] = state;
    else best->states[best->last[queue]].next = state;
    best->last[queue] = state;
    best->waits++;
    if (queue < best->least) best->least = queue;
    return true;
}

/* The state whose turn it is, or SET_NONE. */
static uint64_t take(struct best *best)
{
    while (best->least < QUEUES && best->first[best->least] == SET_NONE) best->least++;
    if (best->least == QUEUES) {
        assert(!best->waits); /* (2), (3) */
        return SET_NONE;
    }
    const uint64_t state = best->first[best->least];
    best->first[best->least] = best->states[state].next;
    best->waits--;
    return state;
}

/* ---- the order ---- */

static void add_goal(struct compiler *compiler, uint32_t property, expr always)
{
    const struct goal goal = {property, measure(compiler, always, false)};
    vec_push(compiler->search->model->mem, &compiler->best->goals, goal);
}

static bool begin(struct search *search)
{
    const struct task *task = search->task;
    struct best *best = search->own = mem_alloc(search->model->mem, sizeof *best);
    struct compiler compiler = {search, best};
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        if (entry->has_safety) add_goal(&compiler, i, entry->safety);
        if (entry->in_each_state && entry->kind != PROPERTY_DEADLOCK
            && entry->kind != PROPERTY_RUNTIME_ERROR)
            add_goal(&compiler, i, entry->invariant);
    }
    for (uint32_t q = 0; q < QUEUES; q++) best->first[q] = SET_NONE;
    best->least = QUEUES;
    search->set = search->space->kind->sets->make(search->space);
    return search->set != NULL;
}

static bool log_steps(struct search *search, struct worker *worker, const struct batch_state *state,
                      uint32_t first, uint32_t end)
{
    const struct batch *batch = &worker->batch;
    (void)first, (void)end;
    ((struct best *)search->own)->from = state->state;
    for (uint32_t i = 0; i < batch->fresh_count; i++) {
        const uint32_t step = batch->fresh[i];
        const uint32_t queue = queue_of(search, batch_words(batch, step));
        if (!wait_for_turn(search, batch->steps[step].to, state->state, queue)) return false;
    }
    return true;
}

static bool run(struct search *search)
{
    struct best *best = search->own;
    if (!search_add_initial(search)) return false;
    for (uint64_t next = take(best); next != SET_NONE; next = take(best))
        if (!search_expand(search, &next, next + 1)) return false;
    assert(best->count == search->set->count);
    return true;
}

static void violated(struct search *search, uint32_t property, struct set *set, uint64_t state,
                     uint32_t failed_rule)
{
    const struct best *best = search->own;
    struct path path = {0};
    /* one that memory was refused for has just been found */
    for (uint64_t at = state; at != SET_NONE;
         at = at < best->count ? best->states[at].from : best->from)
        vec_push(search->model->mem, &path.states, at);
    path_reverse(&path);
    set->kind->load(set, state, search->worker->other);
    path_show(search, property, path_trace(search, &path), failed_rule, search->worker->other);
}

static void end(struct search *search)
{
    struct best *best = search->own;
    struct mem *mem = search->model->mem;
    if (search->set) search->set->kind->free(search->set);
    vec_free(mem, &best->measures);
    vec_free(mem, &best->goals);
    mem_free(mem, best->states);
    mem_free(mem, best);
}

const struct order best_order = {.name = "best-first",
                                 .begin = begin,
                                 .run = run,
                                 .end = end,
                                 .log = log_steps,
                                 .violated = violated,
                                 .states = search_kept};
