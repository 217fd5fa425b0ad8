/* Writes a model in the language of NuSMV, in the form of the Milestones thesis (section 6.5.1). */
#ifndef CAIRN_EXPORT_SMV_H
#define CAIRN_EXPORT_SMV_H

#include "model/model.h"

#include <stdio.h>

/* Both return NULL when written. Otherwise nothing was written, and the result says why the model
 * cannot be expressed; it lives as long as the model. */
const char *smv_write(struct model *model, FILE *out);
/* The order of the variables, for NuSMV -i: the action, then the variables in the model's order. */
const char *smv_write_order(struct model *model, FILE *out);

#endif
