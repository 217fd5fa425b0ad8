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
    uint32_t *slots; /* by hash */
    uint64_t slot_count;
};

/* They take so many bytes at most, and none before something is kept; 0: nothing is. */
void listings_init(struct listings *listings, struct mem *mem, uint32_t words, uint64_t bytes);
void listings_release(struct listings *listings);
/* Fills the list with the steps of this state, as space_list would. False: they are not known, or
 * memory was refused. */
bool listings_find(const struct listings *listings, const uint64_t *words, uint64_t hash,
                   const struct fast_rule *rules, struct batch *list);
/* Keeps them, if there is memory. */
void listings_keep(struct listings *listings, const uint64_t *words, uint64_t hash,
                   const struct fast_rule *rules, const struct batch *list);

/* The same for several threads at once, which find what others have kept: divided by hash, each
 * part with a lock, and with its share of the memory from the beginning. NULL: it was refused. */
struct listings_shared;
struct listings_shared *listings_share(struct mem *mem, uint32_t words, uint64_t bytes);
void listings_release_shared(struct listings_shared *shared);
bool listings_find_shared(struct listings_shared *shared, const uint64_t *words, uint64_t hash,
                          const struct fast_rule *rules, struct batch *list);
void listings_keep_shared(struct listings_shared *shared, const uint64_t *words, uint64_t hash,
                          const struct fast_rule *rules, const struct batch *list);

#endif
