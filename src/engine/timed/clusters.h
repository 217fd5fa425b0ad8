/* Past-freeze order (see docs/past-freeze.md; engine/explicit/past.h is the same without time). The model has a rank: a variable that no step makes smaller. Symbolic states with one rank are a
 * cluster, with discrete states, zones and pairs of its own. The smallest reached rank is next; its cluster is searched until it finds nothing new, then it is freed at
 * once. Every other order has one cluster, for everything. */
#ifndef CAIRN_ENGINE_TIMED_CLUSTERS_H
#define CAIRN_ENGINE_TIMED_CLUSTERS_H

#include "engine/timed/nodes.h"
#include "program/layout.h"
#include "result/result.h"
#include "solver/logs.h"
#include "solver/ranks.h"

struct search;

struct cluster {
    struct nodes nodes;
    struct origins origins; /* past-freeze: how each of its pairs was found; the step is the number of the rule among those that are enabled, priorities aside */
    uint64_t rank;          /* less the lowest one */
};

/* What clusters have together. */
struct clusters_totals {
    uint64_t states, discrete, zones, zone_bytes, covered, given_up;
};

struct clusters {
    struct mem *mem;
    struct field field; /* of the rank */
    struct cluster_statistics *statistics;
    struct ranks waiting; /* clusters that were reached and have not had their turn */
    struct logs logs;     /* of finished clusters */
    bool logs_dropped;    /* there was no memory for them: later violations have no trace */
    bool *scan;           /* processes whose locations must be looked for in the states */
    struct clusters_totals done; /* of finished clusters */
    uint64_t last_states;        /* in the last one of them */
    uint64_t before, space_bytes; /* memory before the search, and most that symbolic states took */
};

/* A cluster in memory; NULL: memory was refused. */
struct cluster *clusters_make(struct search *search);
void clusters_free(struct search *search, struct cluster *cluster);

/* Prepares past-freeze order. Memory is taken by calls that jump when it is refused. */
void clusters_init(struct search *search);
void clusters_release(struct search *search);

/* The cluster of a state; NULL: it has none so far, or it would be in the past. */
struct cluster *clusters_find(const struct search *search, const uint64_t *words);
/* The same, and it is made when there is none; NULL: the search must end, as the result says. */
struct cluster *clusters_reach(struct search *search, const uint64_t *words);
/* Gives memory back that can be done without; false: there is none. */
bool clusters_relieve(struct search *search);
/* A pair was added to the cluster, and `more` are kept now (less than 0: others were given up): found from pair `parent` of the cluster at hand by the rule with the number `step`, or
 * initial: NODES_NONE, and `step` is its number among the initial states. */
void clusters_added(struct search *search, struct cluster *cluster, int64_t more, uint32_t parent, uint32_t step);

/* All clusters, from those of the initial states on. False: the search must end. */
bool clusters_run(struct search *search);

/* The way to a pair of a live cluster; NULL: it is lost, and *why says why. Memory is taken by calls that jump when it is refused. */
struct trace *clusters_trace(struct search *search, const struct cluster *cluster, uint32_t node, const char **why);

/* Of finished and live ones. */
struct clusters_totals clusters_sum(const struct search *search);
/* After the search. */
void clusters_conclude(struct search *search);

#endif
