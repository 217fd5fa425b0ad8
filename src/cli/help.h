/* What the program says of itself: help, the manual page and shell completion, from the tables of
 * options and commands. Help and manual say the same, in the same groups: what is used often comes
 * first. */
#ifndef CAIRN_CLI_HELP_H
#define CAIRN_CLI_HELP_H

#include "cli/options.h"

void help_print(FILE *out, const struct command *command); /* NULL: of all, without options */
void help_manual(FILE *out);                               /* the manual page */
void help_completion(FILE *out); /* for bash; zsh reads it with bashcompinit */

#endif
