#include "past/records.h"

#include <assert.h>
#include <string.h>

enum { MOST_BYTES = 1 << 28 };

/* How long the record is that has begun; while that is not known: its head. */
static uint64_t length_of(const struct records *records)
{
    uint32_t length;
    if (records->fixed) return records->fixed;
    if (records->size < RECORDS_HEAD) return RECORDS_HEAD;
    memcpy(&length, records->room, RECORDS_HEAD);
    return RECORDS_HEAD + (uint64_t)length;
}

static bool reserve(struct records *records, uint64_t bytes)
{
    if (bytes <= records->capacity) return true;
    uint64_t capacity = bytes + bytes / 2 + 64;
    unsigned char *room =
        bytes <= MOST_BYTES ? mem_try_resize(records->mem, records->room, capacity) : NULL;
    records->refused |= !room && bytes <= MOST_BYTES;
    if (!room) return false;
    records->room = room;
    records->capacity = capacity;
    return true;
}

bool records_take(void *context, const unsigned char *bytes, uint64_t size)
{
    struct records *records = context;
    const uint64_t head = records->fixed ? 0 : RECORDS_HEAD;
    while (size) {
        uint64_t wanted = length_of(records), some = wanted - records->size;
        if (!reserve(records, wanted + 1)) return false;
        if (some > size) some = size;
        assert(records->size + some <= records->capacity && records->size < wanted);
        memcpy(records->room + records->size, bytes, some);
        records->size += some;
        bytes += some;
        size -= some;
        if (records->size < length_of(records) || records->size < wanted) continue;
        uint64_t length = records->size - head;
        records->size = 0;
        records->count++;
        if (!records->tell(records->context, records->room + head, length)) return false;
    }
    return true;
}

void records_release(struct records *records)
{
    mem_free(records->mem, records->room);
    records->room = NULL;
    records->capacity = records->size = 0;
}
