/* Adding what several workers have found, by all of them at once.
 *
 * The problem: states get their numbers in the order in which one worker alone would have found
 * them, and adding them one after the other takes as long as finding them.
 *
 * The parts of a set are dealt out to the workers. First each goes through the steps of its parts,
 * in the order of the search, and tells new states from their twins, which came before in the same
 * round. Then it is known how many new states each slice of the round has, hence their numbers;
 * each worker numbers and writes those it found, and then links those of its parts. So the set is
 * the same as if one worker had been alone. What workers tell each other of a step is short, and
 * stands together: the steps themselves are in the cache of the worker that found them.
 *
 * A set that knows states without their numbers (set_parts.put) needs neither twins nor links: its
 * states are put when they are gone through first, and a twin is known by then.
 *
 * Parts that will be full soon grow while the next round is expanded, by whoever is free: a part
 * that grew while states are added would have the others wait.
 *
 * What monitors say, what is counted and where the search ends is for the search to find out
 * afterwards, state by state; if it ends before the last of them, the set forgets the rest. */
#ifndef CAIRN_SEARCH_MERGE_H
#define CAIRN_SEARCH_MERGE_H

#include "base/crew.h"
#include "search/search.h"

enum { MERGE_BYTES = 60 }; /* per step, about */

/* Steps of a worker that follow each other in the order of the search. */
struct merge_range {
    uint32_t mate;
    uint32_t first, end; /* in its batch */
    uint32_t first_state, end_state;
    uint64_t number;     /* of its first new state */
    uint32_t first_told; /* in its worker's rules that are told */
    uint64_t known;      /* steps that were taken out */
};

struct merge_mate {
    struct mem *mem;
    struct worker *worker;     /* of this round */
    struct set_entry *entries; /* of its steps, by the worker of their part, then in order */
    uint32_t entry_room;
    uint32_t *entry_end;      /* per worker */
    struct search_told *told; /* of its states, and the rules of those that are new: for the one who
                                 adds, so that he need not read what is in another's cache */
    uint32_t *told_rules;
    uint32_t told_room;
    uint64_t *twins; /* a hash table of new states of its parts: tag << 32 | entry + 1 */
    uint64_t twin_room;
    uint32_t *news;    /* per range, of its parts */
    uint32_t *in_part; /* new states per part: of its own */
    uint32_t part_room;
    uint64_t left; /* those that could not be linked: in `twins` */
    bool refused;  /* memory */
    char apart[MEM_APART];
};

struct merge {
    struct set *set;
    uint64_t news;      /* of the last round */
    bool has_foreseen;  /* parts that grow in this one: */
    atomic_uint cursor; /* the next of them */
    struct merge_mate *mates;
    uint32_t count;
    struct merge_range *ranges;
    uint32_t range_count;
    uint32_t parts, part_bits;
    bool is_wanted; /* in this round */
    bool can_tell;
    bool is_told; /* what is in the last one that was merged, so that it can be added by that alone
                   */
};

/* For so many ranges at most, and `count` workers whose memory is in `mates`, which are the
 * caller's. False when it is refused; merge_close must follow in either case. */
bool merge_open(struct merge *merge, uint32_t ranges);
void merge_close(struct merge *merge);
/* Before a round: whether it may be merged. */
void merge_begin(struct merge *merge, const struct search *search);
/* Before it begins: parts of the set that will need more room get it in this round, by whoever
 * comes first; after it has ended, by one thread. */
void merge_foresee(struct merge *merge);
void merge_grow(struct merge *merge);
void merge_end_growth(struct merge *merge);
/* By a worker, once its batch is complete. */
void merge_sort_out(struct merge *merge, uint32_t mate);
/* After the round, by the caller; ranges are there. False: nothing was added. Steps that are new
 * have numbers then; of the others, SET_KNOWN. */
bool merge_add(struct merge *merge, struct crew *crew);

#endif
