/* Which steps of a state are taken: partial-order reduction in two phases, of one set of states
 * after the other. See ample.c. */
#ifndef CAIRN_SEARCH_AMPLE_H
#define CAIRN_SEARCH_AMPLE_H

#include "search/search.h"

struct ample;

/* For what the task asks; the result says what is kept. Memory is taken by calls that jump. */
struct ample *ample_make(struct search *search);
void ample_free(struct search *search, struct ample *ample);
/* Expands all states of search->set, and what they lead to in it: none was expanded before. Steps
 * that lead to other sets are only added. False: the search must end. */
bool ample_expand(struct search *search, struct ample *ample);
/* The same where some states of search->set were expanded before, those before *cursor among them,
 * and the order may pause: then *cursor is where to go on, and no state of the set is expanded in
 * part whose ways do not all lead to states that are expanded in full. */
bool ample_expand_from(struct search *search, struct ample *ample, uint64_t *cursor);
/* The set is emptied. */
void ample_forget(struct search *search, struct ample *ample);
/* Whether a state of the set is not expanded yet; whether all are not. */
bool ample_waits(const struct ample *ample, uint64_t state);
bool ample_waits_for_all(const struct ample *ample);
/* From now on states are expanded in full, or not. */
void ample_pause(struct ample *ample, bool is_paused);
/* To be called when steps of a state of search->set were added. False: the search must end. */
bool ample_log(struct search *search, struct ample *ample, const struct worker *worker,
               const struct batch_state *state, uint32_t first, uint32_t end);
/* Who discovered a state of search->set, there; SET_NONE: nobody. */
uint64_t ample_parent(const struct ample *ample, uint64_t state);
/* Whether the reduced graph has the step of this rule, enabled in this state of the set that was
 * expanded last. */
bool ample_keeps(const struct ample *ample, uint64_t state, uint32_t rule);
/* Whether the set is done with. */
bool ample_check(const struct ample *ample);

#endif
