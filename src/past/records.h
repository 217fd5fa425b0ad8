/* Records of states in files: of one size, or each after its size (4 bytes, little-endian). They
 * come in pieces of any length. */
#ifndef CAIRN_PAST_RECORDS_H
#define CAIRN_PAST_RECORDS_H

#include "base/mem.h"

enum { RECORDS_HEAD = 4 };

struct records {
    struct mem *mem;
    uint32_t fixed; /* the size of each, or 0: they vary */
    bool (*tell)(void *context, const unsigned char *record,
                 uint64_t size); /* false ends reading */
    void *context;
    uint64_t count;          /* that were told */
    bool refused;            /* memory was */
    unsigned char *room;     /* one that is not whole yet, ... */
    uint64_t capacity, size; /* ... and how much of it is there */
};

static inline struct records records_begin(struct mem *mem, uint32_t fixed,
                                           bool (*tell)(void *context, const unsigned char *record,
                                                        uint64_t size),
                                           void *context)
{
    return (struct records){.mem = mem, .fixed = fixed, .tell = tell, .context = context};
}
/* The next bytes; `records` is a struct records, so that freezer_read can call it. False: memory
 * was refused, they make no sense, or tell said so. */
bool records_take(void *records, const unsigned char *bytes, uint64_t size);
/* Whether nothing is left over: at the end of a cluster. */
static inline bool records_are_whole(const struct records *records) { return !records->size; }
void records_release(struct records *records);

#endif
