/* Weaves the observers and assertions of a context into a model (context/context.h says what they
 * mean), after its scenario (pass/weave.h). */
#ifndef CAIRN_PASS_OBSERVE_H
#define CAIRN_PASS_OBSERVE_H

#include "context/context.h"

/* False: something cannot be woven, as was told. The model is finished afterwards. */
bool observe_weave(struct model *model, const struct context *context, struct diag *diag);

#endif
