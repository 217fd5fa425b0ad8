/* What the clocks of a zone are, in a discrete state: the timers of its rules that are enabled or
 * fail, and the clocks that matter there, in one order; with what they will be compared, and how
 * far time may go. Many states have equal configurations, so each is kept once and known by a
 * number. So are their clocks, because configurations can be nearly as many as discrete states: one
 * takes 8 bytes and 4 per clock, and about 12 for finding it. */
#ifndef CAIRN_ENGINE_TIMED_CONFIG_H
#define CAIRN_ENGINE_TIMED_CONFIG_H

#include "engine/timed/clocks.h"
#include "engine/timed/timers.h"
#include "search/batch.h"

#ifdef CAIRN_DEGENERATE
enum { CONFIG_FIRST_CHUNK = 64, CONFIG_CHUNK = 64, CONFIG_FIRST_SLOTS = 2 };
#else
enum { CONFIG_FIRST_CHUNK = 1 << 10, CONFIG_CHUNK = 1 << 16, CONFIG_FIRST_SLOTS = 64 };
#endif

/* Clock number i + 1 of the zone. No hole between the fields: they are compared as bytes. */
struct config_clock {
    uint32_t source;      /* a timer, or the number of timers + a clock of the model; ascending */
    int32_t lower, upper; /* L and U */
    uint32_t zero;
    dbm_bound until, from; /* x - 0 and 0 - x while the state lasts */
};

/* x - y < or <= c: of clocks of the zone, 0 where there is none. Those of group 0 are invariants on
 * differences; of each other group, the guards of an urgent rule, at least one. No hole, as
 * above. */
struct config_bound {
    uint32_t x, y, group, zero;
    dbm_bound bound;
};

/* As the zones of a state need it. Where its clocks are: among those of all configurations, or
 * alone. */
struct config {
    uint32_t count;
    bool urgent;             /* no time passes */
    bool forbidden;          /* an invariant is false at any time */
    const uint32_t *numbers; /* of its clocks in ... */
    const struct config_clock *table;
    uint32_t bound_count; /* further bounds, by their groups; nearly always none */
    const uint32_t *bound_numbers;
    const struct config_bound *bounds;
};

static inline const struct config_bound *config_bound(const struct config *config, uint32_t i)
{
    return &config->bounds[config->bound_numbers[i]];
}

/* Clock number i + 1 of its zones. */
static inline const struct config_clock *config_clock(const struct config *config, uint32_t i)
{
    return &config->table[config->numbers[i]];
}
/* The zone's clock for this source; 0: it has none. */
uint32_t config_clock_of(const struct config *config, uint32_t source);

enum { CONFIG_NONE = 0xFFFFFFFF };

/* ---- making one: every thread has its own builder ---- */

struct config_builder {
    struct mem *mem;
    const struct layout *layout;
    const struct timers *timers;
    const struct clocks *clocks;
    bool exact;                /* L and U are their larger one, so that zones keep deadlocks too */
    struct config config;      /* the one at hand; its clocks are its own, until the next one */
    struct config_clock *list; /* room for the largest one there could be ... */
    struct config_bound *bounds;
    uint32_t *numbers;     /* ... and 0, 1, 2, ... */
    uint32_t *marks, mark; /* per timer: the enumeration that saw it */
};

/* False when memory is refused; config_builder_release must follow in either case. */
bool config_builder_init(struct config_builder *builder, struct mem *mem,
                         const struct layout *layout, const struct timers *timers,
                         const struct clocks *clocks, bool exact);
void config_builder_release(struct config_builder *builder);
/* How many bounds a configuration can have. */
uint32_t config_most_bounds(const struct model *model);
/* The configuration of a state, whose rules that are enabled, or fail, are listed. */
void config_build(struct config_builder *builder, const struct program *program,
                  const uint64_t *words, const struct batch *rules);

/* ---- keeping them ---- */

/* Numbers by the hash of what they stand for: number + 1, 0 where there is none. Open addressing,
 * at most half full. */
struct config_slots {
    uint32_t *slots;
    uint32_t size;
};

struct config_kept {
    uint32_t count;
    bool urgent, forbidden;
    uint16_t bounds;
    uint32_t clocks[]; /* numbers in configs.table, then those in configs.bounds */
};

struct configs {
    struct mem *mem;
    struct config_kept **list;
    uint32_t count, capacity;
    struct config_clock *table;
    uint32_t table_count, table_capacity;
    struct config_bound *bounds;
    uint32_t bound_count, bound_capacity;
    struct config_slots list_slots, table_slots, bound_slots;
    char **chunks; /* where configurations lie */
    uint32_t chunk_count, chunk_capacity;
    size_t chunk_left;
    char *chunk_at;
    uint32_t *recent;         /* per source: the number + 1 of its clock that was asked for last */
    uint32_t most;            /* clocks of the largest one */
    struct config_kept *room; /* for the largest one there could be */
};

/* most: clocks that one can have, and bounds. False when memory is refused; then nothing is left to
 * release. */
bool configs_init(struct configs *configs, struct mem *mem, uint32_t most, uint32_t most_bounds);
void configs_release(struct configs *configs);
/* The number of a configuration, which is kept from now on; CONFIG_NONE when memory is refused. */
uint32_t configs_add(struct configs *configs, const struct config *config);
/* Until the next one is added. */
static inline struct config configs_get(const struct configs *configs, uint32_t id)
{
    const struct config_kept *kept = configs->list[id];
    return (struct config){.count = kept->count,
                           .urgent = kept->urgent,
                           .forbidden = kept->forbidden,
                           .numbers = kept->clocks,
                           .table = configs->table,
                           .bound_count = kept->bounds,
                           .bound_numbers = kept->clocks + kept->count,
                           .bounds = configs->bounds};
}

#endif
