/* cairn automaton: formulas over free propositions and automata in files, written, compared, asked
 * for words. */
#ifndef CAIRN_CLI_AUTOMATA_H
#define CAIRN_CLI_AUTOMATA_H

#include "cli/options.h"

int automata_run(struct options *options, struct mem *mem);

#endif
