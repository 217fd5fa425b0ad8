/* The timers of rules: which rules need one, which share one, and with what they are compared. */
#ifndef CAIRN_ENGINE_TIMED_TIMERS_H
#define CAIRN_ENGINE_TIMED_TIMERS_H

#include "model/model.h"
#include "solver/zone/dbm.h"

enum { TIMER_NONE = 0xFFFFFFFF };

/* One clock of zones, for all rules of a class. Classes are numbered by their first rules. */
struct timer {
    uint32_t rule;                     /* the first of its class */
    uint32_t first_process, processes; /* whose moves start it again */
    int32_t lower, upper;              /* L and U: see solver/zone/dbm.h */
    dbm_bound until;                   /* it never passes this: the least upper end */
};

struct timers {
    struct mem *mem;
    const struct model *model;
    uint32_t *of; /* per rule: its timer, or TIMER_NONE: it has no interval, or any time is in it,
                     or it is urgent */
    bool *urgent; /* per rule: its interval is [0, 0], or it is urgent without clock guards; while
                     it is enabled no time passes */
    bool any_rushes;      /* there is an urgent rule with clock guards */
    bool *holds, *waits;  /* per rule: it may be above, below another one */
    uint64_t *priorities; /* high class << 32 | low class, ascending */
    VEC(struct timer) list;
    VEC(uint32_t) processes;
};

void timers_init(struct timers *timers, const struct model *model);
void timers_release(struct timers *timers);
/* Whether rule `high` holds back rule `low`. */
bool timers_is_above(const struct timers *timers, uint32_t high, uint32_t low);

#endif
