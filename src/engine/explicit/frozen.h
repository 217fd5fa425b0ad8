/* Past-freeze order with files: what a finished cluster leaves in them (solver/freezer.h), and how a search goes on from there. */
#ifndef CAIRN_ENGINE_EXPLICIT_FROZEN_H
#define CAIRN_ENGINE_EXPLICIT_FROZEN_H

#include "engine/explicit/past.h"

/* Opens task->freeze. False: the result says why the search cannot begin. */
bool frozen_open(struct past *past);
void frozen_release(struct past *past);
/* Freezes the current cluster, which is finished. False: the search must end. */
bool frozen_put(struct past *past);
/* The states of a store, in the order of their numbers. False: see freezer_error. */
bool frozen_put_states(struct freezer *freezer, const struct store *store);
/* Takes over what an earlier run has finished, and finds the clusters again that it had reached. False: the search must end. */
bool frozen_resume(struct past *past);
/* Reads the log of a cluster into past->loaded; false: *why says why not. */
bool frozen_log(struct past *past, uint64_t rank, const char **why);
/* The same of a folder that is open. */
bool frozen_log_of(struct past *past, struct freezer *freezer, uint64_t rank, const char **why);
/* No summary of a cluster is longer. */
uint64_t frozen_max_summary(const struct past *past);
/* Counts as they were when the last cluster was frozen. */
void frozen_restore_counts(struct past *past);
/* Waits until everything is written. */
bool frozen_finish(struct past *past);

#endif
