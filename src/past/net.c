/* Clusters of ranks that several parts have finished are put into one set, part by part; a state
 * that is there already was counted before. When the set does not fit in memory it is made of fewer
 * ranks at a time, and that of a single rank of a half of its states, then of the other; of a
 * quarter; and so on, by their hash. States in clusters of p-paths (past/prefix.h) may be equal
 * whatever the p-path: there all clusters are put together, a slice of the states at a time.
 *
 * Ranks that occur have numbers here, in their order. */
#include "past/net.h"

#include "base/varint.h"
#include "past/prefix.h"
#include "past/records.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHY_ROOM = 640, MOST_SLICES = 1 << 20, MOST_OPEN = 48 };

struct net_cluster {
    uint64_t rank;
    uint32_t folder;
};

struct net {
    struct task *task;
    struct mem *mem;
    struct net_set *set;
    struct freezer_identity identity;
    VEC(struct net_cluster) clusters; /* that were finished, folder by folder */
    VEC(uint64_t) values;             /* of the ranks that occur */
    uint64_t ranks;                   /* how many these are */
    uint64_t *has;    /* folders x ranks: a bit for each cluster that was finished */
    uint64_t *shared; /* a bit for each rank whose states others may have, too */
    uint64_t stride;  /* words per folder */
    uint32_t folder;  /* the one being read */
    uint64_t rank;    /* the number of the one being read */
    uint64_t states;  /* in the clusters of a folder */
    bool strange;     /* a rank that does not exist */
    struct records records;
    struct freezer **open; /* per folder, or NULL */
    uint64_t *used, uses;  /* when each was used last */
    uint32_t folders, open_count;
    uint32_t most_open; /* of them: fewer once memory was refused */
    bool full, stopped;
    bool no_memory; /* for the folder that was to be opened last */
    char why[WHY_ROOM];
};

static struct freezer *open_folder(struct net *net, const char *folder)
{
    struct freezer_refusal refusal;
    struct freezer *freezer = freezer_open_to_read(net->mem, folder, &net->identity, &refusal);
    net->no_memory = !freezer && refusal.fault == FREEZER_NO_MEMORY;
    if (!freezer) snprintf(net->why, WHY_ROOM, "%s", refusal.text);
    return freezer;
}

static void close_folder(struct net *net, uint32_t folder)
{
    if (!net->open[folder]) return;
    freezer_close(net->open[folder]);
    net->open[folder] = NULL;
    net->open_count--;
}

static void close_oldest(struct net *net)
{
    uint32_t oldest = net->folders;
    for (uint32_t i = 0; i < net->folders; i++)
        if (net->open[i] && (oldest == net->folders || net->used[i] < net->used[oldest]))
            oldest = i;
    assert(oldest < net->folders && net->open_count); /* nobody asks when none is open */
    close_folder(net, oldest);
}

/* Folders stay open for the ranks that follow, those used last when there are many. */
static struct freezer *reader_of(struct net *net, const char *const *folders, uint32_t folder)
{
    while (!net->open[folder]) {
        if (net->open_count < net->most_open) net->open[folder] = open_folder(net, folders[folder]);
        net->open_count += net->open[folder] != NULL;
        if (net->open[folder]) break;
        if (!net->open_count || (net->open_count < net->most_open && !net->no_memory)) return NULL;
        close_oldest(net);
    }
    assert(net->open_count <= net->most_open);
    net->used[folder] = ++net->uses;
    return net->open[folder];
}

static bool note_rank(void *context, uint64_t rank, const unsigned char *summary, uint64_t size)
{
    struct net *net = context;
    struct varint_input input = {summary, summary + size, true};
    net->states += varint_get(&input); /* it begins with the number of states */
    net->strange |= rank >= prefix_count(net->task);
    vec_push(net->mem, &net->clusters, ((struct net_cluster){rank, net->folder}));
    return !net->strange;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;
    return (one > two) - (one < two);
}

static uint64_t number_of(const struct net *net, uint64_t rank)
{
    const uint64_t *found =
        bsearch(&rank, net->values.data, net->values.len, sizeof rank, by_value);
    assert(found);
    return (uint64_t)(found - net->values.data);
}

/* Gives ranks their numbers, and notes who has which. */
static void number_ranks(struct net *net)
{
    struct mem *mem = net->mem;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < net->clusters.len; i++)
        vec_push(mem, &net->values, net->clusters.data[i].rank);
    if (net->values.len) qsort(net->values.data, net->values.len, sizeof(uint64_t), by_value);
    for (uint32_t i = 0; i < net->values.len; i++)
        if (!kept || net->values.data[i] != net->values.data[kept - 1])
            net->values.data[kept++] = net->values.data[i];
    net->ranks = net->values.len = kept;
    net->stride = net->ranks / 64 + 1;
    net->has = mem_alloc(mem, (net->folders + UINT64_C(1)) * net->stride * sizeof *net->has);
    net->shared = mem_alloc(mem, net->stride * sizeof *net->shared);
    for (uint32_t i = 0; i < net->clusters.len; i++) {
        const uint64_t number = number_of(net, net->clusters.data[i].rank);
        net->has[net->clusters.data[i].folder * net->stride + number / 64] |= UINT64_C(1)
                                                                              << number % 64;
    }
}

static bool has_rank(const struct net *net, uint32_t folder, uint64_t rank)
{
    return net->has[folder * net->stride + rank / 64] >> rank % 64 & 1;
}

static bool take_record(void *context, const unsigned char *record, uint64_t size)
{
    struct net *net = context;
    net->stopped |= net->task->interrupted && *net->task->interrupted;
    if (net->stopped) return false;
    switch (net->set->add(net->set, record, size, net->folder * net->ranks + net->rank)) {
    case NET_ADDED: return true;
    case NET_FULL: net->full = true; return false;
    case NET_STRANGE: break;
    }
    snprintf(net->why, WHY_ROOM, "a record makes no sense");
    return false;
}

static void find_shared(struct net *net)
{
    for (uint64_t w = 0; w < net->stride; w++) {
        uint64_t some = 0;
        for (uint32_t i = 0; i < net->folders; i++) {
            uint64_t bits = net->has[i * net->stride + w];
            net->shared[w] |= prefix_is_used(net->task) ? bits : some & bits;
            some |= bits;
        }
    }
}

static bool is_needed(const struct net *net, uint32_t folder, uint64_t rank)
{
    return has_rank(net, folder, rank) && net->shared[rank / 64] >> rank % 64 & 1;
}

/* Ranks of one folder that others have as well. */
static bool add_folder(struct net *net, struct freezer *freezer, uint32_t folder, uint64_t from,
                       uint64_t to)
{
    for (uint64_t rank = from; rank < to; rank++) {
        const char *why = NULL;
        if (!is_needed(net, folder, rank)) continue;
        net->folder = folder;
        net->rank = rank;
        net->records.count = net->records.size = 0;
        bool good = freezer_read(freezer, net->values.data[rank], FREEZER_RECORDS, records_take,
                                 &net->records, &why)
                    && records_are_whole(&net->records);
        net->full |= net->records.refused;
        net->records.refused = false;
        if (good && net->records.count) continue;
        if (good) why = "a cluster has gone";
        if (why) snprintf(net->why, WHY_ROOM, "%s", why);
        return false;
    }
    return true;
}

/* One slice of the clusters of some ranks: those of others have none of their states. */
static bool add_slice(struct net *net, const char *const *folders, uint64_t from, uint64_t to)
{
    bool good = net->set->begin(net->set);
    net->full = !good;
    for (uint32_t i = 0; good && i < net->folders; i++) {
        uint64_t first = from;
        while (first < to && !is_needed(net, i, first)) first++;
        if (first == to) continue;
        struct freezer *freezer = reader_of(net, folders, i);
        good = freezer && add_folder(net, freezer, i, first, to);
    }
    net->set->end(net->set);
    return good;
}

/* As many ranks at a time as fit; of a single one that does not, and of all p-paths, slices. */
static bool add_ranks(struct net *net, const char *const *folders)
{
    const bool is_one = prefix_is_used(net->task);
    for (uint64_t from = 0, width = net->ranks, slices = 1; from < net->ranks;) {
        struct net_counts before = net->set->repeated;
        uint64_t to = width < net->ranks - from ? from + width : net->ranks;
        assert(from < to && (slices == 1 || to == from + 1 || is_one));
        bool good = true;
        net->set->slices = slices;
        for (net->set->slice = 0; good && net->set->slice < slices; net->set->slice++)
            good = add_slice(net, folders, from, to);
        if (good) {
            from = to;
            slices = 1;
            width *= 2;
            continue;
        }
        net->set->repeated = before;
        if (!net->full) return false;
        net->most_open = net->open_count > 2 ? net->open_count / 2 : 1; /* they need memory, too */
        while (net->open_count > 1) close_oldest(net);
        if (to - from > 1 && !is_one) width = (to - from) / 2;
        else if ((slices *= 2) > MOST_SLICES) return false;
    }
    return true;
}

static bool find(struct net *net, const char *const *folders, const uint64_t *states,
                 uint32_t count)
{
    bool good = true;
    for (net->folder = 0; good && net->folder < count; net->folder++) {
        struct freezer *freezer = reader_of(net, folders, net->folder);
        net->states = 0;
        good = freezer && freezer_summaries(freezer, note_rank, net);
        if (!good || net->states == states[net->folder]) continue;
        snprintf(net->why, WHY_ROOM, "the folder '%.200s' is damaged: clusters are missing",
                 folders[net->folder]);
        good = false;
    }
    if (!good) return false;
    number_ranks(net);
    find_shared(net);
    return add_ranks(net, folders);
}

bool net_find_repeated(struct net_set *set, struct task *task,
                       const struct freezer_identity *identity, const char *const *folders,
                       const uint64_t *states, uint32_t count, const char **why)
{
    struct model *model = task->model;
    struct mem *mem = model->mem;
    struct net net = {.task = task,
                      .mem = mem,
                      .set = set,
                      .identity = *identity,
                      .folders = count,
                      .most_open = MOST_OPEN};
    set->repeated = (struct net_counts){0};
    net.open = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *net.open);
    net.used = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *net.used);
    net.records = records_begin(mem, identity->record_bytes, take_record, &net);
    bool good = find(&net, folders, states, count);
    for (uint32_t i = 0; i < count; i++) close_folder(&net, i);
    if (!good)
        *why = net.stopped   ? "it was interrupted"
               : net.full    ? "there is too little memory"
               : net.strange ? "a folder has a cluster that does not exist"
                             : arena_copy(&model->arena, net.why, strlen(net.why));
    records_release(&net.records);
    mem_free(mem, net.open);
    mem_free(mem, net.used);
    vec_free(mem, &net.clusters);
    vec_free(mem, &net.values);
    mem_free(mem, net.has);
    mem_free(mem, net.shared);
    return good;
}
