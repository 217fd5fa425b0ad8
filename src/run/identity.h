/* Whose run it is: a run that is kept in files is continued only by the same program with the same
 * texts, constants and questions. */
#ifndef CAIRN_RUN_IDENTITY_H
#define CAIRN_RUN_IDENTITY_H

#include "run/session.h"

/* Gives the task its hash: of everything that was read and is asked, before anything is searched.
 * Names of files are no part of it. */
void identity_of_run(const struct session *session, enum engine engine, struct task *task);

#endif
