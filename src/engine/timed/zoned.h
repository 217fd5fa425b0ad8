/* The space of packed words with zones (search/space.h): a state is a discrete state with a zone,
 * which holds the valuations of timers and clocks that are reached there, after letting time
 * pass. */
#ifndef CAIRN_ENGINE_TIMED_ZONED_H
#define CAIRN_ENGINE_TIMED_ZONED_H

#include "engine/timed/dating.h"
#include "engine/timed/listings.h"
#include "engine/timed/moves.h"
#include "engine/timed/nodes.h"
#include "engine/timed/pieces.h"
#include "reduce/stubborn.h"
#include "search/space.h"

/* A property that is violated where a condition has a value. */
struct zoned_query {
    const struct model_property *property;
    formula f;
    bool wanted;
    bool has_stuck; /* `deadlock` is in it */
};

struct zoned {
    struct space space; /* first: it is known by it */
    struct result *result;
    struct timers timers;
    struct clocks clocks;
    struct configs configs;
    struct nodes_work work;
    bool exact; /* zones keep deadlocks */
    enum zone_storage storage;
    struct pieces pieces;
    struct zoned_query *queries; /* what is looked for in zones: a sight each (findings.h) */
    uint32_t query_count;
    bool look_for_stuck;              /* whether being stuck by clocks and deadlines matters */
    bool is_reduced;                  /* where time stands still, few rules are taken ... */
    struct stubborn stubborn;         /* ... these */
    struct listings_shared *listings; /* of workers that are not alone; or NULL */
    bool any_barred; /* in some state a rule is enabled, or fails, and is not permitted */
    uint64_t bytes_before, most_bytes; /* memory before the search; most that sets took, when one
                                          ended */
};

/* What a step has beside its words. */
struct zoned_step {
    uint64_t discrete; /* its number in its set when it was expanded, or STORE_NONE */
    uint64_t seen;     /* pairs before this number do not include it; after it was added: how many
                          were given up */
    uint32_t zone, clocks;   /* where its matrix is in the pool; of so many clocks */
    uint32_t built;          /* its configuration, unless the discrete state has one */
    uint32_t written, bytes; /* where its string is, and how many bytes; none: 0 */
    uint32_t hash;
    bool is_known; /* another pair stands for it */
    bool is_new;   /* its discrete state was added with it */
};
enum { ZONED_EXTRA = (sizeof(struct zoned_step) + 7) / 8, ZONED_NO_BUILT = 0xFFFFFFFF };

/* A configuration that was made for a state that was not known. */
struct zoned_built {
    uint32_t count, first; /* its clocks */
    uint32_t bound_count, first_bound;
    bool urgent, forbidden;
    bool is_written; /* the zone of a step that leads to its state is a string already */
    uint32_t words;  /* its state, in the pool, of this hash */
    uint64_t hash;
    uint32_t number; /* among all, once it is committed */
};

/* Where a configuration of the batch is found by the hash of its state. */
struct zoned_place {
    uint32_t batch; /* of which it is: others do not count */
    uint32_t built;
};

/* A rule that is enabled in the state being expanded, priorities aside. */
struct zoned_rule {
    uint32_t listed, number; /* in the list; as history counts them */
    struct set *set;         /* that its successor belongs to; NULL: none so far */
    uint64_t discrete;       /* its number there, or STORE_NONE */
    uint32_t built;
};

/* What of a batch's state is not in the batch. */
struct zoned_state {
    uint32_t first_use; /* of configurations of the batch, in the order of one thread */
    bool barred;
};

/* What one worker has of its own. What belongs to its batch is forgotten with that. */
struct zoned_worker {
    struct mem *mem;
    struct moves moves;
    struct config_builder builder;
    struct batch listed, ahead; /* rules of the state at hand; of one it leads to */
    struct listings listings;   /* those of states lately, where rules are slow; of one alone */
    struct zoned_rule *rules;   /* that are enabled there, ... */
    struct moves_rule *moving;  /* ... for moves */
    uint32_t *failed;           /* rules that fail there */
    uint32_t rule_count, failed_count, rule_room;
    bool barred;     /* a rule is not permitted there */
    bool is_closed;  /* the state that was in files need not be expanded */
    uint32_t source; /* the configuration of the state at hand, if it is one of the batch */
    struct nodes_work looks;
    struct stubborn_work stubborn; /* of a reduced search */
    uint32_t *enabled;             /* the rules that are, for it */
    struct pieces_work pieces;
    unsigned char *record; /* that was written last */
    size_t record_room;
    struct federation within, found; /* of a condition: where it is asked, where it is true */
    const struct set *at_hand;       /* that states are expanded of */
    struct set *goal;                /* that the rules listed lead to; NULL: no set */
    /* of the batch */
    uint64_t *pool; /* matrices and strings */
    struct zoned_built *built;
    struct config_clock *clocks;
    struct config_bound *bounds;
    uint32_t *uses; /* configurations that states need, one after the other */
    struct zoned_state *states;
    struct zoned_place *places; /* open addressing, at most half full; `place_count` of them, a
                                   power of two */
    uint64_t place_count;
    uint32_t batch; /* its number */
    uint64_t used, pool_room, built_count, built_room, use_count, use_room, clock_count, clock_room,
        bound_count, bound_room, state_room;
};

/* Memory is taken by calls that jump when it is refused, or not at all: false. */
bool zoned_init(struct zoned *zoned, struct model *model, struct result *result, bool exact);
void zoned_release(struct zoned *zoned);

static inline struct zoned_worker *zoned_of(const struct worker *worker) { return worker->own; }
static inline struct zoned_step *zoned_step(const struct worker *worker, uint32_t step)
{
    return (struct zoned_step *)(batch_words(&worker->batch, step) + worker->space->layout.words);
}
static inline struct dbm zoned_zone(const struct worker *worker, const struct zoned_step *step)
{
    return dbm_in((dbm_bound *)(zoned_of(worker)->pool + step->zone), step->clocks);
}
/* A configuration of the batch. */
struct config zoned_config(const struct worker *worker, uint32_t built);
/* Room for so many words more in the pool: where they begin, or UINT32_MAX: memory was refused. */
uint32_t zoned_pool(struct zoned_worker *own, uint64_t words);

/* zoned_expand.c: the state in worker->words, whose configuration is being built, or has been. */
bool zoned_build(struct worker *worker, const uint64_t *words, uint64_t hash, uint32_t *built);
bool zoned_expand(struct worker *worker, struct set *set, uint64_t state);
/* Lists the rules of the state in worker->words; moves has its configuration. */
bool zoned_list(struct worker *worker, struct set *set);
/* Of the rules that are listed, those that can be taken from the zone in moves have their
 * configurations, as far as invariants ask for them: to be called before rules are held against
 * each other, or stuck valuations looked for. False: memory was refused. */
bool zoned_ready(struct worker *worker);
/* Whether the i-th of them is known not to be one of those. */
static inline bool zoned_is_out(const struct worker *worker, uint32_t i)
{
    const struct zoned *zoned = (const struct zoned *)worker->space;
    return zoned->clocks.invariants.len && !zoned_of(worker)->moving[i].has_to;
}
/* Where the i-th of them leads: its configuration. False: memory was refused. */
bool zoned_resolve(struct worker *worker, struct set *set, uint32_t i);
/* Puts a step with the zone in moves.next into the batch, whose words are there. False: memory was
 * refused. */
bool zoned_put(struct worker *worker, struct batch_state *begun, const struct zoned_step *known,
               const struct fast_rule *fast, uint64_t hash);
/* A state begins; NULL: memory was refused. */
struct batch_state *zoned_begin(struct worker *worker, uint64_t state);
void zoned_undo(struct worker *worker);

/* Few rules are taken where time stands still, as far as the task's properties allow that. Before
 * workers are opened. */
void zoned_reduce(struct zoned *zoned, const struct task *task);

/* zoned_query.c: takes what zones tell of the task's queries as queries of the space, and the
 * constants of those. Whether a query is one of them. Before workers are opened. */
void zoned_watch(struct zoned *zoned, const struct task *task);
bool zoned_sees(const struct model *model, const struct property_result *entry);
/* Every constant with which the condition compares a clock counts in extrapolation. */
void zoned_watch_condition(struct zoned *zoned, formula f);
/* Looks for them in the state and the zone at hand, whose rules are listed. False: memory was
 * refused. */
bool zoned_look(struct worker *worker, struct batch_state *begun);
/* Where, of the valuations of the state at hand, the condition has this value, in own->found. */
enum pieces_result zoned_find(struct worker *worker, formula f, bool wanted, bool has_stuck);
/* zoned.c: a state that was in files, packed, and the string of its zone, as the step of no state
 * in an empty batch. The zone stays in moves.next, so that the state can be expanded. False: they
 * make no sense, or memory was refused (worker->is_refused). */
bool zoned_thaw(struct worker *worker, const void *state, const uint8_t *zone, uint64_t bytes);

/* zoned_trace.c: dates for a trace, whose end is the state in `words`; stuck: it ends in a stuck
 * valuation of it. Without dates the result is broken. */
void zoned_complete(struct space *space, struct property_result *entry, const uint64_t *words);
void zoned_date(struct zoned *zoned, struct trace *trace, const struct dating_goal *goals,
                uint32_t count);
/* What the clocks of its zones are, for dating (dating.h); the list is the caller's. */
uint32_t *zoned_sources(const struct zoned *zoned, const struct config *config);
void zoned_date_stuck(struct zoned *zoned, struct trace *trace, const uint64_t *words);

/* zoned_record.c: for peers (search/space.h). */
enum { ZONED_RECORD_MOST = 1 << 16 };
size_t zoned_write_step(struct worker *worker, uint32_t step, const unsigned char **record);
size_t zoned_write_state(struct worker *worker, const struct set *set, uint64_t state,
                         const unsigned char **record);

extern const struct space_kind zoned_kind;

#endif
