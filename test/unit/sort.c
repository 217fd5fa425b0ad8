/* Sorting by several threads against qsort_r: sizes around the least that is divided, things of odd
 * sizes, sorted ones, reversed ones, many equal keys. */
#include "base/random.h"
#include "base/sort.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 3000, MOST_SIZE = 131 };

static int compare_bytes(const void *a, const void *b, void *context)
{
    return memcmp(a, b, *(size_t *)context);
}

static void test_sort(struct unit *unit, struct crew *crew, struct random *random, unsigned kind)
{
    static unsigned char things[MOST * MOST_SIZE], expected[MOST * MOST_SIZE];
    const uint64_t count = random_below(random, kind % 2 ? MOST : 40);
    size_t size = 1 + random_below(random, MOST_SIZE);
    for (uint64_t i = 0; i < count; i++) {
        unsigned number = kind / 2 == 0   ? (unsigned)random_below(random, 1 << 16)
                          : kind / 2 == 1 ? (unsigned)i
                          : kind / 2 == 2 ? (unsigned)(count - i)
                                          : (unsigned)random_below(random, 3);
        memset(things + i * size, 0, size);
        things[i * size] = (unsigned char)(number >> 8);
        things[i * size + size - 1] ^= (unsigned char)number;
    }
    memcpy(expected, things, count * size);
    if (count) qsort_r(expected, count, size, compare_bytes, &size);
    sort_things(crew, things, count, size, compare_bytes, &size);
    CHECK(unit, !memcmp(things, expected, count * size));
}

int main(void)
{
    struct unit unit = {0};
    struct random random = {1};
    static struct crew crew;
    crew_start(&crew, 3);
    for (unsigned round = 0; round < 400; round++)
        test_sort(&unit, round % 5 ? &crew : NULL, &random, round % 8);
    crew_stop(&crew);
    return unit_finish(&unit);
}
