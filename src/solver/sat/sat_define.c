/* Literals and clauses that say things about other literals. */
#include "solver/sat/sat.h"

void sat_at_most_one(struct sat *sat, const int *literals, uint32_t count)
{
    if (count <= 4) {
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = i + 1; j < count; j++) sat_add_2(sat, -literals[i], -literals[j]);
        return;
    }
    int ladder = sat_variables(sat, count - 1); /* ladder + i: one of the first i + 1 is true */
    for (uint32_t i = 0; i < count; i++) {
        if (i + 1 < count) sat_add_2(sat, -literals[i], ladder + (int)i);
        if (i + 2 < count) sat_add_2(sat, -(ladder + (int)i), ladder + (int)i + 1);
        if (i) sat_add_2(sat, -literals[i], -(ladder + (int)i - 1));
    }
}

int sat_define_all(struct sat *sat, const int *literals, uint32_t count)
{
    int all = sat_variables(sat, 1);
    for (uint32_t i = 0; i < count; i++) sat_add_2(sat, -all, literals[i]);
    for (uint32_t i = 0; i < count; i++) sat_add(sat, -literals[i]);
    sat_add_1(sat, all);
    return all;
}

int sat_define_equal(struct sat *sat, int a, int b)
{
    int same = sat_variables(sat, 1);
    sat_add_3(sat, -same, -a, b);
    sat_add_3(sat, -same, a, -b);
    sat_add_3(sat, same, a, b);
    sat_add_3(sat, same, -a, -b);
    return same;
}
