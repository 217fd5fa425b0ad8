/* The symbolic states of a search: pairs of a discrete state and a zone, numbered 0, 1, 2, ... as
 * they are found.
 *
 * Discrete states are kept once, in a store; zones are kept once, in solver/zone/zones. A pair
 * costs 20 bytes beside them, and, for comparing zones, 20 more by inclusion or about as many when
 * they are told apart exactly. Two ways of keeping pairs:
 *  - equal: each pair once, the whole zone graph;
 *  - by inclusion: a pair whose zone lies in that of a known pair of the same discrete state is not
 *    kept, and known pairs whose zones lie in a new one are given up. Enough for reachability. A
 *    pair that was given up keeps its number, because others may have been found from it. One of
 *    the level that is being expanded is expanded all the same: what follows from it would else be
 *    found a step later, and ways to states would not be shortest ones. */
#ifndef CAIRN_ENGINE_TIMED_NODES_H
#define CAIRN_ENGINE_TIMED_NODES_H

#include "solver/store.h"
#include "solver/zone/zones.h"

enum { NODES_NONE = 0xFFFFFFFF };

struct node {
    uint32_t discrete, zone;
    uint32_t parent, rule; /* NODES_NONE: an initial one */
    uint32_t next;         /* of the same discrete state; itself: given up, need not be expanded */
};

/* What is quickly compared of two zones of a discrete state: when one lies in the other, none of
 * its sums is larger and its bits are bits of the other. */
enum { MEASURE_SUMS = 4 };
struct node_measure {
    int32_t sums[MEASURE_SUMS]; /* of bounds, each of them in one sum */
    uint32_t infinite;          /* which bounds are infinite, a bit for several of them */
};

struct discrete_info {
    uint32_t config;
    uint32_t first; /* of its pairs */
};

/* Working memory; several sets of nodes can have it in common. All zero at first. */
struct nodes_work {
    struct zones_work zones;
    struct dbm loaded;
    bool has_loaded;
};

struct nodes {
    struct mem *mem;
    struct nodes_work *work;
    bool equal;
    struct store discrete;
    struct discrete_info *infos; /* per discrete state */
    uint64_t info_cap;
    struct zones zones;
    struct node *list;
    struct node_measure *measures; /* by inclusion: of each */
    uint64_t count, capacity, measure_cap;
    uint64_t next_level;        /* pairs from here on are of the next level: see above */
    uint64_t given_up, covered; /* pairs given up; pairs not kept because of another */
    struct store pairs;         /* equal: (discrete, zone), numbered like the list */
};

enum nodes_result { NODES_NEW, NODES_KNOWN, NODES_REFUSED };

/* False when memory is refused; then nothing is left to release. */
bool nodes_init(struct nodes *nodes, struct mem *mem, uint32_t record_bytes, bool equal,
                struct nodes_work *work);
void nodes_release(struct nodes *nodes);
void nodes_release_work(struct nodes_work *work, struct mem *mem);

/* Adds a discrete state that is not there yet. NODES_NONE: memory was refused. */
uint32_t nodes_add_discrete(struct nodes *nodes, const uint64_t *words, uint64_t hash,
                            uint32_t config);
/* Adds a pair; *index is the pair that stands for it. After NODES_REFUSED it can be tried again. */
enum nodes_result nodes_add(struct nodes *nodes, uint32_t discrete, const struct dbm *zone,
                            uint32_t parent, uint32_t rule, uint32_t *index);

static inline bool nodes_is_given_up(const struct nodes *nodes, uint32_t node)
{
    return nodes->list[node].next == node;
}
static inline uint64_t nodes_kept(const struct nodes *nodes)
{
    return nodes->count - nodes->given_up;
}

#endif
