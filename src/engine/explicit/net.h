/* Parts of a split search may visit the same states: parts that begin with different clusters meet again in later ones. What each of them counted is gross; this finds, in the folders
 * of the parts, what was counted more than once. */
#ifndef CAIRN_ENGINE_EXPLICIT_NET_H
#define CAIRN_ENGINE_EXPLICIT_NET_H

#include "result/result.h"

struct net_counts {
    uint64_t states, transitions, deadlocks, ends, runtime_errors;
};

/* Folders of parts that are done, and how many states each of them has: a folder with fewer is damaged. False: they cannot be read, or a limit was reached; *why says so. */
bool net_find_repeated(struct task *task, const char *const *folders, const uint64_t *states, uint32_t count, struct net_counts *repeated, const char **why);

#endif
