/* Invariants: (1) blocks before bytes / block_bytes are in the file, the rest of the bytes is in
 * `last`; (2) read_block is a block of the file. */
#define XXH_INLINE_ALL
#include "solver/tape.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { NAME_ROOM = 4096 };
#define NO_BLOCK UINT64_MAX

void tape_init(struct tape *tape, struct mem *mem, uint32_t block_bytes)
{
    *tape = (struct tape){.mem = mem,
                          .block_bytes = block_bytes ? block_bytes : 1,
                          .file = -1,
                          .read_block = NO_BLOCK};
}

void tape_release(struct tape *tape)
{
    if (!tape->mem) return;
    if (tape->file >= 0) close(tape->file);
    mem_free(tape->mem, tape->last);
    mem_free(tape->mem, tape->read);
    mem_free(tape->mem, tape->checksums);
    tape_init(tape, tape->mem, tape->block_bytes);
}

void tape_clear(struct tape *tape)
{
    if (tape->file >= 0 && ftruncate(tape->file, 0)) tape->error = strerror(errno);
    tape->bytes = 0;
    tape->read_block = NO_BLOCK;
}

static bool fails(struct tape *tape)
{
    tape->error = strerror(errno);
    return false;
}

static bool open_file(struct tape *tape)
{
    char name[NAME_ROOM];
    const char *where = getenv("TMPDIR");
    if (tape->file >= 0) return true;
    if ((size_t)snprintf(name, sizeof name,
                         "%s/cairn-XX"
                         "XX"
                         "XX",
                         where && where[0] ? where : "/tmp")
        >= sizeof name)
        return errno = ENAMETOOLONG, fails(tape);
    tape->file = mkostemp(name, O_CLOEXEC);
    if (tape->file < 0) return fails(tape);
    unlink(name);
    return true;
}

/* False: errno says why. */
static bool transfer(const struct tape *tape, char *bytes, uint64_t from, uint64_t size,
                     bool writes)
{
    for (uint64_t done = 0; done < size;) {
        off_t at = (off_t)(from + done);
        ssize_t some = writes ? pwrite(tape->file, bytes + done, (size_t)(size - done), at)
                              : pread(tape->file, bytes + done, (size_t)(size - done), at);
        if (some < 0 && errno == EINTR) continue;
        if (!some) errno = EIO;
        if (some <= 0) return false;
        done += (uint64_t)some;
    }
    return true;
}

/* The last block is full. */
static bool write_block(struct tape *tape)
{
    uint64_t number = tape->bytes / tape->block_bytes - 1;
    assert(tape->bytes && tape->bytes % tape->block_bytes == 0); /* (1) */
    if (number >= tape->checksum_room) {
        uint64_t room = 2 * tape->checksum_room + 16;
        uint64_t *checksums = mem_try_resize(tape->mem, tape->checksums, room * sizeof *checksums);
        if (!checksums) return false;
        tape->checksums = checksums;
        tape->checksum_room = room;
    }
    tape->checksums[number] = XXH3_64bits(tape->last, tape->block_bytes);
    return open_file(tape)
           && (transfer(tape, tape->last, number * tape->block_bytes, tape->block_bytes, true)
               || fails(tape));
}

bool tape_reserve(struct tape *tape)
{
    if (!tape->last) tape->last = mem_try_alloc(tape->mem, tape->block_bytes);
    return tape->last != NULL;
}

bool tape_append(struct tape *tape, const void *bytes, uint64_t size)
{
    if (!tape_reserve(tape)) return false;
    for (const char *at = bytes; size;) {
        uint64_t within = tape->bytes % tape->block_bytes, some = tape->block_bytes - within;
        if (some > size) some = size;
        memcpy(tape->last + within, at, some);
        tape->bytes += some;
        at += some;
        size -= some;
        if (within + some < tape->block_bytes || write_block(tape)) continue;
        tape->bytes -= some; /* it did not happen */
        return false;
    }
    return true;
}

const char *tape_read_block(const struct tape *tape, uint64_t number, char *block)
{
    assert(number <= tape->bytes / tape->block_bytes);
    if (number == tape->bytes / tape->block_bytes) {
        memcpy(block, tape->last, tape->bytes % tape->block_bytes);
        return NULL;
    }
    if (!transfer(tape, block, number * tape->block_bytes, tape->block_bytes, false))
        return strerror(errno);
    return XXH3_64bits(block, tape->block_bytes) == tape->checksums[number]
               ? NULL
               : "a temporary file does not have what was written to it";
}

bool tape_read(struct tape *tape, uint64_t from, void *bytes, uint64_t size)
{
    assert(from + size <= tape->bytes);
    for (char *to = bytes; size;) {
        uint64_t number = from / tape->block_bytes, within = from % tape->block_bytes,
                 some = tape->block_bytes - within;
        const char *block = tape->last;
        if (some > size) some = size;
        if (number < tape->bytes / tape->block_bytes) {
            if (!tape->read) tape->read = mem_try_alloc(tape->mem, tape->block_bytes);
            if (!tape->read) return false;
            if (tape->read_block != number) {
                tape->read_block = NO_BLOCK;
                const char *why = tape_read_block(tape, number, tape->read);
                if (why) {
                    tape->error = why;
                    return false;
                }
                tape->read_block = number;
            }
            block = tape->read;
        }
        assert(block == tape->last || tape->read_block == number); /* (2) */
        memcpy(to, block + within, some);
        to += some;
        from += some;
        size -= some;
    }
    return true;
}
