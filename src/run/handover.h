/* What one engine of a race has decided, for the process that tells the answer of all: verdicts and
 * their runs, through sockets (run/wire.h). Both ends are copies of one process, so that
 * properties, variables and rules have the same numbers. Formulas need not: of evidence that is a
 * tree (CTL), only the main run is taken. */
#ifndef CAIRN_RUN_HANDOVER_H
#define CAIRN_RUN_HANDOVER_H

#include "result/result.h"

/* All verdicts of the task; `race` is a number that both ends know. Allocates nothing. False: the
 * socket failed. */
bool handover_write(int socket, uint64_t race, const struct task *task, const struct model *model);

/* Takes verdicts that the task does not have yet, as decided by this engine. False: the message is
 * not whole, and nothing was taken. */
bool handover_read(int socket, uint64_t race, struct task *task, const struct model *model,
                   const char *engine);

#endif
