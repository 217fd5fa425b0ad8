/* The work folder of a divided search (--work DIR), which many processes share:
 *
 *   work      what is divided: a head with the hash of the search, `of WORD` (context, guide, part;
 *             none of them: one search that is split), `file FILE`, and a line `name NAME` for each
 *   results/  the result of each of them, NAME.result; NAME.partial: of one that a limit ended
 *   claims/   who does what (run/claims.h)
 *   parts/    the folder of a search that is split (run/parts.h)
 *   stop      ends the work of all
 *   slurm/    what the jobs say (run/slurm.h) */
#ifndef CAIRN_RUN_WORK_H
#define CAIRN_RUN_WORK_H

#include "run/ask.h"
#include "run/claims.h"

/* Names for parts of the folder, where the ask has no others: --freeze of a search that is split,
 * --results of several. */
void work_complete(struct ask *ask, struct mem *mem);
char *work_stop(struct mem *mem, const struct ask *ask);
char *work_claims(struct mem *mem, const struct ask *ask);

struct work {
    struct mem *mem;
    const char *word, *file;
    uint64_t key[2];
    VEC(const char *) names;
    char error[320];
};

/* Makes the folder, or finds that it is of this search. looks: nothing is written. resume: there
 * may be an earlier search in it. False: error says why. */
bool work_open(struct work *work, const struct ask *ask, bool looks, bool resume);
/* What a folder says of itself, whatever its search is. */
bool work_read(struct work *work, struct mem *mem, const char *folder);
/* From the beginning to the last result, by the clock of the file system. */
double work_seconds(const struct ask *ask, struct mem *mem, double last);

#endif
