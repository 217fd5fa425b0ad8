/* Several threads for a search that is divided by p-points: all of them expand states, one adds
 * what they found. Inside of engine/explicit only. */
#ifndef CAIRN_ENGINE_EXPLICIT_PARTITION_TEAM_H
#define CAIRN_ENGINE_EXPLICIT_PARTITION_TEAM_H

#include "base/crew.h"
#include "engine/explicit/partition.h"

struct team;

/* Room for so many threads, of about `bytes` each; NULL: memory was refused. No thread runs before
 * partition_team_start. */
struct team *partition_team_new(struct partition *partition, uint32_t threads, uint64_t bytes);
void partition_team_release(struct team *team);
/* Starts the threads, as many as the system gives, and says how many there are now; ends them. */
uint32_t partition_team_start(struct team *team);
void partition_team_stop(struct team *team);
/* For other work between rounds. */
struct crew *partition_team_crew(struct team *team);

/* Whether so many states are worth waking anybody. */
bool partition_team_is_worth(const struct team *team, uint64_t states);
/* Expands states from the partition's cursor on, some of those before `end`, and adds their
 * successors in the order in which one thread would have; the batch of the search is empty. The
 * cursor is behind the last state that was expanded: the epoch may have to end there. False: memory
 * was refused, as partition_add has noted, or the search must end. */
bool partition_team_expand(struct team *team, uint64_t end);

#endif
