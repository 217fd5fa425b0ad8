#include "engine/explicit/kripke.h"

#include <assert.h>

enum { POLL = 4096 };

uint64_t *kripke_set(const struct kripke *kripke)
{
    return mem_try_alloc(kripke->mem, (kripke->states / 64 + UINT64_C(1)) * sizeof(uint64_t));
}

/* Expands every state once more; its successors are known. */
static bool fill_next(struct kripke *kripke, struct space *space, uint64_t edges)
{
    uint64_t at = 0;
    for (uint32_t s = 0; s < kripke->states; s++) {
        struct program_cursor cursor;
        const struct fast_rule *fast;
        enum step step;
        if (s % POLL == 0 && !kripke->go_on(kripke->context)) return false;
        kripke->first_next[s] = at;
        space_load(space, s);
        program_start(&space->program, &cursor);
        while ((step = program_next(&space->program, &cursor, space->words, space->next, &fast)) != STEP_NONE) {
            if (step != STEP_TAKEN || (kripke->keeps && !kripke->keeps(kripke->context, s, fast->rule))) continue;
            uint32_t to = store_find(&space->store, space->next, store_hash(space->next, space->layout.record_bytes));
            assert(to < kripke->states && at < edges);
            kripke->next[at++] = to;
        }
        if (at == kripke->first_next[s]) kripke->next[at++] = s;
    }
    kripke->first_next[kripke->states] = at;
    assert(at == edges);
    return true;
}

/* Counts, sums up, fills backwards: the usual transposition. */
static void fill_previous(struct kripke *kripke)
{
    uint64_t *first = kripke->first_previous, edges = kripke->first_next[kripke->states];
    for (uint64_t e = 0; e < edges; e++) first[kripke->next[e]]++;
    for (uint32_t s = 1; s <= kripke->states; s++) first[s] += first[s - 1];
    for (uint32_t s = kripke->states; s-- > 0;)
        for (uint64_t e = kripke->first_next[s + 1]; e-- > kripke->first_next[s];) kripke->previous[--first[kripke->next[e]]] = s;
}

bool kripke_build(struct kripke *kripke, struct space *space, uint32_t initial, uint64_t edges)
{
    uint64_t states = space->store.count;
    kripke->mem = space->model->mem;
    kripke->states = (uint32_t)states;
    kripke->initial = initial;
    kripke->first_next = mem_try_alloc(kripke->mem, (states + 1) * sizeof *kripke->first_next);
    kripke->first_previous = mem_try_alloc(kripke->mem, (states + 1) * sizeof *kripke->first_previous);
    kripke->next = mem_try_alloc(kripke->mem, (edges + 1) * sizeof *kripke->next);
    kripke->previous = mem_try_alloc(kripke->mem, (edges + 1) * sizeof *kripke->previous);
    bool good = kripke->first_next && kripke->first_previous && kripke->next && kripke->previous && fill_next(kripke, space, edges);
    if (good) fill_previous(kripke);
    else kripke_release(kripke);
    return good;
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
