/* Numbers of words are sums over edges, from the ends back. Each state gets just the room that its
 * number needs: a first pass computes the numbers in floating point. There are fewer than 2^32
 * additions, each with a relative error of at most 2^-52, so the exact number is less than twice
 * the rounded one. */
#include "automaton/activity/paths.h"

#include <assert.h>

struct rounded {
    double part; /* 1 <= part < 2 */
    int64_t exponent;
};

static struct rounded rounded_add(struct rounded a, struct rounded b)
{
    if (a.exponent < b.exponent) {
        struct rounded swap = a;
        a = b;
        b = swap;
    }
    for (int64_t k = a.exponent - b.exponent; k > 0 && b.part > 0; k -= 32)
        b.part /= k >= 32 ? 4294967296.0 : (double)(UINT64_C(1) << k);
    a.part += b.part;
    if (a.part >= 2) {
        a.part /= 2;
        a.exponent++;
    }
    return a;
}

/* Fills in paths->first. */
static bool plan_room(struct paths *paths)
{
    const struct dag *dag = paths->dag;
    struct rounded *rounded = mem_try_alloc(dag->mem, (size_t)dag->states * sizeof *rounded);
    if (!rounded) return false;
    for (uint32_t s = dag->states; s-- > 0;) {
        bool some = dag_is_final(dag, s);
        struct rounded sum = {1, 0};
        for (uint32_t e = dag->first_edge[s]; e < dag->first_edge[s + 1]; e++) {
            struct rounded below = rounded[dag->edge_to[e]];
            sum = some ? rounded_add(sum, below) : below;
            some = true;
        }
        rounded[s] = sum;
    }
    for (uint32_t s = 0; s < dag->states; s++)
        paths->first[s + 1] = paths->first[s] + (uint64_t)(rounded[s].exponent + 2) / 64 + 1;
    mem_free(dag->mem, rounded);
    return true;
}

struct natural paths_from(const struct paths *paths, uint32_t state)
{
    return (struct natural){paths->words + paths->first[state],
                            (uint32_t)(paths->first[state + 1] - paths->first[state])};
}

/* False: there is enough, in the middle of it. */
static bool sum_up(struct paths *paths)
{
    const struct dag *dag = paths->dag;
    for (uint32_t s = dag->states; s-- > 0;) {
        if (mem_enough(dag->mem)) return false;
        struct natural here = paths_from(paths, s);
        here.words[0] = dag_is_final(dag, s);
        for (uint32_t e = dag->first_edge[s]; e < dag->first_edge[s + 1]; e++) {
            struct natural below = paths_from(paths, dag->edge_to[e]);
            assert(below.len <= here.len); /* the room that was planned is enough */
            natural_add_short(here.words, here.len, below.words, below.len);
        }
    }
    return true;
}

bool paths_init(struct paths *paths, const struct dag *dag)
{
    *paths = (struct paths){.dag = dag};
    paths->first = mem_try_alloc(dag->mem, ((size_t)dag->states + 1) * sizeof *paths->first);
    if (paths->first && plan_room(paths))
        paths->words = mem_try_alloc(dag->mem, paths->first[dag->states] * sizeof *paths->words);
    if (paths->words && sum_up(paths)) return true;
    paths_release(paths);
    return false;
}

void paths_release(struct paths *paths)
{
    mem_free(paths->dag->mem, paths->words);
    mem_free(paths->dag->mem, paths->first);
    paths->words = paths->first = NULL;
}

bool paths_count(const struct dag *dag, struct natural *count)
{
    struct paths paths;
    *count = (struct natural){NULL, 0};
    if (!paths_init(&paths, dag)) return false;
    struct natural all = paths_from(&paths, 0);
    bool done = natural_copy(dag->mem, count, &all);
    paths_release(&paths);
    return done;
}

static bool is_zero(const struct natural *number)
{
    uint64_t value;
    return natural_fits(number, &value) && value == 0;
}

bool paths_word(const struct paths *paths, const struct natural *rank, uint32_t *word,
                uint32_t *length)
{
    const struct dag *dag = paths->dag;
    uint64_t one = 1;
    struct natural rest = {NULL, 0}, unit = {&one, 1};
    uint32_t state = 0;
    *length = 0;
    if (!natural_copy(dag->mem, &rest, rank)) return false;
    for (;;) {
        if (dag_is_final(dag, state)) {
            if (is_zero(&rest)) break;
            natural_decrease(&rest, &unit);
        }
        uint32_t e = dag->first_edge[state];
        for (; e < dag->first_edge[state + 1]; e++) {
            struct natural below = paths_from(paths, dag->edge_to[e]);
            if (natural_compare(&rest, &below) < 0) break;
            natural_decrease(&rest, &below);
        }
        assert(e < dag->first_edge[state + 1]); /* else the rank was too large */
        word[(*length)++] = dag->edge_label[e];
        state = dag->edge_to[e];
    }
    natural_free(dag->mem, &rest);
    return true;
}

bool paths_walk_init(struct paths_walk *walk, const struct dag *dag)
{
    *walk = (struct paths_walk){.dag = dag};
    uint32_t *heights = mem_try_alloc(dag->mem, (size_t)dag->states * sizeof *heights);
    if (!heights) return false;
    dag_heights(dag, heights);
    size_t bytes = ((size_t)heights[0] + 1) * sizeof *walk->word;
    mem_free(dag->mem, heights);
    walk->word = mem_try_alloc(dag->mem, bytes);
    walk->edge = mem_try_alloc(dag->mem, bytes);
    if (walk->word && walk->edge) return true;
    paths_walk_release(walk);
    return false;
}

static uint32_t take(struct paths_walk *walk, uint32_t edge)
{
    assert(edge < walk->dag->edges); /* from every state a final one is reached */
    walk->edge[walk->length] = edge;
    walk->word[walk->length++] = walk->dag->edge_label[edge];
    return walk->dag->edge_to[edge];
}

static uint32_t source_of(const struct paths_walk *walk)
{
    return walk->length ? walk->dag->edge_to[walk->edge[walk->length - 1]] : 0;
}

bool paths_next(struct paths_walk *walk)
{
    const struct dag *dag = walk->dag;
    uint32_t state = source_of(walk);
    if (walk->has_started) { /* on to the next edge: below the word if there is one, else beside the
                                last possible label */
        uint32_t next = dag->first_edge[state];
        while (next == dag->first_edge[state + 1]) {
            if (!walk->length) return false;
            next = walk->edge[--walk->length] + 1;
            state = source_of(walk);
        }
        state = take(walk, next);
    }
    walk->has_started = true;
    while (!dag_is_final(dag, state)) state = take(walk, dag->first_edge[state]);
    return true;
}

void paths_walk_release(struct paths_walk *walk)
{
    mem_free(walk->dag->mem, walk->word);
    mem_free(walk->dag->mem, walk->edge);
    walk->word = walk->edge = NULL;
}
