/* cairn guide for guides (xGDL): their minimal automata, unrolled to a bound; words; comparison of
 * languages, with a shortest difference; splitting, with a proof that the parts allow what the
 * whole does. */
#ifndef CAIRN_CLI_XGUIDES_H
#define CAIRN_CLI_XGUIDES_H

#include "cli/session.h"

/* `file` is that of the command line; `name` the guide, or NULL: all of them. Returns the exit
 * status. */
int xguides_run(struct session *session, const char *file, const char *name);

#endif
