/* The symbolic states of a search: pairs of a discrete state and a zone, numbered 0, 1, 2, ... as
 * they are found. They are a set of the search (search/set.h).
 *
 * Discrete states are kept once, in a store, which compares them without hidden variables (these
 * set clocks, and say nothing after the step that wrote them); zones are kept once, in
 * solver/zone/zones. A pair costs 15 bytes beside them by inclusion, 35 by simulation, and 10 with
 * some 10 more for finding it when all are told apart. Three ways of keeping pairs:
 *  - equal: each pair once, the whole zone graph;
 *  - by inclusion: a pair whose zone lies in that of a known pair of the same discrete state is not
 *    kept, and known pairs whose zones lie in a new one are given up. Enough for reachability. A
 *    pair that was given up keeps its number, because others may have been found from it. It is
 *    closed, and need not be expanded; but not one of the level that is being expanded: what
 *    follows from it would else be found a step later, and ways to states would not be shortest
 *    ones;
 *  - by simulation: the same, where a zone also counts as lying in another when each of its points
 *    is simulated by one of the other, by the bounds L and U of their discrete state (dbm.h,
 *    dbm_included_lu). Enough for what a simulating point can do as well: to reach discrete states
 *    and moments at which clocks compare in a way that L and U know of; not for being stuck.
 *
 * By simulation zones stay extrapolated. Leaving that out would keep the very same pairs: with A
 * for a_LU, Extra(Z) lies between Z and A(Z), and A(A(Z)) = A(Z), so that Extra(Z) is in A(Z')
 * exactly when Z is; and what follows from points of A(Z) is in A of what follows from Z. So the
 * same steps are covered, zone for zone. But extrapolated zones have shorter strings, equal ones
 * are found more often, and most tests end with plain inclusion.
 *
 * Invariants: (1) the pairs of a discrete state that were not given up are linked, the last one
 * first, so that numbers descend; (2) every zone of a set by inclusion, and every pair by
 * simulation, has a measure. */
#ifndef CAIRN_ENGINE_TIMED_NODES_H
#define CAIRN_ENGINE_TIMED_NODES_H

#include "engine/timed/config.h"
#include "program/layout.h"
#include "result/result.h"
#include "search/set.h"
#include "solver/store.h"
#include "solver/zone/measure.h"
#include "solver/zone/zones.h"

enum { NODES_BITS = 40 }; /* of a number inside */
#define NODES_NONE ((UINT64_C(1) << NODES_BITS) - 1)

/* A number, packed. */
static inline uint64_t nodes_number(uint32_t low, uint8_t high)
{
    return (uint64_t)high << 32 | low;
}

struct node {
    uint32_t discrete, zone, next; /* next: of the same discrete state */
    uint8_t discrete_high, next_high;
    bool is_closed;
} __attribute__((packed));

/* The same where each pair is kept: a record. */
struct node_pair {
    uint32_t discrete, zone;
    uint8_t discrete_high, zone_high;
} __attribute__((packed));

struct node_discrete {
    uint32_t config;
    uint32_t first; /* of its pairs */
    uint8_t first_high;
} __attribute__((packed));

/* Working memory, of one thread; several sets of nodes can have it in common. All zero at first. */
struct nodes_work {
    struct zones_work zones;
    struct dbm loaded;
    bool has_loaded;
    int32_t *lower, *upper; /* of the discrete state at hand, by clocks of its zones ... */
    uint32_t bound_room;    /* ... for so many of them */
};

struct nodes {
    struct set set; /* first: it is known by it. set.count: pairs */
    struct space *space;
    struct mem *mem;
    struct nodes_work *work;
    enum zone_storage storage;
    bool equal;                    /* it is ZONES_EQUAL */
    const struct configs *configs; /* by simulation: where L and U are */
    struct store discrete;
    struct node_discrete *infos; /* per discrete state */
    uint64_t info_cap;
    struct zones zones;
    struct node *list;        /* by inclusion: of pairs */
    struct measure *measures; /* by inclusion: of zones; by simulation: of pairs */
    uint64_t capacity, measure_cap;
    uint64_t given_up, covered; /* pairs given up; pairs not kept because of another */
    struct store pairs;         /* equal: node_pairs */
    struct zones *wide; /* whose strings do not fit in a record (nodes_records.c), or NULL */
};

/* A zone that is to be added. What was made ahead of it may be missing. */
struct nodes_zone {
    const struct dbm *dbm;
    const uint8_t *string; /* as zones_write has written it, or NULL; then all of these: */
    size_t bytes;
    uint32_t hash;
    uint64_t seen; /* pairs before this number do not include it */
};

enum nodes_result { NODES_NEW, NODES_KNOWN, NODES_REFUSED };

/* False when memory is refused; then nothing is left to release. By simulation the caller sets
 * nodes->configs. */
bool nodes_init(struct nodes *nodes, struct mem *mem, const struct layout *layout,
                enum zone_storage storage, struct nodes_work *work);
void nodes_release(struct nodes *nodes);
void nodes_release_work(struct nodes_work *work, struct mem *mem);

/* Adds a discrete state unless it is there; is_new says. STORE_NONE: memory was refused. */
uint64_t nodes_add_discrete(struct nodes *nodes, const uint64_t *words, uint64_t hash,
                            uint32_t config, bool *is_new);
/* Adds a pair; *index is the pair that stands for it. After NODES_REFUSED it can be tried again. */
enum nodes_result nodes_add(struct nodes *nodes, uint64_t discrete, const struct nodes_zone *zone,
                            uint64_t *index);
/* A known pair that stands for this one, or SET_NONE: there is none among those that are there, up
 * to zone->seen. Makes, in `work`, what nodes_add needs then. Changes nothing else, so that threads
 * may do it at the same time. False: memory was refused. */
bool nodes_look(const struct nodes *nodes, uint64_t discrete, struct nodes_zone *zone,
                struct nodes_work *work, struct mem *mem, uint64_t *index);

/* Of a set by inclusion: whether a pair of the discrete state includes the zone. */
bool nodes_covers(const struct nodes *nodes, uint64_t discrete, const struct dbm *zone);

/* Of a set whose pairs are all told apart: the number of one, by its zone's string, or SET_NONE. */
uint64_t nodes_find_equal(const struct nodes *nodes, uint64_t discrete, const uint8_t *string,
                          size_t bytes, uint32_t hash);

/* What a pair is of. */
static inline uint64_t nodes_discrete_of(const struct nodes *nodes, uint64_t node)
{
    if (nodes->equal) {
        const struct node_pair *pair = store_get(&nodes->pairs, node);
        return nodes_number(pair->discrete, pair->discrete_high);
    }
    return nodes_number(nodes->list[node].discrete, nodes->list[node].discrete_high);
}
static inline uint64_t nodes_zone_of(const struct nodes *nodes, uint64_t node)
{
    if (nodes->equal) {
        const struct node_pair *pair = store_get(&nodes->pairs, node);
        return nodes_number(pair->zone, pair->zone_high);
    }
    return nodes->list[node].zone;
}
static inline bool nodes_is_closed(const struct nodes *nodes, uint64_t node)
{
    return !nodes->equal && nodes->list[node].is_closed;
}
static inline uint64_t nodes_kept(const struct nodes *nodes)
{
    return nodes->set.count - nodes->given_up;
}

/* What a set counts of its own: in this order in history->more. `largest`: most clocks in a
 * zone. */
struct nodes_totals {
    uint64_t discrete, zones, zone_bytes, covered, given_up, largest;
};

extern const struct set_kind nodes_kind;
extern const struct set_records nodes_records;

/* A record in files begins with a byte that says whether the pair was closed before its turn came,
 * and not expanded; then come the discrete state, and the zone as a string (zones.h). */
enum { NODES_CLOSED = 1 };

bool nodes_check(const struct nodes *nodes);

#endif
