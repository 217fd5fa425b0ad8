#include "run/decide.h"

#include "base/peers.h"
#include "base/version.h"
#include "run/deadline.h"
#include "run/guideclaim.h"
#include "run/identity.h"
#include "run/load.h"
#include "run/message.h"
#include "run/plan.h"
#include "run/race.h"
#include "run/split.h"
#include "run/stages.h"
#include "run/trim.h"
#include "run/verify.h"

#include <assert.h>
#include <stddef.h>

/* What was found without the variables that were left out is shown with them. False, after a
 * message: that is impossible. */
static bool show_hidden(struct session *session, const struct task *task)
{
    bool good = true;
    if (!session->shown) return true;
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        if (entry->trace) good &= session_show_run(session, entry->trace);
        for (uint32_t f = 0; f < entry->further_count; f++)
            good &= session_show_run(session, entry->further[f].trace);
        for (uint32_t b = 0; b < entry->branch_count; b++)
            good &= session_show_run(session, entry->branches[b].trace);
    }
    if (!good)
        message(&session->diag, DIAG_BUG, NULL,
                "a trace does not replay with hidden variables (cairn %s, %s); please report it "
                "with the model",
                CAIRN_VERSION, session->model->file);
    session->model = session->shown;
    return good;
}

/* ---- the result ---- */

/* From here on what was found is told: with more memory, and without a clock. */
static bool may_be_told(struct session *session, struct task *task, struct result *result,
                        int *status)
{
    struct diag *diag = &session->diag;
    mem_lift(session->mem); /* the report is small, and must not fail for the limit on the search */
    deadline_tell();
    session_end_progress(session);
    *status = EXIT_INTERNAL;
    if (result->refused) {
        *status = EXIT_USAGE;
        return message_error(diag, "%s", result->refused);
    }
    if (result->broken) {
        message(diag, DIAG_BUG, NULL, "%s (cairn %s, %s)", result->broken, CAIRN_VERSION,
                session->model->file);
        return false;
    }
    trim_loops(session->model, task);
    if (!verify_traces(diag, session->model, task) || !show_hidden(session, task)) return false;
    if (session->shown) result->searched = session->hiding.model;
    assert(!session->shown || session->model == session->shown); /* what is told is whole */
    *status = conclude_status(session->ask->command == ASK_CHECK, task, result);
    return true;
}

static enum decide_end conclude(struct session *session, struct task *task, struct result *result,
                                int *status)
{
    guideclaim_cut(session, task, result);
    guideclaim_part(session, task, result);
    advice_make(session, task, result);
    return may_be_told(session, task, result, status) ? DECIDE_RESULT : DECIDE_NONE;
}

static void run_engines(struct session *session, const struct plan *plan, struct task *task,
                        struct result *result)
{
    if (plan->engine == ENGINE_AUTO) stages_run(session, task, result);
    else stages_run_one(engines_find(plan->engine), task, result);
    if (plan->why) result->why_engine = plan->why;
}

/* ---- the search ---- */

/* Runs that repeat should come back to the values of all variables: where one was found without
 * those that nothing depends on, it is sought again with them. What was known stays known when that
 * comes to no end. */
static bool should_recall(const struct session *session, const struct task *task)
{
    bool repeats = false;
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct trace *trace = task->properties[i].trace;
        repeats |= trace && trace->loop != MODEL_NONE;
    }
    return repeats && session->forgotten && session->shown && !session->recalls;
}

static void run_again(struct session *session, struct task *task, struct result *result)
{
    const struct session before = *session;
    const struct task asked = *task;
    const struct result found = *result;
    struct plan plan;
    session_recall(session);
    bool good = session_properties(session, task);
    session_hide(session, task->properties, task->property_count);
    good = good && plan_make(session, task, &plan) && !plan.splits && !plan.races;
    if (task->max_seconds > 0) task->max_seconds = asked.max_seconds - found.seconds;
    if (good && (asked.max_seconds <= 0 || task->max_seconds > 0))
        run_engines(session, &plan, task, result);
    else good = false;
    assert(!good || task->property_count == asked.property_count);
    for (uint32_t i = 0; good && i < task->property_count; i++)
        good = task->properties[i].verdict != VERDICT_UNKNOWN
               || asked.properties[i].verdict == VERDICT_UNKNOWN;
    if (good && !result->broken && !result->refused) return;
    session->model = before.model;
    session->shown = before.shown;
    session->hiding = before.hiding;
    *task = asked;
    *result = found;
}

static enum decide_end search(struct session *session, const struct plan *plan, struct task *task,
                              struct result *result, int *status)
{
    if (plan->splits) {
        bool timed = plan->engine == ENGINE_TIMED;
        if (split_run(session, task, timed, result, status))
            return conclude(session, task, result, status);
        return session->worked ? DECIDE_WORKED : DECIDE_NONE;
    }
    bool is_check = session->ask->command == ASK_CHECK;
    deadline_search(task->max_seconds);
    switch (plan->races ? race_run(session, task, is_check, result, status) : RACE_NONE) {
    case RACE_TOLD: return DECIDE_TOLD;
    case RACE_TELL: break;
    case RACE_NONE:
        run_engines(session, plan, task, result);
        if (should_recall(session, task)) run_again(session, task, result);
        break;
    }
    return conclude(session, task, result, status);
}

/* Peers search together when all of them have read the same. False, after a message. */
static bool meet_peers(struct session *session, const struct plan *plan, struct task *task)
{
    if (!task->peers) return true;
    identity_of_run(session, plan->engine, task);
    switch (peers_agree(task->peers, true, task->freeze_hash)) {
    case PEERS_AGREE: return true;
    case PEERS_MISSING:
        return message_error(&session->diag, "%s: another rank could not begin",
                             session->model->file);
    case PEERS_DIFFER: break;
    }
    return message_error(&session->diag,
                         "%s: ranks have read different texts: the files must be the same "
                         "wherever a rank runs",
                         session->model->file);
}

enum decide_end decide_run(struct session *session, struct task *task, struct result *result,
                           int *status)
{
    struct plan plan;
    bool good = session->model || load_model(session, session->ask->file);
    *status = good ? EXIT_USAGE : session->status;
    if (!good || (session->ask->command == ASK_CHECK && !session_properties(session, task)))
        return DECIDE_NONE;
    session_hide(session, task->properties, task->property_count);
    if (!plan_make(session, task, &plan)) {
        *status = session->status;
        return DECIDE_NONE;
    }
    if (!meet_peers(session, &plan, task)) return DECIDE_NONE;
    if (task->freeze || plan.splits) identity_of_run(session, plan.engine, task);
    return search(session, &plan, task, result, status);
}

bool decide_process_model(struct session *session, struct process_model *process_model,
                          bool **visible)
{
    const struct ask *ask = session->ask;
    struct task task = {0};
    if (!load_model(session, ask->file)) return false;
    struct model *model = session->model;
    *visible = mem_alloc(session->mem, model->vars.len + UINT64_C(1));
    session->status = EXIT_USAGE;
    if ((ask->properties.len || ask->formulas.len) && !session_properties(session, &task))
        return false;
    session_hide(session, task.properties, task.property_count);
    for (uint32_t i = 0; i < task.property_count; i++) {
        const struct property_result *entry = &task.properties[i];
        if (entry->kind == PROPERTY_DEADLOCK || entry->kind == PROPERTY_RUNTIME_ERROR) continue;
        bool given = entry->property - model->properties.data
                     >= (ptrdiff_t)(model->properties.len - ask->formulas.len);
        if (ask->properties.len || given) process_model_see(model, entry->property->root, *visible);
    }
    process_model_init(process_model, session->model, *visible);
    mem_lift(session->mem);
    deadline_tell();
    return true;
}
