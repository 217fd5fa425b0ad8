/* How large and how small a term of a query gets: the answer to sup, inf and bounds. */
#ifndef CAIRN_RESULT_EXTENT_H
#define CAIRN_RESULT_EXTENT_H

#include "model/model.h"

/* A largest or smallest value. */
struct extent_end {
    bool is_asked;    /* the query asks for it */
    bool is_known;    /* false: nothing has a value, because the condition is never true */
    bool is_infinite; /* a clock is beyond every number at some time */
    bool is_open;     /* a clock comes as near to it as one likes, and does not get there */
    int64_t number;   /* of a clock: in ticks */
};

struct extent {
    const char *term; /* as the query has it */
    bool is_clock;
    struct extent_end sup, inf;
};

/* One more value, or the end of another part of the search. False: it changes nothing. */
bool extent_raise(struct extent_end *sup, struct extent_end value);
bool extent_lower(struct extent_end *inf, struct extent_end value);

/* As people read it: "<= 5", "> 2" for clocks, in units of time; "7"; "infinite"; "none". */
enum { EXTENT_ROOM = 64 };
const char *extent_text(char buffer[EXTENT_ROOM], const struct model *model,
                        const struct extent *extent, bool is_sup);

#endif
