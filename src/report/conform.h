/* What became of a log: for people, and as the JSON object. */
#ifndef CAIRN_REPORT_CONFORM_H
#define CAIRN_REPORT_CONFORM_H

#include "report/text.h"
#include "run/conform.h"

/* Why the next line of the log does not conform, in lines. */
void conform_explain(struct session *session, const struct conform *conform, struct text *text);

void conform_show(const struct report_style *style, struct session *session,
                  const struct conform *conform);
/* `trace_file`: where the run was saved, or NULL. */
void conform_json(FILE *out, struct session *session, const struct conform *conform,
                  const char *trace_file, bool raw);

#endif
