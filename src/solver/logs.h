/* The logs of finished clusters (origins.h), kept in memory as bytes and read again when a way is
 * followed back. */
#ifndef CAIRN_SOLVER_LOGS_H
#define CAIRN_SOLVER_LOGS_H

#include "solver/origins.h"

struct logs_entry {
    uint64_t rank;
    unsigned char *bytes;
    uint64_t size;
};

struct logs {
    struct mem *mem;
    struct logs_entry *list; /* in the order of ranks */
    uint64_t count, room;
    unsigned char *page; /* where small logs are put, and ... */
    uint64_t page_left;  /* ... how much is left of it */
    unsigned char **pages;
    uint64_t page_count, page_room;
    struct origins loaded; /* the one that was read last, and ... */
    uint64_t loaded_rank;  /* ... of which rank it is */
    bool has_loaded;
};

void logs_init(struct logs *logs, struct mem *mem);
void logs_release(struct logs *logs);
/* Keeps a log; its rank is larger than all before. False: memory was refused, and nothing has
 * changed. */
bool logs_keep(struct logs *logs, uint64_t rank, const struct origins *origins);
/* The log of this rank, until the next call; NULL: there is none, or memory was refused. */
const struct origins *logs_find(struct logs *logs, uint64_t rank);

#endif
