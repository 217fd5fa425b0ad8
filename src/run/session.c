#include "run/session.h"

#include "run/message.h"

#include <assert.h>
#include <setjmp.h>
#include <string.h>

void session_init(struct session *session, struct ask *ask, struct mem *mem,
                  const struct door *door)
{
    memset(session, 0, sizeof *session);
    session->ask = ask;
    session->door = door;
    session->mem = mem;
    if (!mem->limit) /* reading counts, too */
        mem_set_limit(mem, ask->memory ? ask->memory : mem_available() / 5 * 4);
    diag_init(&session->diag, mem);
    session->diag.listener = door->listener;
    session->diag.door = door->listener_context;
    session->diag.quiet = door->quiet;
    session->diag.opener = door->opener;
    session->diag.opener_context = door->opener_context;
    session->status = EXIT_USAGE;
    session->interrupted = &limits_interrupted;
}

void session_end_progress(const struct session *session) { door_clear(session->door, false); }

/* ---- properties ---- */

static bool is_chosen(const struct ask *ask, const struct property_result *entry, bool *used)
{
    bool chosen = false;
    for (uint32_t i = 0; i < ask->properties.len; i++)
        if (!strcmp(ask->properties.data[i], entry->property->name)) chosen = used[i] = true;
    return chosen;
}

static bool is_from_command_line(const struct session *session, const struct property_result *entry)
{
    const struct model_property *property = entry->property,
                                *first = session->model->properties.data;
    if (property < first || property >= first + session->model->properties.len) return false;
    if (property->kind == PROPERTY_QUERY
        && (session->ask->queries.len || session->ask->queries_file))
        return true;
    return (uint32_t)(property - first)
           >= session->model->properties.len - session->ask->formulas.len;
}

/* A run to some state is sought, and nothing else is asked. */
static bool only_finds(const struct ask *ask)
{
    for (uint32_t i = 0; i < ask->formulas.len; i++)
        if (ask->formulas.data[i].kind != PROPERTY_REACH) return false;
    return ask->formulas.len && !ask->properties.len;
}

/* The same of queries: all that are asked are E<> and E[]. */
static bool only_seeks(const struct session *session, const struct property_result *list,
                       uint32_t count, bool *used)
{
    const struct ask *ask = session->ask;
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct property_result *entry = &list[i];
        if (entry->kind == PROPERTY_RUNTIME_ERROR
            || (ask->properties.len && !is_chosen(ask, entry, used)
                && !is_from_command_line(session, entry)))
            continue;
        if (entry->kind != PROPERTY_QUERY) return false;
        const enum query_kind kind = session->model->queries.data[entry->property->query].kind;
        if (kind != QUERY_SOMETIME && kind != QUERY_KEEPS) return false;
        any = true;
    }
    return any;
}

/* With -p only the named ones are kept; run-time errors always are, because they put everything
 * else in doubt, and so are formulas given on the command line. Where only runs are sought, these
 * do not wait for deadlocks and run-time errors. */
bool session_properties(struct session *session, struct task *task)
{
    struct ask *ask = session->ask;
    uint32_t count, kept = 0;
    bool named_deadlock = false;
    for (uint32_t i = 0; i < ask->properties.len; i++)
        named_deadlock |= !strcmp(ask->properties.data[i], "deadlock");
    bool finds = only_finds(ask);
    const bool has_queries = session->model->queries.len; /* they ask for it, or do not */
    bool with_deadlock =
        ask->properties.len ? named_deadlock : !ask->no_deadlock && !finds && !has_queries;
    task->properties = result_list_properties(session->model, with_deadlock, &count);
    bool *used = mem_alloc(session->mem, ask->properties.len + 1);
    finds = finds || only_seeks(session, task->properties, count, used);
    for (uint32_t i = 0; i < count; i++) {
        struct property_result *entry = &task->properties[i];
        bool chosen = !ask->properties.len || is_chosen(ask, entry, used);
        entry->watched_only = (!chosen || finds) && entry->kind == PROPERTY_RUNTIME_ERROR;
        if (chosen || entry->watched_only || is_from_command_line(session, entry))
            task->properties[kept++] = *entry;
    }
    task->property_count = kept;
    for (uint32_t i = 0; i < ask->properties.len; i++) {
        const char *nearest = NULL, *name = ask->properties.data[i];
        unsigned distance = 0;
        if (used[i] || ask->some_properties || !strcmp(name, "runtime-error")) continue;
        for (uint32_t p = 0; p < session->model->properties.len; p++)
            text_nearest(name, session->model->properties.data[p].name, &nearest, &distance);
        if (nearest)
            message(&session->diag, DIAG_ERROR, NULL,
                    "the model has no property '%.60s': did you mean '%s'?", name, nearest);
        else message(&session->diag, DIAG_ERROR, NULL, "the model has no property '%.60s'", name);
        return false;
    }
    return true;
}

/* ---- hidden variables ---- */

/* Hides what no query depends on. Runs that repeat should come back to the values of all variables,
 * so where queries ask for some, what was hidden is remembered: see decide.c. */
static void forget_unused(struct session *session)
{
    struct model *model = session->model;
    bool repeats = false;
    if (session->ask->command != ASK_CHECK || !model->queries.len) return;
    for (uint32_t i = 0; i < model->queries.len; i++) {
        const enum query_kind kind = model->queries.data[i].kind;
        repeats |= kind == QUERY_KEEPS || kind == QUERY_MEETS || kind == QUERY_LEADS;
    }
    if (repeats && session->recalls) return;
    bool *hidden = mem_alloc(session->mem, model->vars.len + UINT64_C(1));
    for (uint32_t v = 0; v < model->vars.len; v++) hidden[v] = model->vars.data[v].is_hidden;
    hide_unused(model, NULL, 0);
    for (uint32_t v = 0; v < model->vars.len; v++) hidden[v] ^= model->vars.data[v].is_hidden;
    if (repeats) session->forgotten = hidden;
    else mem_free(session->mem, hidden);
}

void session_recall(struct session *session)
{
    assert(session->forgotten && session->shown);
    session->model = session->shown;
    session->shown = NULL;
    session->recalls = true;
    session->flat = NULL;
    for (uint32_t v = 0; v < session->model->vars.len; v++)
        if (session->forgotten[v]) session->model->vars.data[v].is_hidden = false;
}

void session_hide(struct session *session, const struct property_result *properties, uint32_t count)
{
    struct model *model = session->model;
    uint32_t asked = 0;
    formula *formulas = mem_alloc(session->mem, (count + UINT64_C(1)) * sizeof *formulas);
    for (uint32_t i = 0; i < count; i++)
        if (properties[i].kind != PROPERTY_DEADLOCK && properties[i].kind != PROPERTY_RUNTIME_ERROR
            && properties[i].kind != PROPERTY_QUERY) /* pass/hide.c knows them */
            formulas[asked++] = properties[i].property->root;
    if (!asked) forget_unused(session);
    if (!model_has_hidden(model)) {
        mem_free(session->mem, formulas);
        return;
    }
    hide_model(&session->hiding, model, formulas, asked);
    mem_free(session->mem, formulas);
    assert(!session->shown); /* once: a run of the smaller model is shown as one of this */
    session->shown = model;
    session->model = session->hiding.model;
    for (uint32_t v = 0; v < model->vars.len; v++) {
        const struct model_var *var = &model->vars.data[v];
        if (session->hiding.influences[v])
            diag_warning(&session->diag, DIAG_COVERAGE,
                         session->hiding.where[v].line ? session->hiding.where[v] : var->place,
                         "the hidden variable '%.60s' influences what can be seen: coverage is not "
                         "guaranteed",
                         var->name);
    }
    diag_finish(&session->diag);
}

bool session_show_run(const struct session *session, struct trace *trace)
{
    struct trace_walk walk;
    assert(session->shown);
    hide_restore(session->shown, session->model, trace->initial);
    bool good = trace_walk_start(&walk, session->shown, trace);
    while (good && walk.at < trace->steps) good = trace_walk_step(&walk);
    trace_walk_end(&walk);
    return good;
}

bool session_is_influenced(const struct session *session, struct text *names)
{
    enum { SHOWN = 3 };
    uint32_t found = 0;
    if (!session->shown || !session->hiding.influencing) return false;
    for (uint32_t v = 0; v < session->shown->vars.len; v++)
        if (session->hiding.influences[v] && found++ < SHOWN)
            text_add(names, "%s%s", found > 1 ? ", " : "", session->shown->vars.data[v].name);
    if (found > SHOWN) text_add(names, " and %u more", found - SHOWN);
    return true;
}

/* ---- without code ---- */

/* A refusal of memory is an answer here: other engines can go on. */
struct model *session_flat(struct session *session, bool with_formulas)
{
    struct mem *mem = session->mem;
    jmp_buf refused, *const outer = mem->recover;
    if (!flatten_is_needed(session->model)) return session->model;
    if (session->flat || session->refusal.reason) return session->flat;
    if (setjmp(refused)) {
        mem->recover = outer;
        session->is_limited = true;
        session->refusal = (struct flatten_refusal){
            .reason = limits_enough() ? stop_reason_text[result_why_refused()]
                                      : "memory does not suffice"};
        return NULL;
    }
    mem->recover = &refused;
    struct model *flat = flatten_model(session->model, with_formulas, &session->refusal);
    mem->recover = outer;
    if (flat) session->refusal = (struct flatten_refusal){0};
    return session->flat = flat;
}

int session_tell_refusal(struct session *session, const char *purpose)
{
    const struct flatten_refusal *refusal = &session->refusal;
    if (refusal->rule)
        diag_error(&session->diag, DIAG_UNSUPPORTED, refusal->place,
                   "the rule '%.60s' cannot be turned into conditions for %s: %s", refusal->rule,
                   purpose, refusal->reason);
    else
        diag_error(&session->diag, DIAG_UNSUPPORTED, refusal->place,
                   "the model cannot be turned into conditions for %s: %s", purpose,
                   refusal->reason);
    diag_finish(&session->diag);
    return session->is_limited ? EXIT_INCONCLUSIVE : EXIT_USAGE;
}

bool session_refuses_time(struct session *session)
{
    if (!model_is_timed(session->model)) return false;
    message(&session->diag, DIAG_ERROR, session->model->file,
            "cannot be translated to %s: the model has clocks or time intervals", session->ask->to);
    return true;
}

/* ---- what an engine gets ---- */

void session_prepare(struct session *session, struct task *task)
{
    struct ask *ask = session->ask;
    assert(session->model);
    session->task = task;
    task->model = session->model;
    task->order = ask->order;
    task->relation = ask->relation;
    task->direction = ask->direction;
    task->reduction = ask->reduction;
    task->keep = ask->keep;
    task->variant = ask->variant ? ask->variant : 1;
    task->without_frontier = ask->no_frontier;
    task->count_levels = ask->verbose;
    task->by_tableau = ask->tableau;
    task->weakly_fair = ask->fair;
    task->shortest = ask->shortest;
    task->has_phase = ask->has_phase;
    task->phase_auto = ask->phase_auto;
    task->phase = (uint32_t)ask->phase;
    task->without_induction = ask->no_induction;
    task->zones = ask->zones;
    task->sets = ask->sets;
    task->native = ask->native;
    task->by_interactions = ask->guide_auto;
    task->peers = ask->peers;
    task->freeze = ask->freeze;
    task->resume = ask->resume;
    task->max_depth = ask->bound;
    task->max_seconds = ask->time;
    task->stop_at_first = ask->first;
    task->traces = (uint32_t)ask->traces;
    task->interrupted = session->interrupted;
    if (session->door->show) {
        task->progress = session->door->show;
        task->progress_context = session->door->context;
    }
}
