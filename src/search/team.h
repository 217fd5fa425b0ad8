/* Several threads that expand states ahead of the search (search.h). */
#ifndef CAIRN_SEARCH_TEAM_H
#define CAIRN_SEARCH_TEAM_H

#include "search/search.h"

struct team;

/* Up to so many threads, the caller's included, with so many bytes each; NULL: memory or threads
 * were refused, or there is one thread. */
struct team *team_start(struct search *search, uint32_t threads, uint64_t bytes);
/* Ends the threads. Nothing else may be called then. */
void team_stop(struct team *team);
uint32_t team_count(const struct team *team);
/* For other work between rounds. */
struct crew *team_crew(struct team *team);

/* Whether so many states are worth waking anybody. */
bool team_is_worth(const struct team *team, uint64_t states);
/* As search_expand. */
bool team_expand(struct team *team, uint64_t *cursor, uint64_t end);

#endif
