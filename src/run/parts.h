/* The work folder of a search that is split (run/split.h), on disk, which several processes may
 * share. It has
 *
 *   parts          whose search it is: a line with a checksum
 *   NUMBER/        the folder of a part. The first one is always there; whoever makes a part makes
 *                  its folder, and so has its number alone
 *   NUMBER/try.*, left.*, kept.*   attempts at it (run/attempt.h): what was finished
 *                  (past/frozen.c), `rest/`: what was handed on, `outcome`: what was found
 *                  (run/outcome.h)
 *   NUMBER/done    it is done: by which attempt, and the parts that it leaves, a line for each
 *                  (`part NUMBER PARENT FIRST-RANK LAST-RANK BEGIN END`), with a checksum. It is
 *                  made once: that makes all of this known at the same time
 *   claims/        who does what (run/claims.h)
 *   again/         the same, when everything has begun again with other zones
 *
 * A part counts when the first one leads to it through parts that are done. So after a crash
 * everything that is done is there, and folders of parts that nobody speaks of do not count.
 * Attempts are durable before `done` is. */
#ifndef CAIRN_RUN_PARTS_H
#define CAIRN_RUN_PARTS_H

#include "run/claims.h"

enum { NO_PART = 0xFFFFFFFF };

struct parts_line {  /* a part */
    bool is_known;   /* it counts */
    uint32_t parent; /* in whose rest it begins; NO_PART: the first one */
    uint32_t maker;  /* who left it: its parent, or what was divided */
    uint64_t rank, last_rank;
    uint64_t begin, end; /* of a single cluster: these of its states, by their numbers, to before
                            `end`; end 0: all */
    bool is_done;
    char *attempt; /* that did it */
};

struct parts_new {
    uint32_t number;
    struct parts_line line;
};

struct parts {
    struct mem *mem;
    const char *folder, *top; /* the latter without `again` */
    const char *stop;         /* the file that ends all work */
    bool is_temporary, is_again;
    double patience;
    uint64_t hash[2]; /* of the model and of what is asked */
    struct claims claims;
    VEC(struct parts_line) lines; /* by number; not all need be known */
    VEC(struct parts_new) new;    /* made, and not told yet */
    uint32_t lowest;              /* of the parts that were read last */
    char error[320];              /* what went wrong */
};

struct parts_plan {
    const char *folder; /* NULL: a temporary one */
    const char *stop;   /* NULL: that of the folder */
    double patience;
    bool resume; /* there may be an earlier search in it, ... */
    bool must;   /* ... and there must be one */
    bool looks;  /* nothing is written, and there must be one */
};

/* The folder. False: error says why. */
bool parts_open(struct parts *parts, struct mem *mem, const struct parts_plan *plan,
                const uint64_t hash[2]);
/* Whether the search in the folder has begun again. */
bool parts_are_again(const char *folder);
/* Everything begins again, as a search with this hash: one part, and nothing done. */
bool parts_begin_again(struct parts *parts, const uint64_t hash[2], bool looks);
/* A temporary folder is removed. */
void parts_close(struct parts *parts);
/* The same without memory, after that was refused. */
void parts_abandon(struct parts *parts);

/* What others have done since. True: there is something new. */
bool parts_refresh(struct parts *parts);

/* A file of a part, or its folder (NULL); one of the attempt that did it. */
char *parts_name(const struct parts *parts, uint32_t part, const char *file);
char *parts_kept(const struct parts *parts, uint32_t part, const char *file);
/* The folder of claims, and what a part is called there. */
char *parts_claims(const struct parts *parts);
const char *parts_claim(uint32_t part, char name[16]);

/* A new part (what it begins with), for parts_finish to tell. False: error says why. */
bool parts_add(struct parts *parts, struct parts_line part);
/* It is done, by this attempt, and leaves what was added. FILES_TAKEN: somebody else has done it,
 * and what that one left counts. */
enum files_made parts_finish(struct parts *parts, uint32_t part, const char *attempt);
/* Something that this part has left cannot be read: it is not done, and parts that it left do not
 * count. */
void parts_distrust(struct parts *parts, uint32_t part);

/* From the beginning to the last part that was done, by the clock of the file system. */
double parts_seconds(const struct parts *parts);

/* Of a folder whose search need not be known: what is in it, for cairn status. */
bool parts_peek(struct parts *parts, struct mem *mem, const char *folder);

#endif
