/* Which order of the states keeps the fewest of them alive? Finding the best one is hard (it is a
 * vertex separation problem with directions), so several methods are tried and the best result is
 * taken.
 *
 * A state is alive from when it is first reached until its turn. A state whose predecessors all had
 * their turn is ready; its turn takes one state away and adds those successors that nobody reached
 * before: its news. A turn with at most one piece of news is always right: taking it earlier than
 * some order does makes no R_i larger, because news only get fewer with time. So what matters is
 * which state to take when every ready one has two or more. Greedy methods take the fewest news and
 * differ in what they do with ties. The same works backwards, from the ends, where a turn adds the
 * state and takes away the successors of which it is the last predecessor left.
 *
 * Alone, each direction is short-sighted at its far end. Back and forth is much better: a greedy
 * order backwards whose ties are decided by an order from before, then one forwards whose ties are
 * decided by that, and so on. It starts from every simple order, and from depth-first orders that
 * take edges in random orders; with a random order of the labels, the operands of a shuffle are
 * nested in a random way. Everything is deterministic: what the repeated methods may cost is
 * counted in edges, not in time.
 *
 * Experience (test/unit/automaton.c): on random graphs of up to 18 states the result is nearly
 * always optimal; on the n-cube (n events in parallel) it is the known optimum, 1 + the sum of the
 * largest binomial coefficients of 0 .. n - 1. */
#include "automaton/activity/order.h"

#include "automaton/activity/greedy.h"
#include "base/checked.h"
#include "base/random.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct orderer {
    const struct dag *dag;
    struct mem *mem;
    struct greedy greedy;
    uint32_t *order; /* what the method at hand fills in */
    uint32_t *best;  /* the best order so far, and its metric */
    uint32_t metric;
    uint32_t *kept; /* for methods that try several: the best of these, and its metric */
    uint32_t kept_metric;
    uint32_t *key, *stack, *next; /* scratch, per state */
    uint8_t *is_reached;          /* scratch, per state */
    uint64_t *shuffled;           /* scratch, per edge: random << 32 | target */
};

/* ---- simple orders ---- */

static bool as_numbered(struct orderer *o)
{
    for (uint32_t s = 0; s < o->dag->states; s++) o->order[s] = s;
    return true;
}

static bool breadth_first(struct orderer *o)
{
    const struct neighbours *g = &o->greedy.graph;
    uint32_t len = 1;
    for (uint32_t s = 0; s < g->states; s++)
        o->next[s] = g->first_before[s + 1] - g->first_before[s];
    o->order[0] = 0;
    for (uint32_t i = 0; i < len; i++) {
        uint32_t s = o->order[i];
        for (uint32_t e = g->first_after[s]; e < g->first_after[s + 1]; e++)
            if (!--o->next[g->after[e]]) o->order[len++] = g->after[e];
    }
    assert(len == g->states);
    return true;
}

/* States in the order in which a depth-first search leaves them, last first. */
static void search_depth(struct orderer *o,
                         uint32_t (*target)(const struct orderer *, uint32_t edge))
{
    const uint32_t *first = o->dag->first_edge;
    uint32_t *stack = o->stack, *next = o->next, depth = 1, place = o->dag->states;
    memset(next, 0,
           (size_t)place * sizeof *next); /* edges taken so far, + 1 once the state is met */
    stack[0] = 0;
    next[0] = 1;
    while (depth) {
        uint32_t s = stack[depth - 1], edge = first[s] + next[s] - 1;
        if (edge == first[s + 1]) {
            o->order[--place] = s;
            depth--;
            continue;
        }
        next[s]++;
        uint32_t to = target(o, edge);
        if (next[to]) continue;
        next[to] = 1;
        stack[depth++] = to;
    }
    assert(place == 0);
}

static uint32_t target_as_is(const struct orderer *o, uint32_t edge)
{
    return o->dag->edge_to[edge];
}

static uint32_t target_shuffled(const struct orderer *o, uint32_t edge)
{
    return (uint32_t)o->shuffled[edge];
}

static bool depth_first(struct orderer *o)
{
    search_depth(o, target_as_is);
    return true;
}

static int by_number(const void *x, const void *y)
{
    const uint64_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

/* Depth first, with edges in a random order: of labels, the same at all states, when the seed is
 * odd, else of each state's edges. Seed 0: their own order backwards. */
static void depth_first_shuffled(struct orderer *o, uint32_t seed)
{
    const struct dag *dag = o->dag;
    for (uint32_t e = 0; e < dag->edges; e++) {
        struct random random = {(uint64_t)(seed % 2 ? dag->edge_label[e] : e) << 32 | seed};
        uint64_t key = seed ? random_next(&random) >> 32 : UINT32_MAX - dag->edge_label[e];
        o->shuffled[e] = key << 32 | dag->edge_to[e];
    }
    for (uint32_t s = 0; s < dag->states; s++) {
        uint32_t from = dag->first_edge[s], count = dag->first_edge[s + 1] - from;
        if (count > 1) qsort(o->shuffled + from, count, sizeof *o->shuffled, by_number);
    }
    search_depth(o, target_shuffled);
}

static bool depth_first_backwards(struct orderer *o)
{
    depth_first_shuffled(o, 0);
    return true;
}

/* Sorts breadth-first order by o->key, which is below the count of states; equals stay in their
 * order. */
static void layers(struct orderer *o)
{
    uint32_t n = o->dag->states, *from = o->next, *sorted = o->stack;
    breadth_first(o);
    memset(from, 0, (size_t)n * sizeof *from);
    for (uint32_t s = 0; s < n; s++)
        if (o->key[s] + 1 < n) from[o->key[s] + 1]++;
    for (uint32_t k = 1; k < n; k++) from[k] += from[k - 1];
    for (uint32_t i = 0; i < n; i++) sorted[from[o->key[o->order[i]]]++] = o->order[i];
    memcpy(o->order, sorted, (size_t)n * sizeof *sorted);
}

static bool layers_from_start(struct orderer *o)
{
    dag_depths(o->dag, o->key);
    layers(o);
    return true;
}

static bool layers_to_end(struct orderer *o)
{
    dag_heights(o->dag, o->key);
    uint32_t top = o->key[0];
    for (uint32_t s = 0; s < o->dag->states; s++) o->key[s] = top - o->key[s];
    layers(o);
    return true;
}

/* ---- greedy orders ---- */

static bool greedy_oldest(struct orderer *o)
{
    return greedy_forwards(&o->greedy, GREEDY_OLDEST, NULL, o->order);
}

static bool greedy_newest(struct orderer *o)
{
    return greedy_forwards(&o->greedy, GREEDY_NEWEST, NULL, o->order);
}

static bool greedy_layers(struct orderer *o)
{
    layers_from_start(o);
    return greedy_forwards(&o->greedy, GREEDY_GIVEN, o->order, o->order);
}

static bool ends_oldest(struct orderer *o)
{
    return greedy_backwards(&o->greedy, GREEDY_OLDEST, NULL, o->order);
}

static bool ends_newest(struct orderer *o)
{
    return greedy_backwards(&o->greedy, GREEDY_NEWEST, NULL, o->order);
}

/* ---- back and forth ---- */

static uint32_t measure(const struct dag *dag, const uint32_t *order, uint8_t *is_reached)
{
    uint32_t alive = 0, most = 0;
    memset(is_reached, 0, dag->states);
    for (uint32_t i = 0; i < dag->states; i++) {
        uint32_t s = order ? order[i] : i;
        assert(is_reached[s] || !i); /* the order is topological, so a state was reached before */
        if (is_reached[s]) alive--;
        for (uint32_t e = dag->first_edge[s]; e < dag->first_edge[s + 1]; e++) {
            uint8_t *reached = &is_reached[dag->edge_to[e]];
            alive += !*reached;
            *reached = 1;
        }
        if (alive > most) most = alive;
    }
    assert(!alive); /* all that were reached have had their turn */
    return most + 1;
}

enum {
    ANY_SIZE = 0,
    LARGE = 6000000, /* edges and states: above, only one greedy order is tried */
    WORK = 8000000,  /* edges and states that a repeated method may look at */
    ROUNDS = 4,      /* back and forth, from each start */
    STARTS = 32      /* random ones */
};

static void keep_better(struct orderer *o)
{
    uint32_t metric = measure(o->dag, o->order, o->is_reached);
    if (metric >= o->kept_metric) return;
    o->kept_metric = metric;
    memcpy(o->kept, o->order, (size_t)o->dag->states * sizeof *o->kept);
}

static bool back_and_forth(struct orderer *o, uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds; i++) {
        if (!greedy_backwards(&o->greedy, GREEDY_GIVEN, o->order, o->order)) return false;
        keep_better(o);
        if (!greedy_forwards(&o->greedy, GREEDY_GIVEN, o->order, o->order)) return false;
        keep_better(o);
    }
    return true;
}

static uint32_t rounds_allowed(const struct orderer *o)
{
    return (uint32_t)(WORK / 2 / ((uint64_t)o->dag->edges + o->dag->states));
}

static void take_kept(struct orderer *o)
{
    memcpy(o->order, o->kept, (size_t)o->dag->states * sizeof *o->kept);
}

static bool from_all(struct orderer *o);
static bool from_random(struct orderer *o);

static const struct {
    const char *name;
    bool (*run)(struct orderer *); /* fills in o->order; false: refused */
    uint32_t most_edges;           /* and states */
} methods[ORDER_METHODS] = {
    {"as built", as_numbered, ANY_SIZE},
    {"breadth first", breadth_first, ANY_SIZE},
    {"depth first", depth_first, ANY_SIZE},
    {"depth first, last label first", depth_first_backwards, LARGE},
    {"layers by distance from the start", layers_from_start, ANY_SIZE},
    {"layers by distance to the end", layers_to_end, ANY_SIZE},
    {"fewest news, oldest first", greedy_oldest, ANY_SIZE},
    {"fewest news, newest first", greedy_newest, LARGE},
    {"fewest news, by layers", greedy_layers, LARGE},
    {"from the ends, oldest first", ends_oldest, LARGE},
    {"from the ends, newest first", ends_newest, LARGE},
    {"back and forth from these", from_all, LARGE},
    {"back and forth from random ones", from_random, WORK / (2 * ROUNDS)},
};

enum { SIMPLE_METHODS = ORDER_METHODS - 2 };

static bool from_all(struct orderer *o)
{
    uint32_t rounds = rounds_allowed(o);
    o->kept_metric = UINT32_MAX;
    if (rounds < SIMPLE_METHODS * ROUNDS) {
        memcpy(o->order, o->best, (size_t)o->dag->states * sizeof *o->best);
        if (!back_and_forth(o, rounds < 1 ? 1 : rounds < ROUNDS ? rounds : ROUNDS)) return false;
    } else {
        for (uint32_t method = 0; method < SIMPLE_METHODS; method++)
            if (!methods[method].run(o) || !back_and_forth(o, ROUNDS)) return false;
    }
    take_kept(o);
    return true;
}

static bool from_random(struct orderer *o)
{
    uint32_t starts = rounds_allowed(o) / ROUNDS;
    o->kept_metric = UINT32_MAX;
    for (uint32_t i = 0; i < starts && i < STARTS; i++) {
        depth_first_shuffled(o, i + 1);
        keep_better(o);
        if (!back_and_forth(o, ROUNDS)) return false;
    }
    take_kept(o);
    return true;
}

/* ---- the best ---- */

bool order_metric(const struct dag *dag, const uint32_t *order, uint32_t *metric)
{
    uint8_t *is_reached = mem_try_alloc(dag->mem, dag->states);
    if (!is_reached) return false;
    *metric = measure(dag, order, is_reached);
    mem_free(dag->mem, is_reached);
    return true;
}

bool order_is_topological(const struct dag *dag, const uint32_t *order)
{
    uint32_t *place = checked_alloc((size_t)dag->states * sizeof *place); /* 0: nowhere */
    bool good = true;
    if (!place) return true;
    for (uint32_t i = 0; i < dag->states && good; i++) {
        good = order[i] < dag->states && !place[order[i]];
        if (good) place[order[i]] = i + 1;
    }
    for (uint32_t s = 0; s < dag->states && good; s++)
        for (uint32_t e = dag->first_edge[s]; e < dag->first_edge[s + 1]; e++)
            good &= place[s] < place[dag->edge_to[e]];
    checked_free(place);
    return good;
}

static bool orderer_init(struct orderer *o, const struct dag *dag)
{
    *o = (struct orderer){.dag = dag, .mem = dag->mem};
    uint32_t **arrays[] = {&o->order, &o->best, &o->kept, &o->key, &o->stack, &o->next};
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!(*arrays[i] = mem_try_alloc(o->mem, (size_t)dag->states * sizeof **arrays[i])))
            return false;
    o->is_reached = mem_try_alloc(o->mem, dag->states);
    o->shuffled = mem_try_alloc(o->mem, (size_t)dag->edges * sizeof *o->shuffled);
    return o->is_reached && o->shuffled && greedy_init(&o->greedy, dag);
}

static void orderer_release(struct orderer *o)
{
    uint32_t *arrays[] = {o->order, o->best, o->kept, o->key, o->stack, o->next};
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(o->mem, arrays[i]);
    mem_free(o->mem, o->is_reached);
    mem_free(o->mem, o->shuffled);
    if (o->greedy.mem) greedy_release(&o->greedy);
}

static bool try_method(struct orderer *o, struct order_table *table, uint32_t method)
{
    struct order_row *row = &table->rows[method];
    *row = (struct order_row){methods[method].name, 0};
    if (methods[method].most_edges != ANY_SIZE
        && o->dag->edges + (uint64_t)o->dag->states > methods[method].most_edges)
        return true;
    if (!methods[method].run(o)) return false;
    row->metric = measure(o->dag, o->order, o->is_reached);
    if (method && row->metric >= o->metric) return true;
    CHECKED(order_is_topological(o->dag, o->order));
    uint32_t *better = o->order;
    o->order = o->best;
    o->best = better;
    o->metric = row->metric;
    table->best = method;
    return true;
}

enum build_status order_best(const struct dag *dag, struct order_table *table, uint32_t **order)
{
    struct orderer o;
    bool good = orderer_init(&o, dag);
    *order = NULL;
    *table = (struct order_table){.best = 0};
    for (uint32_t method = 0; good && method < ORDER_METHODS; method++)
        good = try_method(&o, table, method); /* all of them: a run that is resumed must have the
                                                 same ranks, whatever its --time */
    if (good) {
        *order = o.best;
        o.best = NULL;
    }
    orderer_release(&o);
    return good ? BUILD_DONE : BUILD_REFUSED;
}
