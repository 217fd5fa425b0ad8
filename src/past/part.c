/* The clusters that a part leaves are written like finished ones (solver/freezer.h), in the folder
 * `rest` of its folder: the states found so far, in the order of their numbers, and how they were
 * found. The cluster that was being searched when memory ran out is one of them: its states so far
 * are as good a beginning as those that led into it. What was counted in it is not, so counts go
 * back to those of the last finished cluster.
 *
 * A part may begin with some of the states of a single cluster, if they all were there before it
 * was searched: what the search has found in it follows from these.
 *
 * Numbers of states in a rest are kept by the part that begins there, less those it skips, so that
 * the way of a state leads from part to part: in each through the logs of its clusters to a state
 * that it began with, then to the same state in the rest of the part before. */
#include "past/part.h"

#include "past/frozen.h"
#include "past/records.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 4096 };

static const char *keep_text(struct history *history, const char *text)
{
    return arena_copy(&history->model->arena, text, strlen(text));
}

static struct freezer *open_part(struct history *history, const char *folder, bool in_rest,
                                 const char **why, enum freezer_fault *fault)
{
    struct freezer_identity identity = history_identity(history);
    char name[NAME_ROOM];
    struct freezer_refusal refusal;
    snprintf(name, sizeof name, in_rest ? "%s/rest" : "%s", folder);
    struct freezer *freezer = freezer_open_to_read(history->mem, name, &identity, &refusal);
    if (freezer) return freezer;
    *why = keep_text(history, refusal.text);
    *fault = refusal.fault;
    return NULL;
}

/* ---- the beginning ---- */

struct seeds {
    struct history *history;
    bool watch;
    uint64_t rank;       /* of the cluster at hand */
    uint64_t number;     /* of the next state in it */
    VEC(uint64_t) ranks; /* of the clusters that it begins with */
};

static bool add_seed(void *context, const unsigned char *record, uint64_t size)
{
    struct seeds *seeds = context;
    const struct search_part *part = seeds->history->task->part;
    uint64_t number = seeds->number++;
    if (part->end && (number < part->begin || number >= part->end)) return true;
    return seeds->history->engine->add_seed(seeds->history, seeds->rank, record, size,
                                            seeds->watch);
}

static bool note_rank(void *context, uint64_t rank, const unsigned char *summary, uint64_t size)
{
    struct seeds *seeds = context;
    const struct search_part *part = seeds->history->task->part;
    (void)summary;
    (void)size;
    if (rank >= part->rank && rank <= part->last_rank)
        vec_push(seeds->history->mem, &seeds->ranks, rank);
    return true;
}

bool part_add_seeds(struct history *history, bool all, uint64_t above, bool watch)
{
    const struct search_part *part = history->task->part;
    struct seeds seeds = {.history = history, .watch = watch};
    struct records records = records_begin(
        history->mem, history->varies ? 0 : history->layout->record_bytes, add_seed, &seeds);
    const char *why = NULL;
    enum freezer_fault fault = FREEZER_UNREADABLE;
    struct freezer *freezer =
        open_part(history, part->folders[part->folder_count - 1], true, &why, &fault);
    bool good = freezer && freezer_summaries(freezer, note_rank, &seeds);
    /* what is lost of a folder is its end */
    if (good
        && (!seeds.ranks.len || seeds.ranks.data[0] != part->rank
            || seeds.ranks.data[seeds.ranks.len - 1] != part->last_rank)) {
        why = "the part before has not left these clusters";
        good = false;
    }
    for (uint32_t i = 0; good && i < seeds.ranks.len; i++) {
        if (seeds.ranks.data[i] <= above && !all) continue;
        seeds.rank = seeds.ranks.data[i];
        seeds.number = 0;
        good = freezer_read(freezer, seeds.rank, FREEZER_RECORDS, records_take, &records, &why)
               && records_are_whole(&records);
    }
    if (!good && history->result->stop == STOP_NONE) {
        if (freezer) fault = freezer_fault(freezer);
        bool no_memory = records.refused || fault == FREEZER_NO_MEMORY;
        history->result->stop_detail =
            no_memory ? NULL : keep_text(history, why ? why : "a record that makes no sense");
        history_stop(history, no_memory ? STOP_MEMORY : STOP_DISK);
    }
    if (freezer) freezer_close(freezer);
    vec_free(history->mem, &seeds.ranks);
    records_release(&records);
    return good;
}

/* ---- the end ---- */

bool part_is_full(const struct history *history)
{
    const struct search_part *part = history->task->part;
    /* a part that has not even finished its first cluster leaves nothing smaller than itself */
    return part && part->hands_on && history->freezer && history->result->stop == STOP_MEMORY
           && history->statistics->finished;
}

bool part_is_deep(const struct history *history, uint64_t rank)
{
    const struct search_part *part = history->task->part;
    if (!part || !part->hands_on || !history->statistics->finished) return false;
    if (part->ends_with_prefixes) return rank >= history->task->prefixes;
    return part->depths
           && part->depths[rank << history->shift]
                  >= part->depths[part->rank << history->shift] + part->depth;
}

static int by_rank(const void *a, const void *b)
{
    const struct history_cluster *x = *(struct history_cluster *const *)a,
                                 *y = *(struct history_cluster *const *)b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static bool put_cluster(struct history *history, struct freezer *freezer,
                        const struct history_cluster *cluster)
{
    unsigned char *bytes = mem_alloc(history->mem, origins_bound(&cluster->origins) + 1);
    uint64_t log = origins_write(&cluster->origins, bytes);
    assert(log <= origins_bound(&cluster->origins));
    assert(history->engine->records(cluster) == cluster->origins.states);
    bool good = freezer_begin(freezer, cluster->rank,
                              history->engine->bytes(history, cluster) + FREEZER_ITEM + log)
                && history->engine->put(history, cluster, freezer);
    good = good && freezer_put(freezer, FREEZER_LOG, bytes, log) && freezer_end(freezer, bytes, 0);
    mem_free(history->mem, bytes);
    return good;
}

static bool put_clusters(struct history *history, struct history_cluster *const *clusters,
                         uint32_t count)
{
    struct freezer_identity identity = history_identity(history);
    char name[NAME_ROOM];
    struct freezer_refusal refusal;
    snprintf(name, sizeof name, "%s/rest", history->task->freeze);
    freezer_clear(name); /* of an earlier attempt that was killed */
    struct freezer *freezer =
        freezer_open(history->mem, name, &identity, false, frozen_max_summary(history),
                     history->freezer_budget, &refusal);
    bool good = freezer && freezer_continue(freezer);
    for (uint32_t i = 0; good && i < count; i++) good = put_cluster(history, freezer, clusters[i]);
    good = good && freezer_finish(freezer);
    if (!good)
        history->result->stop_detail =
            keep_text(history, freezer ? freezer_error(freezer) : refusal.text);
    if (freezer) freezer_close(freezer);
    return good;
}

void part_hand_on(struct history *history)
{
    struct result *result = history->result;
    struct cluster_statistics *statistics = history->statistics;
    uint32_t waiting = history->waiting.count, count = waiting + (history->current != NULL);
    const struct mem_lift before =
        mem_lift(history->mem); /* what the search no longer uses is enough for this, but not all of
                                   it is free yet */
    struct history_cluster **clusters =
        mem_alloc(history->mem, (count + UINT64_C(1)) * sizeof *clusters);
    for (uint32_t i = 0; i < waiting; i++) clusters[i] = history_waiting(history, i);
    if (history->current) clusters[waiting] = history->current;
    qsort(clusters, count, sizeof *clusters, by_rank);
    for (uint32_t i = 1; i < count; i++) assert(clusters[i - 1]->rank < clusters[i]->rank);
    assert(history->freezer && statistics->finished); /* what is left is less than all */
    freezer_close(history->freezer);                  /* it is finished, and its memory is needed */
    history->freezer = NULL;
    bool good = put_clusters(history, clusters, count);
    if (!good) result->stop = STOP_DISK;
    statistics->rest = mem_alloc(history->mem, (count + UINT64_C(1)) * sizeof *statistics->rest);
    for (uint32_t i = 0; i < count; i++)
        statistics->rest[i] = (struct cluster_size){
            statistics->lowest + (int64_t)clusters[i]->rank, history->engine->records(clusters[i]),
            origins_before(&clusters[i]->origins, clusters[i]->rank)};
    statistics->rest_count = count;
    statistics->handed_on = good;
    frozen_restore_counts(history);
    mem_free(history->mem, clusters);
    mem_lower(history->mem, before);
}

static bool count_record(void *context, const unsigned char *record, uint64_t size)
{
    (void)context, (void)record, (void)size;
    return true;
}

static bool count_bytes(void *context, const unsigned char *bytes, uint64_t size)
{
    (void)bytes;
    *(uint64_t *)context += size;
    return true;
}

bool part_rest_is_whole(struct mem *mem, const char *folder,
                        const struct freezer_identity *identity, const struct cluster_size *rest,
                        uint32_t count)
{
    char name[NAME_ROOM];
    struct freezer_refusal refusal;
    snprintf(name, sizeof name, "%s/rest", folder);
    struct freezer *freezer = freezer_open_to_read(mem, name, identity, &refusal);
    struct records records = records_begin(mem, identity->record_bytes, count_record, NULL);
    bool good = freezer != NULL;
    for (uint32_t i = 0; good && i < count; i++) {
        uint64_t log = 0;
        const char *why;
        records.count = 0;
        good =
            freezer_read(freezer, (uint64_t)rest[i].rank, FREEZER_RECORDS, records_take, &records,
                         &why)
            && freezer_read(freezer, (uint64_t)rest[i].rank, FREEZER_LOG, count_bytes, &log, &why)
            && records_are_whole(&records) && records.count == rest[i].states && log;
    }
    records_release(&records);
    if (freezer) freezer_close(freezer);
    return good;
}

/* ---- the way back ---- */

bool part_log(struct history *history, uint32_t level, uint64_t rank, bool in_rest,
              const char **why)
{
    const struct search_part *part = history->task->part;
    assert(level < part->folder_count);
    if (history->back && (history->back_level != level || history->back_in_rest != in_rest))
        part_release(history);
    enum freezer_fault fault;
    if (!history->back)
        history->back = open_part(history, part->folders[level], in_rest, why, &fault);
    history->back_level = level;
    history->back_in_rest = in_rest;
    return history->back && frozen_log_of(history, history->back, rank, why);
}

void part_release(struct history *history)
{
    if (history->back) freezer_close(history->back);
    history->back = NULL;
}
