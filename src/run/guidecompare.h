/* Whether guides of files allow the same: `cairn guide --equal` and `--within`. */
#ifndef CAIRN_RUN_GUIDECOMPARE_H
#define CAIRN_RUN_GUIDECOMPARE_H

#include "automaton/guide/compare.h"
#include "run/guidefile.h"

struct guidecompare_answer {
    struct compare_word word; /* a shortest one that only one side allows, if there is any */
    bool of_first;            /* which side that is */
    const char *why;          /* what names have to do with it, in words; NULL: nothing */
    const char *beware;       /* what a comparison of names cannot see, in words; NULL: nothing */
    uint32_t states[2], transitions[2]; /* of the guides themselves */
};

/* Whether both sides allow the same (`equal`), or else the second one all that the first one does.
 * False after a message about a limit. */
bool guidecompare(struct guidefile_reader *in, const struct guidefile_source *first,
                  const struct guidefile_source *second, bool equal,
                  struct guidecompare_answer *answer);

#endif
