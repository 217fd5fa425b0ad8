#include "engine/explicit/space.h"

#include <string.h>

void space_load(struct space *space, uint32_t state)
{
    space->words[space->layout.words - 1] = 0; /* the record may end within the last word */
    memcpy(space->words, store_get(space->store, state), space->layout.record_bytes);
}

uint32_t space_rule_between(struct space *space, uint32_t from, uint32_t to)
{
    struct program_cursor cursor;
    const struct fast_rule *fast;
    enum step step;
    space_load(space, from);
    program_start(&space->program, &cursor);
    while ((step = program_next(&space->program, &cursor, space->words, space->next, &fast))
           != STEP_NONE)
        if (step == STEP_TAKEN
            && !memcmp(space->next, store_get(space->store, to), space->layout.record_bytes))
            return fast->rule;
    return MODEL_NONE;
}
