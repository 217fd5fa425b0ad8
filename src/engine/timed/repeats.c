/* Symbolic states that several parts have finished are expanded once more, because what each added
 * to the counts is not kept. Discrete states are counted beside them: one that several parts have
 * was counted once in each. */
#include "engine/timed/repeats.h"

#include "engine/timed/search.h"

struct repeats {
    struct net_set set; /* first: the set is known by it */
    struct search *search;
    uint32_t *last; /* per discrete state: the folder that had it last */
    uint64_t room;
};

static bool begin(struct net_set *set)
{
    struct repeats *repeats = (struct repeats *)set;
    return (repeats->search->cluster = clusters_make(repeats->search)) != NULL;
}

static void end(struct net_set *set)
{
    struct search *search = ((struct repeats *)set)->search;
    clusters_free(search, search->cluster);
    search->cluster = NULL;
}

static bool reserve(struct repeats *repeats, uint64_t count)
{
    if (count < repeats->room) return true;
    uint64_t room = count + count / 2 + 64;
    uint32_t *last =
        mem_try_resize(repeats->search->model->mem, repeats->last, room * sizeof *last);
    if (!last) return false;
    repeats->last = last;
    repeats->room = room;
    return true;
}

/* The discrete state of a record; false: memory was refused. */
static bool add_discrete(struct repeats *repeats, struct enabled *to, uint32_t folder)
{
    struct search *search = repeats->search;
    struct nodes *nodes = &search->cluster->nodes;
    to->discrete = store_find(&nodes->discrete, search->words, to->hash);
    if (to->discrete == NODES_NONE) {
        if (!reserve(repeats, nodes->discrete.count)) return false;
        to->discrete = nodes_add_discrete(nodes, search->words, to->hash, to->config);
        if (to->discrete == NODES_NONE) return false;
    } else repeats->set.repeated.discrete += repeats->last[to->discrete] != folder;
    repeats->last[to->discrete] = folder;
    return true;
}

static bool count_again(struct repeats *repeats, const struct enabled *to)
{
    struct search *search = repeats->search;
    struct net_counts *repeated = &repeats->set.repeated;
    struct search_counts counts = {0};
    moves_enter_zone(&search->moves, configs_get(&search->configs, to->config),
                     &search->moves.next);
    if (!zsearch_list_enabled(search) || !zsearch_count(search, &counts)) return false;
    repeated->states++;
    repeated->transitions += counts.transitions;
    repeated->deadlocks += counts.deadlocks;
    repeated->ends += counts.ends;
    repeated->runtime_errors += counts.runtime_errors;
    return true;
}

static enum net_result add(struct net_set *set, const unsigned char *record, uint64_t size,
                           uint32_t folder)
{
    struct repeats *repeats = (struct repeats *)set;
    struct search *search = repeats->search;
    struct enabled to;
    bool covered;
    uint32_t index;
    if (!clusters_read(search, record, size, &covered, &to))
        return search->result->stop == STOP_MEMORY            ? search->result->stop = STOP_NONE,
                                                     NET_FULL : NET_STRANGE;
    if (!net_is_in_slice(set, to.hash)) return NET_ADDED;
    if (!add_discrete(repeats, &to, folder)) return NET_FULL;
    if (!search->task->equal_zones) return NET_ADDED;
    switch (nodes_add(&search->cluster->nodes, to.discrete, &search->moves.next, NODES_NONE,
                      MODEL_NONE, &index)) {
    case NODES_NEW: return NET_ADDED;
    case NODES_REFUSED: return NET_FULL;
    case NODES_KNOWN: break;
    }
    if (count_again(repeats, &to)) return NET_ADDED;
    search->result->stop = STOP_NONE;
    return NET_FULL;
}

bool repeats_find(struct task *task, const char *const *folders, const uint64_t *states,
                  uint32_t count, struct net_counts *repeated, const char **why)
{
    struct task alone = *task; /* nothing is asked; deadlocks are counted as they were */
    struct result result = {0};
    struct freezer_identity identity = timed_identity(task);
    alone.order = ORDER_BFS;
    for (uint32_t i = 0; i < task->property_count; i++)
        alone.count_deadlocks |= task->properties[i].kind == PROPERTY_DEADLOCK;
    alone.property_count = 0;
    struct repeats repeats = {.set = {.begin = begin, .end = end, .add = add},
                              .search = zsearch_begin(&alone, NULL, &result, task->exact_zones)};
    bool has_space = zsearch_prepare(repeats.search), good = has_space;
    *why = "there is too little memory";
    if (has_space) {
        end(&repeats.set); /* the space of a search of its own */
        good = net_find_repeated(&repeats.set, task, &identity, folders, states, count, why);
    }
    *repeated = repeats.set.repeated;
    mem_free(task->model->mem, repeats.last);
    zsearch_end(repeats.search, has_space);
    return good;
}
