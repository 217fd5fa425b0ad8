#define XXH_INLINE_ALL
#include "automaton/activity/future.h"

#include "automaton/activity/future_combine.h"
#include "base/checked.h"
#include "base/room.h"

#include <xxhash.h>

#ifdef CAIRN_DEGENERATE
enum { HASH_MASK = 15, FIRST_SLOTS = 4 };
#else
enum { HASH_MASK = -1, FIRST_SLOTS = 1024 };
#endif

static uint32_t hash(bool has_empty, const struct future_edge *edges, uint32_t count)
{
    uint64_t h = XXH3_64bits_withSeed(edges, count * sizeof *edges, has_empty);
    return (uint32_t)h & (uint32_t)HASH_MASK;
}

static bool is_equal(const struct futures *f, uint32_t i, bool has_empty,
                     const struct future_edge *edges, uint32_t count)
{
    uint32_t first = f->first[i];
    if (f->first[i + 1] - first != count || (f->longest[i] & 1) != has_empty) return false;
    return !count || !memcmp(f->edges + first, edges, count * sizeof *edges);
}

static uint32_t slot_of(const struct futures *f, uint32_t h, bool has_empty,
                        const struct future_edge *edges, uint32_t count)
{
    uint32_t at = h & (f->size - 1);
    for (; f->slots[at]; at = (at + 1) & (f->size - 1))
        if (f->slots[at] >> 32 == h
            && is_equal(f, (uint32_t)f->slots[at] - 1, has_empty, edges, count))
            break;
    return at;
}

static bool grow_slots(struct futures *f)
{
    uint32_t size = f->size ? 2 * f->size : FIRST_SLOTS;
    uint64_t *slots = mem_try_alloc(f->mem, (size_t)size * sizeof *slots);
    if (!slots) return false;
    for (uint32_t i = 0; i < f->size; i++) {
        uint32_t at = (uint32_t)(f->slots[i] >> 32) & (size - 1);
        if (!f->slots[i]) continue;
        while (slots[at]) at = (at + 1) & (size - 1);
        slots[at] = f->slots[i];
    }
    mem_free(f->mem, f->slots);
    f->slots = slots;
    f->size = size;
    CHECKED(futures_check(f));
    return true;
}

static future fail(struct futures *f, enum build_status status)
{
    f->status = status;
    return (future){FUTURE_NONE};
}

static bool has_room(struct futures *f, uint32_t count)
{
    return ROOM(f->mem, f->first, &f->first_cap, (uint64_t)f->count + 2)
           && ROOM(f->mem, f->longest, &f->longest_cap, (uint64_t)f->count + 1)
           && ROOM(f->mem, f->edges, &f->edge_cap, f->edge_count + count);
}

future future_make(struct futures *f, bool has_empty, const struct future_edge *edges,
                   uint32_t count)
{
    if (3 * ((uint64_t)f->count + 1) > 2 * (uint64_t)f->size && !grow_slots(f))
        return fail(f, BUILD_REFUSED);
    uint32_t h = hash(has_empty, edges, count), at = slot_of(f, h, has_empty, edges, count);
    if (f->slots[at]) return (future){(uint32_t)f->slots[at] - 1};
    uint32_t longest = 0, branches = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t here = future_longest(f, (future){edges[i].to}) + 1;
        if (here > longest) longest = here;
        branches |= future_branches(f, (future){edges[i].to})
                    || (i && edges[i - 1].label == edges[i].label);
        assert(edges[i].to < f->count);                     /* (1) */
        assert(!i || edges[i - 1].label <= edges[i].label); /* the contract */
        assert(f->is_branching || !i || edges[i - 1].label < edges[i].label);
    }
    assert(count || has_empty); /* (3) */
    if (f->count >= UINT32_MAX / 4 || f->edge_count + count > UINT32_MAX || longest >= f->limit)
        return fail(f, BUILD_TOO_LARGE);
    if (mem_enough(f->mem) || !has_room(f, count)) return fail(f, BUILD_REFUSED);
    if (count) memcpy(f->edges + f->edge_count, edges, count * sizeof *edges);
    f->edge_count += count;
    f->longest[f->count] = longest << 2 | branches << 1 | has_empty;
    f->first[++f->count] = (uint32_t)f->edge_count;
    f->slots[at] = (uint64_t)h << 32 | f->count;
    return (future){f->count - 1};
}

bool futures_init(struct futures *f, struct mem *mem, bool is_branching, uint32_t limit)
{
    if (limit == 0) limit = 1;
    if (limit > INT32_MAX / 2)
        limit = INT32_MAX / 2; /* lengths of words share their 32 bits with two others */
    *f = (struct futures){.mem = mem, .is_branching = is_branching, .limit = limit};
    if (!has_room(f, 0)) return false;
    f->first[0] = 0;
    f->work = future_work_new(mem);
    return f->work && future_make(f, true, NULL, 0).i == FUTURE_END;
}

void futures_forget(struct futures *f)
{
    CHECKED(!f->slots || futures_check(f));
    mem_free(f->mem, f->slots);
    future_work_free(f->mem, f->work);
    f->slots = NULL;
    f->work = NULL;
}

void futures_release(struct futures *f)
{
    futures_forget(f);
    mem_free(f->mem, f->first);
    mem_free(f->mem, f->longest);
    mem_free(f->mem, f->edges);
    *f = (struct futures){.mem = f->mem};
}

future future_word(struct futures *f, uint32_t label, future then)
{
    struct future_edge edge = {label, then.i};
    return then.i == FUTURE_NONE ? then : future_make(f, false, &edge, 1);
}

bool futures_check(const struct futures *f)
{
    for (uint32_t i = 0; i < f->count; i++) { /* (1), (2) and (3), future by future */
        const struct future_edge *edges = f->edges + f->first[i];
        uint32_t count = f->first[i + 1] - f->first[i];
        for (uint32_t k = 0; k < count; k++) {
            bool branches = k && edges[k - 1].label == edges[k].label;
            if (edges[k].to >= i || (k && edges[k - 1].label > edges[k].label)) return false;
            if (branches && (!f->is_branching || edges[k - 1].to >= edges[k].to)) return false;
        }
        bool has_empty = f->longest[i] & 1;
        if ((uint32_t)f->slots[slot_of(f, hash(has_empty, edges, count), has_empty, edges, count)]
            != i + 1)
            return false;
        if (!count && i != FUTURE_END) return false;
    }
    return true;
}
