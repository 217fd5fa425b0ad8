#include "run/plan.h"

#include "engine/explicit/explicit.h"
#include "past/prefix.h"
#include "search/points.h"
#include "engine/timed/timed.h"
#include "run/combine.h"
#include "run/message.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ---- the engine ---- */

static bool asks_for_timed(const struct session *session)
{
    return session->ask->engine == ENGINE_TIMED;
}

/* Queries about more than the values of single states are about time, also where the model has
 * none: it may rest for ever. */
static bool has_time(const struct session *session, const struct task *task)
{
    bool found = model_is_timed(session->model);
    for (uint32_t i = 0; i < task->property_count; i++)
        found |= task->properties[i].kind == PROPERTY_QUERY && !task->properties[i].in_each_state;
    return found;
}

static bool asks_for_bounded(const struct session *session)
{
    return session->ask->engine == ENGINE_BOUNDED;
}

static bool asks_for_symbolic(const struct session *session)
{
    return session->ask->engine == ENGINE_SYMBOLIC || session->ask->reduction == REDUCE_IMPROVISO;
}

static bool asks_for_explicit(const struct session *session)
{
    const struct ask *ask = session->ask;
    return ask->peers || ask->engine == ENGINE_EXPLICIT || ask->order != ORDER_DEFAULT || ask->bound
           || ask->guide_auto || ask->partition || ask->traces > 1 || ask->shortest;
}

static bool has_hidden(const struct session *session) { return model_has_hidden(session->model); }

/* The first row that is true decides; none: the engines take turns. */
static const struct rule {
    bool (*is_true)(const struct session *session);
    enum engine engine;
    const char *why; /* NULL: it was asked for, or is no news */
} rules[] = {
    {asks_for_timed, ENGINE_TIMED, NULL},       {asks_for_bounded, ENGINE_BOUNDED, NULL},
    {asks_for_symbolic, ENGINE_SYMBOLIC, NULL}, {asks_for_explicit, ENGINE_EXPLICIT, NULL},
    {has_hidden, ENGINE_EXPLICIT, NULL},
};

static void choose_engine(const struct session *session, const struct task *task, struct plan *plan)
{
    plan->engine = ENGINE_AUTO;
    if (!asks_for_timed(session) && has_time(session, task)) {
        plan->engine = ENGINE_TIMED;
        plan->why = model_is_timed(session->model) ? "the model has time"
                                                   : "a query is about runs in dense time";
        return;
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (!rules[i].is_true(session)) continue;
        plan->engine = rules[i].engine;
        plan->why = rules[i].why;
        return;
    }
}

/* ---- the order ---- */

static bool asks_for_graph(const struct task *task)
{
    bool found = false;
    for (uint32_t i = 0; i < task->property_count; i++) found |= !task->properties[i].in_each_state;
    return found;
}

/* Unless something else is asked for, a guide that is unrolled is searched rank by rank. When it is
 * not cut, temporal properties can be decided, but they need what that order frees. */
static bool goes_by_rank(const struct session *session, const struct task *task)
{
    const struct ask *ask = session->ask;
    const struct model *model = session->model;
    bool one_by_one =
        ask->engine == ENGINE_AUTO || ask->engine == ENGINE_EXPLICIT || ask->engine == ENGINE_TIMED;
    if (ask->traces > 1 || ask->shortest || ask->peers) return false;
    if (model_has_hidden(model) || (model->guide && !model->guide->is_cut && asks_for_graph(task)))
        return false;
    return model->guide && model->guide->bound && model->rank != MODEL_NONE && one_by_one
           && ask->reduction == REDUCE_NONE;
}

/* What else is kept in files are levels. */
static void choose_order(struct session *session, const struct task *task)
{
    struct ask *ask = session->ask;
    if (ask->order != ORDER_DEFAULT || ask->partition) return;
    if (goes_by_rank(session, task)) ask->order = ORDER_PAST_FREEZE;
    else if (ask->freeze) ask->order = ORDER_BFS;
}

/* ---- whether it can be done ---- */

/* A timed model needs the timed engine, and that has limits of its own. */
static bool can_run(struct session *session, const struct task *task)
{
    const struct ask *ask = session->ask;
    const struct model *model = session->model;
    struct text names;
    struct place place;
    text_init(&names, session->mem);
    const struct combine_model facts = {.file = model->file,
                                        .is_timed = has_time(session, task),
                                        .is_influenced = session_is_influenced(session, &names),
                                        .names = names.data,
                                        .has_rank = model->rank != MODEL_NONE};
    if (!combine_check_model(ask, &facts, &session->diag)) return false;
    bool timed = ask->engine == ENGINE_TIMED || facts.is_timed;
    const char *why = timed ? timed_refuses(model, &place) : NULL;
    if (timed && !why) why = timed_refuses_queries(model, task, &place);
    if (why && place.line) diag_error(&session->diag, DIAG_UNSUPPORTED, place, "%s", why);
    else if (why) message_error(&session->diag, "%s: %s", model->file, why);
    return !why;
}

/* The p-points of --partition. */
static bool find_points(struct session *session, struct task *task)
{
    const char *labels = session->ask->partition;
    if (!labels) return true;
    struct model *model = session->model;
    struct points *points = arena_alloc(&model->arena, sizeof *points);
    struct text complaint;
    text_init(&complaint, session->mem);
    task->points = points;
    task->points_chosen = !strcmp(labels, "auto");
    task->hides_position = session->ask->partition_hidden;
    task->counts_orders = session->ask->show_orders;
    task->enumerates_orders = session->ask->enumerate_orders;
    task->listed_orders = session->ask->words;
    if (task->points_chosen) points_choose(points, model);
    else points_read(points, model, labels, &complaint);
    if (complaint.len) message_error(&session->diag, "%s: %s", model->file, complaint.data);
    return !complaint.len;
}

/* P-paths that are told apart when a search is split by them. */
static bool find_prefixes(struct session *session, struct task *task)
{
    const struct ask *ask = session->ask;
    const uint64_t length = ask->split_depth ? ask->split_depth : 1;
    if (!task->points || ask->split == SPLIT_NEVER) return true;
    task->prefixes = prefix_shorter(task->points->count, length);
    return task->prefixes
           || message_error(&session->diag,
                            "%s: there are too many p-paths of %" PRIu64 " of %u p-points: "
                            "--split-depth must be smaller",
                            session->model->file, length, task->points->count);
}

/* ---- model and threads ---- */

/* Gives the task the model as the engine needs it; false: there is none, as was told. */
static bool choose_model(struct session *session, enum engine engine, struct task *task)
{
    if (engine == ENGINE_AUTO || !engines_find(engine)->needs_flat) return true;
    task->model = session_flat(session, false);
    if (!task->model) session_tell_refusal(session, engines_find(engine)->title);
    return task->model != NULL;
}

/* How many threads one engine has; where it has one although more were asked for, that is told. */
static void choose_threads(struct session *session, enum engine engine, struct task *task)
{
    const struct ask *ask = session->ask;
    if (ask->threads < 2) return;
    const struct combine_model facts = {.is_timed = has_time(session, task)};
    task->threads = 1;
    if (engine == ENGINE_AUTO) return;
    const char *why = combine_one_thread(ask, &facts);
    if (!why) task->threads = ask->threads < UINT32_MAX ? (uint32_t)ask->threads : UINT32_MAX;
    if (why && !session->diag.quiet)
        message(&session->diag, DIAG_NOTE, NULL, "--threads: one thread, because %s", why);
}

/* Several engines run at the same time unless one was chosen, by name or by an option that only it
 * has. What is found under a part of a guide is said of the whole by one process alone. */
static bool races(const struct session *session, enum engine engine)
{
    const struct ask *ask = session->ask;
    const struct model_guide *guide = session->model->guide;
    return session->door->may_return_twice && ask->threads > 1 && engine == ENGINE_AUTO
           && !(guide && (guide->is_cut || guide->split));
}

bool plan_make(struct session *session, struct task *task, struct plan *plan)
{
    const struct ask *ask = session->ask;
    assert(session->model && ask->file);
    *plan = (struct plan){.splits = ask->split != SPLIT_NEVER};
    session->status = EXIT_USAGE;
    choose_order(session, task);
    if (!can_run(session, task)) return false;
    session_prepare(session, task);
    if (!find_points(session, task) || !find_prefixes(session, task)) return false;
    task->count_deadlocks = ask->command != ASK_CHECK;
    choose_engine(session, task, plan);
    if (plan->splits) return true;
    if (!choose_model(session, plan->engine, task)) {
        if (session->is_limited) session->status = EXIT_INCONCLUSIVE;
        return false;
    }
    choose_threads(session, plan->engine, task);
    plan->races = races(session, plan->engine);
    assert(!plan->races || plan->engine == ENGINE_AUTO); /* one that was chosen runs alone */
    return true;
}
