/* Sorting by several threads, in place. */
#ifndef CAIRN_BASE_SORT_H
#define CAIRN_BASE_SORT_H

#include "base/crew.h"

/* As qsort_r does; the crew, which is between rounds, helps where that is worth it. NULL: nobody
 * does. The result is the same either way when no two things compare equal. */
void sort_things(struct crew *crew, void *things, uint64_t count, size_t size,
                 int (*compare)(const void *, const void *, void *), void *context);

#endif
