#include "automaton/buchi/automaton.h"

#include "base/checked.h"

#include <string.h>

void automaton_init(struct automaton *automaton, struct mem *mem)
{
    memset(automaton, 0, sizeof *automaton);
    automaton->mem = mem;
}

void automaton_release(struct automaton *automaton)
{
    vec_free(automaton->mem, &automaton->states);
    vec_free(automaton->mem, &automaton->edges);
}

bool automaton_check(const struct automaton *automaton)
{
    uint32_t at = 0;
    if (automaton->acceptance > AUTOMATON_MAX_ACCEPTANCE
        || automaton->initial >= automaton->states.len)
        return false; /* (5) */
    for (uint32_t s = 0; s < automaton->states.len; s++) {
        if (automaton->states.data[s].first != at) return false; /* (1) */
        at += automaton->states.data[s].edges;
    }
    if (at != automaton->edges.len) return false;
    for (uint32_t e = 0; e < automaton->edges.len; e++) {
        const struct automaton_edge *edge = &automaton->edges.data[e];
        if (edge->target >= automaton->states.len || edge->positive & edge->negative
            || edge->marks & ~automaton_all_marks(automaton))
            return false; /* (2), (3), (4) */
    }
    return true;
}

/* ---- building ---- */

uint32_t automaton_add_state(struct automaton *automaton)
{
    vec_push(automaton->mem, &automaton->states,
             ((struct automaton_state){automaton->edges.len, 0}));
    return automaton->states.len - 1;
}

/* x & c and !x & c, for the same target: their union c. */
static bool unite_cubes(const struct automaton_edge *a, struct automaton_edge *b)
{
    uint64_t sign = a->positive ^ b->positive;
    if (a->target != b->target || a->marks != b->marks || !sign || sign & (sign - 1)) return false;
    if ((a->negative ^ b->negative) != sign
        || (a->positive | a->negative) != (b->positive | b->negative))
        return false;
    b->positive &= ~sign;
    b->negative &= ~sign;
    return true;
}

void automaton_add_edge(struct automaton *automaton, struct automaton_edge edge)
{
    enum {
        COMPARED = 2048
    }; /* a state with more edges comes from a strange file: it may keep superfluous ones, but shall
          not cost their square */
    assert(automaton->states.len && !(edge.positive & edge.negative)); /* the contract; (3) */
    struct automaton_state *state = &automaton->states.data[automaton->states.len - 1];
    assert(state->first + state->edges == automaton->edges.len); /* (1) */
    for (uint32_t i = 0; i < state->edges && i < COMPARED;) {
        struct automaton_edge *other = &automaton->edges.data[state->first + i];
        bool alike = other->target == edge.target;
        if (alike && automaton_covers(other, &edge) && !(edge.marks & ~other->marks)) return;
        bool united = unite_cubes(other, &edge);
        if (united || (alike && automaton_covers(&edge, other) && !(other->marks & ~edge.marks))) {
            memmove(other, other + 1, (state->edges - i - 1) * sizeof *other);
            state->edges--;
            automaton->edges.len--;
            if (united) i = 0; /* it is larger now: look again */
            continue;
        }
        i++;
    }
    vec_push(automaton->mem, &automaton->edges, edge);
    automaton->states.data[automaton->states.len - 1].edges++;
}

/* ---- components ---- */

struct tarjan {
    const struct automaton *automaton;
    uint32_t *order, *low, *next_edge, *members, *path;
    uint32_t clock, member_count, path_len;
};

static void enter(struct tarjan *t, uint32_t s)
{
    t->order[s] = t->low[s] = ++t->clock;
    t->members[t->member_count++] = s;
    t->path[t->path_len++] = s;
}

static void close_component(struct tarjan *t, struct automaton_components *components,
                            uint32_t root)
{
    uint32_t s;
    do {
        s = t->members[--t->member_count];
        components->of[s] = components->count;
    } while (s != root);
    components->count++;
}

/* Tarjan's algorithm without recursion. */
static void visit(struct tarjan *t, struct automaton_components *components)
{
    while (t->path_len) {
        uint32_t s = t->path[t->path_len - 1];
        const struct automaton_state *state = &t->automaton->states.data[s];
        if (t->next_edge[s] < state->edges) {
            uint32_t to = t->automaton->edges.data[state->first + t->next_edge[s]++].target;
            if (!t->order[to]) enter(t, to);
            else if (components->of[to] == AUTOMATON_NONE && t->order[to] < t->low[s])
                t->low[s] = t->order[to];
            continue;
        }
        t->path_len--;
        if (t->path_len && t->low[s] < t->low[t->path[t->path_len - 1]])
            t->low[t->path[t->path_len - 1]] = t->low[s];
        if (t->low[s] == t->order[s]) close_component(t, components, s);
    }
}

static void find_accepting(const struct automaton *automaton,
                           struct automaton_components *components)
{
    uint64_t *met = mem_alloc(automaton->mem, (components->count + 1) * sizeof *met);
    bool *cycle = mem_alloc(automaton->mem, components->count + 1);
    for (uint32_t s = 0; s < automaton->states.len; s++) {
        const struct automaton_state *state = &automaton->states.data[s];
        uint32_t c = components->of[s];
        for (uint32_t e = state->first; c != AUTOMATON_NONE && e < state->first + state->edges;
             e++) {
            if (components->of[automaton->edges.data[e].target] != c) continue;
            cycle[c] = true;
            met[c] |= automaton->edges.data[e].marks;
        }
    }
    for (uint32_t c = 0; c < components->count; c++)
        components->accepting[c] = cycle[c] && met[c] == automaton_all_marks(automaton);
    mem_free(automaton->mem, met);
    mem_free(automaton->mem, cycle);
}

/* For checks: edges never lead to a larger number (the contract). */
static bool descends(const struct automaton *automaton,
                     const struct automaton_components *components)
{
    for (uint32_t s = 0; s < automaton->states.len; s++) {
        const struct automaton_state *state = &automaton->states.data[s];
        if (components->of[s] == AUTOMATON_NONE) continue;
        for (uint32_t e = state->first; e < state->first + state->edges; e++)
            if (components->of[automaton->edges.data[e].target] > components->of[s]) return false;
    }
    return true;
}

void automaton_find_components(const struct automaton *automaton,
                               struct automaton_components *components)
{
    struct mem *mem = automaton->mem;
    uint32_t n = automaton->states.len;
    uint32_t *space = mem_alloc(mem, (size_t)n * 5 * sizeof *space);
    struct tarjan t = {automaton,
                       space,
                       space + n,
                       space + 2 * (size_t)n,
                       space + 3 * (size_t)n,
                       space + 4 * (size_t)n,
                       0,
                       0,
                       0};
    components->count = 0;
    components->of = mem_alloc(mem, n * sizeof *components->of);
    memset(components->of, 0xFF, n * sizeof *components->of);
    enter(&t, automaton->initial);
    visit(&t, components);
    assert(!t.member_count); /* whatever was met is in a component */
    CHECKED(descends(automaton, components));
    components->accepting = mem_alloc(mem, components->count + 1);
    find_accepting(automaton, components);
    mem_free(mem, space);
}

void automaton_free_components(const struct automaton *automaton,
                               struct automaton_components *components)
{
    mem_free(automaton->mem, components->of);
    mem_free(automaton->mem, components->accepting);
}

/* ---- what means nothing ---- */

static bool leads_to_good(const struct automaton *automaton,
                          const struct automaton_components *components, uint32_t s,
                          const bool *good)
{
    const struct automaton_state *state = &automaton->states.data[s];
    for (uint32_t e = state->first; e < state->first + state->edges; e++)
        if (good[components->of[automaton->edges.data[e].target]]) return true;
    return false;
}

/* Per state: it is reached, and an accepting component is reached from it. Edges never lead to a
 * component with a larger number, so one pass over the states, sorted by component, is enough. */
static bool *find_useful(const struct automaton *automaton,
                         const struct automaton_components *components)
{
    struct mem *mem = automaton->mem;
    uint32_t n = automaton->states.len,
             *first = mem_alloc(mem, (components->count + 2) * sizeof *first),
             *sorted = mem_alloc(mem, n * sizeof *sorted);
    bool *good = mem_alloc(mem, components->count + 1), *useful = mem_alloc(mem, n);
    memcpy(good, components->accepting, components->count);
    for (uint32_t s = 0; s < n; s++)
        if (components->of[s] != AUTOMATON_NONE) first[components->of[s] + 2]++;
    for (uint32_t c = 0; c < components->count; c++) first[c + 1] += first[c];
    for (uint32_t s = 0; s < n; s++)
        if (components->of[s] != AUTOMATON_NONE) sorted[first[components->of[s] + 1]++] = s;
    for (uint32_t i = 0; i < first[components->count]; i++)
        if (leads_to_good(automaton, components, sorted[i], good))
            good[components->of[sorted[i]]] = true;
    for (uint32_t s = 0; s < n; s++)
        useful[s] = components->of[s] != AUTOMATON_NONE && good[components->of[s]];
    mem_free(mem, first);
    mem_free(mem, sorted);
    mem_free(mem, good);
    return useful;
}

static void clear_marks(struct automaton *automaton, const struct automaton_components *components)
{
    for (uint32_t s = 0; s < automaton->states.len; s++) {
        const struct automaton_state *state = &automaton->states.data[s];
        for (uint32_t e = state->first; e < state->first + state->edges; e++) {
            struct automaton_edge *edge = &automaton->edges.data[e];
            uint32_t c = components->of[s];
            if (c == AUTOMATON_NONE || components->of[edge->target] != c
                || !components->accepting[c])
                edge->marks = 0;
        }
    }
}

static void drop_set(struct automaton *automaton, uint32_t k)
{
    uint64_t low = (UINT64_C(1) << k) - 1;
    assert(k < automaton->acceptance); /* (4) */
    for (uint32_t e = 0; e < automaton->edges.len; e++) {
        uint64_t *marks = &automaton->edges.data[e].marks;
        *marks = (*marks & low) | (*marks >> 1 & ~low);
    }
    automaton->acceptance--;
}

/* A set is implied when every edge with a mark of another set has its mark too, or when every edge
 * of accepting components has. The last set stays as long as there are cycles that do not accept:
 * they are told by having no marks. */
static bool is_implied(const struct automaton *automaton,
                       const struct automaton_components *components, uint32_t k)
{
    uint64_t implying = automaton_all_marks(automaton) & ~(UINT64_C(1) << k);
    bool everywhere = true;
    for (uint32_t s = 0; s < automaton->states.len; s++) {
        const struct automaton_state *state = &automaton->states.data[s];
        uint32_t c = components->of[s];
        for (uint32_t e = state->first; c != AUTOMATON_NONE && e < state->first + state->edges;
             e++) {
            const struct automaton_edge *edge = &automaton->edges.data[e];
            if (components->of[edge->target] != c || edge->marks >> k & 1) continue;
            if (components->accepting[c] || automaton->acceptance == 1) everywhere = false;
            implying &= ~edge->marks;
        }
    }
    return everywhere || implying;
}

static void drop_implied_sets(struct automaton *automaton,
                              const struct automaton_components *components)
{
    for (uint32_t k = automaton->acceptance; k-- > 0;)
        if (is_implied(automaton, components, k)) drop_set(automaton, k);
}

/* Keeps the useful states only; the initial one always stays. */
static void keep_states(struct automaton *automaton, const bool *useful)
{
    struct automaton kept;
    automaton_init(&kept, automaton->mem);
    uint32_t *number = mem_alloc(automaton->mem, automaton->states.len * sizeof *number), count = 0;
    for (uint32_t s = 0; s < automaton->states.len; s++)
        number[s] = useful[s] || s == automaton->initial ? count++ : AUTOMATON_NONE;
    for (uint32_t s = 0; s < automaton->states.len; s++) {
        const struct automaton_state *state = &automaton->states.data[s];
        if (number[s] == AUTOMATON_NONE) continue;
        automaton_add_state(&kept);
        for (uint32_t e = state->first; e < state->first + state->edges; e++) {
            struct automaton_edge edge = automaton->edges.data[e];
            if (!useful[edge.target]) continue;
            edge.target = number[edge.target];
            assert(edge.target < count); /* (2) */
            automaton_add_edge(&kept, edge);
        }
    }
    kept.initial = number[automaton->initial];
    kept.acceptance = automaton->acceptance;
    mem_free(automaton->mem, number);
    automaton_release(automaton);
    *automaton = kept;
}

void automaton_trim(struct automaton *automaton)
{
    struct automaton_components components;
    automaton_find_components(automaton, &components);
    bool *useful = find_useful(automaton, &components);
    clear_marks(automaton, &components);
    drop_implied_sets(automaton, &components);
    keep_states(automaton, useful);
    mem_free(automaton->mem, useful);
    automaton_free_components(automaton, &components);
    assert(automaton_check(automaton));
}

void automaton_merge(struct automaton *automaton, const uint32_t *class_of, bool all_edges)
{
    uint32_t n = automaton->states.len, *number = mem_alloc(automaton->mem, n * sizeof *number),
             count = 0;
    struct automaton merged;
    automaton_init(&merged, automaton->mem);
    for (uint32_t s = 0; s < n; s++) {
        assert(class_of[s] <= s && class_of[class_of[s]] == class_of[s]); /* the contract */
        if (class_of[s] == s) number[s] = count++;
    }
    for (uint32_t leader = 0; leader < n; leader++) {
        if (class_of[leader] != leader) continue;
        automaton_add_state(&merged);
        for (uint32_t s = leader; s < (all_edges ? n : leader + 1); s++) {
            const struct automaton_state *state = &automaton->states.data[s];
            for (uint32_t e = state->first;
                 class_of[s] == leader && e < state->first + state->edges; e++) {
                struct automaton_edge edge = automaton->edges.data[e];
                edge.target = number[class_of[edge.target]];
                automaton_add_edge(&merged, edge);
            }
        }
    }
    merged.initial = number[class_of[automaton->initial]];
    merged.acceptance = automaton->acceptance;
    mem_free(automaton->mem, number);
    automaton_release(automaton);
    *automaton = merged;
    assert(automaton_check(automaton));
}
