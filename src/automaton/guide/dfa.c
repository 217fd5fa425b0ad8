#include "automaton/guide/dfa.h"

#include "base/find.h"

#include <string.h>

bool dfa_alloc(struct dfa *dfa, struct mem *mem, uint32_t states, uint32_t edges)
{
    *dfa = (struct dfa){.mem = mem, .states = states, .edges = edges};
    dfa->first_edge = mem_try_alloc(mem, ((size_t)states + 1) * sizeof *dfa->first_edge);
    dfa->edge_label = mem_try_alloc(mem, ((size_t)edges + 1) * sizeof *dfa->edge_label);
    dfa->edge_to = mem_try_alloc(mem, ((size_t)edges + 1) * sizeof *dfa->edge_to);
    dfa->final = mem_try_alloc(mem, bitset_bytes(states));
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
    uint32_t end = dfa->first_edge[state + 1];
    uint32_t e = find_first(dfa->edge_label, dfa->first_edge[state], end, label);
    return e < end && dfa->edge_label[e] == label ? dfa->edge_to[e] : (uint32_t)DFA_NONE;
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
           && !memcmp(a->final, b->final, bitset_bytes(a->states));
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
