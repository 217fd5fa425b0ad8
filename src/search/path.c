#include "search/path.h"

#include "model/eval.h"

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

/* The first rule that leads there, of those that are not a last choice if there is one. */
static uint32_t find_rule(struct worker *worker, struct set *set, uint64_t from, uint64_t to,
                          const bool *last_choice)
{
    struct space *space = worker->space;
    const bool *leave_out = space->leave_out;
    uint32_t rule = MODEL_NONE;
    space->leave_out = NULL;
    if (!space->kind->expand(worker, set, from)) mem_refuse(space->mem);
    space->leave_out = leave_out;
    for (uint32_t i = 0; i < worker->batch.step_count; i++) {
        const uint32_t other = worker->batch.steps[i].fast->rule;
        const bool is_last = last_choice && last_choice[other];
        if ((rule != MODEL_NONE && is_last) || !set->kind->is(worker, i, set, to)) continue;
        rule = other;
        if (!is_last) break;
    }
    batch_clear(&worker->batch);
    return rule;
}

uint32_t path_rule(struct search *search, struct set *set, uint64_t from, uint64_t to)
{
    struct worker *worker = open_worker(search);
    uint32_t rule = find_rule(worker, set, from, to, NULL);
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
        trace->rules[i] =
            find_rule(worker, search->set, states[i], states[i + 1], path->last_choice);
        if (trace->rules[i] == MODEL_NONE)
            search->result->broken = "no rule leads from a state to its child";
    }
    close_worker(worker);
    vec_free(search->model->mem, &path->states);
    return trace;
}

bool path_initial(const struct model *model, uint64_t number, int64_t *values)
{
    eval_first_initial(model, values);
    for (; number; number--)
        if (!eval_next_initial(model, values)) return false;
    return true;
}

bool path_follow(struct search *search, struct trace *trace, const uint32_t *steps)
{
    struct worker *worker = open_worker(search);
    struct batch *batch = &worker->batch;
    bool good = true;
    layout_pack(&search->space->layout, search->model, trace->initial, worker->words);
    for (uint32_t i = 0; good && i < trace->steps; i++) {
        const uint32_t step = steps[trace->steps - 1 - i];
        if (!space_take_discrete(worker)) mem_refuse(search->model->mem);
        good = step < batch->step_count;
        if (good) {
            trace->rules[i] = batch->steps[step].fast->rule;
            memcpy(worker->words, batch_words(batch, step), batch->words * sizeof(uint64_t));
        }
        batch_clear(batch);
    }
    close_worker(worker);
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
