#include "search/space.h"

#include <assert.h>
#include <string.h>

void space_init(struct space *space, const struct space_kind *kind, struct model *model)
{
    space->kind = kind;
    space->mem = model->mem;
    space->model = model;
    layout_init(&space->layout, model);
    space->is_mixed = STORE_HASH_BITS == 64 && space->layout.record_bytes <= sizeof(uint64_t)
                      && space->layout.key_bytes == space->layout.record_bytes;
    space->folds_at = SET_NONE;
    program_init(&space->program, model, &space->layout);
    if (model->has_final) space->final = program_compile(&space->program, model->final);
    space->values = mem_alloc(space->mem, (model->vars.len + UINT64_C(1)) * sizeof *space->values);
    space->initial = mem_alloc(space->mem, (model->vars.len + UINT64_C(1)) * sizeof *space->values);
}

void space_release(struct space *space)
{
    if (space->is_folded) tree_release(&space->tree);
    mem_free(space->mem, space->written);
    program_release(&space->program);
    layout_release(&space->layout, space->model);
    mem_free(space->mem, space->values);
    mem_free(space->mem, space->initial);
}

bool worker_open(struct worker *worker, struct space *space, struct mem *mem, bool is_alone)
{
    const uint32_t words = space->layout.words + space->extra_words;
    const size_t state = (words + UINT64_C(1)) * sizeof(uint64_t) + MEM_APART;
    *worker = (struct worker){.space = space, .mem = mem, .program = &space->program};
    if (!batch_init(&worker->batch, mem, words)) return false;
    worker->words = mem_try_alloc(mem, state);
    worker->other = mem_try_alloc(mem, state);
    if (!worker->words || !worker->other) return false;
    if (!is_alone) {
        worker->has_fork = program_fork(&space->program, &worker->fork);
        if (!worker->has_fork) return false;
        worker->program = &worker->fork;
    }
    return !space->kind->open || space->kind->open(worker);
}

void worker_close(struct worker *worker)
{
    if (worker->space->kind->close) worker->space->kind->close(worker);
    if (worker->has_fork) program_release_fork(&worker->fork);
    batch_release(&worker->batch);
    tree_view_close(&worker->view);
    mem_free(worker->mem, worker->words);
    mem_free(worker->mem, worker->other);
}

/* A step of which only the rule is listed if it is known; otherwise it is added. False: memory was
 * refused. */
static inline bool add_next(struct worker *worker, struct set *set, struct batch_state *begun,
                            const struct fast_rule *fast, const uint64_t *words, uint64_t hash)
{
    struct batch *batch = &worker->batch;
    bool is_new;
    if (!batch_rule_room(batch)) return false;
    const uint64_t to = set->kind->add_one(set, words, hash, &is_new);
    if (to == SET_NONE) return false;
    if (!is_new && !worker->lists_known) {
        batch_put_known(batch, begun, fast->rule);
        return true;
    }
    if (is_new) batch->fresh[batch->fresh_count++] = batch->step_count;
    struct batch_step *step = batch_put(batch, begun);
    *step = (struct batch_step){
        .fast = fast, .hash = hash, .set = set, .to = to, .number = begun->known};
    return true;
}

/* Where `recent` has the state that a step leads to, from the one at hand; it is the hash, unless
 * the space has a tree. */
static inline uint64_t spot_of(const struct worker *worker, const uint64_t *words, uint32_t rule)
{
    struct tree_view *view = (struct tree_view *)&worker->view;
    const uint64_t *written = worker->space->written;
    if (!view->tree) return space_hash(worker->space, words);
    return tree_view_sum(view, words, written ? written + rule : NULL) >> 32;
}

/* Once that is known: its hash. */
static inline uint64_t hash_at(const struct worker *worker, const uint64_t *words, uint64_t spot)
{
    struct tree_view *view = (struct tree_view *)&worker->view;
    if (!view->tree) return spot;
    const uint64_t record = tree_view_find(view, words);
    return record == TREE_NONE ? 0 : wordset_mix(record);
}

/* How the rules of a state are gone through. */
enum manner {
    TAKE_ALL,
    TAKE_RECENT, /* but for those that lead to states seen lately, which are taken out */
    TAKE_NEXT,   /* up to a step that is not known; those before it are taken out */
    TAKE_ALONE   /* those that fail as well, priorities and permissions aside */
};

static inline __attribute__((always_inline)) bool
take(const struct worker *worker, const uint64_t *words, struct batch *batch, struct set *set,
     struct batch_state *begun, struct program_cursor *cursor, enum manner manner)
{
    const bool *leave_out = manner == TAKE_ALONE ? NULL : worker->space->leave_out;
    struct recent *recent = manner == TAKE_RECENT ? batch->recent : NULL;
    assert(manner != TAKE_RECENT || recent);
    const struct program *program = worker->program;
    struct program_cursor at = *cursor; /* here it need not be in memory */
    const struct fast_rule *fast;
    for (;;) {
        uint64_t *room = batch_room(batch);
        if (!room || (manner == TAKE_RECENT && !batch_rule_room(batch))) return false;
        uint64_t *next = manner == TAKE_RECENT ? worker->other : room;
        enum step step = program_next(program, &at, words, next, &fast);
        if (step == STEP_NONE) break;
        if (leave_out && leave_out[fast->rule]) {
            begun->enabled |= step != STEP_FAILED;
            continue;
        }
        if (step == STEP_FAILED && manner != TAKE_ALONE) {
            if (!begun->failures++) begun->failed = fast->rule;
            continue;
        }
        if (manner == TAKE_NEXT) {
            const uint64_t hash = hash_at(worker, next, spot_of(worker, next, fast->rule));
            if (!add_next((struct worker *)worker, set, begun, fast, next, hash)) return false;
            if (begun->steps) break;
            continue;
        }
        const uint64_t spot = manner == TAKE_ALONE ? 0 : spot_of(worker, next, fast->rule);
        struct batch_step *to = batch_put(batch, begun);
        to->fast = fast;
        if (manner == TAKE_ALL) to->hash = hash_at(worker, next, spot);
        if (manner == TAKE_ALONE) to->tag = step;
        if (manner == TAKE_RECENT) {
            to->number += begun->known; /* among all steps, those included that are taken out */
            for (uint32_t i = 0; i < batch->words; i++) room[i] = next[i];
            const bool is_known = recent_has(recent, next, spot);
            to->hash = is_known && worker->view.tree ? 0 : hash_at(worker, next, spot);
            batch_take_back(batch, begun, is_known);
        }
        to->set = set;
    }
    begun->enabled |= begun->steps + begun->known != 0;
    *cursor = at;
    return true;
}

bool space_take_steps(struct worker *worker, struct set *set, struct batch_state *begun,
                      struct program_cursor *cursor)
{
    if (worker->batch.recent)
        return take(worker, worker->words, &worker->batch, set, begun, cursor, TAKE_RECENT);
    return take(worker, worker->words, &worker->batch, set, begun, cursor, TAKE_ALL);
}

bool space_take_next(struct worker *worker, struct set *set, struct batch_state *begun,
                     struct program_cursor *cursor)
{
    return take(worker, worker->words, &worker->batch, set, begun, cursor, TAKE_NEXT);
}

bool space_list(const struct worker *worker, const uint64_t *words, struct batch *list)
{
    struct program_cursor cursor;
    batch_clear(list);
    struct batch_state *begun = batch_begin(list, SET_NONE);
    program_start(worker->program, &cursor);
    cursor.alone = true;
    return begun && take(worker, words, list, NULL, begun, &cursor, TAKE_ALONE);
}

bool space_take_discrete(struct worker *worker)
{
    struct space *space = worker->space;
    const bool *leave_out = space->leave_out;
    struct program_cursor cursor;
    struct batch_state *begun = batch_begin(&worker->batch, SET_NONE);
    assert(worker->batch.state_count == 1);
    if (!begun) return false;
    program_start(worker->program, &cursor);
    cursor.alone = space->kind->alone;
    space->leave_out = NULL;
    bool good = take(worker, worker->words, &worker->batch, NULL, begun, &cursor, TAKE_ALL);
    space->leave_out = leave_out;
    return good;
}

bool space_is_final(const struct space *space, const struct program *program, const uint64_t *words)
{
    int64_t value;
    return space->model->has_final && program_run(program, space->final, words, &value) && value;
}
