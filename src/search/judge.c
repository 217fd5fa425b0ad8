#include "search/judge.h"

#include "search/path.h"

#include <assert.h>
#include <setjmp.h>

bool judge_go_on(void *search) { return poll_now(search); }

bool judge_is_left(const struct judge *judge, const struct property_result *entry)
{
    return !entry->in_each_state && entry->verdict == VERDICT_UNKNOWN
           && (!judge->ltl_only || entry->kind == PROPERTY_LTL);
}

/* ---- evidence ---- */

/* A state that nothing leads on from repeats for ever, so a path that takes such a step says
 * nothing new from there on. */
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

static struct trace *trace_of_path(const struct judge *judge, struct kripke_path *path)
{
    struct search *search = judge->search;
    struct path states = {0};
    cut_repetition(search, path);
    assert(path->states.len && (path->loop == MODEL_NONE || path->loop < path->states.len));
    const uint64_t last = path->states.data[path->states.len - 1];
    for (uint32_t i = 0; i < path->states.len; i++)
        vec_push(search->model->mem, &states.states, path->states.data[i]);
    struct trace *trace = path_trace(search, &states);
    trace->loop = path->loop;
    if (path->loop != MODEL_NONE)
        trace->rules[trace->steps] =
            path_rule(search, search->set, last, path->states.data[path->loop]);
    if (judge->complete && !search->result->broken) judge->complete(search, trace, last);
    return trace;
}

/* ---- verdicts ---- */

/* What was found must not be lost to the limit on the search. */
static void show_violation(const struct judge *judge, struct temporal *temporal,
                           struct property_result *entry)
{
    struct mem *mem = judge->search->model->mem;
    const struct mem_lift before = mem_lift(mem);
    entry->verdict = VERDICT_VIOLATED;
    entry->trace = trace_of_path(judge, &temporal->path);
    entry->has_end = temporal->has_end;
    entry->end = temporal->end;
    entry->end_value = temporal->end_value;
    mem_lower(mem, before);
}

static void decide(const struct judge *judge, struct property_result *entry)
{
    struct search *search = judge->search;
    struct temporal temporal = {.model = search->model,
                                .kripke = judge->kripke,
                                .atom = judge->atom,
                                .context = search,
                                .path.loop = MODEL_NONE};
    const bool is_ctl = entry->kind == PROPERTY_CTL;
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
    switch (is_ctl ? ctl_check(&temporal, entry->property->root)
                   : ltl_check(&temporal, entry->property->root)) {
    case TEMPORAL_HOLDS: entry->verdict = VERDICT_HOLDS; break;
    case TEMPORAL_VIOLATED: show_violation(judge, &temporal, entry); break;
    case TEMPORAL_REFUSED:
        if (search->result->stop == STOP_NONE) search->result->stop = STOP_MEMORY;
        entry->reason = stop_reason_text[search->result->stop];
        break;
    case TEMPORAL_FAILED: entry->reason = result_cannot_evaluate; break;
    case TEMPORAL_BEYOND: entry->reason = temporal.reason; break;
    }
    vec_free(mem, &temporal.path.states);
    mem->recover = outer;
}

void judge_properties(const struct judge *judge)
{
    const struct task *task = judge->search->task;
    struct result *result = judge->search->result;
    for (uint32_t i = 0; i < task->property_count; i++) {
        struct property_result *entry = &task->properties[i];
        if (!judge_is_left(judge, entry)) continue;
        judge->search->poll.phase = entry->property->name;
        if (task->stop_at_first
            && result_overall(task->properties, task->property_count) == VERDICT_VIOLATED) {
            result->stop = STOP_FIRST;
            entry->reason = stop_reason_text[STOP_FIRST];
        } else if (judge->kripke && (result->stop == STOP_NONE || result->stop == STOP_MEMORY))
            decide(judge, entry);
        else
            entry->reason =
                stop_reason_text[result->stop == STOP_NONE ? STOP_MEMORY : result->stop];
    }
    judge->search->poll.phase = NULL;
}
