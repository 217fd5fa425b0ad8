/* Method. The states of the search, with steps that are p-points or silent, are an automaton all of
 * whose states are final; its words are the p-paths. graph/words makes it deterministic, and
 * counts.
 *
 * With time, states are symbolic ones, each kept once, without inclusion: a zone that includes
 * another has the other's words and maybe more, reached by longer ways, so a pair that stands for a
 * smaller one would lend it words that it has not. Zones may be extrapolated: every valuation that
 * is added is simulated by one that is reached, so what a way through the zones spells some run
 * passes; and every run is a way through the zones. (Being stuck is not kept, and not asked.)
 *
 * Invariant: (1) states are expanded in the order of their numbers, all of them, and their edges
 * lie one after the other. */
#include "search/projection.h"

#include "base/room.h"
#include "graph/words.h"
#include "search/breadth.h"
#include "search/points.h"

#include <assert.h>

static struct projection *of(const struct search *search)
{
    return (struct projection *)search->order;
}

/* ---- keeping steps ---- */

static void place(const struct search *search, struct worker *worker, uint32_t first, uint32_t end)
{
    const struct batch *batch = &worker->batch;
    for (uint32_t i = first; i < end; i++) {
        struct batch_step *step = &batch->steps[i];
        if (step->fast) /* not an initial state */
            step->tag = points_of(search->task->points, &search->space->layout, step->fast->rule,
                                  worker->words, batch_words(batch, i));
    }
}

static bool admit(struct search *search, struct worker *worker, struct batch_state *state)
{
    struct projection *projection = of(search);
    (void)worker;
    if (state->state == SET_NONE) return true;
    assert(state->state == projection->states); /* (1) */
    if (state->state >= UINT32_MAX - 1
        || !ROOM(projection->mem, projection->first, &projection->first_room,
                 projection->states + 2))
        return poll_stop(search, STOP_MEMORY);
    projection->first[projection->states++] = projection->edges;
    return true;
}

static bool log_steps(struct search *search, struct worker *worker, const struct batch_state *state,
                      uint32_t first, uint32_t end)
{
    struct projection *projection = of(search);
    const uint64_t edges = state->state == SET_NONE ? 0 : end - first;
    if (!ROOM(projection->mem, projection->to, &projection->to_room, projection->edges + edges)
        || !ROOM(projection->mem, projection->point, &projection->point_room,
                 projection->edges + edges))
        return poll_stop(search, STOP_MEMORY);
    for (uint32_t i = first; i < first + edges; i++) {
        const struct batch_step *step = &worker->batch.steps[i];
        assert(step->to != SET_NONE);
        projection->to[projection->edges] = (uint32_t)step->to;
        projection->point[projection->edges++] =
            step->tag == MODEL_NONE ? WORDS_SILENT : (uint32_t)step->tag;
    }
    return breadth_order.log(search, worker, state, first, end);
}

const struct order *projection_order(struct projection *projection, struct mem *mem)
{
    *projection = (struct projection){.order = breadth_order, .mem = mem};
    projection->order.merges = projection->order.can_forget = false;
    projection->order.can_fold = false;
    projection->order.lists_known = true;
    projection->order.place = place;
    projection->order.admit = admit;
    projection->order.log = log_steps;
    return &projection->order;
}

void projection_release(struct projection *projection)
{
    mem_free(projection->mem, projection->first);
    mem_free(projection->mem, projection->to);
    mem_free(projection->mem, projection->point);
}

/* ---- counting ---- */

static bool go_on(void *context) { return poll_now(context); }

/* What is told of a number; false: memory was refused. */
static bool tell(struct mem *mem, const struct words_count *count, uint64_t *number,
                 const char **digits)
{
    *digits = count->is_infinite                     ? "infinite"
              : natural_fits(&count->number, number) ? NULL
                                                     : natural_digits(mem, &count->number);
    return count->is_infinite || *digits || natural_fits(&count->number, number);
}

static bool tell_counts(const struct dfa *dfa, struct order_counts *counts)
{
    struct words_count all = {0}, maximal = {0};
    bool good = words_count_all(dfa, &all) && words_count_maximal(dfa, &maximal);
    good = good && tell(dfa->mem, &all, &counts->all, &counts->all_digits)
           && tell(dfa->mem, &maximal, &counts->maximal, &counts->maximal_digits);
    words_count_free(dfa, &all);
    words_count_free(dfa, &maximal);
    counts->is_known = good;
    return good;
}

static bool tell_words(const struct dfa *dfa, uint64_t most, struct order_counts *counts)
{
    if (!counts->all_digits && most > counts->all) most = counts->all;
    if (most > UINT32_MAX - 1) most = UINT32_MAX - 1;
    if (!most) return true;
    struct words_item *list = mem_try_alloc(dfa->mem, most * sizeof *list);
    counts->list = mem_try_alloc(dfa->mem, most * sizeof *counts->list);
    if (list && counts->list) counts->list_count = (uint32_t)words_list(dfa, list, most);
    for (uint32_t i = 0; i < counts->list_count; i++)
        counts->list[i] = (struct execution_order){i ? list[i].parent : MODEL_NONE,
                                                   i ? list[i].letter : MODEL_NONE,
                                                   dfa_is_end(dfa, list[i].state)};
    mem_free(dfa->mem, list);
    return counts->list_count != 0;
}

/* All that was asked for about the words of the graph. False: a limit was reached. */
static bool count_words(const struct task *task, const struct words_graph *graph,
                        struct order_statistics *orders)
{
    struct dfa dfa;
    if (words_automaton(graph, &dfa) != WORDS_DONE) return false;
    orders->states = dfa.states;
    const bool good = tell_counts(&dfa, &orders->counts)
                      && tell_words(&dfa, task->listed_orders, &orders->counts);
    dfa_release(&dfa);
    return good;
}

static bool enumerate(const struct words_graph *graph, struct order_statistics *orders)
{
    struct words_enumeration found;
    const bool good = words_enumerate(graph, &found) == WORDS_DONE;
    orders->pairs = found.pairs;
    orders->counts.is_known = good;
    if (good) orders->counts.all = found.words;
    if (good) orders->counts.maximal = found.maximal;
    return good;
}

static void count_orders(struct search *search, const struct words_graph *graph)
{
    struct order_statistics *orders = search->result->orders;
    const bool good = search->task->enumerates_orders ? enumerate(graph, orders)
                                                      : count_words(search->task, graph, orders);
    /* memory is refused when time is up, too */
    if (!good && search->result->stop == STOP_NONE)
        poll_stop(search, mem_enough(search->model->mem) ? result_why_refused() : STOP_MEMORY);
}

void projection_count(struct search *search, struct projection *projection)
{
    struct result *result = search->result;
    struct order_statistics *orders = result->orders =
        mem_alloc(search->model->mem, sizeof *orders);
    orders->points = search->task->points;
    orders->chosen = search->task->points_chosen;
    if (result->stop != STOP_NONE || !search->set) return;
    if (!result->initial_states) { /* no run, not even the empty one */
        orders->counts.is_known = true;
        return;
    }
    assert(projection->states == search->set->count); /* (1) */
    search->poll.phase = "the execution orders";
    projection->first[projection->states] = projection->edges;
    const struct words_graph graph = {.mem = search->model->mem,
                                      .states = (uint32_t)projection->states,
                                      .initial = (uint32_t)result->initial_states,
                                      .first = projection->first,
                                      .to = projection->to,
                                      .letter = projection->point,
                                      .go_on = go_on,
                                      .context = search};
    count_orders(search, &graph);
}
