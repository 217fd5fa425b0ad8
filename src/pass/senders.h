/* Who sent the messages in a queue, for receptions that ask for it (`receive E from {P}1`). */
#ifndef CAIRN_PASS_SENDERS_H
#define CAIRN_PASS_SENDERS_H

#include "context/context.h"

/* Settles the senders that events of the context ask for, before it is woven into the model: either
 * it is known that all messages of a queue come from one process, or the model gets variables that
 * say who sent each of them. The events are told (context.h). False, after an error with its
 * position: it cannot be told who sends. The model is finished afterwards. */
bool senders_settle(struct model *model, struct context *context, struct diag *diag);

#endif
