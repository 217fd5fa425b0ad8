/* Results for people. */
#ifndef CAIRN_REPORT_TEXT_H
#define CAIRN_REPORT_TEXT_H

#include "result/result.h"
#include "run/advice.h"

#include <stdio.h>

struct report_style {
    FILE *out;
    bool color;
    bool full;  /* all variables in every state of a trace */
    bool quiet; /* only verdicts and counts */
    unsigned verbose;
    bool raw; /* every variable by itself, as a number */
};

void report_explore(const struct report_style *style, const struct model *model,
                    const struct diag *diag, const struct result *result);
void report_check(const struct report_style *style, const struct model *model,
                  const struct diag *diag, const struct task *task, const struct result *result);
void report_trace(const struct report_style *style, const struct model *model,
                  const struct diag *diag, const struct trace *trace);
/* Why the property is violated: what its run ends with. */
void report_reasons(const struct report_style *style, const struct model *model,
                    const struct diag *diag, const struct property_result *entry);
/* How a run that repeats goes on after its last state. */
void report_loop(const struct report_style *style, const struct model *model,
                 const struct diag *diag, const struct trace *trace);
/* One step, as in a trace; rule MODEL_NONE: an initial state, with all values. `when` is its date,
 * or NULL. */
void report_step(const struct report_style *style, const struct model *model,
                 const struct diag *diag, uint32_t number, uint32_t rule, const char *when,
                 const int64_t *before, const int64_t *after);
/* Time that passes in the last state of a timed trace; nothing when none does. */
void report_wait(const struct report_style *style, const struct model *model,
                 const struct trace *trace);

/* How often each command was taken in runs, and what was not met in them. */
void report_counts(const struct report_style *style, const struct model *model,
                   const struct diag *diag, const struct result *seen);

/* What to try next; nothing when there is nothing. */
void report_advice(const struct report_style *style, const struct advice *advice, uint32_t count);

/* The processes of a rule: "p[0], p[1]", or "" for a purely global one. */
void report_participants(const struct model *model, struct text *text, uint32_t rule);

/* Bytes as 1.2 GiB. */
const char *report_bytes(char buffer[32], uint64_t bytes);

#endif
