#include "run/guideclaim.h"

#include "run/load.h"

#include <assert.h>
#include <string.h>

static void take_back(const struct model *model, struct property_result *entry, const char *reason)
{
    entry->verdict = VERDICT_UNKNOWN;
    entry->method = NULL;
    if (result_reason(entry->reason) != REASON_CANNOT_EVALUATE) entry->reason = reason;
    trace_free(model, entry->trace);
    entry->trace = NULL;
    entry->branch_count = 0;
    entry->has_end = false;
}

/* The run for the model under the whole guide. Its rules have the same numbers there; its
 * variables, too, but for the guide's, which is the last one. */
static struct trace *copy_run(const struct session *session, const struct model *to,
                              const struct trace *trace)
{
    const struct model *from = session->model;
    struct trace *copy = trace_new(to, trace->steps);
    assert(to->vars.len <= from->vars.len + 1); /* the guide has one variable at most */
    uint32_t common = to->vars.len < from->vars.len ? to->vars.len : from->vars.len;
    int64_t *initial = mem_alloc(session->mem, (from->vars.len + UINT64_C(1)) * sizeof *initial);
    memcpy(initial, trace->initial, from->vars.len * sizeof *initial);
    if (session->shown) hide_restore(session->shown, from, initial);
    memcpy(copy->initial, initial, common * sizeof *copy->initial);
    mem_free(session->mem, initial);
    if (to->vars.len == from->vars.len + 1) copy->initial[common] = to->vars.data[common].init;
    memcpy(copy->rules, trace->rules, trace->steps * sizeof *copy->rules);
    copy->failed_rule = trace->failed_rule;
    if (trace->delays) {
        trace_add_delays(to, copy, trace->denominator);
        memcpy(copy->delays, trace->delays, (trace->steps + UINT64_C(1)) * sizeof *copy->delays);
    }
    return copy;
}

/* Whether the run is one under the whole guide, and stuck or failing at its end if that is what it
 * shows. */
static bool is_run_of_whole(struct session *session, const struct property_result *entry)
{
    struct ask ask = *session->ask;
    struct session whole;
    ask.split_by = NULL;
    ask.guide_part = 0;
    ask.guide_bound = 0;
    ask.time = 0; /* what was found is told, however long that takes */
    static const struct door silent = {.quiet = true}; /* everything was told */
    session_init(&whole, &ask, session->mem, &silent);
    whole.known = &session->diag;
    if (!entry->trace || !load_model(&whole, ask.file)
        || whole.model->rules.len != session->model->rules.len)
        return false;
    bool is_built_in = entry->kind == PROPERTY_DEADLOCK || entry->kind == PROPERTY_RUNTIME_ERROR;
    struct trace *copy = copy_run(session, whole.model, entry->trace);
    bool good = !trace_verify(whole.model, copy, is_built_in ? entry->kind : PROPERTY_INVARIANT,
                              expr_bool(&whole.model->exprs, false));
    trace_free(whole.model, copy);
    return good;
}

/* Whether a step can happen only because another one is forbidden: one that would have to happen
 * first, or that goes before it. */
static bool forbidding_allows(const struct model *model)
{
    return !model->guide->is_filter && (model->guide->has_timers || model->priorities.len);
}

static const char not_of_whole[] = "the run is possible only because interactions that the whole "
                                   "guide allows, and that must happen or go first, were left out";

/* Whatever comes after the run: a single state decides the property, or the formula is false by
 * what has happened. */
static bool is_shown_by_prefix(const struct property_result *entry)
{
    return entry->in_each_state
           || (entry->kind == PROPERTY_LTL && entry->trace && entry->trace->loop == MODEL_NONE);
}

void guideclaim_cut(struct session *session, struct task *task, struct result *result)
{
    const struct model *model = session->model;
    if (!model->guide || !model->guide->is_cut || result->refused || result->broken) return;
    if (result->stop == STOP_NONE) result->stop = STOP_GUIDE;
    result->complete = false;
    result->all_states = false;
    for (uint32_t i = 0; i < task->property_count; i++) {
        struct property_result *entry = &task->properties[i];
        if (entry->verdict != VERDICT_VIOLATED || !is_shown_by_prefix(entry))
            take_back(model, entry, stop_reason_text[STOP_GUIDE]);
        else if (forbidding_allows(model) && !is_run_of_whole(session, entry))
            take_back(model, entry, not_of_whole);
    }
}

static const char *why_not_of_whole(struct session *session, const struct property_result *entry)
{
    const struct model *model = session->model;
    const struct trace *trace = entry->trace;
    bool violated = entry->verdict == VERDICT_VIOLATED,
         goes_on = trace && trace->loop != MODEL_NONE && trace->rules[trace->steps] != MODEL_NONE;
    if (!entry->in_each_state && entry->kind != PROPERTY_LTL)
        return "what can happen under a part of a guide is not all that can happen: only "
               "properties of all runs are decided in parts";
    if (!violated && model->guide->has_timers && !model->guide->is_filter)
        return "interactions of the model have time intervals, which begin when the guide allows "
               "them, and that may be later under its parts: search the whole guide";
    if (!violated) return NULL;
    if (!is_shown_by_prefix(entry) && !goes_on)
        return "a run gets stuck under this part of the guide, but the whole guide may go on there";
    if (!is_shown_by_prefix(entry)) return forbidding_allows(model) ? not_of_whole : NULL;
    if (entry->kind == PROPERTY_DEADLOCK)
        return is_run_of_whole(session, entry)
                   ? NULL
                   : "a state is stuck under this part of the guide, but the whole guide may go on "
                     "there: search it, or use --no-deadlock";
    return forbidding_allows(model) && !is_run_of_whole(session, entry) ? not_of_whole : NULL;
}

void guideclaim_part(struct session *session, struct task *task, struct result *result)
{
    const struct model *model = session->model;
    if (!model->guide || !model->guide->split || result->refused || result->broken) return;
    for (uint32_t i = 0; i < task->property_count; i++) {
        struct property_result *entry = &task->properties[i];
        const char *why =
            entry->verdict == VERDICT_UNKNOWN ? NULL : why_not_of_whole(session, entry);
        if (why) take_back(model, entry, why);
    }
}
