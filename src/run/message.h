/* Messages without a position in a source: "cairn: error: ...". Those with one go to base/diag
 * directly; both arrive at the same place, in order. */
#ifndef CAIRN_RUN_MESSAGE_H
#define CAIRN_RUN_MESSAGE_H

#include "base/diag.h"

/* `about` is a file, or NULL: the program itself. Whoever does not want notes does not give them:
 * diag->quiet is for the caller to ask. */
void message(struct diag *diag, enum diag_severity severity, const char *about, const char *format,
             ...) __attribute__((format(printf, 4, 5)));
/* An error about nothing in particular. Always false. */
bool message_error(struct diag *diag, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
