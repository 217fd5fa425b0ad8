#include "engine/timed/nodes.h"

#include <assert.h>

struct pair {
    uint32_t discrete, zone;
};

bool nodes_init(struct nodes *nodes, struct mem *mem, uint32_t record_bytes, bool equal,
                struct nodes_work *work)
{
    *nodes = (struct nodes){.mem = mem, .equal = equal, .work = work};
    if (!store_init(&nodes->discrete, mem, record_bytes)) return false;
    if (!zones_init(&nodes->zones, mem)) {
        store_release(&nodes->discrete);
        return false;
    }
    zones_share(&nodes->zones, &work->zones);
    if (equal && !store_init(&nodes->pairs, mem, sizeof(struct pair))) {
        store_release(&nodes->discrete);
        zones_release(&nodes->zones);
        return false;
    }
    return true;
}

void nodes_release(struct nodes *nodes)
{
    store_release(&nodes->discrete);
    zones_release(&nodes->zones);
    if (nodes->equal) store_release(&nodes->pairs);
    mem_free(nodes->mem, nodes->infos);
    mem_free(nodes->mem, nodes->list);
    mem_free(nodes->mem, nodes->measures);
    *nodes = (struct nodes){.mem = nodes->mem};
}

void nodes_release_work(struct nodes_work *work, struct mem *mem)
{
    zones_release_work(&work->zones, mem);
    if (work->has_loaded) dbm_release(&work->loaded, mem);
    *work = (struct nodes_work){0};
}

enum { FIRST_ROOM = 8 }; /* there may be very many sets of a few */

/* Room for one more. */
static bool grow(struct mem *mem, void **data, uint64_t *cap, uint64_t len, size_t size)
{
    if (len < *cap) return true;
    uint64_t bigger = *cap ? *cap + *cap / 2 : FIRST_ROOM;
    void *moved = mem_try_resize(mem, *data, bigger * size);
    if (!moved) return false;
    *data = moved;
    *cap = bigger;
    return true;
}

uint32_t nodes_add_discrete(struct nodes *nodes, const uint64_t *words, uint64_t hash,
                            uint32_t config)
{
    uint32_t index;
    if (!grow(nodes->mem, (void **)&nodes->infos, &nodes->info_cap, nodes->discrete.count,
              sizeof *nodes->infos))
        return NODES_NONE;
    enum store_result added = store_add32(&nodes->discrete, words, hash, &index);
    if (added == STORE_REFUSED) return NODES_NONE;
    assert(added == STORE_NEW);
    nodes->infos[index] = (struct discrete_info){config, NODES_NONE};
    return index;
}

/* ---- pairs ---- */

static void push(struct nodes *nodes, struct node node) { nodes->list[nodes->count++] = node; }

static enum nodes_result add_equal(struct nodes *nodes, uint32_t discrete, const struct dbm *zone,
                                   uint32_t parent, uint32_t rule, uint32_t *index)
{
    struct pair pair = {discrete, 0};
    if (zones_intern(&nodes->zones, zone, &pair.zone) == ZONES_REFUSED) return NODES_REFUSED;
    enum store_result added =
        store_add32(&nodes->pairs, &pair, store_hash(&pair, sizeof pair), index);
    if (added == STORE_REFUSED) return NODES_REFUSED;
    nodes->covered += added == STORE_KNOWN;
    if (added == STORE_KNOWN) return NODES_KNOWN;
    assert(*index == nodes->count);
    push(nodes, (struct node){discrete, pair.zone, parent, rule, NODES_NONE});
    return NODES_NEW;
}

static bool load(struct nodes *nodes, uint32_t zone, uint32_t clocks)
{
    struct nodes_work *work = nodes->work;
    if (!work->has_loaded || work->loaded.most < clocks) {
        if (work->has_loaded) dbm_release(&work->loaded, nodes->mem);
        work->has_loaded = dbm_init(&work->loaded, nodes->mem, clocks + 4);
        if (!work->has_loaded) return false;
    }
    zones_load(&nodes->zones, zone, &work->loaded);
    return true;
}

/* Bounds are cut so that the sums fit; cutting keeps their order. */
static struct node_measure measure(const struct dbm *zone)
{
    const dbm_bound most = INT32_MAX / ((dbm_bound)zone->size * zone->size / MEASURE_SUMS + 1);
    struct node_measure measure = {0};
    for (uint32_t i = 0, at = 0; i < zone->size; i++)
        for (uint32_t j = 0; j < zone->size; j++, at++) {
            dbm_bound bound = dbm_at(zone, i, j);
            if (bound == BOUND_INFINITY) measure.infinite |= UINT32_C(1) << at % 32;
            measure.sums[at % MEASURE_SUMS] += (int32_t)(bound > most    ? most
                                                         : bound < -most ? -most
                                                                         : bound);
        }
    return measure;
}

static bool may_include(const struct node_measure *large, const struct node_measure *small)
{
    bool may = !(small->infinite & ~large->infinite);
    for (unsigned i = 0; i < MEASURE_SUMS; i++) may &= small->sums[i] <= large->sums[i];
    return may;
}

/* Gives up the pairs of the discrete state whose zones lie in the new one. False when memory is
 * refused. */
static bool give_up(struct nodes *nodes, uint32_t discrete, const struct dbm *zone,
                    const struct node_measure *size)
{
    uint32_t *link = &nodes->infos[discrete].first;
    while (*link != NODES_NONE) {
        struct node *node = &nodes->list[*link];
        bool may_go = may_include(size, &nodes->measures[*link]);
        if (may_go && !load(nodes, node->zone, dbm_clocks(zone))) return false;
        if (!may_go || !dbm_included(&nodes->work->loaded, zone)) {
            link = &node->next;
            continue;
        }
        uint32_t gone = *link;
        *link = node->next;
        if (gone >= nodes->next_level) nodes->list[gone].next = gone;
        nodes->given_up++;
    }
    return true;
}

static enum nodes_result add_by_inclusion(struct nodes *nodes, uint32_t discrete,
                                          const struct dbm *zone, uint32_t parent, uint32_t rule,
                                          uint32_t *index)
{
    uint32_t id;
    struct node_measure size = measure(zone);
    if (!grow(nodes->mem, (void **)&nodes->measures, &nodes->measure_cap, nodes->count,
              sizeof *nodes->measures))
        return NODES_REFUSED;
    for (uint32_t n = nodes->infos[discrete].first; n != NODES_NONE; n = nodes->list[n].next) {
        if (!may_include(&nodes->measures[n], &size)
            || !zones_include(&nodes->zones, nodes->list[n].zone, zone))
            continue;
        nodes->covered++;
        *index = n;
        return NODES_KNOWN;
    }
    if (zones_intern(&nodes->zones, zone, &id) == ZONES_REFUSED
        || !give_up(nodes, discrete, zone, &size))
        return NODES_REFUSED;
    *index = (uint32_t)nodes->count;
    nodes->measures[*index] = size;
    push(nodes, (struct node){discrete, id, parent, rule, nodes->infos[discrete].first});
    nodes->infos[discrete].first = *index;
    return NODES_NEW;
}

enum nodes_result nodes_add(struct nodes *nodes, uint32_t discrete, const struct dbm *zone,
                            uint32_t parent, uint32_t rule, uint32_t *index)
{
    if (nodes->count >= NODES_NONE - 1) return NODES_REFUSED;
    if (!grow(nodes->mem, (void **)&nodes->list, &nodes->capacity, nodes->count,
              sizeof *nodes->list))
        return NODES_REFUSED;
    return (nodes->equal ? add_equal : add_by_inclusion)(nodes, discrete, zone, parent, rule,
                                                         index);
}
