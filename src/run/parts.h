/* The work folder of a search that is split (run/split.h), on disk. It has
 *
 *   parts          the journal: a head that says whose search it is, a line per part (`part NUMBER
 *                  PARENT FIRST-RANK LAST-RANK BEGIN END`) and one per part that is done (`done
 *                  NUMBER`), each
 *                  with a checksum; appended and synced. It is locked while a run uses the folder
 *   NUMBER/        the folder of a part: what it finished (past/frozen.c), `rest/`: what it handed
 *                  on, `outcome`: what it found (run/outcome.h)
 *
 * An outcome is written whole, under another name, and then renamed; then come the lines of the
 * parts that it leaves, then `done`. So after a crash everything that the journal says is done is
 * there, parts that had begun are resumed from their own folders, and parts of one that is not done
 * do not count: it hands them on again. */
#ifndef CAIRN_RUN_PARTS_H
#define CAIRN_RUN_PARTS_H

#include "base/mem.h"

enum { NO_PART = 0xFFFFFFFF };

struct parts_line {  /* a part, as the journal has it */
    uint32_t parent; /* or NO_PART: the first one */
    uint64_t rank, last_rank;
    uint64_t begin, end; /* of a single cluster: these of its states, by their numbers, to before
                            `end`; end 0: all */
    bool is_done;
    uint64_t at, done_at; /* where the journal has it, and where it says that it is done */
};

struct parts {
    struct mem *mem;
    const char *folder;
    bool is_temporary;
    uint64_t hash[2]; /* of the model and of what is asked */
    int journal;      /* locked; -1: not open */
    uint64_t size;    /* of what counts in it */
    VEC(struct parts_line) lines;
    char error[320]; /* what went wrong */
};

/* The folder, or a temporary one when it is NULL, with its lock and its journal. Without `resume`
 * there must be no earlier search in it; with it, and `must` too, there must be one. False: error
 * says why. */
bool parts_open(struct parts *parts, struct mem *mem, const char *folder, const uint64_t hash[2],
                bool resume, bool must);
/* Whether the folder has a search with this hash. */
bool parts_are_of(const char *folder, const uint64_t hash[2]);
/* Everything begins again, as a search with this hash: one part, and nothing done. */
bool parts_begin_again(struct parts *parts, const uint64_t hash[2]);
/* Unlocks it; a temporary folder is removed. */
void parts_close(struct parts *parts);

/* A file of a part, or its folder (NULL). */
char *parts_name(const struct parts *parts, uint32_t part, const char *file);

/* Removes what is in the folder of a part, and the folder: what is in it was made by cairn; other
 * files stay. */
void parts_clear(const struct parts *parts, uint32_t part);

/* A new part (what it begins with), whose folder is empty; a part that is done. False: error says
 * why. */
bool parts_add(struct parts *parts, struct parts_line part);
bool parts_done(struct parts *parts, uint32_t part);
/* Something that this part has left cannot be read: it is not done, and neither is what was noted
 * after it. */
bool parts_distrust(struct parts *parts, uint32_t part);

#endif
