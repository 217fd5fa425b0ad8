/* What to try next on this model, when a limit or a signal ended its search: one table of
 * conditions, reasons and changes of the request (advice.c). Every piece of advice is a request
 * that the table of combinations accepts (run/combine.h) and that asks the same. */
#ifndef CAIRN_RUN_ADVICE_H
#define CAIRN_RUN_ADVICE_H

#include "result/result.h"

struct session;

struct advice {
    const char *why;     /* a sentence without its full stop, beginning with a small letter */
    const char *command; /* to be copied; of a door without a command line: the options alone */
};

/* Of a search that has ended, before its result is told: fills session->advice, the best first;
 * none when nothing is left open. */
void advice_make(struct session *session, const struct task *task, const struct result *result);

#endif
