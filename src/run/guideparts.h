/* The parts of a guide that is split, as texts of guides. */
#ifndef CAIRN_RUN_GUIDEPARTS_H
#define CAIRN_RUN_GUIDEPARTS_H

#include "run/guidefile.h"

struct guideparts {
    struct guidefile_reader *in;
    const struct guidefile_source *source; /* one guide */
    const char *name;                      /* its name */
    struct phrase_list parts;
};

/* Splits the guide, and proves that the parts allow together what it allows. False after a
 * message. */
bool guideparts_make(struct guideparts *parts, struct guidefile_reader *in,
                     const struct guidefile_source *source, const char *how);

/* A file with a guide for each part. */
void guideparts_write(struct guideparts *parts, const char *how, FILE *file);

/* The term of a part, from 0. */
void guideparts_term(struct guideparts *parts, uint32_t part, struct text *text);

#endif
