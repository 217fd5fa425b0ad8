/* Round k has the states that k interactions with a guide lead to and no fewer do. Every round is
 * first closed under the other steps, then the interactions of its states lead to the next one.
 * When a round adds no state, no later one does: the guide, unrolled to that bound, already leads
 * to all states of its full composition with the model. So the last round that has a state is the
 * least bound that is complete, and this search is the proof: states, with the guide's state in
 * them, are stored and compared in full. (Of zones: every reachable valuation lies in a zone of an
 * earlier round then.)
 *
 * The papers leave this open ("currently we investigate the possibility to automatically compute
 * the minimal bound", Partially Bounded Context-Aware Verification, section 3.5). Nothing is
 * unrolled here: a state that was reached in an earlier round is not visited again, while unrolled
 * to a bound it would be, once for each number of interactions.
 *
 * The states of a round follow each other in the order of their numbers, so a round is a range. Its
 * states are expanded twice, one after the other each time: by steps that are no interactions while
 * the range still grows, then by interactions. Expansions are thus numbered, for the log of
 * parents: before round k there were two for each state before it.
 *
 * Invariants: (1) starts ascend; (2) while the last round is being closed, its end is unknown;
 * while its interactions are taken, the end is the start of one more round, which may stay empty.
 */
#include "search/interactions.h"

#include "search/levels.h"
#include "search/parents.h"
#include "search/path.h"

#include <assert.h>

struct interactions {
    struct parents parents;
    uint64_t begun;       /* expansions that the log knows of */
    struct levels starts; /* the first state of each round */
    bool is_closed;       /* the round at hand: its interactions are being taken */
    bool *guided, *other; /* rules to leave out: in the first pass, in the second one */
};

static bool begin(struct search *search)
{
    struct mem *mem = search->model->mem;
    const uint32_t rules = search->model->rules.len;
    struct interactions *own = search->own = mem_alloc(mem, sizeof *own);
    parents_init(&own->parents, mem);
    own->guided = mem_alloc(mem, rules + UINT64_C(1));
    own->other = mem_alloc(mem, rules + UINT64_C(1));
    for (uint32_t r = 0; r < rules; r++) {
        own->guided[r] = search->model->rules.data[r].is_guided;
        own->other[r] = !own->guided[r];
    }
    search->set = search->space->kind->sets->make(search->space);
    return search->set != NULL;
}

static uint64_t expansion_of(const struct interactions *own, uint64_t state)
{
    const struct levels *starts = &own->starts;
    const uint64_t start = starts->list[starts->count - 1 - own->is_closed],
                   end = own->is_closed ? starts->list[starts->count - 1] : start;
    return start + end + state - start;
}

static bool log_steps(struct search *search, struct worker *worker, const struct batch_state *state,
                      uint32_t first, uint32_t end)
{
    struct interactions *own = search->own;
    const uint64_t until = state->state == SET_NONE ? 0 : expansion_of(own, state->state) + 1;
    bool good = true;
    (void)first, (void)end;
    for (; good && own->begun < until; own->begun += good) good = parents_expand(&own->parents);
    for (uint32_t i = 0; good && i < worker->batch.fresh_count; i++)
        good = parents_found(&own->parents);
    return good || poll_stop(search, STOP_MEMORY);
}

/* Closes the round under steps that are no interactions. */
static bool close_round(struct search *search, uint64_t start)
{
    const struct interactions *own = search->own;
    struct set *set = search->set;
    search->space->leave_out = own->guided;
    search->is_first_pass = true;
    search->is_last_pass = false;
    set->next_level = start;
    return search_expand(search, &start, SET_NONE);
}

static bool take_interactions(struct search *search, uint64_t start, uint64_t last)
{
    struct interactions *own = search->own;
    own->is_closed = true;
    search->space->leave_out = own->other;
    search->space->is_again = true;
    search->is_first_pass = false;
    search->is_last_pass = true;
    search->set->next_level = last;
    bool good = search_expand(search, &start, last);
    own->is_closed = search->space->is_again = false;
    return good;
}

static bool run_rounds(struct search *search)
{
    struct interactions *own = search->own;
    const struct set *set = search->set;
    if (!search_add_initial(search) || !levels_push(search, &own->starts, 0)) return false;
    for (uint64_t start = 0; start < set->count;) {
        if (!close_round(search, start)) return false;
        const uint64_t last = set->count;
        assert(last > start && own->parents.zeros == last);
        if (!levels_push(search, &own->starts, last) || !take_interactions(search, start, last))
            return false;
        assert(own->starts.list[own->starts.count - 2] == start); /* (1) */
        start = last;
    }
    return true;
}

static bool run(struct search *search)
{
    bool good = run_rounds(search);
    search->space->leave_out = NULL;
    search->is_first_pass = search->is_last_pass = true;
    return good;
}

/* Which state expansion number `expansion` was of. */
static uint64_t state_of(const struct levels *starts, uint64_t expansion)
{
    uint32_t low = 0, high = starts->count - 1;
    while (low < high) { /* the last round that begins at this expansion or before */
        uint32_t middle = low + (high - low + 1) / 2;
        if (2 * starts->list[middle] <= expansion) low = middle;
        else high = middle - 1;
    }
    const uint64_t start = starts->list[low], index = expansion - 2 * start,
                   size = low + 1 < starts->count ? starts->list[low + 1] - start : UINT64_MAX;
    return start + (index < size ? index : index - size);
}

static void violated(struct search *search, uint32_t property, struct set *set, uint64_t state,
                     uint32_t failed_rule)
{
    const struct interactions *own = search->own;
    struct path path = {.last_choice = own->guided}; /* as many interactions as its round says */
    for (;;) {
        vec_push(search->model->mem, &path.states, state);
        uint64_t expansion = parents_of(&own->parents, state);
        if (expansion == PARENTS_NONE) break;
        state = state_of(&own->starts, expansion);
    }
    path_reverse(&path);
    set->kind->load(set, path.states.data[path.states.len - 1], search->worker->other);
    path_show(search, property, path_trace(search, &path), failed_rule, search->worker->other);
}

static void conclude(struct search *search)
{
    struct mem *mem = search->model->mem;
    const struct levels *starts = &((const struct interactions *)search->own)->starts;
    struct round_statistics *rounds = mem_alloc(mem, sizeof *rounds);
    rounds->states = mem_alloc(mem, (starts->count + UINT64_C(1)) * sizeof *rounds->states);
    for (uint32_t i = 0; i < starts->count; i++) {
        uint64_t end = i + 1 < starts->count ? starts->list[i + 1] : search->set->count;
        if (end > starts->list[i]) rounds->states[rounds->count++] = end - starts->list[i];
    }
    search->result->rounds = rounds;
}

static void end(struct search *search)
{
    struct interactions *own = search->own;
    struct mem *mem = search->model->mem;
    if (search->set) search->set->kind->free(search->set);
    parents_release(&own->parents);
    mem_free(mem, own->starts.list);
    mem_free(mem, own->guided);
    mem_free(mem, own->other);
    mem_free(mem, own);
}

static void show(const struct search *search, struct search_progress *progress)
{
    progress->depth = ((const struct interactions *)search->own)->starts.count - 1;
}

const struct order interactions_order = {.name = "interactions",
                                         .begin = begin,
                                         .run = run,
                                         .conclude = conclude,
                                         .end = end,
                                         .log = log_steps,
                                         .violated = violated,
                                         .states = search_kept,
                                         .show = show};
