/* One result of the results of several contexts, guides or parts of a guide: a matrix of them and
 * the properties, what they come to together, sums of counts, and the sentence for all of them. */
#ifndef CAIRN_RUN_MERGE_H
#define CAIRN_RUN_MERGE_H

#include "run/divide.h"

/* The object, for the caller to free; *status is the exit status. */
struct json_t *merge_results(struct divide *divide, int *status);

#endif
