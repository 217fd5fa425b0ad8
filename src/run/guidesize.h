/* How large guides are: their minimal automata, how many words they allow, what they are unrolled
 * to a bound; and how they look. */
#ifndef CAIRN_RUN_GUIDESIZE_H
#define CAIRN_RUN_GUIDESIZE_H

#include "automaton/unfold.h"
#include "base/natural.h"
#include "run/guidefile.h"

/* What is told of a guide. */
struct guidesize {
    uint32_t states, transitions, interactions;
    bool is_finite;
    uint32_t shortest, longest; /* of words that cannot be continued, when it is finite */
    struct natural words, maximal, *lengths; /* how many words, how many that cannot be continued;
                                                with a bound: how many of each length */
    uint32_t dag_states, dag_transitions;
    struct natural paths;
    struct unfold_words list;
};

/* What is wanted besides. */
struct guidesize_wish {
    uint64_t bound; /* 0: it is not unrolled */
    bool lengths;   /* how many words of each length, up to the bound */
    uint64_t words; /* so many are listed */
};

/* Of the guide with this number. False after a message about a limit. */
bool guidesize_measure(struct guidefile_reader *in, const struct guidefile_source *source,
                       uint32_t index, const struct guidesize_wish *wish, struct guidesize *size);

/* Per interaction: whether the guide mentions it. */
bool *guidesize_alphabet(struct guidefile_reader *in, const struct guidefile_source *source,
                         uint32_t index);

/* All guides of the source as DOT. False after a message about a limit. */
bool guidesize_draw(struct guidefile_reader *in, const struct guidefile_source *side, FILE *out);

#endif
