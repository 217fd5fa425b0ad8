/* States that a worker has expanded, and the steps that lead from them, before anybody has looked
 * them up: two cache misses each, so that it pays to have several on their way. A batch has whole
 * expansions only.
 *
 * Invariants: (1) the steps of the states stand one after the other, in the order of the states,
 * and so do the rules of steps that were taken out; (2) the numbers of a state's steps ascend, and
 * two are equal only when one rule leads to several zones. */
#ifndef CAIRN_SEARCH_BATCH_H
#define CAIRN_SEARCH_BATCH_H

#include "program/program.h"
#include "search/recent.h"
#include "search/set.h"

#include <assert.h>

struct batch_step {
    const struct fast_rule *fast; /* NULL: it is initial */
    uint64_t hash;
    struct set *set; /* that it belongs to; NULL: none so far, or it is not added */
    uint64_t to;     /* its number there, SET_NONE or SET_KNOWN */
    uint64_t tag;    /* the order's */
    uint32_t number; /* among all steps of its state, those included that were taken out; with time:
                        of its rule among those that are enabled, priorities aside */
    bool is_quiet;   /* no monitor has anything to say about it */
    bool is_new;     /* it was added by merge.h, with others, and is to be counted */
};

/* What happens in a state that nothing leads on from. */
enum batch_end { BATCH_GOES_ON, BATCH_DEAD, BATCH_FINAL, BATCH_UNCLEAR };

struct batch_state {
    uint64_t state; /* SET_NONE: its steps are initial states */
    uint32_t first, steps;
    uint32_t known_first,
        known;       /* steps that were taken out, because they were known: their rules */
    uint32_t failed; /* the first rule that failed, of ... */
    uint32_t failures;
    uint64_t seen, unclear; /* sights (findings.h) that were seen in it, that cannot be evaluated */
    uint8_t end;            /* enum batch_end */
    bool enabled;           /* a rule is, though it may have been left out */
};

/* Whether there is more to say of the state than its steps. */
static inline bool batch_is_odd(const struct batch_state *state)
{
    return state->end != BATCH_GOES_ON || state->failures || state->seen || state->unclear;
}

struct batch {
    struct mem *mem;
    uint32_t words; /* of a state */
    uint32_t state_count, state_room;
    uint32_t step_count, step_room;
    uint32_t rule_count, rule_room;
    uint32_t fresh_count;
    struct batch_state *states;
    struct batch_step *steps;
    uint64_t *records;
    uint32_t *fresh; /* steps that were added and are new, until that is dealt with; room as for
                        steps */
    uint32_t *rules; /* of steps that were taken out */
    struct recent *recent; /* while a state is expanded ahead: what need not be listed; or NULL */
};

/* False: memory was refused; batch_release may follow in either case. */
bool batch_init(struct batch *batch, struct mem *mem, uint32_t words);
void batch_release(struct batch *batch);
/* Room for more; false: memory was refused, and nothing has changed. */
bool batch_grow_states(struct batch *batch);
bool batch_grow_steps(struct batch *batch);
bool batch_grow_rules(struct batch *batch);

static inline uint64_t *batch_words(const struct batch *batch, uint32_t step)
{
    return batch->records + (size_t)step * batch->words;
}

static inline void batch_clear(struct batch *batch)
{
    batch->state_count = batch->step_count = batch->rule_count = batch->fresh_count = 0;
}

/* Room for one more step, and where its words go; NULL: memory was refused. */
static inline uint64_t *batch_room(struct batch *batch)
{
    if (batch->step_count == batch->step_room && !batch_grow_steps(batch)) return NULL;
    return batch_words(batch, batch->step_count);
}

/* Room for so many more steps, and for the rules of as many that are taken out. False: memory was
 * refused. */
bool batch_reserve(struct batch *batch, uint32_t steps);

/* A state begins; NULL: memory was refused. It stays where it is until the next one begins. */
static inline struct batch_state *batch_begin(struct batch *batch, uint64_t state)
{
    if (batch->state_count == batch->state_room && !batch_grow_states(batch)) return NULL;
    struct batch_state *begun = &batch->states[batch->state_count++];
    *begun = (struct batch_state){
        .state = state, .first = batch->step_count, .known_first = batch->rule_count};
    return begun;
}

/* A step of the state that was begun last, whose words are at batch_room. */
static inline struct batch_step *batch_put(struct batch *batch, struct batch_state *begun)
{
    struct batch_step *step = &batch->steps[batch->step_count++];
    step->number = begun->steps++;
    step->to = SET_NONE;
    step->is_quiet = step->is_new = false;
    return step;
}

/* Room for the rule of one more step that is taken out; false: memory was refused. */
static inline bool batch_rule_room(struct batch *batch)
{
    return batch->rule_count < batch->rule_room || batch_grow_rules(batch);
}

/* A step of the state that was begun last is known, and need not be listed. */
static inline void batch_put_known(struct batch *batch, struct batch_state *begun, uint32_t rule)
{
    assert(batch->rule_count < batch->rule_room);
    batch->rules[batch->rule_count++] = rule;
    begun->known++;
}

/* The step that was put last is taken out, if it is known. Nobody can foretell that, so there is no
 * branch. */
static inline void batch_take_back(struct batch *batch, struct batch_state *begun, bool is_known)
{
    assert(batch->rule_count < batch->rule_room && begun->steps);
    batch->rules[batch->rule_count] = batch->steps[batch->step_count - 1].fast->rule;
    batch->rule_count += is_known;
    batch->step_count -= is_known;
    begun->known += is_known;
    begun->steps -= is_known;
}

/* The state that was begun last did not happen. */
static inline void batch_undo(struct batch *batch)
{
    assert(batch->state_count);
    const struct batch_state *state = &batch->states[--batch->state_count];
    batch->step_count = state->first;
    batch->rule_count -= state->known;
}

/* Moves a step, with its words, to where another one was. */
static inline void batch_move(struct batch *batch, uint32_t from, uint32_t to)
{
    assert(to <= from && from < batch->step_room);
    if (from == to) return;
    batch->steps[to] = batch->steps[from];
    const uint64_t *source = batch_words(batch, from);
    uint64_t *target = batch_words(batch, to);
    for (uint32_t i = 0; i < batch->words; i++) target[i] = source[i];
}

/* Whether the invariants hold; rules of steps that were taken out may have been counted instead. */
bool batch_check(const struct batch *batch, bool lists_rules);

#endif
