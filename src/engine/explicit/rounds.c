/* The states of a round follow each other in the order of their numbers, so a round is a range. Its
 * states are expanded twice, one after the other each time: by steps that are no interactions while
 * the range still grows, then by interactions. Expansions are thus numbered (for the parents of
 * states): before round k there were two for each state before it.
 *
 * Invariants: (1) starts ascend; (2) while the last round is being closed, its end is unknown;
 * while its interactions are taken, the end is the start of one more round, which may stay
 * empty. */
#include "engine/explicit/rounds.h"

static bool push_start(struct search *search, uint64_t start)
{
    struct rounds *rounds = search->rounds;
    if (rounds->count == rounds->cap) {
        uint32_t cap = rounds->cap ? 2 * rounds->cap : 64;
        uint64_t *starts = mem_try_resize(search->model->mem, rounds->starts, cap * sizeof *starts);
        if (!starts) return visit_stop(search, STOP_MEMORY);
        rounds->starts = starts;
        rounds->cap = cap;
    }
    rounds->starts[rounds->count++] = start;
    return true;
}

static bool expand(struct search *search, enum visit_pass pass, uint64_t first, uint64_t last)
{
    search->pass = pass;
    for (uint64_t state = first;; state++) {
        if (state == search->space.store->count && !breadth_flush(search)) return false;
        if (state == (pass == PASS_INTERNAL ? search->space.store->count : last))
            return breadth_flush(search);
        if (!visit_poll(search, search->rounds->count - 1)) return false;
        if (!breadth_expand(search, (uint32_t)state)) return false;
    }
}

/* The last round that has states is the bound. */
static bool run(struct search *search)
{
    const struct store *store = search->space.store;
    for (uint64_t start = 0; start < store->count;) {
        uint64_t last = 0;
        if (!expand(search, PASS_INTERNAL, start, 0)) return false;
        last = store->count;
        if (!push_start(search, last) || !expand(search, PASS_INTERACTIONS, start, last))
            return false;
        start = last;
    }
    return true;
}

static void tell(struct search *search)
{
    struct mem *mem = search->model->mem;
    const struct rounds *rounds = search->rounds;
    struct round_statistics *statistics = mem_alloc(mem, sizeof *statistics);
    statistics->states = mem_alloc(mem, (rounds->count + UINT64_C(1)) * sizeof *statistics->states);
    for (uint32_t i = 0; i < rounds->count; i++) {
        uint64_t end = i + 1 < rounds->count ? rounds->starts[i + 1] : search->space.store->count;
        if (end > rounds->starts[i])
            statistics->states[statistics->count++] = end - rounds->starts[i];
    }
    search->result->rounds = statistics;
}

bool rounds_run(struct search *search)
{
    struct mem *mem = search->model->mem;
    search->result->has_depth = false;
    search->rounds = mem_try_alloc(mem, sizeof *search->rounds);
    if (!search->rounds) return visit_stop(search, STOP_MEMORY);
    bool good = push_start(search, 0) && run(search);
    search->pass = PASS_ALL;
    const struct mem_lift before = mem_lift(mem); /* what is told is small */
    tell(search);
    mem_lower(mem, before);
    return good;
}

void rounds_release(struct search *search)
{
    if (search->rounds) mem_free(search->model->mem, search->rounds->starts);
    mem_free(search->model->mem, search->rounds);
    search->rounds = NULL;
}

uint32_t rounds_state(const struct rounds *rounds, uint64_t expansion)
{
    uint32_t low = 0, high = rounds->count - 1;
    while (low < high) { /* the last round that begins at this expansion or before */
        uint32_t middle = low + (high - low + 1) / 2;
        if (2 * rounds->starts[middle] <= expansion) low = middle;
        else high = middle - 1;
    }
    uint64_t index = expansion - 2 * rounds->starts[low];
    uint64_t size =
        low + 1 < rounds->count ? rounds->starts[low + 1] - rounds->starts[low] : UINT64_MAX;
    return (uint32_t)(rounds->starts[low] + (index < size ? index : index - size));
}
