/* Symbolic states that several parts have finished are expanded once more, because what each added
 * to the counts is not kept. Discrete states are counted beside them: one that several clusters
 * have was counted once in each. */
#include "engine/timed/repeats.h"

#include "engine/timed/timed.h"
#include "engine/timed/zoned.h"

#include <assert.h>
#include <string.h>

struct repeats {
    struct net_set set; /* first: the set is known by it */
    struct zoned zoned;
    struct worker worker;
    struct nodes *nodes;
    uint64_t *last; /* per discrete state: the cluster that had it last */
    uint64_t room;
};

static bool begin(struct net_set *set)
{
    struct repeats *repeats = (struct repeats *)set;
    assert(!repeats->nodes);
    repeats->nodes = (struct nodes *)nodes_kind.make(&repeats->zoned.space);
    return repeats->nodes != NULL;
}

static void end(struct net_set *set)
{
    struct repeats *repeats = (struct repeats *)set;
    if (repeats->nodes) nodes_kind.free(&repeats->nodes->set);
    repeats->nodes = NULL;
}

static bool reserve(struct repeats *repeats, uint64_t count)
{
    if (count < repeats->room) return true;
    uint64_t room = count + count / 2 + 64;
    uint64_t *last = mem_try_resize(repeats->zoned.space.mem, repeats->last, room * sizeof *last);
    if (!last) return false;
    repeats->last = last;
    repeats->room = room;
    return true;
}

/* The discrete state of the record in the batch; STORE_NONE: memory was refused. */
static uint64_t add_discrete(struct repeats *repeats, uint64_t cluster)
{
    const struct worker *worker = &repeats->worker;
    const uint32_t built = zoned_step(worker, 0)->built;
    bool is_new;
    if (!reserve(repeats, repeats->nodes->discrete.count)) return STORE_NONE;
    const uint64_t discrete = nodes_add_discrete(repeats->nodes, batch_words(&worker->batch, 0),
                                                 worker->batch.steps[0].hash,
                                                 zoned_of(worker)->built[built].number, &is_new);
    if (discrete == STORE_NONE) return STORE_NONE;
    assert(discrete < repeats->room);
    if (!is_new) repeats->set.repeated.discrete += repeats->last[discrete] != cluster;
    repeats->last[discrete] = cluster;
    return discrete;
}

/* Expands the state in the batch; false: memory was refused. */
static bool count_again(struct repeats *repeats)
{
    struct worker *worker = &repeats->worker;
    struct net_counts *repeated = &repeats->set.repeated;
    memcpy(worker->words, batch_words(&worker->batch, 0),
           repeats->zoned.space.layout.words * sizeof *worker->words);
    batch_clear(&worker->batch);
    if (!zoned_kind.expand(worker, NULL, 0)) return false;
    const struct batch_state *state = &worker->batch.states[0];
    assert(worker->batch.state_count == 1);
    repeated->states++;
    repeated->transitions += state->steps;
    repeated->deadlocks += state->end == BATCH_DEAD || state->end == BATCH_UNCLEAR;
    repeated->ends += state->end == BATCH_FINAL;
    repeated->runtime_errors += state->failures;
    return true;
}

/* The record is in the batch. */
static enum net_result add_thawed(struct repeats *repeats, uint64_t cluster)
{
    struct worker *worker = &repeats->worker;
    uint64_t index;
    assert(worker->batch.step_count == 1);
    if (!net_is_in_slice(&repeats->set, worker->batch.steps[0].hash)) return NET_ADDED;
    if (!zoned_kind.commit(worker, &worker->batch.states[0])) return NET_FULL;
    const uint64_t discrete = add_discrete(repeats, cluster);
    if (discrete == STORE_NONE) return NET_FULL;
    if (repeats->zoned.storage != ZONES_EQUAL) return NET_ADDED;
    const struct dbm dbm = zoned_zone(worker, zoned_step(worker, 0));
    const struct nodes_zone zone = {.dbm = &dbm};
    switch (nodes_add(repeats->nodes, discrete, &zone, &index)) {
    case NODES_NEW: return NET_ADDED;
    case NODES_REFUSED: return NET_FULL;
    case NODES_KNOWN: break;
    }
    return count_again(repeats) ? NET_ADDED : NET_FULL;
}

static enum net_result add(struct net_set *set, const unsigned char *record, uint64_t size,
                           uint64_t cluster)
{
    struct repeats *repeats = (struct repeats *)set;
    struct worker *worker = &repeats->worker;
    worker->is_refused = false;
    if (!zoned_kind.thaw(worker, record, size)) return worker->is_refused ? NET_FULL : NET_STRANGE;
    const enum net_result result = add_thawed(repeats, cluster);
    batch_clear(&worker->batch);
    return result;
}

bool repeats_find(struct task *task, const char *const *folders, const uint64_t *states,
                  uint32_t count, struct net_counts *repeated, const char **why)
{
    struct mem *mem = task->model->mem;
    struct result result = {0};
    const struct freezer_identity identity = timed_identity(task);
    struct repeats *repeats = mem_alloc(mem, sizeof *repeats);
    repeats->set = (struct net_set){.begin = begin, .end = end, .add = add};
    bool good = zoned_init(&repeats->zoned, task->model, &result, task->exact_zones);
    zoned_watch(&repeats->zoned, task);
    repeats->zoned.storage = task->zones == ZONES_EQUAL ? ZONES_EQUAL : ZONES_BY_INCLUSION;
    repeats->zoned.look_for_stuck |= task->count_deadlocks;
    for (uint32_t i = 0; i < task->property_count; i++)
        repeats->zoned.look_for_stuck |= task->properties[i].kind == PROPERTY_DEADLOCK;
    good = worker_open(&repeats->worker, &repeats->zoned.space, mem, true) && good;
    *why = "there is too little memory";
    if (good) good = net_find_repeated(&repeats->set, task, &identity, folders, states, count, why);
    *repeated = repeats->set.repeated;
    worker_close(&repeats->worker);
    zoned_release(&repeats->zoned);
    mem_free(mem, repeats->last);
    mem_free(mem, repeats);
    return good;
}
