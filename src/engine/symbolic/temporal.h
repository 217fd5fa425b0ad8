/* Deciding temporal properties on sets of states. */
#ifndef CAIRN_ENGINE_SYMBOLIC_TEMPORAL_H
#define CAIRN_ENGINE_SYMBOLIC_TEMPORAL_H

#include "engine/symbolic/evidence.h"
#include "engine/symbolic/partial.h"

enum temporal_result { TEMPORAL_HOLDS, TEMPORAL_VIOLATED, TEMPORAL_FAILED, TEMPORAL_BEYOND };

struct temporal {
    struct symbolic *s;
    struct partial *partial; /* the reduction to use, or NULL */
    struct walk walk;        /* violated: the evidence; no states: there is none */
    bool has_end;            /* what the path leaves open: this part of the formula has this value at its end */
    formula end;
    bool end_value;
    bool went_forward, went_backward; /* how it was decided */
    const char *reason;      /* TEMPORAL_BEYOND: why */
};

enum temporal_result symbolic_ctl(struct temporal *temporal, formula f);
enum temporal_result symbolic_ltl(struct temporal *temporal, formula f);

#endif
