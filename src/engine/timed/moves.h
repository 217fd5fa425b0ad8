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
    const uint64_t *words; /* of the state that it leads to; NULL: no clock is set by code */
};

struct moves {
    const struct model *model;
    const struct timers *timers;
    const struct clocks *clocks;
    const struct program *program;
    const uint64_t *words; /* of the state being expanded */
    struct mem *mem;
    uint32_t most;        /* clocks there is room for */
    struct config config; /* of the state being expanded ... */
    struct dbm source;    /* ... and its zone, within its invariants */
    struct dbm guarded;   /* the part of it in which a rule can be taken */
    struct dbm next;      /* the zone after the step */
    struct dbm other;     /* working memory */
    uint32_t *map;        /* of the next zone's clocks: which clocks of the source they continue */
    int64_t *set_to;      /* of those that continue none: what they are */
    int32_t *lower, *upper;
    uint32_t *moved, move;         /* per process: the last step that moved it */
    struct federation rest;        /* the zone without what rules of higher classes may take */
    struct federation passed;      /* the zones after letting time pass, where there are several */
    struct federation split, open; /* working memory */
    uint32_t next_passed;
    bool any_slow;   /* urgent rules with clock guards, or differences of clocks: moves_pass.c */
    bool any_unless; /* rules have groups of constraints that must not hold together */
    bool is_passed;  /* zones in `passed` are to be given from number `next_passed` on */
    bool is_ready;   /* the zone in `next` is to be given */
    bool any_set;    /* the step at hand sets clocks to more than 0 */
    const struct moves_rule *rule; /* that is being taken */
    uint32_t piece;
    bool single;
    bool stays; /* no time passes in states that are entered: moves->next is what it is then */
};

/* False when memory is refused; then nothing is left to release. */
bool moves_init(struct moves *moves, struct mem *mem, const struct timers *timers,
                const struct clocks *clocks, const struct program *program, uint32_t most);
void moves_release(struct moves *moves);
/* Room for zones of this many clocks. False when memory is refused; the others stay good. */
bool moves_reserve(struct moves *moves, uint32_t clocks);

/* The first zones: all timers are 0, clocks what they begin with, then time passes. MOVES_NONE: an
 * invariant does not hold; otherwise moves_next gives the zones. */
enum moves_result { MOVES_NONE, MOVES_ZONE, MOVES_REFUSED };
enum moves_result moves_initial(struct moves *moves, const struct config *config);

/* The state to expand. */
void moves_enter_state(struct moves *moves, const struct config *config, const struct zones *zones,
                       uint64_t zone);

/* The same with a zone that is not in a set; it may be moves->next. */
void moves_enter_zone(struct moves *moves, const struct config *config, const struct dbm *zone);

/* The same with all valuations that the configuration in moves->config allows. */
void moves_enter_all(struct moves *moves);

/* In the state at hand: joins what no future comparison can tell apart from points of moves->next;
 * moves_next gives the zones. */
enum moves_result moves_join(struct moves *moves);
/* The same after letting time pass as long as it is in the zone, to which moves->next belongs or
 * comes at once. The zone meets no guards of urgent rules (moves_sort). */
enum moves_result moves_stay_in(struct moves *moves, const struct dbm *zone);
/* Takes from zones of the state at hand what meets the guards of urgent rules, where no time
 * passes, and adds it to others. Both are cut along the constraints of these guards, and do not
 * overlap where the zones did not. False: memory was refused. */
bool moves_sort(struct moves *moves, struct federation *zones, struct federation *still);

/* Taking a rule. `rules` are all that are enabled, among them the ones that hold this one back.
 * MOVES_REFUSED: memory was refused. MOVES_ZONE: it can be taken at some time; then moves_next
 * gives the zones it leads to, in moves->next, until there are no more. */
bool moves_can_begin(struct moves *moves, uint32_t rule);
enum moves_result moves_begin(struct moves *moves, const struct moves_rule *rule,
                              const struct moves_rule *rules, uint32_t count);
enum moves_result moves_next(struct moves *moves);

/* Whether a rule that fails is tried at some time: its timer is in its interval, its clock guards
 * hold and it is not held back. */
enum moves_result moves_fails(struct moves *moves, uint32_t rule, const struct moves_rule *rules,
                              uint32_t count);
/* Whether some valuation of the state is stuck: no rule can ever be taken. The deadline of a rule
 * that fails, or that is not permitted, may be the reason: `any_waits` says that there is one. */
enum moves_result moves_dead(struct moves *moves, const struct moves_rule *rules, uint32_t count,
                             bool any_waits);
/* The stuck valuations of the state at hand, as zones in moves->rest, all of those in moves->source
 * among them. That is closed under letting time pass: a zone of a symbolic state, or all valuations
 * (moves_enter_all), reachable or not. False when memory is refused. */
bool moves_find_dead(struct moves *moves, const struct moves_rule *rules, uint32_t count);
/* From now on moves->source is a part of it, and what time leads to from there. */
void moves_enter_future(struct moves *moves, const struct dbm *part);

/* ---- between moves.c and moves_pass.c ---- */

/* Most constraints hold already. */
static inline bool moves_tighten(struct dbm *zone, uint32_t i, uint32_t j, dbm_bound bound)
{
    return dbm_at(zone, i, j) <= bound || dbm_constrain(zone, i, j, bound);
}
bool moves_within_invariants(struct dbm *zone, const struct config *config);
bool moves_has_unless(const struct moves *moves, uint32_t rule);
/* Takes what the rule's groups of constraints forbid from zones of the state at hand. False: memory
 * was refused. */
bool moves_subtract_unless(struct moves *moves, uint32_t rule, struct federation *zones);
/* Reduces a zone to the part in which the rule can be taken, priorities and its groups of
 * constraints aside. */
bool moves_within_chance(struct moves *moves, struct dbm *zone, const struct moves_rule *rule);
/* No clock passes its invariants and deadlines. */
void moves_stop(struct dbm *zone, const struct config *config);
/* What no future comparison can tell apart is joined. */
void moves_extrapolate(struct moves *moves, struct dbm *zone, const struct config *config);
/* moves->next, which lies within the invariants, has just been entered: time passes. The zones are
 * in moves->passed. False: memory was refused. */
bool moves_pass(struct moves *moves, const struct config *config);
/* The same without letting time pass. */
bool moves_part(struct moves *moves, const struct config *config);
static inline bool moves_rushes(const struct config *config)
{
    return config->bound_count && config_bound(config, config->bound_count - 1)->group;
}
/* The part of moves->guarded from which no rule can be taken any more, in a state in which urgent
 * rules have clock guards, as zones in moves->rest. False: memory was refused. */
bool moves_subtract_futures(struct moves *moves, const struct moves_rule *rules, uint32_t count);

#endif
