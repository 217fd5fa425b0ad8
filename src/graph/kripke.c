#include "graph/kripke.h"

#include "base/checked.h"

#include <assert.h>

uint64_t *kripke_set(const struct kripke *kripke)
{
    return mem_try_alloc(kripke->mem, (kripke->states / 64 + UINT64_C(1)) * sizeof(uint64_t));
}

bool kripke_init(struct kripke *kripke, struct mem *mem, uint64_t states, uint64_t initial,
                 uint64_t edges)
{
    assert(initial <= states);
    kripke->mem = mem;
    kripke->states = states;
    kripke->initial = initial;
    kripke->first_next = mem_try_alloc(mem, (states + 1) * sizeof *kripke->first_next);
    kripke->first_previous = mem_try_alloc(mem, (states + 1) * sizeof *kripke->first_previous);
    const uint64_t most = states ? states - 1 : 0;
    bool good = kripke->first_next && kripke->first_previous
                && numbers_init(&kripke->next, mem, edges, most)
                && numbers_init(&kripke->previous, mem, edges, most);
    if (!good) kripke_release(kripke);
    return good;
}

/* Counts, sums up, fills backwards: the usual way. */
void kripke_transpose(struct kripke *kripke)
{
    const struct numbers *next = &kripke->next;
    uint64_t *first = kripke->first_previous, edges = kripke->first_next[kripke->states];
    for (uint64_t e = 0; e < edges; e++) first[numbers_get(next, e)]++;
    for (uint64_t s = 1; s <= kripke->states; s++) first[s] += first[s - 1];
    assert(first[kripke->states] == edges || !kripke->states);
    for (uint64_t s = kripke->states; s-- > 0;)
        for (uint64_t e = kripke->first_next[s + 1]; e-- > kripke->first_next[s];)
            numbers_set(&kripke->previous, --first[numbers_get(next, e)], s);
    assert(!first[0] && first[kripke->states] == edges); /* (2) */
    CHECKED(kripke_check(kripke));
}

/* Edges that a sum over both ends tells apart, nearly always. */
static uint64_t edge_code(uint64_t from, uint64_t to)
{
    return (from << 32 ^ to) * UINT64_C(0x9E3779B97F4A7C15) >> 7;
}

bool kripke_check(const struct kripke *kripke)
{
    const uint64_t *next = kripke->first_next, *previous = kripke->first_previous;
    uint64_t there = 0, back = 0;
    for (uint64_t s = 0; s < kripke->states; s++) {
        if (next[s] >= next[s + 1] || previous[s] > previous[s + 1]) return false; /* (1) */
        for (uint64_t e = next[s]; e < next[s + 1]; e++) {
            const uint64_t to = numbers_get(&kripke->next, e);
            if (to >= kripke->states) return false; /* (1) */
            there += edge_code(s, to);
        }
        for (uint64_t e = previous[s]; e < previous[s + 1]; e++)
            back += edge_code(numbers_get(&kripke->previous, e), s);
    }
    return there == back; /* (2) */
}

void kripke_release(struct kripke *kripke)
{
    mem_free(kripke->mem, kripke->first_next);
    mem_free(kripke->mem, kripke->first_previous);
    numbers_free(&kripke->next, kripke->mem);
    numbers_free(&kripke->previous, kripke->mem);
    kripke->first_next = kripke->first_previous = NULL;
}
