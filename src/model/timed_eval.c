#include "model/timed_eval.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef __int128 wide; /* a constant of the model times a denominator */

void timed_init(struct timed_state *state, const struct model *model, int64_t denominator)
{
    struct mem *mem = model->mem;
    assert(denominator >= 1);
    *state = (struct timed_state){.model = model, .denominator = denominator};
    state->values = mem_alloc(mem, (model->vars.len + UINT64_C(1)) * sizeof *state->values);
    state->next = mem_alloc(mem, (model->vars.len + UINT64_C(1)) * sizeof *state->next);
    state->scratch = mem_alloc(mem, (model->vars.len + UINT64_C(1)) * sizeof *state->scratch);
    state->enabled = mem_alloc(mem, (model->rules.len + UINT64_C(1)) * sizeof *state->enabled);
    state->fails = mem_alloc(mem, (model->rules.len + UINT64_C(1)) * sizeof *state->fails);
    state->timers = mem_alloc(mem, (model->rules.len + UINT64_C(1)) * sizeof *state->timers);
    state->clocks = mem_alloc(mem, (model->clocks.len + UINT64_C(1)) * sizeof *state->clocks);
}

void timed_release(struct timed_state *state)
{
    struct mem *mem = state->model->mem;
    mem_free(mem, state->values);
    mem_free(mem, state->next);
    mem_free(mem, state->scratch);
    mem_free(mem, state->enabled);
    mem_free(mem, state->fails);
    mem_free(mem, state->timers);
    mem_free(mem, state->clocks);
}

void timed_copy(struct timed_state *to, const struct timed_state *from)
{
    const struct model *model = from->model;
    to->denominator = from->denominator;
    memcpy(to->values, from->values, model->vars.len * sizeof *to->values);
    memcpy(to->enabled, from->enabled, model->rules.len * sizeof *to->enabled);
    memcpy(to->fails, from->fails, model->rules.len * sizeof *to->fails);
    memcpy(to->timers, from->timers, model->rules.len * sizeof *to->timers);
    memcpy(to->clocks, from->clocks, model->clocks.len * sizeof *to->clocks);
}

/* ---- windows ---- */

bool timed_window_is_empty(const struct timed_window *window)
{
    if (window->infinite) return false;
    return window->low > window->high
           || (window->low == window->high && (window->low_open || window->high_open));
}

bool timed_window_has(const struct timed_window *window, int64_t delay)
{
    if (delay < window->low || (delay == window->low && window->low_open)) return false;
    return window->infinite || delay < window->high
           || (delay == window->high && !window->high_open);
}

static const struct timed_window always = {.infinite = true}, never = {.low = 1, .high = 0};

/* d >= bound or d > bound; bounds beyond 64 bits are as good as infinite. */
static void not_before(struct timed_window *window, wide bound, bool open)
{
    if (bound < 0 || (bound == window->low && !open)) return;
    if (bound > INT64_MAX / 2) *window = never;
    else if (bound > window->low || (bound == window->low && open))
        window->low = (int64_t)bound, window->low_open = open;
}

static void not_after(struct timed_window *window, wide bound, bool open)
{
    if (bound > INT64_MAX / 2) return;
    if (bound < 0) *window = never;
    else if (window->infinite || bound < window->high || (bound == window->high && open))
        window->high = (int64_t)bound, window->high_open = open, window->infinite = false;
}

/* value + d in the interval */
static void in_interval(const struct timed_state *state, struct timed_window *window, int64_t value,
                        const struct model_interval *interval)
{
    not_before(window, (wide)interval->low * state->denominator - value, interval->low_open);
    if (!interval->infinite)
        not_after(window, (wide)interval->high * state->denominator - value, interval->high_open);
}

bool timed_bound(const struct model *model, const struct clock_constraint *constraint,
                 const int64_t *values, int64_t *bound)
{
    int64_t when = true;
    bool good = !constraint->is_conditional || eval_expr(model, constraint->when, values, &when);
    *bound = constraint->bound;
    if (good && when && constraint->varies)
        good = eval_expr(model, constraint->value, values, bound);
    assert(good); /* they never fail */
    return good && when;
}

bool timed_sets(const struct model *model, const struct model_rule *rule, const int64_t *next,
                uint32_t clock, int64_t *value)
{
    const struct model_clock *of = &model->clocks.data[clock];
    if (of->is_set_by_code && next[of->setter] >= 0 && model_writes(model, rule, of->setter)) {
        *value = next[of->setter];
        return true;
    }
    for (uint32_t i = 0; i < rule->resets; i++)
        if (model->resets.data[rule->first_reset + i].clock == clock) {
            *value = model->resets.data[rule->first_reset + i].value;
            return true;
        }
    return false;
}

/* One side of a constraint: its value now, and whether it grows with the delay. A clock that the
 * rule sets is what it is set to, whatever the delay. */
static bool side(const struct timed_state *state, uint32_t clock, const struct model_rule *rule,
                 const int64_t *next, wide *now)
{
    int64_t value = 0;
    bool runs =
        clock != MODEL_NONE && !(rule && timed_sets(state->model, rule, next, clock, &value));
    *now = runs ? (wide)state->clocks[clock] : (wide)value * state->denominator;
    return runs;
}

/* The delays after which a constraint holds in a state with these values; with a rule, when it has
 * set its clocks. */
static void satisfy(const struct timed_state *state, struct timed_window *window,
                    const struct clock_constraint *constraint, const int64_t *values,
                    const struct model_rule *rule)
{
    int64_t ticks;
    wide x, y;
    if (!timed_bound(state->model, constraint, values, &ticks)) return;
    bool x_runs = side(state, constraint->x, rule, values, &x),
         y_runs = side(state, constraint->y, rule, values, &y);
    wide bound = (wide)ticks * state->denominator;
    if (x_runs == y_runs) {
        if (constraint->strict ? x - y >= bound : x - y > bound) *window = never;
    } else if (x_runs) {
        not_after(window, bound + y - x, constraint->strict);
    } else {
        not_before(window, x - bound - y, constraint->strict);
    }
}

/* The invariants of the locations in which the processes stand. */
static void satisfy_invariants(const struct timed_state *state, struct timed_window *window,
                               const int64_t *values, const struct model_rule *rule)
{
    const struct model *model = state->model;
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const struct model_process *process = &model->processes.data[p];
        for (uint32_t l = 0; process->location != MODEL_NONE && l < process->locations; l++) {
            const struct model_location *location =
                &model->locations.data[process->first_location + l];
            if (location->value != values[process->location]) continue;
            for (uint32_t i = 0; i < location->invariants; i++)
                satisfy(state, window, &model->constraints.data[location->first_invariant + i],
                        values, rule);
        }
    }
}

static bool has_timer(const struct timed_state *state, uint32_t r)
{
    return (state->enabled[r] || state->fails[r])
           && state->model->rules.data[r].interval != MODEL_NONE;
}

static void satisfy_guards(const struct timed_state *state, struct timed_window *window,
                           const struct model_rule *rule)
{
    for (uint32_t i = 0; i < rule->guards; i++) {
        const struct clock_constraint *guard =
            &state->model->constraints.data[rule->first_guard + i];
        if (!guard->unless) satisfy(state, window, guard, state->values, NULL);
    }
}

/* The delays after which all constraints of a group hold. */
static struct timed_window find_group(const struct timed_state *state,
                                      const struct model_rule *rule, uint32_t group)
{
    struct timed_window window = always;
    for (uint32_t i = 0; i < rule->guards; i++) {
        const struct clock_constraint *guard =
            &state->model->constraints.data[rule->first_guard + i];
        if (guard->unless == group) satisfy(state, &window, guard, state->values, NULL);
    }
    return window;
}

static bool has_beginning(const struct timed_window *window, const struct timed_window *of)
{
    return !timed_window_is_empty(window)
           && (window->low < of->low
               || (window->low == of->low && (!window->low_open || of->low_open)))
           && (window->infinite || window->high > of->low
               || (window->high == of->low && !window->high_open && !of->low_open));
}

/* What comes first of a window without the moments at which all of some group hold. */
static void leave_out(const struct timed_state *state, struct timed_window *window,
                      const struct model_rule *rule)
{
    const struct model *model = state->model;
    for (uint32_t g = 0; (g = model_next_unless(model, rule, g));) {
        const struct timed_window out = find_group(state, rule, g);
        if (timed_window_is_empty(window) || !has_beginning(&out, window)) continue;
        if (out.infinite) *window = never;
        else window->low = out.high, window->low_open = !out.high_open;
        g = 0; /* others may have this beginning */
    }
    for (uint32_t g = 0; (g = model_next_unless(model, rule, g));) {
        const struct timed_window out = find_group(state, rule, g);
        const bool is_later =
            out.low > window->low || (out.low == window->low && out.low_open && !window->low_open);
        if (!timed_window_is_empty(&out) && is_later) not_after(window, out.low, !out.low_open);
    }
}

bool timed_is_urgent(const struct model *model, const int64_t *values)
{
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const struct model_process *process = &model->processes.data[p];
        for (uint32_t l = 0; process->location != MODEL_NONE && l < process->locations; l++) {
            const struct model_location *location =
                &model->locations.data[process->first_location + l];
            if (location->is_urgent && location->value == values[process->location]) return true;
        }
    }
    return false;
}

/* What is urgent. */
static void hurry(const struct timed_state *state, struct timed_window *window)
{
    const struct model *model = state->model;
    if (timed_is_urgent(model, state->values)) not_after(window, 0, false);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        struct timed_window possible = always;
        if (!model->rules.data[r].is_urgent || !(state->enabled[r] || state->fails[r])) continue;
        satisfy_guards(state, &possible, &model->rules.data[r]);
        if (!timed_window_is_empty(&possible)) not_after(window, possible.low, false);
    }
}

struct timed_window timed_patience(const struct timed_state *state)
{
    const struct model *model = state->model;
    struct timed_window window = always;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        if (!has_timer(state, r)) continue;
        const struct model_interval *interval =
            &model->intervals.data[model->rules.data[r].interval];
        if (!interval->infinite)
            not_after(&window, (wide)interval->high * state->denominator - state->timers[r],
                      interval->high_open);
    }
    satisfy_invariants(state, &window, state->values, NULL);
    hurry(state, &window);
    return window;
}

/* Of a rule that is enabled or fails; `next` is its successor, NULL when it fails. */
static struct timed_window find_chance(const struct timed_state *state, uint32_t r,
                                       const int64_t *next)
{
    const struct model *model = state->model;
    const struct model_rule *rule = &model->rules.data[r];
    struct timed_window window = timed_patience(state);
    if (rule->interval != MODEL_NONE)
        in_interval(state, &window, state->timers[r], &model->intervals.data[rule->interval]);
    satisfy_guards(state, &window, rule);
    if (next) satisfy_invariants(state, &window, next, rule);
    leave_out(state, &window, rule);
    return window;
}

/* Also of a rule that is not permitted. */
static struct timed_window chance_alone(struct timed_state *state, uint32_t rule)
{
    switch (eval_rule_alone(state->model, rule, state->values, state->scratch, NULL)) {
    case EVAL_ENABLED: return find_chance(state, rule, state->scratch);
    case EVAL_FAILED: return find_chance(state, rule, NULL);
    case EVAL_DISABLED: break;
    }
    return never;
}

struct timed_window timed_chance(struct timed_state *state, uint32_t rule)
{
    return eval_permits(state->model, rule, state->values) ? chance_alone(state, rule) : never;
}

/* ---- steps ---- */

bool timed_is_above(const struct model *model, uint32_t h, uint32_t l)
{
    const struct model_rule *high = &model->rules.data[h], *low = &model->rules.data[l];
    for (uint32_t p = 0; p < model->priorities.len; p++) {
        bool has_high = false, has_low = false;
        for (uint32_t i = 0; i < high->classes; i++)
            has_high |=
                model->rule_classes.data[high->first_class + i] == model->priorities.data[p].high;
        for (uint32_t i = 0; i < low->classes; i++)
            has_low |=
                model->rule_classes.data[low->first_class + i] == model->priorities.data[p].low;
        if (has_high && has_low) return true;
    }
    return false;
}

static bool is_held_back(struct timed_state *state, uint32_t rule)
{
    const struct model *model = state->model;
    for (uint32_t h = 0; h < model->rules.len && model->rules.data[rule].classes; h++) {
        if (!state->enabled[h] || !timed_is_above(model, h, rule)) continue;
        struct timed_window window = chance_alone(state, h);
        if (timed_window_has(&window, 0)) return true;
    }
    return false;
}

enum eval_result timed_try(struct timed_state *state, uint32_t rule)
{
    enum eval_result result = eval_rule_alone(state->model, rule, state->values, state->next, NULL);
    if (result == EVAL_DISABLED || !eval_permits(state->model, rule, state->values))
        return EVAL_DISABLED;
    struct timed_window window =
        find_chance(state, rule, result == EVAL_ENABLED ? state->next : NULL);
    return timed_window_has(&window, 0) && !is_held_back(state, rule) ? result : EVAL_DISABLED;
}

bool timed_wait(struct timed_state *state, int64_t delay)
{
    const struct model *model = state->model;
    struct timed_window window = timed_patience(state);
    if (delay < 0 || delay > INT64_MAX / 4 || !timed_window_has(&window, delay)) return false;
    for (uint32_t r = 0; r < model->rules.len; r++)
        if (state->timers[r] > INT64_MAX / 4) return false;
    for (uint32_t c = 0; c < model->clocks.len; c++)
        if (state->clocks[c] > INT64_MAX / 4) return false;
    for (uint32_t r = 0; r < model->rules.len; r++)
        if (has_timer(state, r)) state->timers[r] += delay;
    for (uint32_t c = 0; c < model->clocks.len; c++) state->clocks[c] += delay;
    return true;
}

bool timed_restarts(const struct model *model, uint32_t t, uint32_t o)
{
    const struct model_rule *taken = &model->rules.data[t], *other = &model->rules.data[o];
    if (t == o) return true;
    for (uint32_t i = 0; i < taken->parts; i++) {
        const struct rule_part *part = &model->parts.data[taken->first_part + i];
        if (part->process == MODEL_NONE || part->stays) continue;
        for (uint32_t k = 0; k < other->parts; k++)
            if (model->parts.data[other->first_part + k].process == part->process) return true;
    }
    return false;
}

static void find_enabled(struct timed_state *state, uint32_t taken)
{
    const struct model *model = state->model;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        enum eval_result result = eval_rule_alone(model, r, state->values, state->scratch, NULL);
        bool was_enabled = taken != MODEL_NONE && (state->enabled[r] || state->fails[r]);
        if (result == EVAL_DISABLED || !was_enabled || timed_restarts(model, taken, r))
            state->timers[r] = 0;
        state->enabled[r] = result == EVAL_ENABLED;
        state->fails[r] = result == EVAL_FAILED;
    }
}

bool timed_start(struct timed_state *state, const int64_t *values)
{
    const struct model *model = state->model;
    memcpy(state->values, values, model->vars.len * sizeof *values);
    bool fits = true; /* values that large leave their range */
    for (uint32_t c = 0; c < model->clocks.len; c++) {
        fits &= model->clocks.data[c].init <= INT64_MAX / 4 / state->denominator;
        state->clocks[c] = fits ? model->clocks.data[c].init * state->denominator : 0;
    }
    find_enabled(state, MODEL_NONE);
    struct timed_window window = timed_patience(state);
    return fits && eval_is_initial(model, values) && timed_window_has(&window, 0);
}

bool timed_take(struct timed_state *state, uint32_t r)
{
    const struct model *model = state->model;
    if (r >= model->rules.len || timed_try(state, r) != EVAL_ENABLED) return false;
    const struct model_rule *rule = &model->rules.data[r];
    int64_t value, *swap = state->values;
    for (uint32_t c = 0; c < model->clocks.len; c++)
        if (timed_sets(model, rule, state->next, c, &value)
            && value > INT64_MAX / 4 / state->denominator)
            return false; /* the number leaves its range */
    state->values = state->next;
    state->next = swap;
    for (uint32_t c = 0; c < model->clocks.len; c++)
        if (timed_sets(model, rule, state->values, c, &value))
            state->clocks[c] = value * state->denominator;
    find_enabled(state, r);
    return true;
}

/* Of the rules that can be taken at some moment, priorities aside, one that no other holds back can
 * be taken at that moment. */
bool timed_is_stuck(struct timed_state *state)
{
    for (uint32_t r = 0; r < state->model->rules.len; r++) {
        if (!state->enabled[r]) continue;
        struct timed_window window = timed_chance(state, r);
        if (!timed_window_is_empty(&window)) return false;
    }
    return true;
}

/* ---- conditions of queries ---- */

static bool constraint_holds(const struct timed_state *state,
                             const struct clock_constraint *constraint, bool *value)
{
    const struct model *model = state->model;
    int64_t bound = constraint->bound, is_said = true;
    if (constraint->is_conditional && !eval_expr(model, constraint->when, state->values, &is_said))
        return false;
    if (constraint->varies && !eval_expr(model, constraint->value, state->values, &bound))
        return false;
    const wide x = constraint->x == MODEL_NONE ? 0 : state->clocks[constraint->x],
               y = constraint->y == MODEL_NONE ? 0 : state->clocks[constraint->y],
               limit = (wide)bound * state->denominator;
    *value = !is_said || (constraint->strict ? x - y < limit : x - y <= limit);
    return true;
}

static bool combine(enum formula_op op, bool a, bool b)
{
    switch (op) {
    case FORMULA_NOT: return !a;
    case FORMULA_AND: return a && b;
    case FORMULA_OR: return a || b;
    case FORMULA_IMPLIES: return !a || b;
    case FORMULA_IFF: return a == b;
    default: break;
    }
    assert(!"a condition has no temporal operators");
    return false;
}

bool timed_holds(struct timed_state *state, formula f, bool *value)
{
    const struct model *model = state->model;
    const struct formula_node *node = formula_get(&model->formulas, f);
    bool operands[2] = {false, false};
    int64_t number;
    switch (node->op) {
    case FORMULA_ATOM:
        if (!eval_expr(model, node->atom, state->values, &number)) return false;
        *value = number;
        return true;
    case FORMULA_CLOCK:
        return constraint_holds(state, &model->constraints.data[node->constraint], value);
    case FORMULA_DEADLOCK: *value = timed_is_stuck(state); return true;
    default: break;
    }
    for (unsigned i = 0; i < formula_table[node->op].arity; i++)
        if (!timed_holds(state, i ? node->b : node->a, &operands[i])) return false;
    *value = combine(node->op, operands[0], operands[1]);
    return true;
}

/* ---- moments ---- */

size_t timed_moments_most(const struct model *model)
{
    return 1 + 3 * (model->constraints.len + 2 * (size_t)model->rules.len);
}

static void add_moment(int64_t *moments, uint32_t *count, wide delay)
{
    for (int d = -1; d <= 1; d++)
        if (delay + d >= 0 && delay + d < INT64_MAX / 4) moments[(*count)++] = (int64_t)delay + d;
}

static int compare_moments(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* When the difference of a clock and nothing is at its bound. */
static void add_constraint_moment(const struct timed_state *state,
                                  const struct clock_constraint *constraint, int64_t *moments,
                                  uint32_t *count)
{
    const bool is_upper = constraint->y == MODEL_NONE;
    const uint32_t clock = is_upper ? constraint->x : constraint->y;
    int64_t bound = constraint->bound;
    if (clock == MODEL_NONE || (!is_upper && constraint->x != MODEL_NONE)) return;
    if (constraint->varies && !eval_expr(state->model, constraint->value, state->values, &bound))
        return;
    const wide at = (wide)(is_upper ? bound : -bound) * state->denominator;
    add_moment(moments, count, at - state->clocks[clock]);
}

uint32_t timed_moments(const struct timed_state *state, int64_t *moments)
{
    const struct model *model = state->model;
    uint32_t count = 0, kept = 1;
    moments[count++] = 0;
    for (uint32_t i = 0; i < model->constraints.len; i++)
        add_constraint_moment(state, &model->constraints.data[i], moments, &count);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        if (!has_timer(state, r)) continue;
        const struct model_interval *interval =
            &model->intervals.data[model->rules.data[r].interval];
        add_moment(moments, &count, (wide)interval->low * state->denominator - state->timers[r]);
        if (!interval->infinite)
            add_moment(moments, &count,
                       (wide)interval->high * state->denominator - state->timers[r]);
    }
    qsort(moments, count, sizeof *moments, compare_moments);
    for (uint32_t i = 1; i < count; i++)
        if (moments[i] != moments[kept - 1]) moments[kept++] = moments[i];
    return kept;
}
