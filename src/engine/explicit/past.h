/* Past-Free[ze] order (Teodorov, Le Roux, Dhaussy). The model has a rank: a variable that no step
 * makes smaller. States with one rank are a cluster. The smallest reached rank is next, and its
 * cluster is searched breadth-first until it finds nothing new; then no later step can lead into
 * it, and it is given up at once: freed, or frozen in files (past/history.h). What is visited is
 * what every other order visits. In memory there are only the cluster at hand and those that were
 * reached and have not had their turn. */
#ifndef CAIRN_ENGINE_EXPLICIT_PAST_H
#define CAIRN_ENGINE_EXPLICIT_PAST_H

#include "engine/explicit/visit.h"
#include "past/history.h"

struct cluster {
    struct history_cluster head; /* first: it is known by it */
    struct store store;
    struct cluster *next; /* in the list of unused ones */
};

struct past {
    struct history history;
    struct search *search;
    struct mem *mem;
    struct cluster *unused;
};

/* False: memory was refused, or the result says why. */
bool past_init(struct search *search);
void past_release(struct search *search);

static inline uint64_t past_rank(const struct past *past, const uint64_t *words)
{
    return history_rank(&past->history, words);
}
/* The one being searched, or NULL. */
static inline struct cluster *past_current(const struct past *past)
{
    return (struct cluster *)past->history.current;
}
/* Brings what past_cluster will need closer. */
void past_prefetch(const struct past *past, uint64_t rank);
/* The cluster of a state that a step leads to, or that is initial; NULL: the search must end, as
 * the result says. */
struct cluster *past_cluster(struct past *past, uint64_t rank);
/* Adds a state to a cluster, with its origin, which is `step` of `state` in the current cluster, or
 * nothing. STORE_REFUSED: no memory, as the result says. */
enum store_result past_add(struct past *past, struct cluster *cluster, const uint64_t *words,
                           uint64_t hash, uint32_t state, uint32_t step, uint32_t *index);

/* All clusters, from those of the initial states on. */
bool past_run(struct search *search);

/* A property is violated in this state of a live cluster. */
void past_violated(struct past *past, uint32_t property, const struct cluster *cluster,
                   uint32_t state, uint32_t failed_rule);
/* States that were reached so far. */
uint64_t past_states(const struct past *past);
/* After the search: traces of what was found, and the statistics. */
void past_conclude(struct past *past);

#endif
