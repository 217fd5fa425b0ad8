#ifndef CAIRN_ENGINE_EXPLICIT_OLD_H
#define CAIRN_ENGINE_EXPLICIT_OLD_H

#include "engine/explicit/explicit.h"

void old_run(struct task *task, const struct explicit_graph *graph, struct result *result);

#endif
