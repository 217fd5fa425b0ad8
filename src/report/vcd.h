/* A run as value change dump (IEEE 1364), for viewers of waves such as GTKWave. */
#ifndef CAIRN_REPORT_VCD_H
#define CAIRN_REPORT_VCD_H

#include "result/trace.h"

#include <stdio.h>

/* Whether a file of this name is to be one. */
bool vcd_is_name(const char *path);

/* One wave for each variable, named and valued as the language writes it, and one for the step that
 * is taken. Time: the number of the step; of a timed run its date, in parts of a unit that the text
 * names. */
void vcd_write(FILE *out, const struct model *model, const struct trace *trace);

#endif
