/* Writes a model in the text form of TChecker. */
#ifndef CAIRN_EXPORT_TCK_H
#define CAIRN_EXPORT_TCK_H

#include "export/automata.h"

/* What cannot be said is in the refusal, and nothing was written. */
struct automata_refusal tck_write(struct model *model, FILE *out);

#endif
