#include "engine/timed/config.h"

#include "solver/store.h"

#include <assert.h>
#include <string.h>

static size_t size_of(const struct config *config)
{
    return sizeof *config + config->count * sizeof *config->clocks;
}

bool configs_init(struct configs *configs, struct mem *mem, const struct program *program,
                  const struct timers *timers, const struct clocks *clocks)
{
    *configs = (struct configs){.mem = mem, .program = program, .timers = timers, .clocks = clocks};
    size_t most = (size_t)timers->list.len + program->model->clocks.len + 1;
    configs->list_slots.slots =
        mem_try_alloc(mem, CONFIG_FIRST_SLOTS * sizeof *configs->list_slots.slots);
    configs->table_slots.slots =
        mem_try_alloc(mem, CONFIG_FIRST_SLOTS * sizeof *configs->table_slots.slots);
    configs->list_slots.size = configs->table_slots.size = CONFIG_FIRST_SLOTS;
    configs->building =
        mem_try_alloc(mem, sizeof *configs->building + most * sizeof *configs->building->clocks);
    configs->building_clocks = mem_try_alloc(mem, most * sizeof *configs->building_clocks);
    configs->marks = mem_try_alloc(mem, (timers->list.len + UINT64_C(1)) * sizeof *configs->marks);
    configs->scratch =
        mem_try_alloc(mem, (program->layout->words + UINT64_C(1)) * sizeof *configs->scratch);
    bool good = configs->list_slots.slots && configs->table_slots.slots && configs->building
                && configs->building_clocks && configs->marks && configs->scratch;
    if (!good) configs_release(configs);
    return good;
}

void configs_release(struct configs *configs)
{
    for (uint32_t i = 0; i < configs->chunk_count; i++) mem_free(configs->mem, configs->chunks[i]);
    mem_free(configs->mem, configs->chunks);
    mem_free(configs->mem, configs->list);
    mem_free(configs->mem, configs->table);
    mem_free(configs->mem, configs->list_slots.slots);
    mem_free(configs->mem, configs->table_slots.slots);
    mem_free(configs->mem, configs->building);
    mem_free(configs->mem, configs->building_clocks);
    mem_free(configs->mem, configs->marks);
    mem_free(configs->mem, configs->scratch);
    *configs = (struct configs){.mem = configs->mem};
}

/* ---- building one ---- */

static void add_clock(struct configs *configs, uint32_t source, int32_t lower, int32_t upper,
                      dbm_bound until)
{
    configs->building_clocks[configs->building->count++] = (struct config_clock){
        .source = source, .lower = lower, .upper = upper, .until = until, .from = BOUND_ZERO};
}

/* The timers of rules that are enabled or fail, in their order. There are few of them: they are
 * sorted as they come. */
static void add_timers(struct configs *configs, const uint64_t *words)
{
    struct config *config = configs->building;
    struct config_clock *list = configs->building_clocks;
    const struct timers *timers = configs->timers;
    struct program_cursor cursor;
    const struct fast_rule *fast;
    if (!++configs->mark) { /* after 2^32 states: old marks must not look new */
        memset(configs->marks, 0, timers->list.len * sizeof *configs->marks);
        configs->mark = 1;
    }
    program_start(configs->program, &cursor);
    cursor.alone = true;
    while (program_next(configs->program, &cursor, words, configs->scratch, &fast) != STEP_NONE) {
        uint32_t t =
            timers
                ->of[fast->rule]; /* also of a rule that fails: it has its timer and its deadline */
        config->urgent |= timers->urgent[fast->rule];
        if (t == TIMER_NONE || configs->marks[t] == configs->mark) continue;
        configs->marks[t] = configs->mark;
        uint32_t at = config->count;
        add_clock(configs, t, timers->list.data[t].lower, timers->list.data[t].upper,
                  timers->list.data[t].until);
        struct config_clock added = list[at];
        for (; at && list[at - 1].source > t; at--) list[at] = list[at - 1];
        list[at] = added;
    }
}

static void add_clocks(struct configs *configs, const uint64_t *words)
{
    const struct clocks *clocks = configs->clocks;
    for (uint32_t c = 0; c < clocks->model->clocks.len; c++) {
        struct clock_range range = clocks_range(clocks, c, configs->program->layout, words);
        if (range.lower == BOUND_NONE && range.upper == BOUND_NONE) continue;
        add_clock(configs, configs->timers->list.len + c, range.lower, range.upper, BOUND_INFINITY);
    }
}

/* The clock under construction for a clock of the model; NULL: it does not matter in this state. */
static struct config_clock *building_clock(struct configs *configs, uint32_t clock)
{
    for (uint32_t i = configs->building->count; clock != MODEL_NONE && i-- > 0;)
        if (configs->building_clocks[i].source == configs->timers->list.len + clock)
            return &configs->building_clocks[i];
    return NULL;
}

static void tighten(dbm_bound *bound, dbm_bound by)
{
    if (by < *bound) *bound = by;
}

static void add_constraint(struct configs *configs, const struct clock_constraint *constraint)
{
    dbm_bound bound =
        constraint->strict ? bound_strict(constraint->bound) : bound_weak(constraint->bound);
    struct config_clock *x = building_clock(configs, constraint->x),
                        *y = building_clock(configs, constraint->y);
    assert(constraint->x == MODEL_NONE || constraint->y == MODEL_NONE);
    if (constraint->x == constraint->y) configs->building->forbidden |= bound < BOUND_ZERO;
    else if (x) tighten(&x->until, bound);
    else if (y) tighten(&y->from, bound);
    /* else it is always true: see add_constraints in clocks.c */
}

static void add_invariants(struct configs *configs, const uint64_t *words)
{
    const struct clocks *clocks = configs->clocks;
    for (uint32_t i = 0; i < clocks->invariants.len; i++) {
        const struct clock_invariant *invariant = &clocks->invariants.data[i];
        if (field_get(&configs->program->layout->fields[invariant->var], words) != invariant->value)
            continue;
        for (uint32_t k = 0; k < invariant->count; k++)
            add_constraint(configs, &clocks->model->constraints.data[invariant->first + k]);
    }
}

static void build(struct configs *configs, const uint64_t *words)
{
    memset(configs->building, 0, sizeof *configs->building);
    add_timers(configs, words);
    add_clocks(configs, words);
    add_invariants(configs, words);
    for (uint32_t i = 0; configs->exact && i < configs->building->count; i++) {
        struct config_clock *clock = &configs->building_clocks[i];
        clock->lower = clock->upper = clock->lower > clock->upper ? clock->lower : clock->upper;
    }
}

/* ---- keeping it ---- */

static uint64_t clock_hash(const struct config_clock *clock)
{
    return store_hash(clock, sizeof *clock);
}

static uint64_t config_hash(const struct config *config)
{
    return store_hash(config, (uint32_t)size_of(config));
}

static void put_slot(struct config_slots *slots, uint64_t hash, uint32_t number)
{
    uint64_t at = hash % slots->size;
    while (slots->slots[at]) at = (at + 1) % slots->size;
    slots->slots[at] = number + 1;
}

/* Room for one more of `count` things, in a list and in its slots; the slots that were there are
 * lost when there are new ones: *moved. */
static bool reserve(struct mem *mem, void **list, uint32_t *capacity, size_t size,
                    struct config_slots *slots, uint32_t count, bool *moved)
{
    *moved = false;
    if (count == *capacity) {
        uint32_t larger = *capacity ? 2 * *capacity : CONFIG_FIRST_SLOTS / 2;
        void *resized = mem_try_resize(mem, *list, larger * size);
        if (!resized) return false;
        *list = resized;
        *capacity = larger;
    }
    if (2 * (count + 1) <= slots->size) return true;
    uint32_t *larger = mem_try_alloc(mem, 2 * (size_t)slots->size * sizeof *larger);
    if (!larger) return false;
    mem_free(mem, slots->slots);
    *slots = (struct config_slots){larger, 2 * slots->size};
    return *moved = true;
}

/* The clock's number in the table; CONFIG_NONE when memory is refused. */
static uint32_t find_clock(struct configs *configs, const struct config_clock *clock)
{
    struct config_slots *slots = &configs->table_slots;
    bool moved;
    for (uint64_t at = clock_hash(clock) % slots->size; slots->slots[at];
         at = (at + 1) % slots->size)
        if (!memcmp(&configs->table[slots->slots[at] - 1], clock, sizeof *clock))
            return slots->slots[at] - 1;
    if (!reserve(configs->mem, (void **)&configs->table, &configs->table_capacity,
                 sizeof *configs->table, slots, configs->table_count, &moved))
        return CONFIG_NONE;
    for (uint32_t i = 0; moved && i < configs->table_count; i++)
        put_slot(slots, clock_hash(&configs->table[i]), i);
    configs->table[configs->table_count] = *clock;
    put_slot(slots, clock_hash(clock), configs->table_count);
    return configs->table_count++;
}

/* Room for one configuration, that stays where it is. NULL when memory is refused. */
static struct config *find_room(struct configs *configs, size_t bytes)
{
    if (bytes > configs->chunk_left) {
        if (configs->chunk_count == configs->chunk_capacity) {
            uint32_t capacity = configs->chunk_capacity ? 2 * configs->chunk_capacity : 8;
            char **chunks =
                mem_try_resize(configs->mem, configs->chunks, capacity * sizeof *chunks);
            if (!chunks) return NULL;
            configs->chunks = chunks;
            configs->chunk_capacity = capacity;
        }
        size_t size = bytes > CONFIG_CHUNK ? bytes : CONFIG_CHUNK;
        char *chunk = mem_try_alloc(configs->mem, size);
        if (!chunk) return NULL;
        configs->chunks[configs->chunk_count++] = configs->chunk_at = chunk;
        configs->chunk_left = size;
    }
    struct config *room = (struct config *)configs->chunk_at; /* sizes are multiples of 4 */
    configs->chunk_at += bytes;
    configs->chunk_left -= bytes;
    return room;
}

uint32_t configs_find(struct configs *configs, const uint64_t *words)
{
    struct config *config = configs->building;
    struct config_slots *slots = &configs->list_slots;
    bool moved;
    build(configs, words);
    for (uint32_t i = 0; i < config->count; i++)
        if ((config->clocks[i] = find_clock(configs, &configs->building_clocks[i])) == CONFIG_NONE)
            return CONFIG_NONE;
    for (uint64_t at = config_hash(config) % slots->size; slots->slots[at];
         at = (at + 1) % slots->size) {
        const struct config *known = configs->list[slots->slots[at] - 1];
        if (known->count == config->count && !memcmp(known, config, size_of(config)))
            return slots->slots[at] - 1;
    }
    if (!reserve(configs->mem, (void **)&configs->list, &configs->capacity, sizeof *configs->list,
                 slots, configs->count, &moved))
        return CONFIG_NONE;
    for (uint32_t i = 0; moved && i < configs->count; i++)
        put_slot(slots, config_hash(configs->list[i]), i);
    struct config *kept = find_room(configs, size_of(config));
    if (!kept) return CONFIG_NONE;
    memcpy(kept, config, size_of(config));
    configs->list[configs->count] = kept;
    put_slot(slots, config_hash(kept), configs->count);
    if (config->count > configs->most) configs->most = config->count;
    return configs->count++;
}

uint32_t configs_clock_of(const struct configs *configs, const struct config *config,
                          uint32_t source)
{
    uint32_t low = 0, high = config->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (configs_clock(configs, config, middle)->source < source) low = middle + 1;
        else high = middle;
    }
    return low < config->count && configs_clock(configs, config, low)->source == source ? low + 1
                                                                                        : 0;
}
