/* Beginnings of p-paths as ranks. Where a search is split by p-paths, a cluster is not the states
 * of one rank of the model: it is what is reached by runs whose p-points so far are these, in this
 * order. A p-path that is not long enough yet becomes another one with every p-point; one that is
 * stays what it is, whatever follows. So no step leads back, as with ranks; but a state may be in
 * several clusters.
 *
 * The number of a p-path is its place in the complete tree of all p-paths, level by level: the
 * empty one is 0, and p-point p leads from w to n * w + 1 + p, of n p-points. Those before
 * task->prefixes are continued. */
#ifndef CAIRN_PAST_PREFIX_H
#define CAIRN_PAST_PREFIX_H

#include "base/text.h"
#include "result/result.h"

#define PREFIX_MOST (UINT64_C(1) << 53) /* p-paths with a number: it fits everywhere */

/* Whether clusters are those of p-paths. */
static inline bool prefix_is_used(const struct task *task) { return task->prefixes != 0; }

/* How many p-paths have fewer than `length` p-points, of so many; 0: those up to this length have
 * no number. */
static inline uint64_t prefix_shorter(uint32_t points, uint64_t length)
{
    uint64_t count = 1;
    if (points < 2) return length < PREFIX_MOST - 1 ? (points ? length : 1) : 0;
    for (uint64_t i = 1; i < length; i++) {
        if (count > PREFIX_MOST / points / points) return 0;
        count = count * points + 1;
    }
    return count;
}

static inline uint64_t prefix_next(const struct task *task, uint64_t prefix, uint32_t point)
{
    return prefix < task->prefixes && point != MODEL_NONE ? task->points->count * prefix + 1 + point
                                                          : prefix;
}

/* Of the clusters that there may be: p-paths, or ranks. */
static inline uint64_t prefix_count(const struct task *task)
{
    return prefix_is_used(task) ? task->points->count * task->prefixes + 1
                                : model_rank_count(task->model);
}

static inline int64_t prefix_lowest(const struct task *task)
{
    return prefix_is_used(task) ? 0 : model_lowest_rank(task->model);
}

/* Its p-points, or "(none)". */
static inline void prefix_write(const struct task *task, uint64_t prefix, struct text *text)
{
    uint32_t path[64], length = 0;
    const uint32_t count = task->points->count;
    if (!prefix) text_add(text, "(none)");
    if (count == 1) { /* there is one of each length */
        for (uint64_t i = 0; i < prefix; i++)
            text_add(text, "%s%s", i ? " " : "", task->points->names[0]);
        return;
    }
    for (uint64_t at = prefix; at; at = (at - 1) / count) path[length++] = (at - 1) % count;
    for (uint32_t i = length; i--;)
        text_add(text, "%s%s", i + 1 < length ? " " : "", task->points->names[path[i]]);
}

#endif
