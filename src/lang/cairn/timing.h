/* Priorities, intervals and clocks in the model's own text form. */
#ifndef CAIRN_LANG_CAIRN_TIMING_H
#define CAIRN_LANG_CAIRN_TIMING_H

#include "lang/cairn/reader.h"

/* Items, after their word. */
bool timing_ticks(struct reader *reader);
bool timing_clock(struct reader *reader);
bool timing_classes(struct reader *reader);
bool timing_priority(struct reader *reader);
/* At the end: who waits for someone who waits for a third waits for the third. */
void timing_close_priorities(struct reader *reader);

/* Clauses of the last rule, after their word. */
bool timing_class(struct reader *reader);
bool timing_interval(struct reader *reader);
bool timing_guard(struct reader *reader);
bool timing_unless(struct reader *reader);
bool timing_reset(struct reader *reader);

/* The clock that a variable sets, after its word. */
bool timing_setter(struct reader *reader, bool is_hidden, uint32_t *clock);
/* At the end, of a text that is all right so far: nobody reads what sets clocks. */
void timing_check(struct reader *reader, struct place place);

/* `"x" - "y" <= 3`, as one or two constraints; 0 after an error. */
uint32_t timing_constraint(struct reader *reader, struct clock_constraint constraints[2]);

#endif
