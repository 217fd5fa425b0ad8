/* The working memory of the operations on futures. */
#ifndef CAIRN_AUTOMATON_ACTIVITY_FUTURE_COMBINE_H
#define CAIRN_AUTOMATON_ACTIVITY_FUTURE_COMBINE_H

#include "base/mem.h"

struct future_work;

struct future_work *future_work_new(struct mem *mem); /* NULL when memory is refused */
void future_work_free(struct mem *mem, struct future_work *work);

#endif
