/* How states look to the user: variables that are not shown (--hide), and expressions that are, in
 * the language of the model (--show-expr). Nothing else depends on it: verdicts, counts and runs
 * are the same. */
#ifndef CAIRN_RUN_LOOKS_H
#define CAIRN_RUN_LOOKS_H

#include "lang/common/language.h"
#include "run/session.h"

/* What the ask says about it, in the model that was just read. False after a message. */
bool looks_read(struct session *session, const struct language *language, void *scope);

#endif
