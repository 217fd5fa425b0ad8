/* What one engine of a race has decided, for the process that tells the answer of all: verdicts and
 * their runs, through sockets. Both ends are copies of one process, so that properties, variables
 * and rules have the same numbers; words are sent as text. Of evidence that is a tree (CTL), only
 * the main run is sent. */
#ifndef CAIRN_RUN_HANDOVER_H
#define CAIRN_RUN_HANDOVER_H

#include "result/result.h"

/* All verdicts of the task. False: the socket failed. */
bool handover_write(int socket, const struct task *task, const struct model *model);

/* Passes a message on, without looking at it or allocating. False: one of the sockets failed. */
bool handover_relay(int from, int to);

/* Takes verdicts that the task does not have yet, as decided by this engine. False: the message is
 * not whole, and nothing was taken from there on. */
bool handover_read(int socket, struct task *task, const struct model *model, const char *engine);

/* Whole numbers of bytes, whatever signals come. */
bool handover_read_all(int from, void *to, size_t bytes);
bool handover_write_all(int to, const void *from, size_t bytes);

#endif
