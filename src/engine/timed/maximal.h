/* Queries about whole runs: E[] p, A<> p, p --> q. See maximal.c. */
#ifndef CAIRN_ENGINE_TIMED_MAXIMAL_H
#define CAIRN_ENGINE_TIMED_MAXIMAL_H

#include "result/result.h"

bool maximal_decides(const struct model *model, const struct property_result *entry);
/* Answers it in place; says why it ended early. `started` is when the time that is limited began.
 * only_nearby: gives up after 20,000 symbolic states (STOP_STATES). Memory is taken by
 * calls that jump when it is refused; then memory in use is the caller's to free, with everything.
 */
enum stop_reason maximal_check(struct task *task, struct property_result *entry,
                               struct result *result, double started, bool only_nearby);

#endif
