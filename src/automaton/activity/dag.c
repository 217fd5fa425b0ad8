#include "automaton/activity/dag.h"

#include "base/checked.h"
#include "base/find.h"

#include <assert.h>

bool dag_alloc(struct dag *dag, struct mem *mem, uint32_t states, uint32_t edges)
{
    *dag = (struct dag){.mem = mem, .states = states, .edges = edges};
    dag->first_edge = mem_try_alloc(mem, ((size_t)states + 1) * sizeof *dag->first_edge);
    dag->edge_label = mem_try_alloc(mem, (size_t)edges * sizeof *dag->edge_label);
    dag->edge_to = mem_try_alloc(mem, (size_t)edges * sizeof *dag->edge_to);
    dag->final = mem_try_alloc(mem, bitset_bytes(states));
    if (dag->first_edge && dag->edge_label && dag->edge_to && dag->final) return true;
    dag_release(dag);
    return false;
}

void dag_release(struct dag *dag)
{
    mem_free(dag->mem, dag->first_edge);
    mem_free(dag->mem, dag->edge_label);
    mem_free(dag->mem, dag->edge_to);
    mem_free(dag->mem, dag->final);
    *dag = (struct dag){.mem = dag->mem};
}

/* Copies some states: new state i is old state order[i], and old state s is number[s]. */
static void copy_states(struct dag *to, const struct dag *from, const uint32_t *order,
                        const uint32_t *number)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < to->states; i++) {
        uint32_t s = order[i];
        to->first_edge[i] = at;
        if (dag_is_final(from, s)) dag_set_final(to, i);
        for (uint32_t e = from->first_edge[s]; e < from->first_edge[s + 1]; e++, at++) {
            to->edge_label[at] = from->edge_label[e];
            to->edge_to[at] = number[from->edge_to[e]];
        }
    }
    to->first_edge[to->states] = at;
    assert(at == to->edges);
}

/* Fills in the numbers of the states below one and lists them; returns how many edges they have. */
static uint32_t find_below(const struct dag *dag, uint32_t state, uint32_t *number, uint32_t *order,
                           uint32_t *states)
{
    uint32_t edges = 0;
    *states = 0;
    for (uint32_t s = state; s < dag->states; s++) number[s] = DAG_NONE;
    number[state] = 0;
    for (uint32_t s = state; s < dag->states; s++) { /* (2): a state is marked before it is met */
        if (number[s] == DAG_NONE) continue;
        order[*states] = s;
        number[s] = (*states)++;
        edges += dag->first_edge[s + 1] - dag->first_edge[s];
        for (uint32_t e = dag->first_edge[s]; e < dag->first_edge[s + 1]; e++)
            number[dag->edge_to[e]] = 0;
    }
    return edges;
}

enum build_status dag_below(struct dag *below, const struct dag *dag, uint32_t state,
                            uint32_t **old)
{
    assert(state < dag->states);
    *below = (struct dag){.mem = dag->mem};
    if (old) *old = NULL;
    uint32_t *number = mem_try_alloc(dag->mem, (size_t)dag->states * sizeof *number);
    uint32_t *order = mem_try_alloc(dag->mem, (size_t)dag->states * sizeof *order);
    bool done = number && order;
    if (done) {
        uint32_t states, edges = find_below(dag, state, number, order, &states);
        done = dag_alloc(below, dag->mem, states, edges);
        below->is_branching = dag->is_branching;
        if (done) copy_states(below, dag, order, number);
        CHECKED(!done || dag_check(below));
    }
    mem_free(dag->mem, number);
    if (done && old) *old = order;
    else mem_free(dag->mem, order);
    return done ? BUILD_DONE : BUILD_REFUSED;
}

enum build_status dag_renumber(struct dag *dag, const uint32_t *order)
{
    struct dag moved;
    uint32_t *number = mem_try_alloc(dag->mem, (size_t)dag->states * sizeof *number);
    if (!number || !dag_alloc(&moved, dag->mem, dag->states, dag->edges)) {
        mem_free(dag->mem, number);
        return BUILD_REFUSED;
    }
    moved.is_branching = dag->is_branching;
    for (uint32_t i = 0; i < dag->states; i++) number[order[i]] = i;
    copy_states(&moved, dag, order, number);
    mem_free(dag->mem, number);
    CHECKED(dag_check(&moved)); /* the order was topological */
    dag_release(dag);
    *dag = moved;
    return BUILD_DONE;
}

uint32_t dag_step(const struct dag *dag, uint32_t state, uint32_t label)
{
    assert(!dag->is_branching);
    uint32_t end = dag->first_edge[state + 1];
    uint32_t e = find_first(dag->edge_label, dag->first_edge[state], end, label);
    return e < end && dag->edge_label[e] == label ? dag->edge_to[e] : (uint32_t)DAG_NONE;
}

bool dag_accepts(const struct dag *dag, const uint32_t *word, uint32_t length)
{
    uint32_t state = 0;
    for (uint32_t i = 0; i < length && state != DAG_NONE; i++)
        state = dag_step(dag, state, word[i]);
    return state != DAG_NONE && dag_is_final(dag, state);
}

void dag_depths(const struct dag *dag, uint32_t *depth)
{
    for (uint32_t s = 0; s < dag->states; s++) depth[s] = 0;
    for (uint32_t s = 0; s < dag->states; s++)
        for (uint32_t e = dag->first_edge[s]; e < dag->first_edge[s + 1]; e++)
            if (depth[dag->edge_to[e]] < depth[s] + 1) depth[dag->edge_to[e]] = depth[s] + 1;
    assert(depth[0] == 0); /* (1), (2): nothing leads to the first state */
}

void dag_heights(const struct dag *dag, uint32_t *height)
{
    for (uint32_t s = dag->states; s-- > 0;) {
        height[s] = 0;
        for (uint32_t e = dag->first_edge[s]; e < dag->first_edge[s + 1]; e++)
            if (height[s] < height[dag->edge_to[e]] + 1) height[s] = height[dag->edge_to[e]] + 1;
    }
}

void dag_shortest(const struct dag *dag, uint32_t *steps)
{
    for (uint32_t s = dag->states; s-- > 0;) {
        steps[s] = dag_is_final(dag, s) ? 0 : UINT32_MAX;
        for (uint32_t e = dag->first_edge[s]; e < dag->first_edge[s + 1]; e++)
            if (steps[s] > steps[dag->edge_to[e]] + 1) steps[s] = steps[dag->edge_to[e]] + 1;
        assert(steps[s] != UINT32_MAX); /* (4) */
    }
}

static bool has_twin(const struct dag *dag, uint32_t state, uint32_t edge)
{
    for (uint32_t e = edge;
         e-- > dag->first_edge[state] && dag->edge_label[e] == dag->edge_label[edge];)
        if (!dag->is_branching || dag->edge_to[e] == dag->edge_to[edge]) return true;
    return false;
}

bool dag_check(const struct dag *dag)
{
    if (!dag->states || dag->first_edge[0] || dag->first_edge[dag->states] != dag->edges)
        return false;
    uint64_t reached = 1; /* edges whose target no earlier edge has are counted: invariant 1 */
    uint64_t *seen = checked_alloc(bitset_bytes(dag->states));
    bool good = true;
    if (!seen) return true;
    for (uint32_t s = 0; good && s < dag->states; s++) {
        if (dag->first_edge[s + 1] == dag->first_edge[s] && !dag_is_final(dag, s))
            good = false; /* invariant 4, as edges lead on */
        for (uint32_t e = dag->first_edge[s]; good && e < dag->first_edge[s + 1]; e++) {
            uint32_t to = dag->edge_to[e];
            good = to > s && to < dag->states
                   && (e == dag->first_edge[s] || dag->edge_label[e - 1] <= dag->edge_label[e])
                   && !has_twin(dag, s, e);
            if (!good) break;
            reached += !bitset_has(seen, to);
            bitset_add(seen, to);
        }
    }
    checked_free(seen);
    return good && reached == dag->states;
}
