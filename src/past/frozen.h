/* Past-freeze order with files: what a finished cluster leaves in them (solver/freezer.h), and how
 * a search goes on from there. */
#ifndef CAIRN_PAST_FROZEN_H
#define CAIRN_PAST_FROZEN_H

#include "past/history.h"

/* Opens task->freeze. False: the result says why the search cannot begin. */
bool frozen_open(struct history *history);
void frozen_release(struct history *history);
/* Freezes the current cluster, which is finished. False: the search must end. */
bool frozen_put(struct history *history);
/* Takes over what an earlier run has finished, and finds the clusters again that it had reached.
 * False: the search must end. */
bool frozen_resume(struct history *history);
/* Reads the log of a cluster into history->loaded; false: *why says why not. */
bool frozen_log(struct history *history, uint64_t rank, const char **why);
/* The same of a folder that is open. */
bool frozen_log_of(struct history *history, struct freezer *freezer, uint64_t rank,
                   const char **why);
/* No summary of a cluster is longer. */
uint64_t frozen_max_summary(const struct history *history);
/* Counts as they were when the last cluster was frozen. */
void frozen_restore_counts(struct history *history);
/* Waits until everything is written. */
bool frozen_finish(struct history *history);

#endif
