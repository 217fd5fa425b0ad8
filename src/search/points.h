/* Which steps are partitioning points (p-points, paper 003): by labels of rules, by locations that
 * are entered, or chosen automatically. */
#ifndef CAIRN_SEARCH_POINTS_H
#define CAIRN_SEARCH_POINTS_H

#include "program/program.h"
#include "result/result.h"

/* Resolves LABELS: "a, p[0].b, p[1].location". False: *complaint says what is wrong. Rules with one
 * label are one p-point for each set of processes that take part. */
bool points_read(struct points *points, struct model *model, const char *labels,
                 struct text *complaint);

/* Chooses p-points by random runs of the model: rules that occur early on many runs, and seldom
 * twice on one. There may be none: then nothing is divided. */
void points_choose(struct points *points, struct model *model);

/* The p-point of a step that enters a location, or MODEL_NONE. */
uint32_t points_entered(const struct points *points, const struct layout *layout,
                        const uint64_t *before, const uint64_t *after);

/* The p-point of a step of a rule, or MODEL_NONE. */
static inline uint32_t points_of(const struct points *points, const struct layout *layout,
                                 uint32_t rule, const uint64_t *before, const uint64_t *after)
{
    const uint32_t point = points->of_rule[rule];
    return point != MODEL_NONE || !points->location_count
               ? point
               : points_entered(points, layout, before, after);
}

#endif
