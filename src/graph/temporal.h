/* CTL and LTL on a state graph: global labelling (ctl.c) and the product with a Büchi automaton
 * (ltl.c). */
#ifndef CAIRN_GRAPH_TEMPORAL_H
#define CAIRN_GRAPH_TEMPORAL_H

#include "graph/kripke.h"
#include "model/model.h"

enum temporal_result {
    TEMPORAL_HOLDS,
    TEMPORAL_VIOLATED,
    TEMPORAL_REFUSED, /* memory was refused or a limit reached */
    TEMPORAL_FAILED,  /* an atom cannot be evaluated in some state */
    TEMPORAL_BEYOND   /* the formula is too large: see reason */
};

struct temporal {
    struct model *model;
    struct kripke *kripke;
    /* The states in which an atom is true, as a set of kripke_set; NULL: refused, or failed (then
     * *failed is set). */
    uint64_t *(*atom)(void *context, expr atom, bool *failed);
    void *context;
    bool shortest;            /* LTL: prefix and loop together are as short as can be */
    struct kripke_path path;  /* evidence, when violated */
    struct kripke_path other; /* with `shortest`: what would have been shown else; or empty */
    formula end;    /* what the path does not show, at its last state: a part of the formula ... */
    bool end_value; /* ... and its value there */
    bool has_end;
    const char *reason;
};

enum temporal_result ctl_check(struct temporal *temporal, formula f);
enum temporal_result ltl_check(struct temporal *temporal, formula f);

#endif
