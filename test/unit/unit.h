/* A very small test runner: CHECK counts, unit_finish prints "N passed, N failed". */
#ifndef CAIRN_TEST_UNIT_H
#define CAIRN_TEST_UNIT_H

#include <stdio.h>

struct unit {
    unsigned passed, failed;
};

#define CHECK(unit, condition)                                                                     \
    do {                                                                                           \
        if (condition) (unit)->passed++;                                                           \
        else {                                                                                     \
            (unit)->failed++;                                                                      \
            printf("FAIL %s:%d: %s\n", __FILE__, __LINE__, #condition);                            \
        }                                                                                          \
    } while (0)

static inline int unit_finish(const struct unit *unit)
{
    printf("%u passed, %u failed\n", unit->passed, unit->failed);
    return unit->failed != 0;
}

#endif
