/* The state graph of a small model, in memory: for pictures. The model is searched once more, by
 * the engine that can tell of its states and steps. */
#ifndef CAIRN_RUN_SKETCH_H
#define CAIRN_RUN_SKETCH_H

#include "run/session.h"

enum { SKETCH_STATES = 400, SKETCH_EDGES = 4000 }; /* no picture has more */

struct sketch_edge {
    uint32_t from, rule, to;
};

struct sketch {
    const struct model *model;
    bool has_zones;          /* states are symbolic ones */
    VEC(int64_t) values;     /* one per variable and state, state by state */
    VEC(const char *) zones; /* per state, in words; "": there are none */
    VEC(struct sketch_edge) edges;
    VEC(uint32_t) initial;
    bool is_large; /* there is more than this */
    atomic_int enough;
};

/* False: the graph is too large, or cannot be had in what is left of time and memory. `result` is
 * that of the search before: it says how large the graph is. */
bool sketch_make(struct sketch *sketch, struct session *session, const struct result *result);
void sketch_free(struct sketch *sketch);

#endif
