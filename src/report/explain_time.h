/* Why a rule cannot be taken now, as far as time tells. */
#ifndef CAIRN_REPORT_EXPLAIN_TIME_H
#define CAIRN_REPORT_EXPLAIN_TIME_H

#include "base/text.h"
#include "model/timed_eval.h"

/* Of a rule that is enabled: its timer and interval, clock guards that are false, invariants of
 * locations that would be. Nothing of others. */
void explain_time(const struct timed_state *timed, struct text *text, uint32_t rule);

/* The end of a run that a query is answered with: the clocks, and whether anything is possible. */
void explain_time_end(struct timed_state *timed, struct text *text, bool is_whole);

#endif
