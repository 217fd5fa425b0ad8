/* Pairs as records of one size, for files in which they are compared byte by byte (search/set.h).
 *
 * A record is the discrete state and a field for the zone: the length of its string, the string as
 * zones_write writes it, and zeros. Few strings are longer than the field; those are kept in
 * memory, each once, for as long as there is the set, and the field has a mark and a number. Equal
 * zones have equal strings, and thereby equal fields: records are equal when pairs are.
 *
 * Invariants: (1) a string has at least one byte, and fewer than WIDE bytes unless it is wide; (2)
 * the number of a wide string never changes. */
#include "engine/timed/zoned.h"
#include "solver/runs.h"

#include <assert.h>
#include <string.h>

#ifdef CAIRN_DEGENERATE
enum { FIELD = 6 };
#else
enum { FIELD = 32 };
#endif
enum { WIDE = 255 }; /* the mark */
_Static_assert(FIELD < 128, "a length is one byte, as in a string with its length (zones.c)");

static struct nodes *nodes_of(const struct set *set) { return (struct nodes *)set; }

/* ---- fields ---- */

static bool is_wide(size_t bytes) { return bytes >= FIELD; }

/* From now on the string has a number, if it is wide. False: memory was refused. */
static bool keep_wide(struct nodes *nodes, const uint8_t *string, size_t bytes)
{
    uint64_t number;
    if (!is_wide(bytes)) return true;
    if (!nodes->wide) {
        nodes->wide = mem_try_alloc(nodes->mem, sizeof *nodes->wide);
        if (!nodes->wide) return false;
        if (!zones_init(nodes->wide, nodes->mem)) {
            mem_free(nodes->mem, nodes->wide);
            nodes->wide = NULL;
            return false;
        }
    }
    return zones_add(nodes->wide, string, bytes, zones_hash(string, bytes), &number)
           != ZONES_REFUSED;
}

static void make_field(const struct nodes *nodes, const uint8_t *string, size_t bytes, char *field)
{
    assert(bytes); /* (1) */
    memset(field, 0, FIELD);
    if (!is_wide(bytes)) {
        field[0] = (char)bytes;
        memcpy(field + 1, string, bytes);
        return;
    }
    assert(nodes->wide);
    const uint64_t found = zones_find(nodes->wide, string, bytes, zones_hash(string, bytes));
    assert(found != ZONES_NONE); /* (2) */
    const uint32_t number = (uint32_t)found;
    field[0] = (char)WIDE;
    memcpy(field + 1, &number, sizeof number);
}

static uint32_t wide_number(const char *field)
{
    uint32_t number;
    assert((unsigned char)field[0] == WIDE);
    memcpy(&number, field + 1, sizeof number);
    return number;
}

/* With its length, and without. */
static const uint8_t *whole_string(const struct nodes *nodes, const char *field, size_t *bytes)
{
    if ((unsigned char)field[0] == WIDE)
        return zones_string(nodes->wide, wide_number(field), bytes);
    *bytes = UINT64_C(1) + (unsigned char)field[0];
    return (const uint8_t *)field;
}

static const uint8_t *string_of(const struct nodes *nodes, const char *field, size_t *bytes)
{
    if ((unsigned char)field[0] == WIDE)
        return zones_written(nodes->wide, wide_number(field), bytes);
    *bytes = (unsigned char)field[0];
    return (const uint8_t *)field + 1;
}

/* ---- records ---- */

static bool of_state(struct set *set, uint64_t state, char *record)
{
    struct nodes *nodes = nodes_of(set);
    const struct store *store = &nodes->discrete;
    size_t bytes;
    const uint8_t *string = zones_written(&nodes->zones, nodes_zone_of(nodes, state), &bytes);
    if (!keep_wide(nodes, string, bytes)) return false;
    memcpy(record, store_get(store, nodes_discrete_of(nodes, state)), store->record_bytes);
    make_field(nodes, string, bytes, record + store->record_bytes);
    return true;
}

static bool of_step(struct worker *worker, uint32_t step, struct set *set, char *record)
{
    struct nodes *nodes = nodes_of(set);
    struct zoned_worker *own = zoned_of(worker);
    const uint32_t packed = nodes->discrete.record_bytes;
    const struct dbm dbm = zoned_zone(worker, zoned_step(worker, step));
    const size_t bytes = zones_write(&own->looks.zones, own->mem, &dbm);
    if (!bytes || !keep_wide(nodes, own->looks.zones.buffer, bytes)) return false;
    memcpy(record, batch_words(&worker->batch, step), packed);
    make_field(nodes, own->looks.zones.buffer, bytes, record + packed);
    return true;
}

static bool thaw(struct worker *worker, const struct set *set, const char *record)
{
    const struct nodes *nodes = nodes_of(set);
    size_t bytes;
    const uint8_t *string = whole_string(nodes, record + nodes->discrete.record_bytes, &bytes);
    return zoned_thaw(worker, record, string, bytes);
}

/* Whether a larger zone stands for it. */
static bool is_covered(struct worker *worker, const struct nodes *nodes, uint64_t discrete,
                       const char *field)
{
    size_t bytes;
    const uint8_t *string = whole_string(nodes, field, &bytes);
    const struct zoned *zoned = (const struct zoned *)worker->space;
    struct zoned_worker *own = zoned_of(worker);
    const struct config config = configs_get(&zoned->configs, nodes->infos[discrete].config);
    struct nodes_zone zone = {.dbm = &own->moves.other};
    uint64_t known;
    if (config.count > own->moves.most && !moves_reserve(&own->moves, config.count)) return false;
    const bool good = zones_read(string, bytes, &own->moves.other);
    assert(good);
    return good && nodes_look(nodes, discrete, &zone, &own->looks, own->mem, &known)
           && known != SET_NONE;
}

static bool has(struct worker *worker, const struct set *set, const char *record)
{
    const struct nodes *nodes = nodes_of(set);
    const struct store *store = &nodes->discrete;
    size_t bytes;
    const uint64_t discrete =
        store_find(store, record, store_hash(record, worker->space->layout.key_bytes));
    if (discrete == STORE_NONE) return false;
    if (!nodes->equal) return is_covered(worker, nodes, discrete, record + store->record_bytes);
    const uint8_t *string = string_of(nodes, record + store->record_bytes, &bytes);
    return nodes_find_equal(nodes, discrete, string, bytes, zones_hash(string, bytes)) != SET_NONE;
}

/* ---- on the way to disk ---- */

/* Items are pairs of either kind: they begin alike, and their numbers are in these. */
static uint64_t discrete_of(const struct nodes *nodes, const void *item)
{
    const struct node_pair *pair = item;
    const struct node *node = item;
    return nodes->equal ? nodes_number(pair->discrete, pair->discrete_high)
                        : nodes_number(node->discrete, node->discrete_high);
}

static const uint8_t *string_of_item(const struct nodes *nodes, const void *item, size_t *bytes)
{
    const struct node_pair *pair = item;
    const struct node *node = item;
    return zones_written(&nodes->zones,
                         nodes->equal ? nodes_number(pair->zone, pair->zone_high) : node->zone,
                         bytes);
}

static void make(const void *item, char *record, void *context)
{
    const struct nodes *nodes = context;
    const struct store *store = &nodes->discrete;
    size_t bytes;
    const uint8_t *string = string_of_item(nodes, item, &bytes);
    memcpy(record, store_get(store, discrete_of(nodes, item)), store->record_bytes);
    make_field(nodes, string, bytes, record + store->record_bytes);
}

static int compare(const void *a, const void *b, void *context)
{
    const struct nodes *nodes = context;
    const struct store *store = &nodes->discrete;
    const uint64_t one = discrete_of(nodes, a), two = discrete_of(nodes, b);
    char first[FIELD], second[FIELD];
    size_t bytes;
    if (one != two)
        return memcmp(store_get(store, one), store_get(store, two), store->record_bytes);
    const uint8_t *string = string_of_item(nodes, a, &bytes);
    make_field(nodes, string, bytes, first);
    string = string_of_item(nodes, b, &bytes);
    make_field(nodes, string, bytes, second);
    return memcmp(first, second, FIELD);
}

static bool list(struct set *set, uint64_t end, bool (*skips)(const void *context, uint64_t state),
                 const void *context, struct runs_items *items)
{
    struct nodes *nodes = nodes_of(set);
    uint64_t kept = 0;
    if (nodes->equal) *items = runs_items_of(&nodes->pairs, end);
    else
        *items = (struct runs_items){.one = (char *)nodes->list,
                                     .chunk_shift = 63,
                                     .item_bytes = sizeof *nodes->list,
                                     .count = end};
    if (!nodes->equal) items->chunks = &items->one;
    items->compare = compare;
    items->make = make;
    items->context = nodes;
    for (uint64_t i = 0; i < end; i++) {
        size_t bytes;
        char *item = runs_item(items, i);
        if (skips(context, i) || nodes_is_closed(nodes, i)) continue;
        const uint8_t *string = string_of_item(nodes, item, &bytes);
        if (!keep_wide(nodes, string, bytes)) return false;
        if (kept != i) memcpy(runs_item(items, kept), item, items->item_bytes);
        kept++;
    }
    items->count = kept;
    return true;
}

static bool empty(struct set *set)
{
    struct nodes *nodes = nodes_of(set);
    struct space *space = nodes->space;
    struct zones *wide = nodes->wide;
    struct nodes_work *work = nodes->work;
    struct mem *mem = nodes->mem;
    const struct set before = *set;
    const enum zone_storage storage = nodes->storage;
    nodes->wide = NULL; /* (2) */
    nodes_release(nodes);
    const bool good = nodes_init(nodes, mem, &space->layout, storage, work);
    nodes->set = (struct set){.kind = before.kind, .owner = before.owner};
    nodes->space = space;
    nodes->configs = &((const struct zoned *)space)->configs;
    nodes->wide = wide;
    return good;
}

static void count(uint64_t words, uint64_t *totals)
{
    ((struct nodes_totals *)totals)->discrete = words;
}

const struct set_records nodes_records = {.more = FIELD,
                                          .of_state = of_state,
                                          .of_step = of_step,
                                          .has = has,
                                          .thaw = thaw,
                                          .list = list,
                                          .empty = empty,
                                          .count = count};
