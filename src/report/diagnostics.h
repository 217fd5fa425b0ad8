/* The door that prints diagnostics: `file:line:column: error: text`, the source line, a caret. */
#ifndef CAIRN_REPORT_DIAGNOSTICS_H
#define CAIRN_REPORT_DIAGNOSTICS_H

#include "base/diag.h"

#include <stdio.h>

/* Whatever is made in `diag` from now on is printed there at once, and diag_finish tells how many
 * errors and warnings were left out. */
void diagnostics_open(struct diag *diag, FILE *out, bool color);

#endif
