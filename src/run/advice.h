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

struct advice_list {
    struct advice *data;
    uint32_t len, cap;
};

/* Of a search that has ended, before its result is told: fills session->advice, the best first;
 * none when nothing is left open. */
void advice_make(struct session *session, const struct task *task, const struct result *result);

/* Of a search that is at work, and that this limit will end: fills session->soon with what can be
 * said at once, without a question about the model. Memory that is refused leaves it as it is. */
void advice_soon(struct session *session, enum stop_reason stop,
                 const struct search_progress *progress);

#endif
