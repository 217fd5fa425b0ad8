/* What the clocks of a zone are, in a discrete state: the timers of its rules that are enabled or
 * fail, and the clocks that matter there, in one order; with what they will be compared, and how
 * far time may go. Many states have equal configurations, so each is kept once and known by a
 * number. So are their clocks, because configurations can be nearly as many as discrete states: one
 * takes 8 bytes and 4 per clock, and about 12 for finding it. */
#ifndef CAIRN_ENGINE_TIMED_CONFIG_H
#define CAIRN_ENGINE_TIMED_CONFIG_H

#include "engine/timed/clocks.h"
#include "engine/timed/timers.h"
#include "program/program.h"

#ifdef CAIRN_DEGENERATE
enum { CONFIG_CHUNK = 64, CONFIG_FIRST_SLOTS = 2 };
#else
enum { CONFIG_CHUNK = 1 << 16, CONFIG_FIRST_SLOTS = 64 };
#endif

/* Clock number i + 1 of the zone. No hole between the fields: they are compared as bytes. */
struct config_clock {
    uint32_t source;      /* a timer, or the number of timers + a clock of the model; ascending */
    int32_t lower, upper; /* L and U */
    uint32_t zero;
    dbm_bound until, from; /* x - 0 and 0 - x while the state lasts */
};

struct config {
    uint32_t count;
    bool urgent;    /* no time passes */
    bool forbidden; /* an invariant is false at any time */
    bool zero[2];
    uint32_t clocks[]; /* numbers in configs.table */
};

enum { CONFIG_NONE = 0xFFFFFFFF };

/* Numbers by the hash of what they stand for: number + 1, 0 where there is none. Open addressing,
 * at most half full. */
struct config_slots {
    uint32_t *slots;
    uint32_t size;
};

struct configs {
    struct mem *mem;
    const struct program *program;
    const struct timers *timers;
    const struct clocks *clocks;
    bool exact; /* set after configs_init: L and U are their larger one, so that zones keep
                   deadlocks too */
    struct config **list;
    uint32_t count, capacity;
    struct config_clock *table;
    uint32_t table_count, table_capacity;
    struct config_slots list_slots, table_slots;
    char **chunks; /* where configurations lie */
    uint32_t chunk_count, chunk_capacity;
    size_t chunk_left;
    char *chunk_at;
    uint32_t most;                        /* clocks of the largest one */
    struct config *building;              /* room for the largest one there could be ... */
    struct config_clock *building_clocks; /* ... and its clocks */
    uint32_t *marks, mark;                /* per timer: the enumeration that saw it */
    uint64_t *scratch;                    /* a state */
};

/* False when memory is refused; then nothing is left to release. */
bool configs_init(struct configs *configs, struct mem *mem, const struct program *program,
                  const struct timers *timers, const struct clocks *clocks);
void configs_release(struct configs *configs);
/* The configuration of a state; CONFIG_NONE when memory is refused. It stays where it is. */
uint32_t configs_find(struct configs *configs, const uint64_t *words);
static inline const struct config *configs_get(const struct configs *configs, uint32_t id)
{
    return configs->list[id];
}
/* Clock number i + 1 of its zones; until the next call of configs_find. */
static inline const struct config_clock *configs_clock(const struct configs *configs,
                                                       const struct config *config, uint32_t i)
{
    return &configs->table[config->clocks[i]];
}
/* The zone's clock for this source; 0: it has none. */
uint32_t configs_clock_of(const struct configs *configs, const struct config *config,
                          uint32_t source);

#endif
