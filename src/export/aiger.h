/* Writes a model as an and-inverter graph in the format AIGER 1.9, for hardware model checkers. */
#ifndef CAIRN_EXPORT_AIGER_H
#define CAIRN_EXPORT_AIGER_H

#include "result/result.h"

#include <stdio.h>

/* Every model can be written; properties that AIGER has no place for are left out. Each one adds a
 * line to left_out: which, and why. */
void aiger_write(struct model *model, const struct property_result *properties, uint32_t count,
                 FILE *out, bool binary, struct text *left_out);

#endif
