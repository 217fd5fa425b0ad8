#include "engine/explicit/packed.h"

#include "model/eval.h"
#include "search/dense.h"
#include "search/flat.h"

#include <assert.h>
#include <string.h>

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
    if (set) set->kind->load(set, state, worker->words);
    program_start(worker->program, &cursor);
    if (!space_take_steps(worker, set, begun, &cursor)) {
        batch_undo(&worker->batch);
        return false;
    }
    end_state(worker, begun);
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
    if (!space_take_next(worker, set, begun, cursor)) {
        batch_undo(&worker->batch);
        return false;
    }
    cursor->has_step |= begun->enabled;
    end_state(worker, begun);
    return true;
}

/* A step of no state, whose words are to be filled in. The batch is empty. */
static struct batch_step *begin_initial(struct worker *worker, uint64_t **words)
{
    struct batch_state *begun = batch_begin(&worker->batch, SET_NONE);
    *words = batch_room(&worker->batch);
    assert(begun && *words); /* an empty batch has room for one of each */
    struct batch_step *to = batch_put(&worker->batch, begun);
    to->fast = NULL;
    to->set = NULL;
    return to;
}

static bool initial(struct worker *worker, bool first)
{
    struct space *space = worker->space;
    uint64_t *words;
    if (first) eval_first_initial(space->model, space->initial);
    else if (!eval_next_initial(space->model, space->initial)) return false;
    struct batch_step *to = begin_initial(worker, &words);
    layout_pack(&space->layout, space->model, space->initial, words);
    to->hash = space_hash(space, words);
    return true;
}

static bool thaw(struct worker *worker, const unsigned char *record, uint64_t size)
{
    const struct layout *layout = &worker->space->layout;
    uint64_t *words;
    if (size != layout->record_bytes) return false;
    struct batch_step *to = begin_initial(worker, &words);
    memset(words, 0, layout->words * sizeof *words);
    memcpy(words, record, size);
    to->hash = space_hash(worker->space, words);
    return true;
}

static const struct space_kind packed_dense_kind = {
    .engine = "explicit", .sets = &dense_kind, .expand = expand, .initial = initial, .thaw = thaw};

bool packed_be_dense(struct space *space)
{
    const struct layout *layout = &space->layout;
    if (!dense_can(layout->state_bits, layout->record_bytes, layout->key_bytes)) return false;
    space->kind = &packed_dense_kind;
    space->is_mixed = true;
    return true;
}

const struct space_kind packed_kind = {.engine = "explicit",
                                       .sets = &flat_kind,
                                       .expand = expand,
                                       .expand_next = expand_next,
                                       .initial = initial,
                                       .thaw = thaw};
