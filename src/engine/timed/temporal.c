/* LTL on the graph of all pairs of discrete states and zones, each kept once (no inclusion): a run
 * of the model that takes steps for ever visits the same discrete states as a way through this
 * graph, and the other way round (Tripakis, Yovine, Bouajjani 2005; with lower and upper bounds Li
 * 2009). Runs in which infinitely many steps take a finite time count. A stuck valuation repeats
 * for ever; the bounds of zones are then exact for being stuck (timed.c).
 *
 * Evidence is a lasso of pairs. It is dated once around its loop: later rounds exist, but may have
 * other delays, because zones come back, not valuations. */
#include "engine/timed/temporal.h"

#include "engine/timed/zoned.h"
#include "search/breadth.h"
#include "search/formulas.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* ---- the graph ---- */

/* The order is the first thing of the edges but one: it is how they are known. */
static struct temporal_edges *edges_of(const struct search *search)
{
    return (struct temporal_edges *)((char *)search->order
                                     - offsetof(struct temporal_edges, order));
}

static bool grow(struct mem *mem, void **data, uint64_t *room, uint64_t count, size_t size)
{
    if (count < *room) return true;
    uint64_t larger = *room ? *room + *room / 2 : 256;
    void *moved = mem_try_resize(mem, *data, larger * size);
    if (!moved) return false;
    *data = moved;
    *room = larger;
    return true;
}

static bool keep(struct temporal_edges *edges, uint64_t to)
{
    if (!grow(edges->mem, (void **)&edges->to, &edges->to_room, edges->count, sizeof *edges->to))
        return false;
    edges->to[edges->count++] = (uint32_t)to;
    return true;
}

/* The steps of a state have been found. */
static bool end_state(struct temporal_edges *edges)
{
    if (edges->ends_stuck && !keep(edges, edges->states - 1)) return false;
    edges->ends_stuck = false;
    return true;
}

/* The steps of a state begin; all states are expanded, in order, when steps are kept. */
static bool admit(struct search *search, struct worker *worker, struct batch_state *state)
{
    struct temporal_edges *edges = edges_of(search);
    (void)worker;
    if (state->state == SET_NONE) return true;
    assert(state->state == edges->states);
    if (state->state >= UINT32_MAX || !end_state(edges)
        || !grow(edges->mem, (void **)&edges->first, &edges->first_room, state->state + 1,
                 sizeof *edges->first))
        return poll_stop(search, STOP_MEMORY);
    edges->first[edges->states++] = edges->count;
    edges->ends_stuck = state->end == BATCH_DEAD || state->end == BATCH_FINAL;
    return true;
}

static bool log_steps(struct search *search, struct worker *worker, const struct batch_state *state,
                      uint32_t first, uint32_t end)
{
    struct temporal_edges *edges = edges_of(search);
    for (uint32_t i = first; state->state != SET_NONE && i < end; i++)
        if (!keep(edges, worker->batch.steps[i].to)) return poll_stop(search, STOP_MEMORY);
    return breadth_order.log(search, worker, state, first, end);
}

const struct order *temporal_order(struct temporal_edges *edges)
{
    edges->order = breadth_order;
    edges->order.lists_known = true;
    edges->order.admit = admit;
    edges->order.log = log_steps;
    return &edges->order;
}

void temporal_release(struct temporal_edges *edges)
{
    mem_free(edges->mem, edges->first);
    mem_free(edges->mem, edges->to);
}

/* Only successors are needed. */
static void borrow_edges(struct search *search, struct temporal_edges *edges, struct kripke *kripke)
{
    *kripke = (struct kripke){.mem = search->model->mem,
                              .states = search->set->count,
                              .initial = search->result->initial_states,
                              .first_next = edges->first,
                              .next.low = edges->to,
                              .go_on = formulas_go_on,
                              .context = search};
    assert(edges->states == search->set->count);
    edges->first[edges->states] = edges->count;
}

static uint64_t *true_states(void *context, expr atom, bool *failed)
{
    struct search *search = context;
    const struct nodes *nodes = (const struct nodes *)search->set;
    struct program *program = &search->space->program;
    struct mem *mem = search->model->mem;
    uint64_t *words = search->worker->words;
    uint32_t code = program_compile(program, atom);
    uint64_t *discrete = mem_try_alloc(mem, (nodes->discrete.count / 64 + 1) * sizeof *discrete);
    uint64_t *set = mem_try_alloc(mem, (nodes->set.count / 64 + 1) * sizeof *set);
    *failed = false;
    words[search->space->layout.words - 1] = 0;
    for (uint64_t d = 0; discrete && set && !*failed && d < nodes->discrete.count; d++) {
        int64_t value;
        memcpy(words, store_get(&nodes->discrete, d), nodes->discrete.record_bytes);
        *failed = !program_run(program, code, words, &value);
        if (!*failed && value) kripke_put(discrete, d);
    }
    bool good = discrete && set && !*failed;
    for (uint64_t n = 0; good && n < nodes->set.count; n++)
        if (kripke_in(discrete, nodes_discrete_of(nodes, n))) kripke_put(set, n);
    mem_free(mem, discrete);
    if (!good) mem_free(mem, set);
    return good ? set : NULL;
}

/* ---- properties ---- */

static void complete(struct search *search, struct trace *trace, uint64_t last)
{
    struct zoned *zoned = (struct zoned *)search->space;
    if (trace->rules[trace->steps] != MODEL_NONE) {
        zoned_date(zoned, trace, NULL, 0);
        return;
    }
    search->set->kind->load(search->set, last, search->worker->other);
    zoned_date_stuck(zoned, trace, search->worker->other);
}

static bool decides(const struct property_result *entry)
{
    return !entry->in_each_state && entry->kind == PROPERTY_LTL;
}

void temporal_check_all(struct search *search, struct temporal_edges *edges)
{
    struct kripke kripke;
    if (search->result->stop != STOP_NONE || !search->set || !search->set->count) return;
    const bool good = end_state(edges);
    if (good) borrow_edges(search, edges, &kripke);
    formulas_check(search, &(struct formulas_graph){.kripke = good ? &kripke : NULL,
                                                    .decides = decides,
                                                    .atom = true_states,
                                                    .complete = complete});
}
