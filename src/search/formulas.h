/* Temporal properties on the graph of the states that a search has found: what single states do not
 * decide. */
#ifndef CAIRN_SEARCH_FORMULAS_H
#define CAIRN_SEARCH_FORMULAS_H

#include "graph/temporal.h"
#include "search/search.h"

/* What depends on what a state is. */
struct formulas_graph {
    struct kripke *kripke; /* NULL: memory was refused for it, or a limit was reached */
    /* Whether a property without a verdict is to be decided on it. */
    bool (*decides)(const struct property_result *entry);
    /* As in struct temporal; the context is the search. */
    uint64_t *(*atom)(void *context, expr atom, bool *failed);
    /* Fills in what a run needs beside its rules; NULL: nothing. */
    void (*complete)(struct search *search, struct trace *trace, uint64_t last);
};

/* After a search that found all states. For the graph: whether it may go on, the search being its
 * context. */
bool formulas_go_on(void *context);
void formulas_check(struct search *search, const struct formulas_graph *graph);

#endif
