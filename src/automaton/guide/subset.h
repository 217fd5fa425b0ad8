/* The subset construction: from a nondeterministic automaton, given by functions, to a minimal
 * deterministic one. A configuration is a number that only its maker understands; a state of the
 * result is a set of them. Only sets that are reached are ever made. */
#ifndef CAIRN_AUTOMATON_GUIDE_SUBSET_H
#define CAIRN_AUTOMATON_GUIDE_SUBSET_H

#include "automaton/guide/dfa.h"

struct subset;

struct subset_rules {
    void *data;
    bool all_final; /* every state of the result is final: the language's prefixes */
    /* Emits the configurations to begin with, under any one label. */
    void (*start)(struct subset *subset, void *data);
    /* Emits what may follow a configuration, with everything that is reached from there without a
     * label. Every configuration must reach a final one. */
    void (*follow)(struct subset *subset, void *data, uint64_t config);
    bool (*is_final)(const void *data, uint64_t config);
    /* Whether everything that may follow `next` may follow `kept`, which is smaller: then `next` is
     * left out. NULL: never. */
    bool (*covers)(const void *data, uint64_t kept, uint64_t next);
};

/* For `start` and `follow`. After memory was refused it does nothing. */
void subset_emit(struct subset *subset, uint32_t label, uint64_t config);
/* For makers that have limits of their own: ends the construction with this status. */
void subset_stop(struct subset *subset, enum build_status status);

/* BUILD_TOO_LARGE: more than max_states sets. The automaton is empty then, as when memory is
 * refused. */
enum build_status subset_run(struct dfa *dfa, struct mem *mem, const struct subset_rules *rules,
                             uint32_t max_states);

#endif
