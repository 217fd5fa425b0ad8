#include "engine/timed/nodes.h"

#include <assert.h>

bool nodes_init(struct nodes *nodes, struct mem *mem, const struct layout *layout,
                enum zone_storage storage, struct nodes_work *work)
{
    const bool equal = storage == ZONES_EQUAL;
    *nodes = (struct nodes){.mem = mem, .storage = storage, .equal = equal, .work = work};
    if (!store_init_keyed(&nodes->discrete, mem, layout->record_bytes, layout->key_bytes))
        return false;
    if (!zones_init(&nodes->zones, mem)) {
        store_release(&nodes->discrete);
        return false;
    }
    zones_share(&nodes->zones, &work->zones);
    if (equal && !store_init(&nodes->pairs, mem, sizeof(struct node_pair))) {
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
    if (nodes->wide) zones_release(nodes->wide);
    mem_free(nodes->mem, nodes->wide);
    *nodes = (struct nodes){.mem = nodes->mem};
}

void nodes_release_work(struct nodes_work *work, struct mem *mem)
{
    zones_release_work(&work->zones, mem);
    if (work->has_loaded) dbm_release(&work->loaded, mem);
    mem_free(mem, work->lower);
    mem_free(mem, work->upper);
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

static uint64_t first_of(const struct nodes *nodes, uint64_t discrete)
{
    return nodes_number(nodes->infos[discrete].first, nodes->infos[discrete].first_high);
}

static uint64_t next_of(const struct node *node)
{
    return nodes_number(node->next, node->next_high);
}

uint64_t nodes_add_discrete(struct nodes *nodes, const uint64_t *words, uint64_t hash,
                            uint32_t config, bool *is_new)
{
    uint64_t index;
    if (!grow(nodes->mem, (void **)&nodes->infos, &nodes->info_cap, nodes->discrete.count,
              sizeof *nodes->infos))
        return STORE_NONE;
    enum store_result added = store_add(&nodes->discrete, words, hash, &index);
    if (added == STORE_REFUSED) return STORE_NONE;
    *is_new = added == STORE_NEW;
    if (*is_new)
        nodes->infos[index] =
            (struct node_discrete){config, (uint32_t)NODES_NONE, (uint8_t)(NODES_NONE >> 32)};
    return index;
}

/* ---- pairs ---- */

static void push(struct nodes *nodes, uint64_t discrete, uint64_t zone, uint64_t next)
{
    assert(zone <= UINT32_MAX && discrete < nodes->discrete.count);
    nodes->list[nodes->set.count++] = (struct node){.discrete = (uint32_t)discrete,
                                                    .discrete_high = (uint8_t)(discrete >> 32),
                                                    .zone = (uint32_t)zone,
                                                    .next = (uint32_t)next,
                                                    .next_high = (uint8_t)(next >> 32)};
}

static enum zones_result intern(struct nodes *nodes, const struct nodes_zone *zone, uint64_t *id)
{
    return zone->string ? zones_add(&nodes->zones, zone->string, zone->bytes, zone->hash, id)
                        : zones_intern(&nodes->zones, zone->dbm, id);
}

static struct node_pair make_pair(uint64_t discrete, uint64_t zone)
{
    return (struct node_pair){(uint32_t)discrete, (uint32_t)zone, (uint8_t)(discrete >> 32),
                              (uint8_t)(zone >> 32)};
}

static enum nodes_result add_equal(struct nodes *nodes, uint64_t discrete,
                                   const struct nodes_zone *zone, uint64_t *index)
{
    uint64_t id;
    if (intern(nodes, zone, &id) == ZONES_REFUSED) return NODES_REFUSED;
    const struct node_pair pair = make_pair(discrete, id);
    enum store_result added =
        store_add(&nodes->pairs, &pair, store_hash(&pair, sizeof(struct node_pair)), index);
    if (added == STORE_REFUSED) return NODES_REFUSED;
    nodes->covered += added == STORE_KNOWN;
    if (added == STORE_KNOWN) return NODES_KNOWN;
    assert(*index == nodes->set.count);
    nodes->set.count++;
    return NODES_NEW;
}

/* ---- which zones stand for which ---- */

/* A zone that is compared with those of its discrete state. */
struct question {
    const struct dbm *zone;
    struct measure size;
    struct nodes_work *work; /* with L and U, by simulation */
};

static bool reserve_loaded(struct nodes_work *work, struct mem *mem, uint32_t clocks)
{
    if (work->has_loaded && work->loaded.most >= clocks) return true;
    if (work->has_loaded) dbm_release(&work->loaded, mem);
    work->has_loaded = dbm_init(&work->loaded, mem, clocks + 4);
    return work->has_loaded;
}

static bool reserve_bounds(struct nodes_work *work, struct mem *mem, uint32_t clocks)
{
    if (work->lower && clocks <= work->bound_room) return true;
    const uint32_t room = clocks + 4;
    int32_t *lower = mem_try_alloc(mem, (room + UINT64_C(1)) * sizeof *lower),
            *upper = mem_try_alloc(mem, (room + UINT64_C(1)) * sizeof *upper);
    mem_free(mem, lower && upper ? work->lower : lower);
    mem_free(mem, lower && upper ? work->upper : upper);
    if (!lower || !upper) return false;
    work->lower = lower;
    work->upper = upper;
    work->bound_room = room;
    return true;
}

/* False: memory was refused. */
static bool ask(const struct nodes *nodes, uint64_t discrete, const struct dbm *zone,
                struct nodes_work *work, struct mem *mem, struct question *question)
{
    const uint32_t clocks = dbm_clocks(zone);
    *question = (struct question){.zone = zone, .work = work};
    if (!reserve_loaded(work, mem, clocks)) return false;
    if (nodes->storage != ZONES_BY_SIMULATION) {
        question->size = measure_of(zone);
        return true;
    }
    if (!reserve_bounds(work, mem, clocks)) return false;
    const struct config config = configs_get(nodes->configs, nodes->infos[discrete].config);
    assert(config.count == clocks);
    for (uint32_t i = 1; i <= clocks; i++) {
        work->lower[i] = config_clock(&config, i - 1)->lower;
        work->upper[i] = config_clock(&config, i - 1)->upper;
    }
    question->size = measure_of_lu(zone, work->lower, work->upper);
    return true;
}

/* Zones say how they compare by inclusion, and far fewer of them are different than there are
 * pairs; by simulation it also depends on the discrete state. */
static uint64_t measured_at(const struct nodes *nodes, uint64_t n)
{
    return nodes->storage == ZONES_BY_INCLUSION ? nodes->list[n].zone : n;
}

/* Whether pair n stands for the zone in question. */
static bool covers(const struct nodes *nodes, uint64_t n, const struct question *question)
{
    struct nodes_work *work = question->work;
    const uint64_t zone = nodes->list[n].zone;
    if (!measure_may_include(&nodes->measures[measured_at(nodes, n)], &question->size))
        return false;
    if (zones_include(&nodes->zones, zone, question->zone)) return true;
    if (nodes->storage != ZONES_BY_SIMULATION) return false;
    zones_load(&nodes->zones, zone, &work->loaded);
    return dbm_included_lu(question->zone, &work->loaded, work->lower, work->upper);
}

/* Whether the zone in question stands for pair n. */
static bool is_covered(const struct nodes *nodes, uint64_t n, const struct question *question)
{
    struct nodes_work *work = question->work;
    if (!measure_may_include(&question->size, &nodes->measures[measured_at(nodes, n)]))
        return false;
    zones_load(&nodes->zones, nodes->list[n].zone, &work->loaded);
    return nodes->storage == ZONES_BY_SIMULATION
               ? dbm_included_lu(&work->loaded, question->zone, work->lower, work->upper)
               : dbm_included(&work->loaded, question->zone);
}

/* Gives up the pairs of the discrete state that the new zone stands for. */
static void give_up(struct nodes *nodes, uint64_t discrete, const struct question *question)
{
    struct node *before = NULL; /* that is linked to ... */
    for (uint64_t at = first_of(nodes, discrete); at != NODES_NONE;) {
        struct node *node = &nodes->list[at];
        const uint64_t gone = at;
        at = next_of(node);
        if (!is_covered(nodes, gone, question)) {
            before = node;
            continue;
        }
        if (before) before->next = node->next, before->next_high = node->next_high;
        else {
            nodes->infos[discrete].first = node->next;
            nodes->infos[discrete].first_high = node->next_high;
        }
        node->is_closed = gone >= nodes->set.next_level;
        nodes->given_up++;
    }
}

/* A pair of the discrete state, not before number `seen`, that stands for the zone. */
static uint64_t find_larger(const struct nodes *nodes, uint64_t discrete,
                            const struct question *question, uint64_t seen)
{
    uint64_t n = first_of(nodes, discrete);
    for (; n != NODES_NONE && n >= seen; n = next_of(&nodes->list[n])) /* (1) */
        if (covers(nodes, n, question)) return n;
    return SET_NONE;
}

static enum nodes_result add_unless_covered(struct nodes *nodes, uint64_t discrete,
                                            const struct nodes_zone *zone, uint64_t *index)
{
    uint64_t id;
    struct question question;
    if (!ask(nodes, discrete, zone->dbm, nodes->work, nodes->mem, &question)
        || !grow(nodes->mem, (void **)&nodes->measures, &nodes->measure_cap,
                 nodes->storage == ZONES_BY_INCLUSION ? nodes->zones.count : nodes->set.count,
                 sizeof *nodes->measures))
        return NODES_REFUSED;
    *index = find_larger(nodes, discrete, &question, zone->seen);
    if (*index != SET_NONE) {
        nodes->covered++;
        return NODES_KNOWN;
    }
    if (intern(nodes, zone, &id) == ZONES_REFUSED) return NODES_REFUSED;
    give_up(nodes, discrete, &question);
    *index = nodes->set.count;
    push(nodes, discrete, id, first_of(nodes, discrete));
    nodes->measures[measured_at(nodes, *index)] = question.size; /* (2) */
    nodes->infos[discrete].first = (uint32_t)*index;
    nodes->infos[discrete].first_high = (uint8_t)(*index >> 32);
    return NODES_NEW;
}

enum nodes_result nodes_add(struct nodes *nodes, uint64_t discrete, const struct nodes_zone *zone,
                            uint64_t *index)
{
    if (nodes->set.count >= NODES_NONE - 1) return NODES_REFUSED;
    if (nodes->equal) return add_equal(nodes, discrete, zone, index);
    if (!grow(nodes->mem, (void **)&nodes->list, &nodes->capacity, nodes->set.count,
              sizeof *nodes->list))
        return NODES_REFUSED;
    return add_unless_covered(nodes, discrete, zone, index);
}

/* ---- looking ahead ---- */

static bool write_zone(struct nodes_zone *zone, struct zones_work *work, struct mem *mem)
{
    zone->bytes = zones_write(work, mem, zone->dbm);
    if (!zone->bytes) return false;
    zone->string = work->buffer;
    zone->hash = zones_hash(zone->string, zone->bytes);
    return true;
}

bool nodes_covers(const struct nodes *nodes, uint64_t discrete, const struct dbm *zone)
{
    const struct question question = {.zone = zone, .size = measure_of(zone)};
    assert(nodes->storage == ZONES_BY_INCLUSION);
    return find_larger(nodes, discrete, &question, 0) != SET_NONE;
}

uint64_t nodes_find_equal(const struct nodes *nodes, uint64_t discrete, const uint8_t *string,
                          size_t bytes, uint32_t hash)
{
    assert(nodes->equal);
    const uint64_t id = zones_find(&nodes->zones, string, bytes, hash);
    if (id == ZONES_NONE) return SET_NONE;
    const struct node_pair pair = make_pair(discrete, id);
    const uint64_t known =
        store_find(&nodes->pairs, &pair, store_hash(&pair, sizeof(struct node_pair)));
    return known == STORE_NONE ? SET_NONE : known;
}

bool nodes_look(const struct nodes *nodes, uint64_t discrete, struct nodes_zone *zone,
                struct nodes_work *work, struct mem *mem, uint64_t *index)
{
    *index = SET_NONE;
    if (nodes->equal) {
        if (!write_zone(zone, &work->zones, mem)) return false;
        if (discrete != STORE_NONE)
            *index = nodes_find_equal(nodes, discrete, zone->string, zone->bytes, zone->hash);
        return true;
    }
    if (discrete != STORE_NONE) {
        struct question question;
        if (!ask(nodes, discrete, zone->dbm, work, mem, &question)) return false;
        *index = find_larger(nodes, discrete, &question, 0);
        zone->seen = nodes->set.count;
    }
    return *index != SET_NONE || write_zone(zone, &work->zones, mem);
}

bool nodes_check(const struct nodes *nodes)
{
    uint64_t linked = 0;
    for (uint64_t d = 0; d < nodes->discrete.count && !nodes->equal; d++) {
        uint64_t above = UINT64_MAX;
        for (uint64_t n = first_of(nodes, d); n != NODES_NONE; n = next_of(&nodes->list[n])) {
            if (n >= above || n >= nodes->set.count || nodes_discrete_of(nodes, n) != d)
                return false; /* (1) */
            above = n;
            linked++;
        }
    }
    return nodes->equal || linked == nodes_kept(nodes);
}
