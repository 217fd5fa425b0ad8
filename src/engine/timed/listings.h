/* Rules that are enabled in discrete states, remembered: many symbolic states share a discrete
 * state, and to find its rules takes much of the time where models have code. They take a small
 * part of the memory that the search takes; when that is full, everything is forgotten.
 *
 * Invariants: (1) a slot is 0 or one more than the place of a listing in the pool; (2) a listing is
 * the words of a state, how many steps it has, and of each step its rule, counted from `rules`, its
 * tag and its words. */
#ifndef CAIRN_ENGINE_TIMED_LISTINGS_H
#define CAIRN_ENGINE_TIMED_LISTINGS_H

#include "search/batch.h"

struct listings {
    struct mem *mem;
    uint32_t words; /* of a state */
    uint64_t *pool;
    uint64_t room, used, most;
    bool is_share;   /* `most` is a share of the memory already */
    uint32_t *slots; /* by hash */
    uint64_t slot_count;
};

/* They take so many bytes at most, and none before something is kept; 0: nothing is. is_share: all
 * of these may be taken at once. */
void listings_init(struct listings *listings, struct mem *mem, uint32_t words, uint64_t bytes,
                   bool is_share);
void listings_release(struct listings *listings);
/* Fills the list with the steps of this state, as space_list would. False: they are not known, or
 * memory was refused. */
bool listings_find(const struct listings *listings, const uint64_t *words, uint64_t hash,
                   const struct fast_rule *rules, struct batch *list);
/* Keeps them, if there is memory. */
void listings_keep(struct listings *listings, const uint64_t *words, uint64_t hash,
                   const struct fast_rule *rules, const struct batch *list);

#endif
