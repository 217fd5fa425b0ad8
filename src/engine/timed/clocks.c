/* Static guard analysis (Behrmann, Bouyer, Fleury, Larsen 2003), per process and location.
 *
 * Every test of a clock, by a guard of a rule or an invariant of a location, is put down to one
 * process: an invariant to its own, a guard to the process of the rule, among those whose location
 * its guard fixes, that has most to do with the clock. For a process and a clock
 *
 *     bound(location) = the largest constant of tests put down to the process there and, through
 *         rules that do not reset the clock, of bound(next location)
 *
 * is the least solution, once for constraints from below (L) and once for those from above (U). The
 * bound of a clock in a state is the largest one over the processes that tests are put down to.
 *
 * It is sound. Take a run from the state on which the clock is tested before it is reset. The test
 * is put down to some process; on the run this process goes from its location of now to that of the
 * test by rules that do not reset the clock, and rules it has no part in do not change its location
 * (a rule that writes the location counts as one of its own). So its bound at its location of now
 * is at least the constant. Conversely a clock without a bound in a state is reset before it is
 * tested again: it is inactive, and zones leave it out. When a rule leads from a state to another
 * without resetting the clock and it is active afterwards, it was before, by the same equation.
 *
 * Where a guard does not fix a location, it counts for all; where the next location is computed, or
 * written by code, any may follow; a test in a rule none of whose guards fixes a location counts
 * everywhere. A rule that others wait for, or that is urgent, is also asked whether its guards are
 * false: its constraints count in both directions. A constraint counts whether or not its condition
 * holds; of a bound that varies, the largest number that it can be. A step of a rule whose code may
 * set the clock is none that resets it.
 *
 * Differences. A test of x - y < c is one of both clocks. When y is set to n before the test, and x
 * is not, it is a test of x < n + c; so it counts as one of x with |c| and the largest number that
 * y is ever set to, in both directions, and of y in the same way. moves.c says why that is
 * enough. */
#include "engine/timed/clocks.h"

#include "base/checked.h"

enum { MAX_LOCATIONS = 1 << 16 };
static const int64_t ANYWHERE = INT64_MIN;

/* A rule that changes the location of a process. */
struct local_step {
    uint32_t rule;
    int64_t from, to; /* values of the location, or ANYWHERE */
};

struct analysis {
    struct clocks *clocks;
    const struct model *model;
    const struct timers *timers;
    VEC(struct local_step) steps;
    uint32_t *first_step; /* per process, and one more */
    uint32_t *affinity;   /* per process, for the clock at hand: how much it has to do with it */
    uint32_t *owner; /* per rule: the process that its tests of the clock at hand are put down to,
                        or MODEL_NONE */
    bool *tests, *resets; /* per rule: the clock at hand */
};

static bool has_locations(const struct model *model, uint32_t process)
{
    uint32_t var = model->processes.data[process].location;
    return var != MODEL_NONE
           && (uint64_t)(model->vars.data[var].high - model->vars.data[var].low) < MAX_LOCATIONS;
}

int64_t clocks_largest(const struct model *model, uint32_t c)
{
    const struct model_clock *clock = &model->clocks.data[c];
    int64_t largest = clock->init;
    if (clock->is_set_by_code && model->vars.data[clock->setter].high > largest)
        largest = model->vars.data[clock->setter].high;
    for (uint32_t i = 0; i < model->resets.len; i++)
        if (model->resets.data[i].clock == c && model->resets.data[i].value > largest)
            largest = model->resets.data[i].value;
    return largest;
}

/* The value that the guard fixes the variable to. */
static int64_t required_value(const struct model *model, uint32_t rule, uint32_t var)
{
    int64_t value;
    return model_rule_requires(model, rule, var, &value) ? value : ANYWHERE;
}

static int64_t next_value(const struct model *model, const struct model_rule *rule, uint32_t var)
{
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &model->stores.data[rule->first_store + i];
        const struct expr_node *value = expr_get(&model->exprs, store->value);
        if (store->var == var && !store->provisional && value->op == EXPR_CONST)
            return value->value;
    }
    return ANYWHERE;
}

static void find_steps(struct analysis *analysis)
{
    const struct model *model = analysis->model;
    for (uint32_t p = 0; p < model->processes.len; p++) {
        analysis->first_step[p] = analysis->steps.len;
        for (uint32_t r = 0; has_locations(model, p) && r < model->rules.len; r++) {
            const struct model_rule *rule = &model->rules.data[r];
            uint32_t var = model->processes.data[p].location;
            if (!model_writes(model, rule, var)) continue;
            struct local_step step = {r, required_value(model, r, var),
                                      next_value(model, rule, var)};
            bool never = step.from != ANYWHERE
                         && (step.from < model->vars.data[var].low
                             || step.from > model->vars.data[var].high);
            assert(
                step.to == ANYWHERE
                || (step.to >= model->vars.data[var].low && step.to <= model->vars.data[var].high));
            if (!never) vec_push(analysis->clocks->mem, &analysis->steps, step);
        }
    }
    analysis->first_step[model->processes.len] = analysis->steps.len;
}

/* ---- whom tests are put down to ---- */

static bool mentions(const struct model *model, uint32_t first, uint32_t count, uint32_t clock)
{
    for (uint32_t i = 0; i < count; i++)
        if (model->constraints.data[first + i].x == clock
            || model->constraints.data[first + i].y == clock)
            return true;
    return false;
}

static void find_affinities(struct analysis *analysis, uint32_t clock)
{
    const struct model *model = analysis->model;
    enum { INVARIANT = 1 << 16 }; /* an invariant says more than rules do */
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const struct model_process *process = &model->processes.data[p];
        analysis->affinity[p] = 0;
        for (uint32_t l = 0; process->location != MODEL_NONE && l < process->locations; l++) {
            const struct model_location *location =
                &model->locations.data[process->first_location + l];
            if (mentions(model, location->first_invariant, location->invariants, clock))
                analysis->affinity[p] = INVARIANT;
        }
    }
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        analysis->tests[r] = mentions(model, rule->first_guard, rule->guards, clock);
        analysis->resets[r] = false;
        for (uint32_t i = 0; i < rule->resets; i++)
            analysis->resets[r] |= model->resets.data[rule->first_reset + i].clock == clock;
        for (uint32_t i = 0; (analysis->tests[r] || analysis->resets[r]) && i < rule->parts; i++) {
            uint32_t process = model->parts.data[rule->first_part + i].process;
            if (process != MODEL_NONE) analysis->affinity[process]++;
        }
    }
}

static void find_owners(struct analysis *analysis)
{
    const struct model *model = analysis->model;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        uint32_t best = MODEL_NONE;
        for (uint32_t i = 0; analysis->tests[r] && i < rule->parts; i++) {
            uint32_t process = model->parts.data[rule->first_part + i].process;
            if (process == MODEL_NONE || !has_locations(model, process)) continue;
            if (required_value(model, r, model->processes.data[process].location) == ANYWHERE)
                continue;
            if (best == MODEL_NONE || analysis->affinity[process] > analysis->affinity[best])
                best = process;
        }
        analysis->owner[r] = best;
    }
}

/* ---- bounds ---- */

static bool raise_to(int32_t *bound, int64_t constant)
{
    if (constant <= *bound) return false;
    assert(constant <= BOUND_LIMIT); /* the model was refused otherwise */
    *bound = (int32_t)constant;
    return true;
}

/* The largest constant that the clock is compared with when the other one was set before. */
static int64_t across(const struct model *model, const struct clock_constraint *constraint,
                      uint32_t clock)
{
    int64_t low, high;
    model_bound_range(model, constraint, &low, &high);
    return (high > -low ? high : -low)
           + clocks_largest(model, constraint->x == clock ? constraint->y : constraint->x);
}

/* What the constraints compare the clock with. It is never below a negative constant, which must be
 * told, too; it is always above one, which says nothing. */
static void add_constraints(struct clock_range *range, const struct model *model, uint32_t first,
                            uint32_t count, uint32_t clock, bool both_ways)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct clock_constraint *constraint = &model->constraints.data[first + i];
        int64_t low, high;
        if (constraint->x != clock && constraint->y != clock) continue;
        if (clocks_is_diagonal(constraint)) {
            raise_to(&range->lower, across(model, constraint, clock));
            raise_to(&range->upper, across(model, constraint, clock));
            continue;
        }
        model_bound_range(model, constraint, &low, &high);
        int64_t bound = constraint->x == clock ? high < 0 ? 0 : high : -low;
        bool always = constraint->y == clock && (bound < 0 || (!bound && !constraint->strict));
        if (always) continue;
        const bool both = both_ways || constraint->unless; /* one that is false lets the step go */
        if (constraint->x == clock || both) raise_to(&range->upper, bound);
        if (constraint->y == clock || both) raise_to(&range->lower, bound);
    }
}

static bool join(struct clock_range *to, const struct clock_range *from)
{
    bool lower = raise_to(&to->lower, from->lower), upper = raise_to(&to->upper, from->upper);
    return lower || upper;
}

/* Whether somebody asks if the guards of the rule are false. */
static bool is_asked(const struct analysis *analysis, uint32_t r)
{
    return analysis->timers->holds[r] || analysis->model->rules.data[r].is_urgent;
}

/* Tests put down to the process, at its locations from `low` on. False: there are none. */
static bool find_tests(const struct analysis *analysis, uint32_t p, uint32_t clock,
                       struct clock_range *ranges, int64_t low, int64_t high)
{
    const struct model *model = analysis->model;
    const struct model_process *process = &model->processes.data[p];
    bool any_holds = false, found = false;
    for (uint32_t r = 0; r < model->rules.len; r++) any_holds |= analysis->timers->holds[r];
    for (uint32_t l = 0; l < process->locations;
         l++) { /* entering a location tests its invariant, and so does who waits for that step */
        const struct model_location *location = &model->locations.data[process->first_location + l];
        if (!mentions(model, location->first_invariant, location->invariants, clock)
            || location->value < low || location->value > high)
            continue;
        add_constraints(&ranges[location->value - low], model, location->first_invariant,
                        location->invariants, clock, any_holds);
        found = true;
    }
    for (uint32_t r = 0; r < model->rules.len; r++) {
        if (!analysis->tests[r] || analysis->owner[r] != p) continue;
        int64_t at = required_value(model, r, process->location);
        if (at < low || at > high) continue;
        add_constraints(&ranges[at - low], model, model->rules.data[r].first_guard,
                        model->rules.data[r].guards, clock, is_asked(analysis, r));
        found = true;
    }
    return found;
}

/* Carries bounds against the direction of steps until nothing changes. */
static void spread(const struct analysis *analysis, uint32_t p, struct clock_range *ranges,
                   int64_t low, uint64_t count)
{
    for (bool changed = true; changed;) {
        struct clock_range all = {BOUND_NONE, BOUND_NONE};
        for (uint64_t v = 0; v < count; v++) join(&all, &ranges[v]);
        changed = false;
        for (uint32_t i = analysis->first_step[p]; i < analysis->first_step[p + 1]; i++) {
            const struct local_step *step = &analysis->steps.data[i];
            if (analysis->resets[step->rule]) continue;
            assert(step->to == ANYWHERE || (uint64_t)(step->to - low) < count);
            struct clock_range next = step->to == ANYWHERE ? all : ranges[step->to - low];
            for (uint64_t v = 0; step->from == ANYWHERE && v < count; v++)
                changed |= join(&ranges[v], &next);
            if (step->from != ANYWHERE) changed |= join(&ranges[step->from - low], &next);
        }
    }
}

/* Tests that no process's location tells anything about. */
static bool find_loose_tests(const struct analysis *analysis, uint32_t clock,
                             struct clock_range *range)
{
    const struct model *model = analysis->model;
    bool found = false;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        if (!analysis->tests[r] || analysis->owner[r] != MODEL_NONE) continue;
        add_constraints(range, model, model->rules.data[r].first_guard, model->rules.data[r].guards,
                        clock, is_asked(analysis, r));
        found = true;
    }
    for (uint32_t p = 0; p < model->processes.len; p++) { /* of processes with too many locations */
        const struct model_process *process = &model->processes.data[p];
        for (uint32_t l = 0;
             process->location != MODEL_NONE && !has_locations(model, p) && l < process->locations;
             l++) {
            const struct model_location *location =
                &model->locations.data[process->first_location + l];
            if (!mentions(model, location->first_invariant, location->invariants, clock)) continue;
            add_constraints(range, model, location->first_invariant, location->invariants, clock,
                            true);
            found = true;
        }
    }
    return found;
}

static void add_view(struct clocks *clocks, uint32_t var, const struct clock_range *ranges,
                     uint64_t count)
{
    assert(var != MODEL_NONE || count == 1);
    vec_push(clocks->mem, &clocks->views, ((struct clock_view){var, clocks->ranges.len}));
    for (uint64_t v = 0; v < count; v++) vec_push(clocks->mem, &clocks->ranges, ranges[v]);
}

static void analyse(struct analysis *analysis, uint32_t clock)
{
    const struct model *model = analysis->model;
    struct mem *mem = analysis->clocks->mem;
    struct clock_range loose = {BOUND_NONE, BOUND_NONE};
    find_affinities(analysis, clock);
    find_owners(analysis);
    if (find_loose_tests(analysis, clock, &loose))
        add_view(analysis->clocks, MODEL_NONE, &loose, 1);
    for (uint32_t p = 0; p < model->processes.len; p++) {
        if (!analysis->affinity[p] || !has_locations(model, p)) continue;
        uint32_t var = model->processes.data[p].location;
        int64_t low = model->vars.data[var].low, high = model->vars.data[var].high;
        uint64_t count = (uint64_t)(high - low) + 1;
        struct clock_range *ranges = mem_alloc(mem, count * sizeof *ranges);
        for (uint64_t v = 0; v < count; v++)
            ranges[v] = (struct clock_range){BOUND_NONE, BOUND_NONE};
        if (find_tests(analysis, p, clock, ranges, low, high)) {
            spread(analysis, p, ranges, low, count);
            add_view(analysis->clocks, var, ranges, count);
        }
        mem_free(mem, ranges);
    }
}

/* ---- the module ---- */

static void find_invariants(struct clocks *clocks)
{
    const struct model *model = clocks->model;
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const struct model_process *process = &model->processes.data[p];
        for (uint32_t l = 0; process->location != MODEL_NONE && l < process->locations; l++) {
            const struct model_location *location =
                &model->locations.data[process->first_location + l];
            struct clock_invariant invariant = {process->location, location->value,
                                                location->first_invariant, location->invariants};
            if (location->invariants) vec_push(clocks->mem, &clocks->invariants, invariant);
            if (location->is_urgent)
                vec_push(clocks->mem, &clocks->urgent,
                         ((struct clock_urgency){process->location, location->value}));
        }
    }
}

static void compile(struct clocks *clocks, struct program *program)
{
    const struct model *model = clocks->model;
    bool any = false;
    for (uint32_t i = 0; i < model->constraints.len; i++)
        any |= model->constraints.data[i].is_conditional || model->constraints.data[i].varies;
    if (!any) return;
    clocks->codes = mem_alloc(clocks->mem, model->constraints.len * sizeof *clocks->codes);
    for (uint32_t i = 0; i < model->constraints.len; i++) {
        const struct clock_constraint *constraint = &model->constraints.data[i];
        clocks->codes[i] = (struct clock_code){
            constraint->is_conditional ? program_compile(program, constraint->when) : PROGRAM_NONE,
            constraint->varies ? program_compile(program, constraint->value) : PROGRAM_NONE};
    }
}

bool clocks_compute(const struct clocks *clocks, const struct program *program,
                    const uint64_t *words, uint32_t i, dbm_bound *bound)
{
    const struct clock_constraint *constraint = &clocks->model->constraints.data[i];
    const struct clock_code *code = &clocks->codes[i];
    int64_t when = true, value = constraint->bound;
    bool good = code->when == PROGRAM_NONE || program_run(program, code->when, words, &when);
    if (good && when && code->value != PROGRAM_NONE)
        good = program_run(program, code->value, words, &value);
    assert(good); /* they never fail */
    if (!good || !when) return false;
    *bound = constraint->strict ? bound_strict(value) : bound_weak(value);
    return true;
}

static void add_diagonal(struct clocks *clocks, struct clock_diagonal diagonal)
{
    for (uint32_t i = 0; i < clocks->diagonals.len; i++) {
        const struct clock_diagonal *other = &clocks->diagonals.data[i];
        if (other->x == diagonal.x && other->y == diagonal.y && other->bound == diagonal.bound)
            return;
    }
    vec_push(clocks->mem, &clocks->diagonals, diagonal);
}

/* x - y <= c and y - x < -c tell the same apart. */
static void find_diagonals(struct clocks *clocks)
{
    const struct model *model = clocks->model;
    for (uint32_t i = 0; i < model->constraints.len; i++) {
        const struct clock_constraint *constraint = &model->constraints.data[i];
        int64_t low, high;
        if (!clocks_is_diagonal(constraint)) continue;
        model_bound_range(model, constraint, &low, &high);
        assert(high - low < CLOCKS_MOST_BOUNDS); /* the model was refused otherwise */
        for (int64_t c = low; c <= high; c++) {
            const dbm_bound bound = constraint->strict ? bound_strict(c) : bound_weak(c);
            add_diagonal(clocks, constraint->x < constraint->y
                                     ? (struct clock_diagonal){constraint->x, constraint->y, bound}
                                     : (struct clock_diagonal){constraint->y, constraint->x,
                                                               bound_negate(bound)});
        }
    }
}

void clocks_init(struct clocks *clocks, const struct model *model, const struct timers *timers,
                 struct program *program)
{
    struct mem *mem = model->mem;
    struct analysis analysis = {.clocks = clocks, .model = model, .timers = timers};
    *clocks = (struct clocks){.mem = mem, .model = model};
    clocks->first_view =
        mem_alloc(mem, (model->clocks.len + UINT64_C(1)) * sizeof *clocks->first_view);
    clocks->watched = mem_alloc(mem, (model->clocks.len + UINT64_C(1)) * sizeof *clocks->watched);
    for (uint32_t i = 0; i < model->clocks.len; i++)
        clocks->watched[i] = (struct clock_range){BOUND_NONE, BOUND_NONE};
    find_invariants(clocks);
    compile(clocks, program);
    find_diagonals(clocks);
    if (!model->clocks.len) return;
    analysis.first_step =
        mem_alloc(mem, (model->processes.len + UINT64_C(1)) * sizeof *analysis.first_step);
    analysis.affinity =
        mem_alloc(mem, (model->processes.len + UINT64_C(1)) * sizeof *analysis.affinity);
    analysis.owner = mem_alloc(mem, (model->rules.len + UINT64_C(1)) * sizeof *analysis.owner);
    analysis.tests = mem_alloc(mem, model->rules.len + UINT64_C(1));
    analysis.resets = mem_alloc(mem, model->rules.len + UINT64_C(1));
    find_steps(&analysis);
    for (uint32_t c = 0; c < model->clocks.len; c++) {
        clocks->first_view[c] = clocks->views.len;
        analyse(&analysis, c);
    }
    clocks->first_view[model->clocks.len] = clocks->views.len;
    vec_free(mem, &analysis.steps);
    mem_free(mem, analysis.first_step);
    mem_free(mem, analysis.affinity);
    mem_free(mem, analysis.owner);
    mem_free(mem, analysis.tests);
    mem_free(mem, analysis.resets);
}

void clocks_release(struct clocks *clocks)
{
    mem_free(clocks->mem, clocks->codes);
    mem_free(clocks->mem, clocks->first_view);
    mem_free(clocks->mem, clocks->watched);
    vec_free(clocks->mem, &clocks->views);
    vec_free(clocks->mem, &clocks->ranges);
    vec_free(clocks->mem, &clocks->invariants);
    vec_free(clocks->mem, &clocks->urgent);
    vec_free(clocks->mem, &clocks->diagonals);
}

void clocks_watch(struct clocks *clocks, uint32_t clock, int64_t constant)
{
    assert(clock < clocks->model->clocks.len);
    if (constant < 0) constant = 0; /* the clock matters all the same */
    raise_to(&clocks->watched[clock].lower, constant);
    raise_to(&clocks->watched[clock].upper, constant);
}

void clocks_watch_constraint(struct clocks *clocks, const struct clock_constraint *constraint)
{
    const bool differs = clocks_is_diagonal(constraint);
    int64_t low, high;
    model_bound_range(clocks->model, constraint, &low, &high);
    if (constraint->x != MODEL_NONE)
        clocks_watch(clocks, constraint->x,
                     differs ? across(clocks->model, constraint, constraint->x) : high);
    if (constraint->y != MODEL_NONE)
        clocks_watch(clocks, constraint->y,
                     differs ? across(clocks->model, constraint, constraint->y) : -low);
}

struct clock_range clocks_range(const struct clocks *clocks, uint32_t clock,
                                const struct layout *layout, const uint64_t *words)
{
    struct clock_range range = clocks->watched[clock];
    for (uint32_t i = clocks->first_view[clock]; i < clocks->first_view[clock + 1]; i++) {
        const struct clock_view *view = &clocks->views.data[i];
        uint64_t at = view->var == MODEL_NONE
                          ? 0
                          : (uint64_t)(field_get(&layout->fields[view->var], words)
                                       - clocks->model->vars.data[view->var].low);
        CHECKED(view->first + at < clocks->ranges.len);
        join(&range, &clocks->ranges.data[view->first + at]);
    }
    return range;
}
