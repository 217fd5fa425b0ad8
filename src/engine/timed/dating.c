/* A sequence of rules is given; dates t_0 = 0 <= t_1 <= ... are looked for. Date i is when step i
 * happens, and one more date, for a goal, is when the end is looked at. The timer of a rule that
 * started at step s is t_i - t_s at date i, and a clock that was last set there is so much more
 * than what it was set to. So every
 * condition of the semantics (model/timed_eval.h) bounds a difference of two dates, which
 * solver/zone/dates solves exactly and as early as possible:
 *
 *  - no deadline is passed: at every date, for the timers of all rules that are enabled or fail and
 *    the invariants of all locations;
 *  - the rule taken is in its interval, its clock guards hold, and so do the invariants of the
 *    locations it leads to;
 *  - time does not pass where something is urgent. Of an urgent rule with clock guards: the moments
 *    at which they hold, an interval as that of each guard is, and those from the date before up to
 *    this one have none in common. Intervals have none in common exactly when two of them have
 *    none (Helly), so one of these must be true: no time passes; a guard is true of no moment
 *    before this date; one is true of none from the date before on; two of them exclude each other;
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
    uint32_t *reset;   /* per clock: when it was set ... */
    int64_t *offset;   /* ... and to what */
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

/* A clock at a date is date - t_since + offset; no clock at all is 0. */
struct reading {
    uint32_t since;
    int64_t offset;
};

/* With a rule, after it has led to a state with these values. */
static struct reading read_clock(const struct dating *dating, uint32_t clock, uint32_t date,
                                 const struct model_rule *rule, const int64_t *values)
{
    int64_t value;
    if (clock == MODEL_NONE) return (struct reading){date, 0};
    if (rule && timed_sets(dating->model, rule, values, clock, &value))
        return (struct reading){date, value};
    assert(dating->reset[clock] <= date); /* nothing starts later than now */
    return (struct reading){dating->reset[clock], dating->offset[clock]};
}

/* Of a sum of a constant of the model and of what clocks were set to. */
static dbm_bound make_bound(int64_t constant, bool strict) { return 2 * constant + !strict; }

/* The constraint at a date, as a bound, which is infinite where it says nothing; with a rule, when
 * it has set its clocks. */
static struct difference translate(const struct dating *dating,
                                   const struct clock_constraint *constraint, uint32_t date,
                                   const int64_t *values, const struct model_rule *rule)
{
    int64_t bound;
    if (!timed_bound(dating->model, constraint, values, &bound))
        return (struct difference){date, date, BOUND_INFINITY};
    struct reading x = read_clock(dating, constraint->x, date, rule, values),
                   y = read_clock(dating, constraint->y, date, rule, values);
    return (struct difference){y.since, x.since,
                               make_bound(bound - x.offset + y.offset, constraint->strict)};
}

static struct difference translate_guard(const struct dating *dating, const struct model_rule *rule,
                                         uint32_t i, uint32_t date)
{
    return translate(dating, &dating->model->constraints.data[rule->first_guard + i], date,
                     dating->values, NULL);
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
                               date, values, rule));
        }
    }
}

/* ---- alternatives ---- */

/* One more way in which the bound is false. */
static void add_alternative(struct dating *dating, struct difference bound)
{
    if (bound.b != BOUND_INFINITY)
        vec_push(dating->mem, &dating->alternatives,
                 ((struct difference){bound.j, bound.i, bound_negate(bound.b)}));
}

/* One of the alternatives from number `first` on is true. */
static void require_one(struct dating *dating, uint32_t first)
{
    uint32_t kept = first;
    bool true_anyway = false;
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

/* ---- how long a state lasts ---- */

/* A guard as a bound at a date, and which side of the date it is on: a bound on a difference of
 * clocks is on neither. */
static bool is_from_below(const struct clock_constraint *guard)
{
    return guard->x == MODEL_NONE && guard->y != MODEL_NONE;
}
static bool is_from_above(const struct clock_constraint *guard)
{
    return guard->x != MODEL_NONE && guard->y == MODEL_NONE;
}

/* since <= date - low and date <= since' + high, of which the sum is false: no date is in both. */
static void exclude_each_other(struct dating *dating, const struct model_rule *rule, uint32_t below,
                               uint32_t date)
{
    const struct clock_constraint *guards = &dating->model->constraints.data[rule->first_guard];
    const struct difference low = translate_guard(dating, rule, below, date);
    for (uint32_t i = 0; i < rule->guards; i++) {
        if (!is_from_above(&guards[i]) || guards[i].unless) continue;
        const struct difference high = translate_guard(dating, rule, i, date);
        add_alternative(dating, (struct difference){low.i, high.j, bound_add(low.b, high.b)});
    }
}

/* No time passes at which the guards of an urgent rule hold. The state has been entered at the date
 * before, so that no clock is set between the two. */
static void add_urgent_rule(struct dating *dating, const struct model_rule *rule, uint32_t date)
{
    const uint32_t first = dating->alternatives.len;
    vec_push(dating->mem, &dating->alternatives, ((struct difference){date, date - 1, BOUND_ZERO}));
    for (uint32_t i = 0; i < rule->guards; i++) {
        const struct clock_constraint *constraint =
            &dating->model->constraints.data[rule->first_guard + i];
        if (constraint->unless) continue;
        if (!is_from_below(constraint)) {
            add_alternative(dating, translate_guard(dating, rule, i, date - 1));
            continue;
        }
        const struct difference guard = translate_guard(dating, rule, i, date);
        if (guard.b == BOUND_INFINITY) continue;
        const dbm_bound not_before = make_bound(-bound_constant(guard.b), false);
        vec_push(dating->mem, &dating->alternatives,
                 ((struct difference){date, guard.i, not_before}));
        exclude_each_other(dating, rule, i, date);
    }
    require_one(dating, first);
}

static void add_urgency(struct dating *dating, uint32_t date)
{
    const struct model *model = dating->model;
    assert(date);
    if (timed_is_urgent(model, dating->values))
        require(dating, (struct difference){date, date - 1, BOUND_ZERO});
    for (uint32_t r = 0; r < model->rules.len; r++)
        if (model->rules.data[r].is_urgent && dating->enabled[r])
            add_urgent_rule(dating, &model->rules.data[r], date);
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
    add_urgency(dating, date);
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

/* The rule is in its interval, its guards hold, and of every group one constraint does not. */
static void add_guards(struct dating *dating, uint32_t r, uint32_t date)
{
    const struct model *model = dating->model;
    const struct model_rule *rule = &model->rules.data[r];
    if (rule->interval != MODEL_NONE) require(dating, lower_end(dating, r, date));
    for (uint32_t i = 0; i < rule->guards; i++)
        if (!model->constraints.data[rule->first_guard + i].unless)
            require(dating, translate_guard(dating, rule, i, date));
    for (uint32_t g = 0; (g = model_next_unless(model, rule, g));) {
        const uint32_t first = dating->alternatives.len;
        for (uint32_t i = 0; i < rule->guards; i++)
            if (model->constraints.data[rule->first_guard + i].unless == g)
                add_alternative(dating, translate_guard(dating, rule, i, date));
        require_one(dating, first);
    }
}

static void add_chance(struct dating *dating, uint32_t r, uint32_t date)
{
    add_guards(dating, r, date);
    each_invariant(dating, dating->next, date, &dating->model->rules.data[r], require);
}

/* ---- priorities ---- */

/* Rule h cannot be taken at the date: its successor is in `other`. */
static void add_refusal(struct dating *dating, uint32_t h, uint32_t date)
{
    const struct model_rule *rule = &dating->model->rules.data[h];
    uint32_t first = dating->alternatives.len;
    assert(!model_next_unless(dating->model, rule, 0)); /* nobody waits for such rules */
    if (rule->interval != MODEL_NONE) add_alternative(dating, lower_end(dating, h, date));
    for (uint32_t i = 0; i < rule->guards; i++)
        add_alternative(dating, translate_guard(dating, rule, i, date));
    each_invariant(dating, dating->other, date, rule, add_alternative);
    require_one(dating, first);
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
    int64_t value, *swap = dating->values;
    dating->values = dating->next;
    dating->next = swap;
    for (uint32_t c = 0; c < model->clocks.len; c++)
        if (timed_sets(model, &model->rules.data[r], dating->values, c, &value)) {
            dating->reset[c] = date;
            dating->offset[c] = value;
        }
    find_enabled(dating, r, date);
}

static struct reading since(const struct dating *dating, const struct dating_goal *goal,
                            uint32_t clock, uint32_t date)
{
    uint32_t rules = dating->model->rules.len;
    if (!clock) return (struct reading){date, 0};
    uint32_t source = goal->sources[clock - 1];
    assert(source < rules + UINT64_C(1) * dating->model->clocks.len);
    if (source < rules) return (struct reading){dating->started[source], 0};
    return read_clock(dating, source - rules, date, NULL, NULL);
}

static void require_in_zone(struct dating *dating, const struct dating_goal *goal, uint32_t i,
                            uint32_t j, uint32_t date)
{
    const dbm_bound bound = dbm_at(goal->zone, i, j);
    if (i == j || bound == BOUND_INFINITY) return;
    struct reading x = since(dating, goal, i, date), y = since(dating, goal, j, date);
    require(dating, (struct difference){y.since, x.since, bound - 2 * (x.offset - y.offset)});
}

static void add_zone(struct dating *dating, const struct dating_goal *goal, uint32_t date)
{
    for (uint32_t i = 0; goal->zone && i < goal->zone->size; i++)
        for (uint32_t j = 0; j < goal->zone->size; j++) require_in_zone(dating, goal, i, j, date);
}

static void add_goal(struct dating *dating, const struct dating_goal *goal, uint32_t date)
{
    add_patience(dating, date);
    add_zone(dating, goal, date);
    if (goal->failing == MODEL_NONE) return;
    add_guards(dating, goal->failing, date);
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
    dating->offset = mem_alloc(mem, (model->clocks.len + UINT64_C(1)) * sizeof *dating->offset);
    for (uint32_t c = 0; c < model->clocks.len; c++) dating->offset[c] = model->clocks.data[c].init;
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
    mem_free(mem, dating->offset);
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
