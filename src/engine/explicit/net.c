/* Clusters of one rank that several parts have finished are put into one set, part by part; a state that is there already was counted before. It is then expanded once more, because what it added to
 * the other counts is not kept. When the set does not fit in memory it is made of a half of the states, then of the other; of a quarter; and so on: halves by a bit of the hash. */
#include "engine/explicit/net.h"

#include "engine/explicit/space.h"
#include "model/eval.h"
#include "solver/freezer.h"

#include <stdlib.h>
#include <string.h>

enum { WHY_ROOM = 512, MOST_SLICES = 1 << 20, MAX_SUMMARY = 1 << 24 };

struct finished {
    uint64_t rank;
    uint32_t folder;
};

struct net {
    struct task *task;
    struct model *model;
    struct space space;
    struct store store;
    struct net_counts *repeated;
    VEC(struct finished) list;
    uint32_t folder;       /* the one being read */
    uint64_t slices, slice;
    uint32_t final;
    unsigned char *record; /* one that comes in pieces, and ... */
    uint64_t size;         /* ... how much of it is there */
    bool full, stopped;
    char why[WHY_ROOM];
};

static struct freezer *open_folder(struct net *net, const char *folder)
{
    struct freezer_identity identity = {{net->task->freeze_hash[0], net->task->freeze_hash[1]}, net->space.layout.record_bytes};
    return freezer_open_to_read(net->model->mem, folder, &identity, MAX_SUMMARY, net->why, sizeof net->why);
}

static bool note_rank(void *context, uint64_t rank, const unsigned char *summary, uint64_t size)
{
    struct net *net = context;
    (void)summary;
    (void)size;
    vec_push(net->model->mem, &net->list, ((struct finished){rank, net->folder}));
    return true;
}

static int by_rank(const void *a, const void *b)
{
    const struct finished *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->folder > y->folder) - (x->folder < y->folder);
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
        if (!add_state(net)) return false;
    }
    return true;
}

/* One slice of the clusters from..to - 1 of the list, which have one rank. */
static bool add_slice(struct net *net, const char *const *folders, uint32_t from, uint32_t to)
{
    bool good = store_init(&net->store, net->model->mem, net->space.layout.record_bytes);
    net->full = !good;
    for (uint32_t i = from; good && i < to; i++) {
        const char *why = NULL;
        struct freezer *freezer = open_folder(net, folders[net->list.data[i].folder]);
        net->size = 0;
        good = freezer && freezer_read(freezer, net->list.data[i].rank, FREEZER_RECORDS, take_records, net, &why);
        if (!good && why) memcpy(net->why, why, strlen(why) < WHY_ROOM ? strlen(why) + 1 : WHY_ROOM);
        if (freezer) freezer_close(freezer);
    }
    store_release(&net->store);
    return good;
}

static bool add_rank(struct net *net, const char *const *folders, uint32_t from, uint32_t to)
{
    for (net->slices = 1; net->slices <= MOST_SLICES; net->slices *= 2) {
        struct net_counts before = *net->repeated;
        bool good = true;
        for (net->slice = 0; good && net->slice < net->slices; net->slice++) good = add_slice(net, folders, from, to);
        if (good || !net->full) return good;
        *net->repeated = before;
    }
    return false;
}

static bool find(struct net *net, const char *const *folders, uint32_t count)
{
    bool good = true;
    for (net->folder = 0; good && net->folder < count; net->folder++) {
        struct freezer *freezer = open_folder(net, folders[net->folder]);
        good = freezer && freezer_summaries(freezer, note_rank, net);
        if (freezer) freezer_close(freezer);
    }
    if (net->list.len) qsort(net->list.data, net->list.len, sizeof *net->list.data, by_rank);
    for (uint32_t from = 0, to; good && from < net->list.len; from = to) {
        for (to = from + 1; to < net->list.len && net->list.data[to].rank == net->list.data[from].rank; to++) continue;
        if (to > from + 1) good = add_rank(net, folders, from, to);
    }
    return good;
}

bool net_find_repeated(struct task *task, const char *const *folders, uint32_t count, struct net_counts *repeated, const char **why)
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
    bool good = find(&net, folders, count);
    if (!good) *why = net.stopped ? "it was interrupted" : net.full ? "there is too little memory" : arena_copy(&model->arena, net.why, strlen(net.why));
    vec_free(mem, &net.list);
    mem_free(mem, net.record);
    mem_free(mem, net.space.words);
    mem_free(mem, net.space.next);
    program_release(&net.space.program);
    layout_release(&net.space.layout, model);
    return good;
}
