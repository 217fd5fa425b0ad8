/* What a search along a guide that was cut, or along a part of one, may claim of the whole guide.
 */
#ifndef CAIRN_RUN_GUIDECLAIM_H
#define CAIRN_RUN_GUIDECLAIM_H

#include "run/session.h"

/* A search along a guide that was cut has visited less than the guide allows: nothing holds because
 * of it, and runs that end at the cut are no evidence about what happens for ever.
 *
 * To forbid a step can make others possible: those that it would have to happen before, by its time
 * interval or by priority. Where interactions have such intervals, or the model has priorities, a
 * run is evidence only if it is one under the whole guide, too. (Not so when the guide is a filter:
 * then every run under it is one of the model alone.) */
void guideclaim_cut(struct session *session, struct task *task, struct result *result);

/* A search of a part of a guide that was split must say what is true of the whole guide. Every run
 * of a part is one (but for the above), and every run of the whole is one of a part, unless
 * interactions have time intervals: these begin when the guide allows the interaction, which may be
 * later in a part; then nothing holds because of parts. A run that gets stuck may do so because the
 * rest of the guide is missing, and what *can* happen in a part is less than what can happen. So a
 * deadlock is looked at again under the whole guide, LTL is violated only by runs that go on for
 * ever, and other temporal properties stay unknown. */
void guideclaim_part(struct session *session, struct task *task, struct result *result);

#endif
