/* Temporal properties on the graph of a finished search: what is left open is decided one by one
 * (graph/temporal.h), and a violation is shown as a run of the model. */
#ifndef CAIRN_SEARCH_JUDGE_H
#define CAIRN_SEARCH_JUDGE_H

#include "graph/temporal.h"
#include "search/search.h"

struct judge {
    struct search *search;
    struct kripke *kripke; /* its graph, whose states have the numbers of search->set; NULL: there
                              was no memory for it */
    bool ltl_only;         /* CTL is not asked here */
    /* As in struct temporal; the context is the search. */
    uint64_t *(*atom)(void *search, expr atom, bool *failed);
    /* Fills in what a trace needs beside its rules; `last`: its last state. May be NULL. */
    void (*complete)(struct search *search, struct trace *trace, uint64_t last);
};

/* For the graph: whether no limit is reached. */
bool judge_go_on(void *search);
/* No single state could decide it, or has. */
bool judge_is_left(const struct judge *judge, const struct property_result *entry);
/* Decides all that are left. A limit that is reached here leaves the state space complete and the
 * property unknown. */
void judge_properties(const struct judge *judge);

#endif
