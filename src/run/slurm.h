/* What Slurm gives a job: memory, processors and time, from its environment. */
#ifndef CAIRN_RUN_SLURM_H
#define CAIRN_RUN_SLURM_H

#include "run/ask.h"

/* Fills in memory, threads and the time after which the process leaves its parts to others, where
 * they are not given and this is a job. */
void slurm_limits(struct ask *ask);
/* [[D-]HH:]MM:SS as seconds; less than 0: it has no such form (UNLIMITED). */
double slurm_seconds(const char *text);

#endif
