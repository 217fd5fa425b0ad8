/* Invariants: (1) `blocks` are in the order of files and of ranks; those from the journal first;
 * (2) the filling buffer is the caller's, buffers between `head` and `tail` are the thread's; under
 * the lock: head, tail, blocks, error, written, ended; (3) after an error the thread writes nothing
 * any more; (4) a block that the journal names ends no later than the pack. */
#define XXH_INLINE_ALL
#define ZSTD_STATIC_LINKING_ONLY
#include "solver/freezer.h"

#include "base/checked.h"
#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#ifdef CAIRN_DEGENERATE
enum {
    BLOCK_BYTES = 256,
    LEAST_BLOCK = 256,
    PACK_BYTES = 2048,
    BUFFERS = 2,
    MOST_SUMMARY = 1 << 24
};
#else
enum {
    BLOCK_BYTES = 1 << 20,
    LEAST_BLOCK = 1 << 13,
    PACK_BYTES = 64 << 20,
    BUFFERS = 6,
    MOST_SUMMARY = 1 << 28
};
#endif
enum {
    LEAST_BUFFERS = 2,
    SUMMARY_SHARE = 4
}; /* summaries take a quarter of the bytes of a block */
enum {
    VERSION = 1,
    ITEM_BYTES = FREEZER_ITEM,
    PATH_ROOM = 4096,
    ERROR_ROOM = 400,
    SYNC_BYTES = 64 << 20
};
static const double sync_seconds = 2;
#define HEAD_MAGIC UINT64_C(0x315A5246494E5243) /* "CRNIFRZ1" */
#define BLOCK_MAGIC UINT32_C(0x4B4C4243)        /* "CBLK" */

/* On disk, at the beginning of the journal. */
struct head {
    uint64_t magic, hash[2];
    uint32_t version, record_bytes;
    uint64_t checksum; /* of what is before it */
};

/* Where a block is, and what is in it. On disk in the journal (with the summaries after it) and
 * before the block itself. */
struct place {
    uint32_t magic, version;
    uint32_t pack, packed_bytes, raw_bytes, record_bytes;
    uint64_t offset; /* in the pack, of this head */
    uint64_t first_rank, last_rank;
    uint64_t records;       /* in this block */
    uint32_t ends;          /* parts that end in it, and ... */
    uint32_t summary_bytes; /* ... the size of their summaries */
    uint64_t payload;       /* checksum of the compressed bytes */
    uint64_t summaries;     /* checksum of the summaries */
    uint64_t checksum;      /* of what is before it */
};

struct buffer {
    unsigned char *raw, *summaries;
    struct place place;
};

struct freezer {
    struct mem *mem;
    char *folder;
    struct freezer_identity identity;
    int journal, pack;        /* files; -1: none */
    enum freezer_fault fault; /* of the last part that could not be read */
    uint32_t pack_number;
    uint64_t pack_size, journal_size;
    uint64_t
        block_bytes; /* at most in a block that is written; others may have written other ones */
    uint32_t buffer_count;
    uint64_t max_summary;  /* no summary is longer */
    uint64_t summary_room; /* of the first buffer, in which they are read, too */
    uint64_t rank;         /* of the part at hand */
    bool has_rank;         /* there is one, or was */
    struct buffer buffers[BUFFERS];
    struct buffer *filling;
    unsigned char *packed; /* the thread's: a head and a compressed block */
    size_t packed_room;
    void *compressor_memory, *decompressor_memory;
    ZSTD_CCtx *compressor;
    ZSTD_DCtx *decompressor;
    unsigned char *in,
        *out; /* for reading: compressed, not compressed; NULL: nothing is read now */
    uint64_t in_room, out_room;
    uint32_t loaded;             /* the block that is in `out`, or UINT32_MAX; ... */
    uint64_t item_at, item_rank; /* ... where its items of that rank begin */
    uint32_t bad;                /* the block that could not be read */
    struct place *blocks;
    uint32_t block_count, block_room;
    char error[ERROR_ROOM];
    char why[ERROR_ROOM];
    /* the thread */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t change;
    bool only_reads;
    bool has_thread, ended, failed, refused;
    uint32_t head, tail; /* full buffers: head .. tail - 1, modulo BUFFERS */
    uint64_t written, unsynced;
    double synced;
#ifdef CAIRN_TEST_HOOKS
    uint64_t writes, fail_at, kill_at;
    bool no_sync;
#endif
};

/* ---- files ---- */

static const char *path_of(const struct freezer *freezer, char path[PATH_ROOM], uint32_t pack)
{
    if (pack == UINT32_MAX) snprintf(path, PATH_ROOM, "%s/journal", freezer->folder);
    else snprintf(path, PATH_ROOM, "%s/pack-%06u", freezer->folder, pack);
    return path;
}

/* Says what failed, for people; returns false. */
static bool fail(struct freezer *freezer, const char *what, uint32_t pack, int reason)
{
    char path[PATH_ROOM];
    if (freezer->error[0]) return false;
    snprintf(freezer->error, ERROR_ROOM, "cannot %s %.300s: %s", what, path_of(freezer, path, pack),
             strerror(reason));
    return false;
}

static ssize_t write_some(struct freezer *freezer, int file, const void *bytes, size_t size,
                          uint64_t offset)
{
#ifdef CAIRN_TEST_HOOKS /* the n-th write is cut in half, and then the disk is full or the program \
                           is killed */
    uint64_t number = ++freezer->writes;
    if (number == freezer->fail_at || number == freezer->kill_at) {
        ssize_t half = pwrite(file, bytes, size / 2, (off_t)offset);
        if (number == freezer->kill_at) raise(SIGKILL);
        freezer->fail_at++; /* it stays full */
        return half > 0 ? half : (errno = ENOSPC, -1);
    }
    if (freezer->fail_at && number >= freezer->fail_at) return errno = ENOSPC, -1;
#else
    (void)freezer;
#endif
    return pwrite(file, bytes, size, (off_t)offset);
}

static bool write_all(struct freezer *freezer, int file, uint32_t pack, const void *bytes,
                      size_t size, uint64_t offset)
{
    const char *at = bytes;
    while (size) {
        ssize_t some = write_some(freezer, file, at, size, offset);
        if (some < 0 && errno == EINTR) continue;
        if (some <= 0) return fail(freezer, "write", pack, some ? errno : EIO);
        at += some;
        offset += (uint64_t)some;
        size -= (size_t)some;
    }
    return true;
}

static bool read_all(int file, void *bytes, size_t size, uint64_t offset)
{
    char *at = bytes;
    while (size) {
        ssize_t some = pread(file, at, size, (off_t)offset);
        if (some < 0 && errno == EINTR) continue;
        if (some <= 0) return false;
        at += some;
        offset += (uint64_t)some;
        size -= (size_t)some;
    }
    return true;
}

static bool sync_file(const struct freezer *freezer, int file)
{
#ifdef CAIRN_TEST_HOOKS
    if (freezer->no_sync) return true;
#else
    (void)freezer;
#endif
    return !fdatasync(file);
}

static void sync_folder(const struct freezer *freezer)
{
    int folder = open(freezer->folder, O_RDONLY | O_DIRECTORY);
    if (folder < 0) return;
    sync_file(freezer, folder);
    close(folder);
}

static bool sync_files(struct freezer *freezer)
{
    if (freezer->pack >= 0 && !sync_file(freezer, freezer->pack))
        return fail(freezer, "sync", freezer->pack_number, errno);
    if (!sync_file(freezer, freezer->journal)) return fail(freezer, "sync", UINT32_MAX, errno);
    freezer->unsynced = 0;
    freezer->synced = clock_now();
    return true;
}

/* The pack that the next block goes to. */
static bool open_pack(struct freezer *freezer, uint32_t number)
{
    char path[PATH_ROOM];
    if (freezer->pack >= 0) {
        if (!sync_file(freezer, freezer->pack))
            return fail(freezer, "sync", freezer->pack_number, errno);
        close(freezer->pack);
    }
    freezer->pack = open(path_of(freezer, path, number), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    freezer->pack_number = number;
    freezer->pack_size = 0;
    if (freezer->pack < 0) return fail(freezer, "open", number, errno);
    sync_folder(freezer);
    return true;
}

/* ---- the thread ---- */

static void seal(struct place *place)
{
    place->checksum = XXH3_64bits(place, offsetof(struct place, checksum));
}

static bool write_block(struct freezer *freezer, struct buffer *buffer)
{
    struct place *place = &buffer->place;
    size_t head = sizeof *place;
    assert(!freezer->only_reads && place->raw_bytes <= freezer->block_bytes);
    assert(place->summary_bytes <= freezer->summary_room && place->first_rank <= place->last_rank);
    if (freezer->pack < 0 || freezer->pack_size >= PACK_BYTES)
        if (!open_pack(freezer,
                       freezer->pack < 0 ? freezer->pack_number : freezer->pack_number + 1))
            return false;
    size_t size = ZSTD_compressCCtx(freezer->compressor, freezer->packed + head,
                                    freezer->packed_room - head, buffer->raw, place->raw_bytes, 1);
    if (ZSTD_isError(size))
        return fail(freezer, "compress a block of", freezer->pack_number, ENOMEM);
    place->pack = freezer->pack_number;
    place->offset = freezer->pack_size;
    place->packed_bytes = (uint32_t)size;
    place->payload = XXH3_64bits(freezer->packed + head, size);
    place->summaries = XXH3_64bits(buffer->summaries, place->summary_bytes);
    seal(place);
    memcpy(freezer->packed, place, head);
    if (!write_all(freezer, freezer->pack, freezer->pack_number, freezer->packed, head + size,
                   freezer->pack_size))
        return false;
    freezer->pack_size += head + size;
    memcpy(buffer->summaries - head, place, head); /* there is room before them */
    if (!write_all(freezer, freezer->journal, UINT32_MAX, buffer->summaries - head,
                   head + place->summary_bytes, freezer->journal_size))
        return false;
    freezer->journal_size += head + place->summary_bytes;
    freezer->unsynced += size;
    bool late = freezer->unsynced >= SYNC_BYTES || clock_now() - freezer->synced >= sync_seconds;
    return !late || sync_files(freezer);
}

static void *work(void *context)
{
    struct freezer *freezer = context;
    pthread_mutex_lock(&freezer->lock);
    for (;;) {
        while (freezer->head == freezer->tail && !freezer->ended)
            pthread_cond_wait(&freezer->change, &freezer->lock);
        if (freezer->head == freezer->tail) break;
        struct buffer *buffer = &freezer->buffers[freezer->head % freezer->buffer_count];
        bool failed = freezer->failed;
        pthread_mutex_unlock(&freezer->lock);
        failed = failed || !write_block(freezer, buffer);
        pthread_mutex_lock(&freezer->lock);
        freezer->failed = failed;
        if (!failed) {
            assert(freezer->block_count < freezer->block_room);
            assert(!freezer->block_count
                   || freezer->blocks[freezer->block_count - 1].last_rank
                          <= buffer->place.first_rank); /* (1) */
            freezer->blocks[freezer->block_count++] = buffer->place;
            freezer->written +=
                sizeof buffer->place * 2 + buffer->place.packed_bytes + buffer->place.summary_bytes;
        }
        freezer->head++;
        assert(freezer->tail - freezer->head < freezer->buffer_count); /* (2) */
        pthread_cond_broadcast(&freezer->change);
    }
    pthread_mutex_unlock(&freezer->lock);
    return NULL;
}

static bool start_thread(struct freezer *freezer)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old); /* signals are the main thread's */
    int failed = pthread_create(&freezer->thread, NULL, work, freezer);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    freezer->has_thread = !failed;
    return !failed || fail(freezer, "start a thread for", UINT32_MAX, failed);
}

static void end_thread(struct freezer *freezer)
{
    if (!freezer->has_thread) return;
    pthread_mutex_lock(&freezer->lock);
    freezer->ended = true;
    pthread_cond_broadcast(&freezer->change);
    pthread_mutex_unlock(&freezer->lock);
    pthread_join(freezer->thread, NULL);
    freezer->has_thread = false;
}

/* ---- freezing ---- */

static void empty_buffer(struct freezer *freezer)
{
    freezer->filling->place = (struct place){
        .magic = BLOCK_MAGIC, .version = VERSION, .record_bytes = freezer->identity.record_bytes};
}

/* Room for so many more blocks than are written and waiting; under the lock. */
static bool reserve_blocks(struct freezer *freezer, uint64_t more)
{
    uint64_t needed = freezer->block_count + BUFFERS + more,
             room = 2 * (uint64_t)freezer->block_room + 4 * BUFFERS;
    if (needed < freezer->block_room) return true;
    if (room < needed + 1) room = needed + 1;
    struct place *blocks =
        room < UINT32_MAX ? mem_try_resize(freezer->mem, freezer->blocks, room * sizeof *blocks)
                          : NULL;
    if (!blocks) return false;
    freezer->blocks = blocks;
    freezer->block_room = (uint32_t)room;
    return true;
}

bool freezer_make_room(struct freezer *freezer, uint64_t bytes)
{
    pthread_mutex_lock(&freezer->lock);
    bool good = reserve_blocks(freezer, bytes / (freezer->block_bytes / 2) + 3);
    pthread_mutex_unlock(&freezer->lock);
    return good;
}

/* Gives the filling buffer to the thread, and waits for another one. */
static bool submit(struct freezer *freezer)
{
    bool empty = !freezer->filling->place.raw_bytes && !freezer->filling->place.ends;
    pthread_mutex_lock(&freezer->lock);
    if (empty) {
        bool fine = !freezer->failed;
        pthread_mutex_unlock(&freezer->lock);
        return fine;
    }
    bool room = reserve_blocks(freezer, 0);
    freezer->refused |= !room;
    freezer->failed |= !room;
    freezer->tail++;
    pthread_cond_broadcast(&freezer->change);
    while (freezer->tail - freezer->head == freezer->buffer_count)
        pthread_cond_wait(&freezer->change, &freezer->lock);
    freezer->filling = &freezer->buffers[freezer->tail % freezer->buffer_count];
    bool good = !freezer->failed;
    pthread_mutex_unlock(&freezer->lock);
    empty_buffer(freezer);
    return good;
}

bool freezer_begin(struct freezer *freezer, uint64_t rank, uint64_t bytes)
{
    const struct place *place = &freezer->filling->place;
    assert(freezer->has_thread || freezer->failed);
    assert(rank > freezer->rank || !freezer->has_rank); /* ranks of parts ascend (1) */
    freezer->has_rank = true;
    freezer->rank = rank;
    bool fits = place->raw_bytes + bytes <= freezer->block_bytes
                && place->summary_bytes <= freezer->block_bytes / SUMMARY_SHARE;
    return fits || submit(freezer);
}

/* An item: kind, rank, size, bytes. */
bool freezer_put(struct freezer *freezer, enum freezer_kind kind, const void *bytes, uint64_t size)
{
    const unsigned char *at = bytes;
    while (size) {
        struct place *place = &freezer->filling->place;
        if (place->raw_bytes + ITEM_BYTES >= freezer->block_bytes) {
            if (!submit(freezer)) return false;
            continue;
        }
        uint64_t room = freezer->block_bytes - ITEM_BYTES - place->raw_bytes,
                 some = size < room ? size : room;
        uint64_t item[3] = {kind, freezer->rank, some};
        assert(some && place->raw_bytes + ITEM_BYTES + some <= freezer->block_bytes);
        if (!place->raw_bytes) place->first_rank = freezer->rank;
        place->last_rank = freezer->rank;
        memcpy(freezer->filling->raw + place->raw_bytes, item, ITEM_BYTES);
        memcpy(freezer->filling->raw + place->raw_bytes + ITEM_BYTES, at, some);
        place->raw_bytes += ITEM_BYTES + (uint32_t)some;
        if (kind == FREEZER_RECORDS && freezer->identity.record_bytes)
            place->records += some / freezer->identity.record_bytes;
        at += some;
        size -= some;
    }
    return true;
}

bool freezer_end(struct freezer *freezer, const void *summary, uint64_t size)
{
    struct place *place = &freezer->filling->place;
    unsigned char *at = freezer->filling->summaries + place->summary_bytes;
    uint64_t head[2] = {freezer->rank, size};
    assert(size <= freezer->max_summary);
    assert(place->summary_bytes + sizeof head + size <= freezer->summary_room);
    if (!place->raw_bytes) place->first_rank = freezer->rank;
    place->last_rank = freezer->rank;
    memcpy(at, head, sizeof head);
    memcpy(at + sizeof head, summary, size);
    place->summary_bytes += (uint32_t)(sizeof head + size);
    place->ends++;
    return true;
}

bool freezer_finish(struct freezer *freezer)
{
    bool good = submit(freezer);
    end_thread(freezer);
    assert(freezer->head == freezer->tail); /* nothing waits any more */
    CHECKED(freezer_check(freezer));
    good = good && !freezer->failed;
    return good && sync_files(freezer);
}

const char *freezer_error(struct freezer *freezer)
{
    return freezer->refused ? "there is no memory for the list of blocks" : freezer->error;
}

uint64_t freezer_written(struct freezer *freezer)
{
    pthread_mutex_lock(&freezer->lock);
    uint64_t written = freezer->written;
    pthread_mutex_unlock(&freezer->lock);
    return written;
}

/* ---- reading ---- */

static bool is_sealed(const struct place *place)
{
    return place->magic == BLOCK_MAGIC && place->version == VERSION
           && place->checksum == XXH3_64bits(place, offsetof(struct place, checksum));
}

static const char no_memory[] = "cannot be used: memory was refused";

static void free_reading(struct freezer *freezer)
{
    mem_free(freezer->mem, freezer->in);
    mem_free(freezer->mem, freezer->out);
    mem_free(freezer->mem, freezer->decompressor_memory);
    freezer->in = freezer->out = NULL;
    freezer->decompressor_memory = NULL;
    freezer->in_room = freezer->out_room = 0;
    freezer->loaded = UINT32_MAX;
}

/* Memory for reading any of the blocks. False: it was refused. */
static bool take_reading(struct freezer *freezer)
{
    size_t decompressor = ZSTD_estimateDCtxSize();
    uint64_t packed = 1, raw = 1;
    for (uint32_t i = 0; i < freezer->block_count; i++) {
        if (freezer->blocks[i].packed_bytes > packed) packed = freezer->blocks[i].packed_bytes;
        if (freezer->blocks[i].raw_bytes > raw) raw = freezer->blocks[i].raw_bytes;
    }
    if (freezer->in && packed <= freezer->in_room && raw <= freezer->out_room) return true;
    free_reading(freezer);
    freezer->in = mem_try_alloc(freezer->mem, packed);
    freezer->out = mem_try_alloc(freezer->mem, raw);
    freezer->decompressor_memory = mem_try_alloc(freezer->mem, decompressor);
    if (freezer->decompressor_memory)
        freezer->decompressor = ZSTD_initStaticDCtx(freezer->decompressor_memory, decompressor);
    freezer->in_room = packed;
    freezer->out_room = raw;
    if (freezer->in && freezer->out && freezer->decompressor_memory && freezer->decompressor)
        return true;
    free_reading(freezer);
    return false;
}

/* Why a block cannot be used, or NULL; it is in freezer->out then. */
static const char *load_block(struct freezer *freezer, uint32_t number)
{
    char path[PATH_ROOM];
    const struct place *place = &freezer->blocks[number];
    struct place head;
    assert(number < freezer->block_count);
    if (freezer->loaded == number) return NULL;
    freezer->loaded = UINT32_MAX;
    bool has_room = freezer->in && place->packed_bytes <= freezer->in_room
                    && place->raw_bytes <= freezer->out_room;
    if (!has_room && !take_reading(freezer))
        return no_memory; /* larger ones may have been written since */
    int file = open(path_of(freezer, path, place->pack), O_RDONLY | O_CLOEXEC);
    if (file < 0) return "is missing";
    bool there = read_all(file, &head, sizeof head, place->offset)
                 && read_all(file, freezer->in, place->packed_bytes, place->offset + sizeof head);
    close(file);
    if (!there) return "is cut off";
    if (!is_sealed(&head) || memcmp(&head, place, sizeof head)
        || XXH3_64bits(freezer->in, place->packed_bytes) != place->payload)
        return "is damaged (wrong checksum)";
    size_t size = ZSTD_decompressDCtx(freezer->decompressor, freezer->out, freezer->out_room,
                                      freezer->in, place->packed_bytes);
    if (ZSTD_isError(size) || size != place->raw_bytes)
        return "is damaged (it cannot be decompressed)";
    freezer->loaded = number;
    freezer->item_at = freezer->item_rank = 0;
    return NULL;
}

/* Items ascend by rank. Whoever reads part after part goes on where he was. */
static bool tell_items(struct freezer *freezer, const struct place *place, uint64_t rank,
                       enum freezer_kind kind,
                       bool (*tell)(void *context, const unsigned char *bytes, uint64_t size),
                       void *context, bool *good)
{
    uint64_t at = freezer->item_rank < rank ? freezer->item_at : 0;
    while (at + ITEM_BYTES <= place->raw_bytes) {
        uint64_t item[3];
        memcpy(item, freezer->out + at, ITEM_BYTES);
        if (item[1] > rank) break;
        if (item[1] > freezer->item_rank || !at) {
            freezer->item_rank = item[1];
            freezer->item_at = at;
        }
        at += ITEM_BYTES;
        if (item[2] > place->raw_bytes - at) {
            *good = false;
            return false;
        }
        if (item[1] == rank && item[0] == kind && !tell(context, freezer->out + at, item[2]))
            return false;
        at += item[2];
    }
    return true;
}

bool freezer_read(struct freezer *freezer, uint64_t rank, enum freezer_kind kind,
                  bool (*tell)(void *context, const unsigned char *bytes, uint64_t size),
                  void *context, const char **why)
{
    uint32_t low = 0, high = freezer->block_count;
    while (low < high) { /* the first block that does not end before it */
        uint32_t middle = low + (high - low) / 2;
        if (freezer->blocks[middle].last_rank < rank) low = middle + 1;
        else high = middle;
    }
    for (; low < freezer->block_count && freezer->blocks[low].first_rank <= rank; low++) {
        const struct place *place = &freezer->blocks[low];
        char path[PATH_ROOM];
        bool good = true;
        const char *fault = load_block(freezer, low);
        if (!fault && !tell_items(freezer, place, rank, kind, tell, context, &good) && good)
            return false;
        if (!good) fault = "is damaged (its items do not fit)";
        if (!fault) continue;
        freezer->bad = low;
        freezer->fault = fault == no_memory ? FREEZER_NO_MEMORY : FREEZER_UNREADABLE;
        snprintf(freezer->why, ERROR_ROOM, "%.300s %s", path_of(freezer, path, place->pack), fault);
        *why = freezer->why;
        return false;
    }
    return true;
}

enum freezer_fault freezer_fault(const struct freezer *freezer) { return freezer->fault; }

/* ---- an earlier run ---- */

uint32_t freezer_blocks(const struct freezer *freezer) { return freezer->block_count; }

bool freezer_summaries(struct freezer *freezer,
                       bool (*tell)(void *context, uint64_t rank, const unsigned char *summary,
                                    uint64_t size),
                       void *context)
{
    uint64_t offset = sizeof(struct head);
    unsigned char *bytes = freezer->buffers[0].summaries;
    for (uint32_t i = 0; i < freezer->block_count; i++) {
        const struct place *place = &freezer->blocks[i];
        if (!read_all(freezer->journal, bytes, place->summary_bytes, offset + sizeof *place))
            return false;
        offset += sizeof *place + place->summary_bytes;
        for (uint64_t at = 0; at + 16 <= place->summary_bytes;) {
            uint64_t head[2];
            memcpy(head, bytes + at, sizeof head);
            at += sizeof head;
            if (head[1] > place->summary_bytes - at || !tell(context, head[0], bytes + at, head[1]))
                return false;
            at += head[1];
        }
    }
    return true;
}

/* Summaries of this size can be read: they may be of a run that had more memory. False: memory was
 * refused. */
static bool make_room(struct freezer *freezer, uint64_t bytes)
{
    unsigned char *summaries = freezer->buffers[0].summaries;
    if (summaries && bytes <= freezer->summary_room) return true;
    unsigned char *room =
        mem_try_resize(freezer->mem, summaries ? summaries - sizeof(struct place) : NULL,
                       sizeof(struct place) + bytes);
    if (!room) return false;
    freezer->buffers[0].summaries = room + sizeof(struct place);
    freezer->summary_room = bytes;
    return true;
}

/* Whether the entry makes sense, as far as it says itself. */
static bool is_plausible(const struct freezer *freezer, const struct place *place)
{
    bool follows = !freezer->block_count
                   || freezer->blocks[freezer->block_count - 1].last_rank <= place->first_rank;
    return is_sealed(place) && follows && place->first_rank <= place->last_rank
           && place->summary_bytes <= MOST_SUMMARY && place->raw_bytes <= BLOCK_BYTES
           && place->packed_bytes <= ZSTD_compressBound(BLOCK_BYTES);
}

/* Reads the entries of the journal up to the first one that is not whole. False: memory was
 * refused; that is not the end of the journal. */
static bool read_entries(struct freezer *freezer)
{
    uint64_t offset = sizeof(struct head);
    struct place place;
    while (read_all(freezer->journal, &place, sizeof place, offset)
           && is_plausible(freezer, &place)) {
        if (!make_room(freezer, place.summary_bytes)) return false;
        if (!read_all(freezer->journal, freezer->buffers[0].summaries, place.summary_bytes,
                      offset + sizeof place))
            break;
        if (XXH3_64bits(freezer->buffers[0].summaries, place.summary_bytes) != place.summaries)
            break;
        if (freezer->block_count == freezer->block_room) {
            uint32_t room = 2 * freezer->block_room + 4 * BUFFERS;
            struct place *blocks =
                mem_try_resize(freezer->mem, freezer->blocks, room * sizeof *blocks);
            if (!blocks) return false;
            freezer->blocks = blocks;
            freezer->block_room = room;
        }
        freezer->blocks[freezer->block_count++] = place;
        offset += sizeof place + place.summary_bytes;
    }
    return true;
}

/* Without the part that was not finished. */
static void drop_open_part(struct freezer *freezer)
{
    while (freezer->block_count && !freezer->blocks[freezer->block_count - 1].ends)
        freezer->block_count--;
}

void freezer_cut(struct freezer *freezer)
{
    assert(!freezer->has_thread && freezer->bad <= freezer->block_count);
    freezer->block_count = freezer->bad;
    freezer->bad = 0; /* nothing is known of what makes no sense though it can be read */
    freezer->loaded = UINT32_MAX;
    drop_open_part(freezer);
}

/* (1) and (4), as far as the list tells. */
bool freezer_check(const struct freezer *freezer)
{
    for (uint32_t i = 0; i < freezer->block_count; i++) {
        const struct place *place = &freezer->blocks[i], *last = i ? place - 1 : NULL;
        if (place->first_rank > place->last_rank) return false;
        if (last && (last->last_rank > place->first_rank || last->pack > place->pack)) return false;
        if (last && last->pack == place->pack
            && last->offset + sizeof *last + last->packed_bytes > place->offset)
            return false;
    }
    return true;
}

bool freezer_continue(struct freezer *freezer)
{
    assert(!freezer->only_reads && !freezer->has_thread);
    CHECKED(freezer_check(freezer));
    char path[PATH_ROOM];
    freezer->journal_size = sizeof(struct head);
    for (uint32_t i = 0; i < freezer->block_count; i++)
        freezer->journal_size += sizeof(struct place) + freezer->blocks[i].summary_bytes;
    if (ftruncate(freezer->journal, (off_t)freezer->journal_size))
        return fail(freezer, "cut", UINT32_MAX, errno);
    if (!sync_file(freezer, freezer->journal)) return fail(freezer, "sync", UINT32_MAX, errno);
    const struct place *last =
        freezer->block_count ? &freezer->blocks[freezer->block_count - 1] : NULL;
    uint32_t pack = last ? last->pack : 0;
    if (!open_pack(freezer, pack)) return false;
    freezer->pack_size = last ? last->offset + sizeof *last + last->packed_bytes : 0;
    if (ftruncate(freezer->pack, (off_t)freezer->pack_size))
        return fail(freezer, "cut", pack, errno);
    while (!unlink(path_of(freezer, path, ++pack))) continue;
    free_reading(freezer); /* until a way back is asked for */
    freezer->synced = clock_now();
    return start_thread(freezer);
}

/* ---- opening and closing ---- */

static bool take_summaries(struct freezer *freezer, struct buffer *buffer, uint64_t room)
{
    unsigned char *summaries = mem_try_alloc(freezer->mem, sizeof(struct place) + room);
    if (summaries) buffer->summaries = summaries + sizeof(struct place);
    return summaries;
}

/* Of blocks of so many bytes or fewer: what suits small ones may need more than what suits large
 * ones. */
static size_t compressor_bytes(uint64_t block)
{
    size_t most = 0;
    if (block >= BLOCK_BYTES) return ZSTD_estimateCCtxSize(1);
    for (uint64_t size = LEAST_BLOCK; size <= block; size *= 2) {
        size_t bytes = ZSTD_estimateCCtxSize_usingCParams(ZSTD_getCParams(1, size, 0));
        if (bytes > most) most = bytes;
    }
    return most;
}

static uint64_t summary_bytes(uint64_t block, uint64_t max_summary)
{
    return block / SUMMARY_SHARE + max_summary + 2 * sizeof(uint64_t);
}

/* As large as the budget allows: large blocks are compressed better, and the thread has more to
 * do. */
static void choose_sizes(struct freezer *freezer, uint64_t max_summary, uint64_t budget)
{
    uint64_t block = BLOCK_BYTES, count = BUFFERS;
    for (;; block /= 2) {
        uint64_t once = compressor_bytes(block) + ZSTD_compressBound(block) + sizeof(struct place),
                 each = block + summary_bytes(block, max_summary) + sizeof(struct place);
        while (budget && count > LEAST_BUFFERS && once + count * each > budget) count--;
        if (!budget || once + count * each <= budget || block <= LEAST_BLOCK) break;
    }
    freezer->block_bytes = block;
    freezer->buffer_count = (uint32_t)count;
}

static bool take_memory(struct freezer *freezer, uint64_t max_summary, uint64_t budget)
{
    struct mem *mem = freezer->mem;
    choose_sizes(freezer, max_summary, budget);
    freezer->max_summary = max_summary;
    size_t compressor = compressor_bytes(freezer->block_bytes);
    freezer->summary_room = summary_bytes(freezer->block_bytes, max_summary);
    freezer->packed_room = sizeof(struct place) + ZSTD_compressBound(freezer->block_bytes);
    freezer->packed = mem_try_alloc(mem, freezer->packed_room);
    freezer->compressor_memory = mem_try_alloc(mem, compressor);
    bool good = freezer->packed && freezer->compressor_memory;
    for (unsigned i = 0; good && i < freezer->buffer_count; i++) {
        freezer->buffers[i].raw = mem_try_alloc(mem, freezer->block_bytes);
        good = freezer->buffers[i].raw
               && take_summaries(freezer, &freezer->buffers[i], freezer->summary_room);
    }
    if (!good) return false;
    freezer->compressor = ZSTD_initStaticCCtx(freezer->compressor_memory, compressor);
    return freezer->compressor;
}

bool freezer_is_empty(const char *folder)
{
    DIR *list = opendir(folder);
    const struct dirent *entry;
    bool empty = list != NULL;
    while (list && (entry = readdir(list)))
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) empty = false;
    if (list) closedir(list);
    return empty;
}

static bool write_head(struct freezer *freezer)
{
    struct head head = {HEAD_MAGIC,
                        {freezer->identity.hash[0], freezer->identity.hash[1]},
                        VERSION,
                        freezer->identity.record_bytes,
                        0};
    head.checksum = XXH3_64bits(&head, offsetof(struct head, checksum));
    if (!write_all(freezer, freezer->journal, UINT32_MAX, &head, sizeof head, 0)) return false;
    if (!sync_file(freezer, freezer->journal)) return fail(freezer, "sync", UINT32_MAX, errno);
    sync_folder(freezer);
    return true;
}

/* Why this journal cannot be continued, or NULL. One that ends before its head does is that of a
 * run that had just begun. */
static const char *read_head(struct freezer *freezer, bool *is_new)
{
    struct head head;
    struct stat status;
    *is_new = !fstat(freezer->journal, &status) && (uint64_t)status.st_size < sizeof head;
    if (*is_new) return NULL;
    if (!read_all(freezer->journal, &head, sizeof head, 0)) return "cannot be read";
    if (head.magic != HEAD_MAGIC
        || head.checksum != XXH3_64bits(&head, offsetof(struct head, checksum)))
        return "has a damaged journal";
    if (head.version != VERSION) return "was written by another version";
    bool same = head.hash[0] == freezer->identity.hash[0]
                && head.hash[1] == freezer->identity.hash[1]
                && head.record_bytes == freezer->identity.record_bytes;
    return same ? NULL : "has a run of another model, or one that asked something else";
}

/* What is wrong with the folder, or NULL. */
static const char *open_folder(struct freezer *freezer, bool resume, bool *is_new)
{
    char path[PATH_ROOM];
    if (mkdir(freezer->folder, 0777) && errno != EEXIST) return strerror(errno);
    bool empty = freezer_is_empty(freezer->folder);
    path_of(freezer, path, UINT32_MAX);
    if (!empty && access(path, F_OK)) return "is not empty, and has no run that was frozen";
    if (!empty && !resume)
        return "has an earlier run: --resume continues it; to begin again, remove the folder";
    freezer->journal = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (freezer->journal < 0) return strerror(errno);
    if (flock(freezer->journal, LOCK_EX | LOCK_NB)) return "is being used by another run";
    return read_head(freezer, is_new);
}

void freezer_clear(const char *folder)
{
    DIR *list = opendir(folder);
    const struct dirent *entry;
    if (!list) return;
    while ((entry = readdir(list)))
        if (!strcmp(entry->d_name, "journal") || !strncmp(entry->d_name, "pack-", 5))
            unlinkat(dirfd(list), entry->d_name, 0);
    closedir(list);
    rmdir(folder);
}

bool freezer_is_of(const char *folder, const struct freezer_identity *identity)
{
    struct freezer freezer = {.folder = (char *)folder, .identity = *identity};
    char path[PATH_ROOM];
    bool is_new = false;
    freezer.journal = open(path_of(&freezer, path, UINT32_MAX), O_RDONLY | O_CLOEXEC);
    bool same = freezer.journal >= 0 && !read_head(&freezer, &is_new) && !is_new;
    if (freezer.journal >= 0) close(freezer.journal);
    return same;
}

bool freezer_forget(struct freezer *freezer)
{
    return (!ftruncate(freezer->journal, 0) && sync_file(freezer, freezer->journal))
           || fail(freezer, "cut", UINT32_MAX, errno);
}

static void refuse(struct freezer_refusal *why, const char *folder, const char *fault)
{
    why->fault = fault == no_memory ? FREEZER_NO_MEMORY : FREEZER_UNREADABLE;
    snprintf(why->text, sizeof why->text, "the folder '%.200s' %s", folder, fault);
}

/* NULL: memory was refused. */
static struct freezer *new_freezer(struct mem *mem, const char *folder,
                                   const struct freezer_identity *identity,
                                   struct freezer_refusal *why)
{
    struct freezer *freezer = mem_try_alloc(mem, sizeof *freezer);
    char *name = freezer ? mem_try_alloc(mem, strlen(folder) + 1) : NULL;
    if (!name) {
        refuse(why, folder, no_memory);
        mem_free(mem, freezer);
        return NULL;
    }
    freezer->mem = mem;
    freezer->folder = name;
    memcpy(freezer->folder, folder, strlen(folder));
    freezer->identity = *identity;
    freezer->journal = freezer->pack = -1;
    freezer->loaded = UINT32_MAX;
    pthread_mutex_init(&freezer->lock, NULL);
    pthread_cond_init(&freezer->change, NULL);
    return freezer;
}

/* What is wrong with the folder, or NULL. */
static const char *open_to_read(struct freezer *freezer)
{
    char path[PATH_ROOM];
    bool is_new;
    freezer->journal = open(path_of(freezer, path, UINT32_MAX), O_RDONLY | O_CLOEXEC);
    if (freezer->journal < 0) return strerror(errno);
    const char *fault = read_head(freezer, &is_new);
    return fault                                            ? fault
           : is_new                                         ? "has a run that had just begun"
           : read_entries(freezer) && take_reading(freezer) ? NULL
                                                            : no_memory;
}

struct freezer *freezer_open_to_read(struct mem *mem, const char *folder,
                                     const struct freezer_identity *identity,
                                     struct freezer_refusal *why)
{
    struct freezer *freezer = new_freezer(mem, folder, identity, why);
    const char *fault = NULL;
    if (!freezer) return NULL;
    freezer->only_reads = true;
    if (strlen(folder) + 32 > PATH_ROOM) fault = "has too long a name";
    else fault = open_to_read(freezer);
    if (fault) {
        refuse(why, folder, fault);
        freezer_close(freezer);
        return NULL;
    }
    drop_open_part(freezer);
    return freezer;
}

struct freezer *freezer_open(struct mem *mem, const char *folder,
                             const struct freezer_identity *identity, bool resume,
                             uint64_t max_summary, uint64_t budget, struct freezer_refusal *why)
{
    struct freezer *freezer = new_freezer(mem, folder, identity, why);
    const char *fault = NULL;
    bool is_new = true;
    if (!freezer) return NULL;
#ifdef CAIRN_TEST_HOOKS
    if (getenv("CAIRN_FAIL_WRITE"))
        freezer->fail_at = strtoull(getenv("CAIRN_FAIL_WRITE"), NULL, 10);
    freezer->no_sync = getenv("CAIRN_NO_SYNC");
    if (getenv("CAIRN_KILL_WRITE"))
        freezer->kill_at = strtoull(getenv("CAIRN_KILL_WRITE"), NULL, 10);
#endif
    if (strlen(folder) + 32 > PATH_ROOM) fault = "has too long a name";
    else if (!take_memory(freezer, max_summary, budget)) fault = no_memory;
    else fault = open_folder(freezer, resume, &is_new);
    if (!fault && is_new && !write_head(freezer)) fault = freezer->error;
    if (!fault && !is_new && (!read_entries(freezer) || !take_reading(freezer))) fault = no_memory;
    if (fault) {
        refuse(why, folder, fault);
        freezer_close(freezer);
        return NULL;
    }
    drop_open_part(freezer);
    freezer->filling = &freezer->buffers[0];
    empty_buffer(freezer);
    return freezer;
}

void freezer_close(struct freezer *freezer)
{
    struct mem *mem = freezer->mem;
    end_thread(freezer);
    if (freezer->pack >= 0) close(freezer->pack);
    if (freezer->journal >= 0) close(freezer->journal);
    pthread_cond_destroy(&freezer->change);
    pthread_mutex_destroy(&freezer->lock);
    for (unsigned i = 0; i < BUFFERS; i++) {
        mem_free(mem, freezer->buffers[i].raw);
        if (freezer->buffers[i].summaries)
            mem_free(mem, freezer->buffers[i].summaries - sizeof(struct place));
    }
    mem_free(mem, freezer->packed);
    free_reading(freezer);
    mem_free(mem, freezer->compressor_memory);
    mem_free(mem, freezer->blocks);
    mem_free(mem, freezer->folder);
    mem_free(mem, freezer);
}
