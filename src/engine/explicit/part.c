/* The clusters that a part leaves are written like finished ones (solver/freezer.h), in the folder `rest` of its folder: the states found so far, in the order of their numbers, and how they were
 * found. The cluster that was being searched when memory ran out is one of them: its states so far are as good a beginning as those that led into it. What was counted in it is
 * not, so counts go back to those of the last finished cluster.
 *
 * Numbers of states in a rest are kept by the part that begins there, so that the way of a state leads from part to part: in each through the logs of its clusters to a
 * state that it began with, then to the same state in the rest of the part before. */
#include "engine/explicit/part.h"

#include "engine/explicit/frozen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHY_ROOM = 512, NAME_ROOM = 4096 };

static struct freezer_identity identity_of(const struct past *past)
{
    const struct task *task = past->search->task;
    return (struct freezer_identity){{task->freeze_hash[0], task->freeze_hash[1]}, past->search->space.layout.record_bytes};
}

static const char *keep_text(struct past *past, const char *text)
{
    return arena_copy(&past->search->model->arena, text, strlen(text));
}

static struct freezer *open_part(struct past *past, const char *folder, bool in_rest, const char **why)
{
    struct freezer_identity identity = identity_of(past);
    char name[NAME_ROOM], reason[WHY_ROOM];
    snprintf(name, sizeof name, in_rest ? "%s/rest" : "%s", folder);
    struct freezer *freezer = freezer_open_to_read(past->mem, name, &identity, reason, sizeof reason);
    if (!freezer) *why = keep_text(past, reason);
    return freezer;
}

/* ---- the beginning ---- */

struct seeds {
    struct past *past;
    void (*found)(struct search *search, struct cluster *cluster, uint32_t index);
    unsigned char *record; /* one that comes in pieces, and ... */
    uint64_t size;         /* ... how much of it is there */
    bool stopped;
    VEC(uint64_t) ranks;   /* of the clusters that it begins with */
};

static bool add_seed(struct seeds *seeds)
{
    struct past *past = seeds->past;
    struct search *search = past->search;
    struct space *space = &search->space;
    uint32_t index;
    memset(space->next, 0, space->layout.words * sizeof *space->next);
    memcpy(space->next, seeds->record, space->layout.record_bytes);
    struct cluster *cluster = past_cluster(past, past_rank(past, space->next));
    enum store_result added = cluster ? past_add(past, cluster, space->next, store_hash(space->next, space->layout.record_bytes), 0, 0, &index) : STORE_REFUSED;
    seeds->stopped = added == STORE_REFUSED || !visit_poll(search, 0);
    if (!seeds->stopped && seeds->found) seeds->found(search, cluster, index);
    return !seeds->stopped;
}

static bool take_records(void *context, const unsigned char *bytes, uint64_t size)
{
    struct seeds *seeds = context;
    uint64_t record_bytes = seeds->past->search->space.layout.record_bytes;
    while (size) {
        uint64_t some = record_bytes - seeds->size;
        if (some > size) some = size;
        memcpy(seeds->record + seeds->size, bytes, some);
        seeds->size += some;
        bytes += some;
        size -= some;
        if (seeds->size < record_bytes) continue;
        seeds->size = 0;
        if (!add_seed(seeds)) return false;
    }
    return true;
}

static bool note_rank(void *context, uint64_t rank, const unsigned char *summary, uint64_t size)
{
    struct seeds *seeds = context;
    const struct search_part *part = seeds->past->search->task->part;
    (void)summary;
    (void)size;
    if (rank >= part->rank && rank <= part->last_rank) vec_push(seeds->past->mem, &seeds->ranks, rank);
    return true;
}

bool part_add_seeds(struct past *past, bool all, uint64_t above, void (*found)(struct search *search, struct cluster *cluster, uint32_t index))
{
    struct search *search = past->search;
    const struct search_part *part = search->task->part;
    struct seeds seeds = {.past = past, .found = found, .record = mem_alloc(past->mem, search->space.layout.record_bytes + UINT64_C(1))};
    const char *why = NULL;
    struct freezer *freezer = open_part(past, part->folders[part->folder_count - 1], true, &why);
    bool good = freezer && freezer_summaries(freezer, note_rank, &seeds);
    /* what is lost of a folder is its end */
    if (good && (!seeds.ranks.len || seeds.ranks.data[0] != part->rank || seeds.ranks.data[seeds.ranks.len - 1] != part->last_rank)) {
        why = "the part before has not left these clusters";
        good = false;
    }
    for (uint32_t i = 0; good && i < seeds.ranks.len; i++) {
        if (seeds.ranks.data[i] <= above && !all) continue;
        good = freezer_read(freezer, seeds.ranks.data[i], FREEZER_RECORDS, take_records, &seeds, &why);
    }
    if (!good && !seeds.stopped) {
        bool no_memory = why && strstr(why, freezer_no_memory);
        search->result->stop_detail = no_memory ? NULL : keep_text(past, why ? why : "");
        visit_stop(search, no_memory ? STOP_MEMORY : STOP_DISK);
    }
    if (freezer) freezer_close(freezer);
    vec_free(past->mem, &seeds.ranks);
    mem_free(past->mem, seeds.record);
    return good;
}

/* ---- the end ---- */

bool part_is_full(const struct past *past)
{
    const struct search_part *part = past->search->task->part;
    /* a part that has not even finished its first cluster leaves nothing smaller than itself */
    return part && part->hands_on && past->freezer && past->search->result->stop == STOP_MEMORY && past->statistics->finished;
}

bool part_is_deep(const struct past *past, uint64_t rank)
{
    const struct search_part *part = past->search->task->part;
    return part && part->hands_on && part->depths && past->statistics->finished && part->depths[rank << past->shift] >= part->depths[part->rank << past->shift] + part->depth;
}

static int by_rank(const void *a, const void *b)
{
    const struct cluster *x = *(struct cluster *const *)a, *y = *(struct cluster *const *)b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static bool put_cluster(struct past *past, struct freezer *freezer, const struct cluster *cluster)
{
    const struct store *store = &cluster->store;
    uint64_t states = store->count * store->record_bytes;
    unsigned char *bytes = mem_alloc(past->mem, origins_bound(&cluster->origins) + 1);
    uint64_t log = origins_write(&cluster->origins, bytes);
    bool good = freezer_begin(freezer, cluster->rank, states + log) && frozen_put_states(freezer, store);
    good = good && freezer_put(freezer, FREEZER_LOG, bytes, log) && freezer_end(freezer, bytes, 0);
    mem_free(past->mem, bytes);
    return good;
}

static bool put_clusters(struct past *past, struct cluster *const *clusters, uint32_t count)
{
    struct freezer_identity identity = identity_of(past);
    char name[NAME_ROOM], reason[WHY_ROOM];
    snprintf(name, sizeof name, "%s/rest", past->search->task->freeze);
    freezer_clear(name); /* of an earlier attempt that was killed */
    struct freezer *freezer = freezer_open(past->mem, name, &identity, false, frozen_max_summary(past), reason, sizeof reason);
    bool good = freezer && freezer_continue(freezer);
    for (uint32_t i = 0; good && i < count; i++) good = put_cluster(past, freezer, clusters[i]);
    good = good && freezer_finish(freezer);
    if (!good) past->search->result->stop_detail = keep_text(past, freezer ? freezer_error(freezer) : reason);
    if (freezer) freezer_close(freezer);
    return good;
}

void part_hand_on(struct past *past)
{
    struct result *result = past->search->result;
    struct cluster_statistics *statistics = past->statistics;
    uint32_t waiting = past->waiting.count, count = waiting + (past->current != NULL);
    uint64_t limit = past->mem->limit;
    past->mem->limit = 0; /* what the search no longer uses is enough for this, but not all of it is free yet */
    struct cluster **clusters = mem_alloc(past->mem, (count + UINT64_C(1)) * sizeof *clusters);
    for (uint32_t i = 0; i < waiting; i++) clusters[i] = past_waiting(past, i);
    if (past->current) clusters[waiting] = past->current;
    qsort(clusters, count, sizeof *clusters, by_rank);
    freezer_close(past->freezer); /* it is finished, and its memory is needed */
    past->freezer = NULL;
    bool good = put_clusters(past, clusters, count);
    if (!good) result->stop = STOP_DISK;
    statistics->rest = mem_alloc(past->mem, (count + UINT64_C(1)) * sizeof *statistics->rest);
    for (uint32_t i = 0; i < count; i++) statistics->rest[i] = (struct cluster_size){statistics->lowest + (int64_t)clusters[i]->rank, clusters[i]->store.count};
    statistics->rest_count = count;
    statistics->handed_on = good;
    frozen_restore_counts(past);
    mem_free(past->mem, clusters);
    past->mem->limit = limit;
}

static bool count_bytes(void *context, const unsigned char *bytes, uint64_t size)
{
    (void)bytes;
    *(uint64_t *)context += size;
    return true;
}

bool part_rest_is_whole(struct task *task, const char *folder, const struct cluster_size *rest, uint32_t count)
{
    struct layout layout;
    char name[NAME_ROOM], reason[WHY_ROOM];
    layout_init(&layout, task->model);
    struct freezer_identity identity = {{task->freeze_hash[0], task->freeze_hash[1]}, layout.record_bytes};
    snprintf(name, sizeof name, "%s/rest", folder);
    struct freezer *freezer = freezer_open_to_read(task->model->mem, name, &identity, reason, sizeof reason);
    bool good = freezer != NULL;
    for (uint32_t i = 0; good && i < count; i++) {
        uint64_t states = 0, log = 0;
        const char *why;
        good = freezer_read(freezer, (uint64_t)rest[i].rank, FREEZER_RECORDS, count_bytes, &states, &why) && freezer_read(freezer, (uint64_t)rest[i].rank, FREEZER_LOG, count_bytes, &log, &why)
               && states == rest[i].states * layout.record_bytes && log;
    }
    if (freezer) freezer_close(freezer);
    layout_release(&layout, task->model);
    return good;
}

/* ---- the way back ---- */

bool part_log(struct past *past, uint32_t level, uint64_t rank, bool in_rest, const char **why)
{
    const struct search_part *part = past->search->task->part;
    if (past->back && (past->back_level != level || past->back_in_rest != in_rest)) part_release(past);
    if (!past->back) past->back = open_part(past, part->folders[level], in_rest, why);
    past->back_level = level;
    past->back_in_rest = in_rest;
    return past->back && frozen_log_of(past, past->back, rank, why);
}

void part_release(struct past *past)
{
    if (past->back) freezer_close(past->back);
    past->back = NULL;
}
