#include "automaton/dfa.h"

#include <assert.h>
#include <string.h>

bool dfa_alloc(struct dfa *dfa, struct mem *mem, uint32_t states, uint32_t edges)
{
    *dfa = (struct dfa){.mem = mem, .states = states, .edges = edges};
    dfa->first_edge = mem_try_alloc(mem, ((size_t)states + 1) * sizeof *dfa->first_edge);
    dfa->edge_label = mem_try_alloc(mem, ((size_t)edges + 1) * sizeof *dfa->edge_label);
    dfa->edge_to = mem_try_alloc(mem, ((size_t)edges + 1) * sizeof *dfa->edge_to);
    dfa->final = mem_try_alloc(mem, ((size_t)states / 64 + 1) * sizeof *dfa->final);
    if (dfa->first_edge && dfa->edge_label && dfa->edge_to && dfa->final) return true;
    dfa_release(dfa);
    return false;
}

void dfa_release(struct dfa *dfa)
{
    mem_free(dfa->mem, dfa->first_edge);
    mem_free(dfa->mem, dfa->edge_label);
    mem_free(dfa->mem, dfa->edge_to);
    mem_free(dfa->mem, dfa->final);
    *dfa = (struct dfa){.mem = dfa->mem};
}

uint32_t dfa_step(const struct dfa *dfa, uint32_t state, uint32_t label)
{
    uint32_t low = dfa->first_edge[state], high = dfa->first_edge[state + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (dfa->edge_label[middle] < label) low = middle + 1;
        else high = middle;
    }
    return low < dfa->first_edge[state + 1] && dfa->edge_label[low] == label ? dfa->edge_to[low]
                                                                             : (uint32_t)DFA_NONE;
}

bool dfa_accepts(const struct dfa *dfa, const uint32_t *word, uint32_t length)
{
    uint32_t state = 0;
    for (uint32_t i = 0; i < length && state != DFA_NONE; i++)
        state = dfa_step(dfa, state, word[i]);
    return state != DFA_NONE && dfa_is_final(dfa, state);
}

bool dfa_same(const struct dfa *a, const struct dfa *b)
{
    if (a->states != b->states || a->edges != b->edges) return false;
    return !memcmp(a->first_edge, b->first_edge, ((size_t)a->states + 1) * sizeof *a->first_edge)
           && !memcmp(a->edge_label, b->edge_label, (size_t)a->edges * sizeof *a->edge_label)
           && !memcmp(a->edge_to, b->edge_to, (size_t)a->edges * sizeof *a->edge_to)
           && !memcmp(a->final, b->final, ((size_t)a->states / 64 + 1) * sizeof *a->final);
}

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

enum dag_status dfa_to_dag(const struct dfa *dfa, struct dag *dag, bool ends_only)
{
    uint32_t *order = mem_try_alloc(dfa->mem, (size_t)dfa->states * sizeof *order);
    uint32_t *number = mem_try_alloc(dfa->mem, (size_t)dfa->states * sizeof *number);
    enum dag_status status = order && number ? DAG_DONE : DAG_REFUSED;
    *dag = (struct dag){.mem = dfa->mem};
    if (status == DAG_DONE && !find_order(dfa, order, number)) status = DAG_TOO_LARGE;
    if (status == DAG_DONE && !dag_alloc(dag, dfa->mem, dfa->states, dfa->edges))
        status = DAG_REFUSED;
    if (status == DAG_DONE) {
        for (uint32_t i = 0; i < dfa->states; i++) number[order[i]] = i;
        fill_dag(dfa, dag, order, number, ends_only);
    }
    mem_free(dfa->mem, order);
    mem_free(dfa->mem, number);
    return status;
}

bool dfa_check(const struct dfa *dfa)
{
    if (!dfa->states || dfa->first_edge[0] || dfa->first_edge[dfa->states] != dfa->edges)
        return false;
    uint32_t known = 1; /* states found so far: each new one must be the next number */
    for (uint32_t s = 0; s < dfa->states; s++) {
        if (s >= known) return false;
        for (uint32_t e = dfa->first_edge[s]; e < dfa->first_edge[s + 1]; e++) {
            if (e > dfa->first_edge[s] && dfa->edge_label[e - 1] >= dfa->edge_label[e])
                return false;
            if (dfa->edge_to[e] > known || dfa->edge_to[e] >= dfa->states) return false;
            known += dfa->edge_to[e] == known;
        }
    }
    return known == dfa->states;
}
