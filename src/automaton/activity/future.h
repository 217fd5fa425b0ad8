/* Futures: finite, non-empty sets of words, hash-consed, so that equal sets are equal indices. A
 * future is what a state of a minimal acyclic automaton stands for: whether the empty word is in
 * it, and what may follow each first label. So the futures that can be reached from one are the
 * states of its minimal deterministic automaton, and nothing ever needs minimising.
 *
 * In a branching table the two operands of a shuffle may both have an edge with one label. Such
 * futures are trees of choices instead of sets of words, equal when they are bisimilar; what has
 * been made without such shuffles is as in any table.
 *
 * Layout: flat arrays; the edges of future f are edges[first[f]] .. edges[first[f + 1] - 1],
 * ascending by label, then target. Invariants:
 * (1) edges lead to smaller indices; (2) no two futures have equal edges and finality; (3) future 0
 *     is the empty word alone, and no future is empty. */
#ifndef CAIRN_AUTOMATON_ACTIVITY_FUTURE_H
#define CAIRN_AUTOMATON_ACTIVITY_FUTURE_H

#include "base/build.h"
#include "base/mem.h"

typedef struct {
    uint32_t i;
} future;

enum { FUTURE_END = 0, FUTURE_NONE = 0xFFFFFFFF };

struct future_edge {
    uint32_t label, to;
};

struct future_work; /* what operations keep between calls, see future_combine.c */

struct futures {
    struct mem *mem;
    bool is_branching;
    uint32_t limit;           /* of states of any automaton that an operation makes */
    enum build_status status; /* why the last operation gave FUTURE_NONE */
    uint32_t count;
    uint32_t *first;   /* [count + 1] */
    uint32_t *longest; /* length of the longest word, times 4, + 2 when it or a future after it
                          branches, + 1 when the empty word is in */
    struct future_edge *edges;
    uint64_t edge_count, edge_cap, first_cap, longest_cap;
    uint64_t *slots; /* hash << 32 | index + 1; 0: free */
    uint32_t size;
    struct future_work *work;
};

/* False when memory is refused; release is right in any case. */
bool futures_init(struct futures *futures, struct mem *mem, bool is_branching, uint32_t limit);
void futures_release(struct futures *futures);
/* Keeps the futures, but no operation may follow: frees what only operations need. */
void futures_forget(struct futures *futures);

static inline bool future_has_empty(const struct futures *futures, future f)
{
    return futures->longest[f.i] & 1;
}

static inline uint32_t future_longest(const struct futures *futures, future f)
{
    return futures->longest[f.i] >> 2;
}

static inline bool future_branches(const struct futures *futures, future f)
{
    return futures->longest[f.i] & 2;
}

/* Operations give FUTURE_NONE when memory is refused or the limit is passed, and say why in
 * `status`; FUTURE_NONE as an operand gives it again. future_make takes edges ascending by label;
 * it is the only way to make a future. */
future future_make(struct futures *futures, bool has_empty, const struct future_edge *edges,
                   uint32_t count);
future future_word(struct futures *futures, uint32_t label, future then);
future future_union(struct futures *futures, future a, future b);
future future_sequence(struct futures *futures, future a, future b);
future future_shuffle(struct futures *futures, future a, future b);

/* Whether the invariants hold. */
bool futures_check(const struct futures *futures);

#endif
