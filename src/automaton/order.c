/* Which order of the states keeps the fewest of them alive? Finding the best one is NP-hard (it is a one-sided vertex separation problem), so
 * several methods are tried and the best result is taken.
 *
 * A state is alive from when it is first reached until its turn. A state whose predecessors all had their turn is ready; its turn takes one state
 * away and adds those successors that nobody reached before: its news. A turn with at most one piece of news is always right: taking it earlier than
 * in some order makes no R_i larger, because news only get fewer with time. So all that matters is which state to take when every ready one
 * has two or more. The greedy methods take the fewest news and differ in what they do with ties; `from the ends` does the same backwards,
 * where a turn adds the state and takes away the successors of which it is the last predecessor left. What one method found serves the next as an
 * order for ties. */
#include "automaton/order.h"

#include "automaton/neighbours.h"
#include "automaton/room.h"

#include <assert.h>

struct orderer {
    const struct dag *dag;
    struct mem *mem;
    struct neighbours graph;
    uint32_t *order;   /* what the method at hand fills in */
    uint32_t *best;    /* the best order so far, and its metric */
    uint32_t metric;
    uint32_t *waiting; /* scratch, per state: neighbours that must have their turn before */
    uint32_t *news;    /* scratch, per state: what its turn would add, or take away */
    uint32_t *last;    /* scratch, per state: exclusive or of the predecessors left */
    uint32_t *rank;    /* scratch, per state: its place among ties ... */
    uint32_t *by_rank; /* ... and back */
    uint32_t *depth;   /* per state: the most steps from the start */
    uint64_t *heap;    /* news << 32 | rank; an entry whose news have changed since is stale */
    uint64_t heap_len, heap_cap;
};

/* ---- plain orders ---- */

static void count_waiting(struct orderer *o)
{
    for (uint32_t s = 0; s < o->graph.states; s++) o->waiting[s] = o->graph.first_before[s + 1] - o->graph.first_before[s];
}

static bool as_numbered(struct orderer *o)
{
    for (uint32_t s = 0; s < o->graph.states; s++) o->order[s] = s;
    return true;
}

static bool breadth_first(struct orderer *o)
{
    uint32_t len = 1;
    count_waiting(o);
    o->order[0] = 0;
    for (uint32_t i = 0; i < len; i++) {
        uint32_t s = o->order[i];
        for (uint32_t e = o->graph.first_after[s]; e < o->graph.first_after[s + 1]; e++)
            if (!--o->waiting[o->graph.after[e]]) o->order[len++] = o->graph.after[e];
    }
    return true;
}

/* States in the order in which a depth-first search leaves them, last first. */
static void search_depth(struct orderer *o, bool backwards)
{
    const struct neighbours *g = &o->graph;
    uint32_t *stack = o->rank, *next = o->waiting, depth = 1, place = g->states;
    memset(next, 0, (size_t)g->states * sizeof *next); /* edges taken so far, + 1 once the state is met */
    stack[0] = 0;
    next[0] = 1;
    while (depth) {
        uint32_t s = stack[depth - 1], count = g->first_after[s + 1] - g->first_after[s], k = next[s] - 1;
        if (k == count) {
            o->order[--place] = s;
            depth--;
            continue;
        }
        next[s]++;
        uint32_t to = g->after[backwards ? g->first_after[s + 1] - 1 - k : g->first_after[s] + k];
        if (next[to]) continue;
        next[to] = 1;
        stack[depth++] = to;
    }
    assert(place == 0);
}

static bool depth_first(struct orderer *o)
{
    search_depth(o, false);
    return true;
}

static bool depth_first_backwards(struct orderer *o)
{
    search_depth(o, true);
    return true;
}

/* Sorts o->order by a number below the count of states; equals stay in their order. */
static void sort_by(struct orderer *o, const uint32_t *key)
{
    uint32_t n = o->graph.states, *from = o->waiting, *sorted = o->rank;
    memset(from, 0, (size_t)n * sizeof *from);
    for (uint32_t s = 0; s < n; s++)
        if (key[s] + 1 < n) from[key[s] + 1]++;
    for (uint32_t k = 1; k < n; k++) from[k] += from[k - 1];
    for (uint32_t i = 0; i < n; i++) sorted[from[key[o->order[i]]]++] = o->order[i];
    memcpy(o->order, sorted, (size_t)n * sizeof *sorted);
}

static bool layers_from_start(struct orderer *o)
{
    breadth_first(o);
    sort_by(o, o->depth);
    return true;
}

static bool layers_to_end(struct orderer *o)
{
    breadth_first(o);
    dag_heights(o->dag, o->news);
    uint32_t top = o->news[0];
    for (uint32_t s = 0; s < o->graph.states; s++) o->news[s] = top - o->news[s];
    sort_by(o, o->news);
    return true;
}

/* ---- greedy orders ---- */

static bool heap_push(struct orderer *o, uint64_t key)
{
    if (!ROOM(o->mem, o->heap, &o->heap_cap, o->heap_len + 1)) return false;
    uint64_t at = o->heap_len++;
    for (; at && o->heap[(at - 1) / 2] > key; at = (at - 1) / 2) o->heap[at] = o->heap[(at - 1) / 2];
    o->heap[at] = key;
    return true;
}

static uint64_t heap_pop(struct orderer *o)
{
    uint64_t top = o->heap[0], moved = o->heap[--o->heap_len], at = 0;
    for (uint64_t child; (child = 2 * at + 1) < o->heap_len; at = child) {
        if (child + 1 < o->heap_len && o->heap[child + 1] < o->heap[child]) child++;
        if (o->heap[child] >= moved) break;
        o->heap[at] = o->heap[child];
    }
    o->heap[at] = moved;
    return top;
}

enum ties { TIES_OLDEST, TIES_NEWEST, TIES_GIVEN };

static void give_rank(struct orderer *o, uint32_t state, uint32_t rank)
{
    o->rank[state] = rank;
    o->by_rank[rank] = state;
}

static bool push_ready(struct orderer *o, uint32_t state)
{
    return heap_push(o, (uint64_t)o->news[state] << 32 | o->rank[state]);
}

/* A state is reached for the first time: it is no news any more. */
static bool reach(struct orderer *o, uint32_t state)
{
    const struct neighbours *g = &o->graph;
    for (uint32_t e = g->first_before[state]; e < g->first_before[state + 1]; e++) {
        uint32_t s = g->before[e];
        o->news[s]--;
        if (!o->waiting[s] && !push_ready(o, s)) return false;
    }
    return true;
}

enum { IS_DONE = 0xFFFFFFFF }; /* as `waiting` */

/* Ranks are given before (TIES_GIVEN), or as states are reached. */
static bool greedy(struct orderer *o, enum ties ties)
{
    const struct neighbours *g = &o->graph;
    uint32_t n = g->states, place = 0, met = 0;
    count_waiting(o);
    for (uint32_t s = 0; s < n; s++) o->news[s] = g->first_after[s + 1] - g->first_after[s], o->last[s] = s != 0;
    if (ties != TIES_GIVEN) give_rank(o, 0, ties == TIES_NEWEST ? n - 1 - met++ : met++);
    o->heap_len = 0;
    if (!push_ready(o, 0)) return false;
    while (o->heap_len) {
        uint64_t top = heap_pop(o);
        uint32_t s = o->by_rank[(uint32_t)top];
        if (o->waiting[s] || o->news[s] != top >> 32) continue;
        o->waiting[s] = IS_DONE;
        o->order[place++] = s;
        for (uint32_t e = g->first_after[s]; e < g->first_after[s + 1]; e++) {
            uint32_t to = g->after[e];
            if (o->last[to]) { /* not reached yet */
                o->last[to] = 0;
                if (ties != TIES_GIVEN) give_rank(o, to, ties == TIES_NEWEST ? n - 1 - met++ : met++);
                if (!reach(o, to)) return false;
            }
            if (!--o->waiting[to] && !push_ready(o, to)) return false;
        }
    }
    assert(place == n);
    return true;
}

static bool greedy_oldest(struct orderer *o)
{
    return greedy(o, TIES_OLDEST);
}

static bool greedy_newest(struct orderer *o)
{
    return greedy(o, TIES_NEWEST);
}

static bool greedy_layers(struct orderer *o)
{
    layers_from_start(o);
    for (uint32_t i = 0; i < o->graph.states; i++) give_rank(o, o->order[i], i);
    return greedy(o, TIES_GIVEN);
}

static bool greedy_again(struct orderer *o)
{
    for (uint32_t i = 0; i < o->graph.states; i++) give_rank(o, o->best[i], i);
    return greedy(o, TIES_GIVEN);
}

/* From the last state to the first. Here `waiting` counts successors, `last` combines the predecessors left of each state, and news are 2^32 - 1 - the
 * successors whose last predecessor the state is: the fewer news the better, as before. */
static bool greedy_ends(struct orderer *o, enum ties ties)
{
    const struct neighbours *g = &o->graph;
    uint32_t n = g->states, place = n, met = 0;
    uint32_t *left = mem_try_alloc(o->mem, (size_t)n * sizeof *left);
    if (!left) return false;
    bool good = true;
    o->heap_len = 0;
    for (uint32_t s = 0; s < n; s++) {
        o->waiting[s] = g->first_after[s + 1] - g->first_after[s];
        o->news[s] = UINT32_MAX;
        o->last[s] = 0;
        left[s] = g->first_before[s + 1] - g->first_before[s];
        for (uint32_t e = g->first_before[s]; e < g->first_before[s + 1]; e++) o->last[s] ^= g->before[e];
    }
    for (uint32_t s = 0; s < n; s++)
        if (left[s] == 1) o->news[o->last[s]]--;
    for (uint32_t s = n; good && s-- > 0;) {
        if (o->waiting[s]) continue;
        if (ties != TIES_GIVEN) give_rank(o, s, ties == TIES_NEWEST ? n - 1 - met++ : met++);
        good = push_ready(o, s);
    }
    while (good && o->heap_len) {
        uint64_t top = heap_pop(o);
        uint32_t s = o->by_rank[(uint32_t)top];
        if (o->waiting[s] || o->news[s] != top >> 32) continue;
        o->waiting[s] = IS_DONE;
        o->order[--place] = s;
        for (uint32_t e = g->first_after[s]; good && e < g->first_after[s + 1]; e++) {
            uint32_t to = g->after[e];
            o->last[to] ^= s;
            if (--left[to] != 1) continue;
            o->news[o->last[to]]--;
            if (!o->waiting[o->last[to]]) good = push_ready(o, o->last[to]);
        }
        for (uint32_t e = g->first_before[s]; good && e < g->first_before[s + 1]; e++) {
            uint32_t from = g->before[e];
            if (--o->waiting[from]) continue;
            if (ties != TIES_GIVEN) give_rank(o, from, ties == TIES_NEWEST ? n - 1 - met++ : met++);
            good = push_ready(o, from);
        }
    }
    assert(!good || place == 0);
    mem_free(o->mem, left);
    return good;
}

static bool ends_oldest(struct orderer *o)
{
    return greedy_ends(o, TIES_OLDEST);
}

static bool ends_newest(struct orderer *o)
{
    return greedy_ends(o, TIES_NEWEST);
}

static bool ends_again(struct orderer *o)
{
    for (uint32_t i = 0; i < o->graph.states; i++) give_rank(o, o->best[i], o->graph.states - 1 - i);
    return greedy_ends(o, TIES_GIVEN);
}

/* ---- the table ---- */

enum { ANY_SIZE = 0 };

static const struct {
    const char *name;
    bool (*run)(struct orderer *); /* fills in o->order; false: refused */
    uint32_t most_edges;
} methods[ORDER_METHODS] = {
    {"as built", as_numbered, ANY_SIZE},
    {"breadth first", breadth_first, ANY_SIZE},
    {"depth first", depth_first, ANY_SIZE},
    {"depth first, last edge first", depth_first_backwards, ANY_SIZE},
    {"layers by distance from the start", layers_from_start, ANY_SIZE},
    {"layers by distance to the end", layers_to_end, ANY_SIZE},
    {"fewest news, oldest first", greedy_oldest, ANY_SIZE},
    {"fewest news, newest first", greedy_newest, ANY_SIZE},
    {"fewest news, by layers", greedy_layers, ANY_SIZE},
    {"from the ends, oldest first", ends_oldest, ANY_SIZE},
    {"from the ends, newest first", ends_newest, ANY_SIZE},
    {"fewest news, in the best order", greedy_again, ANY_SIZE},
    {"from the ends, in the best order", ends_again, ANY_SIZE},
    {"fewest news, in the best order again", greedy_again, ANY_SIZE},
};

static uint32_t measure(const struct dag *dag, const uint32_t *order, uint8_t *is_reached)
{
    uint32_t alive = 0, most = 0;
    memset(is_reached, 0, dag->states);
    for (uint32_t i = 0; i < dag->states; i++) {
        uint32_t s = order ? order[i] : i;
        if (is_reached[s]) alive--;
        for (uint32_t e = dag->first_edge[s]; e < dag->first_edge[s + 1]; e++) {
            uint8_t *reached = &is_reached[dag->edge_to[e]];
            alive += !*reached;
            *reached = 1;
        }
        if (alive > most) most = alive;
    }
    return most + 1;
}

bool order_metric(const struct dag *dag, const uint32_t *order, uint32_t *metric)
{
    uint8_t *is_reached = mem_try_alloc(dag->mem, dag->states);
    if (!is_reached) return false;
    *metric = measure(dag, order, is_reached);
    mem_free(dag->mem, is_reached);
    return true;
}

bool order_is_topological(const struct dag *dag, const uint32_t *order, bool *answer)
{
    uint32_t *place = mem_try_alloc(dag->mem, (size_t)dag->states * sizeof *place); /* 0: nowhere */
    if (!place) return false;
    *answer = true;
    for (uint32_t i = 0; i < dag->states && *answer; i++) {
        *answer = order[i] < dag->states && !place[order[i]];
        if (*answer) place[order[i]] = i + 1;
    }
    for (uint32_t s = 0; s < dag->states && *answer; s++)
        for (uint32_t e = dag->first_edge[s]; e < dag->first_edge[s + 1]; e++) *answer &= place[s] < place[dag->edge_to[e]];
    mem_free(dag->mem, place);
    return true;
}

static bool orderer_init(struct orderer *o, const struct dag *dag)
{
    *o = (struct orderer){.dag = dag, .mem = dag->mem};
    uint32_t **arrays[] = {&o->order, &o->best, &o->waiting, &o->news, &o->last, &o->rank, &o->by_rank, &o->depth};
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!(*arrays[i] = mem_try_alloc(o->mem, (size_t)dag->states * sizeof **arrays[i]))) return false;
    dag_depths(dag, o->depth);
    return neighbours_init(&o->graph, dag);
}

static void orderer_release(struct orderer *o)
{
    uint32_t *arrays[] = {o->order, o->best, o->waiting, o->news, o->last, o->rank, o->by_rank, o->depth};
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(o->mem, arrays[i]);
    mem_free(o->mem, o->heap);
    if (o->graph.mem) neighbours_release(&o->graph);
}

static bool try_method(struct orderer *o, struct order_table *table, uint32_t method)
{
    struct order_row *row = &table->rows[method];
    *row = (struct order_row){methods[method].name, 0};
    if (methods[method].most_edges != ANY_SIZE && o->dag->edges > methods[method].most_edges) return true;
    if (!methods[method].run(o)) return false;
    row->metric = measure(o->dag, o->order, (uint8_t *)o->waiting);
    if (method && row->metric >= o->metric) return true;
    uint32_t *better = o->order;
    o->order = o->best;
    o->best = better;
    o->metric = row->metric;
    table->best = method;
    return true;
}

enum dag_status order_best(const struct dag *dag, struct order_table *table, uint32_t **order)
{
    struct orderer o;
    bool good = orderer_init(&o, dag);
    *order = NULL;
    *table = (struct order_table){.best = 0};
    for (uint32_t method = 0; good && method < ORDER_METHODS; method++) good = try_method(&o, table, method);
    if (good) {
        *order = o.best;
        o.best = NULL;
    }
    orderer_release(&o);
    return good ? DAG_DONE : DAG_REFUSED;
}
