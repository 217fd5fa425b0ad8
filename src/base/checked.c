#include "base/checked.h"

#include <stdlib.h>

enum { SHARE = 32 }; /* a check may cost this part of the work that pays for it */

bool checked_due(uint64_t *saved, uint64_t work, uint64_t cost)
{
    *saved += work;
    if (*saved / SHARE < cost) return false;
    *saved = 0;
    return true;
}

void *checked_alloc(size_t bytes) { return calloc(bytes ? bytes : 1, 1); }
void checked_free(void *block) { free(block); }
