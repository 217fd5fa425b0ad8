/* cairn guide: what a context's scenario (CDL) is as an automaton: sizes, words, orders and how
 * many clusters each keeps waiting, a picture. Files of guides (xGDL) go to xguides.h. */
#ifndef CAIRN_CLI_GUIDES_H
#define CAIRN_CLI_GUIDES_H

#include "cli/options.h"

int guides_run(struct options *options, struct mem *mem);

#endif
