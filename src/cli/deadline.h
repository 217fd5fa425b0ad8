/* A limit on the time before a search begins. Reading a model, and making automata of contexts and guides, never looks at a clock and can take long; a search looks at the clock by itself. */
#ifndef CAIRN_CLI_DEADLINE_H
#define CAIRN_CLI_DEADLINE_H

#include "cli/options.h"

/* From now on the program ends after --time, if that is given, but not within the first second, as inconclusive, with a message and, with --json, an object; until deadline_end. */
void deadline_begin(const struct options *options);
void deadline_end(void);

#endif
