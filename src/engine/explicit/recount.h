/* What parts of a split search have counted more than once: past/net.h, of the explicit engine. */
#ifndef CAIRN_ENGINE_EXPLICIT_RECOUNT_H
#define CAIRN_ENGINE_EXPLICIT_RECOUNT_H

#include "past/net.h"

/* As net_find_repeated. */
bool recount_find(struct task *task, const char *const *folders, const uint64_t *states,
                  uint32_t count, struct net_counts *repeated, const char **why);

#endif
