/* What comes before and after a search, whatever the space and the order are. */
#ifndef CAIRN_SEARCH_FRAME_H
#define CAIRN_SEARCH_FRAME_H

#include "search/order.h"

/* How often a search looks at the clock: at least after so many states, fewer where each has many
 * rules to try. */
struct frame_pace {
    uint32_t states, rules;
};

/* Prepares a search of a space that is ready; the result is empty but for what the engine says.
 * Monitors are added after this (findings_add), and then it is run. Memory is taken by calls that
 * jump when it is refused. */
struct search *frame_begin(struct task *task, struct space *space, const struct order *order,
                           const struct search_graph *graph, struct result *result, double started,
                           struct frame_pace pace);
/* The search itself. threads: as many as there are, with what the order can use. */
void frame_run(struct search *search, uint32_t threads);
/* What the result tells of the search; then everything that belongs to it is freed, and the
 * space. */
void frame_end(struct search *search);

#endif
