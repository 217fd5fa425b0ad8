/* Search by interactions with a guide, as in search/interactions.c: round k has the pairs that k
 * interactions lead to. A round is closed under other steps, then its interactions lead to the next
 * one. When one adds no pair, every reachable valuation lies in a zone of an earlier round, and
 * none of them leads to more.
 *
 * By inclusion, a pair that a larger one of its own round covers need not be expanded; one that a
 * pair of the next round covers must: what follows from it would else be found a round too late. */
#include "engine/timed/search.h"

static bool expand(struct search *search, enum search_pass pass, uint64_t first, uint64_t last)
{
    struct nodes *nodes = &search->cluster->nodes;
    search->pass = pass;
    nodes->next_level = pass == PASS_INTERNAL ? first : last;
    for (uint64_t node = first; node < (pass == PASS_INTERNAL ? nodes->count : last); node++) {
        if (nodes_is_given_up(nodes, (uint32_t)node)) continue;
        if (!zsearch_poll(search) || !zsearch_expand(search, (uint32_t)node)) return false;
        search->result->expanded += pass == PASS_INTERACTIONS;
    }
    return true;
}

static bool note_round(struct search *search, struct round_statistics *rounds, uint32_t *cap)
{
    if (rounds->count == *cap) {
        uint32_t bigger = *cap ? 2 * *cap : 64;
        uint64_t *states =
            mem_try_resize(search->model->mem, rounds->states, bigger * sizeof *states);
        if (!states) return zsearch_stop(search, STOP_MEMORY);
        rounds->states = states;
        *cap = bigger;
    }
    rounds->states[rounds->count++] = 0;
    return true;
}

bool interactions_run(struct search *search)
{
    struct nodes *nodes = &search->cluster->nodes;
    struct round_statistics *rounds = mem_try_alloc(search->model->mem, sizeof *rounds);
    uint32_t cap = 0;
    bool good = true;
    if (!rounds) return zsearch_stop(search, STOP_MEMORY);
    search->result->rounds = rounds;
    for (uint64_t first = 0; good && first < nodes->count;) {
        search->result->depth = rounds->count;
        good = note_round(search, rounds, &cap) && expand(search, PASS_INTERNAL, first, 0);
        uint64_t last = nodes->count;
        good = good && expand(search, PASS_INTERACTIONS, first, last);
        if (rounds->count) rounds->states[rounds->count - 1] = last - first;
        first = last;
    }
    search->pass = PASS_ALL;
    return good;
}
