#include "engine/explicit/packed.h"

#include "model/eval.h"
#include "search/flat.h"

#include <assert.h>

static void end_state(const struct worker *worker, struct batch_state *begun)
{
    if (begun->enabled) return;
    begun->end =
        space_is_final(worker->space, worker->program, worker->words) ? BATCH_FINAL : BATCH_DEAD;
}

static bool expand(struct worker *worker, struct set *set, uint64_t state)
{
    struct program_cursor cursor;
    struct batch_state *begun = batch_begin(&worker->batch, state);
    if (!begun) return false;
    set->kind->load(set, state, worker->words);
    program_start(worker->program, &cursor);
    if (!space_take_steps(worker, set, begun, &cursor, UINT32_MAX)) {
        batch_undo(&worker->batch);
        return false;
    }
    end_state(worker, begun);
    return true;
}

/* Takes the last step out of the batch, if it is known. False: it is not, or memory was refused. */
static bool take_out(struct worker *worker, struct batch_state *begun)
{
    struct batch *batch = &worker->batch;
    const uint32_t last = batch->step_count - 1;
    batch->steps[last].number = begun->known;
    if (worker->lists_known || flat_kind.find(worker, last) == SET_NONE) return false;
    if (batch->rule_count == batch->rule_room && !batch_grow_rules(batch)) return false;
    batch->rules[batch->rule_count++] = batch->steps[last].fast->rule;
    begun->known++;
    begun->steps--;
    batch->step_count--;
    return true;
}

static bool expand_next(struct worker *worker, struct set *set, uint64_t state,
                        struct program_cursor *cursor)
{
    struct batch_state *begun = batch_begin(&worker->batch, state);
    if (!begun) return false;
    set->kind->load(set, state, worker->words);
    if (!cursor->has_begun) program_start(worker->program, cursor);
    cursor->has_begun = true;
    begun->enabled = cursor->has_step;
    do {
        if (space_take_steps(worker, set, begun, cursor, 1)) continue;
        batch_undo(&worker->batch);
        return false;
    } while (begun->steps && take_out(worker, begun));
    cursor->has_step |= begun->enabled;
    end_state(worker, begun);
    return true;
}

static bool initial(struct worker *worker, bool first)
{
    struct space *space = worker->space;
    struct batch *batch = &worker->batch;
    if (first) eval_first_initial(space->model, space->initial);
    else if (!eval_next_initial(space->model, space->initial)) return false;
    struct batch_state *begun = batch_begin(batch, SET_NONE);
    uint64_t *words = batch_room(batch);
    assert(begun && words); /* an empty batch has room for one of each */
    layout_pack(&space->layout, space->model, space->initial, words);
    struct batch_step *to = batch_put(batch, begun);
    to->fast = NULL;
    to->hash = store_hash(words, space->layout.key_bytes);
    to->set = NULL;
    return true;
}

const struct space_kind packed_kind = {.engine = "explicit",
                                       .sets = &flat_kind,
                                       .expand = expand,
                                       .expand_next = expand_next,
                                       .initial = initial};
