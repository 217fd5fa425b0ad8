/* Pairs as records that other processes can read (search/space.h): as they are in files, never
 * closed. */
#include "engine/timed/zoned.h"

#include <assert.h>
#include <string.h>

enum { LENGTH_BYTES = 10 };

/* The beginning of a record with room for so many bytes behind the packed words; NULL: memory was
 * refused, or it would be too large. */
static unsigned char *begin_record(struct worker *worker, const void *words, size_t bytes)
{
    struct zoned_worker *own = zoned_of(worker);
    const size_t packed = worker->space->layout.record_bytes,
                 size = SPACE_RECORD_HEAD + packed + bytes;
    if (size > ZONED_RECORD_MOST) return NULL;
    if (size > own->record_room) {
        unsigned char *record = mem_try_resize(own->mem, own->record, size);
        if (!record) return NULL;
        own->record = record;
        own->record_room = size;
    }
    own->record[0] = 0;
    memcpy(own->record + SPACE_RECORD_HEAD, words, packed);
    return own->record + SPACE_RECORD_HEAD + packed;
}

size_t zoned_write_step(struct worker *worker, uint32_t step, const unsigned char **record)
{
    struct zoned_worker *own = zoned_of(worker);
    const struct dbm dbm = zoned_zone(worker, zoned_step(worker, step));
    const size_t bytes = zones_write(&own->looks.zones, own->mem, &dbm);
    if (!bytes) return 0;
    unsigned char *at =
        begin_record(worker, batch_words(&worker->batch, step), LENGTH_BYTES + bytes);
    if (!at) return 0;
    for (size_t left = bytes;; left >>= 7) { /* its length, as zones_read has it */
        *at++ = (unsigned char)((left & 127) | (left > 127) << 7);
        if (left <= 127) break;
    }
    memcpy(at, own->looks.zones.buffer, bytes);
    *record = own->record;
    return (size_t)(at + bytes - own->record);
}

size_t zoned_write_state(struct worker *worker, const struct set *set, uint64_t state,
                         const unsigned char **record)
{
    const struct nodes *nodes = (const struct nodes *)set;
    size_t bytes;
    assert(state < set->count);
    const uint8_t *zone = zones_string(&nodes->zones, nodes_zone_of(nodes, state), &bytes);
    unsigned char *at =
        begin_record(worker, store_get(&nodes->discrete, nodes_discrete_of(nodes, state)), bytes);
    if (!at) return 0;
    memcpy(at, zone, bytes);
    *record = zoned_of(worker)->record;
    return (size_t)(at + bytes - *record);
}
