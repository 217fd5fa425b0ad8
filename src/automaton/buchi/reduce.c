/* Reduction by simulation (Somenzi and Bloem 2000, Etessami et al. 2005), for acceptance on edges.
 *
 * q simulates p when every step of p can be answered by q: for every letter of every edge of p
 * there is an edge of q that reads it, has at least its marks, and leads to a state that simulates
 * the edge's target. Then q accepts all that p accepts. States that simulate each other become one,
 * and an edge goes when another of its state reads as much, has as many marks, and leads to a state
 * that simulates its target. The same is done backwards, with edges into states; there the initial
 * state is simulated by itself only.
 *
 * A cube may be answered by several edges together, so answering is a question of covering, decided
 * by splitting on a literal.
 *
 * Marks of edges between components mean nothing: they are counted as none or as all, in turn,
 * because sometimes one and sometimes the other lets more states be equal. Each step is sound by
 * itself, so when the budget of work is spent what is done so far stays.
 *
 * Invariants: (1) every state simulates itself; (2) the relation only shrinks; (3) no step makes
 * the automaton larger. */
#include "automaton/buchi/reduce.h"

#include <assert.h>
#include <string.h>

enum { MAX_STATES = 600, MAX_WORK = 40000000, MAX_ROUNDS = 12 };

struct reduction {
    struct automaton *automaton;
    struct mem *mem;
    bool backward;
    uint32_t n;
    uint32_t *first; /* edges by source (or by target, backward): ranges of `edges` */
    uint32_t *edges;
    uint32_t *sources;              /* per edge */
    uint8_t *simulates;             /* [p * n + q]: q simulates p, as far as known */
    struct automaton_edge *answers; /* scratch, for all edges of a state */
    uint64_t work;
};

/* ---- the relation ---- */

static void index_edges(struct reduction *r)
{
    const struct automaton *automaton = r->automaton;
    uint32_t count = automaton->edges.len;
    r->first = mem_alloc(r->mem, (r->n + 1) * sizeof *r->first);
    r->edges = mem_alloc(r->mem, (count + 1) * sizeof *r->edges);
    r->sources = mem_alloc(r->mem, (count + 1) * sizeof *r->sources);
    for (uint32_t s = 0; s < r->n; s++)
        for (uint32_t i = 0; i < automaton->states.data[s].edges; i++)
            r->sources[automaton->states.data[s].first + i] = s;
    for (uint32_t e = 0; e < count; e++)
        r->first[(r->backward ? automaton->edges.data[e].target : r->sources[e]) + 1]++;
    for (uint32_t s = 0; s < r->n; s++) r->first[s + 1] += r->first[s];
    uint32_t *fill = mem_alloc(r->mem, (r->n + 1) * sizeof *fill);
    memcpy(fill, r->first, r->n * sizeof *fill);
    for (uint32_t e = 0; e < count; e++)
        r->edges[fill[r->backward ? automaton->edges.data[e].target : r->sources[e]]++] = e;
    assert(r->first[r->n] == count);
    mem_free(r->mem, fill);
}

static uint32_t far_end(const struct reduction *r, uint32_t e)
{
    return r->backward ? r->sources[e] : r->automaton->edges.data[e].target;
}

/* Whether the cube lies in the union of the cubes. Those before `from` are known to be apart from
 * it. */
static bool is_covered(struct reduction *r, const struct automaton_edge *cube,
                       const struct automaton_edge *cubes, uint32_t count, uint32_t from)
{
    if (++r->work > MAX_WORK) return false; /* the whole relation is given up then */
    for (; from < count; from++) {
        const struct automaton_edge *other = &cubes[from];
        if (other->positive & cube->negative || other->negative & cube->positive) continue;
        if (automaton_covers(other, cube)) return true;
        uint64_t asked = (other->positive | other->negative) & ~(cube->positive | cube->negative),
                 bit = asked & -asked;
        assert(asked); /* or it would be covered */
        struct automaton_edge with = *cube, without = *cube;
        with.positive |= bit;
        without.negative |= bit;
        return is_covered(r, &with, cubes, count, from)
               && is_covered(r, &without, cubes, count, from);
    }
    return false;
}

static bool is_answered(struct reduction *r, uint32_t e, uint32_t q)
{
    const struct automaton_edge *edge = &r->automaton->edges.data[e];
    const uint8_t *better = &r->simulates[(size_t)far_end(r, e) * r->n];
    uint32_t count = 0;
    for (uint32_t i = r->first[q]; i < r->first[q + 1]; i++) {
        const struct automaton_edge *answer = &r->automaton->edges.data[r->edges[i]];
        r->work++;
        if (edge->marks & ~answer->marks || !better[far_end(r, r->edges[i])]) continue;
        if (automaton_covers(answer, edge)) return true;
        r->answers[count++] = *answer;
    }
    return count > 1 && is_covered(r, edge, r->answers, count, 0);
}

static bool still_simulates(struct reduction *r, uint32_t p, uint32_t q)
{
    for (uint32_t i = r->first[p]; i < r->first[p + 1]; i++)
        if (!is_answered(r, r->edges[i], q)) return false;
    return true;
}

/* The largest relation, from above. False: too much work. */
static bool find_simulation(struct reduction *r)
{
    memset(r->simulates, 1, (size_t)r->n * r->n);
    if (r->backward)
        for (uint32_t q = 0; q < r->n; q++)
            r->simulates[(size_t)r->automaton->initial * r->n + q] = q == r->automaton->initial;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = 0; p < r->n; p++) {
            if (r->work > MAX_WORK) return false;
            for (uint32_t q = 0; q < r->n; q++) {
                uint8_t *entry = &r->simulates[(size_t)p * r->n + q];
                if (p == q || !*entry || still_simulates(r, p, q)) continue;
                *entry = 0;
                changed = true;
            }
        }
    }
    return true;
}

/* ---- its use ---- */

/* Of two edges that are as good as each other, the first one stays. */
static bool is_dominated(struct reduction *r, uint32_t e, const bool *gone)
{
    const struct automaton_edge *edge = &r->automaton->edges.data[e];
    uint32_t near = r->backward ? edge->target : r->sources[e];
    for (uint32_t i = r->first[near]; i < r->first[near + 1]; i++) {
        uint32_t d = r->edges[i];
        const struct automaton_edge *other = &r->automaton->edges.data[d];
        if (d == e || gone[d] || edge->marks & ~other->marks || !automaton_covers(other, edge))
            continue;
        if (r->simulates[(size_t)far_end(r, e) * r->n + far_end(r, d)]) return true;
    }
    return false;
}

static void drop_edges(struct reduction *r)
{
    bool *gone = mem_alloc(r->mem, r->automaton->edges.len + 1);
    for (uint32_t p = 0; p < r->n; p++) assert(r->simulates[(size_t)p * r->n + p]); /* (1) */
    struct automaton kept;
    for (uint32_t e = 0; e < r->automaton->edges.len; e++) gone[e] = is_dominated(r, e, gone);
    automaton_init(&kept, r->mem);
    for (uint32_t s = 0; s < r->n; s++) {
        const struct automaton_state *state = &r->automaton->states.data[s];
        automaton_add_state(&kept);
        for (uint32_t e = state->first; e < state->first + state->edges; e++)
            if (!gone[e]) automaton_add_edge(&kept, r->automaton->edges.data[e]);
    }
    kept.initial = r->automaton->initial;
    kept.acceptance = r->automaton->acceptance;
    assert(kept.edges.len <= r->automaton->edges.len); /* (3) */
    mem_free(r->mem, gone);
    automaton_release(r->automaton);
    *r->automaton = kept;
}

static bool merge_equal(struct reduction *r)
{
    uint32_t *class_of = mem_alloc(r->mem, r->n * sizeof *class_of);
    bool merged = false;
    for (uint32_t p = 0; p < r->n; p++) {
        class_of[p] = p;
        for (uint32_t q = 0; q < p; q++) {
            if (!r->simulates[(size_t)p * r->n + q] || !r->simulates[(size_t)q * r->n + p])
                continue;
            class_of[p] = class_of[q];
            merged = true;
            break;
        }
    }
    if (merged) automaton_merge(r->automaton, class_of, true);
    mem_free(r->mem, class_of);
    return merged;
}

/* One pass: computes the relation, then merges states, or when none are equal drops edges. */
static void reduce_once(struct automaton *automaton, bool backward, uint64_t *work)
{
    struct reduction r = {.automaton = automaton,
                          .mem = automaton->mem,
                          .backward = backward,
                          .n = automaton->states.len,
                          .work = *work};
    if (r.n > MAX_STATES || r.work > MAX_WORK) return;
    index_edges(&r);
    r.simulates = mem_alloc(r.mem, (size_t)r.n * r.n);
    r.answers = mem_alloc(r.mem, (automaton->edges.len + 1) * sizeof *r.answers);
    if (find_simulation(&r) && !merge_equal(&r)) drop_edges(&r);
    *work = r.work;
    mem_free(r.mem, r.first);
    mem_free(r.mem, r.edges);
    mem_free(r.mem, r.sources);
    mem_free(r.mem, r.simulates);
    mem_free(r.mem, r.answers);
}

/* Edges between components get all marks. */
static void mark_transient(struct automaton *automaton)
{
    struct automaton_components components;
    automaton_find_components(automaton, &components);
    for (uint32_t s = 0; s < automaton->states.len; s++)
        for (uint32_t i = 0; i < automaton->states.data[s].edges; i++) {
            struct automaton_edge *edge =
                &automaton->edges.data[automaton->states.data[s].first + i];
            if (components.of[s] != components.of[edge->target])
                edge->marks = automaton_all_marks(automaton);
        }
    automaton_free_components(automaton, &components);
}

void reduce_automaton(struct automaton *automaton)
{
    uint64_t work = 0;
    automaton_trim(automaton);
    for (unsigned round = 0, idle = 0; round < MAX_ROUNDS && idle < 4; round++) {
        uint32_t states = automaton->states.len, edges = automaton->edges.len;
        if (round & 2) mark_transient(automaton);
        reduce_once(automaton, round & 1, &work);
        automaton_trim(automaton);
        assert(automaton->states.len <= states); /* (3) */
        idle = states == automaton->states.len && edges == automaton->edges.len ? idle + 1 : 0;
    }
}
