#include "search/path.h"

#include <assert.h>
#include <string.h>

/* A worker beside that of the search, which may be in the middle of something. */
static struct worker *open_worker(struct search *search)
{
    struct mem *mem = search->model->mem;
    struct worker *worker = mem_alloc(mem, sizeof *worker);
    if (worker_open(worker, search->space, mem, true)) return worker;
    worker_close(worker);
    mem_refuse(mem);
}

static void close_worker(struct worker *worker)
{
    struct mem *mem = worker->mem;
    worker_close(worker);
    mem_free(mem, worker);
}

static uint32_t find_rule(struct worker *worker, struct set *set, uint64_t from, uint64_t to)
{
    struct space *space = worker->space;
    const bool *leave_out = space->leave_out;
    uint32_t rule = MODEL_NONE;
    space->leave_out = NULL;
    if (!space->kind->expand(worker, set, from)) mem_refuse(space->mem);
    space->leave_out = leave_out;
    for (uint32_t i = 0; i < worker->batch.step_count && rule == MODEL_NONE; i++)
        if (set->kind->is(worker, i, set, to)) rule = worker->batch.steps[i].fast->rule;
    batch_clear(&worker->batch);
    return rule;
}

uint32_t path_rule(struct search *search, struct set *set, uint64_t from, uint64_t to)
{
    struct worker *worker = open_worker(search);
    uint32_t rule = find_rule(worker, set, from, to);
    close_worker(worker);
    return rule;
}

void path_reverse(struct path *path)
{
    uint64_t *states = path->states.data;
    for (uint32_t i = 0, k = path->states.len; i + 1 < k--; i++) {
        uint64_t other = states[k];
        states[k] = states[i];
        states[i] = other;
    }
}

struct trace *path_trace(struct search *search, struct path *path)
{
    const uint64_t *states = path->states.data;
    assert(path->states.len);
    struct trace *trace = trace_new(search->model, path->states.len - 1);
    struct worker *worker = open_worker(search);
    search->set->kind->load(search->set, states[0], worker->words);
    layout_unpack(&search->space->layout, search->model, worker->words, trace->initial);
    for (uint32_t i = 0; i + 1 < path->states.len; i++) {
        trace->rules[i] = find_rule(worker, search->set, states[i], states[i + 1]);
        if (trace->rules[i] == MODEL_NONE)
            search->result->broken = "no rule leads from a state to its child";
    }
    close_worker(worker);
    vec_free(search->model->mem, &path->states);
    return trace;
}

bool path_follow(struct search *search, struct trace *trace, const uint32_t *steps)
{
    struct mem *mem = search->model->mem;
    const struct layout *layout = &search->space->layout;
    const struct program *program = &search->space->program;
    uint64_t *words = mem_alloc(mem, (layout->words + UINT64_C(1)) * sizeof *words),
             *next = mem_alloc(mem, (layout->words + UINT64_C(1)) * sizeof *next);
    bool good = true;
    layout_pack(layout, search->model, trace->initial, words);
    for (uint32_t i = 0; good && i < trace->steps; i++) {
        struct program_cursor cursor;
        const struct fast_rule *fast = NULL;
        enum step step;
        uint32_t left = steps[trace->steps - 1 - i];
        program_start(program, &cursor);
        cursor.alone = search->space->kind->alone;
        while ((step = program_next(program, &cursor, words, next, &fast)) != STEP_NONE)
            if (step == STEP_TAKEN && !left--) break;
        good = step == STEP_TAKEN;
        if (good) trace->rules[i] = fast->rule;
        memcpy(words, next, layout->words * sizeof *words);
    }
    mem_free(mem, words);
    mem_free(mem, next);
    return good;
}

void path_show(struct search *search, uint32_t property, struct trace *trace, uint32_t failed_rule,
               const uint64_t *words)
{
    struct property_result *entry = &search->task->properties[property];
    assert(property < search->task->property_count && !entry->trace);
    trace->failed_rule = failed_rule;
    entry->trace = trace;
    if (search->space->kind->complete && !search->result->broken)
        search->space->kind->complete(search->space, entry, words);
}
