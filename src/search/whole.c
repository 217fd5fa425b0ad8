#include "search/whole.h"

#include "search/path.h"

#include <assert.h>
#include <setjmp.h>

bool whole_go_on(void *search) { return poll_now(search); }

/* ---- runs ---- */

/* A dead end repeats for ever, so a path that takes such a step says nothing new from there on. */
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

static struct trace *trace_of_path(struct search *search, const struct whole *whole,
                                   struct kripke_path *path)
{
    struct path states = {0};
    cut_repetition(search, path);
    assert(path->loop == MODEL_NONE || path->loop < path->states.len);
    const uint64_t last = path->states.data[path->states.len - 1];
    for (uint32_t i = 0; i < path->states.len; i++)
        vec_push(search->model->mem, &states.states, path->states.data[i]);
    struct trace *trace = path_trace(search, &states);
    trace->loop = path->loop;
    if (path->loop != MODEL_NONE)
        trace->rules[trace->steps] =
            path_rule(search, search->set, last, path->states.data[path->loop]);
    if (whole->complete && !search->result->broken) whole->complete(search, trace, last);
    return trace;
}

/* What was found must not be lost to the limit on the search. */
static void show_violation(struct search *search, const struct whole *whole,
                           struct temporal *temporal, struct property_result *entry)
{
    struct mem *mem = search->model->mem;
    const struct mem_lift before = mem_lift(mem);
    entry->verdict = VERDICT_VIOLATED;
    entry->trace = trace_of_path(search, whole, &temporal->path);
    entry->has_end = temporal->has_end;
    entry->end = temporal->end;
    entry->end_value = temporal->end_value;
    mem_lower(mem, before);
}

/* ---- properties ---- */

static void decide(struct search *search, const struct whole *whole, struct property_result *entry)
{
    struct temporal temporal = {.model = search->model,
                                .kripke = whole->kripke,
                                .atom = whole->atom,
                                .context = search,
                                .path.loop = MODEL_NONE};
    struct result *result = search->result;
    const formula root = entry->property->root;
    switch (entry->kind == PROPERTY_CTL ? ctl_check(&temporal, root) : ltl_check(&temporal, root)) {
    case TEMPORAL_HOLDS: entry->verdict = VERDICT_HOLDS; break;
    case TEMPORAL_VIOLATED: show_violation(search, whole, &temporal, entry); break;
    case TEMPORAL_REFUSED:
        if (result->stop == STOP_NONE) result->stop = STOP_MEMORY;
        entry->reason = stop_reason_text[result->stop];
        break;
    case TEMPORAL_FAILED: entry->reason = result_cannot_evaluate; break;
    case TEMPORAL_BEYOND: entry->reason = temporal.reason; break;
    }
    vec_free(search->model->mem, &temporal.path.states);
}

static void check(struct search *search, const struct whole *whole, struct property_result *entry)
{
    struct mem *mem = search->model->mem;
    const struct mem_lift before = {mem->limit, mem->lifted};
    jmp_buf *const outer = mem->recover;
    jmp_buf recover;
    if (setjmp(recover)) { /* what the search has found so far must not be lost: this property stays
                              unknown, or loses its trace */
        mem->recover = outer;
        mem_lower(mem, before);
        entry->trace = NULL;
        if (search->result->stop == STOP_NONE) search->result->stop = result_why_refused();
        entry->reason = stop_reason_text[result_why_refused()];
        return;
    }
    mem->recover = &recover;
    decide(search, whole, entry);
    mem->recover = outer;
}

bool whole_has(const struct whole *whole, const struct property_result *entry)
{
    return !entry->in_each_state && entry->verdict == VERDICT_UNKNOWN
           && (!whole->ltl_only || entry->kind == PROPERTY_LTL);
}

static bool is_violated(const struct task *task)
{
    return result_overall(task->properties, task->property_count) == VERDICT_VIOLATED;
}

void whole_check(struct search *search, const struct whole *whole)
{
    struct result *result = search->result;
    const struct task *task = search->task;
    for (uint32_t i = 0; i < task->property_count; i++) {
        struct property_result *entry = &task->properties[i];
        if (!whole_has(whole, entry)) continue;
        search->poll.phase = entry->property->name;
        if (task->stop_at_first && is_violated(task)) {
            result->stop = STOP_FIRST;
            entry->reason = stop_reason_text[STOP_FIRST];
            continue;
        }
        if (whole->kripke && (result->stop == STOP_NONE || result->stop == STOP_MEMORY))
            check(search, whole, entry);
        else
            entry->reason =
                stop_reason_text[result->stop == STOP_NONE ? STOP_MEMORY : result->stop];
    }
    if (!whole->kripke && result->stop == STOP_NONE) result->stop = STOP_MEMORY;
    search->poll.phase = NULL;
}
