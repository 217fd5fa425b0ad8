/* A sequence of rules is given; dates t_0 = 0 <= t_1 <= ... are looked for. Date i is when step i
 * happens, and one more date, for a goal, is when the end is looked at. The timer of a rule that
 * started at step s is t_i - t_s at date i, and so is a clock that was last reset there. So every
 * condition of the semantics (model/timed_eval.h) bounds a difference of two dates, which
 * solver/zone/dates solves exactly and as early as possible:
 *
 *  - no deadline is passed: at every date, for the timers of all rules that are enabled or fail and
 *    the invariants of all locations;
 *  - the rule taken is in its interval, its clock guards hold, and so do the invariants of the
 *    locations it leads to;
 *  - no rule of a higher class can be taken at that date: one of the conditions of that rule must
 *    be false. This is a disjunction, nearly always of one member, because timers do not pass the
 *    end of an interval and guards of such rules are rare. The others are tried one after the
 *    other. */
#include "engine/timed/dating.h"

#include "model/timed_eval.h"
#include "solver/zone/dates.h"

#include <assert.h>
#include <string.h>

/* t_i - t_j < or <= c */
struct difference {
    uint32_t i, j;
    dbm_bound b;
};

/* Alternatives, one of which must hold. */
struct clause {
    uint32_t first, count;
};

struct dating {
    const struct model *model;
    struct mem *mem;
    int64_t *values, *next, *other;
    bool *enabled;     /* or they fail: both have timers */
    uint32_t *started; /* per rule: when its timer was started, as the number of a date */
    uint32_t *reset;   /* per clock */
    VEC(struct difference) bounds;
    VEC(struct difference) alternatives;
    VEC(struct clause) clauses;
    uint32_t *chosen; /* per clause */
    bool impossible;
    uint32_t count; /* of dates */
};

static void require(struct dating *dating, struct difference bound)
{
    if (bound.b == BOUND_INFINITY) return;
    if (bound.i != bound.j) vec_push(dating->mem, &dating->bounds, bound);
    else if (bound.b < BOUND_ZERO) dating->impossible = true;
}

/* The constraint at a date, as a bound; with a rule, after its resets. */
static struct difference translate(const struct dating *dating,
                                   const struct clock_constraint *constraint, uint32_t date,
                                   const struct model_rule *rule)
{
    uint32_t zero[2] = {date, date}; /* when each clock was 0; no clock at all is 0 now */
    for (unsigned k = 0; k < 2; k++) {
        uint32_t clock = k ? constraint->y : constraint->x;
        if (clock == MODEL_NONE) continue;
        zero[k] = dating->reset[clock];
        for (uint32_t i = 0; rule && i < rule->resets; i++)
            if (dating->model->resets.data[rule->first_reset + i].clock == clock) zero[k] = date;
    }
    assert(zero[0] <= date && zero[1] <= date); /* nothing starts later than now */
    return (struct difference){zero[1], zero[0],
                               constraint->strict ? bound_strict(constraint->bound)
                                                  : bound_weak(constraint->bound)};
}

/* Calls `with` for every constraint of an invariant that holds in the state. */
static void each_invariant(struct dating *dating, const int64_t *values, uint32_t date,
                           const struct model_rule *rule,
                           void (*with)(struct dating *, struct difference))
{
    const struct model *model = dating->model;
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const struct model_process *process = &model->processes.data[p];
        for (uint32_t l = 0; process->location != MODEL_NONE && l < process->locations; l++) {
            const struct model_location *location =
                &model->locations.data[process->first_location + l];
            if (location->value != values[process->location]) continue;
            for (uint32_t i = 0; i < location->invariants; i++)
                with(dating,
                     translate(dating, &model->constraints.data[location->first_invariant + i],
                               date, rule));
        }
    }
}

static void add_patience(struct dating *dating, uint32_t date)
{
    const struct model *model = dating->model;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        if (!dating->enabled[r] || model->rules.data[r].interval == MODEL_NONE) continue;
        const struct model_interval *interval =
            &model->intervals.data[model->rules.data[r].interval];
        if (interval->infinite) continue;
        require(dating, (struct difference){date, dating->started[r],
                                            interval->high_open ? bound_strict(interval->high)
                                                                : bound_weak(interval->high)});
    }
    each_invariant(dating, dating->values, date, NULL, require);
}

/* low <= timer: since - date <= -low */
static struct difference lower_end(const struct dating *dating, uint32_t r, uint32_t date)
{
    const struct model_interval *interval =
        &dating->model->intervals.data[dating->model->rules.data[r].interval];
    assert(dating->started[r] <= date && interval->low >= 0);
    return (struct difference){dating->started[r], date,
                               interval->low_open ? bound_strict(-interval->low)
                                                  : bound_weak(-interval->low)};
}

static void add_chance(struct dating *dating, uint32_t r, uint32_t date)
{
    const struct model_rule *rule = &dating->model->rules.data[r];
    if (rule->interval != MODEL_NONE) require(dating, lower_end(dating, r, date));
    for (uint32_t i = 0; i < rule->guards; i++)
        require(dating, translate(dating, &dating->model->constraints.data[rule->first_guard + i],
                                  date, NULL));
    each_invariant(dating, dating->next, date, rule, require);
}

/* ---- priorities ---- */

/* One more way in which the bound is false. */
static void add_alternative(struct dating *dating, struct difference bound)
{
    if (bound.b != BOUND_INFINITY)
        vec_push(dating->mem, &dating->alternatives,
                 ((struct difference){bound.j, bound.i, bound_negate(bound.b)}));
}

/* Rule h cannot be taken at the date: its successor is in `other`. */
static void add_refusal(struct dating *dating, uint32_t h, uint32_t date)
{
    const struct model_rule *rule = &dating->model->rules.data[h];
    uint32_t first = dating->alternatives.len, kept = first;
    bool true_anyway = false;
    if (rule->interval != MODEL_NONE) add_alternative(dating, lower_end(dating, h, date));
    for (uint32_t i = 0; i < rule->guards; i++)
        add_alternative(
            dating,
            translate(dating, &dating->model->constraints.data[rule->first_guard + i], date, NULL));
    each_invariant(dating, dating->other, date, rule, add_alternative);
    for (uint32_t i = first; i < dating->alternatives.len; i++) {
        struct difference bound = dating->alternatives.data[i];
        true_anyway |= bound.i == bound.j && bound.b >= BOUND_ZERO;
        if (bound.i != bound.j) dating->alternatives.data[kept++] = bound;
    }
    assert(first <= kept && kept <= dating->alternatives.len);
    dating->alternatives.len = true_anyway ? first : kept;
    if (true_anyway) return;
    if (kept == first) dating->impossible = true;
    else if (kept == first + 1)
        require(dating, dating->alternatives.data[--dating->alternatives.len]);
    else vec_push(dating->mem, &dating->clauses, ((struct clause){first, kept - first}));
}

static void add_refusals(struct dating *dating, uint32_t r, uint32_t date)
{
    const struct model *model = dating->model;
    for (uint32_t h = 0; model->rules.data[r].classes && h < model->rules.len; h++)
        if (dating->enabled[h] && timed_is_above(model, h, r)
            && eval_rule_alone(model, h, dating->values, dating->other, NULL) == EVAL_ENABLED)
            add_refusal(dating, h, date);
}

/* ---- the run ---- */

static void find_enabled(struct dating *dating, uint32_t taken, uint32_t date)
{
    const struct model *model = dating->model;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        bool enabled =
            eval_rule_alone(model, r, dating->values, dating->other, NULL) != EVAL_DISABLED;
        if (enabled
            && (taken == MODEL_NONE || !dating->enabled[r] || timed_restarts(model, taken, r)))
            dating->started[r] = date;
        dating->enabled[r] = enabled;
    }
}

static void add_step(struct dating *dating, uint32_t r, uint32_t date)
{
    const struct model *model = dating->model;
    assert(r < model->rules.len && date);
    if (eval_rule_alone(model, r, dating->values, dating->next, NULL) != EVAL_ENABLED) {
        dating->impossible = true;
        return;
    }
    add_patience(dating, date);
    add_chance(dating, r, date);
    add_refusals(dating, r, date);
    int64_t *swap = dating->values;
    dating->values = dating->next;
    dating->next = swap;
    for (uint32_t i = 0; i < model->rules.data[r].resets; i++)
        dating->reset[model->resets.data[model->rules.data[r].first_reset + i].clock] = date;
    find_enabled(dating, r, date);
}

static uint32_t since(const struct dating *dating, const struct dating_goal *goal, uint32_t clock,
                      uint32_t date)
{
    uint32_t rules = dating->model->rules.len;
    if (!clock) return date;
    uint32_t source = goal->sources[clock - 1];
    assert(source < rules + UINT64_C(1) * dating->model->clocks.len);
    return source < rules ? dating->started[source] : dating->reset[source - rules];
}

static void add_zone(struct dating *dating, const struct dating_goal *goal, uint32_t date)
{
    for (uint32_t i = 0; goal->zone && i < goal->zone->size; i++)
        for (uint32_t j = 0; j < goal->zone->size; j++)
            if (i != j)
                require(dating, (struct difference){since(dating, goal, j, date),
                                                    since(dating, goal, i, date),
                                                    dbm_at(goal->zone, i, j)});
}

static void add_goal(struct dating *dating, const struct dating_goal *goal, uint32_t date)
{
    add_patience(dating, date);
    add_zone(dating, goal, date);
    if (goal->failing == MODEL_NONE) return;
    const struct model_rule *rule = &dating->model->rules.data[goal->failing];
    if (rule->interval != MODEL_NONE) require(dating, lower_end(dating, goal->failing, date));
    for (uint32_t i = 0; i < rule->guards; i++)
        require(dating, translate(dating, &dating->model->constraints.data[rule->first_guard + i],
                                  date, NULL));
    add_refusals(dating, goal->failing, date);
}

/* ---- solving ---- */

static enum dates_result solve(struct dating *dating, struct dates *dates, uint32_t clauses)
{
    bool good = dates_init(dates, dating->mem, dating->count);
    if (!good) mem_refuse(dating->mem);
    for (uint32_t i = 0; good && i < dating->bounds.len; i++)
        good = dates_add(dates, dating->bounds.data[i].i, dating->bounds.data[i].j,
                         dating->bounds.data[i].b);
    for (uint32_t c = 0; good && c < clauses; c++) {
        const struct difference *bound =
            &dating->alternatives.data[dating->clauses.data[c].first + dating->chosen[c]];
        good = dates_add(dates, bound->i, bound->j, bound->b);
    }
    enum dates_result result = good ? dates_solve(dates, 2) : DATES_REFUSED;
    if (result == DATES_REFUSED) {
        dates_release(dates);
        mem_refuse(dating->mem);
    }
    return result;
}

/* Chooses an alternative of each clause, in order; goes back to the last choice when there are no
 * dates. */
static bool choose(struct dating *dating, struct dates *dates)
{
    uint32_t level = 0;
    for (;;) {
        bool possible = solve(dating, dates, level) == DATES_FOUND;
        if (possible && level == dating->clauses.len) return true;
        dates_release(dates);
        if (possible) {
            assert(level < dating->clauses.len);
            dating->chosen[level++] = 0;
            continue;
        }
        while (level && ++dating->chosen[level - 1] == dating->clauses.data[level - 1].count)
            level--;
        if (!level) return false;
    }
}

static void start(struct dating *dating, const struct model *model, const struct trace *trace)
{
    struct mem *mem = model->mem;
    size_t bytes = (model->vars.len + UINT64_C(1)) * sizeof *dating->values;
    *dating = (struct dating){.model = model, .mem = mem};
    dating->values = mem_alloc(mem, bytes);
    dating->next = mem_alloc(mem, bytes);
    dating->other = mem_alloc(mem, bytes);
    dating->enabled = mem_alloc(mem, (model->rules.len + UINT64_C(1)) * sizeof *dating->enabled);
    dating->started = mem_alloc(mem, (model->rules.len + UINT64_C(1)) * sizeof *dating->started);
    dating->reset = mem_alloc(mem, (model->clocks.len + UINT64_C(1)) * sizeof *dating->reset);
    memcpy(dating->values, trace->initial, model->vars.len * sizeof *dating->values);
    find_enabled(dating, MODEL_NONE, 0);
    each_invariant(dating, dating->values, 0, NULL, require);
}

static void end(struct dating *dating)
{
    struct mem *mem = dating->mem;
    mem_free(mem, dating->values);
    mem_free(mem, dating->next);
    mem_free(mem, dating->other);
    mem_free(mem, dating->enabled);
    mem_free(mem, dating->started);
    mem_free(mem, dating->reset);
    mem_free(mem, dating->chosen);
    vec_free(mem, &dating->bounds);
    vec_free(mem, &dating->alternatives);
    vec_free(mem, &dating->clauses);
}

bool dating_find(const struct model *model, struct trace *trace, const struct dating_goal *goal)
{
    struct dating dating;
    struct dates dates;
    bool closes = trace->loop != MODEL_NONE && trace->rules[trace->steps] != MODEL_NONE;
    start(&dating, model, trace);
    for (uint32_t i = 0; !dating.impossible && i < trace->steps + closes; i++)
        add_step(&dating, trace->rules[i], i + 1);
    if (!dating.impossible && goal && !closes) add_goal(&dating, goal, trace->steps + 1);
    dating.count = trace->steps + 1 + (closes || goal);
    dating.chosen =
        mem_alloc(model->mem, (dating.clauses.len + UINT64_C(1)) * sizeof *dating.chosen);
    bool found = !dating.impossible && choose(&dating, &dates);
    if (found) {
        trace_add_delays(model, trace, dates.denominator);
        for (uint32_t i = 0; i + 1 < dating.count; i++)
            trace->delays[i] = dates.numerators[i + 1] - dates.numerators[i];
        for (uint32_t i = 0; i + 1 < dating.count; i++) assert(trace->delays[i] >= 0);
        dates_release(&dates);
    }
    end(&dating);
    return found;
}

/* ---- moment by moment ---- */

static void add_event(struct dating *dating, const struct dating_event *event, uint32_t date)
{
    const struct dating_goal before = {.zone = event->before, .sources = event->sources},
                             after = {.zone = event->after, .sources = event->after_sources};
    if (date) add_patience(dating, date);
    add_zone(dating, &before, date);
    if (event->rule == MODEL_NONE) return;
    add_step(dating, event->rule, date);
    if (!dating->impossible) add_zone(dating, &after, date);
}

bool dating_follow(const struct model *model, struct trace *trace,
                   const struct dating_event *events, uint32_t count)
{
    struct dating dating;
    struct dates dates;
    uint32_t state = 0;
    start(&dating, model, trace);
    for (uint32_t i = 0; !dating.impossible && i < count; i++) add_event(&dating, &events[i], i);
    dating.count = count;
    dating.chosen =
        mem_alloc(model->mem, (dating.clauses.len + UINT64_C(1)) * sizeof *dating.chosen);
    const bool found = !dating.impossible && choose(&dating, &dates);
    if (found) {
        trace_add_delays(model, trace, dates.denominator);
        for (uint32_t i = 0; i < count; i++) {
            assert(state <= trace->steps);
            if (i) trace->delays[state] += dates.numerators[i] - dates.numerators[i - 1];
            state += events[i].rule != MODEL_NONE && state < trace->steps;
        }
        dates_release(&dates);
    }
    end(&dating);
    return found;
}
