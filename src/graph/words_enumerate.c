/* Words one by one, each with the states that it leads to: the base-line of paper 003, a plain
 * search that records the order with each state. Nothing is shared between words, so it takes as
 * long as there are pairs of a word and a state, and has no end when there are infinitely many.
 *
 * Invariant: (1) words are in the order of their lengths; the first states of each lie one after
 * the other, different ones, after those of all words before. */
#include "graph/words.h"

#include "base/room.h"

#include <assert.h>
#include <stdlib.h>

enum { POLL_WORDS = 64 };

struct enumerating {
    const struct words_graph *graph;
    uint32_t *seen;  /* per state: the last word that led to it, and 1 */
    uint32_t *stack; /* states of the word at hand that are to be looked at */
    uint32_t *firsts;
    uint64_t first_count, first_room;
    uint64_t *ends; /* per word: where its first states end */
    uint64_t end_room;
    uint64_t *moves; /* letter << 32 | state */
    uint64_t move_count, move_room;
    struct words_enumeration *found;
};

static int compare(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;
    return (one > two) - (one < two);
}

static void visit(struct enumerating *all, uint32_t state, uint32_t word, uint32_t *height)
{
    if (all->seen[state] == word + 1) return;
    all->seen[state] = word + 1;
    all->stack[(*height)++] = state;
    all->found->pairs++;
}

/* The letters that follow a word, and where they lead. False: memory was refused. */
static bool follow(struct enumerating *all, uint32_t word)
{
    const struct words_graph *graph = all->graph;
    uint32_t height = 0;
    all->move_count = 0;
    for (uint64_t i = word ? all->ends[word - 1] : 0; i < all->ends[word]; i++)
        visit(all, all->firsts[i], word, &height);
    while (height) {
        const uint32_t state = all->stack[--height];
        for (uint64_t e = graph->first[state]; e < graph->first[state + 1]; e++) {
            if (graph->letter[e] == WORDS_SILENT) {
                visit(all, graph->to[e], word, &height);
                continue;
            }
            if (!ROOM(graph->mem, all->moves, &all->move_room, all->move_count + 1)) return false;
            all->moves[all->move_count++] = (uint64_t)graph->letter[e] << 32 | graph->to[e];
        }
    }
    return true;
}

/* The words that are longer by a letter. */
static bool lengthen(struct enumerating *all)
{
    struct words_enumeration *found = all->found;
    uint64_t *moves = all->moves;
    if (all->move_count) qsort(moves, all->move_count, sizeof *moves, compare);
    if (!ROOM(all->graph->mem, all->firsts, &all->first_room, all->first_count + all->move_count)
        || !ROOM(all->graph->mem, all->ends, &all->end_room, found->words + all->move_count))
        return false;
    for (uint64_t i = 0; i < all->move_count; i++) {
        if (i && moves[i] == moves[i - 1]) continue;
        if (found->words >= UINT32_MAX - 1) return false;
        found->words += !i || moves[i] >> 32 != moves[i - 1] >> 32;
        all->firsts[all->first_count++] = (uint32_t)moves[i];
        all->ends[found->words - 1] = all->first_count; /* (1) */
    }
    found->maximal += !all->move_count;
    return true;
}

static bool begin(struct enumerating *all)
{
    const struct words_graph *graph = all->graph;
    const uint64_t states = graph->states + UINT64_C(1);
    all->seen = mem_try_alloc(graph->mem, states * sizeof *all->seen);
    all->stack = mem_try_alloc(graph->mem, states * sizeof *all->stack);
    if (!all->seen || !all->stack || !ROOM(graph->mem, all->ends, &all->end_room, 1)
        || !ROOM(graph->mem, all->firsts, &all->first_room, graph->initial))
        return false;
    for (uint32_t s = 0; s < graph->initial; s++) all->firsts[all->first_count++] = s;
    all->ends[0] = all->first_count;
    all->found->words = 1;
    return true;
}

enum words_status words_enumerate(const struct words_graph *graph, struct words_enumeration *found)
{
    struct enumerating all = {.graph = graph, .found = found};
    *found = (struct words_enumeration){0};
    enum words_status status = begin(&all) ? WORDS_DONE : WORDS_REFUSED;
    for (uint32_t word = 0; status == WORDS_DONE && word < found->words; word++) {
        if (word % POLL_WORDS == 0 && graph->go_on && !graph->go_on(graph->context))
            status = WORDS_STOPPED;
        else if (!follow(&all, word) || !lengthen(&all)) status = WORDS_REFUSED;
        assert(all.first_count >= found->words || status != WORDS_DONE); /* (1) */
    }
    mem_free(graph->mem, all.seen);
    mem_free(graph->mem, all.stack);
    mem_free(graph->mem, all.firsts);
    mem_free(graph->mem, all.ends);
    mem_free(graph->mem, all.moves);
    return status;
}
