#include "search/batch.h"

#include <string.h>

#ifdef CAIRN_DEGENERATE
enum { FIRST_STATES = 2, FIRST_STEPS = 2 };
#else
enum { FIRST_STATES = 8, FIRST_STEPS = 16 }; /* workers of a space with zones need few */
#endif

bool batch_init(struct batch *batch, struct mem *mem, uint32_t words)
{
    *batch = (struct batch){.mem = mem, .words = words};
    return batch_grow_states(batch) && batch_grow_steps(batch);
}

void batch_release(struct batch *batch)
{
    mem_free(batch->mem, batch->states);
    mem_free(batch->mem, batch->steps);
    mem_free(batch->mem, batch->records);
    mem_free(batch->mem, batch->rules);
    mem_free(batch->mem, batch->fresh);
    *batch = (struct batch){.mem = batch->mem, .words = batch->words};
}

bool batch_grow_states(struct batch *batch)
{
    uint64_t room = batch->state_room ? 2 * (uint64_t)batch->state_room : FIRST_STATES;
    struct batch_state *states = mem_try_resize(batch->mem, batch->states, room * sizeof *states);
    if (!states) return false;
    batch->states = states;
    batch->state_room = (uint32_t)room;
    return true;
}

bool batch_grow_steps(struct batch *batch)
{
    uint64_t room = batch->step_room ? 2 * (uint64_t)batch->step_room : FIRST_STEPS;
    struct batch_step *steps = mem_try_resize(batch->mem, batch->steps, room * sizeof *steps);
    if (!steps) return false;
    batch->steps = steps;
    uint64_t *records =
        mem_try_resize(batch->mem, batch->records, (room + 1) * batch->words * sizeof *records);
    if (!records) return false;
    batch->records = records;
    uint32_t *fresh = mem_try_resize(batch->mem, batch->fresh, room * sizeof *fresh);
    if (!fresh) return false;
    batch->fresh = fresh;
    batch->step_room = (uint32_t)room;
    return true;
}

bool batch_grow_rules(struct batch *batch)
{
    uint64_t room = batch->rule_room ? 2 * (uint64_t)batch->rule_room : FIRST_STEPS;
    uint32_t *rules = mem_try_resize(batch->mem, batch->rules, room * sizeof *rules);
    if (!rules) return false;
    batch->rules = rules;
    batch->rule_room = (uint32_t)room;
    return true;
}

bool batch_reserve(struct batch *batch, uint32_t steps)
{
    while (batch->step_room - batch->step_count < steps)
        if (!batch_grow_steps(batch)) return false;
    while (batch->rule_room - batch->rule_count < steps)
        if (!batch_grow_rules(batch)) return false;
    return true;
}

bool batch_check(const struct batch *batch, bool lists_rules)
{
    uint32_t at = 0, rule = 0;
    for (uint32_t i = 0; i < batch->state_count; i++) {
        const struct batch_state *state = &batch->states[i];
        if (state->first != at || (lists_rules && state->known && state->known_first != rule))
            return false;
        for (uint32_t k = 0; k < state->steps; k++, at++) {
            const struct batch_step *step = &batch->steps[at];
            if (k
                && (step->number < step[-1].number
                    || (step->number == step[-1].number && step->fast != step[-1].fast)))
                return false; /* (2) */
        }
        rule += lists_rules ? state->known : 0;
    }
    return at == batch->step_count && rule == batch->rule_count;
}
