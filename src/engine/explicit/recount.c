/* States that several parts of a split search have finished are expanded once more, because what
 * each added to the counts is not kept. */
#include "engine/explicit/recount.h"

#include "engine/explicit/packed.h"

#include <assert.h>
#include <string.h>

struct recount {
    struct net_set net; /* first: the set is known by it */
    struct space space;
    struct worker worker;
    struct set *set;
};

/* What the state in the batch added to the counts when it was expanded. False: memory was
 * refused. */
static bool count_again(struct recount *recount)
{
    struct net_counts *repeated = &recount->net.repeated;
    struct worker *worker = &recount->worker;
    memcpy(worker->words, batch_words(&worker->batch, 0), worker->batch.words * sizeof(uint64_t));
    batch_clear(&worker->batch);
    if (!recount->space.kind->expand(worker, NULL, SET_NONE)) return false;
    const struct batch_state *state = &worker->batch.states[0];
    repeated->states++;
    repeated->transitions += state->steps;
    repeated->runtime_errors += state->failures;
    repeated->ends += state->end == BATCH_FINAL;
    repeated->deadlocks += state->end == BATCH_DEAD;
    return true;
}

static bool begin(struct net_set *net)
{
    struct recount *recount = (struct recount *)net;
    assert(!recount->set);
    recount->set = recount->space.kind->sets->make(&recount->space);
    return recount->set != NULL;
}

static void end(struct net_set *net)
{
    struct recount *recount = (struct recount *)net;
    if (recount->set) recount->set->kind->free(recount->set);
    recount->set = NULL;
}

static enum net_result add_thawed(struct recount *recount)
{
    struct batch *batch = &recount->worker.batch;
    assert(batch->step_count == 1);
    batch->steps[0].set = recount->set;
    if (!net_is_in_slice(&recount->net, batch->steps[0].hash)) return NET_ADDED;
    if (!recount->set->kind->add(&recount->worker, 0, 1)) return NET_FULL;
    return batch->fresh_count || count_again(recount) ? NET_ADDED : NET_FULL;
}

static enum net_result add(struct net_set *net, const unsigned char *record, uint64_t size,
                           uint64_t cluster)
{
    struct recount *recount = (struct recount *)net;
    (void)cluster;
    if (!recount->space.kind->thaw(&recount->worker, record, size)) return NET_STRANGE;
    const enum net_result result = add_thawed(recount);
    batch_clear(&recount->worker.batch);
    return result;
}

bool recount_find(struct task *task, const char *const *folders, const uint64_t *states,
                  uint32_t count, struct net_counts *repeated, const char **why)
{
    struct model *model = task->model;
    struct recount recount = {.net = {.begin = begin, .end = end, .add = add}};
    space_init(&recount.space, &packed_kind, model);
    if (!worker_open(&recount.worker, &recount.space, model->mem, true)) mem_refuse(model->mem);
    struct freezer_identity identity = {{task->freeze_hash[0], task->freeze_hash[1]},
                                        recount.space.layout.record_bytes};
    bool good = net_find_repeated(&recount.net, task, &identity, folders, states, count, why);
    *repeated = recount.net.repeated;
    worker_close(&recount.worker);
    space_release(&recount.space);
    return good;
}
