/* What the tests of zones share: a naive difference bound matrix with constants and strictness
 * apart, written without looking at the library, and random zones. */
#ifndef CAIRN_TEST_ZONE_H
#define CAIRN_TEST_ZONE_H

#include "base/random.h"
#include "solver/zone/dbm.h"

enum { NAIVE_MOST = 8 };

struct naive_bound {
    bool finite, strict;
    int64_t constant;
};

/* of[i][j] bounds x_i - x_j. */
struct naive {
    uint32_t size;
    struct naive_bound of[NAIVE_MOST][NAIVE_MOST];
};

static inline bool naive_tighter(struct naive_bound a, struct naive_bound b)
{
    if (!a.finite || !b.finite) return a.finite && !b.finite;
    return a.constant < b.constant || (a.constant == b.constant && a.strict && !b.strict);
}

static inline void naive_add(struct naive *naive, uint32_t i, uint32_t j, int64_t constant,
                             bool strict)
{
    struct naive_bound bound = {true, strict, constant};
    if (naive_tighter(bound, naive->of[i][j])) naive->of[i][j] = bound;
}

/* Closes it; false: empty. */
static inline bool naive_close(struct naive *naive)
{
    for (uint32_t i = 0; i < naive->size; i++) naive_add(naive, i, i, 0, false);
    for (uint32_t k = 0; k < naive->size; k++)
        for (uint32_t i = 0; i < naive->size; i++)
            for (uint32_t j = 0; j < naive->size; j++) {
                struct naive_bound a = naive->of[i][k], b = naive->of[k][j];
                if (a.finite && b.finite)
                    naive_add(naive, i, j, a.constant + b.constant, a.strict || b.strict);
            }
    for (uint32_t i = 0; i < naive->size; i++)
        if (naive->of[i][i].constant < 0 || naive->of[i][i].strict) return false;
    return true;
}

/* The same bounds, times a factor. */
static inline struct naive naive_read(const struct dbm *dbm, int64_t factor)
{
    struct naive naive = {.size = dbm->size};
    for (uint32_t i = 0; i < dbm->size; i++)
        for (uint32_t j = 0; j < dbm->size; j++) {
            int64_t entry = dbm_at(dbm, i, j);
            if (entry != BOUND_INFINITY)
                naive.of[i][j] =
                    (struct naive_bound){true, entry % 2 == 0, (entry - (entry & 1)) / 2 * factor};
        }
    return naive;
}

static inline bool naive_contains(const struct naive *naive, const int64_t *values)
{
    for (uint32_t i = 0; i < naive->size; i++)
        for (uint32_t j = 0; j < naive->size; j++) {
            const struct naive_bound *bound = &naive->of[i][j];
            int64_t difference = (i ? values[i] : 0) - (j ? values[j] : 0);
            if (bound->finite
                && (difference > bound->constant
                    || (bound->strict && difference == bound->constant)))
                return false;
        }
    return true;
}

static inline dbm_bound random_bound(struct random *random, int64_t most)
{
    int64_t constant = (int64_t)random_below(random, (uint64_t)(2 * most + 1)) - most;
    return random_below(random, 2) ? bound_weak(constant) : bound_strict(constant);
}

/* A few operations; the bounds of single clocks are favoured, they are rarely contradictory. Not
 * empty. */
static inline void random_zone(struct random *random, struct dbm *dbm, struct dbm *spare,
                               uint32_t clocks, int64_t most, uint32_t operations)
{
    if (random_below(random, 3)) dbm_all(dbm, clocks);
    else dbm_zero(dbm, clocks);
    for (uint32_t n = 0; n < operations && clocks; n++) {
        uint32_t x = 1 + (uint32_t)random_below(random, clocks),
                 y = 1 + (uint32_t)random_below(random, clocks);
        dbm_copy(spare, dbm);
        switch (random_below(random, 8)) {
        case 0: dbm_up(dbm); break;
        case 1: dbm_reset(dbm, x, 0); break;
        case 2: dbm_free(dbm, x); break;
        case 3: dbm_constrain(dbm, x, y, random_bound(random, most)); break;
        case 4:
            dbm_constrain(dbm, x, 0, bound_weak((int64_t)random_below(random, (uint64_t)most + 1)));
            break;
        case 5: dbm_constrain(dbm, x, 0, random_bound(random, most)); break;
        default: dbm_constrain(dbm, 0, x, random_bound(random, most)); break;
        }
        if (dbm_is_empty(dbm)) dbm_copy(dbm, spare);
    }
}

#endif
