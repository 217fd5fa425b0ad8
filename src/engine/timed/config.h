/* What the clocks of a zone are, in a discrete state: the timers of its enabled rules and the clocks that matter there, in one order; with what they will be compared, and
 * how far time may go. Many states have equal configurations, so each is kept once and known by a number. */
#ifndef CAIRN_ENGINE_TIMED_CONFIG_H
#define CAIRN_ENGINE_TIMED_CONFIG_H

#include "engine/timed/clocks.h"
#include "engine/timed/timers.h"
#include "program/program.h"

/* Clock number i + 1 of the zone. */
struct config_clock {
    uint32_t source; /* a timer, or the number of timers + a clock of the model; ascending */
    int32_t lower, upper;  /* L and U */
    uint32_t zero;         /* no hole: configurations are compared as bytes */
    dbm_bound until, from; /* x - 0 and 0 - x while the state lasts */
};

struct config {
    uint32_t count;
    bool urgent;     /* no time passes */
    bool forbidden;  /* an invariant is false at any time */
    bool dead;       /* no rule is enabled, priorities aside */
    bool zero;
    struct config_clock clocks[];
};

enum { CONFIG_NONE = 0xFFFFFFFF };

struct configs {
    struct mem *mem;
    const struct program *program;
    const struct timers *timers;
    const struct clocks *clocks;
    bool exact;  /* set after configs_init: L and U are their larger one, so that zones keep deadlocks too */
    struct config **list;
    uint32_t count, capacity;
    uint32_t *slots; /* number + 1; open addressing */
    uint32_t slot_count;
    uint32_t most;           /* clocks of the largest one */
    struct config *building; /* room for the largest one there could be */
    uint32_t *marks, mark;   /* per timer: the enumeration that saw it */
    uint64_t *scratch;       /* a state */
};

/* False when memory is refused. */
bool configs_init(struct configs *configs, struct mem *mem, const struct program *program, const struct timers *timers, const struct clocks *clocks);
void configs_release(struct configs *configs);
/* The configuration of a state; CONFIG_NONE when memory is refused. It stays where it is. */
uint32_t configs_find(struct configs *configs, const uint64_t *words);
static inline const struct config *configs_get(const struct configs *configs, uint32_t id)
{
    return configs->list[id];
}
/* The zone's clock for this source; 0: it has none. */
uint32_t config_clock_of(const struct config *config, uint32_t source);

#endif
