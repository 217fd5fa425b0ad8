/* The inside of the decision diagrams, shared by its parts: table.c (nodes, collection, limits),
 * boolean.c, image.c (relations, saturation), order.c (sifting), count.c and exact.c (counts),
 * without.c.
 *
 * Invariants (dd_check; also in the middle of operations, dd_check_nodes):
 *  1. a node's variable comes before those of its children in the order, and its children differ;
 *  2. no two nodes have the same variable and children: every node is in the chain of its
 *     variable's subtable;
 *  3. pair p is on levels 2 k and 2 k + 1 for its position k: now first, then next;
 *  4. an entry of the operation cache mentions existing nodes only (collections drop the
 *  others). */
#ifndef CAIRN_SOLVER_DD_PRIVATE_H
#define CAIRN_SOLVER_DD_PRIVATE_H

#include "base/checked.h"
#include "solver/dd/dd.h"

enum { NIL = 0, MARK = 0x80000000u, FREE_VAR = 0x7FFFFFFFu, LAST_LEVEL = 0x7FFFFFFFu };

struct dd_node {
    uint32_t var; /* MARK is set while collecting; FREE_VAR: not in use */
    bdd low, high;
    uint32_t
        next; /* in the chain, or in the free list; NIL ends both, as the constants are in none */
};

struct dd_subtable {
    uint32_t *heads;
    uint32_t size; /* a power of two */
    uint32_t count;
};

struct dd_cache_entry {
    uint32_t tag, extra; /* the operation, and what it depends on besides diagrams; tag 0: empty */
    bdd a, b, c, result;
};

enum dd_operation {
    OP_NONE,
    OP_NOT,
    OP_AND,
    OP_OR,
    OP_XOR,
    OP_DIFF,
    OP_ITE,
    OP_EXISTS,
    OP_SHIFT,
    OP_IMAGE,
    OP_PREIMAGE,
    OP_SATURATE,
    OP_FIRE,
    OP_WITHOUT
};

struct dd {
    struct mem *mem;
    struct dd_node *nodes;
    uint32_t capacity, used, free_list,
        in_use;                 /* nodes 0 .. used - 1 were given out at some time */
    struct dd_subtable *tables; /* per variable */
    uint64_t heads;             /* of all of them */
    uint32_t *place;            /* per pair: its position */
    uint32_t *pair_at;          /* per position */
    uint32_t pairs;
    struct dd_cache_entry *cache;
    uint32_t cache_size; /* a power of two */
    uint32_t evictions;  /* results lost to others since it last grew */

    bdd *stack; /* intermediate results of running operations */
    uint32_t top, stack_size;
    struct dd_root_array {
        bdd *data;
        uint32_t count;
    } * arrays;
    uint32_t array_count, array_cap;
    struct dd_guard *guard;

    bool (*poll)(void *context);
    void *poll_context;
    uint32_t poll_in;
    bool has_budget;
    uint64_t budget; /* results that are left */

    uint32_t version; /* of the order: relations keep derived data */
    uint32_t relation_ids;
    uint32_t session;      /* of saturation: its cached results are good for one set of relations */
    bool may_reorder, due; /* due: the live nodes have grown past `threshold` */
    bool saturating;
    uint32_t live, threshold;
    uint64_t peak, collections, reorderings;
    uint64_t check_saved; /* of builds that check: work that pays for the next check */
};

/* A tag is an operation and, for saturation, which depends on the relations that are given to it,
 * a session; for a shift, the number of pairs. */
enum { TAG_OPERATION = 0x1F, TAG_SHIFT = 5, TAG_SESSIONS = 0x7FFFFFF };

static inline uint32_t dd_level_of(const struct dd *dd, bdd a)
{
    if (a <= BDD_TRUE) return LAST_LEVEL;
    uint32_t var = dd->nodes[a].var;
    return 2 * dd->place[var / 2] + (var & 1);
}
/* The position of a's pair. */
static inline uint32_t dd_position_of(const struct dd *dd, bdd a)
{
    return a <= BDD_TRUE ? LAST_LEVEL : dd->place[dd->nodes[a].var / 2];
}
static inline uint32_t dd_var_at(const struct dd *dd, uint32_t level)
{
    return 2 * dd->pair_at[level / 2] + (level & 1);
}

/* The node (var, low, high), made when it does not exist. May collect: low and high survive that,
 * everything else must be protected. */
bdd dd_make(struct dd *dd, uint32_t var, bdd low, bdd high);

static inline bdd *dd_push(struct dd *dd, bdd a)
{
    assert(dd->top < dd->stack_size);
    dd->stack[dd->top] = a;
    return &dd->stack[dd->top++];
}
static inline void dd_pop(struct dd *dd, uint32_t count)
{
    CHECKED(count <= dd->top);
    dd->top -= count;
}

static inline struct dd_cache_entry *dd_cache_slot(const struct dd *dd, uint32_t tag,
                                                   uint32_t extra, bdd a, bdd b, bdd c)
{
    uint64_t h = ((uint64_t)a << 32 | b) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= ((uint64_t)c << 32 | extra) * UINT64_C(0xC2B2AE3D27D4EB4F);
    h += tag;
    h ^= h >> 29;
    h *= UINT64_C(0xBF58476D1CE4E5B9);
    return &dd->cache[(h >> 32) & (dd->cache_size - 1)];
}
static inline bool dd_cache_find(const struct dd *dd, uint32_t tag, uint32_t extra, bdd a, bdd b,
                                 bdd c, bdd *result)
{
    const struct dd_cache_entry *entry = dd_cache_slot(dd, tag, extra, a, b, c);
    if (entry->tag != tag || entry->extra != extra || entry->a != a || entry->b != b
        || entry->c != c)
        return false;
    *result = entry->result;
    return true;
}
/* Asks the caller whether to go on, and gives up when not. */
void dd_ask_poll(struct dd *dd);
/* The slot is computed again: the cache may have grown meanwhile. Every result counts as work, also
 * one that needs no new node: a conjunction can look at every pair of nodes and be false. */
static inline bdd dd_cache_put(struct dd *dd, uint32_t tag, uint32_t extra, bdd a, bdd b, bdd c,
                               bdd result)
{
    struct dd_cache_entry *entry = dd_cache_slot(dd, tag, extra, a, b, c);
    CHECKED(tag && result < dd->used); /* 4 */
    if (--dd->poll_in == 0) dd_ask_poll(dd);
    dd->evictions += entry->tag != 0;
    *entry = (struct dd_cache_entry){tag, extra, a, b, c, result};
    return result;
}
void dd_forget_cache(struct dd *dd);

/* ---- counting ---- */

/* Per position: how many of the pairs before it are counted, those numbered below `bits`; one more
 * entry for all. NULL when memory is refused. */
uint32_t *dd_list_counted(struct dd *dd, uint32_t bits);

/* Parts by their first level; constants have the first one of all. NULL when memory is refused. */
struct dd_part {
    uint32_t level, part;
};
struct dd_part *dd_sort_parts(struct dd *dd, const bdd *parts, uint32_t count);

/* Operations without protection of their operands, for use inside other operations. */
bdd dd_do_and(struct dd *dd, bdd a, bdd b);
bdd dd_do_or(struct dd *dd, bdd a, bdd b);
bdd dd_do_diff(struct dd *dd, bdd a, bdd b);
/* For results that are good for one list of operands: they are cached under its session. */
void dd_next_session(struct dd *dd);

/* Memory for one more block, or the way out. */
void *dd_need(struct dd *dd, void *block, size_t bytes);
void dd_refresh_relation(struct dd *dd, struct dd_relation *relation);
struct dd_subtable *dd_grow_subtable(struct dd *dd, struct dd_subtable *table);
uint32_t dd_subtable_slot(const struct dd_subtable *table, bdd low, bdd high);
/* A fresh node from the free list or the unused part; NIL when there is none. */
uint32_t dd_take_node(struct dd *dd);
void dd_give_node(struct dd *dd, uint32_t node);
/* NULL, or which invariant does not hold, whether operations run or not. */
const char *dd_check_nodes(const struct dd *dd);
/* Makes room for `wanted` free nodes by growing the table; false when refused. */
bool dd_make_room(struct dd *dd, uint32_t wanted);

#endif
