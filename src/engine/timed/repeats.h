/* What parts of a split search have counted more than once: past/net.h, of the timed engine. */
#ifndef CAIRN_ENGINE_TIMED_REPEATS_H
#define CAIRN_ENGINE_TIMED_REPEATS_H

#include "past/net.h"

/* As net_find_repeated. With equal zones everything; by inclusion discrete states only, because how
 * many zones there are, and steps, depends on the order in which they are found. */
bool repeats_find(struct task *task, const char *const *folders, const uint64_t *states,
                  uint32_t count, struct net_counts *repeated, const char **why);

#endif
