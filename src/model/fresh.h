/* Which variables are fresh: every step that reads one has surely assigned it before, so that its
 * value between steps matters to nothing. */
#ifndef CAIRN_MODEL_FRESH_H
#define CAIRN_MODEL_FRESH_H

#include "model/model.h"

/* Clears fresh[v] for the variables that are not, of those for which it is set; of a finished model
 * and these formulas, beside the model's queries. */
void fresh_find(struct model *model, bool *fresh, const formula *asked, uint32_t count);

#endif
