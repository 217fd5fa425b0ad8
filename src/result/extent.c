#include "result/extent.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

bool extent_raise(struct extent_end *sup, struct extent_end value)
{
    if (!value.is_known || (sup->is_known && sup->is_infinite) || !sup->is_asked) return false;
    const bool is_larger = !sup->is_known || value.is_infinite || value.number > sup->number
                           || (value.number == sup->number && sup->is_open && !value.is_open);
    value.is_asked = true;
    if (is_larger) *sup = value;
    return is_larger;
}

bool extent_lower(struct extent_end *inf, struct extent_end value)
{
    assert(!value.is_infinite); /* clocks begin somewhere, and numbers have their bits */
    if (!value.is_known || !inf->is_asked) return false;
    const bool is_smaller = !inf->is_known || value.number < inf->number
                            || (value.number == inf->number && inf->is_open && !value.is_open);
    value.is_asked = true;
    if (is_smaller) *inf = value;
    return is_smaller;
}

static int64_t divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

const char *extent_text(char buffer[EXTENT_ROOM], const struct model *model,
                        const struct extent *extent, bool is_sup)
{
    const struct extent_end *end = is_sup ? &extent->sup : &extent->inf;
    assert(end->is_asked);
    if (!end->is_known) return "none";
    if (end->is_infinite) return "infinite";
    if (!extent->is_clock) {
        snprintf(buffer, EXTENT_ROOM, "%" PRId64, end->number);
        return buffer;
    }
    const int64_t common = divisor(end->number, model->ticks), parts = end->number / common,
                  unit = model->ticks / common;
    const char *sign = is_sup ? (end->is_open ? "<" : "<=") : end->is_open ? ">" : ">=";
    snprintf(buffer, EXTENT_ROOM, unit == 1 ? "%s %" PRId64 : "%s %" PRId64 "/%" PRId64, sign,
             parts, unit);
    return buffer;
}
