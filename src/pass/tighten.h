/* Smaller ranges for variables: what a language calls `int` or `nat` mostly holds a handful of
 * values, and states are packed by ranges. */
#ifndef CAIRN_PASS_TIGHTEN_H
#define CAIRN_PASS_TIGHTEN_H

#include "model/model.h"

/* Narrows the ranges of the model's variables to bounds of what they can ever hold. Nothing that
 * can be observed changes: expressions keep their checks. Call it after model_finish. */
void tighten(struct model *model);

#endif
