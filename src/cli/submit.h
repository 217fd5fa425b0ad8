/* --slurm OPTIONS: a divided search as jobs of Slurm: one that prepares the work folder, an array
 * of workers, one that joins their answers, each after the one before, however that ended. Waits
 * for the last one, and tells what it told. */
#ifndef CAIRN_CLI_SUBMIT_H
#define CAIRN_CLI_SUBMIT_H

#include "cli/options.h"

int submit_command(struct options *options, struct mem *mem);

#endif
