/* Bytes that are written once, one after the other, and read again anywhere, kept in a temporary
 * file but for the last block of them. A tape that is shorter than a block never touches the disk.
 *
 * The file has no name any more as soon as it exists, so that nothing is left behind, however the
 * program ends. Every block has a checksum (XXH3), in memory: what a disk gives back is never
 * trusted. */
#ifndef CAIRN_SOLVER_TAPE_H
#define CAIRN_SOLVER_TAPE_H

#include "base/mem.h"

struct tape {
    struct mem *mem;
    uint32_t block_bytes;
    uint64_t bytes;      /* written so far */
    int file;            /* less than 0: none yet */
    char *last;          /* the block that is being filled */
    char *read;          /* a block that was read, and ... */
    uint64_t read_block; /* ... which that is; UINT64_MAX: none */
    uint64_t *checksums; /* of blocks in the file */
    uint64_t checksum_room;
    const char *error; /* what went wrong with the file; NULL: nothing, or memory was refused */
};

void tape_init(struct tape *tape, struct mem *mem, uint32_t block_bytes);
void tape_release(struct tape *tape);
/* Takes the memory that writing needs at once. False: it was refused. */
bool tape_reserve(struct tape *tape);
/* Forgets everything that was written. */
void tape_clear(struct tape *tape);
/* False: memory was refused, or tape->error says why. */
bool tape_append(struct tape *tape, const void *bytes, uint64_t size);
bool tape_read(struct tape *tape, uint64_t from, void *bytes, uint64_t size);
/* A whole block, or what there is of the last one, into `block`; changes nothing, so that several
 * threads may read at the same time. NULL: good; otherwise what went wrong. */
const char *tape_read_block(const struct tape *tape, uint64_t number, char *block);

#endif
