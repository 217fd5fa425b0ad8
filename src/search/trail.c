#include "search/trail.h"

#include "base/peers.h"
#include "search/path.h"

#include <assert.h>
#include <string.h>

static const char no_time[] = "there was no time left to find a run to it";

/* A state on the trail, as all peers know it. */
struct mark {
    uint64_t size, level; /* of the record */
    uint64_t rule;        /* that leads on from it */
    uint64_t failed_rule;
};

struct following {
    const struct trail *trail;
    struct worker *worker;
    struct mark mark;
    unsigned char *record; /* of mark.size bytes: packed words, or what `thaw` takes */
    uint64_t *words;       /* of that */
};

/* ---- records ---- */

static uint64_t room_for(const struct space *space)
{
    const uint64_t words = (space->layout.words + UINT64_C(1)) * sizeof(uint64_t);
    return space->kind->record_most > words ? space->kind->record_most : words;
}

static void keep(struct following *following, const void *record, size_t size)
{
    if (!size) mem_refuse(following->worker->space->mem);
    assert(size <= room_for(following->worker->space));
    memcpy(following->record, record, size);
    following->mark.size = size;
}

static void keep_state(struct following *following, uint64_t state)
{
    struct worker *worker = following->worker;
    const struct set *set = following->trail->search->set;
    const unsigned char *record;
    if (worker->space->kind->write_state) {
        const size_t size = worker->space->kind->write_state(worker, set, state, &record);
        keep(following, record, size);
        return;
    }
    set->kind->load(set, state, worker->other);
    keep(following, worker->other, worker->space->layout.words * sizeof(uint64_t));
}

/* The packed words in a record. */
static void words_of(const struct following *following, uint64_t *words)
{
    const struct space *space = following->worker->space;
    const struct layout *layout = &space->layout;
    memset(words, 0, layout->words * sizeof *words);
    memcpy(words, following->record + (space->kind->write_state ? SPACE_RECORD_HEAD : 0),
           layout->record_bytes);
}

static bool leads_there(const struct following *following, uint32_t step)
{
    struct worker *worker = following->worker;
    const uint64_t *words = batch_words(&worker->batch, step);
    const unsigned char *record = (const unsigned char *)words;
    size_t size = worker->space->layout.words * sizeof *words;
    if (memcmp(words, following->words, worker->space->layout.record_bytes)) return false;
    if (worker->space->kind->write_step) {
        size = worker->space->kind->write_step(worker, step, &record);
        if (!size) mem_refuse(worker->space->mem);
    }
    return size == following->mark.size && !memcmp(record, following->record, size);
}

/* ---- one level ---- */

/* The first state here that has a step to the one at hand, of those of a level; SET_NONE: none. */
static uint64_t find_before(struct following *following, uint64_t first, uint64_t end,
                            uint32_t *rule)
{
    const struct trail *trail = following->trail;
    struct worker *worker = following->worker;
    struct batch *batch = &worker->batch;
    for (uint64_t state = first; state < end && !limits_enough(); state++) {
        if (!worker->space->kind->expand(worker, trail->search->set, state))
            mem_refuse(worker->space->mem);
        uint32_t i = 0;
        while (i < batch->step_count && !leads_there(following, i)) i++;
        const bool is_found = i < batch->step_count;
        if (is_found) *rule = batch->steps[i].fast->rule;
        batch_clear(batch);
        if (is_found) return state;
    }
    return SET_NONE;
}

static uint64_t first_of(const struct trail *trail, uint64_t level)
{
    return level < trail->level_count ? trail->firsts[level] : trail->search->set->next_level;
}

/* All get the state at hand of one of them. */
static bool share(struct following *following, uint32_t from)
{
    struct peers *peers = following->trail->search->task->peers;
    struct mark *mark = &following->mark;
    if (!peers->kind->broadcast(peers, from, mark, sizeof *mark)) return false;
    assert(mark->size && mark->size <= room_for(following->worker->space));
    if (!peers->kind->broadcast(peers, from, following->record, mark->size)) return false;
    words_of(following, following->words);
    return true;
}

/* From a state to one of the level before that leads there. *is_late: there is no time for it. */
static bool step_back(struct following *following, bool *is_late)
{
    const struct trail *trail = following->trail;
    struct peers *peers = trail->search->task->peers;
    const uint64_t level = following->mark.level;
    uint32_t rule = MODEL_NONE;
    assert(level);
    const uint64_t state =
        find_before(following, first_of(trail, level - 1), first_of(trail, level), &rule);
    uint64_t maxima[2] = {state == SET_NONE ? 0 : peers->count - peers->me, limits_enough()};
    if (!peers->kind->reduce(peers, NULL, 0, maxima, 2)) return false;
    *is_late = maxima[1];
    if (*is_late) return true;
    if (!maxima[0]) {
        trail->search->result->broken = "no rule leads from a state to its child";
        return true;
    }
    const uint32_t from = peers->count - (uint32_t)maxima[0];
    if (from == peers->me) {
        keep_state(following, state);
        following->mark.level = level - 1;
        following->mark.rule = rule;
    }
    return share(following, from);
}

/* ---- the run ---- */

static void show_state(const struct following *following, struct property_result *entry)
{
    const struct search *search = following->trail->search;
    const uint64_t room = search->model->vars.len + UINT64_C(1);
    entry->last = mem_alloc(search->model->mem, room * sizeof *entry->last);
    entry->reason = no_time;
    layout_unpack(&search->space->layout, search->model, following->words, entry->last);
}

/* False: a peer has failed. */
static bool follow(struct following *following, uint32_t property)
{
    struct search *search = following->trail->search;
    struct property_result *entry = &search->task->properties[property];
    bool is_late = false;
    const uint32_t failed_rule = (uint32_t)following->mark.failed_rule;
    struct trace *trace = trace_new(search->model, (uint32_t)following->mark.level);
    uint64_t *last = mem_alloc(search->model->mem, room_for(search->space));
    words_of(following, last);
    show_state(following, entry); /* as long as there is no run */
    while (following->mark.level && !is_late && !search->result->broken) {
        if (!step_back(following, &is_late)) return false;
        if (!is_late && !search->result->broken)
            trace->rules[following->mark.level] = (uint32_t)following->mark.rule;
    }
    if (is_late || search->result->broken) return true;
    mem_free(search->model->mem, entry->last);
    entry->last = NULL;
    entry->reason = NULL;
    layout_unpack(&search->space->layout, search->model, following->words, trace->initial);
    path_show(search, property, trace, failed_rule, last);
    mem_free(search->model->mem, last);
    return true;
}

static uint64_t level_of(const struct trail *trail, uint64_t state)
{
    uint64_t level = trail->level_count;
    while (level && state < first_of(trail, level)) level--;
    return level;
}

bool trail_show(const struct trail *trail, uint32_t property)
{
    struct search *search = trail->search;
    struct mem *mem = search->model->mem;
    const struct mem_lift before = mem_lift(mem);
    struct worker worker;
    struct following following = {.trail = trail, .worker = &worker};
    if (!worker_open(&worker, search->space, mem, true)) mem_refuse(mem);
    following.record = mem_alloc(mem, room_for(search->space));
    following.words = mem_alloc(mem, room_for(search->space));
    if (trail->finder == search->task->peers->me) {
        keep_state(&following, trail->state);
        following.mark.level = level_of(trail, trail->state);
        following.mark.failed_rule = trail->failed_rule;
    }
    const bool good = share(&following, trail->finder) && follow(&following, property);
    mem_free(mem, following.record);
    mem_free(mem, following.words);
    worker_close(&worker);
    mem_lower(mem, before);
    return good;
}
