#include "graph/kripke.h"

uint64_t *kripke_set(const struct kripke *kripke)
{
    return mem_try_alloc(kripke->mem, (kripke->states / 64 + UINT64_C(1)) * sizeof(uint64_t));
}

bool kripke_init(struct kripke *kripke, struct mem *mem, uint64_t states, uint32_t initial,
                 uint64_t edges)
{
    kripke->mem = mem;
    kripke->states = (uint32_t)states;
    kripke->initial = initial;
    kripke->first_next = mem_try_alloc(mem, (states + 1) * sizeof *kripke->first_next);
    kripke->first_previous = mem_try_alloc(mem, (states + 1) * sizeof *kripke->first_previous);
    kripke->next = mem_try_alloc(mem, (edges + 1) * sizeof *kripke->next);
    kripke->previous = mem_try_alloc(mem, (edges + 1) * sizeof *kripke->previous);
    bool good = kripke->first_next && kripke->first_previous && kripke->next && kripke->previous;
    if (!good) kripke_release(kripke);
    return good;
}

/* Counts, sums up, fills backwards: the usual way. */
void kripke_transpose(struct kripke *kripke)
{
    uint64_t *first = kripke->first_previous, edges = kripke->first_next[kripke->states];
    for (uint64_t e = 0; e < edges; e++) first[kripke->next[e]]++;
    for (uint32_t s = 1; s <= kripke->states; s++) first[s] += first[s - 1];
    for (uint32_t s = kripke->states; s-- > 0;)
        for (uint64_t e = kripke->first_next[s + 1]; e-- > kripke->first_next[s];)
            kripke->previous[--first[kripke->next[e]]] = s;
}

void kripke_release(struct kripke *kripke)
{
    mem_free(kripke->mem, kripke->first_next);
    mem_free(kripke->mem, kripke->first_previous);
    mem_free(kripke->mem, kripke->next);
    mem_free(kripke->mem, kripke->previous);
    kripke->first_next = kripke->first_previous = NULL;
    kripke->next = kripke->previous = NULL;
}
