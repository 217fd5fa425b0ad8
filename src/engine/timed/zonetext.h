/* A zone as people read it: `x <= 3, 2 <= take p[0], y = x + 1`. For pictures of small graphs. */
#ifndef CAIRN_ENGINE_TIMED_ZONETEXT_H
#define CAIRN_ENGINE_TIMED_ZONETEXT_H

#include "base/text.h"
#include "engine/timed/config.h"

void zonetext_add(struct text *text, const struct timers *timers, const struct config *config,
                  const struct dbm *zone);

#endif
