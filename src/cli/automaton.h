/* cairn automaton: formulas over free propositions and automata in files, written, compared, asked
 * for words. */
#ifndef CAIRN_CLI_AUTOMATON_H
#define CAIRN_CLI_AUTOMATON_H

#include "cli/options.h"

int automaton_command(struct options *options, struct mem *mem);

#endif
