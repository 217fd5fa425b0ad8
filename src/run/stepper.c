#include "run/stepper.h"

#include "run/deadline.h"
#include "run/message.h"
#include "run/replay.h"
#include "run/trim.h"

#include <assert.h>
#include <string.h>

int64_t *stepper_last(struct stepper *stepper)
{
    return stepper->states.data + (size_t)stepper->rules.len * stepper->model->vars.len;
}

static void push_state(struct stepper *stepper, const int64_t *state)
{
    for (uint32_t v = 0; v < stepper->model->vars.len; v++)
        vec_push(stepper->model->mem, &stepper->states, state[v]);
}

/* Random delays are multiples of a quarter of a tick, and at most so many ticks longer than they
 * must be where nothing limits them. */
enum { MOST_TICKS = 10 };

/* The delays in the window that are whole numbers of parts. False: none. */
static bool whole_delays(const struct stepper *stepper, const struct timed_window *window,
                         int64_t *least, int64_t *most)
{
    *least = window->low + window->low_open;
    *most = window->infinite || window->high > *least + stepper->parts * MOST_TICKS
                ? *least + stepper->parts * MOST_TICKS
                : window->high - window->high_open;
    return *least <= *most;
}

static void find_enabled_timed(struct stepper *stepper)
{
    for (uint32_t r = 0; r < stepper->model->rules.len; r++) {
        struct timed_window window = timed_chance(&stepper->timed, r);
        int64_t least, most;
        if (stepper->timed.enabled[r] && whole_delays(stepper, &window, &least, &most))
            stepper->enabled[stepper->enabled_count++] = r;
        if (stepper->failed == MODEL_NONE && timed_try(&stepper->timed, r) == EVAL_FAILED)
            stepper->failed = r;
    }
}

static void find_enabled(struct stepper *stepper)
{
    stepper->enabled_count = 0;
    stepper->failed = MODEL_NONE;
    if (stepper->is_timed) {
        find_enabled_timed(stepper);
        return;
    }
    for (uint32_t r = 0; r < stepper->model->rules.len; r++) {
        enum eval_result tried =
            eval_rule(stepper->model, r, stepper_last(stepper), stepper->scratch);
        if (tried == EVAL_ENABLED) stepper->enabled[stepper->enabled_count++] = r;
        else if (tried == EVAL_FAILED && stepper->failed == MODEL_NONE) stepper->failed = r;
    }
}

static void random_values(struct stepper *stepper)
{
    uint32_t vars = stepper->model->vars.len;
    const int64_t *listed =
        model_lists_initial(stepper->model)
            ? stepper->model->initial.data
                  + vars * random_below(&stepper->random, stepper->model->initial.len / vars)
            : NULL;
    for (uint32_t v = 0; v < vars; v++) {
        const struct model_var *var = &stepper->model->vars.data[v];
        uint64_t span = (uint64_t)(var->high - var->low) + 1;
        stepper->scratch[v] = listed ? listed[v]
                              : var->any_init
                                  ? var->low + (int64_t)random_below(&stepper->random, span)
                                  : var->init;
    }
}

/* A run without steps. */
static void begin(struct stepper *stepper, const int64_t *state)
{
    stepper->states.len = stepper->rules.len = stepper->delays.len = stepper->known = 0;
    stepper->waited = 0;
    push_state(stepper, state);
    find_enabled(stepper);
}

bool stepper_start_at(struct stepper *stepper, const int64_t *initial)
{
    const bool good = stepper->is_timed ? timed_start(&stepper->timed, initial)
                                        : eval_is_initial(stepper->model, initial);
    if (good) begin(stepper, initial);
    return good;
}

/* In a timed model invariants of locations may exclude initial states. False: so many were
 * excluded. */
bool stepper_start(struct stepper *stepper)
{
    enum { TRIES = 1000 };
    bool good = false;
    for (unsigned i = 0; !good && i < TRIES; i++) {
        random_values(stepper);
        good = !stepper->is_timed || timed_start(&stepper->timed, stepper->scratch);
    }
    begin(stepper, stepper->scratch);
    if (!good)
        message_error(&stepper->session->diag,
                      "%s: the invariants of locations exclude %d random initial states",
                      stepper->model->file, TRIES);
    return good;
}

/* A step was taken, to this state. */
static void note(struct stepper *stepper, uint32_t rule, const int64_t *state)
{
    push_state(stepper, state);
    if (stepper->is_timed) vec_push(stepper->model->mem, &stepper->delays, stepper->waited);
    vec_push(stepper->model->mem, &stepper->rules, rule);
    stepper->waited = 0;
    stepper->known = stepper->rules.len;
    find_enabled(stepper);
}

/* After a random delay that the rule allows: half the time the shortest one. A rule that is held
 * back then gives way to another. */
static void take_timed(struct stepper *stepper, uint32_t rule)
{
    struct timed_window window = timed_chance(&stepper->timed, rule);
    int64_t least = 0, most = 0;
    whole_delays(stepper, &window, &least, &most);
    int64_t delay =
        random_below(&stepper->random, 2)
            ? least
            : least + (int64_t)random_below(&stepper->random, (uint64_t)(most - least) + 1);
    timed_wait(&stepper->timed, delay);
    uint32_t possible = 0;
    for (uint32_t r = 0; r < stepper->model->rules.len; r++)
        if (timed_try(&stepper->timed, r) == EVAL_ENABLED) stepper->enabled[possible++] = r;
    if (timed_try(&stepper->timed, rule) != EVAL_ENABLED)
        rule = stepper->enabled[random_below(&stepper->random, possible)];
    timed_take(&stepper->timed, rule);
    stepper->waited += delay;
    note(stepper, rule, stepper->timed.values);
}

void stepper_take(struct stepper *stepper, uint32_t rule)
{
    assert(rule < stepper->model->rules.len && stepper->enabled_count);
    if (stepper->is_timed) {
        take_timed(stepper, rule);
        return;
    }
    eval_rule(stepper->model, rule, stepper_last(stepper), stepper->scratch);
    note(stepper, rule, stepper->scratch);
}

struct trace *stepper_trace(const struct stepper *stepper)
{
    struct trace *trace = trace_new(stepper->model, stepper->rules.len);
    assert(!stepper->is_timed || stepper->delays.len >= stepper->rules.len);
    if (stepper->model->vars.len)
        memcpy(trace->initial, stepper->states.data,
               stepper->model->vars.len * sizeof *trace->initial);
    if (stepper->rules.len)
        memcpy(trace->rules, stepper->rules.data, stepper->rules.len * sizeof *trace->rules);
    if (!stepper->is_timed) return trace;
    trace_add_delays(stepper->model, trace, stepper->parts);
    if (stepper->rules.len)
        memcpy(trace->delays, stepper->delays.data, stepper->rules.len * sizeof *trace->delays);
    trace->delays[stepper->rules.len] = stepper->waited;
    return trace;
}

/* What a property says of every state; false: it says nothing of the kind. */
bool stepper_condition(const struct property_result *entry, expr *condition)
{
    *condition = entry->in_each_state ? entry->invariant : entry->safety;
    return entry->in_each_state || entry->has_safety;
}

bool stepper_is_false(struct stepper *stepper, expr condition)
{
    int64_t value;
    return eval_expr(stepper->model, condition, stepper_last(stepper), &value) && !value;
}

static bool is_dead_end(struct stepper *stepper)
{
    bool stuck = stepper->is_timed ? timed_is_stuck(&stepper->timed) : !stepper->enabled_count;
    return stuck && !eval_is_final(stepper->model, stepper_last(stepper));
}

/* The first property that the last state violates, or NULL. Its entry gets the trace, as does one
 * that seeks this state. */
static struct property_result *find_violation(struct stepper *stepper)
{
    for (uint32_t i = 0; i < stepper->task.property_count; i++) {
        struct property_result *entry = &stepper->task.properties[i];
        expr condition;
        bool bad = entry->verdict == VERDICT_UNKNOWN && stepper_condition(entry, &condition);
        if (bad && entry->kind == PROPERTY_DEADLOCK) bad = is_dead_end(stepper);
        else if (bad && entry->kind == PROPERTY_RUNTIME_ERROR) bad = stepper->failed != MODEL_NONE;
        else if (bad) bad = stepper_is_false(stepper, condition);
        if (!bad) continue;
        entry->verdict = VERDICT_VIOLATED;
        entry->trace = stepper_trace(stepper);
        if (entry->kind == PROPERTY_RUNTIME_ERROR) entry->trace->failed_rule = stepper->failed;
        if (!entry->seeks) return entry;
    }
    return NULL;
}

/* ---- by hand ---- */

/* The timed state after the steps of the run so far. */
static void follow(struct stepper *stepper)
{
    bool good = timed_start(&stepper->timed, stepper->states.data);
    for (uint32_t i = 0; good && i < stepper->rules.len; i++)
        good = timed_wait(&stepper->timed, stepper->delays.data[i])
               && timed_take(&stepper->timed, stepper->rules.data[i]);
    assert(good); /* they were taken before */
    (void)good;
}

void stepper_jump(struct stepper *stepper, uint32_t steps)
{
    assert(steps <= stepper->known);
    stepper->rules.len = steps;
    stepper->states.len = (steps + UINT32_C(1)) * stepper->model->vars.len;
    stepper->waited = 0;
    if (stepper->is_timed) {
        stepper->delays.len = steps;
        follow(stepper);
    }
    find_enabled(stepper);
}

struct timed_window stepper_chance(struct stepper *stepper, uint32_t rule)
{
    return timed_chance(&stepper->timed, rule);
}

struct timed_window stepper_patience(const struct stepper *stepper)
{
    return timed_patience(&stepper->timed);
}

int64_t stepper_simple_delay(const struct stepper *stepper, const struct timed_window *window)
{
    for (int64_t unit = 1; unit <= stepper->parts; unit++) { /* halves before thirds, and so on */
        const int64_t grain = stepper->parts / unit, below = window->low / grain * grain;
        if (stepper->parts % unit) continue;
        for (unsigned i = 0; i < 2; i++)
            if (timed_window_has(window, below + i * grain)) return below + i * grain;
    }
    return window->low + window->low_open;
}

bool stepper_wait(struct stepper *stepper, int64_t delay)
{
    if (!timed_wait(&stepper->timed, delay)) return false;
    stepper->waited += delay;
    find_enabled(stepper);
    return true;
}

bool stepper_take_after(struct stepper *stepper, uint32_t rule, int64_t delay)
{
    const int64_t waited = stepper->waited;
    assert(stepper->is_timed);
    if (timed_wait(&stepper->timed, delay) && timed_take(&stepper->timed, rule)) {
        stepper->waited += delay;
        note(stepper, rule, stepper->timed.values);
        return true;
    }
    follow(stepper);
    timed_wait(&stepper->timed, waited);
    return false;
}

bool stepper_read_delay(const struct stepper *stepper, const char *text, int64_t *delay)
{
    int64_t numerator, denominator, parts;
    if (!replay_time(text, &numerator, &denominator)
        || __builtin_mul_overflow(stepper->parts, stepper->model->ticks, &parts)
        || __builtin_mul_overflow(numerator, parts, delay))
        return false;
    const bool whole = *delay % denominator == 0;
    *delay /= denominator;
    return whole;
}

bool stepper_refine(struct stepper *stepper, int64_t denominator)
{
    assert(denominator > 0);
    if (!stepper->is_timed || stepper->parts % denominator == 0) return true;
    int64_t parts;
    if (__builtin_mul_overflow(stepper->parts, denominator, &parts) || parts > STEPPER_MOST_PARTS)
        return false;
    stepper->parts = parts;
    timed_release(&stepper->timed);
    timed_init(&stepper->timed, stepper->model, stepper->parts);
    return true;
}

/* Delays of the trace and of hands have a common denominator from now on. */
bool stepper_load(struct stepper *stepper, const struct trace *trace)
{
    struct model *model = stepper->model;
    if (stepper->is_timed && !stepper_refine(stepper, trace->denominator)) return false;
    const int64_t parts = stepper->parts;
    stepper->states.len = stepper->rules.len = stepper->delays.len = 0;
    struct trace_walk walk;
    trace_walk_start(&walk, model, trace);
    for (;;) {
        push_state(stepper, walk.state);
        if (walk.at == trace->steps) break;
        if (stepper->is_timed)
            vec_push(model->mem, &stepper->delays,
                     trace->delays[walk.at] * (parts / trace->denominator));
        vec_push(model->mem, &stepper->rules, trace->rules[walk.at]);
        trace_walk_step(&walk);
    }
    trace_walk_end(&walk);
    stepper->known = trace->steps;
    stepper_jump(stepper, trace->steps);
    return true;
}

/* ---- random runs ---- */

/* What the runs say of each property: never that something always holds. */
void stepper_conclude(struct stepper *stepper)
{
    for (uint32_t i = 0; i < stepper->task.property_count; i++) {
        struct property_result *entry = &stepper->task.properties[i];
        if (entry->verdict == VERDICT_VIOLATED) continue;
        entry->reason = entry->seeks ? "no run of the simulation reaches it, which proves nothing"
                        : entry->in_each_state
                            ? "no run of the simulation violates it, which proves nothing"
                            : "it is not checked: a simulation looks at single states";
    }
}

/* Everything that was sought has been found, and nothing else was asked. */
bool stepper_is_over(const struct stepper *stepper)
{
    bool found = false;
    for (uint32_t i = 0; i < stepper->task.property_count; i++)
        found |= stepper->task.properties[i].seeks && stepper->task.properties[i].trace;
    return found
           && result_overall(stepper->task.properties, stepper->task.property_count)
                  == VERDICT_HOLDS;
}

/* ---- what runs have seen ---- */

static void begin_seen(const struct model *model, struct result *seen)
{
    uint64_t bits = 0;
    seen->taken = mem_alloc(model->mem, (model->rules.len + UINT64_C(1)) * sizeof *seen->taken);
    seen->reached_first =
        mem_alloc(model->mem, (model->processes.len + UINT64_C(1)) * sizeof *seen->reached_first);
    for (uint32_t p = 0; p < model->processes.len; p++) {
        seen->reached_first[p] = bits;
        bits += model->processes.data[p].locations;
    }
    seen->reached = mem_alloc(model->mem, bits / 8 + 1);
}

static void note_state(const struct model *model, struct result *seen, const int64_t *state)
{
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const struct model_process *process = &model->processes.data[p];
        for (uint32_t l = 0; process->location != MODEL_NONE && l < process->locations; l++) {
            const uint64_t bit = seen->reached_first[p] + l;
            if (model->locations.data[process->first_location + l].value
                == state[process->location])
                seen->reached[bit / 8] |= (uint8_t)(1u << bit % 8);
        }
    }
}

static void run_some(struct stepper *stepper, struct stepper_runs *p)
{
    const struct ask *ask = stepper->session->ask;
    while (p->runs < ask->runs && !p->violation && !stepper_is_over(stepper)) {
        if (!stepper_start(stepper)) {
            p->has_no_start = true;
            return;
        }
        p->runs++;
        note_state(stepper->model, &p->seen, stepper_last(stepper));
        if (p->show) p->show(p->context, stepper);
        p->violation = find_violation(stepper);
        for (uint64_t i = 0;
             i < ask->steps && stepper->enabled_count && !p->violation && !stepper_is_over(stepper);
             i++) {
            mem_look(stepper->model->mem);
            stepper_take(stepper,
                         stepper->enabled[random_below(&stepper->random, stepper->enabled_count)]);
            p->steps++;
            p->seen.taken[stepper->rules.data[stepper->rules.len - 1]]++;
            note_state(stepper->model, &p->seen, stepper_last(stepper));
            if (p->show) p->show(p->context, stepper);
            p->violation = find_violation(stepper);
        }
        mem_look(stepper->model->mem);
    }
}

/* Why the runs ended early; NULL: they did not. From now on, it is told. */
const char *stepper_run(struct stepper *stepper, struct stepper_runs *p)
{
    struct mem *mem = stepper->model->mem;
    jmp_buf recover, *const outer = mem->recover;
    const char *volatile why = NULL;
    if (setjmp(recover)) {
        why = stop_reason_text[result_why_refused()];
        p->is_cut = stepper->states.len
                    < (stepper->rules.len + UINT64_C(1))
                          * stepper->model->vars.len; /* not even its first state is whole */
        if (stepper->delays.len > stepper->rules.len)
            stepper->delays.len = stepper->rules.len; /* a step is noted last */
    } else {
        mem->recover = &recover;
        if (!p->seen.taken) begin_seen(stepper->model, &p->seen);
        run_some(stepper, p);
    }
    mem->recover = outer;
    mem_lift(mem);
    deadline_tell();
    return why;
}

uint32_t stepper_shorten(struct stepper *stepper, const struct property_result *of)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < stepper->task.property_count; i++) {
        struct property_result *entry = &stepper->task.properties[i];
        struct trace *shorter = entry->trace && entry->in_each_state
                                    ? trim_run(stepper->model, &stepper->task, entry)
                                    : NULL;
        if (!shorter) continue;
        if (entry == of) before = entry->trace->steps;
        trace_free(stepper->model, entry->trace);
        entry->trace = shorter;
    }
    return before;
}

bool stepper_init(struct stepper *stepper, struct session *session)
{
    struct mem *mem = session->mem;
    *stepper = (struct stepper){
        .session = session, .model = session->model, .random = {session->ask->seed}};
    if (!session_properties(session, &stepper->task)) return false;
    stepper->is_timed = model_is_timed(stepper->model);
    stepper->parts = session->ask->by_hand ? STEPPER_FINE_PARTS : STEPPER_PARTS;
    timed_init(&stepper->timed, stepper->model, stepper->parts);
    session_prepare(session, &stepper->task);
    stepper->enabled =
        mem_alloc(mem, (stepper->model->rules.len + UINT64_C(1)) * sizeof *stepper->enabled);
    stepper->scratch = mem_alloc(mem, (stepper->model->vars.len + 1) * sizeof *stepper->scratch);
    return true;
}
