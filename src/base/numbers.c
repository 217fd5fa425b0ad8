#include "base/numbers.h"

bool numbers_init(struct numbers *numbers, struct mem *mem, uint64_t count, uint64_t most)
{
    *numbers = (struct numbers){0};
    if (most >= NUMBERS_END) return false;
    numbers->low = mem_try_alloc(mem, (count + 1) * sizeof *numbers->low);
    if (!numbers->low || most < NUMBERS_NARROW) return numbers->low;
    numbers->high = mem_try_alloc(mem, (count + 1) * sizeof *numbers->high);
    if (numbers->high) return true;
    numbers_free(numbers, mem);
    return false;
}

void numbers_free(struct numbers *numbers, struct mem *mem)
{
    mem_free(mem, numbers->low);
    mem_free(mem, numbers->high);
    *numbers = (struct numbers){0};
}
