/* Searches that do not depend on each other, several at the same time, ahead of their turn: each is
 * made by a scout, which has memory, findings and counts of its own. A scout reports nothing: where
 * it meets something that would be told, or has too little memory, what it did does not count, and
 * the search is made again in its turn, with all memory. So results depend neither on who was
 * faster nor on the number of scouts. */
#ifndef CAIRN_SEARCH_SCOUTS_H
#define CAIRN_SEARCH_SCOUTS_H

#include "search/order.h"

struct scouts;

/* Where adding states changes the space, or states of all searches together are limited, there is
 * one search at a time. */
static inline bool scouts_can(const struct search *search)
{
    return !search->space->kind->commit && !search->task->max_states;
}

/* One scout per thread of the search, which searches in this order; NULL: they cannot, memory or
 * threads were refused, or there is one thread. */
struct scouts *scouts_call(struct search *search, const struct order *order);
/* Between searches: ends the threads, too. */
void scouts_dismiss(struct scouts *scouts);
uint32_t scouts_count(const struct scouts *scouts);

/* One search by a scout, all of whose memory is scout->model->mem: it is taken by calls that may be
 * refused, and freed as a whole afterwards. False: it did not come to an end. */
typedef bool scouts_job(struct search *scout, void *context, uint32_t number);

/* Makes searches 0 to count - 1; done[i]: it counts. False: the search must end. */
bool scouts_search(struct scouts *scouts, scouts_job *job, void *context, bool *done,
                   uint32_t count);

/* Of the order of scouts: a property is violated, so that this search ends; what is shown. */
void scouts_violated(struct search *scout, uint32_t property, struct set *set, uint64_t state,
                     uint32_t failed_rule);
void scouts_show(const struct search *scout, struct search_progress *progress);

#endif
