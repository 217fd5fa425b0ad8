/* Past-freeze order (see docs/past-freeze.md; past/history.h has what it shares with the explicit
 * engine). The model has a rank: a variable that no step makes smaller. Symbolic states with one
 * rank are a cluster, with discrete states, zones and pairs of its own. The smallest reached rank
 * is next; its cluster is searched until it finds nothing new, then it is freed at once, or frozen
 * in files. Every other order has one cluster, for everything. */
#ifndef CAIRN_ENGINE_TIMED_CLUSTERS_H
#define CAIRN_ENGINE_TIMED_CLUSTERS_H

#include "engine/timed/nodes.h"
#include "past/history.h"

struct search;

struct cluster {
    struct history_cluster
        head; /* first: it is known by it. How each of its pairs was found; the step is the number
                 of the rule among those that are enabled, priorities aside */
    struct nodes nodes;
};

/* What clusters have together; `largest`: most clocks in a zone. As many as HISTORY_MORE beside
 * `states`. */
struct clusters_totals {
    uint64_t states, discrete, zones, zone_bytes, covered, given_up, largest;
};

struct clusters {
    struct history history;
    struct mem *mem;
    uint64_t before, space_bytes; /* memory before the search, and most that symbolic states took */
};

/* Whose run it is, in files. */
void clusters_hash(const struct task *task, bool exact, uint64_t hash[2]);

/* A cluster in memory; NULL: memory was refused. */
struct cluster *clusters_make(struct search *search);
void clusters_free(struct search *search, struct cluster *cluster);

/* Prepares past-freeze order. Memory is taken by calls that jump when it is refused. False: the
 * result says why the search cannot begin; clusters_release must follow. */
bool clusters_init(struct search *search);
void clusters_release(struct search *search);

/* The cluster of a state; NULL: it has none so far, or it would be in the past. */
struct cluster *clusters_find(const struct search *search, const uint64_t *words);
/* The same, and it is made when there is none; NULL: the search must end, as the result says. */
struct cluster *clusters_reach(struct search *search, const uint64_t *words);
/* Gives memory back that can be done without; false: there is none. */
bool clusters_relieve(struct search *search);
/* A pair was added to the cluster, and `more` are kept now (less than 0: others were given up):
 * found from pair `parent` of the cluster at hand by the rule with the number `step`, or initial:
 * NODES_NONE, and `step` is its number among the initial states, or in the cluster of a part that
 * it begins with. False: memory was refused. */
bool clusters_added(struct search *search, struct cluster *cluster, int64_t more, uint32_t parent,
                    uint32_t step);

/* Adds the pairs that a part begins with. */
bool clusters_add_seeds(struct search *search);
/* All clusters, from those of the initial states on. False: the search must end. */
bool clusters_run(struct search *search);
/* The search must begin again: what was frozen is forgotten. */
void clusters_forget(struct search *search);

/* A property is violated in a pair of a live cluster. */
void clusters_violated(struct search *search, uint32_t property, const struct cluster *cluster,
                       uint32_t node, uint32_t failed_rule);

/* Reads a pair as it is in files (see clusters.c): its state into search->words, its zone into
 * moves.next; *covered: it was not expanded. False: it makes no sense, or the result says why. */
struct enabled;
bool clusters_read(struct search *search, const unsigned char *record, uint64_t size, bool *covered,
                   struct enabled *to);

/* Of finished and live ones. */
struct clusters_totals clusters_sum(const struct search *search);
/* After the search. */
void clusters_conclude(struct search *search);

#endif
