#include "search/formulas.h"

#include "result/shorten.h"
#include "search/path.h"

#include <assert.h>

bool formulas_go_on(void *context) { return poll_now(context); }

/* A stuck state repeats for ever, so a path that takes such a step says nothing new from there
 * on. */
static void cut_repetition(struct search *search, struct kripke_path *path)
{
    for (uint32_t i = 0; i + 1 < path->states.len; i++) {
        const uint64_t state = path->states.data[i];
        if (state != path->states.data[i + 1]
            || path_rule(search, search->set, state, state) != MODEL_NONE)
            continue;
        path->states.len = i + 1;
        path->loop = i;
    }
}

static struct trace *make_trace(struct search *search, const struct formulas_graph *graph,
                                struct kripke_path *path)
{
    struct path states = {0};
    cut_repetition(search, path);
    assert(path->loop == MODEL_NONE || path->loop < path->states.len);
    for (uint32_t i = 0; i < path->states.len; i++)
        vec_push(search->model->mem, &states.states, path->states.data[i]);
    const uint64_t last = path->states.data[path->states.len - 1];
    struct trace *trace = path_trace(search, &states);
    trace->loop = path->loop;
    if (path->loop != MODEL_NONE)
        trace->rules[trace->steps] =
            path_rule(search, search->set, last, path->states.data[path->loop]);
    if (graph->complete && !search->result->broken) graph->complete(search, trace, last);
    return trace;
}

/* A loop that a formula's automaton reads twice is shorter than what its product tells, and is
 * found, if at all, by leaving steps out. */
static void take_shorter(struct search *search, struct property_result *entry, struct trace *other)
{
    struct model *model = search->model;
    struct trace *runs[] = {entry->trace, other};
    for (unsigned i = 0; i < 2; i++) {
        struct trace *shorter = shorten_loop(model, runs[i], entry->property->root);
        if (!shorter) continue;
        trace_free(model, runs[i]);
        runs[i] = shorter;
    }
    const bool is_other = runs[1]->steps < runs[0]->steps;
    entry->trace = runs[is_other];
    trace_free(model, runs[!is_other]);
}

static void show_violation(struct search *search, const struct formulas_graph *graph,
                           struct temporal *temporal, struct property_result *entry)
{
    struct mem *mem = search->model->mem;
    /* what was found must not be lost to the limit on the search */
    const struct mem_lift before = mem_lift(mem);
    entry->verdict = VERDICT_VIOLATED;
    entry->trace = make_trace(search, graph, &temporal->path);
    if (temporal->other.states.len)
        take_shorter(search, entry, make_trace(search, graph, &temporal->other));
    entry->has_end = temporal->has_end;
    entry->end = temporal->end;
    entry->end_value = temporal->end_value;
    mem_lower(mem, before);
}

/* What the search has found so far must not be lost when memory is refused: then this property
 * stays unknown, or loses its trace. */
static void check(struct search *search, const struct formulas_graph *graph,
                  struct property_result *entry)
{
    struct temporal temporal = {.model = search->model,
                                .kripke = graph->kripke,
                                .atom = graph->atom,
                                .context = search,
                                .shortest = search->task->shortest,
                                .path.loop = MODEL_NONE};
    const bool is_ctl = entry->kind == PROPERTY_CTL;
    struct mem *mem = search->model->mem;
    const struct mem_lift before = {mem->limit, mem->lifted};
    jmp_buf *const outer = mem->recover;
    jmp_buf recover;
    if (setjmp(recover)) {
        mem->recover = outer;
        mem_lower(mem, before);
        entry->trace = NULL;
        if (search->result->stop == STOP_NONE) search->result->stop = result_why_refused();
        entry->reason = stop_reason_text[result_why_refused()];
        return;
    }
    mem->recover = &recover;
    switch (is_ctl ? ctl_check(&temporal, entry->property->root)
                   : ltl_check(&temporal, entry->property->root)) {
    case TEMPORAL_HOLDS: entry->verdict = VERDICT_HOLDS; break;
    case TEMPORAL_VIOLATED: show_violation(search, graph, &temporal, entry); break;
    case TEMPORAL_REFUSED:
        if (search->result->stop == STOP_NONE) search->result->stop = STOP_MEMORY;
        entry->reason = stop_reason_text[search->result->stop];
        break;
    case TEMPORAL_FAILED: entry->reason = result_cannot_evaluate; break;
    case TEMPORAL_BEYOND: entry->reason = temporal.reason; break;
    }
    vec_free(mem, &temporal.path.states);
    vec_free(mem, &temporal.other.states);
    mem->recover = outer;
}

static void check_one(struct search *search, const struct formulas_graph *graph,
                      struct property_result *entry)
{
    const struct task *task = search->task;
    struct result *result = search->result;
    search->poll.phase = entry->property->name;
    if (task->stop_at_first
        && result_overall(task->properties, task->property_count) == VERDICT_VIOLATED) {
        result->stop = STOP_FIRST;
        entry->reason = stop_reason_text[STOP_FIRST];
    } else if (graph->kripke && (result->stop == STOP_NONE || result->stop == STOP_MEMORY))
        check(search, graph, entry);
    else entry->reason = stop_reason_text[result->stop == STOP_NONE ? STOP_MEMORY : result->stop];
}

void formulas_check(struct search *search, const struct formulas_graph *graph)
{
    const struct task *task = search->task;
    for (uint32_t i = 0; i < task->property_count; i++) {
        struct property_result *entry = &task->properties[i];
        assert(!entry->in_each_state || !graph->decides(entry));
        if (entry->verdict == VERDICT_UNKNOWN && graph->decides(entry))
            check_one(search, graph, entry);
    }
    if (!graph->kripke && search->result->stop == STOP_NONE) search->result->stop = STOP_MEMORY;
    search->poll.phase = NULL;
}
