#include "run/translate.h"

#include "context/observer.h"
#include "engine/bounded/bounded.h"
#include "engine/explicit/explicit.h"
#include "engine/timed/timed.h"
#include "export/aiger.h"
#include "export/graph.h"
#include "export/promela.h"
#include "export/smv.h"
#include "export/tck.h"
#include "export/xta.h"
#include "model/print.h"
#include "run/deadline.h"
#include "run/load.h"
#include "run/message.h"
#include "search/search.h"

#include <string.h>

/* ---- the state graph ---- */

_Static_assert(GRAPH_INITIAL == SET_NONE, "writers are told what the search tells");

static int incomplete(struct session *session, const struct result *result)
{
    message(&session->diag, DIAG_ERROR, NULL, "the state graph is not complete: %s",
            stop_reason_text[result->stop]);
    return EXIT_INCONCLUSIVE;
}

/* Whether the model's graph is one of zones. False in *good after a message: it has none. */
static bool has_zones(struct session *session, bool *good)
{
    struct place place;
    bool timed = model_is_timed(session->model);
    const char *why = timed ? timed_refuses(session->model, &place) : NULL;
    *good = !why;
    if (why) message(&session->diag, DIAG_ERROR, session->model->file, "%s", why);
    return timed;
}

struct walk {
    const struct search_graph *graph; /* NULL: states are counted only */
    bool zones;
};

static void run_walk(struct task *task, const void *context, struct result *result)
{
    const struct walk *walk = context;
    if (walk->zones) timed_run(task, walk->graph, result);
    else explicit_run(task, walk->graph, result);
}

static void walk(struct task *task, bool zones, const struct search_graph *graph,
                 struct result *result)
{
    struct walk context = {graph, zones};
    task->zones = ZONES_EQUAL; /* when some stand for others it would not be a graph */
    deadline_run(task, result, zones ? "timed" : "explicit", run_walk, &context);
}

/* A graph that is only a part of the whole says so, and what is true of both. The format may have
 * comments, which stay with the graph. */
static void tell_reduction(struct session *session, const struct task *task,
                           const struct result *result, FILE *comments)
{
    struct text kept;
    if (result->reduction == REDUCE_NONE) return;
    text_init(&kept, session->mem);
    conclude_kept(&kept, session->model, task, result);
    if (comments)
        fprintf(comments, "// a part of the state graph: --reduce %s %s\n",
                reduction_name[result->reduction], kept.data);
    if (!session->diag.quiet)
        message(&session->diag, DIAG_NOTE, NULL,
                "this is a part of the state graph: --reduce %s %s%s",
                reduction_name[result->reduction], kept.data,
                result->keeps == KEEP_LTL ? "; for checkers of branching time add --keep ctl" : "");
    text_free(&kept);
}

static int write_dot(struct session *session, FILE *out)
{
    struct graph_writer writer = {.model = session->model, .out = out};
    struct search_graph graph = {graph_dot_state, graph_dot_edge, &writer};
    struct task task = {0};
    struct result result;
    bool good, zones = has_zones(session, &good);
    if (!good) return EXIT_USAGE;
    session_prepare(session, &task);
    graph_dot_begin(&writer);
    walk(&task, zones, &graph, &result);
    session_end_progress(session);
    graph_dot_end(&writer);
    tell_reduction(session, &task, &result, out);
    if (result.states > 2000 && !session->diag.quiet)
        message(&session->diag, DIAG_NOTE, NULL, "%llu states make a large picture",
                (unsigned long long)result.states);
    return result.complete ? EXIT_HOLDS : incomplete(session, &result);
}

/* The header has the counts, so the space is walked twice. */
static int write_aut(struct session *session, FILE *out)
{
    struct graph_writer writer = {.model = session->model, .out = out};
    struct search_graph graph = {graph_aut_state, graph_aut_edge, &writer};
    struct task task = {0};
    struct result result;
    bool good, zones = has_zones(session, &good);
    if (!good) return EXIT_USAGE;
    session_prepare(session, &task);
    walk(&task, zones, NULL, &result);
    if (result.complete) {
        graph_aut_begin(&writer, result.states, result.transitions, result.initial_states);
        session_prepare(session, &task);
        walk(&task, zones, &graph, &result);
    }
    session_end_progress(session);
    tell_reduction(session, &task, &result, NULL);
    return result.complete ? EXIT_HOLDS : incomplete(session, &result);
}

/* ---- other languages ---- */

static int refused(struct session *session, const char *why)
{
    if (!why) return EXIT_HOLDS;
    message(&session->diag, DIAG_ERROR, session->model->file, "cannot be translated to %s: %s",
            session->ask->to, why);
    return EXIT_USAGE;
}

/* Other languages know no code and no time. NULL after a message. */
static struct model *model_for(struct session *session, bool with_formulas)
{
    if (session_refuses_time(session)) return NULL;
    struct model *flat = session_flat(session, with_formulas);
    if (!flat) session_tell_refusal(session, session->ask->to);
    return flat;
}

static int no_model(const struct session *session)
{
    return session->is_limited ? EXIT_INCONCLUSIVE : EXIT_USAGE;
}

static int write_promela(struct session *session, FILE *out)
{
    struct model *model = model_for(session, true);
    return model ? refused(session, promela_write(model, out)) : no_model(session);
}

static int write_order(struct session *session, FILE *out)
{
    struct model *model = model_for(session, true);
    return model ? refused(session, smv_write_order(model, out)) : no_model(session);
}

static int write_smv(struct session *session, FILE *out)
{
    struct model *model = model_for(session, true);
    return model ? refused(session, smv_write(model, out)) : no_model(session);
}

/* The model's own properties and the built-in ones, or those named with -p. */
static int write_gates(struct session *session, FILE *out, bool binary)
{
    struct text left_out;
    struct task task = {0};
    uint32_t count = 0;
    text_init(&left_out, session->mem);
    if (!session_properties(session, &task)) return EXIT_USAGE;
    for (uint32_t i = 0; i < task.property_count; i++)
        if (!task.properties[i].watched_only) task.properties[count++] = task.properties[i];
    struct model *model = model_for(session, false);
    if (!model) return no_model(session);
    aiger_write(model, task.properties, count, out, binary, &left_out);
    char *rest = left_out.data;
    for (char *line; !session->diag.quiet && (line = strsep(&rest, "\n")) && *line;)
        message(&session->diag, DIAG_NOTE, NULL, "%s", line);
    text_free(&left_out);
    return EXIT_HOLDS;
}

static int write_aiger(struct session *session, FILE *out)
{
    return write_gates(session, out, true);
}

static int write_aag(struct session *session, FILE *out)
{
    return write_gates(session, out, false);
}

static int write_dimacs(struct session *session, FILE *out)
{
    struct task task = {0};
    if (!session_properties(session, &task)) return EXIT_USAGE;
    session_prepare(session, &task);
    task.model = model_for(session, false);
    return task.model ? refused(session, bounded_write(&task, out)) : no_model(session);
}

static int write_cairn(struct session *session, FILE *out)
{
    model_print(session->model, &session->diag, out);
    return EXIT_HOLDS;
}

/* Networks of automata. Priorities that are none of the language are conditions, where there is no
 * time. */
static int write_automata(struct session *session, FILE *out,
                          struct automata_refusal (*write)(struct model *model, FILE *out))
{
    struct model *model = session->model;
    struct automata_refusal refusal = write(model, out);
    if (refusal.reason && model->priorities.len && !model_is_timed(model)) {
        model = session_flat(session, true);
        if (!model) session_tell_refusal(session, session->ask->to);
        if (!model) return no_model(session);
        refusal = write(model, out);
    }
    if (!refusal.reason) return EXIT_HOLDS;
    if (!refusal.place.line) return refused(session, refusal.reason);
    diag_error(&session->diag, DIAG_UNSUPPORTED, refusal.place, "cannot be translated to %s: %s",
               session->ask->to, refusal.reason);
    diag_finish(&session->diag);
    return EXIT_USAGE;
}

static int write_xta(struct session *session, FILE *out)
{
    return write_automata(session, out, xta_write);
}

static int write_queries(struct session *session, FILE *out)
{
    return write_automata(session, out, xta_write_queries);
}

static int write_tck(struct session *session, FILE *out)
{
    return write_automata(session, out, tck_write);
}

/* ---- observers ---- */

static int write_observers(struct session *session, FILE *out, bool as_dot)
{
    const struct context *context = session->context;
    const struct observer_words words = {context, &session->model->exprs, session->model->ticks,
                                         cdl_predicate_name, session->cdl};
    if (!context) {
        message(&session->diag, DIAG_ERROR, NULL,
                "--to %s needs --context: observers are those of a context", session->ask->to);
        return EXIT_USAGE;
    }
    for (uint32_t i = 0; i < context->observers.len; i++) {
        const struct observer *observer = &context->observers.data[i];
        if (i) fputc('\n', out);
        if (as_dot) observer_dot(observer, &words, out);
        else observer_print(observer, &words, out);
    }
    return EXIT_HOLDS;
}

static int write_observer_texts(struct session *session, FILE *out)
{
    return write_observers(session, out, false);
}

static int write_observer_graphs(struct session *session, FILE *out)
{
    return write_observers(session, out, true);
}

const struct translate_format translate_formats[] = {{"promela", write_promela, false},
                                                     {"smv", write_smv, false},
                                                     {"ord", write_order, false},
                                                     {"aiger", write_aiger, false},
                                                     {"aag", write_aag, false},
                                                     {"dimacs", write_dimacs, false},
                                                     {"dot", write_dot, true},
                                                     {"aut", write_aut, true},
                                                     {"cairn", write_cairn, true},
                                                     {"xta", write_xta, true},
                                                     {"q", write_queries, true},
                                                     {"tck", write_tck, true},
                                                     {"observers", write_observer_texts, true},
                                                     {"observers-dot", write_observer_graphs, true},
                                                     {NULL, NULL, false}};

/* Harmless hidden variables are left out; the others have no counterpart. What is written of
 * properties decides which these are: all of them, those named with -p, or none in graphs. False
 * after a message. */
static bool leave_out(struct session *session, int (*write)(struct session *session, FILE *out))
{
    struct task task = {0};
    struct text names;
    bool is_own = write == write_cairn || write == write_observer_texts
                  || write == write_observer_graphs,
         is_graph = write == write_dot || write == write_aut;
    bool is_chosen = write == write_aiger || write == write_aag || write == write_dimacs;
    if (is_own || !model_has_hidden(session->model)) return true;
    if (is_chosen && !session_properties(session, &task)) return false;
    if (!is_chosen && !is_graph)
        task.properties = result_list_properties(session->model, false, &task.property_count);
    session_hide(session, task.properties, task.property_count);
    text_init(&names, session->mem);
    if (!session_is_influenced(session, &names)) return true;
    message(&session->diag, DIAG_ERROR, session->model->file,
            "cannot be translated to %s: hidden variables influence what can be seen (%s)",
            session->ask->to, names.data);
    return false;
}

const struct translate_format *translate_find(const char *name)
{
    for (const struct translate_format *format = translate_formats; format->name; format++)
        if (!strcmp(format->name, name)) return format;
    return NULL;
}

bool translate_load(struct session *session, const struct translate_format *format)
{
    /* ranges that are tightened hold for reasons that a reader of the text cannot see */
    session->keep_ranges = format->write == write_cairn;
    if (!load_model(session, session->ask->file)) return false;
    session->status = EXIT_USAGE;
    if (!format->knows_time && session_refuses_time(session)) return false;
    return leave_out(session, format->write);
}
