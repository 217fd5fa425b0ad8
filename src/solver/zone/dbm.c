#include "solver/zone/dbm.h"
#include "solver/zone/rows.h"

#include <string.h>

/* Invariants of a matrix that is not empty (dbm_check): (1) no bound is larger than the sum of two
 * others that imply one: canonical form;
 * (2) the diagonal is "<= 0", and row 0 at most that: no clock is negative; (3) what lies behind
 *     the last column is infinite. */

bool dbm_init(struct dbm *dbm, struct mem *mem, uint32_t most)
{
    size_t rows = (size_t)most + 1;
    *dbm = (struct dbm){.most = most};
    dbm->entries = mem_try_alloc(mem, rows * rows_stride(most + 1) * sizeof *dbm->entries);
    if (!dbm->entries) return false;
    dbm_zero(dbm, 0);
    return true;
}

void dbm_release(struct dbm *dbm, struct mem *mem)
{
    mem_free(mem, dbm->entries);
    *dbm = (struct dbm){0};
}

size_t dbm_room(uint32_t clocks) { return (clocks + (size_t)1) * rows_stride(clocks + 1); }

struct dbm dbm_in(dbm_bound *entries, uint32_t clocks)
{
    return (struct dbm){
        .size = clocks + 1, .stride = rows_stride(clocks + 1), .most = clocks, .entries = entries};
}

static dbm_bound *row(struct dbm *dbm, uint32_t i)
{
    return dbm->entries + (size_t)i * dbm->stride;
}

static const dbm_bound *row_of(const struct dbm *dbm, uint32_t i)
{
    return dbm->entries + (size_t)i * dbm->stride;
}

static void set_size(struct dbm *dbm, uint32_t clocks)
{
    assert(clocks <= dbm->most);
    dbm->size = clocks + 1;
    dbm->stride = rows_stride(dbm->size);
}

static void pad_rows(struct dbm *dbm)
{
    for (uint32_t i = 0; i < dbm->size; i++)
        for (uint32_t j = dbm->size; j < dbm->stride; j++) row(dbm, i)[j] = BOUND_INFINITY;
}

/* ---- whole zones ---- */

void dbm_zero(struct dbm *dbm, uint32_t clocks)
{
    set_size(dbm, clocks);
    for (uint32_t i = 0; i < dbm->size; i++)
        for (uint32_t j = 0; j < dbm->size; j++) row(dbm, i)[j] = BOUND_ZERO;
    pad_rows(dbm);
}

void dbm_all(struct dbm *dbm, uint32_t clocks)
{
    set_size(dbm, clocks);
    const uint32_t all = dbm->size * dbm->stride;
    for (uint32_t at = 0; at < all; at++) dbm->entries[at] = BOUND_INFINITY;
    for (uint32_t i = 0; i < dbm->size; i++) row(dbm, 0)[i] = row(dbm, i)[i] = BOUND_ZERO;
}

void dbm_make_empty(struct dbm *dbm, uint32_t clocks)
{
    set_size(dbm, clocks);
    dbm->entries[0] = bound_strict(0);
}

void dbm_copy(struct dbm *to, const struct dbm *from)
{
    set_size(to, dbm_clocks(from));
    memcpy(to->entries, from->entries, (size_t)from->size * from->stride * sizeof *from->entries);
}

static bool make_empty(struct dbm *dbm)
{
    dbm->entries[0] = bound_strict(0);
    return false;
}

/* A row without a finite bound leads nowhere: extrapolation makes many. */
static bool leads_somewhere(const struct dbm *dbm, uint32_t k)
{
    for (uint32_t j = 0; j < dbm->size; j++)
        if (j != k && row_of(dbm, k)[j] != BOUND_INFINITY) return true;
    return false;
}

/* A negative cycle is noticed at its largest clock, before anything goes through that clock:
 * entries do not run away. */
static ROWS_INLINE bool close_body(struct dbm *dbm, bool wide)
{
    if (dbm_is_empty(dbm)) return false;
    for (uint32_t j = 0; j < dbm->size; j++)
        if (row(dbm, 0)[j] > BOUND_ZERO) row(dbm, 0)[j] = BOUND_ZERO;
    for (uint32_t k = 0; k < dbm->size; k++) {
        dbm_bound *via = row(dbm, k);
        if (via[k] < BOUND_ZERO) return make_empty(dbm);
        via[k] = BOUND_ZERO;
        if (!leads_somewhere(dbm, k)) continue;
        for (uint32_t i = 0; i < dbm->size; i++) {
            dbm_bound b = row(dbm, i)[k];
            if (b != BOUND_INFINITY && i != k) rows_relax(wide, row(dbm, i), via, b, dbm->stride);
        }
    }
    return true;
}

ROWS_WIDE static bool close_wide(struct dbm *dbm) { return close_body(dbm, true); }

bool dbm_close(struct dbm *dbm) { return rows_wide() ? close_wide(dbm) : close_body(dbm, false); }

/* ---- one zone ---- */

/* A path that uses the new bound uses it once: i to x, the bound, y to j. Row y and column x are
 * not improved by it, since the cycle through the new bound is not negative; so they can be read
 * while other rows are written. */
static ROWS_INLINE void constrain_body(struct dbm *dbm, uint32_t x, uint32_t y, dbm_bound b,
                                       bool wide)
{
    const dbm_bound *via = row(dbm, y);
    for (uint32_t i = 0; i < dbm->size; i++) {
        dbm_bound to = bound_add(row(dbm, i)[x], b);
        if (to < row(dbm, i)[y]) rows_relax(wide, row(dbm, i), via, to, dbm->stride);
    }
}

ROWS_WIDE static void constrain_wide(struct dbm *dbm, uint32_t x, uint32_t y, dbm_bound b)
{
    constrain_body(dbm, x, y, b, true);
}

bool dbm_constrain(struct dbm *dbm, uint32_t i, uint32_t j, dbm_bound b)
{
    assert(i < dbm->size && j < dbm->size);
    if (dbm_is_empty(dbm)) return false;
    if (b >= dbm_at(dbm, i, j)) return true;
    if (bound_add(dbm_at(dbm, j, i), b) < BOUND_ZERO) return make_empty(dbm);
    if (rows_wide()) constrain_wide(dbm, i, j, b);
    else constrain_body(dbm, i, j, b, false);
    return true;
}

bool dbm_allows(const struct dbm *dbm, uint32_t i, uint32_t j, dbm_bound b)
{
    return !dbm_is_empty(dbm) && bound_add(dbm_at(dbm, j, i), b) >= BOUND_ZERO;
}

void dbm_up(struct dbm *dbm)
{
    for (uint32_t i = 1; i < dbm->size; i++) row(dbm, i)[0] = BOUND_INFINITY;
}

/* A clock could have been as small as its differences to others, which cannot fall below 0,
 * allow. */
void dbm_down(struct dbm *dbm)
{
    if (dbm_is_empty(dbm)) return;
    dbm_bound *lower = row(dbm, 0);
    for (uint32_t j = 1; j < dbm->size; j++) lower[j] = BOUND_ZERO;
    for (uint32_t i = 1; i < dbm->size; i++)
        for (uint32_t j = 1; j < dbm->size; j++)
            if (row(dbm, i)[j] < lower[j]) lower[j] = row(dbm, i)[j];
}

void dbm_reset(struct dbm *dbm, uint32_t x, int64_t value)
{
    assert(x > 0 && x < dbm->size && value >= 0);
    if (dbm_is_empty(dbm)) return;
    dbm_bound more = bound_weak(value), less = bound_weak(-value);
    for (uint32_t j = 0; j < dbm->size; j++) {
        row(dbm, x)[j] = bound_add(row(dbm, 0)[j], more);
        row(dbm, j)[x] = bound_add(row(dbm, j)[0], less);
    }
    row(dbm, x)[x] = BOUND_ZERO;
}

void dbm_assign(struct dbm *dbm, uint32_t x, uint32_t y)
{
    assert(x > 0 && x < dbm->size && y < dbm->size);
    if (dbm_is_empty(dbm) || x == y) return;
    memcpy(row(dbm, x), row(dbm, y), dbm->size * sizeof *dbm->entries);
    for (uint32_t i = 0; i < dbm->size; i++) row(dbm, i)[x] = row(dbm, i)[y];
}

void dbm_free(struct dbm *dbm, uint32_t x)
{
    assert(x > 0 && x < dbm->size);
    if (dbm_is_empty(dbm)) return;
    for (uint32_t j = 0; j < dbm->size; j++) {
        row(dbm, x)[j] = BOUND_INFINITY;
        row(dbm, j)[x] = row(dbm, j)[0];
    }
    row(dbm, x)[x] = BOUND_ZERO;
}

/* ---- other clocks ---- */

void dbm_add_clock(struct dbm *dbm)
{
    bool empty = dbm_is_empty(dbm);
    uint32_t old_stride = dbm->stride, fresh = dbm->size;
    set_size(dbm, fresh);
    if (empty) return;
    for (uint32_t i = fresh; i-- > 0 && dbm->stride != old_stride;)
        memmove(row(dbm, i), dbm->entries + (size_t)i * old_stride,
                old_stride * sizeof *dbm->entries);
    for (uint32_t i = 0; i < fresh; i++) row(dbm, i)[fresh] = row(dbm, i)[0];
    memcpy(row(dbm, fresh), row(dbm, 0), dbm->size * sizeof *dbm->entries);
    pad_rows(dbm);
}

void dbm_remove_clock(struct dbm *dbm, uint32_t x)
{
    assert(x > 0 && x < dbm->size);
    bool empty = dbm_is_empty(dbm);
    struct dbm old = *dbm;
    set_size(dbm, old.size - 2);
    if (empty) return;
    for (uint32_t i = 0; i < dbm->size; i++) {
        const dbm_bound *from = row_of(&old, i + (i >= x));
        memmove(row(dbm, i), from, x * sizeof *from);
        memmove(row(dbm, i) + x, from + x + 1, (dbm->size - x) * sizeof *from);
    }
    pad_rows(dbm);
}

/* A new clock is 0 like the reference clock: whatever bounds that one bounds it. */
void dbm_select(struct dbm *to, const struct dbm *from, const uint32_t *source, uint32_t clocks)
{
    assert(to->entries != from->entries);
    set_size(to, clocks);
    if (dbm_is_empty(from)) {
        make_empty(to);
        return;
    }
    for (uint32_t i = 0; i < to->size; i++) {
        const dbm_bound *old = row_of(from, i ? source[i - 1] : 0);
        dbm_bound *new = row(to, i);
        assert(!i || source[i - 1] < from->size);
        new[0] = old[0];
        for (uint32_t j = 1; j < to->size; j++) new[j] = old[source[j - 1]];
    }
    pad_rows(to);
}

/* ---- two zones ---- */

/* Bound by bound while few are tighter, else all at once. */
bool dbm_intersect(struct dbm *dbm, const struct dbm *other)
{
    assert(dbm->size == other->size);
    if (dbm_is_empty(dbm) || dbm_is_empty(other)) return make_empty(dbm);
    uint32_t tighter = 0;
    for (uint32_t i = 0; i < dbm->size; i++)
        for (uint32_t j = 0; j < dbm->size; j++) {
            if (dbm_at(other, i, j) >= dbm_at(dbm, i, j)) continue;
            if (tighter++ < dbm->size / 2) {
                if (!dbm_constrain(dbm, i, j, dbm_at(other, i, j))) return false;
            } else dbm_set(dbm, i, j, dbm_at(other, i, j));
        }
    return tighter <= dbm->size / 2 || dbm_close(dbm);
}

static ROWS_INLINE bool included_body(const struct dbm *dbm, const struct dbm *other, bool wide)
{
    for (uint32_t i = 0; i < dbm->size; i++)
        if (rows_exceed(wide, row_of(dbm, i), row_of(other, i), dbm->stride)) return false;
    return true;
}

ROWS_WIDE static bool included_wide(const struct dbm *dbm, const struct dbm *other)
{
    return included_body(dbm, other, true);
}

bool dbm_included(const struct dbm *dbm, const struct dbm *other)
{
    assert(dbm->size == other->size);
    if (dbm_is_empty(dbm) || dbm_is_empty(other)) return dbm_is_empty(dbm);
    return rows_wide() ? included_wide(dbm, other) : included_body(dbm, other, false);
}

bool dbm_equal(const struct dbm *a, const struct dbm *b)
{
    if (a->size != b->size) return false;
    if (dbm_is_empty(a) || dbm_is_empty(b)) return dbm_is_empty(a) && dbm_is_empty(b);
    return !memcmp(a->entries, b->entries, (size_t)a->size * a->stride * sizeof *a->entries);
}

bool dbm_check(const struct dbm *dbm)
{
    if (dbm->size < 1 || dbm->size - 1 > dbm->most || dbm->stride != rows_stride(dbm->size))
        return false;
    if (dbm_is_empty(dbm)) return true;
    for (uint32_t i = 0; i < dbm->size; i++) {
        if (dbm_at(dbm, i, i) != BOUND_ZERO || dbm_at(dbm, 0, i) > BOUND_ZERO) return false;
        for (uint32_t j = dbm->size; j < dbm->stride; j++)
            if (dbm_at(dbm, i, j) != BOUND_INFINITY) return false;
        for (uint32_t j = 0; j < dbm->size; j++)
            for (uint32_t k = 0; k < dbm->size; k++)
                if (dbm_at(dbm, i, j) > bound_add(dbm_at(dbm, i, k), dbm_at(dbm, k, j)))
                    return false;
    }
    return true;
}
