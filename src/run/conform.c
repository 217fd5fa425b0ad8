/* Up to three searches, each rank by rank (past-freeze), so that lines that were passed are
 * forgotten, and in memory there is what one line needs:
 *
 *  1. Is there a state in which all lines were passed? If so, the run to it explains the log. If
 *     not, the last rank that was reached says how many lines conform.
 *  2. The same for these lines alone, with one more step of any kind behind them: that shows a run
 *     for them, and everything that was possible there.
 *  3. The same up to the line that does not conform, when anything may happen before it: what would
 *     explain it.
 *
 * Every run is turned into one of the model itself and followed there once more, line by line. The
 * second and the third search explain a verdict that stands without them: they get what is left of
 * the time, and when a limit ends them, less is told. */
#include "run/conform.h"

#include "base/clock.h"
#include "base/version.h"
#include "model/eval.h"
#include "run/decide.h"
#include "run/load.h"
#include "run/message.h"

#include <assert.h>
#include <string.h>

struct searching {
    struct session *session;
    struct conform *conform;
    double began;
};

/* One search: what was woven, and what was found in it. */
struct found {
    struct log log;
    struct log_woven woven;
    struct session session;
    struct ask ask;
    struct task task;
    struct result result;
    bool is_there; /* there is a result */
};

/* ---- searching ---- */

static void add_goal(struct model *model, const char *name, expr goal)
{
    struct model_property property = {.name = name,
                                      .kind = PROPERTY_REACH,
                                      .text = name,
                                      .root =
                                          formula_atom(&model->formulas, goal, (struct place){0})};
    vec_push(model->mem, &model->properties, property);
}

/* What is left of the time for explanations: the verdict took some of it. */
static double time_left(const struct searching *at)
{
    double limit = at->session->ask->time, used = clock_now() - at->began;
    return !limit ? 0 : limit - used > limit / 10 ? limit - used : limit / 10;
}

/* The first property is that all lines are passed; with probes, one for each class follows. */
static bool search(struct searching *at, struct found *found)
{
    struct session *outer = at->session;
    const struct logfile *file = &at->conform->file;
    found->woven = log_weave(outer->model, &found->log);
    struct model *model = found->woven.model;
    model->properties.len = model->queries.len = 0;
    add_goal(model, "log", log_is_passed(&found->woven, &found->log));
    for (uint32_t c = 0; c < file->log.classes && found->log.probes; c++)
        add_goal(model, names_format(&model->names, "possible[%u]", c),
                 log_is_possible(&found->woven, c));
    found->ask = *outer->ask;
    found->ask.command = ASK_CHECK;
    found->ask.order = ORDER_PAST_FREEZE;
    found->ask.no_deadlock = true;
    found->ask.time = time_left(at);
    session_init(&found->session, &found->ask, outer->mem, outer->door);
    found->session.interrupted = outer->interrupted;
    found->session.model = model;
    int status;
    found->is_there =
        decide_run(&found->session, &found->task, &found->result, &status) == DECIDE_RESULT;
    outer->status = status;
    return found->is_there;
}

/* The limit that told results are free of counts again. */
static void limit_again(const struct searching *at)
{
    uint64_t memory = at->session->ask->memory;
    mem_set_limit(at->session->mem, memory ? memory : mem_available() / 5 * 4);
}

static const struct property_result *goal_of(const struct found *found, uint32_t index)
{
    const struct model_property *property = &found->woven.model->properties.data[index];
    for (uint32_t i = 0; found->is_there && i < found->task.property_count; i++)
        if (found->task.properties[i].property == property) return &found->task.properties[i];
    return NULL;
}

/* Whether its state was reached; *is_known: or it is proved that it cannot be. */
static bool is_reached(const struct found *found, uint32_t index, bool *is_known)
{
    const struct property_result *goal = goal_of(found, index);
    *is_known = goal && goal->verdict != VERDICT_UNKNOWN;
    return goal && goal->verdict == VERDICT_VIOLATED; /* of "never" */
}

/* ---- runs ---- */

/* The run without the steps that pass lines, as one of the model. `passed`, unless it is NULL: per
 * line, how many steps were taken then. */
static struct trace *own_run(const struct searching *at, const struct found *found, uint32_t index,
                             uint32_t *passed)
{
    const struct model *model = at->session->model;
    const struct property_result *goal = goal_of(found, index);
    if (!goal || !goal->trace) return NULL;
    const struct trace *woven = goal->trace;
    uint32_t steps = 0, line = 0, to = 0;
    for (uint32_t i = 0; i < woven->steps; i++) steps += woven->rules[i] != found->woven.rule;
    struct trace *run = trace_new(model, steps);
    memcpy(run->initial, woven->initial, model->vars.len * sizeof *run->initial);
    if (woven->delays && model_is_timed(model)) trace_add_delays(model, run, woven->denominator);
    for (uint32_t i = 0; i < woven->steps; i++) {
        if (run->delays) run->delays[to] += woven->delays[i];
        if (woven->rules[i] != found->woven.rule) run->rules[to++] = woven->rules[i];
        else if (passed) passed[line++] = to;
        else line++;
    }
    assert(to == steps && line <= found->log.count);
    return run;
}

/* A line beside the step that it was passed with, in the model itself. */
static bool agrees(const struct log *log, uint32_t i, const struct trace *run,
                   const struct trace_walk *walk)
{
    const struct log_line *line = &log->lines[i];
    if (line->never) return false;
    if (line->row != LOG_LOOKS) {
        if (!walk->at) return false;
        uint32_t class = log->class_of[run->rules[walk->at - 1]];
        if (!log->admits[(uint64_t)line->row * log->classes + class]) return false;
    }
    for (uint32_t v = 0; v < line->values; v++) {
        const struct log_value *value = &log->values[line->first_value + v];
        if (walk->state[value->var] != value->value) return false;
    }
    if (!line->has_time || line->row == LOG_LOOKS) return true;
    __int128 date = trace_date(run, walk->at), tick = run->denominator;
    return date >= line->earliest * tick && date <= line->latest * tick;
}

/* Follows a run once more, with its lines: NULL, or what is wrong, which is a bug. */
static const char *verify(const struct searching *at, const struct log *log,
                          const struct trace *run, const uint32_t *step_of)
{
    const struct model *model = at->session->model;
    struct trace_walk walk;
    uint32_t line = 0;
    const char *wrong = NULL;
    if (run->delays) {
        struct timed_state state;
        timed_init(&state, model, run->denominator);
        wrong = trace_follow(run, &state);
        timed_release(&state);
    }
    if (!trace_walk_start(&walk, model, run)) wrong = "the first state is not initial";
    while (!wrong) {
        for (; line < log->count && step_of[line] == walk.at; line++)
            if (!agrees(log, line, run, &walk)) wrong = "a line is not what it says";
        if (walk.at == run->steps || wrong) break;
        if (!trace_walk_step(&walk)) wrong = "a step is not possible";
    }
    trace_walk_end(&walk);
    if (!wrong && line < log->count) wrong = "a line is missing";
    return wrong;
}

static bool is_good(struct searching *at, const struct log *log, const struct trace *run,
                    const uint32_t *step_of)
{
    const char *wrong = verify(at, log, run, step_of);
    if (!wrong) return true;
    message(&at->session->diag, DIAG_BUG, NULL,
            "the run of a log does not replay: %s (cairn %s, %s); please report it with the model",
            wrong, CAIRN_VERSION, at->session->model->file);
    at->session->status = EXIT_INTERNAL;
    return false;
}

/* ---- the three questions ---- */

static uint32_t *new_steps(const struct searching *at, uint32_t lines)
{
    return mem_alloc(at->session->mem, (lines + UINT64_C(1)) * sizeof(uint32_t));
}

/* Takes over a run that passes all lines of what was woven. */
static bool take_run(struct searching *at, const struct found *found)
{
    struct conform *conform = at->conform;
    conform->step_of = new_steps(at, found->log.count);
    conform->run = own_run(at, found, 0, conform->step_of);
    return !conform->run || is_good(at, &found->log, conform->run, conform->step_of);
}

/* Very many ranks are fewer clusters (search/rank.c): `*low` lines conform, `*high` do not. */
static void find_ranks(const struct found *found, uint32_t *low, uint32_t *high)
{
    const struct cluster_statistics *clusters = found->result.clusters;
    uint64_t width = 1;
    assert(clusters);
    while ((clusters->ranks - 1) / width >= CLUSTER_MANY) width *= 2;
    *low = (uint32_t)clusters->rank;
    *high = *low + width > found->log.count ? found->log.count : (uint32_t)(*low + width);
}

/* The largest number of lines that are passed by some run. False: a limit ended a search. */
static bool find_prefix(struct searching *at, const struct found *whole)
{
    uint32_t low, high; /* `low` lines conform, `high` do not */
    find_ranks(whole, &low, &high);
    while (high - low > 1) {
        struct found found = {.log = at->conform->file.log};
        uint32_t middle = low + (high - low) / 2;
        bool is_known;
        found.log.count = middle;
        limit_again(at);
        if (!search(at, &found)) return false;
        bool passes = is_reached(&found, 0, &is_known);
        if (!is_known) return false;
        if (passes) low = middle;
        else high = middle;
    }
    at->conform->passed = low;
    return true;
}

enum { MOST_CLASSES = 2000 }; /* that are asked for one by one */

static bool find_possible(struct searching *at)
{
    struct conform *conform = at->conform;
    struct found found = {.log = conform->file.log};
    const struct log_line *next = &conform->file.log.lines[conform->passed];
    bool is_known;
    found.log.count = conform->passed;
    /* where anything may happen, everything that can be reached is possible */
    found.log.probes = conform->file.log.classes <= MOST_CLASSES && !at->session->ask->gaps;
    limit_again(at);
    if (!search(at, &found)) return at->session->status != EXIT_INTERNAL;
    if (!take_run(at, &found)) return false;
    if (!found.log.probes) return true;
    conform->knows_possible = true;
    for (uint32_t c = 0; c < found.log.classes; c++) {
        conform->is_possible[c] = is_reached(&found, 1 + c, &is_known);
        conform->knows_possible &= is_known;
        bool is_meant =
            next->row != LOG_LOOKS && found.log.admits[(uint64_t)next->row * found.log.classes + c];
        if (!conform->is_possible[c] || !is_meant || conform->nearest) continue;
        uint32_t *step_of = new_steps(at, found.log.count);
        conform->nearest = own_run(at, &found, 1 + c, step_of);
        if (conform->nearest && !is_good(at, &found.log, conform->nearest, step_of)) return false;
    }
    return true;
}

static bool find_bridge(struct searching *at)
{
    struct conform *conform = at->conform;
    struct mem *mem = at->session->mem;
    struct found found = {.log = conform->file.log};
    uint32_t count = conform->passed + 1;
    struct log_line *lines = mem_alloc(mem, count * sizeof *lines);
    memcpy(lines, found.log.lines, count * sizeof *lines);
    if (lines[conform->passed].gap || lines[conform->passed].never) return true;
    lines[conform->passed].gap = true;
    found.log.lines = lines;
    found.log.count = count;
    limit_again(at);
    if (!search(at, &found)) return at->session->status != EXIT_INTERNAL;
    is_reached(&found, 0, &conform->knows_bridge);
    uint32_t *step_of = new_steps(at, count);
    conform->bridge = own_run(at, &found, 0, step_of);
    if (!conform->bridge) return true;
    bool looks = lines[conform->passed].row == LOG_LOOKS;
    conform->bridge_from = conform->passed ? step_of[conform->passed - 1] : 0;
    conform->bridge_to = step_of[conform->passed] - !looks;
    assert(conform->bridge_from <= conform->bridge_to);
    return is_good(at, &found.log, conform->bridge, step_of);
}

/* The model with times as fine as those of the log. */
static bool refine(struct session *session, const struct logfile *file)
{
    if (!file->has_times || log_refine_time(session->model, file->refine)) return true;
    return message_error(&session->diag,
                         "%s: its times are no whole numbers of ticks, and clocks of the model "
                         "cannot be made finer; round them, and use --tolerance",
                         session->ask->log);
}

/* It does not conform: how much of it does, and why no more. */
static bool explain(struct searching *at, const struct found *whole)
{
    struct conform *conform = at->conform;
    if (!find_prefix(at, whole)) return at->session->status != EXIT_INTERNAL;
    conform->knows_passed = true;
    return find_possible(at) && find_bridge(at);
}

/* A limit ended the search: as many lines conform as ranks were finished, at least. */
static bool tell_begin(struct searching *at, const struct found *whole)
{
    uint32_t high;
    if (whole->result.clusters) find_ranks(whole, &at->conform->passed, &high);
    return true;
}

bool conform_run(struct session *session, struct conform *conform)
{
    struct searching at = {.session = session, .conform = conform, .began = clock_now()};
    *conform = (struct conform){0};
    if (!load_model(session, session->ask->file) || !logfile_read(session, &conform->file)
        || !refine(session, &conform->file))
        return false;
    struct found whole = {.log = conform->file.log};
    conform->is_possible = mem_alloc(session->mem, conform->file.log.classes + UINT64_C(1));
    if (!search(&at, &whole)) return false;
    conform->result = whole.result;
    conform->conforms = is_reached(&whole, 0, &conform->is_known);
    if (!conform->is_known) return tell_begin(&at, &whole);
    if (!conform->conforms) return explain(&at, &whole);
    conform->passed = conform->file.log.count;
    conform->knows_passed = true;
    return take_run(&at, &whole);
}

int conform_status(const struct conform *conform)
{
    return !conform->is_known ? EXIT_INCONCLUSIVE : conform->conforms ? EXIT_HOLDS : EXIT_VIOLATED;
}

const char *conform_assurance(struct session *session, const struct conform *conform)
{
    const struct ask *ask = session->ask;
    struct text text;
    text_init(&text, session->mem);
    if (!conform->is_known)
        text_add(&text, "whether a run of the model begins like the log is not known: %s",
                 stop_reason_text[conform->result.stop]);
    else if (conform->conforms)
        text_add(&text, "a run of the model begins like the log; it was replayed");
    else
        text_add(&text, "no run of the model begins like the log: all that begin like its first "
                        "lines were followed");
    if (ask->gaps) text_add(&text, "; where anything may be missing in the log");
    else if (ask->unlogged)
        text_add(&text, "; where steps %s may be missing in the log", ask->unlogged);
    if (conform->file.has_times && ask->tolerance)
        text_add(&text, "; its times may be wrong by %s", ask->tolerance);
    conclude_conditions(&text, session->model, &conform->result);
    return text.data;
}
