/* cairn guide: guides (xGDL) as automata: sizes, words, comparison, splitting; and the scenarios of
 * contexts (CDL). */
#ifndef CAIRN_CLI_GUIDE_H
#define CAIRN_CLI_GUIDE_H

#include "cli/options.h"

int guide_command(struct options *options, struct mem *mem);

#endif
