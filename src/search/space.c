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
    mem_free(worker->mem, worker->found);
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

/* Where the rules of a state are gone through. */
struct taking {
    struct worker *worker;
    const uint64_t *words;
    struct batch *batch;
    struct set *set;
    struct batch_state *begun;
};

/* Lists what a rule leads to, whose words are at `next` and go to `room`, where the batch has room
 * for one step and one rule. False: memory was refused. */
static inline __attribute__((always_inline)) bool put(const struct taking *taking,
                                                      const struct fast_rule *fast, enum step step,
                                                      uint64_t *next, uint64_t *room,
                                                      enum manner manner)
{
    const struct space *space = taking->worker->space;
    const bool *leave_out = manner == TAKE_ALONE ? NULL : space->leave_out;
    struct batch *batch = taking->batch;
    struct batch_state *begun = taking->begun;
    if (leave_out && leave_out[fast->rule]) {
        begun->enabled |= step != STEP_FAILED;
        return true;
    }
    if (step == STEP_FAILED && manner != TAKE_ALONE) {
        if (!begun->failures++) begun->failed = fast->rule;
        return true;
    }
    const struct worker *worker = taking->worker;
    const uint64_t spot = manner == TAKE_ALONE ? 0 : spot_of(worker, next, fast->rule);
    if (manner == TAKE_NEXT)
        return add_next(taking->worker, taking->set, begun, fast, next,
                        hash_at(worker, next, spot));
    if (next != room)
        for (uint32_t i = 0; i < batch->words; i++) room[i] = next[i];
    struct batch_step *to = batch_put(batch, begun);
    to->fast = fast;
    to->hash = manner == TAKE_ALL ? hash_at(worker, room, spot) : 0;
    to->set = taking->set;
    if (manner == TAKE_ALONE) to->tag = step;
    if (manner == TAKE_RECENT) {
        to->number += begun->known; /* among all steps, those included that are taken out */
        const bool is_known = recent_has(batch->recent, room, spot);
        to->hash = is_known && worker->view.tree ? 0 : hash_at(worker, room, spot);
        batch_take_back(batch, begun, is_known);
    }
    return true;
}

/* By machine code, index by index, while there is room; the rest, from the cursor on, is the
 * machine's. */
static inline __attribute__((always_inline)) bool
take_native(const struct taking *taking, struct program_cursor *cursor, enum manner manner)
{
    struct worker *worker = taking->worker;
    struct batch *batch = taking->batch;
    const struct program *program = worker->program;
    const struct program_native *native = program->native;
    const struct runtime_context context = program_context(program);
    if (!worker->found) worker->found = mem_try_alloc(worker->mem, native->longest * 4 + MEM_APART);
    if (!worker->found) return true;
    for (uint32_t l = 0; l < native->lister_count; l++) {
        cursor->index = native->firsts[l];
        if (!batch_reserve(batch, native->longest)) return true;
        uint64_t *next = batch_words(batch, batch->step_count);
        const uint32_t count =
            native->listers[l](&context, taking->words, next, batch->words, worker->found);
        assert(count <= native->longest);
        for (uint32_t i = 0; i < count; i++, next += batch->words) {
            const struct fast_rule *rule = &program->rules.data[worker->found[i] / 4];
            if (rule->may_wait && !cursor->alone
                && program_holds_back(program, rule, taking->words))
                continue;
            if (!put(taking, rule, (enum step)(worker->found[i] % 4), next,
                     batch_words(batch, batch->step_count), manner))
                return false;
        }
    }
    cursor->index = program->indices.len;
    return true;
}

static inline __attribute__((always_inline)) bool
take(const struct worker *worker, const uint64_t *words, struct batch *batch, struct set *set,
     struct batch_state *begun, struct program_cursor *cursor, enum manner manner)
{
    const struct taking taking = {(struct worker *)worker, words, batch, set, begun};
    assert(manner != TAKE_RECENT || batch->recent);
    const struct program *program = worker->program;
    struct program_cursor at = *cursor; /* here it need not be in memory */
    const struct fast_rule *fast;
    if (program->native && manner != TAKE_NEXT && !take_native(&taking, &at, manner)) return false;
    for (;;) {
        uint64_t *room = batch_room(batch);
        if (!room || (manner == TAKE_RECENT && !batch_rule_room(batch))) return false;
        uint64_t *next = manner == TAKE_RECENT ? worker->other : room;
        enum step step = program_next(program, &at, words, next, &fast);
        if (step == STEP_NONE) break;
        if (!put(&taking, fast, step, next, room, manner)) return false;
        if (manner == TAKE_NEXT && begun->steps) break;
    }
    begun->enabled |= begun->steps + begun->known != 0;
    *cursor = at;
    return true;
}

static inline void adopt(const struct worker *worker)
{
    program_adopt((struct program *)worker->program);
}

bool space_take_steps(struct worker *worker, struct set *set, struct batch_state *begun,
                      struct program_cursor *cursor)
{
    adopt(worker);
    if (worker->batch.recent)
        return take(worker, worker->words, &worker->batch, set, begun, cursor, TAKE_RECENT);
    return take(worker, worker->words, &worker->batch, set, begun, cursor, TAKE_ALL);
}

bool space_take_next(struct worker *worker, struct set *set, struct batch_state *begun,
                     struct program_cursor *cursor)
{
    adopt(worker);
    return take(worker, worker->words, &worker->batch, set, begun, cursor, TAKE_NEXT);
}

bool space_list(const struct worker *worker, const uint64_t *words, struct batch *list)
{
    struct program_cursor cursor;
    adopt(worker);
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
