/* Pairs as a set of the search. One worker alone looks nothing up ahead: it adds at once. Workers
 * of a team look for pairs that stand for what they found, and write the strings of the others,
 * which takes longer than adding them; the thread that adds then compares with newer pairs only. */
#include "engine/timed/zoned.h"
#include "base/checked.h"
#include "past/history.h"
#include "past/records.h"

#include <assert.h>
#include <string.h>

enum { PIECE = 4096 };

static struct nodes *nodes_of(const struct set *set) { return (struct nodes *)set; }

static struct set *make(struct space *space)
{
    struct zoned *zoned = (struct zoned *)space;
    if (!zoned->bytes_before) zoned->bytes_before = space->mem->used;
    struct nodes *nodes = mem_try_alloc(space->mem, sizeof *nodes);
    if (!nodes) return NULL;
    if (!nodes_init(nodes, space->mem, &space->layout, zoned->storage, &zoned->work)) {
        mem_free(space->mem, nodes);
        return NULL;
    }
    nodes->configs = &zoned->configs;
    nodes->set.kind = &nodes_kind;
    nodes->space = space;
    return &nodes->set;
}

static void free_nodes(struct set *set)
{
    struct mem *mem = nodes_of(set)->mem;
    nodes_release(nodes_of(set));
    mem_free(mem, set);
}

static bool clear(struct set *set)
{
    (void)set;
    return false;
}

static void load(const struct set *set, uint64_t state, uint64_t *words)
{
    const struct store *store = &nodes_of(set)->discrete;
    CHECKED(set->kind == &nodes_kind && state < set->count);
    const uint64_t discrete = nodes_discrete_of(nodes_of(set), state);
    if (!store->record_bytes) return;
    words[(store->record_bytes - 1) / 8] = 0; /* the record may end within the last word */
    memcpy(words, store_get(store, discrete), store->record_bytes);
}

static void prefetch(const struct worker *worker, uint32_t first, uint32_t end)
{
    (void)worker, (void)first, (void)end; /* discrete states were looked up by then */
}

/* ---- looking ahead ---- */

/* False: memory was refused, and nothing is known. */
static bool keep_string(struct zoned_worker *own, const struct nodes_zone *zone,
                        struct zoned_step *extra)
{
    const uint32_t at = zoned_pool(own, (zone->bytes + UINT64_C(7)) / 8);
    if (at == UINT32_MAX) return false;
    memcpy(own->pool + at, zone->string, zone->bytes);
    extra->written = at;
    extra->bytes = (uint32_t)zone->bytes;
    extra->hash = zone->hash;
    return true;
}

static void look_at(struct worker *worker, uint32_t i)
{
    struct zoned_worker *own = zoned_of(worker);
    struct batch_step *step = &worker->batch.steps[i];
    struct zoned_step *extra = zoned_step(worker, i);
    const struct dbm dbm = zoned_zone(worker, extra);
    struct nodes_zone zone = {.dbm = &dbm};
    uint64_t known;
    if (extra->built != ZONED_NO_BUILT) { /* of steps that lead to one new state, one is likely to
                                             stand for the others */
        struct zoned_built *built = &own->built[extra->built];
        if (built->is_written) return;
        built->is_written = true;
    }
    if (!nodes_look(nodes_of(step->set), extra->discrete, &zone, &own->looks, own->mem, &known))
        return;
    extra->seen = zone.seen;
    if (known == SET_NONE) {
        if (!keep_string(own, &zone, extra)) extra->seen = 0;
        return;
    }
    /* steps that are taken out count for the set at hand */
    if (step->set == own->at_hand) step->to = known;
    else extra->is_known = true;
}

static void look(struct worker *worker, uint32_t first, uint32_t end)
{
    const struct batch *batch = &worker->batch;
    for (uint32_t i = first; i < end; i++) {
        batch->steps[i].to = SET_NONE;
        if (worker->has_fork && batch->steps[i].set) look_at(worker, i);
    }
}

/* ---- adding ---- */

static struct nodes_zone zone_of(const struct worker *worker, const struct zoned_step *extra,
                                 const struct dbm *dbm)
{
    struct nodes_zone zone = {.dbm = dbm, .seen = extra->seen};
    if (!extra->bytes) return zone;
    zone.string = (const uint8_t *)(zoned_of(worker)->pool + extra->written);
    zone.bytes = extra->bytes;
    zone.hash = extra->hash;
    return zone;
}

/* The step's discrete state; STORE_NONE: memory was refused. */
static uint64_t add_discrete(struct worker *worker, uint32_t i, bool *is_new)
{
    struct nodes *nodes = nodes_of(worker->batch.steps[i].set);
    const struct zoned_step *extra = zoned_step(worker, i);
    *is_new = false;
    if (extra->discrete != STORE_NONE) return extra->discrete;
    const struct zoned_built *built = &zoned_of(worker)->built[extra->built];
    assert(built->number != CONFIG_NONE);
    return nodes_add_discrete(nodes, batch_words(&worker->batch, i), worker->batch.steps[i].hash,
                              built->number, is_new);
}

/* False: memory was refused. */
static bool add_step(struct worker *worker, uint32_t i)
{
    struct batch *batch = &worker->batch;
    struct batch_step *step = &batch->steps[i];
    struct zoned_step *extra = zoned_step(worker, i);
    struct nodes *nodes = nodes_of(step->set);
    bool is_new = extra->is_new;
    if (step->to != SET_NONE || extra->is_known) {
        nodes->covered++;
        if (step->to == SET_NONE) step->to = SET_KNOWN; /* which one it is does not matter */
        return true;
    }
    if (!is_new) extra->discrete = add_discrete(worker, i, &is_new);
    if (extra->discrete == STORE_NONE) return false;
    extra->is_new = is_new; /* when it is tried again */
    const struct dbm dbm = zoned_zone(worker, extra);
    const struct nodes_zone zone = zone_of(worker, extra, &dbm);
    const uint64_t before = nodes->given_up;
    enum nodes_result added = nodes_add(nodes, extra->discrete, &zone, &step->to);
    if (added == NODES_REFUSED) return step->to = SET_NONE, false;
    if (added == NODES_KNOWN) return true;
    CHECKED(step->to < nodes->set.count);
    extra->seen = nodes->given_up - before;
    /* monitors see a discrete state once */
    if (!is_new) step->is_quiet = true;
    batch->fresh[batch->fresh_count++] = i;
    return true;
}

static uint32_t add(struct worker *worker, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        if (worker->batch.steps[i].set && !add_step(worker, i)) return i;
    return end;
}

static int64_t gained(const struct worker *worker, uint32_t step)
{
    return 1 - (int64_t)zoned_step(worker, step)->seen;
}

/* ---- questions ---- */

static bool is(struct worker *worker, uint32_t i, const struct set *set, uint64_t state)
{
    const struct nodes *nodes = nodes_of(set);
    const struct zoned_step *extra = zoned_step(worker, i);
    struct dbm *other = &zoned_of(worker)->moves.other;
    assert(state < set->count);
    if (extra->discrete != nodes_discrete_of(nodes, state)) return false;
    const struct dbm zone = zoned_zone(worker, extra);
    zones_load(&nodes->zones, nodes_zone_of(nodes, state), other);
    return dbm_equal(&zone, other);
}

static uint64_t find(struct worker *worker, uint32_t i)
{
    struct zoned_worker *own = zoned_of(worker);
    const struct batch_step *step = &worker->batch.steps[i];
    const struct zoned_step *extra = zoned_step(worker, i);
    const struct nodes *nodes = nodes_of(step->set);
    const uint64_t discrete =
        extra->discrete != STORE_NONE
            ? extra->discrete
            : store_find(&nodes->discrete, batch_words(&worker->batch, i), step->hash);
    const struct dbm dbm = zoned_zone(worker, extra);
    struct nodes_zone zone = {.dbm = &dbm};
    uint64_t known;
    if (discrete == STORE_NONE
        || !nodes_look(nodes, discrete, &zone, &own->looks, own->mem, &known))
        return SET_NONE; /* without memory nothing is known */
    return known;
}

static bool is_open(const struct set *set, uint64_t state)
{
    return !nodes_is_closed(nodes_of(set), state);
}

static uint64_t kept(const struct set *set) { return nodes_kept(nodes_of(set)); }

static const struct store *store_of(const struct set *set) { return &nodes_of(set)->discrete; }

_Static_assert(sizeof(struct nodes_totals) == HISTORY_MORE * sizeof(uint64_t),
               "all totals are in history->more");

static void sum(const struct set *set, uint64_t *totals)
{
    const struct nodes *nodes = nodes_of(set);
    struct zoned *zoned = (struct zoned *)nodes->space;
    const struct mem *mem = nodes->mem;
    struct nodes_totals *all = (struct nodes_totals *)totals;
    all->discrete += nodes->discrete.count;
    all->zones += nodes->zones.count;
    all->zone_bytes += nodes->zones.string_bytes;
    all->covered += nodes->covered + set->known;
    all->given_up += nodes->given_up;
    if (zoned->configs.most > all->largest) all->largest = zoned->configs.most;
    if (mem->used - zoned->bytes_before > zoned->most_bytes)
        zoned->most_bytes = mem->used - zoned->bytes_before;
}

/* ---- files ---- */

/* Adding pairs again in the order of their numbers covers and keeps what it did before, because
 * that depends on nothing else. */
static uint64_t bytes(const struct set *set, uint64_t first, uint64_t end)
{
    const struct nodes *nodes = nodes_of(set);
    uint64_t all = (end - first) * (RECORDS_HEAD + UINT64_C(1) + nodes->discrete.record_bytes);
    for (uint64_t i = first; i < end; i++) {
        size_t zone;
        zones_string(&nodes->zones, nodes_zone_of(nodes, i), &zone);
        all += zone;
    }
    return all + (all / PIECE + 1) * FREEZER_ITEM;
}

/* Bytes on their way to a freezer, which takes larger pieces. */
struct stream {
    struct freezer *freezer;
    size_t used;
    bool good;
    unsigned char bytes[PIECE];
};

static void flush(struct stream *stream)
{
    stream->good =
        stream->good && freezer_put(stream->freezer, FREEZER_RECORDS, stream->bytes, stream->used);
    stream->used = 0;
}

static void put_bytes(struct stream *stream, const void *from, size_t size)
{
    for (const unsigned char *at = from; size;) {
        size_t some = size < PIECE - stream->used ? size : PIECE - stream->used;
        memcpy(stream->bytes + stream->used, at, some);
        stream->used += some;
        at += some;
        size -= some;
        if (stream->used == PIECE) flush(stream);
    }
}

static bool freeze(const struct set *set, uint64_t first, uint64_t end, struct freezer *freezer)
{
    const struct nodes *nodes = nodes_of(set);
    struct stream stream = {.freezer = freezer, .good = true};
    assert(first <= end && end <= set->count);
    for (uint64_t i = first; stream.good && i < end; i++) {
        const unsigned char flags = nodes_is_closed(nodes, i) ? NODES_CLOSED : 0;
        size_t zone_bytes;
        const uint8_t *zone = zones_string(&nodes->zones, nodes_zone_of(nodes, i), &zone_bytes);
        const uint32_t size = (uint32_t)(1 + nodes->discrete.record_bytes + zone_bytes);
        put_bytes(&stream, &size, RECORDS_HEAD);
        put_bytes(&stream, &flags, 1);
        put_bytes(&stream, store_get(&nodes->discrete, nodes_discrete_of(nodes, i)),
                  nodes->discrete.record_bytes);
        put_bytes(&stream, zone, zone_bytes);
    }
    flush(&stream);
    return stream.good;
}

const struct set_kind nodes_kind = {.make = make,
                                    .free = free_nodes,
                                    .clear = clear,
                                    .load = load,
                                    .prefetch = prefetch,
                                    .look = look,
                                    .add = add,
                                    .find = find,
                                    .is_open = is_open,
                                    .kept = kept,
                                    .gained = gained,
                                    .store = store_of,
                                    .sum = sum,
                                    .more = HISTORY_MORE,
                                    .varies = true,
                                    .bytes = bytes,
                                    .freeze = freeze,
                                    .is = is,
                                    .records = &nodes_records};
