/* States that several parts of a split search have finished are expanded once more, because what
 * each added to the counts is not kept. */
#include "engine/explicit/recount.h"

#include "engine/explicit/space.h"

#include <assert.h>
#include <string.h>

struct recount {
    struct net_set set; /* first: the set is known by it */
    struct model *model;
    struct space space;
    struct store store;
    uint32_t final;
};

/* What a state added to the counts when it was expanded. */
static void count_again(struct recount *recount)
{
    struct space *space = &recount->space;
    struct net_counts *repeated = &recount->set.repeated;
    struct program_cursor cursor;
    const struct fast_rule *fast;
    enum step step;
    bool enabled = false;
    int64_t value;
    repeated->states++;
    program_start(&space->program, &cursor);
    while ((step = program_next(&space->program, &cursor, space->words, space->next, &fast))
           != STEP_NONE) {
        repeated->transitions += step == STEP_TAKEN;
        repeated->runtime_errors += step == STEP_FAILED;
        enabled |= step == STEP_TAKEN;
    }
    if (enabled) return;
    if (recount->model->has_final
        && program_run(&space->program, recount->final, space->words, &value) && value)
        repeated->ends++;
    else repeated->deadlocks++;
}

static bool begin(struct net_set *set)
{
    struct recount *recount = (struct recount *)set;
    return store_init(&recount->store, recount->model->mem, recount->space.layout.record_bytes);
}

static void end(struct net_set *set) { store_release(&((struct recount *)set)->store); }

static enum net_result add(struct net_set *set, const unsigned char *record, uint64_t size,
                           uint32_t folder)
{
    struct recount *recount = (struct recount *)set;
    struct space *space = &recount->space;
    uint32_t index;
    (void)folder;
    assert(size == space->layout.record_bytes); /* as the identity of the files says */
    memset(space->words, 0, space->layout.words * sizeof *space->words);
    memcpy(space->words, record, size);
    uint64_t hash = store_hash(space->words, space->layout.record_bytes);
    if (!net_is_in_slice(set, hash)) return NET_ADDED;
    switch (store_add32(&recount->store, space->words, hash, &index)) {
    case STORE_REFUSED: return NET_FULL;
    case STORE_KNOWN: count_again(recount); break;
    case STORE_NEW: break;
    }
    return NET_ADDED;
}

bool recount_find(struct task *task, const char *const *folders, const uint64_t *states,
                  uint32_t count, struct net_counts *repeated, const char **why)
{
    struct model *model = task->model;
    struct mem *mem = model->mem;
    struct recount recount = {
        .set = {.begin = begin, .end = end, .add = add}, .model = model, .space.model = model};
    struct space *space = &recount.space;
    layout_init(&space->layout, model);
    program_init(&space->program, model, &space->layout);
    if (model->has_final) recount.final = program_compile(&space->program, model->final);
    space->words = mem_alloc(mem, space->layout.words * sizeof *space->words);
    space->next = mem_alloc(mem, space->layout.words * sizeof *space->next);
    struct freezer_identity identity = {{task->freeze_hash[0], task->freeze_hash[1]},
                                        space->layout.record_bytes};
    bool good = net_find_repeated(&recount.set, task, &identity, folders, states, count, why);
    *repeated = recount.set.repeated;
    mem_free(mem, space->words);
    mem_free(mem, space->next);
    program_release(&space->program);
    layout_release(&space->layout, model);
    return good;
}
