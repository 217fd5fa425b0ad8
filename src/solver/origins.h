/* Who discovered whom in one cluster of past-freeze order, and by which of its steps: about half a
 * byte per state.
 *
 * The states of a cluster are found while other clusters, and then it itself, are searched, one
 * after the other. So a log has segments, one per source cluster; within a segment the discovering
 * states never decrease, and a state discovers several by increasing numbers of its steps. (A step
 * that leads to several symbolic states at once begins a segment for each but the first.) What is
 * written per found state is the difference to the discoverer before, and the number of the step
 * (counted among the steps that can be taken in the discoverer, from 0; less that of the one before
 * when the discoverer is the same), both as exponential Golomb numbers of order 0: one bit for 0,
 * three for 1 and 2, five for 3 to 6.
 *
 * With the numbers of steps a run can be followed from its initial state without any other state at
 * hand: that is why they are written. */
#ifndef CAIRN_SOLVER_ORIGINS_H
#define CAIRN_SOLVER_ORIGINS_H

#include "base/mem.h"

enum {
    ORIGINS_MARK = 256,      /* states between marks */
    ORIGINS_ENTRY_BITS = 146 /* of an entry, at most */
};
/* A number of a state in a mark is in two pieces. */
#ifdef CAIRN_DEGENERATE
enum { ORIGINS_LOW = 8, ORIGINS_HIGH = 32 };
#else
enum { ORIGINS_LOW = 32, ORIGINS_HIGH = 8 };
#endif
#define ORIGINS_END (UINT64_C(1) << 40) /* numbers of states are smaller */

#define ORIGINS_INITIAL UINT64_MAX /* the source of initial states */

struct origins_segment {
    uint64_t source; /* the rank of the cluster it was found from (less the lowest one), or
                        ORIGINS_INITIAL */
    uint64_t bit;    /* where its part of the log begins */
    uint64_t first;  /* its first state */
};

/* Where reading may begin: before state number i * ORIGINS_MARK. */
struct origins_mark {
    uint64_t bit : 64 - ORIGINS_HIGH, high : ORIGINS_HIGH;
    uint32_t low, step; /* the state, less its high bits, and the step: as of the state before */
};

struct origins {
    uint64_t *words; /* the log */
    uint64_t bits, bit_room;
    uint64_t last_source; /* of the last segment */
    uint64_t last_state;  /* of the last entry in it */
    uint64_t states;      /* that were logged */
    uint32_t last_step;
    uint32_t segment_count, segment_room;
    uint32_t mark_room; /* a mark is made for every ORIGINS_MARK-th state */
    struct origins_segment *segments;
    struct origins_mark *marks;
    struct mem *mem;
};

struct origin {
    uint64_t source;
    uint64_t state; /* of an initial state: its number in this cluster */
    uint32_t step;
};

void origins_init(struct origins *origins, struct mem *mem);
void origins_release(struct origins *origins);
/* Forgets everything, and keeps the memory when it is little. */
void origins_clear(struct origins *origins);
static inline uint64_t origins_marks(const struct origins *origins)
{
    return (origins->states + ORIGINS_MARK - 1) / ORIGINS_MARK;
}
/* Room for so many more segments. False: memory was refused. */
bool origins_reserve_segments(struct origins *origins, uint64_t count);
/* Room for so many more that one state discovers, in the order of its steps: then as many calls of
 * origins_put may follow. They begin at most one segment, unless steps lead to several states.
 * False: memory was refused. */
bool origins_grow(struct origins *origins, uint64_t count);
static inline bool origins_reserve(struct origins *origins, uint64_t count)
{
    return (origins->bits + ORIGINS_ENTRY_BITS * count + 62 <= origins->bit_room
            && origins->segment_count < origins->segment_room
            && origins->mark_room - origins_marks(origins) > count / ORIGINS_MARK)
           || origins_grow(origins, count);
}
/* The next state was found from there. False: memory was refused, and nothing has changed. */
bool origins_add(struct origins *origins, uint64_t source, uint64_t state, uint32_t step);
/* The same where room was reserved. */
void origins_put(struct origins *origins, uint64_t source, uint64_t state, uint32_t step);
/* Brings what origins_add will need closer. */
static inline void origins_prefetch(const struct origins *origins)
{
    __builtin_prefetch(&origins->words[origins->bits / 64]);
}
/* How many states were logged before the first that was found from this source. */
uint64_t origins_before(const struct origins *origins, uint64_t source);
/* Of a state that was logged. */
struct origin origins_of(const struct origins *origins, uint64_t state);

/* As bytes, for keeping them elsewhere: how many at most; writes them and says how many. */
uint64_t origins_bound(const struct origins *origins);
uint64_t origins_write(const struct origins *origins, unsigned char *bytes);
/* Reads them back into a cleared log. False: they are damaged, or memory was refused. */
bool origins_read(struct origins *origins, const unsigned char *bytes, uint64_t size);
/* Whether the invariants hold. */
bool origins_check(const struct origins *origins);

#endif
