/* A compiled program as C text: see print.c. */
#ifndef CAIRN_NATIVE_PRINT_H
#define CAIRN_NATIVE_PRINT_H

#include "base/text.h"
#include "program/program.h"

/* What the printed text has, in the order of the arrays of its runtime_table. */
struct native_plan {
    VEC(uint32_t) pieces; /* where each begins in the code of the program */
    uint32_t listers;     /* one per index */
    uint32_t longest;     /* so many rules the longest list has */
    uint64_t mark;        /* of the text */
};

/* Memory is taken by calls that jump when it is refused; the plan and the text belong to `mem`.
 * False: there would be more text than a compiler should be asked to read. */
bool native_print(const struct program *program, struct mem *mem, struct text *text,
                  struct native_plan *plan);

#endif
