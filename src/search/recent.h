/* States that a worker's steps led to lately, in a table so small that it stays in the cache of one
 * processor. Of many models half of all steps lead to one of them. Such a step leads to a state
 * that is known, or that an earlier step of the same worker leads to: it is not new, whatever
 * others find, and nobody need look it up.
 *
 * Invariant: (1) each slot holds the words of a state that is known, or that an earlier step leads
 * to which will be added before any that is asked about. So a table is filled with a state that is
 * known, at first and after steps were dropped. */
#ifndef CAIRN_SEARCH_RECENT_H
#define CAIRN_SEARCH_RECENT_H

#include "base/mem.h"

struct recent {
    struct mem *mem;
    uint32_t words; /* of a state, that are compared */
    uint64_t slots; /* a power of two, or 0: nothing is known */
    uint64_t most;  /* of them */
    uint64_t *states;
    uint64_t until; /* the number of a state that is expanded, with which it is to be renewed */
};

/* It is empty, and takes memory as a search grows, at most so many bytes. */
void recent_init(struct recent *recent, struct mem *mem, uint32_t key_bytes, uint64_t most);
void recent_release(struct recent *recent);
/* Fills the table, which may become larger, with the words of a state that is known: the one with
 * this number. */
void recent_renew(struct recent *recent, uint64_t state, const uint64_t *words);

/* Steps that it has heard of were dropped: it must be renewed before it is asked again. */
static inline void recent_forget(struct recent *recent) { recent->until = recent->slots = 0; }

/* Whether a step that leads to these words is known not to be new. From now on others are. */
static inline bool recent_has(struct recent *recent, const uint64_t *words, uint64_t hash)
{
    uint64_t *slot = recent->states + (hash & (recent->slots - 1)) * recent->words;
    uint64_t differ = 0;
    for (uint32_t i = 0; i < recent->words; i++) {
        differ |= slot[i] ^ words[i];
        slot[i] = words[i];
    }
    return !differ;
}

#endif
