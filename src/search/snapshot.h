/* What a breadth-first search keeps in files (solver/freezer.h), so that another run can go on with
 * it: every state is written once, behind the level that it belongs to.
 *
 * A part of the files is one level, or some that have few states: the states that they begin with,
 * in the order of their numbers; the log of parents as far as it has come; a summary
 * (past/summary.h). All of it is about the moment at which the last of these levels begins:
 * everything before it is expanded, nothing of it is. So a run that goes on is where another one
 * was at that moment, in every respect, and its result is the same.
 *
 * States stay in memory: breadth-first search must know all of them. */
#ifndef CAIRN_SEARCH_SNAPSHOT_H
#define CAIRN_SEARCH_SNAPSHOT_H

#include "search/levels.h"
#include "search/parents.h"
#include "search/search.h"

struct snapshot;

/* What a snapshot is of: the order's, and it stays there. */
struct snapshot_search {
    struct search *search;
    struct parents *parents;
    struct levels *levels;
};

/* Opens task->freeze. NULL: the result says why the search cannot begin. Memory is taken by calls
 * that jump, or are refused. */
struct snapshot *snapshot_open(const struct snapshot_search *of);
/* Takes over what an earlier run has left, if there is anything; *cursor: the first state of the
 * last level; *is_whole: there is nothing to be expanded. The log of parents, the levels and the
 * set are empty before, and after it if nothing is taken over. False: the search must end. */
bool snapshot_resume(struct snapshot *snapshot, uint64_t *cursor, bool *is_whole);
/* A level has just begun at `cursor`, and is among the levels; is_whole: there is none any more.
 * False: the search must end. */
bool snapshot_level(struct snapshot *snapshot, uint64_t cursor, bool is_whole);
/* A property is violated there: before the next level begins. */
void snapshot_violated(struct snapshot *snapshot, uint32_t property, uint64_t state,
                       uint32_t failed_rule);
/* Ends what is being written at once. Nothing else may be called then. */
void snapshot_abandon(struct snapshot *snapshot);
/* Waits until everything is written, and frees everything. */
void snapshot_close(struct snapshot *snapshot);

#endif
