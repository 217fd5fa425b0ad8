/* A part of a search in past-freeze order (struct search_part): where it begins, what it leaves for
 * others, and the way back through the parts that it comes from. */
#ifndef CAIRN_PAST_PART_H
#define CAIRN_PAST_PART_H

#include "past/history.h"

/* Whether the search begins with clusters that another part has left. */
static inline bool part_has_seeds(const struct task *task)
{
    return task->part && task->part->folder_count;
}
/* Adds the states of these clusters, all or those above a rank, numbered as they are there; watch:
 * properties are looked at in them. False: the search must end. */
bool part_add_seeds(struct history *history, bool all, uint64_t above, bool watch);

/* Bytes to put aside for the end of a part. */
static inline uint64_t part_reserve(const struct mem *mem)
{
    uint64_t share = (mem->limit - mem->used) / 16;
    return !mem->limit || mem->used >= mem->limit || share > (16u << 20) ? 16u << 20 : share;
}
/* Whether the waiting clusters are to be left for others, now that memory ran out, or before the
 * next cluster is searched. */
bool part_is_full(const struct history *history);
bool part_is_deep(const struct history *history, uint64_t rank);
/* Leaves them. Counts become those of the finished clusters. */
void part_hand_on(struct history *history);

/* Whether a part has left these clusters (ranks less the lowest, and how many records each has) in
 * its folder, and they can be read. */
bool part_rest_is_whole(struct mem *mem, const char *folder,
                        const struct freezer_identity *identity, const struct cluster_size *rest,
                        uint32_t count);

/* The log of a cluster that part number `level` of those that this one comes from has finished, or
 * left. Read into history->loaded; false: *why says why not. */
bool part_log(struct history *history, uint32_t level, uint64_t rank, bool in_rest,
              const char **why);
void part_release(struct history *history);

#endif
