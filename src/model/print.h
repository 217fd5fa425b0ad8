/* The model's own text form (docs/model-format.md): everything of a model, readable, diffable, and
 * read back by lang/cairn. */
#ifndef CAIRN_MODEL_PRINT_H
#define CAIRN_MODEL_PRINT_H

#include "model/model.h"

#include <stdio.h>

enum { MODEL_FORMAT_VERSION = 1 };

/* Prints the whole model. The same model gives the same bytes, and so does the model that
 * lang/cairn reads back from them. diag names the sources of the positions. */
void model_print(const struct model *model, const struct diag *diag, FILE *out);

#endif
