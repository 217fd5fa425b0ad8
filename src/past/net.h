/* Parts of a split search may visit the same states: parts that begin with different clusters meet
 * again in later ones. Where clusters are those of p-paths, a part alone may visit a state several
 * times, too. What each of them counted is gross; this finds, in the folders of the parts, what was
 * counted more than once. */
#ifndef CAIRN_PAST_NET_H
#define CAIRN_PAST_NET_H

#include "result/result.h"
#include "solver/freezer.h"

struct net_counts {
    uint64_t states, transitions, deadlocks, ends, runtime_errors;
    uint64_t discrete; /* timed: discrete states */
};

enum net_result { NET_ADDED, NET_FULL, NET_STRANGE };

/* A set of states, an engine's. What is there already when it is added is counted in `repeated`,
 * with what it added to the other counts when it was expanded. */
struct net_set {
    struct net_counts repeated;
    uint64_t slices, slice; /* only states of this slice are looked at: see net_is_in_slice */
    bool (*begin)(struct net_set *set); /* empty; false: memory was refused */
    void (*end)(struct net_set *set);   /* after begin, whatever that said */
    /* cluster: which it is of, of all folders. */
    enum net_result (*add)(struct net_set *set, const unsigned char *record, uint64_t size,
                           uint64_t cluster);
};

static inline bool net_is_in_slice(const struct net_set *set, uint64_t hash)
{
    return (hash >> 8) % set->slices == set->slice;
}

/* Folders of parts that are done, and how many states each of them has: a folder with fewer is
 * damaged. False: they cannot be read, or a limit was reached; *why says so. */
bool net_find_repeated(struct net_set *set, struct task *task,
                       const struct freezer_identity *identity, const char *const *folders,
                       const uint64_t *states, uint32_t count, const char **why);

#endif
