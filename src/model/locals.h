/* Which locals a code block may read before it has written them: those must really begin with the
 * lowest value of their range. Languages whose variables are always set first have none. */
#ifndef CAIRN_MODEL_LOCALS_H
#define CAIRN_MODEL_LOCALS_H

#include "model/model.h"

/* What is known of the bodies of calls, for one model. */
struct locals;
struct locals *locals_begin(const struct model *model);
void locals_end(struct locals *locals);

/* Sets unset[l] for such locals, and leaves the other entries alone. True for too many rather than
 * too few. */
void locals_unset(struct locals *locals, statement body, bool *unset);

#endif
