#include "search/recent.h"

#ifdef CAIRN_TEST_HOOKS /* so that small models have one, too */
enum { LEAST_SLOTS = 1, MOST_BYTES = 1 << 10, STATES_PER_SLOT = 2 };
#else
/* Slots are a small part of what the set takes; more bytes would not stay near. */
enum { LEAST_SLOTS = 256, MOST_BYTES = 1 << 18, STATES_PER_SLOT = 128 };
#endif

void recent_init(struct recent *recent, struct mem *mem, uint32_t key_bytes, uint64_t most)
{
    const uint64_t bytes = sizeof *recent->states, words = (key_bytes + bytes - 1) / bytes;
    if (most > MOST_BYTES) most = MOST_BYTES;
    *recent = (struct recent){
        .mem = mem, .words = (uint32_t)words, .most = most / (words ? words * bytes : 1)};
}

void recent_release(struct recent *recent)
{
    mem_free(recent->mem, recent->states);
    *recent = (struct recent){.mem = recent->mem};
}

/* Without memory for it there is none. */
void recent_renew(struct recent *recent, uint64_t state, const uint64_t *words)
{
    const uint64_t begin = LEAST_SLOTS * (uint64_t)STATES_PER_SLOT;
    uint64_t slots = LEAST_SLOTS;
    while (2 * slots <= recent->most && 2 * slots * STATES_PER_SLOT <= state) slots *= 2;
    mem_free(recent->mem, recent->states);
    recent->states = NULL;
    recent->slots = 0;
    recent->until = state < begin               ? begin
                    : 2 * slots <= recent->most ? 2 * slots * STATES_PER_SLOT
                                                : UINT64_MAX;
    if (state >= begin && slots <= recent->most)
        recent->states =
            mem_try_alloc(recent->mem, slots * recent->words * sizeof *words + MEM_APART);
    if (!recent->states) return;
    recent->slots = slots;
    for (uint64_t i = 0; i < slots; i++)
        for (uint32_t w = 0; w < recent->words; w++)
            recent->states[i * recent->words + w] = words[w]; /* (1) */
}
