/* Epochs of a search that does not fit in memory: whenever that is full, the states that are
 * expanded go to disk (solver/runs.h), with the log of who discovered whom, and memory is empty
 * again. What was visited in several epochs is found then, and taken out of the counts. */
#ifndef CAIRN_SEARCH_EPOCHS_H
#define CAIRN_SEARCH_EPOCHS_H

#include "search/ample.h"
#include "search/entries.h"
#include "solver/origins.h"
#include "solver/runs.h"

struct epochs_log { /* on the tape */
    uint64_t offset, size;
};

enum { EPOCHS_TOTALS = 8 }; /* numbers that a set counts, at most */

struct epochs {
    struct search *search;
    struct mem *mem;
    struct entries *entries;
    struct ample *ample;     /* a reduced search: which steps states have; or NULL */
    uint64_t number;         /* of the epoch at hand: how often memory was emptied */
    struct origins origins;  /* of the states of search->set, which are those of the epoch */
    struct runs done;        /* states of earlier epochs */
    struct tape tape;        /* their origins, and ... */
    struct epochs_log *logs; /* ... where each is */
    uint64_t log_room;
    struct origins loaded; /* the one that was read last */
    uint64_t loaded_number;
    bool has_loaded;
    uint64_t *known; /* a bit for states of the set that are on disk: they are not expanded again */
    uint64_t known_words;
    bool *scan;                     /* processes whose locations must be looked for in the states */
    bool miscounted;                /* memory was refused while counts were taken away */
    uint64_t totals[EPOCHS_TOTALS]; /* what sets counted of their own, of earlier epochs */
    uint64_t words;   /* different packed words on disk, when they were counted, and in clusters
                         that were given up */
    uint64_t records; /* that were on disk then */
};

/* block: bytes of files in memory. Memory is taken by calls that jump when it is refused. */
void epochs_init(struct epochs *epochs, struct search *search, struct entries *entries,
                 uint32_t block);
void epochs_release(struct epochs *epochs);

/* The epoch ends: states before `expanded`, and in a reduced search all that are, go to disk, the
 * others wait as entries, with their own origins. The set is empty then. False: the search must
 * end. */
bool epochs_end(struct epochs *epochs, uint64_t expanded);
/* Which of the first `count` entries of the batch are on disk: entries->has. */
bool epochs_find(struct epochs *epochs, uint64_t count);
/* Looks for states from `first` on that are on disk, if they are so many that it is worth it. */
bool epochs_find_known(struct epochs *epochs, uint64_t first);

static inline bool epochs_is_known(const struct epochs *epochs, uint64_t state)
{
    return state / 64 < epochs->known_words && epochs->known[state / 64] >> state % 64 & 1;
}

/* All states of the set are expanded, and nothing leads to them or those on disk any more: they are
 * given up. *states: how many different ones these were. False: the search must end. */
bool epochs_give_up(struct epochs *epochs, uint64_t *states);
/* When all is on disk: counts different packed words there, where somebody wants to know. False:
 * the search must end. */
bool epochs_count_words(struct epochs *epochs);
/* Adds what the sets of all epochs count of their own. */
void epochs_sum(const struct epochs *epochs, uint64_t *totals);

/* A property is violated in a state of the set: its entry gets a run to it, or the reason why there
 * is none. */
void epochs_violated(struct epochs *epochs, uint32_t property, uint64_t state,
                     uint32_t failed_rule);

#endif
