/* cairn guide of a file of contexts (CDL): their scenarios. */
#ifndef CAIRN_CLI_SCENARIO_H
#define CAIRN_CLI_SCENARIO_H

#include "cli/door.h"

/* False after a message. */
bool scenario_tell(struct session *session, struct options *options);

#endif
