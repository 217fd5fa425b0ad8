/* `cairn --names KIND WORD WORDS...`: names that WORD may become, for shell completion, one per
 * line. KIND is properties, context or guide; WORDS are those of the command line so
 * far, which may be unfinished or wrong. It says nothing but names, within a second or two, and its
 * status is 0 whatever happens. */
#ifndef CAIRN_CLI_COMPLETE_H
#define CAIRN_CLI_COMPLETE_H

int complete_names(int argc, char **argv);

#endif
