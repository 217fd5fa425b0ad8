/* The frame of partitions, which are not on the kernel yet. */
#include "engine/explicit/old.h"

#include "base/clock.h"
#include "engine/explicit/hidden.h"
#include "engine/explicit/partition.h"
#include "model/eval.h"
#include "program/reached.h"

#include <assert.h>
#include <string.h>

enum { POLL_STATES = 2048, POLL_RULES = 200000 };

/* No single state could decide them, and the states that would be needed are gone. */
static void refuse_temporal(struct search *search)
{
    const char *why = "it needs the whole graph, and partitions are searched one by one: leave out "
                      "--partition";
    for (uint32_t i = 0; i < search->task->property_count; i++) {
        struct property_result *entry = &search->task->properties[i];
        if (!entry->in_each_state && entry->verdict == VERDICT_UNKNOWN) entry->reason = why;
    }
}

static void release(struct search *search)
{
    struct mem *mem = search->model->mem;
    store_release(&search->store);
    if (search->partition) partition_release(search);
    parents_release(&search->parents);
    program_release(&search->space.program);
    layout_release(&search->space.layout, search->model);
    mem_free(mem, search->findings);
    mem_free(mem, search->monitors);
    mem_free(mem, search->space.words);
    mem_free(mem, search->space.next);
    mem_free(mem, search->batch);
    mem_free(mem, search->values);
}

void old_run(struct task *task, const struct explicit_graph *graph, struct result *result)
{
    struct model *model = task->model;
    struct mem *mem = model->mem;
    struct search *search = mem_alloc(mem, sizeof *search);
    memset(result, 0, sizeof *result);
    search->task = task;
    search->model = search->space.model = model;
    search->result = result;
    search->graph = graph;
    search->started = search->last_progress = clock_now();
    search->hides = model_has_hidden(model);
    assert(!search->hides || explicit_can_hide(task));
    result->engine = "explicit";
    result->has_depth = task->order != ORDER_DFS && task->order != ORDER_PAST_FREEZE
                        && !task->points && !search->hides;
    result->taken = mem_alloc(mem, (model->rules.len + UINT64_C(1)) * sizeof *result->taken);
    layout_init(&search->space.layout, model);
    program_init(&search->space.program, model, &search->space.layout);
    parents_init(&search->parents, mem);
    visit_prepare_properties(search);
    if (model->has_final) search->final = program_compile(&search->space.program, model->final);
    search->poll_interval = 1;
    search->looked = search->started;
    search->poll_most = model->rules.len < POLL_RULES / POLL_STATES
                            ? POLL_STATES
                            : POLL_RULES / model->rules.len + 1;
    search->space.words = mem_alloc(mem, search->space.layout.words * sizeof *search->space.words);
    search->space.next = mem_alloc(mem, search->space.layout.words * sizeof *search->space.next);
    search->batch =
        mem_alloc(mem, (size_t)VISIT_BATCH * search->space.layout.words * sizeof *search->batch);
    search->values = mem_alloc(mem, (model->vars.len + 1) * sizeof *search->values);
    search->findings = mem_alloc(mem, (search->monitor_count + 1) * sizeof *search->findings);
    search->space.store = &search->store;
    bool ready = store_init_keyed(&search->store, mem, search->space.layout.record_bytes,
                                  search->space.layout.key_bytes);
    if (ready && task->points && !task->hides_position) partition_init(search);
    if (result->refused) visit_stop(search, STOP_DISK);
    else if (!ready) visit_stop(search, STOP_MEMORY);
    else if (search->partition) partition_run(search);
    else if (task->hides_position) hidden_run(search);
    result->states = search->partition ? partition_states(search->partition) : result->expanded;
    if (search->hides && result->stop == STOP_NONE) visit_stop(search, STOP_INFLUENCE);
    result->all_states = result->stop == STOP_NONE;
    refuse_temporal(search);
    result->seconds = clock_now() - search->started;
    result->peak_bytes = mem->peak;
    const struct mem_lift before = mem_lift(mem);
    result->record_bytes = search->space.layout.record_bytes;
    result->state_bits = search->space.layout.state_bits;
    if (search->partition) partition_conclude(search);
    else reached_find(model, &search->space.layout, &search->store, result);
    visit_conclude(search);
    release(search);
    mem_free(mem, search);
    mem_lower(mem, before);
}
