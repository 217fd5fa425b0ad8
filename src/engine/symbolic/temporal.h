/* Deciding temporal properties on sets of states. */
#ifndef CAIRN_ENGINE_SYMBOLIC_TEMPORAL_H
#define CAIRN_ENGINE_SYMBOLIC_TEMPORAL_H

#include "engine/symbolic/evidence.h"
#include "engine/symbolic/partial.h"

enum temporal_result { TEMPORAL_HOLDS, TEMPORAL_VIOLATED, TEMPORAL_FAILED, TEMPORAL_BEYOND };

/* One run of the evidence: the main one, or a branch that shows a part of a CTL formula. */
struct shown {
    struct walk walk;
    uint32_t parent, from; /* of a branch: the run that it leaves, and the state there */
    formula part;
    bool value;
    bool has_end; /* what the run leaves open: this part of the formula has this value at its end */
    formula end;
    bool end_value;
};

enum { MAX_SHOWN = 24 };

struct temporal {
    struct symbolic *s;
    struct partial *partial;       /* the reduction to use, or NULL */
    struct shown shown[MAX_SHOWN]; /* violated: the evidence, main run first */
    uint32_t shown_count;
    bool cut;                         /* more branches were left out */
    bool went_forward, went_backward; /* how it was decided */
    const char *reason;               /* TEMPORAL_BEYOND: why */
};

enum temporal_result symbolic_ctl(struct temporal *temporal, formula f);
enum temporal_result symbolic_ltl(struct temporal *temporal, formula f);

#endif
