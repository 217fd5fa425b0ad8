/* Finished parts of a search, frozen in a folder of files by a thread of its own, and thawed again.
 * Knows nothing of models: a part has a rank, larger than those before, some records, a log (bytes)
 * and a summary (bytes).
 *
 * Files. Parts are written one after the other into blocks of about a megabyte, less where memory
 * is little; a block is compressed (zstd, level 1) and appended to a pack file, `pack-000000` and
 * so on, of at most PACK_BYTES. The file `journal` has a head that says whose run this is, and one
 * entry per block: where it is, its checksum (XXH3) and the summaries of the parts that end in it,
 * with a checksum of its own. A part that does not fit in the block at hand begins in a new one, so
 * what follows the last end of a part is a part that was never finished. Numbers are little-endian;
 * docs/past-freeze.md has the details.
 *
 * Durability. An entry is written after its block; both files are synced every few seconds and at
 * the end. After a crash of the program everything in the journal is there; after one of the
 * machine, checksums tell what is: reading never trusts anything else. Entries after a damaged one
 * do not count.
 *
 * Threads. The caller fills one block while the thread compresses and writes others; when all are
 * full the caller waits. All memory for writing is taken at the beginning, by the caller; that for
 * reading an earlier run, too, and it is given back by freezer_continue. What is read after that
 * takes memory again. */
#ifndef CAIRN_SOLVER_FREEZER_H
#define CAIRN_SOLVER_FREEZER_H

#include "base/mem.h"

struct freezer;

struct freezer_identity {
    uint64_t hash[2]; /* of the model and of what is asked */
    uint32_t record_bytes;
};

/* Why a folder cannot be opened, or a part of it not be read. */
enum freezer_fault { FREEZER_NO_MEMORY = 1, FREEZER_UNREADABLE };
struct freezer_refusal {
    enum freezer_fault fault;
    char text[640];
};

enum freezer_kind { FREEZER_RECORDS = 1, FREEZER_LOG = 2 };
enum { FREEZER_ITEM = 24 }; /* bytes that each piece of records or log takes, beside its own */

/* Opens a folder, which is made when it does not exist. resume: it may have an earlier run with
 * this identity, which is continued; otherwise it must be empty. NULL: *why says why not.
 * max_summary: no summary is longer. budget: so many bytes for what is being written are
 * enough, as far as that is possible; 0: as many as make it fast. */
struct freezer *freezer_open(struct mem *mem, const char *folder,
                             const struct freezer_identity *identity, bool resume,
                             uint64_t max_summary, uint64_t budget, struct freezer_refusal *why);
/* Opens a folder that has a run with this identity for reading alone: freezer_read and
 * freezer_summaries. Several may do so at the same time. */
struct freezer *freezer_open_to_read(struct mem *mem, const char *folder,
                                     const struct freezer_identity *identity,
                                     struct freezer_refusal *why);
/* The budget that suits a search: an eighth of the memory that is left, or less. */
static inline uint64_t freezer_share(const struct mem *mem)
{
    return !mem->limit ? 0 : mem->limit > mem->used ? (mem->limit - mem->used) / 8 + 1 : 1;
}
/* Whether a folder is there, with nothing in it that is not ours to touch. */
bool freezer_is_empty(const char *folder);
/* Removes the files of a run and its folder, when they are there. */
void freezer_clear(const char *folder);
/* Whether the folder has a run with this identity. */
bool freezer_is_of(const char *folder, const struct freezer_identity *identity);
/* Forgets the whole run: the folder is as if a run had just begun. After freezer_finish, before
 * freezer_close. */
bool freezer_forget(struct freezer *freezer);
/* Ends the thread, and frees everything. What was not written by freezer_finish is lost. */
void freezer_close(struct freezer *freezer);

/* Memory for the list of blocks of a part of so many bytes, which is put in pieces of many bytes.
 * False: it was refused, and nothing has changed. */
bool freezer_make_room(struct freezer *freezer, uint64_t bytes);
/* One part: begin, its records and its log in pieces, end. False: the folder cannot be written;
 * freezer_error says why. `bytes`: of all pieces together, at least, with FREEZER_ITEM for each. */
bool freezer_begin(struct freezer *freezer, uint64_t rank, uint64_t bytes);
bool freezer_put(struct freezer *freezer, enum freezer_kind kind, const void *bytes, uint64_t size);
bool freezer_end(struct freezer *freezer, const void *summary, uint64_t size);
/* Writes everything that was ended, and waits for it. Nothing can be frozen after that. */
bool freezer_finish(struct freezer *freezer);
const char *freezer_error(struct freezer *freezer);
uint64_t freezer_written(struct freezer *freezer); /* bytes in files, of this run */

/* Blocks of it; 0: there is no earlier run. */
uint32_t freezer_blocks(const struct freezer *freezer);
/* The parts of the earlier run, in the order of ranks; false from the callback ends it. False: so
 * did something else. */
bool freezer_summaries(struct freezer *freezer,
                       bool (*tell)(void *context, uint64_t rank, const unsigned char *summary,
                                    uint64_t size),
                       void *context);
/* Tells pieces of a part, in order, of the kind; for those that are written. False: they cannot be
 * read, and *why says why; `context` may have been told some. */
bool freezer_read(struct freezer *freezer, uint64_t rank, enum freezer_kind kind,
                  bool (*tell)(void *context, const unsigned char *bytes, uint64_t size),
                  void *context, const char **why);
/* Of the last freezer_read that could not. */
enum freezer_fault freezer_fault(const struct freezer *freezer);
/* Forgets the block that could not be read, and everything after it: before the first part is
 * frozen. */
void freezer_cut(struct freezer *freezer);
/* Ends the examination of the earlier run: what does not count is cut off from the files. False:
 * see freezer_error. */
bool freezer_continue(struct freezer *freezer);
/* Whether the list of blocks makes sense. Before and after something is written. */
bool freezer_check(const struct freezer *freezer);

#endif
