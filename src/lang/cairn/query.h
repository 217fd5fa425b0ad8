/* Queries about runs in dense time, in the model's own text form. */
#ifndef CAIRN_LANG_CAIRN_QUERY_H
#define CAIRN_LANG_CAIRN_QUERY_H

#include "lang/cairn/reader.h"

/* An item, after its word: the kind, its position, text, formulas and terms. */
bool query_read(struct reader *reader);

#endif
