/* Temporal properties, on the whole graph of a complete search: whatever a state is, graph/ decides
 * them, and runs of the search show what is violated. */
#ifndef CAIRN_SEARCH_WHOLE_H
#define CAIRN_SEARCH_WHOLE_H

#include "graph/temporal.h"
#include "search/search.h"

struct whole {
    struct kripke *kripke; /* NULL: there was no memory for it */
    /* The states of search->set in which a condition is true (graph/temporal.h). */
    uint64_t *(*atom)(void *search, expr atom, bool *failed);
    /* Fills in what a run needs beside its rules, such as dates, which ends in this state of
     * search->set; its last step, back to its loop, may be none. NULL: nothing. */
    void (*complete)(struct search *search, struct trace *trace, uint64_t last);
    bool ltl_only; /* others are not decided here */
};

/* Whether a property is left for this: no single state could decide it, or has. */
bool whole_has(const struct whole *whole, const struct property_result *entry);
/* Decides them all. A limit that is reached here leaves the state space complete and the property
 * unknown. */
void whole_check(struct search *search, const struct whole *whole);
/* For a kripke structure: whether time is left. */
bool whole_go_on(void *search);

#endif
