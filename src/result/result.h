/* What is asked of an engine and what it answers. An engine never prints, exits or parses; a limit
 * that was reached is part of the answer, not an error. */
#ifndef CAIRN_RESULT_RESULT_H
#define CAIRN_RESULT_RESULT_H

#include "model/model.h"
#include "result/extent.h"
#include "result/member.h"
#include "result/trace.h"

#include <stdatomic.h>

enum verdict { VERDICT_UNKNOWN, VERDICT_HOLDS, VERDICT_VIOLATED };
extern const char *const verdict_name[];

enum stop_reason {
    STOP_NONE,
    STOP_MEMORY,
    STOP_TIME,
    STOP_INTERRUPT,
    STOP_DEPTH,
    STOP_DECIDED,
    STOP_FIRST,
    STOP_SIZE,
    STOP_STATES,
    STOP_RANK,
    STOP_DISK,
    STOP_HANDED_ON,
    STOP_PARTS,
    STOP_GUIDE,
    STOP_HIDDEN,
    STOP_INFLUENCE,
    STOP_EXACT,
    STOP_PEERS,
    STOP_COUNT
};
extern const char *const stop_reason_text[];
/* After a jump to a recovery point of memory: what was lacking. */
enum stop_reason result_why_refused(void);
extern const char
    result_cannot_evaluate[]; /* the reason of a verdict that stays unknown in every engine */

/* Why a verdict is unknown: reasons that programs compare. REASON_STOPPED + s: the search ended for
 * stop reason s. Their texts are compared by address, so they are written by number. */
enum reason {
    REASON_OTHER, /* words of an engine, or none */
    REASON_CANNOT_EVALUATE,
    REASON_STOPPED,
    REASON_COUNT = REASON_STOPPED + STOP_COUNT
};
enum reason result_reason(const char *reason);
const char *result_reason_text(enum reason reason); /* NULL: REASON_OTHER */

/* Evidence for a CTL formula can be a tree. A branch leaves the main run, or an earlier branch, at
 * a state and shows one part of the formula; its trace begins in an initial state like every other
 * one. */
struct trace_branch {
    struct trace *trace;
    uint32_t parent;  /* 0: the main run; otherwise the number of a branch, from 1 */
    uint32_t from;    /* the state it leaves its parent at */
    const char *part; /* the part of the formula that it shows ... */
    bool value;       /* ... to have this value there */
    const char *open; /* what it leaves open at its end, in words; NULL: nothing */
};

/* Another run that shows the same (--traces). */
struct trace_further {
    struct trace *trace;
};

/* One property to decide, and its answer. */
struct property_result {
    const struct model_property *property; /* built-in ones too */
    enum property_kind kind;
    bool watched_only;  /* not asked for, and no reason to go on searching */
    bool in_each_state; /* decided by looking at single states: built in, or it says "always p";
                           otherwise it is temporal */
    expr invariant;     /* when it says "always p": p */
    bool seeks;         /* it asks for a state in which `invariant` is false: `verdict` is about the
                           invariant, result_answer what is told */
    bool has_safety;    /* it is a temporal formula "always p, and f": */
    expr safety;        /* p: a state without it refutes the formula, whatever comes then */
    expr antecedent;    /* when p is a -> b: a */
    bool has_antecedent;
    bool antecedent_met;   /* what is known of it: it is true in a reachable state; ... */
    bool antecedent_never; /* ... it is true in none. Neither: not known */
    bool is_reachability;  /* timed: it says EF p, and holds as soon as p is true in one state */

    enum verdict verdict;
    const char *reason; /* why the verdict is unknown */
    const char *engine; /* which one decided it, or NULL: the result's */
    const char *method; /* how it was decided, or NULL: as the engine decides everything */
    bool has_bound;     /* bounded: */
    uint64_t bound; /* violated: the number of steps of the run as it was unrolled; holds: the depth
                       of the induction; unknown: how far it was searched */
    uint64_t cycles; /* the same in schedules of safe steps and a full one */
    struct trace *trace;
    struct trace_further *further; /* others, each different from all before it (trace_differs) */
    uint32_t further_count;
    int64_t *last; /* violated in this state (one value per variable) when there is no trace:
                      `reason` says why; or NULL */
    bool has_end;  /* the trace is not the whole reason: at its end, this part of a CTL formula has
                      this value */
    formula end;
    bool end_value;
    struct trace_branch *branches;
    uint32_t branch_count;
    bool branches_cut;     /* there are more */
    struct extent *values; /* of sup, inf and bounds that hold: per term */
    uint32_t value_count;
};

struct search_progress {
    uint64_t states, transitions, expanded;
    uint64_t depth, bytes;
    double seconds;
    uint64_t nodes;    /* of decision diagrams; 0: states are counted instead */
    const char *phase; /* NULL: searching; otherwise the name of the property being decided */
    uint64_t rank,
        ranks; /* past-freeze: which one is being searched, from 0, of how many; 0: another order */
    bool is_bounded; /* no states are counted; depth is that of the unrolling */
    bool by_levels;  /* states that were found are expanded in the same order */
};

/* How states are visited: the name in code, for the option and in JSON, and in a sentence.
 * Saturation and chaining are the symbolic engine's; past-freeze goes by the rank of the model. */
#define SEARCH_ORDERS(X)                                                                           \
    X(DEFAULT, "default", "breadth-first")                                                         \
    X(BFS, "bfs", "breadth-first")                                                                 \
    X(DFS, "dfs", "depth-first")                                                                   \
    X(SATURATION, "saturation", "by saturation")                                                   \
    X(CHAINING, "chaining", "by chaining")                                                         \
    X(PAST_FREEZE, "past-freeze", "rank by rank (past-freeze)")                                    \
    X(BEST_FIRST, "best-first", "best-first")
enum search_order {
#define X(code, name, words) ORDER_##code,
    SEARCH_ORDERS(X)
#undef X
        ORDER_COUNT
};
extern const char *const search_order_name[], *const search_order_words[];

enum relation_form { RELATION_PER_RULE, RELATION_MONOLITHIC, RELATION_LABELLED };
extern const char *const relation_form_name[];

enum search_direction { DIRECTION_DEFAULT, DIRECTION_FORWARD, DIRECTION_BACKWARD };

/* Partial-order reductions: one that preserves formulas without X, one that preserves deadlocks,
 * ImProviso, which preserves reachability, and steps of several independent rules at once (of the
 * bounded engine). */
enum reduction { REDUCE_NONE, REDUCE_POR, REDUCE_DEADLOCK, REDUCE_IMPROVISO, REDUCE_STEPS };
extern const char *const reduction_name[];

/* What a reduction must preserve: LTL without X, CTL (and LTL) without X, or nothing but deadlocks.
 * Each of the first two keeps deadlocks, too. */
enum keeping {
    KEEP_ASKED,
    KEEP_LTL,
    KEEP_CTL,
    KEEP_DEADLOCK
}; /* KEEP_ASKED: what the properties need; in an exploration, LTL */
extern const char *const keeping_name[];

/* Timed: which symbolic states stand for others of the same discrete state (engine/timed/nodes.h):
 * those whose zones simulate theirs, or include them, or none: the whole zone graph. What a
 * property does not allow is not done: by simulation deadlocks would be missed. */
/* How sets keep the states of a search that has no time: as suits them, or whole. */
enum state_sets { SETS_AUTO, SETS_FLAT, SETS_TREE };
extern const char *const state_sets_name[];

/* Rules as machine code: for searches that last, before they begin, or not at all. */
enum native_mode { NATIVE_AUTO, NATIVE_ALWAYS, NATIVE_NEVER };
extern const char *const native_mode_name[];

enum zone_storage { ZONES_BY_SIMULATION, ZONES_BY_INCLUSION, ZONES_EQUAL };
extern const char *const zone_storage_name[];

/* Past-freeze order on a part of the space. A search that is split leaves, in its folder, what it
 * finished and, in the folder `rest` inside of that, clusters that others go on with: a part begins
 * with some of these. */
struct search_part {
    const char *const *folders; /* of the parts that it comes from, the very first one first */
    uint32_t folder_count;      /* 0: it begins with the initial states */
    const uint64_t *skipped;    /* per folder: as many states of the rest's cluster are before the
                                   first one that the next part begins with */
    uint64_t rank, last_rank;   /* it begins with the clusters of the last folder's rest from `rank`
                                   to `last_rank`, both less the lowest rank */
    uint64_t begin, end;    /* of a single cluster: with the states from number `begin` to before
                               `end`; end 0: with all */
    bool hands_on;          /* when memory runs out, the waiting clusters are put in the rest ... */
    const uint32_t *depths; /* ... also when one is reached that is so deep; per rank, or NULL */
    uint32_t depth;
    bool ends_with_prefixes; /* ... also when none is left of a p-path that is continued */
};

/* Partitioning points: steps that divide a search. A p-point is a set of rules, or the entering of
 * a location. */
struct point_location {
    uint32_t var; /* that says where a process stands */
    int64_t value;
    uint32_t point;
};

struct points {
    const char **names; /* of p-points */
    uint32_t *rules;    /* a rule of each p-point; MODEL_NONE: it is a location */
    uint32_t count, room;
    uint32_t *of_rule; /* per rule of the model: its p-point, or MODEL_NONE */
    struct point_location *locations;
    uint32_t location_count;
};

/* What one of several peers did (base/peers.h). */
struct peer_statistics {
    uint64_t states, transitions;   /* that it owns; that lead from these */
    uint64_t sent, messages, bytes; /* states that it sent to others, in so many messages */
    uint64_t memory;                /* bytes, at most at the same time */
    double waiting;                 /* seconds without anything to do */
};

struct peers;

struct task {
    struct peers *peers; /* that search together, or NULL */
    struct model *model;
    struct property_result *properties;
    uint32_t property_count;
    enum search_order order;
    enum relation_form relation; /* of the symbolic engine, like the next three */
    enum search_direction direction;
    enum reduction reduction;
    enum keeping keep;     /* with a reduction */
    unsigned variant;      /* 1, 2, 3: which states PartialExploration expands partially */
    bool without_frontier; /* every step starts from all states known so far */
    bool by_tableau;       /* LTL with the formula's tableau instead of an automaton */
    bool weakly_fair; /* LTL only on runs on which no process is enabled for ever without moving */
    bool has_phase;   /* bounded, with a reduction: so many steps of safe rules per process before
                         each full one ... */
    uint32_t phase;
    bool phase_auto; /* ... or as many as seem useful: what REDUCE_POR does when nothing is said */
    bool without_induction; /* bounded: look for violations only */
    bool count_levels;      /* count the states of every iteration, which costs time */
    enum zone_storage zones;
    enum state_sets sets;
    bool exact_zones; /* timed: zones keep deadlocks from the beginning; a part does not begin again
                         by itself: it stops with STOP_EXACT */
    bool count_deadlocks; /* timed: also those that come about by clocks, when nobody asks for them
                           */
    bool by_interactions; /* states are visited in the order of the fewest interactions with the
                             guide that lead to them, and these are counted */
    bool shortest;        /* runs that repeat are as short as can be, not only the way there */
    bool stop_at_first;   /* end with the first violation */
    uint32_t traces;      /* so many runs of a property that single states decide; 0: one */
    uint32_t threads; /* explicit, breadth-first or divided by p-points: so many, where they can be
                         used (combine_one_thread) */
    enum native_mode native;     /* explicit and timed */
    uint64_t max_depth;          /* of a breadth-first search; 0: none */
    const struct points *points; /* explicit: the search is divided by these; NULL: it is not */
    bool points_chosen;          /* automatically */
    uint64_t prefixes; /* split by p-paths: clusters are theirs, and so many p-paths are continued
                          (past/prefix.h); 0: they are not */
    bool enumerates_orders; /* p-paths are counted one by one, for comparison */
    bool counts_orders;     /* not divided: p-paths are counted ... */
    uint64_t listed_orders; /* ... and so many of them listed */
    bool hides_position; /* divided as in the paper: states are compared without regard to how far a
                            run has come on its p-path */
    const char *freeze;  /* the folder that levels or, past-freeze, finished clusters are kept in;
                            or NULL */
    const struct search_part *part; /* past-freeze with a folder: NULL: all of it */
    uint64_t freeze_hash[2]; /* of the model and of what is asked, so that the folder of another run
                                is known as such */
    bool resume;             /* continue the run that is frozen there */
    uint64_t max_states;     /* of the explicit engine; 0: none */
    bool (*at_max_states)(void *context); /* called when there are more; true: the search goes on,
                                             up to what max_states is then. NULL: it ends */
    void *max_states_context;
    double max_seconds; /* 0: none; the memory limit is that of model->mem */
    atomic_int *interrupted;
    void (*progress)(void *context, const struct search_progress *progress);
    void *progress_context;
};

/* One step of a symbolic search. */
struct iteration {
    uint64_t set_nodes, frontier_nodes, table_nodes;
    const char *states; /* decimal digits, or NULL */
};

/* What section 7.1 of the thesis collects, and what the diagrams needed. */
struct symbolic_statistics {
    uint64_t post_images, pre_images; /* of the whole relation or a process's part of it */
    uint64_t set_nodes;               /* of the reachable states */
    uint64_t frontiers, frontier_nodes,
        largest_frontier; /* how many, all together, the largest one */
    uint64_t relation_nodes, largest_relation, relations;
    uint64_t peak_nodes, collections, reorderings, table_bytes;
    uint32_t bits;
    enum search_order order;
    enum relation_form relation;
    struct iteration *iterations;
    uint32_t iteration_count;
    double encoding_seconds, reach_seconds;
};

/* What the bounded engine needed for one depth. */
struct bounded_depth {
    uint64_t steps;
    double seconds;
    uint64_t variables, clauses, conflicts; /* so far */
};

struct bounded_statistics {
    uint64_t variables, clauses, literals, conflicts, calls; /* of all solvers together */
    uint64_t proof_conflicts;                                /* those of induction among them */
    uint64_t depth;                                          /* steps that were searched */
    uint64_t cycles;
    uint32_t safe_steps, rounds; /* in each cycle: one after the other; of all processes together */
    struct bounded_depth *depths;
    uint32_t depth_count;
};

/* What the timed engine met. */
struct timed_statistics {
    uint64_t discrete_states, zones, configurations;
    uint64_t zone_bytes;  /* of the zones themselves */
    uint64_t space_bytes; /* of everything that symbolic states are kept in */
    uint64_t covered; /* symbolic states that were not kept because a known one stands for them, and
                         ... */
    uint64_t given_up;       /* ... those that were kept until a larger one came */
    uint32_t timers, clocks; /* of the model; most of them ... */
    uint32_t largest;        /* ... that were active in one state */
    enum zone_storage storage;
    bool exact; /* extrapolation kept deadlocks, too */
};

struct cluster_size {
    int64_t rank;
    uint64_t states;
    uint64_t entries; /* of one that was handed on: as many, its first ones, were not found by its
                         own search */
};

/* Where ranks are more than CLUSTER_MANY, some neighbouring ones are one cluster (search/rank.c).
 */
enum { CLUSTER_PARTS = 100, CLUSTER_MANY = 1 << 13 };

/* What past-freeze order did. */
struct cluster_statistics {
    uint64_t ranks;           /* values of the rank */
    uint64_t rank;            /* being searched, or the last one: from 0 */
    uint64_t finished;        /* clusters */
    uint64_t clusters;        /* that were reached */
    uint64_t live, live_peak; /* in memory at the same time */
    uint64_t live_states;     /* in them ... */
    uint64_t peak_states;     /* ... and most of them at the same time */
    uint64_t freed_states;    /* in clusters that were given up before the end */
    int64_t lowest;           /* the rank that is 0 here */
    struct cluster_size largest;
    struct cluster_size *sizes; /* of finished clusters, by rank */
    uint64_t size_count, size_room;
    uint64_t *quantiles;   /* when they are very many: CLUSTER_PARTS + 1 sizes, from the smallest to
                              the largest; else NULL */
    bool sizes_lost;       /* memory was refused: some are missing */
    uint64_t frozen_bytes; /* that were written in this run */
    uint64_t resumed;      /* clusters that an earlier run had finished */
    bool handed_on; /* the waiting clusters were left for others: counts are those of finished
                       clusters */
    struct cluster_size *rest; /* these clusters */
    uint64_t rest_count;
    bool logs_dropped; /* how states were reached was forgotten for lack of memory */
};

/* A part of a search that was split. */
struct split_part {
    uint32_t number;
    uint32_t parent;         /* MODEL_NONE: it begins with the initial states */
    int64_t rank, last_rank; /* the clusters that it begins with */
    const char *p_path;      /* their p-paths, where clusters are those of p-paths; else NULL */
    uint64_t begin,
        end; /* and the states of a single one: from number `begin` to before `end`; end 0: all */
    const char *state; /* one word */
    bool is_known;     /* what follows */
    uint64_t states, transitions;
    double seconds;
};

/* A search that was split into parts. */
struct split_statistics {
    uint32_t parts, split; /* that were searched; those that were split again */
    uint32_t divided;      /* that did not fit at their beginning: others are in their place */
    uint32_t waiting;      /* that were not searched */
    uint64_t gross_states,
        gross_transitions; /* with those that several parts visited counted each time */
    bool is_net;           /* the counts of the result are without these; otherwise ... */
    const char *why_gross; /* ... why not */
    uint64_t frozen_bytes, live_peak;
    const struct points *points; /* that it was split by; NULL: by ranks */
    bool chosen;                 /* these, automatically */
    struct split_part *list;
    uint32_t list_count;
};

/* What a breadth-first search has in files. */
struct snapshot_statistics {
    uint64_t frozen_bytes; /* that were written in this run */
    uint64_t resumed;      /* levels that an earlier run had left */
};

/* A search by the number of interactions with the guide. Round k has the states that k interactions
 * lead to and no fewer do. */
struct round_statistics {
    uint64_t *states; /* NULL: not known, because some were visited again from files; per round, in
                         complete searches those of all rounds that have any: the last one's number
                         is the least bound that is enough */
    uint32_t count;
};

/* One p-path that was searched: p-points in the order in which a run takes them. */
struct p_path {
    uint32_t parent; /* in the list, without its last p-point; MODEL_NONE: this is the empty path */
    uint32_t point;  /* the last one */
    uint64_t states; /* visited in its partition */
};

enum { PARTITION_LISTED = 10000 }; /* reports have no more p-paths */

/* A search that was divided by p-points. */
struct partition_statistics {
    const struct points *points;
    bool chosen;         /* automatically */
    bool hidden;         /* the variant of the paper, which guarantees no coverage */
    uint64_t partitions; /* p-paths that were searched */
    uint64_t clusters;   /* past-freeze, too: that were searched, p-path by p-path */
    uint64_t skipped;    /* p-paths that were not: everything right after them had been visited */
    uint64_t waiting;    /* p-paths that were found and did not have their turn */
    uint64_t complete_paths; /* hidden: those that have no continuation */
    uint64_t longest;        /* p-points on a p-path */
    uint64_t gross_states;   /* with those that several partitions visited counted each time */
    uint64_t largest;        /* states visited in a partition */
    uint64_t spills;         /* how often memory was full */
    uint64_t disk_states,
        written;          /* states on disk; bytes that were written, merged ones each time */
    bool is_net;          /* the counts of the result are without repetitions */
    struct p_path *paths; /* the first ones of them */
    uint32_t path_count;
};

/* One p-path in a list of all, shortest first. */
struct execution_order {
    uint32_t parent; /* in the list, without its last p-point; MODEL_NONE: this is the empty path */
    uint32_t point;  /* the last one */
    bool is_maximal; /* no run follows it any further */
};

/* How many p-paths there are: exact, or nothing is known. */
struct order_counts {
    bool is_known;
    uint64_t all, maximal; /* those that some run passes; those that none follows any further */
    const char *all_digits,
        *maximal_digits;          /* of one that does not fit in 64 bits, or is infinite; or NULL */
    struct execution_order *list; /* the first ones, if they were asked for */
    uint32_t list_count;
};

struct order_statistics {
    const struct points *points;
    bool chosen;     /* automatically */
    uint64_t states; /* of the minimal automaton whose words are the p-paths, ... */
    uint64_t pairs;  /* ... or, when they were enumerated, of a p-path and a state */
    struct order_counts counts;
};

/* One of several searches that asked the same (result/furthest.h). */
struct search_brief {
    const char *engine;
    bool has_states, has_depth;
    uint64_t states, depth;
    const char *digits; /* of a number of states that does not fit in 64 bits, or NULL */
    enum stop_reason stop;
    double seconds; /* from the beginning of the first one to its end */
};

struct result {
    const char *engine;
    const char *why_engine;        /* when it was chosen automatically: the reason */
    struct search_brief *searches; /* when there were several, in order: everything else is of the
                                      one that is told */
    uint32_t search_count;
    struct symbolic_statistics *symbolic; /* NULL: another engine */
    struct bounded_statistics *bounded; /* NULL: another engine; states are not counted otherwise */
    struct cluster_statistics *clusters;    /* NULL: another order */
    struct split_statistics *parts;         /* NULL: it was not split */
    struct round_statistics *rounds;        /* NULL: another order */
    struct snapshot_statistics *snapshot;   /* NULL: its levels are not kept in files */
    struct partition_statistics *partition; /* NULL: it was not divided by p-points */
    struct order_statistics *orders;        /* NULL: p-paths were not counted */
    struct peer_statistics *peers;          /* NULL: there was one process */
    uint32_t peer_count;
    struct timed_statistics *timed; /* NULL: another engine; states are symbolic ones otherwise */
    struct {
        const char *states, *transitions, *initial_states,
            *deadlocks; /* decimal digits of counts that do not fit in 64 bits, or NULL */
    } exact;
    enum reduction reduction; /* that was applied to the state space ... */
    enum keeping
        keeps;        /* ... and what it preserves; KEEP_ASKED: reachable values only (ImProviso) */
    const bool *kept; /* of an exploration: per variable, whether formulas about it are preserved;
                         or NULL */
    uint32_t unreduced_properties; /* explicit: so many were decided by a second search, without
                                      reduction; their method says why ... */
    uint64_t unreduced_states;     /* ... and it visited so many states */
    bool no_transitions;           /* they were not counted */
    bool no_deadlocks;
    bool complete;
    bool all_states; /* the state space is complete; with !complete, a temporal property met a limit
                        afterwards */
    enum stop_reason stop;
    const char *stop_detail; /* more about it, or NULL */
    uint64_t states, transitions, initial_states, deadlocks, runtime_errors, expanded;
    uint64_t ends; /* states without a step that are final: not among the deadlocks */
    uint64_t depth;
    enum search_order order; /* of a search without a more precise word for it */
    bool has_depth;          /* a depth-first search does not know it */
    uint64_t max_stack;
    double seconds;
    uint64_t peak_bytes;
    uint32_t record_bytes, state_bits;
    uint32_t threads;   /* explicit: that searched together; 0: one */
    const char *native; /* whether rules became machine code, or why not; NULL: nobody tried */
    uint64_t *
        levels; /* states known after each breadth-first level; `depth + 1` entries when complete */
    uint64_t level_count;
    uint64_t *taken;  /* per rule: how often it was taken */
    uint8_t *reached; /* per entry of model->locations and process: see result_location_reached */
    uint64_t *reached_first; /* per process: its first bit in `reached` */
    const struct model
        *searched; /* when the model has hidden variables: the one that was searched, without those
                      that influence nothing (is_left_out); what it still hides influences what can
                      be seen, so that coverage is not guaranteed. Otherwise NULL */
    const char *refused;          /* the search could not begin: why */
    enum stop_reason refused_for; /* then: for want of memory, or for what is in a folder */
    const char *broken;           /* an internal error was found: what */
};

/* Whether states were compared without hidden variables that influence what can be seen. */
bool result_is_influenced(const struct result *result);
/* Whether a rule that was not taken in all_states is never taken: a reduction may leave rules out
 * that do not matter for what it keeps. */
bool result_knows_rules(const struct result *result);
bool result_location_reached(const struct result *result, uint32_t process, uint32_t location);
/* Whether it is known how often rules were taken and which locations were reached, as far as the
 * search came; searches that go over states again and again, at the same time, do not know. */
bool result_has_coverage(const struct result *result);
/* The p-points that a result is about, and whether they were chosen automatically; or NULL. */
const struct points *result_points(const struct result *result, bool *chosen);
/* How many variables, rules and so on results of this model are about. */
struct member_shape result_shape(const struct model *model);
/* How much of the ranks is done, and how much of what was reached could be freed: from 0 to 1. */
double result_progress(const struct result *result);
double result_freezability(const struct result *result);
/* A cluster is finished; its rank is less the lowest one. After the search: finds the quantiles of
 * the sizes when they are very many. */
void result_note_cluster(struct cluster_statistics *clusters, struct mem *mem, uint64_t rank,
                         uint64_t states);
void result_end_clusters(struct cluster_statistics *clusters, struct mem *mem);

/* The properties to check: those of the model, then the built-in ones. */
struct property_result *result_list_properties(struct model *model, bool with_deadlock,
                                               uint32_t *count);

/* What is told of a property. One that seeks a state holds when a run to such a state was found. */
enum verdict result_answer(const struct property_result *entry);

/* Whether a property holds only because its antecedent is never true. The one place that says so,
 * from what engines have found out about antecedents. */
bool result_is_vacuous(const struct property_result *entry);

/* What must hold of a result when it leaves an engine, or comes from elsewhere. NULL: it does;
 * otherwise which of these is broken:
 *
 *  1. It names its engine, unless the search could not begin.
 *  2. A complete search has no reason to stop; it has all states, or it is one of proofs.
 *  3. It has the statistics of one engine: symbolic, bounded, timed, or none of these.
 *  4. States that are initial, deadlocked or final are states, unless there are more than 64 bits
 *     can count, or symbolic states were given up for larger ones.
 *  5. Levels do not shrink, and the last one has no more than all states; but symbolic states may
 *     be given up for larger ones.
 *  6. Clusters: not more in memory than most, not more sizes than finished ones, largest included.
 *  7. Of p-paths and parts, whatever is continued is earlier in the list; p-points are known.
 *  8. What is counted is there: a list that is not empty has elements.
 *
 * The same of a property:
 *
 *  9. It has evidence only when it is decided: a run, or the last state and why there is no run.
 * 10. Branches, an open end and further runs belong to a run; a branch leaves an earlier one at one
 * of its states.
 * 11. A run takes rules that exist, repeats from one of its states, and has a unit for its delays.
 * 12. An antecedent is not both met and never met.
 * 13. It is one of the kind of its property. */
const char *result_check(const struct result *result, const struct member_shape *shape);
const char *result_check_property(const struct property_result *entry,
                                  const struct member_shape *shape);
/* In builds for tests: both, of everything in the task; a mistake ends the program. */
void result_assert(const struct task *task, const struct result *result);

/* One word for all: violated if one is, unknown if one that was asked for is, otherwise holds. */
enum verdict result_overall(const struct property_result *properties, uint32_t count);

#endif
