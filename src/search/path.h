/* From numbers of states to runs. */
#ifndef CAIRN_SEARCH_PATH_H
#define CAIRN_SEARCH_PATH_H

#include "search/search.h"

/* Numbers of states, the last one first while the way is followed back. */
struct path {
    VEC(uint64_t) states;
    const bool *last_choice; /* rules to show only where no other leads on; NULL: the first one */
};

/* The run through these states of search->set, first to last; the path is released. Memory is taken
 * by calls that jump when it is refused. */
struct trace *path_trace(struct search *search, struct path *path);
void path_reverse(struct path *path);
/* A rule that leads from one state of a set to another, or MODEL_NONE. */
uint32_t path_rule(struct search *search, struct set *set, uint64_t from, uint64_t to);

/* The initial state with this number, in the order in which they are enumerated. False: there is
 * none. */
bool path_initial(const struct model *model, uint64_t number, int64_t *values);
/* A run that takes the steps with these numbers, the last one first, from the initial state that
 * the trace has. False: there is none. */
bool path_follow(struct search *search, struct trace *trace, const uint32_t *steps);

/* The entry of a property gets a trace that ends in this state, and what the space adds to it. */
void path_show(struct search *search, uint32_t property, struct trace *trace, uint32_t failed_rule,
               const uint64_t *words);

#endif
