#include "solver/zone/federation.h"

#include "base/checked.h"
#include "solver/zone/rows.h"

#include <string.h>

/* Z \ Y: for each constraint of Y in turn, the part of Z that violates it and satisfies those
 * before it. The fewest constraints of Y are taken, for few parts; a constraint that holds in what
 * is left of Z makes none. A zone that does not meet Y is left in one piece. */

void federation_init(struct federation *federation, struct mem *mem, uint32_t clocks)
{
    *federation = (struct federation){.mem = mem};
    federation_clear(federation, clocks);
}

void federation_release(struct federation *federation)
{
    mem_free(federation->mem, federation->entries);
    reduction_release(&federation->reduction, federation->mem);
    *federation = (struct federation){0};
}

static size_t cells(const struct federation *federation)
{
    return (size_t)(federation->clocks + 1) * federation->stride;
}

void federation_clear(struct federation *federation, uint32_t clocks)
{
    uint64_t all = federation->capacity * (federation->entries ? cells(federation) : 0);
    federation->clocks = clocks;
    federation->stride = rows_stride(clocks + 1);
    federation->count = 0;
    federation->capacity = (uint32_t)(all / cells(federation));
}

struct dbm federation_get(const struct federation *federation, uint32_t k)
{
    assert(k < federation->capacity);
    return (struct dbm){.size = federation->clocks + 1,
                        .stride = federation->stride,
                        .most = federation->clocks,
                        .entries = federation->entries + k * cells(federation)};
}

/* Room for one zone more. */
static bool reserve(struct federation *federation)
{
    if (federation->count < federation->capacity) return true;
    uint64_t capacity = 2 * (uint64_t)federation->capacity + 2;
    if (capacity > UINT32_MAX) return false;
    dbm_bound *entries = mem_try_resize(federation->mem, federation->entries,
                                        capacity * cells(federation) * sizeof *entries);
    if (!entries) return false;
    federation->entries = entries;
    federation->capacity = (uint32_t)capacity;
    return true;
}

bool federation_add(struct federation *federation, const struct dbm *dbm)
{
    assert(dbm_clocks(dbm) == federation->clocks);
    if (dbm_is_empty(dbm)) return true;
    if (!reserve(federation)) return false;
    memcpy(federation->entries + federation->count++ * cells(federation), dbm->entries,
           cells(federation) * sizeof *dbm->entries);
    CHECKED(dbm_check(dbm));
    return true;
}

/* Zone k loses what violates x_i - x_j < or <= c; that becomes a zone of its own. */
static bool split(struct federation *federation, uint32_t k, uint32_t i, uint32_t j, dbm_bound b)
{
    struct dbm rest = federation_get(federation, k);
    if (dbm_is_empty(&rest) || dbm_at(&rest, i, j) <= b) return true;
    if (!reserve(federation)) return false;
    rest = federation_get(federation, k);
    struct dbm piece = federation_get(federation, federation->count++);
    dbm_copy(&piece, &rest);
    bool some = dbm_constrain(&piece, j, i, bound_negate(b));
    assert(some);
    (void)some;
    dbm_constrain(&rest, i, j, b);
    return true;
}

static bool split_by_all(struct federation *federation, uint32_t k, const struct dbm *dbm)
{
    const struct zone_reduction *reduction = &federation->reduction;
    for (uint32_t i = 1; i < reduction->size; i++) {
        uint32_t leader = reduction->leader[i];
        if (leader == i) continue;
        if (!split(federation, k, i, leader, dbm_at(dbm, i, leader))
            || !split(federation, k, leader, i, dbm_at(dbm, leader, i)))
            return false;
    }
    for (uint32_t a = 0; a < reduction->leaders; a++)
        for (uint32_t b = 0; b < reduction->leaders; b++) {
            dbm_bound kept = reduction->kept[(size_t)a * reduction->stride + b];
            if (kept != BOUND_INFINITY
                && !split(federation, k, reduction->clocks[a], reduction->clocks[b], kept))
                return false;
        }
    return true;
}

/* The room behind the last zone serves to find out. False when memory is refused. */
static bool meets(struct federation *federation, uint32_t k, const struct dbm *dbm, bool *answer)
{
    if (!reserve(federation)) return false;
    struct dbm zone = federation_get(federation, k),
               both = federation_get(federation, federation->count);
    dbm_copy(&both, &zone);
    *answer = dbm_intersect(&both, dbm);
    return true;
}

bool federation_subtract(struct federation *federation, const struct dbm *dbm)
{
    assert(dbm_clocks(dbm) == federation->clocks);
    if (dbm_is_empty(dbm)) return true;
    if (!reduction_reserve(&federation->reduction, federation->mem, dbm->size)) return false;
    reduction_compute(&federation->reduction, dbm);
    uint32_t old = federation->count, left = 0;
    for (uint32_t k = 0; k < old; k++) {
        bool some;
        if (!meets(federation, k, dbm, &some)) return false;
        if (!some) continue;
        if (!split_by_all(federation, k, dbm)) return false;
        federation->entries[k * cells(federation)] = bound_strict(0); /* what is left is in both */
    }
    for (uint32_t k = 0; k < federation->count; k++) {
        struct dbm zone = federation_get(federation, k);
        if (!dbm_is_empty(&zone))
            memmove(federation->entries + left++ * cells(federation), zone.entries,
                    cells(federation) * sizeof *zone.entries);
    }
    assert(left <= federation->count);
    federation->count = left;
    return true;
}
