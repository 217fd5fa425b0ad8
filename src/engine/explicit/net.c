/* Clusters of ranks that several parts have finished are put into one set, part by part; a state that is there already was counted before. It is then expanded once more, because what it added to
 * the other counts is not kept. When the set does not fit in memory it is made of fewer ranks at a time, and that of a single rank of a half of its states, then of the other; of a quarter; and so
 * on, by their hash. */
#include "engine/explicit/net.h"

#include "base/varint.h"
#include "engine/explicit/space.h"
#include "model/eval.h"
#include "solver/freezer.h"

#include <stdio.h>
#include <string.h>

enum { WHY_ROOM = 512, MOST_SLICES = 1 << 20, MOST_OPEN = 48 };

struct net {
    struct task *task;
    struct model *model;
    struct space space;
    struct store store;
    struct net_counts *repeated;
    uint64_t ranks;
    uint64_t *has;         /* folders x ranks: a bit for each cluster that was finished */
    uint64_t *shared;      /* a bit for each rank of which several folders have a cluster */
    uint64_t stride;       /* words per folder */
    uint32_t folder;       /* the one being read */
    uint64_t states;       /* in its clusters, or in the one being read */
    bool strange;          /* a rank that does not exist */
    uint64_t slices, slice;
    uint32_t final;
    unsigned char *record; /* one that comes in pieces, and ... */
    uint64_t size;         /* ... how much of it is there */
    struct freezer **open; /* per folder, or NULL */
    uint64_t *used, uses;  /* when each was used last */
    uint32_t folders, open_count;
    bool full, stopped;
    char why[WHY_ROOM];
};

static struct freezer *open_folder(struct net *net, const char *folder)
{
    struct freezer_identity identity = {{net->task->freeze_hash[0], net->task->freeze_hash[1]}, net->space.layout.record_bytes};
    return freezer_open_to_read(net->model->mem, folder, &identity, net->why, sizeof net->why);
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
        if (net->open[i] && (oldest == net->folders || net->used[i] < net->used[oldest])) oldest = i;
    close_folder(net, oldest);
}

/* Folders stay open for the ranks that follow, those used last when there are many. */
static struct freezer *reader_of(struct net *net, const char *const *folders, uint32_t folder)
{
    while (!net->open[folder]) {
        if (net->open_count < MOST_OPEN) net->open[folder] = open_folder(net, folders[folder]);
        net->open_count += net->open[folder] != NULL;
        if (net->open[folder]) break;
        if (!net->open_count || (net->open_count < MOST_OPEN && !strstr(net->why, freezer_no_memory))) return NULL;
        close_oldest(net);
    }
    net->used[folder] = ++net->uses;
    return net->open[folder];
}

static bool note_rank(void *context, uint64_t rank, const unsigned char *summary, uint64_t size)
{
    struct net *net = context;
    struct varint_input input = {summary, summary + size, true};
    net->states += varint_get(&input); /* it begins with the number of states */
    net->strange |= rank >= net->ranks;
    if (rank < net->ranks) net->has[net->folder * net->stride + rank / 64] |= UINT64_C(1) << rank % 64;
    return rank < net->ranks;
}

static bool has_rank(const struct net *net, uint32_t folder, uint64_t rank)
{
    return net->has[folder * net->stride + rank / 64] >> rank % 64 & 1;
}

/* What a state added to the counts when it was expanded. */
static void count_again(struct net *net)
{
    struct space *space = &net->space;
    struct program_cursor cursor;
    const struct fast_rule *fast;
    enum step step;
    bool enabled = false;
    int64_t value;
    net->repeated->states++;
    program_start(&space->program, &cursor);
    while ((step = program_next(&space->program, &cursor, space->words, space->next, &fast)) != STEP_NONE) {
        net->repeated->transitions += step == STEP_TAKEN;
        net->repeated->runtime_errors += step == STEP_FAILED;
        enabled |= step == STEP_TAKEN;
    }
    if (enabled) return;
    if (net->model->has_final && program_run(&space->program, net->final, space->words, &value) && value) net->repeated->ends++;
    else net->repeated->deadlocks++;
}

static bool add_state(struct net *net)
{
    struct space *space = &net->space;
    uint32_t index;
    memset(space->words, 0, space->layout.words * sizeof *space->words);
    memcpy(space->words, net->record, space->layout.record_bytes);
    uint64_t hash = store_hash(space->words, space->layout.record_bytes);
    if ((hash >> 8) % net->slices != net->slice) return true;
    switch (store_add(&net->store, space->words, hash, &index)) {
    case STORE_REFUSED: net->full = true; return false;
    case STORE_KNOWN: count_again(net); break;
    case STORE_NEW: break;
    }
    return true;
}

static bool take_records(void *context, const unsigned char *bytes, uint64_t size)
{
    struct net *net = context;
    uint64_t record_bytes = net->space.layout.record_bytes;
    if (net->task->interrupted && *net->task->interrupted) {
        net->stopped = true;
        return false;
    }
    while (size) {
        uint64_t some = record_bytes - net->size;
        if (some > size) some = size;
        memcpy(net->record + net->size, bytes, some);
        net->size += some;
        bytes += some;
        size -= some;
        if (net->size < record_bytes) continue;
        net->size = 0;
        net->states++;
        if (!add_state(net)) return false;
    }
    return true;
}

static void find_shared(struct net *net)
{
    for (uint64_t w = 0; w < net->stride; w++) {
        uint64_t some = 0;
        for (uint32_t i = 0; i < net->folders; i++) {
            uint64_t bits = net->has[i * net->stride + w];
            net->shared[w] |= some & bits;
            some |= bits;
        }
    }
}

static bool is_needed(const struct net *net, uint32_t folder, uint64_t rank)
{
    return has_rank(net, folder, rank) && net->shared[rank / 64] >> rank % 64 & 1;
}

/* Ranks of one folder that others have as well. */
static bool add_folder(struct net *net, struct freezer *freezer, uint32_t folder, uint64_t from, uint64_t to)
{
    for (uint64_t rank = from; rank < to; rank++) {
        const char *why = NULL;
        if (!is_needed(net, folder, rank)) continue;
        net->size = 0;
        net->states = 0;
        bool good = freezer_read(freezer, rank, FREEZER_RECORDS, take_records, net, &why);
        if (good && net->states) continue;
        if (good) why = "a cluster has gone";
        if (why) snprintf(net->why, WHY_ROOM, "%s", why);
        return false;
    }
    return true;
}

/* One slice of the clusters of some ranks: states of different ranks are different. */
static bool add_slice(struct net *net, const char *const *folders, uint64_t from, uint64_t to)
{
    bool good = store_init(&net->store, net->model->mem, net->space.layout.record_bytes);
    net->full = !good;
    for (uint32_t i = 0; good && i < net->folders; i++) {
        uint64_t first = from;
        while (first < to && !is_needed(net, i, first)) first++;
        if (first == to) continue;
        struct freezer *freezer = reader_of(net, folders, i);
        good = freezer && add_folder(net, freezer, i, first, to);
    }
    store_release(&net->store);
    return good;
}

/* As many ranks at a time as fit; of a single one that does not, slices. */
static bool add_ranks(struct net *net, const char *const *folders)
{
    for (uint64_t from = 0, width = net->ranks, slices = 1; from < net->ranks;) {
        struct net_counts before = *net->repeated;
        uint64_t to = width < net->ranks - from ? from + width : net->ranks;
        bool good = true;
        net->slices = slices;
        for (net->slice = 0; good && net->slice < slices; net->slice++) good = add_slice(net, folders, from, to);
        if (good) {
            from = to;
            slices = 1;
            width *= 2;
            continue;
        }
        *net->repeated = before;
        if (!net->full) return false;
        while (net->open_count > 1) close_oldest(net); /* they need memory, too */
        if (to - from > 1) width = (to - from) / 2;
        else if ((slices *= 2) > MOST_SLICES) return false;
    }
    return true;
}

static bool find(struct net *net, const char *const *folders, const uint64_t *states, uint32_t count)
{
    bool good = true;
    for (net->folder = 0; good && net->folder < count; net->folder++) {
        struct freezer *freezer = reader_of(net, folders, net->folder);
        net->states = 0;
        good = freezer && freezer_summaries(freezer, note_rank, net);
        if (!good || net->states == states[net->folder]) continue;
        snprintf(net->why, WHY_ROOM, "the folder '%.200s' is damaged: clusters are missing", folders[net->folder]);
        good = false;
    }
    if (good) find_shared(net);
    return good && add_ranks(net, folders);
}

bool net_find_repeated(struct task *task, const char *const *folders, const uint64_t *states, uint32_t count, struct net_counts *repeated, const char **why)
{
    struct model *model = task->model;
    struct mem *mem = model->mem;
    struct net net = {.task = task, .model = model, .space.model = model, .repeated = repeated};
    *repeated = (struct net_counts){0};
    layout_init(&net.space.layout, model);
    program_init(&net.space.program, model, &net.space.layout);
    if (model->has_final) net.final = program_compile(&net.space.program, model->final);
    net.space.words = mem_alloc(mem, net.space.layout.words * sizeof *net.space.words);
    net.space.next = mem_alloc(mem, net.space.layout.words * sizeof *net.space.next);
    net.record = mem_alloc(mem, net.space.layout.record_bytes + UINT64_C(1));
    const struct model_var *var = &model->vars.data[model->rank];
    net.ranks = (uint64_t)var->high - (uint64_t)var->low + 1;
    net.stride = net.ranks / 64 + 1;
    net.folders = count;
    net.has = mem_alloc(mem, (count + UINT64_C(1)) * net.stride * sizeof *net.has);
    net.shared = mem_alloc(mem, net.stride * sizeof *net.shared);
    net.open = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *net.open);
    net.used = mem_alloc(mem, (count + UINT64_C(1)) * sizeof *net.used);
    bool good = find(&net, folders, states, count);
    for (uint32_t i = 0; i < count; i++) close_folder(&net, i);
    if (!good) *why = net.stopped ? "it was interrupted" : net.full ? "there is too little memory" : net.strange ? "a folder has a cluster that does not exist" : arena_copy(&model->arena, net.why, strlen(net.why));
    mem_free(mem, net.open);
    mem_free(mem, net.used);
    mem_free(mem, net.has);
    mem_free(mem, net.shared);
    mem_free(mem, net.record);
    mem_free(mem, net.space.words);
    mem_free(mem, net.space.next);
    program_release(&net.space.program);
    layout_release(&net.space.layout, model);
    return good;
}
