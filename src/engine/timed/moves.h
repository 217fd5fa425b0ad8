/* Steps between zones: what a rule does to the timers and clocks of a state. Works in matrices of
 * its own, made once.
 *
 * A symbolic state is a discrete state with a zone: all valuations that are reached there by
 * letting time pass. To expand one: moves_enter_state, then for each enabled rule moves_begin, and
 * moves_next as long as it gives zones; moves_dead and moves_fails ask about the same state. */
#ifndef CAIRN_ENGINE_TIMED_MOVES_H
#define CAIRN_ENGINE_TIMED_MOVES_H

#include "engine/timed/config.h"
#include "solver/zone/federation.h"
#include "solver/zone/zones.h"

/* An enabled rule, priorities aside, and the configuration it leads to. */
struct moves_rule {
    uint32_t rule;
    bool has_to;      /* of rules that are not being taken it may be missing when the model has no
                         invariants */
    struct config to; /* its clocks stay where they are while the state is expanded */
};

struct moves {
    const struct model *model;
    const struct timers *timers;
    struct mem *mem;
    uint32_t most;        /* clocks there is room for */
    struct config config; /* of the state being expanded ... */
    struct dbm source;    /* ... and its zone, within its invariants */
    struct dbm guarded;   /* the part of it in which a rule can be taken */
    struct dbm next;      /* the zone after the step */
    struct dbm other;     /* working memory */
    uint32_t *map;        /* of the next zone's clocks: which clocks of the source they continue */
    int32_t *lower, *upper;
    uint32_t *moved, move;         /* per process: the last step that moved it */
    struct federation rest;        /* the zone without what rules of higher classes may take */
    const struct moves_rule *rule; /* that is being taken */
    uint32_t piece;
    bool single;
    bool stays; /* no time passes in states that are entered: moves->next is what it is then */
};

/* False when memory is refused; then nothing is left to release. */
bool moves_init(struct moves *moves, struct mem *mem, const struct timers *timers, uint32_t most);
void moves_release(struct moves *moves);
/* Room for zones of this many clocks. False when memory is refused; the others stay good. */
bool moves_reserve(struct moves *moves, uint32_t clocks);

/* The first zone: all timers and clocks are 0, then time passes. False: an invariant does not hold.
 * The zone is moves->next. */
bool moves_initial(struct moves *moves, const struct config *config);

/* The state to expand. */
void moves_enter_state(struct moves *moves, const struct config *config, const struct zones *zones,
                       uint64_t zone);

/* The same with a zone that is not in a set; it may be moves->next. */
void moves_enter_zone(struct moves *moves, const struct config *config, const struct dbm *zone);

/* The same with all valuations that the configuration in moves->config allows. */
void moves_enter_all(struct moves *moves);

/* In the state at hand: lets time pass in moves->next as long as it is in the zone, to which it
 * belongs or comes at once, and joins what no future comparison can tell apart. */
void moves_stay_in(struct moves *moves, const struct dbm *zone);
/* The same without letting time pass. */
void moves_join(struct moves *moves);

/* Taking a rule. `rules` are all that are enabled, among them the ones that hold this one back.
 * moves_refused: memory was refused. */
enum moves_result { MOVES_NONE, MOVES_ZONE, MOVES_REFUSED };
/* MOVES_ZONE: it can be taken at some time; then moves_next gives the zones it leads to, in
 * moves->next, until there are no more. */
bool moves_can_begin(struct moves *moves, uint32_t rule);
enum moves_result moves_begin(struct moves *moves, const struct moves_rule *rule,
                              const struct moves_rule *rules, uint32_t count);
bool moves_next(struct moves *moves);

/* Whether a rule that fails is tried at some time: its timer is in its interval, its clock guards
 * hold and it is not held back. */
enum moves_result moves_fails(struct moves *moves, uint32_t rule, const struct moves_rule *rules,
                              uint32_t count);
/* Whether some valuation of the state is stuck: no rule can ever be taken. The deadline of a rule
 * that fails, or that is not permitted, may be the reason: `any_waits` says that there is one. */
enum moves_result moves_dead(struct moves *moves, const struct moves_rule *rules, uint32_t count,
                             bool any_waits);
/* All stuck valuations, reachable or not, as zones in moves->rest. False when memory is refused. */
bool moves_find_dead(struct moves *moves, const struct moves_rule *rules, uint32_t count);

#endif
