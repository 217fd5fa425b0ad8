/* Writes a model in Promela, the language of Spin, in the form of the Milestones thesis (section
 * 6.5.2). */
#ifndef CAIRN_EXPORT_PROMELA_H
#define CAIRN_EXPORT_PROMELA_H

#include "model/model.h"

#include <stdio.h>

/* Returns NULL when written. Otherwise nothing was written, and the result says why the model
 * cannot be expressed; it lives as long as the model. */
const char *promela_write(struct model *model, FILE *out);

#endif
