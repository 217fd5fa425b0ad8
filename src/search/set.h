/* Where states are known. A set gives its states numbers: 0, 1, 2, ... in the order in which they
 * were added. What a state is, only the kind of the set knows: packed words (flat.h), or words with
 * a zone. All sets of a search are of one kind, and are asked about many states at a time: about
 * steps of a worker's batch (batch.h). */
#ifndef CAIRN_SEARCH_SET_H
#define CAIRN_SEARCH_SET_H

#include "base/mem.h"

struct worker;
struct space;
struct freezer;
struct store;
struct runs_items;

#define SET_NONE UINT64_MAX        /* no state's number */
#define SET_KNOWN (UINT64_MAX - 1) /* nor this, but there is one */

struct set_kind;

/* The beginning of every set. */
struct set {
    const struct set_kind *kind;
    uint64_t count;      /* numbers given so far */
    uint64_t known;      /* steps that were taken out of batches: they lead to states of this set */
    uint64_t next_level; /* states from here on need not be expanded once another stands for them */
    void *owner;         /* the order's: what it keeps of this set beside its states */
};

struct set_kind {
    /* A new one, empty; NULL: memory was refused. The end of one. */
    struct set *(*make)(struct space *space);
    void (*free)(struct set *set);
    /* Makes it empty and keeps its memory, when that is little; false: it must be freed. */
    bool (*clear)(struct set *set);
    /* The words of a state, copied out. */
    void (*load)(const struct set *set, uint64_t state, uint64_t *words);
    /* The words of states from `first` to before `end` are not asked for any more. When this is
     * here, states do not have their numbers found, and a run is found without their words. */
    void (*forget)(struct set *set, uint64_t first, uint64_t end);
    /* Brings closer what looking these steps up will need. */
    void (*prefetch)(const struct worker *worker, uint32_t first, uint32_t end);
    /* Looks steps up, without changing anything, so that threads may do it at the same time: `to`
     * becomes a number, or SET_NONE, which says nothing unless the set has parts. Steps without a
     * set are left alone. */
    void (*look)(struct worker *worker, uint32_t first, uint32_t end);
    /* The same for steps of one set, when those that are known are only to be counted
     * (worker->taken): the others are moved to `to` and behind; returns the end of them. May be
     * NULL. */
    uint32_t (*sift)(struct worker *worker, uint32_t first, uint32_t end, uint32_t to);
    /* Adds steps that have a set, in their order, unless they are known: `to` is their number, and
     * new ones are added to the batch's `fresh`. Returns where it ended: before `end`, memory was
     * refused for that step. */
    uint32_t (*add)(struct worker *worker, uint32_t first, uint32_t end);
    /* The same for one state that is nobody's step: its number. SET_NONE: memory was refused. */
    uint64_t (*add_one)(struct set *set, const uint64_t *words, uint64_t hash, bool *is_new);
    /* The number of the state that a step leads to, or SET_NONE. */
    uint64_t (*find)(struct worker *worker, uint32_t step);
    /* Whether a state still must be expanded when its turn comes; NULL: all. */
    bool (*is_open)(const struct set *set, uint64_t state);
    /* The states that count: NULL: all that have numbers. */
    uint64_t (*kept)(const struct set *set);
    /* By how many states that count there are more, after this step was added as a new one; NULL:
     * by one. */
    int64_t (*gained)(const struct worker *worker, uint32_t step);
    /* The packed words that its states have, each once. */
    const struct store *(*store)(const struct set *set);
    /* Adds what the set counts of its own, `more` numbers, to others that were added before; NULL:
     * nothing. */
    void (*sum)(const struct set *set, uint64_t *totals);
    unsigned more;
    bool varies; /* records in files differ in size */
    /* The states from `first` to before `end` as records in files: how many bytes at most, with
     * FREEZER_ITEM for each piece that they are put in; puts them. False: see freezer_error. */
    uint64_t (*bytes)(const struct set *set, uint64_t first, uint64_t end);
    bool (*freeze)(const struct set *set, uint64_t first, uint64_t end, struct freezer *freezer);
    /* Whether a step leads to just this state, and not to one that it stands for. */
    bool (*is)(struct worker *worker, uint32_t step, const struct set *set, uint64_t state);
    const struct set_parts *parts; /* NULL: only one thread can add */
    const struct set_records *records;
};

/* States as records of one size, which are compared byte by byte: for an order that keeps states on
 * disk. A record is the packed words, then `more` bytes. Calls are made by one thread at a time. */
struct set_records {
    uint32_t more;
    /* The record of a state of the set; of what a step leads to, whose set this would be. False:
     * memory was refused. */
    bool (*of_state)(struct set *set, uint64_t state, char *record);
    bool (*of_step)(struct worker *worker, uint32_t step, struct set *set, char *record);
    /* Whether a state of the set stands for it. */
    bool (*has)(struct worker *worker, const struct set *set, const char *record);
    /* Appends it to an empty batch, as an initial state; once that is cleared, the state can be
     * expanded without a set. False: memory was refused. */
    bool (*thaw)(struct worker *worker, const struct set *set, const char *record);
    /* The states before number `end` that were expanded, to be added to what is on disk, but for
     * those that `skips` (solver/runs.h). What the set says is of no use after that: it must be
     * emptied. False: memory was refused. */
    bool (*list)(struct set *set, uint64_t end, bool (*skips)(const void *context, uint64_t state),
                 const void *context, struct runs_items *items);
    /* Empties a set, whatever has become of it. False: memory was refused, and it can only be
     * freed. */
    bool (*empty)(struct set *set);
    /* After all sets were summed: so many different packed words are on disk. May be NULL. */
    void (*count)(uint64_t words, uint64_t *totals);
};

/* A step that is not known, for the worker of its part (merge.h). */
struct set_entry {
    uint64_t hash;
    union {
        struct {
            uint32_t step;   /* in its batch */
            uint32_t is_new; /* no other in this round comes before it */
        };
        uint64_t number; /* once it has one; a twin has SET_NONE */
    };
};

/* How several threads add many states at once: each those of some parts. They get their numbers
 * before they are counted: set->count is raised state by state, as the search comes to them. */
struct set_parts {
    /* So many, a power of two: a state's part is in the low bits of its hash. 0: there is no room
     * for parts yet. */
    uint32_t (*count)(const struct set *set);
    /* For a set that cannot always tell the hash of a step before it is added: those that have none
     * get one, by one thread, in the order of the search. False: memory is short. NULL: they have.
     */
    bool (*complete)(struct worker *worker, struct set *set, uint32_t first, uint32_t end);
    /* Room for so many new states, so many of them in each part, with `spare` bytes of memory left;
     * then so many, or fewer, get their numbers. False: memory is short, and the set is as
     * before. */
    bool (*reserve)(struct set *set, uint64_t states, const uint32_t *in_part, uint64_t spare);
    void (*give)(struct set *set, uint64_t states);
    /* For a set that knows states without their numbers: adds states of a part, unless they are
     * known, and says which are new, up to one for which there is no place; returns where that is.
     * `end`: more entries are behind them. NULL: states are linked when they are written. */
    uint32_t (*put)(struct set *set, struct set_entry *entries, uint32_t count, uint32_t end);
    void (*take_back)(struct set *set, uint64_t hash); /* by one thread */
    bool (*same)(const struct set *set, const uint64_t *a, const uint64_t *b);
    void (*write)(struct set *set, uint64_t state, const uint64_t *words, uint64_t hash);
    /* Before states of a part are linked: brings what there is of it to where there is room. After
     * all were linked, by one thread. */
    void (*widen)(struct set *set, uint32_t part);
    /* Before: room for parts that will be full soon, when each has so many more; whether for any.
     * Then, by several threads, while states are looked up, and `tidy` before any is added. */
    bool (*foresee)(struct set *set, uint32_t states, uint64_t spare);
    void (*sweep)(struct set *set, uint32_t part);
    void (*tidy)(struct set *set);
    /* Once it is written: from now on it can be found. False: there is no place for it; then
     * link_alone, by one thread, makes some, unless memory is refused. */
    bool (*link)(struct set *set, uint64_t state, uint64_t hash);
    bool (*link_alone)(struct set *set, uint64_t state);
    /* Brings closer what linking a state with this hash will need. */
    void (*prefetch)(const struct set *set, uint64_t hash);
    /* Forgets all that are not counted. */
    void (*cut)(struct set *set);
};

static inline uint64_t set_kept(const struct set *set)
{
    return set->kind->kept ? set->kind->kept(set) : set->count;
}

#endif
