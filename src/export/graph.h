/* The state graph as DOT (for pictures) and as Aldebaran .aut (for other tools): writers that are
 * fed states and edges. */
#ifndef CAIRN_EXPORT_GRAPH_H
#define CAIRN_EXPORT_GRAPH_H

#include "model/model.h"

#include <stdio.h>

struct graph_writer {
    const struct model *model;
    FILE *out;
    int64_t *initial;       /* DOT shows of later states what differs from the first */
    uint64_t initial_count; /* .aut: with several initial states, number 0 is an extra state before
                               them */
};

#define GRAPH_INITIAL UINT64_MAX /* the source of initial states */

/* DOT: begin, then states and edges in any order, then end. The zone is a line about time, or "".
 */
void graph_dot_begin(struct graph_writer *writer);
void graph_dot_state(void *writer, uint64_t state, const int64_t *values, const char *zone);
void graph_dot_edge(void *writer, uint64_t from, uint32_t rule, uint64_t to);
void graph_dot_end(struct graph_writer *writer);

/* .aut has a single initial state, number 0. Several initial states get one before them, with steps
 * labelled "i". */
void graph_aut_begin(struct graph_writer *writer, uint64_t states, uint64_t transitions,
                     uint64_t initial_states);
void graph_aut_state(void *writer, uint64_t state, const int64_t *values, const char *zone);
void graph_aut_edge(void *writer, uint64_t from, uint32_t rule, uint64_t to);

#endif
