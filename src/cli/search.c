#define XXH_INLINE_ALL
#include "cli/search.h"

#include "base/clock.h"
#include "cli/contexts.h"
#include "cli/deadline.h"
#include "cli/guided.h"
#include "cli/portfolio.h"
#include "cli/split.h"
#include "engine/bounded/bounded.h"
#include "engine/explicit/explicit.h"
#include "engine/explicit/points.h"
#include "engine/symbolic/symbolic.h"
#include "engine/timed/timed.h"
#include "model/print.h"
#include "report/machine.h"
#include "report/matrix.h"
#include "result/furthest.h"
#include "result/lasso.h"
#include "report/processes.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* What is wrong with the evidence of a property; NULL: nothing. */
static const char *find_fault(const struct model *model, const struct task *task,
                              const struct property_result *entry)
{
    const char *wrong = NULL;
    if (entry->trace && entry->in_each_state)
        wrong = trace_verify(model, entry->trace, entry->kind, entry->invariant);
    else if (entry->trace)
        wrong = trace_verify_temporal(model, entry->trace, entry->kind, entry->property->root);
    if (!wrong && entry->trace && entry->kind == PROPERTY_LTL && !entry->in_each_state
        && task->weakly_fair && !lasso_is_fair(model, entry->trace))
        wrong = "the run is not fair";
    for (uint32_t b = 0; !wrong && b < entry->branch_count; b++)
        wrong = trace_verify_temporal(model, entry->branches[b].trace, entry->kind,
                                      entry->property->root);
    return wrong;
}

bool search_verify_traces(const struct model *model, const struct task *task)
{
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        const char *wrong = find_fault(model, task, entry);
        if (!wrong) continue;
        fprintf(stderr,
                "cairn: BUG: the trace of '%s' does not replay: %s (cairn %s, %s); please report "
                "it with the model\n",
                entry->property->name, wrong, CAIRN_VERSION, model->file);
        return false;
    }
    return true;
}

bool search_is_sound(const struct model *model, const struct task *task,
                     const struct result *result)
{
    for (uint32_t i = 0; i < task->property_count; i++)
        if (find_fault(model, task, &task->properties[i])) return false;
    return !result->broken;
}

static const struct property_result *first_trace(const struct task *task)
{
    for (uint32_t i = 0; i < task->property_count; i++)
        if (task->properties[i].trace) return &task->properties[i];
    return NULL;
}

static bool save_trace(struct session *session, const struct task *task)
{
    const char *path = session->options->trace_file;
    const struct property_result *entry = first_trace(task);
    if (!path || !entry) return true;
    FILE *file = session_open(session, path);
    if (!file) return false;
    machine_itf(file, session->model, entry->trace, entry, session->options->raw);
    return session_close(file, path);
}

static bool tell(struct session *session, const char *command, const struct task *task,
                 const struct result *result)
{
    struct options *options = session->options;
    const char *trace_file = first_trace(task) ? options->trace_file : NULL;
    bool written = true;
    if (options->json) {
        FILE *file = options->json_file ? session_open(session, options->json_file) : stdout;
        if (file) deadline_has_told();
        if (file)
            machine_result(file, command, session->model, &session->diag, task, result, trace_file,
                           options->raw);
        options->told = true; /* before that, memory may have been refused; once the object has
                                 begun it is told whole */
        written =
            file
            && session_close(file, options->json_file ? options->json_file : "standard output");
    }
    if (!options->json || options->json_file) {
        if (!strcmp(command, "check"))
            report_check(&session->style, session->model, &session->diag, task, result);
        else report_explore(&session->style, session->model, &session->diag, result);
        if (trace_file)
            printf("Saved the trace of %s in %s.\n", first_trace(task)->property->name, trace_file);
    }
    return session_close(stdout, "standard output") && written;
}

/* The same object that --json prints, as a page. */
static bool save_report(struct session *session, const char *command, const struct task *task,
                        const struct result *result, bool *refused)
{
    const char *path = session->options->report_file;
    char *text = NULL;
    size_t size = 0;
    if (!path) return true;
    FILE *file = session_open(session, path), *memory = file ? open_memstream(&text, &size) : NULL;
    if (memory)
        machine_result(memory, command, session->model, &session->diag, task, result,
                       session->options->trace_file, session->options->raw);
    if (memory) fclose(memory);
    bool written = text && matrix_page(file, text, size);
    if (file && !written)
        fprintf(stderr, "cairn: error: there is no memory for %s (--memory limits it)\n", path);
    *refused = file && !written;
    free(text);
    return file && session_close(file, path) && written;
}

/* ---- engines under limits ---- */

typedef void engine_run(struct task *task, struct result *result);

static void call(struct task *task, const void *run_it, struct result *result)
{
    (*(engine_run *const *)run_it)(task, result);
}

static void run_explicit(struct task *task, struct result *result)
{
    explicit_run(task, NULL, result);
}

static void run_timed(struct task *task, struct result *result) { timed_run(task, NULL, result); }

static void run_limited(struct task *task, struct result *result, engine_run *run_it)
{
    const char *name = run_it == symbolic_run   ? "symbolic"
                       : run_it == run_explicit ? "explicit"
                       : run_it == run_timed    ? "timed"
                                                : "bounded";
    deadline_run(task, result, name, call, &run_it);
}

/* ---- which engine ---- */

/* Small state spaces are faster to list than to encode, and listing gives the shortest
 * counterexamples; large ones are what decision diagrams are for, unless they explode; a SAT solver
 * finds what is not deep, however many states there are. So: the explicit engine up to a number of
 * states, the bounded one for a moment, the symbolic one for a while, the bounded one for a while,
 * then the explicit one to the end (unless memory ended it before: it would end there again).
 *
 * Where nothing needs the whole graph, and memory is not short, the explicit engine only pauses
 * meanwhile: first soon and for a moment, then once more, for a while.
 *
 * What is told (result/furthest.h): what one of them has decided stays decided; the result is that
 * of the engine which answered the last open question; when none did, that of the engine which got
 * furthest, and `why_engine` says so. */
enum { AUTO_STATES = 2000000, PAUSE_GROWTH = 8 };
static const double auto_seconds = 10, hunt_seconds = 2, moment_seconds = 1;

struct stages {
    struct session *session;
    struct task *task;
    struct result *result;    /* of the stage at hand */
    struct furthest furthest; /* all of them */
    double limit, used;       /* seconds */
    double started;
    uint64_t stage_states; /* the explicit engine has so many before it is the others' turn, ... */
    double pause_seconds;  /* ... each of which has so long, the first time that it pauses */
    bool many;             /* these were not all */
    unsigned pauses;
    struct property_result *paused; /* what it knows then */
    bool others_know;               /* the others found the answer in a pause */
};

/* Keeps what the last stage found, and clears the properties for the next one. */
static void end_stage(struct stages *stages, const char *why)
{
    stages->used = stages->result->seconds;
    stages->result->why_engine = why;
    furthest_add(&stages->furthest, stages->result);
}

static void run_stage(struct stages *stages,
                      void (*run_it)(struct task *task, struct result *result), double seconds)
{
    double left = stages->limit > 0 ? stages->limit - stages->used : 0;
    if (stages->limit > 0 && left < 1e-9) left = 1e-9;
    stages->task->max_seconds = seconds <= 0                              ? left
                                : stages->limit > 0 && left / 2 < seconds ? left / 2
                                                                          : seconds;
    run_limited(stages->task, stages->result, run_it);
    stages->result->seconds += stages->used;
}

/* With the model that the engine knows; what it finds is about both. */
static void run_flat_stage(struct stages *stages,
                           void (*run_it)(struct task *task, struct result *result), double seconds)
{
    stages->task->model = stages->session->flat ? stages->session->flat : stages->session->model;
    run_stage(stages, run_it, seconds);
    stages->task->model = stages->session->model;
}

/* True: there is nothing left to do: everything is decided, or it was interrupted. */
static bool try_bounded(struct stages *stages, double seconds, const char *why)
{
    if (!stages->task->property_count || stages->task->weakly_fair) return false;
    run_flat_stage(stages, bounded_hunt, seconds);
    bool interrupted = stages->result->stop == STOP_INTERRUPT;
    end_stage(stages, why);
    return interrupted || furthest_is_decided(&stages->furthest);
}

/* Of explore, too: what has no property is answered by all states. */
static bool try_symbolic(struct stages *stages, double seconds, const char *why)
{
    run_flat_stage(stages, symbolic_run, seconds);
    const enum stop_reason stop = stages->result->stop;
    bool exploded = stop == STOP_MEMORY || stop == STOP_TIME || stop == STOP_SIZE;
    end_stage(stages, why);
    return !exploded || furthest_is_decided(&stages->furthest);
}

/* After the explicit engine met too much. */
static void run_later_stages(void *context)
{
    struct stages *stages = context;
    const bool many = stages->many;
    const char *why = many ? "there are more than 2,000,000 states"
                           : "the states one by one did not fit in memory";
    bool flat = session_flat(stages->session, false);
    if (flat && try_bounded(stages, hunt_seconds, why)) return;
    if (flat && try_symbolic(stages, auto_seconds, why)) return;
    if (flat
        && try_bounded(stages, auto_seconds,
                       "there are too many states to list, and the symbolic engine met a limit"))
        return;
    if (!many) return;
    run_stage(stages, run_explicit, 0);
    end_stage(stages,
              flat ? "there are more than 2,000,000 states, and the other engines met a limit"
                   : "the code of the model is too much for the other engines");
}

/* ---- pauses ---- */

/* Whether one of the other engines has the answer. */
static void ask_others(void *context)
{
    struct stages *stages = context;
    const double seconds = stages->pauses == 1 ? stages->pause_seconds : auto_seconds;
    const char *why = stages->pauses == 1 ? "there are more than 2,000,000 states"
                                          : "there are more than 16,000,000 states";
    bool done = try_bounded(stages, seconds, why) || try_symbolic(stages, seconds, why);
    stages->others_know =
        done && !limits_interrupted; /* otherwise the explicit engine tells what it has */
}

/* The explicit engine waits: its properties, the task and the limit are put aside. It goes on when
 * nobody else knows the answer. */
static bool pause_explicit(void *context)
{
    struct stages *stages = context;
    struct mem *mem = stages->session->mem;
    struct task *task = stages->task, kept = *task;
    const size_t size = task->property_count * sizeof *task->properties;
    const struct mem_lift limits = {mem->limit, mem->lifted};
    const double used = stages->used;
    if (mem->limit && mem->used > mem->limit / 2) return false; /* the others need memory, too */
    bool flat = session_flat(stages->session, false);
    stages->pauses++;
    kept.max_states = flat && stages->pauses == 1 ? PAUSE_GROWTH * stages->stage_states : 0;
    if (flat) {
        struct result *result = stages->result, others;
        stages->result = &others;
        stages->used = clock_now() - stages->started;
        task->max_states = 0;
        if (size) memcpy(stages->paused, task->properties, size);
        if (size) memcpy(task->properties, stages->furthest.fresh, size);
        furthest_run(&stages->furthest, ask_others, stages);
        if (size) memcpy(task->properties, stages->paused, size);
        stages->result = result;
    }
    *task = kept;
    stages->used = used;
    mem_lower(mem, limits);
    return !stages->others_know;
}

/* Whether the explicit engine can answer without the whole graph. */
static bool is_in_each_state(const struct task *task)
{
    for (uint32_t i = 0; i < task->property_count; i++)
        if (!task->properties[i].in_each_state) return false;
    return task->reduction == REDUCE_NONE;
}

static const char *why_explicit(const struct stages *stages, const struct result *result)
{
    if (!stages->pauses)
        return result->all_states ? "the state space is small"
                                  : "it ended before it met many states";
    if (!stages->session->flat && flatten_is_needed(stages->session->model))
        return "the code of the model is too much for the other engines";
    return stages->pauses == 1
               ? "there are more than 2,000,000 states, and the other engines do not know more at "
                 "once"
               : "there are more than 16,000,000 states, and the other engines met a limit";
}

/* None of them could answer everything. */
static const char *why_furthest(struct mem *mem, const struct result *result)
{
    struct text text;
    text_init(&text, mem);
    text_add(&text, "it got furthest of");
    for (uint32_t i = 0; i < result->search_count; i++)
        text_add(&text, "%s %s",
                 i == 0                         ? ""
                 : i + 1 < result->search_count ? ","
                                                : " and",
                 result->searches[i].engine);
    text_add(&text, ", one after the other, none of which could answer everything");
    return text.data;
}

static void run_auto(struct session *session, struct task *task, struct result *result)
{
    size_t size = (task->property_count + UINT64_C(1)) * sizeof(struct property_result);
    struct stages stages = {.session = session,
                            .task = task,
                            .result = result,
                            .paused = mem_alloc(session->mem, size),
                            .limit = task->max_seconds,
                            .started = clock_now(),
                            .stage_states = AUTO_STATES,
                            .pause_seconds = moment_seconds};
#ifdef CAIRN_TEST_HOOKS /* "STATES SECONDS": so that small models have pauses and stages, too */
    if (getenv("CAIRN_PAUSE"))
        sscanf(getenv("CAIRN_PAUSE"), "%" SCNu64 " %lf", &stages.stage_states,
               &stages.pause_seconds);
#endif
    furthest_begin(&stages.furthest, task);
    task->max_states = stages.stage_states;
    task->at_max_states = is_in_each_state(task) ? pause_explicit : NULL;
    task->max_states_context = &stages;
    run_stage(&stages, run_explicit, 0);
    task->max_states = 0;
    task->at_max_states = NULL;
    const enum stop_reason stop = result->stop;
    end_stage(&stages, why_explicit(&stages, result));
    if (!stages.others_know && (stop == STOP_STATES || stop == STOP_MEMORY)) {
        stages.many = stop == STOP_STATES;
        furthest_run(&stages.furthest, run_later_stages, &stages);
    }
    bool open = task->property_count && !furthest_is_decided(&stages.furthest);
    furthest_end(&stages.furthest, result);
    if (!result->complete && (open || !task->property_count) && result->search_count > 1)
        result->why_engine = why_furthest(session->mem, result);
}

/* ---- hidden variables ---- */

/* Those that influence what can be seen leave few ways to search. */
static bool can_hide(const struct session *session)
{
    const struct options *options = session->options;
    const char *asked = model_is_timed(session->model) ? "the timed engine"
                        : options->engine == ENGINE_SYMBOLIC || options->engine == ENGINE_BOUNDED
                                || options->engine == ENGINE_TIMED
                            ? "--engine"
                        : options->reduction != REDUCE_NONE   ? "--reduce"
                        : options->partition                  ? "--partition"
                        : options->guide_auto                 ? "--bound auto"
                        : options->order == ORDER_PAST_FREEZE ? "past-freeze order"
                                                              : NULL;
    struct text names;
    text_init(&names, session->mem);
    if (!session_is_influenced(session, &names) || !asked) return true;
    fprintf(stderr,
            "cairn: error: %s: hidden variables influence what can be seen (%s), and only a "
            "breadth-first or depth-first search by the explicit engine compares states without "
            "them: this does not go with %s\n",
            session->model->file, names.data, asked);
    return false;
}

/* What was found without the variables that were left out is shown with them. False, after a
 * message: that is impossible. */
static bool show_hidden(struct session *session, const struct task *task)
{
    bool good = true;
    if (!session->shown) return true;
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        if (entry->trace) good &= session_show_run(session, entry->trace);
        for (uint32_t b = 0; b < entry->branch_count; b++)
            good &= session_show_run(session, entry->branches[b].trace);
    }
    if (!good)
        fprintf(stderr,
                "cairn: BUG: a trace does not replay with hidden variables (cairn %s, %s); please "
                "report it with the model\n",
                CAIRN_VERSION, session->model->file);
    session->model = session->shown;
    return good;
}

/* The engine that the options and the model ask for; ENGINE_AUTO: it is still to be chosen. */
static enum engine chosen_engine(const struct session *session)
{
    const struct options *options = session->options;
    bool explicit_choice = options->order == ORDER_BFS || options->order == ORDER_DFS
                           || options->order == ORDER_PAST_FREEZE || options->bound
                           || options->guide_auto;
    if (options->engine == ENGINE_TIMED || model_is_timed(session->model)) return ENGINE_TIMED;
    if (options->engine == ENGINE_BOUNDED) return ENGINE_BOUNDED;
    if (options->engine == ENGINE_SYMBOLIC || options->reduction == REDUCE_IMPROVISO)
        return ENGINE_SYMBOLIC;
    return options->engine == ENGINE_EXPLICIT || explicit_choice || model_has_hidden(session->model)
               ? ENGINE_EXPLICIT
               : ENGINE_AUTO;
}

/* How many threads one engine has; where it has one although more were asked for, that is told. */
static void choose_threads(const struct session *session, enum engine engine, struct task *task)
{
    const struct options *options = session->options;
    if (options->threads < 2) return;
    task->threads = engine != ENGINE_EXPLICIT       ? 1
                    : options->threads < UINT32_MAX ? (uint32_t)options->threads
                                                    : UINT32_MAX;
    const char *why = engine == ENGINE_EXPLICIT ? explicit_one_thread(task)
                      : engine == ENGINE_AUTO   ? NULL
                                                : "only the explicit engine has several";
    if (why && !options->quiet)
        fprintf(stderr, "cairn: note: --threads: one thread, because %s\n", why);
}

static void run_engine(struct session *session, enum engine engine, struct task *task,
                       struct result *result)
{
    switch (engine) {
    case ENGINE_TIMED: run_limited(task, result, run_timed); break;
    case ENGINE_BOUNDED: run_limited(task, result, bounded_run); break;
    case ENGINE_SYMBOLIC: run_limited(task, result, symbolic_run); break;
    case ENGINE_EXPLICIT: run_limited(task, result, run_explicit); break;
    case ENGINE_AUTO: run_auto(session, task, result); break;
    }
    if (engine == ENGINE_TIMED && session->options->engine == ENGINE_AUTO)
        result->why_engine = "the model has time";
}

static bool asks_for_graph(const struct task *task)
{
    bool found = false;
    for (uint32_t i = 0; i < task->property_count; i++) found |= !task->properties[i].in_each_state;
    return found;
}

/* Unless something else is asked for, a guide that is unrolled is searched rank by rank. When it is
 * not cut, temporal properties can be decided, but they need what that order frees. */
static void choose_order(struct session *session, const struct task *task)
{
    struct options *options = session->options;
    const struct model *model = session->model;
    bool one_by_one = options->engine == ENGINE_AUTO || options->engine == ENGINE_EXPLICIT
                      || options->engine == ENGINE_TIMED;
    if (model_has_hidden(model) || (model->guide && !model->guide->is_cut && asks_for_graph(task)))
        return;
    if (model->guide && model->guide->bound && model->rank != MODEL_NONE && one_by_one
        && options->order == ORDER_DEFAULT && options->reduction == REDUCE_NONE)
        options->order = ORDER_PAST_FREEZE;
}

/* A timed model needs the timed engine, and that has limits of its own. */
static bool can_run(struct session *session)
{
    if (!can_hide(session)) return false;
    const struct options *options = session->options;
    const struct model *model = session->model;
    struct place place;
    bool other_choice = options->order == ORDER_DFS || options->reduction != REDUCE_NONE
                        || (options->engine != ENGINE_AUTO && options->engine != ENGINE_TIMED);
    if (model_is_timed(model) && options->partition) {
        fprintf(stderr,
                "cairn: error: %s has clocks or time intervals: --partition is for models without "
                "time\n",
                model->file);
        return false;
    }
    if (model_is_timed(model) && other_choice) {
        fprintf(stderr,
                "cairn: error: %s has clocks or time intervals: only the timed engine knows time "
                "(--engine timed)\n",
                model->file);
        return false;
    }
    if (options->order == ORDER_PAST_FREEZE && model->rank == MODEL_NONE
        && !options->context) { /* a context that does nothing is one cluster */
        fprintf(
            stderr,
            "cairn: error: %s has no rank for --order past-freeze to follow: it needs a context "
            "(--context FILE), or a guide that is unrolled (--guide FILE and --bound N)\n",
            model->file);
        return false;
    }
    bool timed = options->engine == ENGINE_TIMED || model_is_timed(model);
    const char *why = timed ? timed_refuses(model, &place) : NULL;
    if (why && place.line) diag_error(&session->diag, DIAG_UNSUPPORTED, place, "%s", why);
    else if (why) fprintf(stderr, "cairn: error: %s: %s\n", model->file, why);
    return !why;
}

/* The p-points of --partition. */
static bool find_points(struct session *session, struct task *task)
{
    const char *labels = session->options->partition;
    if (!labels) return true;
    struct model *model = session->model;
    struct points *points = arena_alloc(&model->arena, sizeof *points);
    struct text complaint;
    text_init(&complaint, session->mem);
    task->points = points;
    task->points_chosen = !strcmp(labels, "auto");
    task->hides_position = session->options->partition_hidden;
    if (task->points_chosen) points_choose(points, model);
    else points_read(points, model, labels, &complaint);
    if (complaint.len) fprintf(stderr, "cairn: error: %s: %s\n", model->file, complaint.data);
    return !complaint.len;
}

/* ---- whose run it is ---- */

static ssize_t hash_write(void *context, const char *bytes, size_t size)
{
    XXH3_128bits_update(context, bytes, size);
    return (ssize_t)size;
}

/* A hash of the model as it is printed and of what is asked: a frozen run is continued only by the
 * same. False: memory was refused. */
static bool identify_run(struct session *session, struct task *task)
{
    struct mem *mem = session->mem;
    jmp_buf refused, *const outer = mem->recover;
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    FILE *const out = fopencookie(&state, "w", (cookie_io_functions_t){.write = hash_write});
    if (!out) return false;
    if (setjmp(refused)) { /* the stream must not outlive the state */
        mem->recover = outer;
        fclose(out);
        return false;
    }
    mem->recover = &refused;
    fprintf(out, "cairn %s, %s%s, %u properties\n", CAIRN_VERSION, session->options->command->name,
            task->stop_at_first ? ", first" : "", task->property_count);
    if (chosen_engine(session) == ENGINE_TIMED)
        fprintf(out, "timed, zones %s\n", task->equal_zones ? "equal" : "by inclusion");
    for (uint32_t i = 0; i < task->property_count; i++)
        fprintf(out, "%s %u %u\n", task->properties[i].property->name,
                (unsigned)task->properties[i].kind, task->properties[i].watched_only);
    model_print(session->model, &session->diag, out);
    mem->recover = outer;
    if (fclose(out)) return false;
    XXH128_hash_t hash = XXH3_128bits_digest(&state);
    task->freeze_hash[0] = hash.low64;
    task->freeze_hash[1] = hash.high64;
    return true;
}

/* Gives the task the model as the engine needs it; false: there is none, as was told. */
static bool choose_model(struct session *session, enum engine engine, struct task *task)
{
    if (engine != ENGINE_SYMBOLIC && engine != ENGINE_BOUNDED) return true;
    task->model = session_flat(session, false);
    if (!task->model)
        session_tell_refusal(session, engine == ENGINE_SYMBOLIC ? "the symbolic engine"
                                                                : "the bounded engine");
    return task->model != NULL;
}

/* What was found is verified, then told. */
static int conclude(struct session *session, const char *command, bool is_check,
                    const struct task *task, struct result *result)
{
    mem_lift(session->mem); /* the report is small, and must not fail for the limit on the search */
    deadline_tell();
    session_end_progress(session);
    if (result->refused) {
        fprintf(stderr, "cairn: error: %s\n", result->refused);
        return EXIT_USAGE;
    }
    if (result->broken) {
        fprintf(stderr, "cairn: BUG: %s (cairn %s, %s)\n", result->broken, CAIRN_VERSION,
                session->model->file);
        return EXIT_INTERNAL;
    }
    if (!search_verify_traces(session->model, task) || !show_hidden(session, task))
        return EXIT_INTERNAL;
    if (session->shown) result->searched = session->hiding.model;
    bool refused = false; /* memory, for the page */
    bool saved = save_trace(session, task), told = tell(session, command, task, result),
         reported = save_report(session, command, task, result,
                                &refused); /* a result is told whatever happens to the files */
    return saved && told && reported ? conclude_status(is_check, task, result)
           : refused                 ? EXIT_INCONCLUSIVE
                                     : EXIT_USAGE;
}

static int run(struct options *options, struct mem *mem, const char *command, bool is_check)
{
    struct session session;
    struct task task = {0};
    struct result result;
    int status;
    session_init(&session, options, mem);
    if (!session_load(&session, options->file)) return session.status;
    if (is_check && !session_properties(&session, &task)) return EXIT_USAGE;
    session_hide(&session, task.properties, task.property_count);
    choose_order(&session, &task);
    if (!can_run(&session)) return EXIT_USAGE;
    session_prepare(&session, &task);
    if (!find_points(&session, &task)) return EXIT_USAGE;
    task.count_deadlocks = !is_check;
    bool splits = options->split != SPLIT_NEVER;
    if ((task.freeze || splits) && !identify_run(&session, &task)) mem_refuse(mem);
    if (splits) {
        if (!split_run(&session, &task, chosen_engine(&session) == ENGINE_TIMED, &result, &status))
            return status;
        guided_cut(&session, &task, &result);
        guided_part(&session, &task, &result);
        return conclude(&session, command, is_check, &task, &result);
    }
    enum engine engine = chosen_engine(&session);
    if (!choose_model(&session, engine, &task))
        return session.is_limited ? EXIT_INCONCLUSIVE : EXIT_USAGE;
    choose_threads(&session, engine, &task);
    bool races =
        options_race(options) && engine == ENGINE_AUTO
        && !(session.model->guide && (session.model->guide->is_cut || session.model->guide->split));
    deadline_search(task.max_seconds);
    switch (races ? portfolio_run(&session, &task, is_check, &result, &status) : PORTFOLIO_NONE) {
    case PORTFOLIO_TOLD: return status;
    case PORTFOLIO_TELL: break;
    case PORTFOLIO_NONE: run_engine(&session, engine, &task, &result); break;
    }
    guided_cut(&session, &task, &result);
    guided_part(&session, &task, &result);
    return conclude(&session, command, is_check, &task, &result);
}

/* For the properties named on the command line and the formulas given there; without any, for
 * deadlocks and run-time errors. */
static int show_process_model(struct options *options, struct mem *mem)
{
    struct session session;
    struct task task = {0};
    struct process_model process_model;
    session_init(&session, options, mem);
    if (!session_load(&session, options->file)) return session.status;
    struct model *model = session.model;
    bool *visible = mem_alloc(mem, model->vars.len + UINT64_C(1)),
         chosen = options->properties.len || options->formulas.len;
    if (chosen && !session_properties(&session, &task)) return EXIT_USAGE;
    session_hide(&session, task.properties, task.property_count);
    for (uint32_t i = 0; i < task.property_count; i++) {
        const struct property_result *entry = &task.properties[i];
        if (entry->kind == PROPERTY_DEADLOCK || entry->kind == PROPERTY_RUNTIME_ERROR) continue;
        bool given = entry->property - model->properties.data
                     >= (ptrdiff_t)(model->properties.len - options->formulas.len);
        if (options->properties.len || given)
            process_model_see(model, entry->property->root, visible);
    }
    process_model_init(&process_model, session.model, visible);
    mem_lift(mem);
    deadline_tell();
    FILE *file = !options->json       ? NULL
                 : options->json_file ? session_open(&session, options->json_file)
                                      : stdout;
    options->told = options->json;
    if (file) processes_json(file, &session.diag, &process_model, visible);
    bool written =
        !options->json
        || (file
            && session_close(file, options->json_file ? options->json_file : "standard output"));
    if (!options->json || options->json_file)
        processes_show(&session.style, &process_model, visible);
    bool undecided = process_model.undecided;
    if (undecided)
        fprintf(stderr,
                "cairn: note: some guards are too hard to compare%s: they count as ones that may "
                "both hold\n",
                process_model.lacks_memory ? " in this memory" : "");
    process_model_release(&process_model);
    if (!session_close(stdout, "standard output") || !written) return EXIT_USAGE;
    return undecided ? EXIT_INCONCLUSIVE : EXIT_HOLDS;
}

static int explore_one(struct options *options, struct mem *mem)
{
    return run(options, mem, "explore", false);
}

static int check_one(struct options *options, struct mem *mem)
{
    return run(options, mem, "check", true);
}

/* One search, or one for each context or guide of a file. */
static int search(struct options *options, struct mem *mem, const char *command,
                  int (*one)(struct options *options, struct mem *mem))
{
    struct guided_list guides;
    if (contexts_are_several(options, mem)) return contexts_run(options, mem, NULL, command, one);
    if (guided_are_several(options, mem, &guides))
        return contexts_run(options, mem, &guides, command, one);
    if (!options->results) return one(options, mem);
    fputs("cairn: error: --results keeps the results of several searches: of all contexts or "
          "guides of a file, or of the parts of a guide\n",
          stderr);
    return EXIT_USAGE;
}

int search_explore(struct options *options, struct mem *mem)
{
    return options->show_process_model ? show_process_model(options, mem)
                                       : search(options, mem, "explore", explore_one);
}

int search_check(struct options *options, struct mem *mem)
{
    return search(options, mem, "check", check_one);
}
