/* Runs of a search by several peers: found backwards, from a state that one of them has. Who
 * discovered whom is kept nowhere; but in breadth-first order a state of a level has a step that
 * leads there from the level before. So all peers expand that level once more, and the first one
 * that finds such a step tells it: level by level. All get the same run. */
#ifndef CAIRN_SEARCH_TRAIL_H
#define CAIRN_SEARCH_TRAIL_H

#include "search/search.h"

struct trail {
    struct search *search;
    const uint64_t *firsts; /* per level: its first state here; a last one: of the next level */
    uint32_t level_count;
    uint32_t finder;      /* the peer that has the state; the rest only it knows: */
    uint64_t state;       /* its number there */
    uint32_t failed_rule; /* or MODEL_NONE */
};

/* Gives a property, which is violated, the run to the state; without time for it, the state. By all
 * peers. False: a peer has failed. Memory is taken by calls that jump when it is refused. */
bool trail_show(const struct trail *trail, uint32_t property);

#endif
