/* Composes a model with a guide (Le Roux and Teodorov, SEFM 2019, section 3.4): an interaction
 * happens when both the model and the guide can do it; other steps of the model leave the guide
 * alone.
 *
 * What the interaction of a rule is called: `process.label` for a process that takes part in it, or
 * its label, or its port: the first of these that the guide speaks of. A rule whose label was made
 * up by the reader (is_internal), or whose name the guide ignores, is internal. A rule that has a
 * name which the guide does not speak of is forbidden.
 *
 * What is forbidden is not enabled: the model is another one, without that rule in that state. So
 * others may happen that it would have held back, by priority or by its deadline. With `is_filter`
 * the model keeps its own rules, as in the paper's synchronous product: what it does is what it
 * does alone, and the guide lets a part of that pass. */
#ifndef CAIRN_PASS_GUIDE_H
#define CAIRN_PASS_GUIDE_H

#include "model/model.h"

/* What follows a state of the guide when nothing does: it is the end of all words that lead there,
 * or the bound of its unrolling. */
enum guide_state { GUIDE_GOES_ON, GUIDE_ENDS, GUIDE_IS_CUT };

struct guide {
    uint32_t labels;
    const char *const *interactions; /* [labels] */
    const bool *mentioned, *ignored; /* [labels]; what is neither is unknown to the guide */
    uint32_t states;                 /* 0 is the initial one */
    const uint32_t *first_edge, *edge_label,
        *edge_to; /* the edges of state s are first_edge[s] .. first_edge[s + 1] - 1 */
    const unsigned char *kinds; /* [states] */
    bool is_acyclic;            /* edges lead to larger numbers */
    bool is_filter; /* rules ask for permission (model.h); otherwise they get a condition */
};

/* What whoever wrote the guide should know. */
struct guide_remarks {
    VEC(const char *)
    forbidden;             /* names of interactions that the guide does not speak of, each once */
    VEC(uint32_t) missing; /* labels that no rule has */
    bool has_timers;       /* a rule that it mentions has an interval that is not [0, infinity) */
};

enum { GUIDE_MOST_ENTRIES = 1 << 28 };

/* Whether states and labels are few enough for guide_weave. */
bool guide_fits(const struct guide *guide);

/* Adds the guide's state as a variable, unless it has one state that goes on for ever, and
 * conditions to rules. The state of an acyclic guide becomes the rank of a model that has none. A
 * state in which nothing moves is final where the guide is cut, and where it ends if a step of the
 * model waits for it alone. The model is finished afterwards. */
void guide_weave(struct model *model, const struct guide *guide, struct guide_remarks *remarks);

#endif
