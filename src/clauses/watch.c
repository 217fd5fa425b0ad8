#include "clauses/watch.h"

#include <assert.h>
#include <string.h>

enum { MAX_STATES = 64, MAX_EDGES = 1024 };

/* ---- the automaton ---- */

static bool has_free_loop(const struct automaton *a, uint32_t q)
{
    for (uint32_t i = 0; i < a->states.data[q].edges; i++) {
        const struct automaton_edge *edge = &a->edges.data[a->states.data[q].first + i];
        if (edge->target == q && !edge->positive && !edge->negative
            && edge->marks == automaton_all_marks(a))
            return true;
    }
    return false;
}

static void classify(struct watcher *watcher)
{
    const struct automaton *a = &watcher->buchi.automaton;
    struct automaton_components components;
    automaton_find_components(a, &components);
    watcher->accepts_all = mem_alloc(watcher->mem, a->states.len + UINT64_C(1));
    watcher->is_safety = true;
    for (uint32_t q = 0; q < a->states.len; q++) {
        watcher->accepts_all[q] = has_free_loop(a, q);
        bool accepting =
            components.of[q] != AUTOMATON_NONE && components.accepting[components.of[q]];
        if (accepting && !watcher->accepts_all[q]) watcher->is_safety = false;
    }
    automaton_free_components(a, &components);
}

const char *watcher_init(struct watcher *watcher, struct net *net, formula f)
{
    memset(watcher, 0, sizeof *watcher);
    watcher->mem = net->mem;
    const char *problem = buchi_translate(&watcher->buchi, net->model, f, true);
    if (problem) return problem;
    const struct automaton *a = &watcher->buchi.automaton;
    const struct buchi_atoms *atoms = &watcher->buchi.atoms;
    if (a->states.len > MAX_STATES || a->edges.len > MAX_EDGES)
        problem = "the formula's automaton is too large";
    watcher->atoms =
        mem_alloc(watcher->mem, (atoms->list.len + UINT64_C(1)) * sizeof *watcher->atoms);
    for (uint32_t i = 0; i < atoms->list.len; i++) {
        watcher->atoms[i] = net_condition(net, atoms->list.data[i]);
        if (watcher->atoms[i].fails != LIT_FALSE) problem = "the formula may divide by zero";
    }
    classify(watcher);
    return problem;
}

void watcher_release(struct watcher *watcher)
{
    if (watcher->atoms) { /* the automaton was built */
        struct model model = {.mem = watcher->mem};
        buchi_release(&watcher->buchi, &model);
    }
    mem_free(watcher->mem, watcher->atoms);
    mem_free(watcher->mem, watcher->accepts_all);
}

void watcher_outputs(const struct watcher *watcher, struct mem *mem, lit **outputs, uint32_t *count)
{
    *count = watcher->buchi.atoms.list.len;
    *outputs = mem_alloc(mem, (*count + UINT64_C(1)) * sizeof **outputs);
    for (uint32_t i = 0; i < *count; i++) (*outputs)[i] = watcher->atoms[i].holds;
}

uint32_t watch_block(const struct watcher *watcher)
{
    const struct automaton *a = &watcher->buchi.automaton;
    return a->states.len + (watcher->is_safety ? 0 : 1 + a->acceptance);
}

/* ---- positions ---- */

static int state_at(const struct watch *watch, uint32_t position, uint32_t q)
{
    return watch->blocks.data[position] + (int)q;
}
static int saved_at(const struct watch *watch, uint32_t position)
{
    return watch->blocks.data[position] + (int)watch->watcher->buchi.automaton.states.len;
}
static int mark_at(const struct watch *watch, uint32_t position, uint32_t mark)
{
    return saved_at(watch, position) + 1 + (int)mark;
}

/* The state at the position is the saved one. */
static int define_saved_state(struct watch *watch, uint32_t position, const int *also,
                              uint32_t count)
{
    struct sat *sat = watch->u->sat;
    uint32_t bits = watch->u->net->bits.total, states = watch->watcher->buchi.automaton.states.len,
             n = 0;
    const int *state = unroll_state(watch->u, position);
    int *literals =
        mem_alloc(watch->u->mem, (bits + states + count + UINT64_C(1)) * sizeof *literals);
    for (uint32_t i = 0; i < count; i++) literals[n++] = also[i];
    for (uint32_t b = 0; b < bits; b++)
        literals[n++] = sat_define_equal(sat, state[b], watch->saved_state + (int)b);
    for (uint32_t q = 0; q < states; q++)
        literals[n++] =
            sat_define_equal(sat, state_at(watch, position, q), watch->saved_automaton + (int)q);
    int all = sat_define_all(sat, literals, n);
    mem_free(watch->u->mem, literals);
    return all;
}

static void define_bad(struct watch *watch, uint32_t position)
{
    const struct automaton *a = &watch->watcher->buchi.automaton;
    struct sat *sat = watch->u->sat;
    int literals[MAX_STATES + AUTOMATON_MAX_ACCEPTANCE + 1];
    uint32_t n = 0;
    int bad;
    if (watch->watcher->is_safety) { /* not (in none of the states that accept all) */
        for (uint32_t q = 0; q < a->states.len; q++)
            if (watch->watcher->accepts_all[q]) literals[n++] = -state_at(watch, position, q);
        bad = -sat_define_all(sat, literals, n);
    } else {
        literals[n++] = saved_at(watch, position);
        for (uint32_t m = 0; m < a->acceptance; m++) literals[n++] = mark_at(watch, position, m);
        bad = define_saved_state(watch, position, literals, n);
    }
    assert(watch->bad.len == position); /* position by position */
    vec_push(watch->u->mem, &watch->bad, bad);
}

static void add_block(struct watch *watch)
{
    const struct automaton *a = &watch->watcher->buchi.automaton;
    struct sat *sat = watch->u->sat;
    uint32_t position = watch->blocks.len;
    int states[MAX_STATES];
    assert(a->states.len <= MAX_STATES
           && a->edges.len <= MAX_EDGES); /* watcher_init refused more */
    vec_push(watch->u->mem, &watch->blocks, sat_variables(sat, watch_block(watch->watcher)));
    for (uint32_t q = 0; q < a->states.len; q++) states[q] = state_at(watch, position, q);
    for (uint32_t q = 0; q < a->states.len; q++) sat_add(sat, states[q]);
    sat_add(sat, 0);
    sat_at_most_one(watch->u->sat, states, a->states.len);
    for (uint32_t m = 0; !watch->watcher->is_safety && m < a->acceptance; m++)
        sat_add_2(sat, -mark_at(watch, position, m), saved_at(watch, position));
}

/* ---- steps ---- */

static void read_letter(struct watch *watch, uint32_t position, const struct automaton_edge *edge,
                        int taken)
{
    for (uint32_t i = 0; i < watch->watcher->buchi.atoms.list.len; i++) {
        int holds = unroll_output(watch->u, position, watch->watcher->atoms[i].holds);
        if (edge->positive >> i & 1) sat_add_2(watch->u->sat, -taken, holds);
        if (edge->negative >> i & 1) sat_add_2(watch->u->sat, -taken, -holds);
    }
}

/* The automaton moves from the position before the last one to the last one. Returns the first
 * edge's variable. */
static int move_automaton(struct watch *watch, uint32_t from)
{
    const struct automaton *a = &watch->watcher->buchi.automaton;
    struct sat *sat = watch->u->sat;
    int first = sat_variables(sat, a->edges.len), literals[MAX_EDGES];
    for (uint32_t q = 0; q < a->states.len; q++)
        for (uint32_t i = 0; i < a->states.data[q].edges; i++) {
            uint32_t e = a->states.data[q].first + i;
            int taken = literals[e] = first + (int)e;
            sat_add_2(sat, -taken, state_at(watch, from, q));
            sat_add_2(sat, -taken, state_at(watch, from + 1, a->edges.data[e].target));
            read_letter(watch, from, &a->edges.data[e], taken);
        }
    for (uint32_t e = 0; e < a->edges.len; e++) sat_add(sat, literals[e]);
    sat_add(sat, 0);
    sat_at_most_one(watch->u->sat, literals, a->edges.len);
    return first;
}

/* Saves the state at `from`, or not; meets acceptance sets. */
static void move_lasso(struct watch *watch, uint32_t from, int edges)
{
    const struct automaton *a = &watch->watcher->buchi.automaton;
    struct sat *sat = watch->u->sat;
    int before = saved_at(watch, from), after = saved_at(watch, from + 1),
        save = sat_variables(sat, 1);
    int is_saved_state = define_saved_state(watch, from, NULL, 0);
    sat_add_2(sat, -save, -before);
    sat_add_2(sat, -save, is_saved_state);
    sat_add_2(sat, -before, after);
    sat_add_2(sat, -save, after);
    sat_add_3(sat, -after, before, save);
    for (uint32_t m = 0; m < a->acceptance; m++) {
        int met = mark_at(watch, from + 1, m), earlier = mark_at(watch, from, m);
        sat_add_2(sat, -earlier, met);
        sat_add(sat, -met);
        sat_add(sat, earlier);
        for (uint32_t e = 0; e < a->edges.len; e++)
            if (a->edges.data[e].marks >> m & 1) sat_add(sat, edges + (int)e);
        sat_add(sat, 0);
        for (uint32_t e = 0; e < a->edges.len; e++)
            if (a->edges.data[e].marks >> m & 1) sat_add_3(sat, -(edges + (int)e), -after, met);
    }
}

void watch_start(struct watch *watch, const struct watcher *watcher, struct unrolling *u)
{
    const struct automaton *a = &watcher->buchi.automaton;
    *watch = (struct watch){.watcher = watcher, .u = u};
    watch->saved_state = sat_variables(u->sat, u->net->bits.total);
    watch->saved_automaton = sat_variables(u->sat, a->states.len);
    add_block(watch);
    if (!u->options.from_anywhere) {
        sat_add_1(u->sat, state_at(watch, 0, a->initial));
        if (!watcher->is_safety) sat_add_1(u->sat, -saved_at(watch, 0));
    }
    define_bad(watch, 0);
}

void watch_extend(struct watch *watch)
{
    uint32_t from = watch->blocks.len - 1;
    assert(from + 1 == unroll_last(watch->u)); /* the contract: after unroll_extend */
    add_block(watch);
    int edges = move_automaton(watch, from);
    if (!watch->watcher->is_safety) move_lasso(watch, from, edges);
    define_bad(watch, from + 1);
}

void watch_release(struct watch *watch)
{
    if (!watch->u) return;
    vec_free(watch->u->mem, &watch->blocks);
    vec_free(watch->u->mem, &watch->bad);
}
