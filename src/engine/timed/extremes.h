/* Queries about the largest and the smallest values of terms: sup, inf, bounds. See extremes.c. */
#ifndef CAIRN_ENGINE_TIMED_EXTREMES_H
#define CAIRN_ENGINE_TIMED_EXTREMES_H

#include "result/result.h"

bool extremes_decides(const struct model *model, const struct property_result *entry);
/* Answers it in place, as maximal_check does. */
enum stop_reason extremes_check(struct task *task, struct property_result *entry,
                                struct result *result, double started);

#endif
