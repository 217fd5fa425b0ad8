/* A process model (reduce/process_model.h) for people and for machines: which rules may be taken
 * alone, and why the others may not. */
#ifndef CAIRN_REPORT_PROCESSES_H
#define CAIRN_REPORT_PROCESSES_H

#include "reduce/process_model.h"
#include "report/text.h"

#include <stdio.h>

/* `visible`: per variable, whether a property that must be kept reads it, as the process model was
 * made with. */
void processes_show(const struct report_style *style, const struct process_model *process_model,
                    const bool *visible);
void processes_json(FILE *out, const struct diag *diag, const struct process_model *process_model,
                    const bool *visible);

#endif
