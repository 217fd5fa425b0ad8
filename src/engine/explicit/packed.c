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

/* ---- states as words that a tree makes of them ---- */

#ifdef CAIRN_TEST_HOOKS
enum { FOLD_STATES = 16, SAMPLE = 16, WIDE_BYTES = 16, FOLD_BYTES = 1 << 11 };
#else
/* Looking up in a tree takes longer than in a table: unless it must be, states have so many bytes,
 * and all of them so many, before there is one. */
enum { FOLD_STATES = 1 << 13, SAMPLE = 1 << 10, WIDE_BYTES = 32, FOLD_BYTES = 1 << 25 };
#endif
enum { ENTRY_BYTES = 21, AGAIN = 8 };

bool packed_fold_later(struct space *space, bool must)
{
    const struct layout *layout = &space->layout;
    if (!tree_can(layout->words) || layout->key_bytes != layout->record_bytes) return false;
    if (!must && layout->record_bytes < WIDE_BYTES) return false;
    const uint64_t many = FOLD_BYTES / layout->record_bytes;
    space->must_fold = must;
    space->folds_at = must || many < FOLD_STATES ? FOLD_STATES : many;
    return true;
}

static bool expand_folded(struct worker *worker, struct set *set, uint64_t state)
{
    struct space *space = worker->space;
    struct program_cursor cursor;
    if (!worker->view.tree && !tree_view_open(&worker->view, &space->tree, worker->mem)) {
        tree_view_close(&worker->view);
        return false;
    }
    struct batch_state *begun = batch_begin(&worker->batch, state);
    if (!begun) return false;
    dense_show(set, state, &worker->view);
    memcpy(worker->words, worker->view.words, space->layout.words * sizeof *worker->words);
    program_start(worker->program, &cursor);
    if (!space_take_steps(worker, set, begun, &cursor)) {
        batch_undo(&worker->batch);
        return false;
    }
    end_state(worker, begun);
    return true;
}

static const struct space_kind packed_tree_kind = {.engine = "explicit",
                                                   .sets = &dense_tree_kind,
                                                   .expand = expand_folded,
                                                   .initial = initial,
                                                   .thaw = thaw};

/* Some states of a set, evenly, one after the other; NULL: memory was refused. */
static uint64_t *take_sample(const struct space *space, const struct set *set, uint32_t *count)
{
    const uint32_t words = space->layout.words;
    *count = set->count < SAMPLE ? (uint32_t)set->count : SAMPLE;
    uint64_t *sample = mem_try_alloc(space->mem, *count * (size_t)words * sizeof *sample);
    for (uint32_t i = 0; sample && i < *count; i++)
        set->kind->load(set, set->count * i / *count, sample + (size_t)i * words);
    return sample;
}

static bool make_tree(struct space *space, const struct set *set)
{
    const struct layout *layout = &space->layout;
    uint32_t count;
    uint64_t *sample = take_sample(space, set, &count),
             *used = mem_try_alloc(space->mem, layout->words * sizeof *used);
    for (uint32_t i = 0; used && i < space->model->vars.len; i++)
        used[layout->fields[i].word] |= layout->fields[i].mask << layout->fields[i].shift;
    bool good =
        sample && used && tree_init(&space->tree, space->mem, layout->words, used, sample, count);
    mem_free(space->mem, sample);
    mem_free(space->mem, used);
    return good;
}

/* Which words each rule writes, where a set of words is one word. Without memory for that, nobody
 * knows. */
static void find_written(struct space *space)
{
    const struct model *model = space->model;
    if (space->written || space->tree.blocks > 1) return;
    space->written =
        mem_try_alloc(space->mem, (model->rules.len + UINT64_C(1)) * sizeof *space->written);
    for (uint32_t r = 0; space->written && r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        for (uint32_t i = 0; i < rule->writes; i++) {
            const uint32_t var = model->accesses.data[rule->first_write + i];
            space->written[r] |= UINT64_C(1) << space->layout.fields[var].word;
        }
    }
}

/* All states of a set, in another one. NULL: memory was refused. */
static struct set *copy(struct space *space, const struct set *set)
{
    struct set *to = dense_tree_kind.make(space);
    uint64_t *words = mem_try_alloc(space->mem, space->layout.words * sizeof *words);
    bool good = to && words;
    for (uint64_t i = 0; good && i < set->count; i++) {
        set->kind->load(set, i, words);
        good = dense_append(to, words);
    }
    mem_free(space->mem, words);
    if (!good && to) to->kind->free(to);
    return good ? to : NULL;
}

/* The states that are there say what it would gain. */
static bool pays(const struct space *space, const struct set *set)
{
    return space->must_fold
           || tree_entries(&space->tree) * ENTRY_BYTES < set->count * space->layout.record_bytes;
}

static struct set *fold(struct space *space, struct set *set)
{
    assert(!space->is_folded && set->kind == &flat_kind);
    space->folds_at = AGAIN * set->count;
    space->is_folded = make_tree(space, set);
    struct set *folded = space->is_folded ? copy(space, set) : NULL;
    if (folded && pays(space, set)) {
        const struct set_kind *kind = folded->kind;
        assert(folded->count == set->count);
        *folded = *set;
        folded->kind = kind;
        space->kind = &packed_tree_kind;
        find_written(space);
        set->kind->free(set);
        return folded;
    }
    if (folded) folded->kind->free(folded);
    if (space->is_folded) tree_release(&space->tree);
    space->is_folded = false;
    return NULL;
}

const struct space_kind packed_kind = {.engine = "explicit",
                                       .sets = &flat_kind,
                                       .fold = fold,
                                       .expand = expand,
                                       .expand_next = expand_next,
                                       .initial = initial,
                                       .thaw = thaw};
