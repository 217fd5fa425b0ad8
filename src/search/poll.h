/* When a search ends, and what it shows while it works: clocks, the keyboard, the display. */
#ifndef CAIRN_SEARCH_POLL_H
#define CAIRN_SEARCH_POLL_H

#include "result/result.h"

struct search;

struct poll {
    const char *phase; /* what comes after the search, for the display; NULL: searching */
    double started, last_shown;
    uint32_t left, interval, most; /* expansions until the next look at the clock: fewer when each
                                      has many rules to try, or takes long */
    double looked;                 /* when */
};

void poll_init(struct search *search, double started, uint32_t states, uint32_t rules);
/* Ends the search; returns false. */
bool poll_stop(struct search *search, enum stop_reason reason);
/* Looks at the clock now; search.h has search_goes_on, which does so now and then. False: the
 * search must end. */
bool poll_now(struct search *search);
/* Why the search must end now that so much is known: everything is decided, or there are too many
 * states. STOP_NONE: it need not. */
enum stop_reason poll_decided(struct search *search);

#endif
