#include "run/stages.h"

#include "base/clock.h"
#include "result/furthest.h"
#include "run/deadline.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef void engine_run(struct task *task, struct result *result);

static void call(struct task *task, const void *run_it, struct result *result)
{
    (*(engine_run *const *)run_it)(task, result);
}

static void run_limited(const struct engine_row *engine, engine_run *run_it, struct task *task,
                        struct result *result)
{
    deadline_run(task, result, engine->name, call, &run_it);
}

void stages_run_one(const struct engine_row *engine, struct task *task, struct result *result)
{
    run_limited(engine, engine->run, task, result);
}

enum { AUTO_STATES = 2000000, PAUSE_GROWTH = 8 };
enum { MOMENT_SECONDS = 1, HUNT_SECONDS = 2, AUTO_SECONDS = 10 };
static const char too_much_code[] = "the code of the model is too much for the other engines";

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

/* With the model that the engine knows; what it finds is about both. */
static void run_stage(struct stages *stages, enum engine engine, double seconds)
{
    const struct engine_row *row = engines_find(engine);
    struct session *session = stages->session;
    assert(row->hunt && (!row->needs_flat || session->flat || !flatten_is_needed(session->model)));
    if (row->needs_flat && session->flat) stages->task->model = session->flat;
    double left = stages->limit > 0 ? stages->limit - stages->used : 0;
    if (stages->limit > 0 && left < 1e-9) left = 1e-9;
    stages->task->max_seconds = seconds <= 0                              ? left
                                : stages->limit > 0 && left / 2 < seconds ? left / 2
                                                                          : seconds;
    run_limited(row, row->hunt, stages->task, stages->result);
    stages->result->seconds += stages->used;
    stages->task->model = session->model;
}

/* True: there is nothing left to do: everything is decided, or it was interrupted. */
static bool try_bounded(struct stages *stages, double seconds, const char *why)
{
    if (!stages->task->property_count || stages->task->weakly_fair) return false;
    run_stage(stages, ENGINE_BOUNDED, seconds);
    bool interrupted = stages->result->stop == STOP_INTERRUPT;
    end_stage(stages, why);
    return interrupted || furthest_is_decided(&stages->furthest);
}

/* Of explore, too: what has no property is answered by all states. */
static bool try_symbolic(struct stages *stages, double seconds, const char *why)
{
    run_stage(stages, ENGINE_SYMBOLIC, seconds);
    const enum stop_reason stop = stages->result->stop;
    bool exploded = stop == STOP_MEMORY || stop == STOP_TIME || stop == STOP_SIZE;
    end_stage(stages, why);
    return !exploded || furthest_is_decided(&stages->furthest);
}

/* What comes after the explicit engine met too much: more states than it is given at first, or more
 * than fit in memory. `why` is told of the engine that answers. */
static const struct turn {
    enum engine engine;
    double seconds;                  /* 0: as long as there is time */
    const char *why_many, *why_full; /* NULL: it has no turn then */
} turns[] = {
    {ENGINE_BOUNDED, HUNT_SECONDS, "there are more than 2,000,000 states",
     "the states one by one did not fit in memory"},
    {ENGINE_SYMBOLIC, AUTO_SECONDS, "there are more than 2,000,000 states",
     "the states one by one did not fit in memory"},
    {ENGINE_BOUNDED, AUTO_SECONDS,
     "there are too many states to list, and the symbolic engine met a limit",
     "there are too many states to list, and the symbolic engine met a limit"},
    {ENGINE_EXPLICIT, 0, "there are more than 2,000,000 states, and the other engines met a limit",
     NULL},
};

static bool try_engine(struct stages *stages, enum engine engine, double seconds, const char *why)
{
    if (engine == ENGINE_BOUNDED) return try_bounded(stages, seconds, why);
    if (engine == ENGINE_SYMBOLIC) return try_symbolic(stages, seconds, why);
    run_stage(stages, engine, seconds);
    end_stage(stages, why);
    return true;
}

static void run_later_stages(void *context)
{
    struct stages *stages = context;
    bool flat = session_flat(stages->session, false);
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        const struct turn *turn = &turns[i];
        const char *why = stages->many ? turn->why_many : turn->why_full;
        bool needs_flat = engines_find(turn->engine)->needs_flat;
        if (!why || (needs_flat && !flat)) continue;
        if (!flat) why = too_much_code;
        if (try_engine(stages, turn->engine, turn->seconds, why)) return;
    }
}

/* ---- pauses ---- */

/* Whether one of the other engines has the answer. */
static void ask_others(void *context)
{
    struct stages *stages = context;
    const double seconds = stages->pauses == 1 ? stages->pause_seconds : AUTO_SECONDS;
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
    assert(stages->pauses <= 2); /* then it has no limit on states any more */
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
    if (!stages->session->flat && flatten_is_needed(stages->session->model)) return too_much_code;
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

void stages_run(struct session *session, struct task *task, struct result *result)
{
    size_t size = (task->property_count + UINT64_C(1)) * sizeof(struct property_result);
    struct stages stages = {.session = session,
                            .task = task,
                            .result = result,
                            .paused = mem_alloc(session->mem, size),
                            .limit = task->max_seconds,
                            .started = clock_now(),
                            .stage_states = AUTO_STATES,
                            .pause_seconds = MOMENT_SECONDS};
#ifdef CAIRN_TEST_HOOKS /* "STATES SECONDS": so that small models have pauses and stages, too */
    if (getenv("CAIRN_PAUSE"))
        sscanf(getenv("CAIRN_PAUSE"), "%" SCNu64 " %lf", &stages.stage_states,
               &stages.pause_seconds);
#endif
    furthest_begin(&stages.furthest, task);
    task->max_states = stages.stage_states;
    task->at_max_states = is_in_each_state(task) ? pause_explicit : NULL;
    task->max_states_context = &stages;
    run_stage(&stages, ENGINE_EXPLICIT, 0);
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
