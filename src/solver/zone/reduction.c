#include "solver/zone/reduction.h"

#include "solver/zone/rows.h"

#include <string.h>

/* Between leaders no cycle has weight 0, so if a bound follows from two others, these do not follow
 * from it in turn: all bounds that follow from two others can be dropped at once. A bound must not
 * follow from itself and "x - x <= 0", hence the infinite diagonal. */

bool reduction_reserve(struct zone_reduction *reduction, struct mem *mem, uint32_t size)
{
    if (size <= reduction->capacity) return true;
    size_t cells = (size_t)size * rows_stride(size);
    uint32_t *leader = mem_try_alloc(mem, size * sizeof *leader),
             *clocks = mem_try_alloc(mem, size * sizeof *clocks);
    dbm_bound *kept = mem_try_alloc(mem, cells * sizeof *kept),
              *matrix = mem_try_alloc(mem, cells * sizeof *matrix);
    bool good = leader && clocks && kept && matrix;
    struct zone_reduction grown = {
        .leader = leader, .clocks = clocks, .kept = kept, .matrix = matrix, .capacity = size};
    reduction_release(good ? reduction : &grown, mem);
    if (good) *reduction = grown;
    return good;
}

void reduction_release(struct zone_reduction *reduction, struct mem *mem)
{
    mem_free(mem, reduction->leader);
    mem_free(mem, reduction->clocks);
    mem_free(mem, reduction->kept);
    mem_free(mem, reduction->matrix);
    *reduction = (struct zone_reduction){0};
}

/* Only "<= c" and "<= -c" add up to "<= 0". The difference of infinity is a number that is no
 * bound. */
static bool are_tied(const struct dbm *dbm, uint32_t i, uint32_t j)
{
    dbm_bound b = dbm_at(dbm, i, j);
    return !bound_is_strict(b) && dbm_at(dbm, j, i) == 2 - b;
}

static void find_leaders(struct zone_reduction *reduction, const struct dbm *dbm)
{
    reduction->leaders = 0;
    for (uint32_t i = 0; i < dbm->size; i++) {
        uint32_t a = 0;
        while (a < reduction->leaders && !are_tied(dbm, reduction->clocks[a], i)) a++;
        if (a == reduction->leaders) reduction->clocks[reduction->leaders++] = i;
        reduction->leader[i] = reduction->clocks[a];
    }
}

static ROWS_INLINE void mark_body(struct zone_reduction *reduction, bool wide)
{
    uint32_t stride = reduction->stride;
    for (uint32_t a = 0; a < reduction->leaders; a++) {
        const dbm_bound *row = reduction->matrix + (size_t)a * stride;
        for (uint32_t k = 0; k < reduction->leaders; k++)
            if (row[k] != BOUND_INFINITY)
                rows_mark(wide, reduction->kept + (size_t)a * stride, row,
                          reduction->matrix + (size_t)k * stride, row[k], stride);
    }
}

ROWS_WIDE static void mark_wide(struct zone_reduction *reduction) { mark_body(reduction, true); }

void reduction_compute(struct zone_reduction *reduction, const struct dbm *dbm)
{
    assert(dbm->size <= reduction->capacity && !dbm_is_empty(dbm));
    find_leaders(reduction, dbm);
    uint32_t leaders = reduction->leaders, stride = reduction->stride = rows_stride(leaders);
    reduction->size = dbm->size;
    for (uint32_t a = 0; a < leaders; a++) {
        dbm_bound *row = reduction->matrix + (size_t)a * stride;
        for (uint32_t b = 0; b < leaders; b++)
            row[b] = dbm_at(dbm, reduction->clocks[a], reduction->clocks[b]);
        for (uint32_t b = leaders; b < stride; b++) row[b] = BOUND_INFINITY;
        row[a] = BOUND_INFINITY;
    }
    memcpy(reduction->kept, reduction->matrix, (size_t)leaders * stride * sizeof *reduction->kept);
    if (rows_wide()) mark_wide(reduction);
    else mark_body(reduction, false);
    reduction->kept_count = 0;
    for (uint32_t b = 0; b < leaders; b++)
        if (reduction->kept[b] == BOUND_ZERO) reduction->kept[b] = BOUND_INFINITY;
    for (size_t cell = 0; cell < (size_t)leaders * stride; cell++)
        reduction->kept_count += reduction->kept[cell] != BOUND_INFINITY;
}
