/* A run that repeats, told as a story: where what is asked for begins, what never comes then, who
 * could have done something else and never does. */
#ifndef CAIRN_REPORT_STORY_H
#define CAIRN_REPORT_STORY_H

#include "base/text.h"
#include "result/trace.h"

/* Why f is false on the run, which has a loop: each line says of a state, or of all states from one
 * on, which part of f is true or false there, with values. False, and nothing is said: f is about
 * more than this run, or not false on it. */
bool story_tell(const struct model *model, struct text *text, const struct trace *trace, formula f);

/* A condition that is asked for (`begins`, or none) and the one that should come then, of a query:
 * the same in its words. */
bool story_tell_response(const struct model *model, struct text *text, const struct trace *trace,
                         const formula *begins, formula comes);

/* Who takes no step in the loop of an untimed run though a step is possible, always or again and
 * again; which other steps are possible there and never taken. It says so when nothing is missing:
 * no assumption of fairness excludes such a run. */
void story_choices(const struct model *model, struct text *text, const struct trace *trace);

#endif
