/* `{low,high} of [...]`: some of the operands, each at most once, one after another in any order.
 *
 * Operands with equal automata are of one kind, and only how many of a kind were used matters. A
 * configuration is such a count for each kind (its `use`, a number in a table) and what is going
 * on: a state of an operand of some kind, or BETWEEN, where the next operand may begin. So there
 * are as many configurations as there are ways to choose operands, not orders to choose them in;
 * and once `high` operands were used, all ways are one (SPENT).
 *
 * An operand that allows the empty word could be used without a trace. That helps only to reach
 * `low`: between operands all is well when those that were used and those of this sort that were
 * not are `low` together. So such uses need no configurations.
 *
 * Invariants: (1) no two uses have the same counts, and no count is larger than the copies of its
 * kind; (2) fewer than `high` operands are used in a use of the table. */
#include "automaton/guide/operate.h"

#include "automaton/guide/subset.h"
#include "base/room.h"

#include <assert.h>
#include <string.h>

#ifdef CAIRN_DEGENERATE
enum { HASH_MASK = 15, FIRST_SLOTS = 4 };
#else
enum { HASH_MASK = -1, FIRST_SLOTS = 256 };
#endif

enum { BETWEEN = 0xFFFFFFFF, SPENT = 0xFFFFFFFF };

struct kind {
    const struct dfa *part;
    uint32_t copies;
    uint32_t offset; /* the number of its first state */
};

struct choices {
    struct mem *mem;
    struct kind *kinds;
    uint32_t kind_count;
    uint32_t *owner; /* of each state: its kind */
    uint32_t low, high;
    /* the table of uses */
    uint16_t *uses; /* kind_count numbers for each */
    uint64_t use_cap;
    uint32_t *used;  /* per use: how many operands, ... */
    uint32_t *empty; /* ... and how many that allow the empty word are left */
    uint64_t used_cap, empty_cap;
    uint32_t use_count, max_uses;
    uint32_t *slots; /* use + 1; 0: free */
    uint32_t size;
    uint16_t *next; /* working memory */
};

static uint32_t hash(const struct choices *c, const uint16_t *use)
{
    uint64_t h = 0;
    for (uint32_t k = 0; k < c->kind_count; k++) {
        h = (h ^ use[k]) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 29;
    }
    return (uint32_t)(h >> 32) & (uint32_t)HASH_MASK;
}

static const uint16_t *use_at(const struct choices *c, uint32_t use)
{
    return c->uses + (size_t)use * c->kind_count;
}

static uint32_t slot_of(const struct choices *c, const uint16_t *use)
{
    uint32_t at = hash(c, use) & (c->size - 1);
    while (c->slots[at] && memcmp(use_at(c, c->slots[at] - 1), use, c->kind_count * sizeof *use))
        at = (at + 1) & (c->size - 1);
    return at;
}

static bool grow(struct choices *c)
{
    uint64_t size = c->size ? 2 * (uint64_t)c->size : FIRST_SLOTS;
    uint32_t *slots = size > UINT32_MAX ? NULL : mem_try_alloc(c->mem, size * sizeof *slots);
    if (!slots) return false;
    mem_free(c->mem, c->slots);
    c->slots = slots;
    c->size = (uint32_t)size;
    for (uint32_t i = 0; i < c->use_count; i++) slots[slot_of(c, use_at(c, i))] = i + 1;
    return true;
}

static enum build_status find_use(struct choices *c, const uint16_t *use, uint32_t *found)
{
    if (2 * ((uint64_t)c->use_count + 1) > c->size && !grow(c)) return BUILD_REFUSED;
    uint32_t at = slot_of(c, use), used = 0, empty = 0;
    if (c->slots[at]) {
        *found = c->slots[at] - 1;
        return BUILD_DONE;
    }
    if (c->use_count == c->max_uses) return BUILD_TOO_LARGE;
    if (!ROOM(c->mem, c->uses, &c->use_cap, ((uint64_t)c->use_count + 1) * c->kind_count))
        return BUILD_REFUSED;
    if (!ROOM(c->mem, c->used, &c->used_cap, (uint64_t)c->use_count + 1)) return BUILD_REFUSED;
    if (!ROOM(c->mem, c->empty, &c->empty_cap, (uint64_t)c->use_count + 1)) return BUILD_REFUSED;
    for (uint32_t k = 0; k < c->kind_count; k++) {
        assert(use[k] <= c->kinds[k].copies); /* (1) */
        used += use[k];
        if (dfa_is_final(c->kinds[k].part, 0)) empty += c->kinds[k].copies - use[k];
    }
    assert(used < c->high); /* (2) */
    memcpy(c->uses + (size_t)c->use_count * c->kind_count, use, c->kind_count * sizeof *use);
    c->used[c->use_count] = used;
    c->empty[c->use_count] = empty;
    *found = c->use_count++;
    c->slots[at] = c->use_count;
    return BUILD_DONE;
}

static uint64_t config_of(uint32_t use, uint32_t going_on)
{
    return (uint64_t)use << 32 | going_on;
}

/* Goes to a state of an operand of kind k. */
static void emit(struct subset *subset, const struct choices *c, uint32_t label, uint32_t use,
                 uint32_t k, uint32_t state)
{
    const struct kind *kind = &c->kinds[k];
    bool is_end = dfa_is_end(kind->part, state);
    if (!is_end) subset_emit(subset, label, config_of(use, kind->offset + state));
    if (dfa_is_final(kind->part, state) && (use != SPENT || is_end))
        subset_emit(subset, label, config_of(use, BETWEEN));
}

static void begin_kind(struct subset *subset, struct choices *c, uint32_t use, uint32_t k)
{
    const struct dfa *part = c->kinds[k].part;
    uint32_t then = SPENT;
    if (c->used[use] + 1 < c->high) {
        memcpy(c->next, use_at(c, use), c->kind_count * sizeof *c->next);
        c->next[k]++;
        enum build_status status = find_use(c, c->next, &then);
        if (status != BUILD_DONE) {
            subset_stop(subset, status);
            return;
        }
    }
    for (uint32_t e = part->first_edge[0]; e < part->first_edge[1]; e++)
        emit(subset, c, part->edge_label[e], then, k, part->edge_to[e]);
}

static void of_start(struct subset *subset, void *data)
{
    struct choices *c = data;
    uint32_t use;
    memset(c->next, 0, c->kind_count * sizeof *c->next);
    enum build_status status = find_use(c, c->next, &use);
    if (status == BUILD_DONE) subset_emit(subset, 0, config_of(use, BETWEEN));
    else subset_stop(subset, status);
}

static void of_follow(struct subset *subset, void *data, uint64_t config)
{
    struct choices *c = data;
    uint32_t use = (uint32_t)(config >> 32), going_on = (uint32_t)config;
    if (going_on == BETWEEN) {
        for (uint32_t k = 0; use != SPENT && k < c->kind_count; k++)
            if (use_at(c, use)[k] < c->kinds[k].copies) begin_kind(subset, c, use, k);
        return;
    }
    uint32_t k = c->owner[going_on], state = going_on - c->kinds[k].offset;
    const struct dfa *part = c->kinds[k].part;
    for (uint32_t e = part->first_edge[state]; e < part->first_edge[state + 1]; e++)
        emit(subset, c, part->edge_label[e], use, k, part->edge_to[e]);
}

static bool of_is_final(const void *data, uint64_t config)
{
    const struct choices *c = data;
    uint32_t use = (uint32_t)(config >> 32), going_on = (uint32_t)config;
    if (going_on == BETWEEN) return use == SPENT || c->used[use] + c->empty[use] >= c->low;
    uint32_t k = c->owner[going_on];
    return use == SPENT && dfa_is_final(c->kinds[k].part, going_on - c->kinds[k].offset);
}

/* Operands with equal automata become one kind. */
static enum build_status find_kinds(struct choices *c, const struct dfa *const *parts,
                                    uint32_t count)
{
    uint64_t states = 0;
    c->kinds = mem_try_alloc(c->mem, ((size_t)count + 1) * sizeof *c->kinds);
    c->next = mem_try_alloc(c->mem, ((size_t)count + 1) * sizeof *c->next);
    if (!c->kinds || !c->next) return BUILD_REFUSED;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = 0;
        while (k < c->kind_count && !dfa_same(c->kinds[k].part, parts[i])) k++;
        if (k == c->kind_count) {
            c->kinds[c->kind_count++] = (struct kind){parts[i], 0, (uint32_t)states};
            states += parts[i]->states;
        }
        if (c->kinds[k].copies++ == UINT16_MAX || states >= BETWEEN) return BUILD_TOO_LARGE;
    }
    c->owner = mem_try_alloc(c->mem, (size_t)(states + 1) * sizeof *c->owner);
    for (uint32_t k = 0; c->owner && k < c->kind_count; k++)
        for (uint32_t s = 0; s < c->kinds[k].part->states; s++)
            c->owner[c->kinds[k].offset + s] = k;
    return c->owner ? BUILD_DONE : BUILD_REFUSED;
}

enum build_status operate_of(const struct operate *how, const struct dfa *const *parts,
                             uint32_t count, uint32_t low, uint32_t high, struct dfa *to)
{
    assert(low <= high && high && high <= count); /* the contract */
    struct choices c = {.mem = how->mem, .low = low, .high = high, .max_uses = how->max_states};
    struct subset_rules rules = {.data = &c,
                                 .all_final = how->prefixes,
                                 .start = of_start,
                                 .follow = of_follow,
                                 .is_final = of_is_final};
    *to = (struct dfa){.mem = how->mem};
    enum build_status status = find_kinds(&c, parts, count);
    if (status == BUILD_DONE) status = subset_run(to, how->mem, &rules, how->max_states);
    mem_free(c.mem, c.kinds);
    mem_free(c.mem, c.owner);
    mem_free(c.mem, c.uses);
    mem_free(c.mem, c.used);
    mem_free(c.mem, c.empty);
    mem_free(c.mem, c.slots);
    mem_free(c.mem, c.next);
    return status;
}
