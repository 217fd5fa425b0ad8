/* Writes a model as UPPAAL's XTA text, and its properties as queries. */
#ifndef CAIRN_EXPORT_XTA_H
#define CAIRN_EXPORT_XTA_H

#include "export/automata.h"

/* What cannot be said is in the refusal, and nothing was written. Both have the same names. */
struct automata_refusal xta_write(struct model *model, FILE *out);
struct automata_refusal xta_write_queries(struct model *model, FILE *out);

#endif
