/* Which cells an offset can mean. Cells of records in arrays lie side by side, so that a field of
 * one of them is at an offset that is some multiple of a size plus something: what can be there,
 * and in which range, is more exactly known than "one of them all". */
#ifndef CAIRN_MODEL_CELLS_H
#define CAIRN_MODEL_CELLS_H

#include "model/model.h"

/* Sets possible[i], for i below count, when the offset may be i: always true for what it can be,
 * and sometimes for what it cannot. */
void cells_possible(const struct model *model, expr offset, uint32_t count, bool *possible);

/* The values of the cells that may be meant: low .. high contains the ranges of all of them. */
void cells_range(const struct model *model, bool local, uint32_t base, uint32_t count, expr offset,
                 int64_t *low, int64_t *high);

#endif
