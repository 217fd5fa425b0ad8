#include "engine/timed/config.h"

#include "solver/store.h"

#include <assert.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

static size_t size_of(const struct config *config)
{
    return sizeof *config + config->count * sizeof *config->clocks;
}

bool configs_init(struct configs *configs, struct mem *mem, const struct program *program, const struct timers *timers, const struct clocks *clocks)
{
    *configs = (struct configs){.mem = mem, .program = program, .timers = timers, .clocks = clocks, .slot_count = FIRST_SLOTS};
    size_t most = (size_t)timers->list.len + program->model->clocks.len;
    configs->slots = mem_try_alloc(mem, FIRST_SLOTS * sizeof *configs->slots);
    configs->building = mem_try_alloc(mem, sizeof *configs->building + (most + 1) * sizeof *configs->building->clocks);
    configs->marks = mem_try_alloc(mem, (timers->list.len + UINT64_C(1)) * sizeof *configs->marks);
    configs->scratch = mem_try_alloc(mem, (program->layout->words + UINT64_C(1)) * sizeof *configs->scratch);
    bool good = configs->slots && configs->building && configs->marks && configs->scratch;
    if (!good) configs_release(configs);
    return good;
}

void configs_release(struct configs *configs)
{
    for (uint32_t i = 0; i < configs->count; i++) mem_free(configs->mem, configs->list[i]);
    mem_free(configs->mem, configs->list);
    mem_free(configs->mem, configs->slots);
    mem_free(configs->mem, configs->building);
    mem_free(configs->mem, configs->marks);
    mem_free(configs->mem, configs->scratch);
    *configs = (struct configs){.mem = configs->mem};
}

/* ---- building one ---- */

static void add_clock(struct config *config, uint32_t source, int32_t lower, int32_t upper, dbm_bound until)
{
    struct config_clock *clock = &config->clocks[config->count++];
    *clock = (struct config_clock){.source = source, .lower = lower, .upper = upper, .until = until, .from = BOUND_ZERO};
}

/* The timers of enabled rules, in their order. There are few of them: they are sorted as they come. */
static void add_timers(struct configs *configs, const uint64_t *words)
{
    struct config *config = configs->building;
    const struct timers *timers = configs->timers;
    struct program_cursor cursor;
    const struct fast_rule *fast;
    enum step step;
    configs->mark++;
    program_start(configs->program, &cursor);
    cursor.alone = true;
    while ((step = program_next(configs->program, &cursor, words, configs->scratch, &fast)) != STEP_NONE) {
        if (step != STEP_TAKEN) continue;
        uint32_t t = timers->of[fast->rule];
        config->dead = false;
        config->urgent |= timers->urgent[fast->rule];
        if (t == TIMER_NONE || configs->marks[t] == configs->mark) continue;
        configs->marks[t] = configs->mark;
        uint32_t at = config->count;
        add_clock(config, t, timers->list.data[t].lower, timers->list.data[t].upper, timers->list.data[t].until);
        struct config_clock added = config->clocks[at];
        for (; at && config->clocks[at - 1].source > t; at--) config->clocks[at] = config->clocks[at - 1];
        config->clocks[at] = added;
    }
}

static void add_clocks(struct configs *configs, const uint64_t *words)
{
    const struct clocks *clocks = configs->clocks;
    for (uint32_t c = 0; c < clocks->model->clocks.len; c++) {
        struct clock_range range = clocks_range(clocks, c, configs->program->layout, words);
        if (range.lower == BOUND_NONE && range.upper == BOUND_NONE) continue;
        add_clock(configs->building, configs->timers->list.len + c, range.lower, range.upper, BOUND_INFINITY);
    }
}

static void tighten(dbm_bound *bound, dbm_bound by)
{
    if (by < *bound) *bound = by;
}

static void add_constraint(struct configs *configs, const struct clock_constraint *constraint)
{
    struct config *config = configs->building;
    uint32_t timers = configs->timers->list.len;
    dbm_bound bound = constraint->strict ? bound_strict(constraint->bound) : bound_weak(constraint->bound);
    uint32_t x = constraint->x == MODEL_NONE ? 0 : config_clock_of(config, timers + constraint->x);
    uint32_t y = constraint->y == MODEL_NONE ? 0 : config_clock_of(config, timers + constraint->y);
    assert(constraint->x == MODEL_NONE || constraint->y == MODEL_NONE);
    if (constraint->x == constraint->y) config->forbidden |= bound < BOUND_ZERO;
    else if (x) tighten(&config->clocks[x - 1].until, bound);
    else if (y) tighten(&config->clocks[y - 1].from, bound);
    /* else it is always true: see add_constraints in clocks.c */
}

static void add_invariants(struct configs *configs, const uint64_t *words)
{
    const struct clocks *clocks = configs->clocks;
    for (uint32_t i = 0; i < clocks->invariants.len; i++) {
        const struct clock_invariant *invariant = &clocks->invariants.data[i];
        if (field_get(&configs->program->layout->fields[invariant->var], words) != invariant->value) continue;
        for (uint32_t k = 0; k < invariant->count; k++) add_constraint(configs, &clocks->model->constraints.data[invariant->first + k]);
    }
}

uint32_t config_clock_of(const struct config *config, uint32_t source)
{
    uint32_t low = 0, high = config->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (config->clocks[middle].source < source) low = middle + 1;
        else high = middle;
    }
    return low < config->count && config->clocks[low].source == source ? low + 1 : 0;
}

/* ---- keeping it ---- */

static uint64_t hash_of(const struct config *config)
{
    return store_hash(config, (uint32_t)size_of(config));
}

static bool same(const struct config *a, const struct config *b)
{
    return a->count == b->count && !memcmp(a, b, size_of(a));
}

static void put_slot(struct configs *configs, uint32_t id)
{
    uint64_t at = hash_of(configs->list[id]) % configs->slot_count;
    while (configs->slots[at]) at = (at + 1) % configs->slot_count;
    configs->slots[at] = id + 1;
}

/* Room for one more, in the list and in the slots. */
static bool reserve(struct configs *configs)
{
    if (configs->count == configs->capacity) {
        uint32_t capacity = configs->capacity ? 2 * configs->capacity : FIRST_SLOTS / 2;
        struct config **list = mem_try_resize(configs->mem, configs->list, capacity * sizeof *list);
        if (!list) return false;
        configs->list = list;
        configs->capacity = capacity;
    }
    if (2 * (configs->count + 1) <= configs->slot_count) return true;
    uint32_t *slots = mem_try_alloc(configs->mem, 2 * configs->slot_count * sizeof *slots);
    if (!slots) return false;
    mem_free(configs->mem, configs->slots);
    configs->slots = slots;
    configs->slot_count *= 2;
    for (uint32_t i = 0; i < configs->count; i++) put_slot(configs, i);
    return true;
}

uint32_t configs_find(struct configs *configs, const uint64_t *words)
{
    struct config *config = configs->building;
    memset(config, 0, sizeof *config);
    config->dead = true;
    add_timers(configs, words);
    add_clocks(configs, words);
    add_invariants(configs, words);
    for (uint32_t i = 0; configs->exact && i < config->count; i++) {
        struct config_clock *clock = &config->clocks[i];
        clock->lower = clock->upper = clock->lower > clock->upper ? clock->lower : clock->upper;
    }
    for (uint64_t at = hash_of(config) % configs->slot_count; configs->slots[at]; at = (at + 1) % configs->slot_count)
        if (same(configs->list[configs->slots[at] - 1], config)) return configs->slots[at] - 1;
    struct config *kept = reserve(configs) ? mem_try_alloc(configs->mem, size_of(config)) : NULL;
    if (!kept) return CONFIG_NONE;
    memcpy(kept, config, size_of(config));
    configs->list[configs->count] = kept;
    put_slot(configs, configs->count);
    if (config->count > configs->most) configs->most = config->count;
    return configs->count++;
}
