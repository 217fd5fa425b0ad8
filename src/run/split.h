/* A search in past-freeze order that is split when it does not fit in memory (--split auto), or
 * wherever the context is so many steps further, or p-paths are so long (--split always,
 * --split-depth): the clusters that wait become parts, each searched by itself in a process of its
 * own, and split again if need be. The answers of all parts are one result. */
#ifndef CAIRN_RUN_SPLIT_H
#define CAIRN_RUN_SPLIT_H

#include "run/session.h"

/* The task has its identity; timed: the timed engine searches. With --part only that part is
 * searched. False: something is wrong, as was told; *status is what to exit with. */
bool split_run(struct session *session, struct task *task, bool timed, struct result *result,
               int *status);

#endif
