/* A search of symbolic states for one query, by one thread, whose nodes are a discrete state, a tag
 * of the caller's and a zone: for questions that the search of a space cannot answer, because they
 * cut zones in ways of their own or ask for other constants.
 *
 * Nodes are numbered as they are found, and each is expanded at most once, in any order. Memory is
 * taken by calls that jump when it is refused. */
#ifndef CAIRN_ENGINE_TIMED_ROAM_H
#define CAIRN_ENGINE_TIMED_ROAM_H

#include "engine/timed/zoned.h"

enum { ROAM_NONE = 0xFFFFFFFF, ROAM_WAITS = 0xFFFFFFFE };

/* Of a node that was expanded, its edges. */
struct roam_span {
    uint64_t first;
    uint32_t count;
    bool is_known; /* it was expanded */
};

struct roam_edge {
    uint32_t to;
    uint32_t via; /* the rule; ROAM_WAITS: time passes, or nothing happens */
};

struct roam {
    struct task *task;
    struct mem *mem;
    struct zoned zoned;
    struct worker worker;
    bool is_open;
    struct nodes nodes;
    bool has_nodes;
    struct nodes_work work;
    uint64_t *words;             /* a discrete state and the tag behind it */
    uint32_t size;               /* of that */
    VEC(uint32_t) parents, vias; /* per node: how it was found; ROAM_NONE: it is initial */
    bool keeps_edges;            /* all steps are kept, not only those to new nodes: */
    VEC(struct roam_edge) edges;
    VEC(struct roam_span) spans; /* per node */
    const bool *leave_out;       /* per rule: it is not taken; NULL: all are */
    uint32_t at; /* the node that is being expanded; ROAM_NONE: none, states are initial */
    double started;
};

/* Everything that the query needs of zones (zoned_watch_condition, pieces_prepare) comes between
 * these two. equal: every zone is kept, and so are all edges. */
void roam_init(struct roam *roam, struct task *task, struct result *result, bool exact, bool equal);
void roam_open(struct roam *roam);
void roam_release(struct roam *roam);

static inline struct zoned_worker *roam_worker(const struct roam *roam)
{
    return zoned_of(&roam->worker);
}
static inline uint64_t roam_count(const struct roam *roam) { return roam->nodes.set.count; }

/* Why it must end now; STOP_NONE: it need not. */
enum stop_reason roam_stops(const struct roam *roam);

/* Enters the discrete state in `words`: its configuration is in moves, its rules are listed. */
void roam_enter_words(struct roam *roam, const uint64_t *words);
/* Enters the discrete state of a node, which is expanded now, and says its tag. */
uint64_t roam_enter(struct roam *roam, uint32_t node);
/* Then: its zone becomes that of moves, within the invariants. */
void roam_load(struct roam *roam, uint32_t node);
/* Adds nodes with the zones that moves gives, of the discrete state in `words`; `moved` is what
 * moves said of them. */
void roam_add(struct roam *roam, enum moves_result moved, const uint64_t *words, uint64_t tag,
              uint32_t via);
/* Adds what rules lead to from the zone in moves.source, with the tag. */
void roam_take_all(struct roam *roam, uint64_t tag);
/* Adds the initial states, with the tag. */
void roam_add_initial(struct roam *roam, uint64_t tag);

/* Whether a node was expanded, and its edges then. */
static inline bool roam_is_expanded(const struct roam *roam, uint32_t node)
{
    return roam->spans.data[node].is_known;
}
static inline const struct roam_edge *roam_edges(const struct roam *roam, uint32_t node,
                                                 uint32_t *count)
{
    const struct roam_span *span = &roam->spans.data[node];
    *count = span->is_known ? span->count : 0;
    return roam->edges.data + span->first;
}

#endif
