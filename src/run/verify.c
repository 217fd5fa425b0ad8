#include "run/verify.h"

#include "base/version.h"
#include "result/lasso.h"
#include "result/witness.h"
#include "run/message.h"

const char *verify_trace(const struct model *model, const struct task *task,
                         const struct property_result *entry, const struct trace *trace)
{
    const char *wrong = NULL;
    if (entry->in_each_state) wrong = trace_verify(model, trace, entry->kind, entry->invariant);
    else if (entry->kind == PROPERTY_QUERY)
        wrong = witness_check(model, trace, &model->queries.data[entry->property->query]);
    else wrong = trace_verify_temporal(model, trace, entry->kind, entry->property->root);
    if (!wrong && entry->kind == PROPERTY_LTL && !entry->in_each_state && task->weakly_fair
        && !lasso_is_fair(model, trace))
        wrong = "the run is not fair";
    return wrong;
}

/* What is wrong with the evidence of a property; NULL: nothing. */
static const char *find_fault(const struct model *model, const struct task *task,
                              const struct property_result *entry)
{
    const char *wrong = entry->trace ? verify_trace(model, task, entry, entry->trace) : NULL;
    for (uint32_t i = 0; !wrong && i < entry->further_count; i++)
        wrong = trace_verify(model, entry->further[i].trace, entry->kind, entry->invariant);
    for (uint32_t b = 0; !wrong && b < entry->branch_count; b++)
        wrong = trace_verify_temporal(model, entry->branches[b].trace, entry->kind,
                                      entry->property->root);
    return wrong;
}

bool verify_traces(struct diag *diag, const struct model *model, const struct task *task)
{
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        const char *wrong = find_fault(model, task, entry);
        if (!wrong) continue;
        message(diag, DIAG_BUG, NULL,
                "the trace of '%s' does not replay: %s (cairn %s, %s); please report it with the "
                "model",
                entry->property->name, wrong, CAIRN_VERSION, model->file);
        return false;
    }
    return true;
}

bool verify_is_sound(const struct model *model, const struct task *task,
                     const struct result *result)
{
    for (uint32_t i = 0; i < task->property_count; i++)
        if (find_fault(model, task, &task->properties[i])) return false;
    return !result->broken;
}
