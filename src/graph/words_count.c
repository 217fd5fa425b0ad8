/* Counting words is counting ways through a deterministic automaton: of a state, those to where it
 * may end. States without a way there are left out; when a cycle is left, there are infinitely many
 * words. Otherwise states are taken backwards, each when all that follow it are known.
 *
 * Invariant: (1) the number of a state is final before it is added to those of others. */
#include "graph/words.h"

#include <assert.h>

struct counting {
    const struct dfa *dfa;
    struct mem *mem;
    bool every_state;        /* words may end in every state; else where nothing follows */
    uint32_t *first, *from;  /* edges by target */
    uint32_t *left;          /* per state: edges to states that are not done */
    uint32_t *queue;         /* states that are done */
    struct natural *numbers; /* per state */
};

static bool index_sources(struct counting *counting)
{
    const struct dfa *dfa = counting->dfa;
    uint32_t *first = counting->first =
        mem_try_alloc(counting->mem, (dfa->states + UINT64_C(2)) * sizeof *first);
    counting->from = mem_try_alloc(counting->mem, (dfa->edges + UINT64_C(1)) * sizeof *first);
    if (!first || !counting->from) return false;
    for (uint32_t e = 0; e < dfa->edges; e++) first[dfa->edge_to[e] + 2]++;
    for (uint32_t s = 0; s < dfa->states; s++) first[s + 1] += first[s];
    for (uint32_t s = 0; s < dfa->states; s++)
        for (uint32_t e = dfa->first_edge[s]; e < dfa->first_edge[s + 1]; e++)
            counting->from[first[dfa->edge_to[e] + 1]++] = s;
    return true;
}

static bool may_end(const struct counting *counting, uint32_t state)
{
    return counting->every_state || dfa_is_end(counting->dfa, state);
}

/* left: edges of each state that count. Returns how many states have a way to an end. */
static uint32_t find_useful(struct counting *counting)
{
    const struct dfa *dfa = counting->dfa;
    uint32_t useful = 0;
    bool *seen = mem_try_alloc(counting->mem, dfa->states + UINT64_C(1));
    if (!seen) return UINT32_MAX;
    for (uint32_t s = 0; s < dfa->states; s++)
        if (may_end(counting, s)) {
            seen[s] = true;
            counting->queue[useful++] = s;
        }
    for (uint32_t at = 0; at < useful; at++)
        for (uint32_t i = counting->first[counting->queue[at]];
             i < counting->first[counting->queue[at] + 1]; i++) {
            const uint32_t from = counting->from[i];
            counting->left[from]++;
            if (seen[from]) continue;
            seen[from] = true;
            counting->queue[useful++] = from;
        }
    mem_free(counting->mem, seen);
    return useful;
}

/* All that follow a state are done: its number is that of theirs, and of itself. False: memory was
 * refused. */
static bool add_up(struct counting *counting, uint32_t state)
{
    const struct dfa *dfa = counting->dfa;
    struct natural *number = &counting->numbers[state];
    if (!natural_set(counting->mem, number, may_end(counting, state))) return false;
    for (uint32_t e = dfa->first_edge[state]; e < dfa->first_edge[state + 1]; e++) {
        assert(!counting->left[dfa->edge_to[e]]); /* (1) */
        if (!natural_increase(counting->mem, number, &counting->numbers[dfa->edge_to[e]]))
            return false;
    }
    return true;
}

/* Of `useful` states; *done: those that are on no way into a cycle. */
static bool add_all(struct counting *counting, uint32_t useful, uint32_t *done)
{
    uint32_t ready = 0;
    *done = 0;
    for (uint32_t s = 0; s < counting->dfa->states; s++) {
        if (!natural_set(counting->mem, &counting->numbers[s], 0)) return false;
        if (!counting->left[s] && may_end(counting, s)) counting->queue[ready++] = s;
    }
    for (; *done < ready; ++*done) {
        const uint32_t state = counting->queue[*done];
        if (!add_up(counting, state)) return false;
        for (uint32_t i = counting->first[state]; i < counting->first[state + 1]; i++)
            if (!--counting->left[counting->from[i]]) counting->queue[ready++] = counting->from[i];
    }
    assert(*done <= useful);
    return true;
}

static bool count_ways(struct counting *counting, struct words_count *count)
{
    uint32_t done = 0;
    if (!counting->left || !counting->queue || !counting->numbers || !index_sources(counting))
        return false;
    const uint32_t useful = find_useful(counting);
    if (useful == UINT32_MAX || !add_all(counting, useful, &done)) return false;
    count->is_infinite = done < useful;
    return count->is_infinite || natural_copy(counting->mem, &count->number, counting->numbers);
}

static bool count_words(const struct dfa *dfa, bool every_state, struct words_count *count)
{
    struct counting counting = {.dfa = dfa, .mem = dfa->mem, .every_state = every_state};
    const uint64_t states = dfa->states + UINT64_C(1);
    *count = (struct words_count){0};
    assert(dfa->states);
    counting.left = mem_try_alloc(dfa->mem, states * sizeof *counting.left);
    counting.queue = mem_try_alloc(dfa->mem, states * sizeof *counting.queue);
    counting.numbers = mem_try_alloc(dfa->mem, states * sizeof *counting.numbers);
    const bool good = count_ways(&counting, count);
    for (uint32_t s = 0; counting.numbers && s < dfa->states; s++)
        natural_free(dfa->mem, &counting.numbers[s]);
    mem_free(dfa->mem, counting.first);
    mem_free(dfa->mem, counting.from);
    mem_free(dfa->mem, counting.left);
    mem_free(dfa->mem, counting.queue);
    mem_free(dfa->mem, counting.numbers);
    return good;
}

bool words_count_all(const struct dfa *dfa, struct words_count *count)
{
    return count_words(dfa, true, count);
}

bool words_count_maximal(const struct dfa *dfa, struct words_count *count)
{
    return count_words(dfa, false, count);
}

void words_count_free(const struct dfa *dfa, struct words_count *count)
{
    natural_free(dfa->mem, &count->number);
}

/* ---- listing ---- */

uint64_t words_list(const struct dfa *dfa, struct words_item *list, uint64_t most)
{
    uint64_t count = 0;
    if (most) list[count++] = (struct words_item){UINT32_MAX, UINT32_MAX, 0};
    for (uint64_t at = 0; at < count && count < most; at++) {
        const uint32_t state = list[at].state;
        for (uint32_t e = dfa->first_edge[state]; e < dfa->first_edge[state + 1] && count < most;
             e++)
            list[count++] = (struct words_item){(uint32_t)at, dfa->edge_label[e], dfa->edge_to[e]};
    }
    assert(count <= most);
    return count;
}
