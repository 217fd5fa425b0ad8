#include "automaton/unfold.h"

#include "base/checked.h"
#include "base/room.h"

#include <stdlib.h>

/* ---- without cycles ---- */

/* A topological order of the states; false: there is a cycle. `waiting` is working memory,
 * zeros. */
static bool find_order(const struct dfa *dfa, uint32_t *order, uint32_t *waiting)
{
    uint32_t met = 0;
    for (uint32_t e = 0; e < dfa->edges; e++) waiting[dfa->edge_to[e]]++;
    if (waiting[0]) return false;
    order[met++] = 0;
    for (uint32_t i = 0; i < met; i++)
        for (uint32_t e = dfa->first_edge[order[i]]; e < dfa->first_edge[order[i] + 1]; e++)
            if (!--waiting[dfa->edge_to[e]]) order[met++] = dfa->edge_to[e];
    return met == dfa->states;
}

static void fill_dag(const struct dfa *dfa, struct dag *dag, const uint32_t *order,
                     const uint32_t *number, bool ends_only)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < dfa->states; i++) {
        uint32_t s = order[i];
        dag->first_edge[i] = at;
        if (ends_only ? dfa_is_end(dfa, s) : dfa_is_final(dfa, s)) dag_set_final(dag, i);
        for (uint32_t e = dfa->first_edge[s]; e < dfa->first_edge[s + 1]; e++, at++) {
            dag->edge_label[at] = dfa->edge_label[e];
            dag->edge_to[at] = number[dfa->edge_to[e]];
        }
    }
    dag->first_edge[dfa->states] = at;
}

enum build_status unfold_acyclic(const struct dfa *dfa, struct dag *dag, bool ends_only)
{
    uint32_t *order = mem_try_alloc(dfa->mem, (size_t)dfa->states * sizeof *order);
    uint32_t *number = mem_try_alloc(dfa->mem, (size_t)dfa->states * sizeof *number);
    enum build_status status = order && number ? BUILD_DONE : BUILD_REFUSED;
    *dag = (struct dag){.mem = dfa->mem};
    if (status == BUILD_DONE && !find_order(dfa, order, number)) status = BUILD_TOO_LARGE;
    if (status == BUILD_DONE && !dag_alloc(dag, dfa->mem, dfa->states, dfa->edges))
        status = BUILD_REFUSED;
    if (status == BUILD_DONE) {
        for (uint32_t i = 0; i < dfa->states; i++) number[order[i]] = i;
        fill_dag(dfa, dag, order, number, ends_only);
    }
    mem_free(dfa->mem, order);
    mem_free(dfa->mem, number);
    CHECKED(status != BUILD_DONE || (ends_only ? dag_check(dag) : dag->states == dfa->states));
    return status;
}

/* ---- the dag ---- */

struct levels {
    const struct dfa *dfa;
    uint32_t
        *number; /* per state of the automaton: its number in the next level + 1; 0: not there */
    uint32_t *now, *next;
    uint32_t now_count, next_count;
};

static bool levels_init(struct levels *levels, const struct dfa *dfa)
{
    size_t bytes = (size_t)dfa->states * sizeof(uint32_t);
    *levels = (struct levels){.dfa = dfa, .now_count = 1};
    levels->number = mem_try_alloc(dfa->mem, bytes);
    levels->now = mem_try_alloc(dfa->mem, bytes);
    levels->next = mem_try_alloc(dfa->mem, bytes);
    return levels->number && levels->now && levels->next;
}

static void levels_release(struct levels *levels)
{
    mem_free(levels->dfa->mem, levels->number);
    mem_free(levels->dfa->mem, levels->now);
    mem_free(levels->dfa->mem, levels->next);
}

static int compare_states(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Finds the next level, whose states get numbers from `base` on; returns the edges into it. */
static uint64_t find_next(struct levels *levels, uint32_t base)
{
    const struct dfa *dfa = levels->dfa;
    uint64_t edges = 0;
    levels->next_count = 0;
    for (uint32_t i = 0; i < levels->now_count; i++) {
        uint32_t s = levels->now[i];
        edges += dfa->first_edge[s + 1] - dfa->first_edge[s];
        for (uint32_t e = dfa->first_edge[s]; e < dfa->first_edge[s + 1]; e++) {
            uint32_t to = dfa->edge_to[e];
            if (levels->number[to]) continue;
            levels->number[to] = 1;
            levels->next[levels->next_count++] = to;
        }
    }
    qsort(levels->next, levels->next_count, sizeof *levels->next, compare_states);
    for (uint32_t i = 0; i < levels->next_count; i++)
        levels->number[levels->next[i]] = base + i + 1;
    return edges;
}

static void go_on(struct levels *levels)
{
    uint32_t *swap = levels->now;
    for (uint32_t i = 0; i < levels->next_count; i++) levels->number[levels->next[i]] = 0;
    levels->now = levels->next;
    levels->now_count = levels->next_count;
    levels->next = swap;
}

static enum build_status count_levels(struct levels *levels, uint64_t bound, uint32_t max_states,
                                      uint64_t *states, uint64_t *edges)
{
    *states = 1;
    *edges = 0;
    for (uint64_t depth = 0; depth < bound && levels->now_count; depth++) {
        *edges += find_next(levels, 0);
        go_on(levels);
        *states += levels->now_count;
        if (*states > max_states || *edges > UINT32_MAX - 1) return BUILD_TOO_LARGE;
        if (mem_enough(levels->dfa->mem)) return BUILD_REFUSED;
    }
    return BUILD_DONE;
}

static void fill(struct levels *levels, uint64_t bound, bool ends_only, struct dag *dag,
                 uint32_t *state_of)
{
    const struct dfa *dfa = levels->dfa;
    uint32_t first = 0, at = 0;
    levels->now[0] = 0;
    levels->now_count = 1;
    for (uint64_t depth = 0; levels->now_count; depth++) {
        bool is_last = depth == bound;
        if (!is_last) find_next(levels, first + levels->now_count);
        for (uint32_t i = 0; i < levels->now_count; i++) {
            uint32_t s = levels->now[i], me = first + i;
            dag->first_edge[me] = at;
            if (state_of) state_of[me] = s;
            if (ends_only ? is_last || dfa_is_end(dfa, s) : dfa_is_final(dfa, s))
                dag_set_final(dag, me);
            for (uint32_t e = dfa->first_edge[s]; !is_last && e < dfa->first_edge[s + 1];
                 e++, at++) {
                dag->edge_label[at] = dfa->edge_label[e];
                assert(levels->number[dfa->edge_to[e]]); /* the next level has it */
                dag->edge_to[at] = levels->number[dfa->edge_to[e]] - 1;
            }
        }
        first += levels->now_count;
        if (is_last) break;
        go_on(levels);
    }
    dag->first_edge[dag->states] = at;
    assert(first == dag->states && at == dag->edges);
}

enum build_status unfold(const struct dfa *dfa, uint64_t bound, bool ends_only, uint32_t max_states,
                         struct dag *dag, uint32_t **state_of)
{
    struct levels levels;
    uint64_t states, edges;
    uint32_t *origin = NULL;
    *dag = (struct dag){.mem = dfa->mem};
    if (state_of) *state_of = NULL;
    enum build_status status = levels_init(&levels, dfa) ? BUILD_DONE : BUILD_REFUSED;
    if (status == BUILD_DONE) status = count_levels(&levels, bound, max_states, &states, &edges);
    if (status == BUILD_DONE && !dag_alloc(dag, dfa->mem, (uint32_t)states, (uint32_t)edges))
        status = BUILD_REFUSED;
    if (status == BUILD_DONE && state_of
        && !(origin = mem_try_alloc(dfa->mem, (size_t)states * sizeof *origin)))
        status = BUILD_REFUSED;
    if (status == BUILD_DONE) fill(&levels, bound, ends_only, dag, origin);
    else dag_release(dag);
    if (state_of) *state_of = origin;
    levels_release(&levels);
    CHECKED(status != BUILD_DONE || !ends_only || dag_check(dag));
    return status;
}

/* ---- numbers ---- */

/* Words of 64 bits that hold the number of words of any length up to the bound: each label
 * multiplies it by at most the most edges of a state. */
static uint64_t width_of(const struct dfa *dfa, uint32_t bound)
{
    uint32_t most = 0, bits = 0;
    for (uint32_t s = 0; s < dfa->states; s++)
        if (dfa->first_edge[s + 1] - dfa->first_edge[s] > most)
            most = dfa->first_edge[s + 1] - dfa->first_edge[s];
    while (bits < 32 && most > UINT64_C(1) << bits) bits++;
    return (uint64_t)bits * bound / 64 + 1;
}

static void count_step(const struct dfa *dfa, const uint64_t *now, uint64_t *next, uint32_t width)
{
    for (uint64_t i = 0; i < (uint64_t)dfa->states * width; i++) next[i] = 0;
    for (uint32_t s = 0; s < dfa->states; s++)
        for (uint32_t e = dfa->first_edge[s]; e < dfa->first_edge[s + 1]; e++)
            natural_add(next + (size_t)dfa->edge_to[e] * width, now + (size_t)s * width, width);
}

static bool sum_finals(const struct dfa *dfa, const uint64_t *now, uint32_t width,
                       struct natural *sum)
{
    if (!natural_set(dfa->mem, sum, 0)) return false;
    for (uint32_t s = 0; s < dfa->states; s++) {
        struct natural each = {(uint64_t *)now + (size_t)s * width, width};
        if (dfa_is_final(dfa, s) && !natural_increase(dfa->mem, sum, &each)) return false;
    }
    return true;
}

struct natural *unfold_counts(const struct dfa *dfa, uint32_t bound)
{
    struct mem *mem = dfa->mem;
    uint64_t width = width_of(dfa, bound);
    bool good = width < UINT32_MAX && width * dfa->states < SIZE_MAX / 16;
    struct natural *counts = mem_try_alloc(mem, ((size_t)bound + 1) * sizeof *counts);
    uint64_t *now = good ? mem_try_alloc(mem, (size_t)(width * dfa->states) * sizeof *now) : NULL;
    uint64_t *next = good ? mem_try_alloc(mem, (size_t)(width * dfa->states) * sizeof *next) : NULL;
    good = counts && now && next;
    if (good) now[0] = 1;
    for (uint32_t length = 0; good && length <= bound; length++) {
        good = !mem_enough(mem) && sum_finals(dfa, now, (uint32_t)width, &counts[length]);
        count_step(dfa, now, next, (uint32_t)width);
        uint64_t *swap = now;
        now = next;
        next = swap;
    }
    for (uint32_t length = 0; counts && !good && length <= bound; length++)
        natural_free(mem, &counts[length]);
    mem_free(mem, now);
    mem_free(mem, next);
    if (!good) mem_free(mem, counts);
    return good ? counts : NULL;
}

/* ---- the list ---- */

enum build_status unfold_list(const struct dfa *dfa, uint64_t bound, uint64_t most,
                              struct unfold_words *words)
{
    struct mem *mem = dfa->mem;
    uint64_t from_cap = 0, label_cap = 0, length_cap = 0, state_cap = 0, met = 1;
    uint32_t *state = NULL;
    *words = (struct unfold_words){.mem = mem};
    bool good = ROOM(mem, words->from, &from_cap, 1) && ROOM(mem, words->label, &label_cap, 1)
                && ROOM(mem, words->length, &length_cap, 1) && ROOM(mem, state, &state_cap, 1);
    if (good) words->from[0] = words->label[0] = words->length[0] = state[0] = 0;
    for (uint64_t i = 0; good && i < met && met < most; i++) {
        if (words->length[i] >= bound) break;
        good = !mem_enough(mem);
        for (uint32_t e = dfa->first_edge[state[i]];
             good && e < dfa->first_edge[state[i] + 1] && met < most; e++, met++) {
            good = met < UINT32_MAX && ROOM(mem, words->from, &from_cap, met + 1)
                   && ROOM(mem, words->label, &label_cap, met + 1);
            good = good && ROOM(mem, words->length, &length_cap, met + 1)
                   && ROOM(mem, state, &state_cap, met + 1);
            if (!good) break;
            assert(i < met); /* shorter words come first */
            words->from[met] = (uint32_t)i;
            words->label[met] = dfa->edge_label[e];
            words->length[met] = words->length[i] + 1;
            state[met] = dfa->edge_to[e];
        }
    }
    words->count = met < most ? met : most;
    mem_free(mem, state);
    if (!good) unfold_release(words);
    return good ? BUILD_DONE : BUILD_REFUSED;
}

void unfold_release(struct unfold_words *words)
{
    mem_free(words->mem, words->from);
    mem_free(words->mem, words->label);
    mem_free(words->mem, words->length);
    *words = (struct unfold_words){.mem = words->mem};
}

void unfold_word(const struct unfold_words *words, uint64_t index, uint32_t *labels)
{
    assert(index < words->count);
    for (; index; index = words->from[index])
        labels[words->length[index] - 1] = words->label[index];
}
