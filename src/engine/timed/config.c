#include "engine/timed/config.h"

#include "base/checked.h"
#include "solver/store.h"

#include <assert.h>
#include <string.h>

/* ---- building one ---- */

bool config_builder_init(struct config_builder *builder, struct mem *mem,
                         const struct layout *layout, const struct timers *timers,
                         const struct clocks *clocks, bool exact)
{
    const uint32_t most_bounds = config_most_bounds(clocks->model);
    const size_t most_clocks = (size_t)timers->list.len + clocks->model->clocks.len + 1,
                 most = most_clocks > most_bounds ? most_clocks : most_bounds;
    *builder = (struct config_builder){
        .mem = mem, .layout = layout, .timers = timers, .clocks = clocks, .exact = exact};
    builder->list = mem_try_alloc(mem, most_clocks * sizeof *builder->list);
    builder->bounds = mem_try_alloc(mem, (most_bounds + UINT64_C(1)) * sizeof *builder->bounds);
    builder->numbers = mem_try_alloc(mem, most * sizeof *builder->numbers);
    builder->marks = mem_try_alloc(mem, (timers->list.len + UINT64_C(1)) * sizeof *builder->marks);
    if (!builder->list || !builder->bounds || !builder->numbers || !builder->marks) return false;
    for (uint32_t i = 0; i < most; i++) builder->numbers[i] = i;
    return true;
}

void config_builder_release(struct config_builder *builder)
{
    mem_free(builder->mem, builder->list);
    mem_free(builder->mem, builder->bounds);
    mem_free(builder->mem, builder->numbers);
    mem_free(builder->mem, builder->marks);
}

static void add_clock(struct config_builder *builder, uint32_t source, int32_t lower, int32_t upper,
                      dbm_bound until)
{
    CHECKED(builder->config.count
            < builder->timers->list.len + (uint64_t)builder->clocks->model->clocks.len);
    builder->list[builder->config.count++] = (struct config_clock){
        .source = source, .lower = lower, .upper = upper, .until = until, .from = BOUND_ZERO};
}

/* The timers of rules that are enabled or fail, in their order. There are few of them: they are
 * sorted as they come. */
static void add_timers(struct config_builder *builder, const struct batch *rules)
{
    struct config_clock *list = builder->list;
    const struct timers *timers = builder->timers;
    if (!++builder->mark) { /* after 2^32 states: old marks must not look new */
        memset(builder->marks, 0, timers->list.len * sizeof *builder->marks);
        builder->mark = 1;
    }
    for (uint32_t i = 0; i < rules->step_count; i++) {
        const uint32_t rule = rules->steps[i].fast->rule, t = timers->of[rule];
        builder->config.urgent |= timers->urgent[rule];
        if (t == TIMER_NONE || builder->marks[t] == builder->mark) continue;
        builder->marks[t] = builder->mark;
        uint32_t at = builder->config.count;
        add_clock(builder, t, timers->list.data[t].lower, timers->list.data[t].upper,
                  timers->list.data[t].until);
        struct config_clock added = list[at];
        for (; at && list[at - 1].source > t; at--) list[at] = list[at - 1];
        list[at] = added;
    }
}

static void add_clocks(struct config_builder *builder, const uint64_t *words)
{
    const struct clocks *clocks = builder->clocks;
    for (uint32_t c = 0; c < clocks->model->clocks.len; c++) {
        struct clock_range range = clocks_range(clocks, c, builder->layout, words);
        if (range.lower == BOUND_NONE && range.upper == BOUND_NONE) continue;
        add_clock(builder, builder->timers->list.len + c, range.lower, range.upper, BOUND_INFINITY);
    }
}

/* The clock under construction for a clock of the model; NULL: it does not matter in this state. */
static struct config_clock *building_clock(struct config_builder *builder, uint32_t clock)
{
    for (uint32_t i = builder->config.count; clock != MODEL_NONE && i-- > 0;)
        if (builder->list[i].source == builder->timers->list.len + clock) return &builder->list[i];
    return NULL;
}

static void tighten(dbm_bound *bound, dbm_bound by)
{
    if (by < *bound) *bound = by;
}

static uint32_t number_of(const struct config_builder *builder, const struct config_clock *clock)
{
    return clock ? (uint32_t)(clock - builder->list) + 1 : 0;
}

static void add_bound(struct config_builder *builder, const struct config_clock *x,
                      const struct config_clock *y, uint32_t group, dbm_bound bound)
{
    assert(builder->config.bound_count < config_most_bounds(builder->clocks->model));
    builder->bounds[builder->config.bound_count++] = (struct config_bound){
        .x = number_of(builder, x), .y = number_of(builder, y), .group = group, .bound = bound};
}

static void add_constraint(struct config_builder *builder, const struct program *program,
                           const uint64_t *words, uint32_t i)
{
    const struct clock_constraint *constraint = &builder->clocks->model->constraints.data[i];
    dbm_bound bound;
    if (!clocks_bound(builder->clocks, program, words, i, &bound)) return;
    struct config_clock *x = building_clock(builder, constraint->x),
                        *y = building_clock(builder, constraint->y);
    if (constraint->x == constraint->y) builder->config.forbidden |= bound < BOUND_ZERO;
    else if (clocks_is_diagonal(constraint)) {
        assert(x && y); /* such a test counts for both */
        add_bound(builder, x, y, 0, bound);
    } else if (x) tighten(&x->until, bound);
    else if (y) tighten(&y->from, bound);
    /* else it is always true: see add_constraints in clocks.c */
}

static void add_invariants(struct config_builder *builder, const struct program *program,
                           const uint64_t *words)
{
    const struct clocks *clocks = builder->clocks;
    for (uint32_t i = 0; i < clocks->urgent.len; i++)
        builder->config.urgent |=
            field_get(&builder->layout->fields[clocks->urgent.data[i].var], words)
            == clocks->urgent.data[i].value;
    for (uint32_t i = 0; i < clocks->invariants.len; i++) {
        const struct clock_invariant *invariant = &clocks->invariants.data[i];
        if (field_get(&builder->layout->fields[invariant->var], words) != invariant->value)
            continue;
        for (uint32_t k = 0; k < invariant->count; k++)
            add_constraint(builder, program, words, invariant->first + k);
    }
}

/* The guards of an urgent rule in this state, as a group of bounds. False: it has none that says
 * anything, so that no time passes. */
static bool add_group(struct config_builder *builder, const struct program *program,
                      const uint64_t *words, const struct model_rule *rule, uint32_t group)
{
    const uint32_t first = builder->config.bound_count;
    bool never = false;
    for (uint32_t i = 0; i < rule->guards; i++) {
        const struct clock_constraint *constraint =
            &builder->clocks->model->constraints.data[rule->first_guard + i];
        dbm_bound bound;
        if (constraint->unless
            || !clocks_bound(builder->clocks, program, words, rule->first_guard + i, &bound))
            continue;
        const struct config_clock *x = building_clock(builder, constraint->x),
                                  *y = building_clock(builder, constraint->y);
        if (constraint->x == constraint->y) never |= bound < BOUND_ZERO;
        else if (x || y) add_bound(builder, x, y, group, bound);
        /* else it is always true */
    }
    if (!never) return builder->config.bound_count > first;
    builder->config.bound_count = first;
    return true;
}

static bool is_same_bound(const struct config_bound *a, const struct config_bound *b)
{
    return a->x == b->x && a->y == b->y && a->bound == b->bound;
}

/* Whether the bounds from number `first` on are a group that was there before, behind the
 * invariants. */
static bool is_known_group(const struct config_builder *builder, uint32_t invariants,
                           uint32_t first)
{
    const struct config_bound *bounds = builder->bounds;
    const uint32_t count = builder->config.bound_count - first;
    for (uint32_t at = invariants, same; at < first; at += same) {
        for (same = 0; at + same < first && bounds[at + same].group == bounds[at].group;) same++;
        bool equal = same == count;
        for (uint32_t i = 0; equal && i < count; i++)
            equal = is_same_bound(&bounds[at + i], &bounds[first + i]);
        if (equal) return true;
    }
    return false;
}

static void add_rushes(struct config_builder *builder, const struct program *program,
                       const uint64_t *words, const struct batch *rules)
{
    const uint32_t invariants = builder->config.bound_count;
    uint32_t group = 1;
    for (uint32_t i = 0; !builder->config.urgent && i < rules->step_count; i++) {
        const struct model_rule *rule =
            &builder->clocks->model->rules.data[rules->steps[i].fast->rule];
        const uint32_t first = builder->config.bound_count;
        if (!rule->is_urgent || !rule->guards) continue;
        builder->config.urgent |= !add_group(builder, program, words, rule, group);
        if (builder->config.bound_count == first) continue;
        if (is_known_group(builder, invariants, first)) builder->config.bound_count = first;
        else group++;
    }
    if (builder->config.urgent) builder->config.bound_count = invariants;
}

/* As config_clock_of needs it. */
static bool are_in_order(const struct config_builder *builder)
{
    for (uint32_t i = 1; i < builder->config.count; i++)
        if (builder->list[i].source <= builder->list[i - 1].source) return false;
    return true;
}

uint32_t config_most_bounds(const struct model *model)
{
    uint64_t most = model->constraints.len;
    for (uint32_t r = 0; r < model->rules.len; r++)
        if (model->rules.data[r].is_urgent) most += model->rules.data[r].guards;
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

void config_build(struct config_builder *builder, const struct program *program,
                  const uint64_t *words, const struct batch *rules)
{
    builder->config = (struct config){.numbers = builder->numbers,
                                      .table = builder->list,
                                      .bound_numbers = builder->numbers,
                                      .bounds = builder->bounds};
    add_timers(builder, rules);
    add_clocks(builder, words);
    add_invariants(builder, program, words);
    if (builder->timers->any_rushes) add_rushes(builder, program, words, rules);
    CHECKED(are_in_order(builder));
    for (uint32_t i = 0; builder->exact && i < builder->config.count; i++) {
        struct config_clock *clock = &builder->list[i];
        clock->lower = clock->upper = clock->lower > clock->upper ? clock->lower : clock->upper;
    }
}

/* ---- keeping it ---- */

static size_t size_of(const struct config_kept *config)
{
    return sizeof *config + (config->count + (size_t)config->bounds) * sizeof *config->clocks;
}

bool configs_init(struct configs *configs, struct mem *mem, uint32_t most, uint32_t most_bounds)
{
    const uint64_t all = most + UINT64_C(1) + most_bounds;
    *configs = (struct configs){.mem = mem};
    configs->list_slots.slots =
        mem_try_alloc(mem, CONFIG_FIRST_SLOTS * sizeof *configs->list_slots.slots);
    configs->table_slots.slots =
        mem_try_alloc(mem, CONFIG_FIRST_SLOTS * sizeof *configs->table_slots.slots);
    configs->bound_slots.slots =
        mem_try_alloc(mem, CONFIG_FIRST_SLOTS * sizeof *configs->bound_slots.slots);
    configs->list_slots.size = configs->table_slots.size = configs->bound_slots.size =
        CONFIG_FIRST_SLOTS;
    configs->room = mem_try_alloc(mem, sizeof *configs->room + all * sizeof *configs->room->clocks);
    configs->recent = mem_try_alloc(mem, (most + UINT64_C(1)) * sizeof *configs->recent);
    bool good = configs->list_slots.slots && configs->table_slots.slots
                && configs->bound_slots.slots && configs->room && configs->recent;
    if (!good) configs_release(configs);
    return good;
}

void configs_release(struct configs *configs)
{
    for (uint32_t i = 0; i < configs->chunk_count; i++) mem_free(configs->mem, configs->chunks[i]);
    mem_free(configs->mem, configs->chunks);
    mem_free(configs->mem, configs->list);
    mem_free(configs->mem, configs->table);
    mem_free(configs->mem, configs->bounds);
    mem_free(configs->mem, configs->list_slots.slots);
    mem_free(configs->mem, configs->table_slots.slots);
    mem_free(configs->mem, configs->bound_slots.slots);
    mem_free(configs->mem, configs->room);
    mem_free(configs->mem, configs->recent);
    *configs = (struct configs){.mem = configs->mem};
}

static uint64_t clock_hash(const struct config_clock *clock)
{
    return store_hash(clock, sizeof *clock);
}

static uint64_t config_hash(const struct config_kept *config)
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
    assert(2 * (count + 1) <= slots->size); /* a search for a free one ends */
    return *moved = true;
}

static bool is_same(const struct config_clock *a, const struct config_clock *b)
{
    return a->source == b->source && a->lower == b->lower && a->upper == b->upper
           && a->until == b->until && a->from == b->from;
}

static uint32_t find_clock_slowly(struct configs *configs, const struct config_clock *clock)
{
    struct config_slots *slots = &configs->table_slots;
    bool moved;
    for (uint64_t at = clock_hash(clock) % slots->size; slots->slots[at];
         at = (at + 1) % slots->size)
        if (is_same(&configs->table[slots->slots[at] - 1], clock)) return slots->slots[at] - 1;
    if (!reserve(configs->mem, (void **)&configs->table, &configs->table_capacity,
                 sizeof *configs->table, slots, configs->table_count, &moved))
        return CONFIG_NONE;
    for (uint32_t i = 0; moved && i < configs->table_count; i++)
        put_slot(slots, clock_hash(&configs->table[i]), i);
    configs->table[configs->table_count] = *clock;
    put_slot(slots, clock_hash(clock), configs->table_count);
    return configs->table_count++;
}

/* The clock's number in the table; CONFIG_NONE when memory is refused. Most often it is the one
 * that this source had the last time. */
static uint32_t find_clock(struct configs *configs, const struct config_clock *clock)
{
    uint32_t *recent = &configs->recent[clock->source];
    if (*recent && is_same(&configs->table[*recent - 1], clock)) return *recent - 1;
    const uint32_t number = find_clock_slowly(configs, clock);
    if (number != CONFIG_NONE) *recent = number + 1;
    return number;
}

/* The bound's number; CONFIG_NONE when memory is refused. */
static uint32_t find_bound(struct configs *configs, const struct config_bound *bound)
{
    struct config_slots *slots = &configs->bound_slots;
    const size_t size = sizeof *bound;
    bool moved;
    for (uint64_t at = store_hash(bound, (uint32_t)size) % slots->size; slots->slots[at];
         at = (at + 1) % slots->size)
        if (!memcmp(&configs->bounds[slots->slots[at] - 1], bound, size))
            return slots->slots[at] - 1;
    if (!reserve(configs->mem, (void **)&configs->bounds, &configs->bound_capacity, size, slots,
                 configs->bound_count, &moved))
        return CONFIG_NONE;
    for (uint32_t i = 0; moved && i < configs->bound_count; i++)
        put_slot(slots, store_hash(&configs->bounds[i], (uint32_t)size), i);
    configs->bounds[configs->bound_count] = *bound;
    put_slot(slots, store_hash(bound, (uint32_t)size), configs->bound_count);
    return configs->bound_count++;
}

/* Room for one configuration, that stays where it is. NULL when memory is refused. */
static struct config_kept *find_room(struct configs *configs, size_t bytes)
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
        const uint32_t doubled = configs->chunk_count < 6 ? configs->chunk_count : 6;
        size_t size = (size_t)CONFIG_FIRST_CHUNK << doubled;
        if (size > CONFIG_CHUNK) size = CONFIG_CHUNK;
        if (size < bytes) size = bytes;
        char *chunk = mem_try_alloc(configs->mem, size);
        if (!chunk) return NULL;
        configs->chunks[configs->chunk_count++] = configs->chunk_at = chunk;
        configs->chunk_left = size;
    }
    assert(bytes % 4 == 0 && bytes <= configs->chunk_left);
    struct config_kept *room =
        (struct config_kept *)configs->chunk_at; /* sizes are multiples of 4 */
    configs->chunk_at += bytes;
    configs->chunk_left -= bytes;
    return room;
}

uint32_t configs_add(struct configs *configs, const struct config *added)
{
    struct config_kept *config = configs->room;
    struct config_slots *slots = &configs->list_slots;
    bool moved;
    if (added->bound_count > UINT16_MAX) return CONFIG_NONE; /* beyond what is kept */
    *config = (struct config_kept){.count = added->count,
                                   .urgent = added->urgent,
                                   .forbidden = added->forbidden,
                                   .bounds = (uint16_t)added->bound_count};
    for (uint32_t i = 0; i < config->count; i++)
        if ((config->clocks[i] = find_clock(configs, config_clock(added, i))) == CONFIG_NONE)
            return CONFIG_NONE;
    for (uint32_t i = 0; i < config->bounds; i++)
        if ((config->clocks[config->count + i] = find_bound(configs, config_bound(added, i)))
            == CONFIG_NONE)
            return CONFIG_NONE;
    for (uint64_t at = config_hash(config) % slots->size; slots->slots[at];
         at = (at + 1) % slots->size) {
        const struct config_kept *known = configs->list[slots->slots[at] - 1];
        if (known->count == config->count && known->bounds == config->bounds
            && !memcmp(known, config, size_of(config)))
            return slots->slots[at] - 1;
    }
    if (!reserve(configs->mem, (void **)&configs->list, &configs->capacity, sizeof *configs->list,
                 slots, configs->count, &moved))
        return CONFIG_NONE;
    for (uint32_t i = 0; moved && i < configs->count; i++)
        put_slot(slots, config_hash(configs->list[i]), i);
    struct config_kept *kept = find_room(configs, size_of(config));
    if (!kept) return CONFIG_NONE;
    memcpy(kept, config, size_of(config));
    configs->list[configs->count] = kept;
    put_slot(slots, config_hash(kept), configs->count);
    if (config->count > configs->most) configs->most = config->count;
    return configs->count++;
}

uint32_t config_clock_of(const struct config *config, uint32_t source)
{
    uint32_t low = 0, high = config->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (config_clock(config, middle)->source < source) low = middle + 1;
        else high = middle;
    }
    return low < config->count && config_clock(config, low)->source == source ? low + 1 : 0;
}
