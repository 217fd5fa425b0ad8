/* Weaves the scenario of a context into a model (context/context.h), so that the environment
 * becomes one more process. */
#ifndef CAIRN_PASS_WEAVE_H
#define CAIRN_PASS_WEAVE_H

#include "context/context.h"

/* Adds the process `context` with its state, a rule for each event that it performs by itself, and
 * conditions to the rules that it takes part in. The state becomes the model's rank, and its final
 * states those of the model. The model is finished afterwards. */
void weave_context(struct model *model, const struct context *context);

#endif
