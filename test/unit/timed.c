/* The timed engine against a search of regions (Alur and Dill 1994) that stands on the reference
 * semantics alone.
 *
 * Random small models: processes that move alone or together, intervals and clock constraints with
 * open and closed ends, parts that stay, priorities, invariants of locations, divisions by zero;
 * code that may block or fail, and paths of one transition: rules that differ in some values only.
 * All valuations of a region are equivalent, so one point stands for each: fractions are told apart
 * by their order only, and what is larger than every constant by nothing. From it the next region
 * in time is a step of a known length, which model/timed_eval takes, as it takes the rules.
 * Compared are the reachable discrete states, the shortest way to one of them, deadlocks and
 * run-time errors, F p and G F p, queries of all kinds with clocks and `deadlock`; every trace is
 * verified with its delays, and loops can be gone round several times. */
#include "base/random.h"
#include "engine/timed/dating.h"
#include "engine/timed/timed.h"
#include "search/search.h"
#include "engine/timed/timers.h"
#include "result/witness.h"
#include "solver/store.h"
#include "unit/unit.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#ifdef CAIRN_DEGENERATE
enum { MODELS = 80, HASTY = 100, IS_WHOLE = false }; /* each takes twenty times as long */
#else
enum { MODELS = 900, HASTY = 3000, IS_WHOLE = true };
#endif
enum { LARGEST = 4, MOST_SET = 3, MAX_REGIONS = 12000, NAMES = 8 };
/* Beyond this the search of regions does not tell values of a clock apart; with differences, more,
 * because a test of x - y after y was set is one of x. */
enum { CAP = LARGEST, CAP_OF_DIFFERENCES = LARGEST + MOST_SET + 1 };

struct test {
    struct unit *unit;
    struct random random;
    struct mem *mem;
    struct model *model;
    unsigned compared, skipped, with_priorities, dead, failing, open_dates, eventually, again;
    bool is_rich;    /* the model has all that timed automata of UPPAAL have */
    bool differs;    /* it compares clocks with each other, so that queries may, too */
    bool only_hasty; /* reductions are looked at only, in models that are ... */
    bool is_hasty;   /* it has many urgent locations, and processes that do not know each other */
    unsigned hasty, reduced; /* models like that; searches that reduction makes smaller */
    uint32_t shared;         /* the variable that conditions and bounds read */
    uint32_t visible;        /* variables that are not hidden come first */
    unsigned rich, with_differences, with_setters, rushing;
    unsigned queries, held[QUERY_BOUNDS + 1], failed[QUERY_BOUNDS + 1], loops, without_run;
    unsigned measured, unbounded, infinite, large;
    unsigned sharing;  /* models in which rules share a timer */
    unsigned deciding; /* models in which rules with a REQUIRE share one */
};

static uint32_t below(struct test *t, uint64_t bound)
{
    return (uint32_t)random_below(&t->random, bound);
}
static bool chance(struct test *t, uint32_t percent) { return below(t, 100) < percent; }

/* ---- random models ---- */

static const struct place nowhere;
static const char *const names[NAMES] = {"a", "b", "c", "d", "e", "f", "g", "h"};

static expr equals(struct model *model, uint32_t var, int64_t value)
{
    const struct model_var *v = &model->vars.data[var];
    return expr_make(&model->exprs, EXPR_EQ, 0, expr_var_in(&model->exprs, var, v->low, v->high),
                     expr_int(&model->exprs, value));
}

static struct clock_constraint at_most(uint32_t clock, int64_t bound, bool strict)
{
    return (struct clock_constraint){.x = clock, .y = MODEL_NONE, .bound = bound, .strict = strict};
}

static struct clock_constraint at_least(uint32_t clock, int64_t bound, bool strict)
{
    return (struct clock_constraint){
        .x = MODEL_NONE, .y = clock, .bound = -bound, .strict = strict};
}

/* Of the shared variable, also before it is declared. */
static expr shared_is(struct test *t, int64_t value)
{
    struct exprs *exprs = &t->model->exprs;
    return expr_make(exprs, EXPR_EQ, 0, expr_var_in(exprs, t->shared, 0, 2),
                     expr_int(exprs, value));
}

/* A number that the shared variable has a say in, from -LARGEST to LARGEST. */
static expr random_number(struct test *t, bool upper)
{
    struct exprs *exprs = &t->model->exprs;
    expr shared = expr_var_in(exprs, t->shared, 0, 2);
    if (!upper) return expr_make(exprs, EXPR_SUB, 0, shared, expr_int(exprs, 1 + below(t, 4)));
    return expr_make(exprs, chance(t, 70) ? EXPR_ADD : EXPR_SUB, 0, shared,
                     expr_int(exprs, below(t, 3)));
}

static struct clock_constraint random_constraint(struct test *t, bool upper)
{
    uint32_t clock = below(t, t->model->clocks.len);
    int64_t bound = below(t, LARGEST + 1);
    struct clock_constraint constraint = upper ? at_most(clock, bound, bound && chance(t, 30))
                                               : at_least(clock, bound, chance(t, 30));
    if (!t->is_rich) return constraint;
    if (t->model->clocks.len > 1 && chance(t, 30)) {
        uint32_t other = (clock + 1) % 2;
        if (upper) constraint.y = other;
        else constraint.x = other;
        if (chance(t, 60)) constraint.bound = (int64_t)below(t, 3) - 1;
    }
    if (chance(t, 25)) {
        constraint.varies = true;
        constraint.value = random_number(t, upper);
    }
    if (chance(t, 25)) {
        constraint.is_conditional = true;
        constraint.when = shared_is(t, below(t, 3));
    }
    return constraint;
}

static void add_processes(struct test *t, uint32_t count)
{
    struct model *model = t->model;
    for (uint32_t p = 0; p < count; p++) {
        uint32_t locations = 2 + below(t, 2) + t->is_hasty;
        struct model_var var = {.name = names[p], .process = p, .high = locations - 1};
        struct model_process process = {.name = names[p],
                                        .type = "t",
                                        .location = model->vars.len,
                                        .first_location = model->locations.len,
                                        .locations = locations};
        vec_push(t->mem, &model->vars, var);
        vec_push(t->mem, &model->processes, process);
        for (uint32_t l = 0; l < locations; l++) {
            struct model_location location = {.value = l,
                                              .first_invariant = model->constraints.len};
            if (model->clocks.len && chance(t, t->is_hasty ? 8 : 30)) {
                vec_push(t->mem, &model->constraints, random_constraint(t, !chance(t, 10)));
                location.invariants = 1;
            }
            location.is_urgent = t->is_hasty ? chance(t, 60) : t->is_rich && chance(t, 12);
            vec_push(t->mem, &model->locations, location);
        }
    }
}

static uint32_t add_interval(struct test *t)
{
    struct model_interval interval = {.low = below(t, LARGEST), .infinite = chance(t, 25)};
    interval.high = interval.low + below(t, LARGEST + 1 - (uint32_t)interval.low);
    interval.low_open = chance(t, 20);
    interval.high_open = chance(t, 20);
    if (interval.low == interval.high) interval.low_open = interval.high_open = false;
    if (interval.infinite) interval.high = 0, interval.high_open = false;
    vec_push(t->mem, &t->model->intervals, interval);
    return t->model->intervals.len - 1;
}

static void add_part(struct test *t, uint32_t process, uint32_t shared)
{
    struct model *model = t->model;
    uint32_t var = model->processes.data[process].location,
             locations = model->processes.data[process].locations, from = below(t, locations);
    model_add_part(model, process, nowhere);
    bool stays = chance(t, t->is_hasty ? 8 : 25);
    model->parts.data[model->parts.len - 1].stays = stays;
    model_add_conjunct(model, equals(model, var, from), nowhere);
    if (chance(t, t->is_hasty ? 6 : 30))
        model_add_conjunct(model, equals(model, shared, below(t, 3)), nowhere);
    if (t->is_hasty && chance(t, 15)) { /* as of committed locations of another process */
        const uint32_t other = below(t, model->processes.len);
        const expr there = equals(model, model->processes.data[other].location, below(t, 2));
        model_add_conjunct(model, expr_make(&model->exprs, EXPR_NOT, 0, there, there), nowhere);
    }
    if (!stays) model_add_store(model, var, expr_int(&model->exprs, below(t, locations)), nowhere);
}

static void add_statement(struct test *t, struct code_sequence *body, enum code_op op, uint32_t var,
                          expr value)
{
    struct cell target = {.base = var, .count = 1, .offset = expr_int(&t->model->exprs, 0)};
    struct code_node node = {
        .op = (uint8_t)op, .target = target, .source.offset = target.offset, .value = value};
    node.body = node.other = node.next = code_none();
    model_add_code(t->model, body, node);
}

static expr two_divided_by(struct test *t, uint32_t var)
{
    struct exprs *exprs = &t->model->exprs;
    return expr_make(exprs, EXPR_DIV, 2, expr_int(exprs, 2), expr_var_in(exprs, var, 0, 2));
}

/* Statements that assign, fail and block, most of them alike in all paths of a transition (`form`);
 * what each of these chooses is its own. */
static void add_code(struct test *t, struct random *form, uint32_t shared, uint32_t spare)
{
    struct model *model = t->model;
    struct code_sequence body = code_sequence_empty();
    uint64_t count = 1 + random_below(form, 4);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t kind = random_below(form, 6), value = random_below(form, 2);
        uint32_t own = below(t, 3);
        if (kind == 0) add_statement(t, &body, CODE_SET, spare, expr_int(&model->exprs, own != 0));
        if (kind == 1)
            add_statement(t, &body, CODE_SET, spare,
                          expr_to_int(&model->exprs, equals(model, shared, own)));
        if (kind == 2)
            add_statement(t, &body, CODE_REQUIRE, 0, equals(model, spare, (int64_t)value));
        if (kind == 3)
            add_statement(t, &body, CODE_REQUIRE, 0, equals(model, shared, (int64_t)value));
        if (kind == 4 && own)
            add_statement(
                t, &body, CODE_SET, spare,
                expr_within(&model->exprs, two_divided_by(t, shared), 0, 1, FAILURE_RANGE));
        if (kind == 5) add_statement(t, &body, CODE_SET, shared, expr_int(&model->exprs, own));
    }
    model->rules.data[model->rules.len - 1].body = body.first;
}

/* What a step sets a clock to. */
static int64_t random_value(struct test *t)
{
    return t->is_rich && chance(t, 50) ? below(t, MOST_SET + 1) : 0;
}

/* The same by code: a number, or nothing. */
static expr random_setting(struct test *t)
{
    struct exprs *exprs = &t->model->exprs;
    expr value = chance(t, 50) ? expr_int(exprs, below(t, MOST_SET + 1))
                               : expr_var_in(exprs, t->shared, 0, 2);
    return chance(t, 50) ? value
                         : expr_choose(exprs, equals(t->model, t->shared, below(t, 3)), value,
                                       expr_int(exprs, -1));
}

/* Constraints that must not hold together, of a rule that nobody waits for. */
static void add_groups(struct test *t)
{
    struct model *model = t->model;
    if (!model->clocks.len || model->rules.data[model->rules.len - 1].classes || !chance(t, 20))
        return;
    for (uint32_t count = 1 + below(t, 4), i = 0; i < count; i++) {
        struct clock_constraint one = random_constraint(t, chance(t, 50));
        one.unless = 1 + below(t, 2);
        model_add_clock_guard(model, one);
    }
}

/* One path of a transition: the same processes, conditions and interval, and what it does with the
 * variables. */
static void add_path(struct test *t, struct random form, const char *name, uint32_t shared,
                     bool with_code)
{
    struct model *model = t->model;
    struct random own = t->random;
    t->random = form;
    uint32_t first = below(t, model->processes.len), second = below(t, model->processes.len);
    model_begin_rule(model, name);
    add_part(t, first, shared);
    if (second != first && chance(t, t->is_hasty ? 15 : 30)) add_part(t, second, shared);
    bool is_timed = chance(t, t->is_hasty ? 8 : 65);
    struct random after = t->random;
    t->random = own;
    if (with_code) add_code(t, &after, shared, shared + 1);
    if (chance(t, t->is_hasty ? 2 : 6))
        model_add_store(model, shared, two_divided_by(t, shared), nowhere);
    else if (chance(t, t->is_hasty ? 6 : 40))
        model_add_store(model, shared, expr_int(&model->exprs, below(t, 3)), nowhere);
    for (uint32_t c = 0; c < model->class_count; c++)
        if (chance(t, 40)) model_add_class(model, c);
    for (uint32_t i = 0; model->clocks.len && i < 2; i++) {
        if (chance(t, t->is_hasty && !t->only_hasty ? 8 : 30))
            model_add_clock_guard(model, random_constraint(t, chance(t, 50)));
        bool is_first = model->resets.len == model->rules.data[model->rules.len - 1].first_reset;
        if (chance(t, t->is_hasty && !t->only_hasty ? 8 : 30) && (!i || is_first))
            model_add_reset(model, (struct clock_reset){.clock = below(t, model->clocks.len),
                                                        .value = random_value(t)});
    }
    add_groups(t);
    for (uint32_t c = 0; c < model->clocks.len; c++)
        if (model->clocks.data[c].is_set_by_code && chance(t, 30))
            model_add_store(model, model->clocks.data[c].setter, random_setting(t), nowhere);
    model->rules.data[model->rules.len - 1].is_urgent =
        t->is_rich && (!is_timed || chance(t, 30)) && chance(t, 40);
    if (is_timed && !model->rules.data[model->rules.len - 1].is_urgent)
        model->rules.data[model->rules.len - 1].interval = add_interval(t);
    model_end_rule(model);
}

static void add_transition(struct test *t, uint32_t number, uint32_t shared, bool has_spare)
{
    bool with_code = has_spare && chance(t, 60);
    uint32_t paths = chance(t, 30) ? 2 + below(t, 2) : 1;
    struct random form = {.state = t->random.state ^ UINT64_C(0x9E3779B97F4A7C15)};
    for (uint32_t i = 0; i < paths; i++)
        add_path(t, form, names[number % NAMES], shared, with_code);
}

/* How many models have rules that share a timer, and those whose code blocks. */
static void count_sharing(struct test *t)
{
    struct timers timers;
    bool shares = false, decides = false;
    timers_init(&timers, t->model);
    for (uint32_t r = 0; r < t->model->rules.len; r++) {
        if (timers.of[r] == TIMER_NONE || timers.list.data[timers.of[r]].rule == r) continue;
        shares = true;
        for (statement at = t->model->rules.data[r].body; !code_is_none(at);
             at = t->model->code.data[at.i].next)
            decides |= t->model->code.data[at.i].op == CODE_REQUIRE;
    }
    t->sharing += shares;
    t->deciding += decides;
    timers_release(&timers);
}

static void add_setters(struct test *t)
{
    struct model *model = t->model;
    static const char *const setter_names[] = {"x.set", "y.set"};
    t->visible = model->vars.len;
    for (uint32_t c = 0; t->is_rich && c < model->clocks.len; c++) {
        if (!chance(t, 35)) continue;
        model->clocks.data[c].is_set_by_code = true;
        model->clocks.data[c].setter = model->vars.len;
        vec_push(t->mem, &model->vars,
                 ((struct model_var){.name = setter_names[c],
                                     .process = MODEL_NONE,
                                     .low = -1,
                                     .init = -1,
                                     .high = MOST_SET,
                                     .is_hidden = true}));
    }
}

static bool has_differences(const struct model *model)
{
    for (uint32_t i = 0; i < model->constraints.len; i++)
        if (model->constraints.data[i].x != MODEL_NONE
            && model->constraints.data[i].y != MODEL_NONE)
            return true;
    return false;
}

static void make_model(struct test *t)
{
    struct model *model = t->model = model_new(t->mem, "random");
    static const char *const clock_names[] = {"x", "y"};
    t->is_rich = chance(t, 50);
    t->is_hasty = t->only_hasty || chance(t, 35);
    uint32_t clocks = t->is_rich || chance(t, 50) ? 1 + below(t, 2) : 0, rules = 2 + below(t, 6),
             processes = 1 + below(t, 3);
    if (t->is_hasty) rules += 5, processes = 3;
    for (uint32_t c = 0; c < clocks; c++)
        vec_push(t->mem, &model->clocks,
                 ((struct model_clock){.name = clock_names[c], .init = random_value(t)}));
    t->shared = processes;
    add_processes(t, processes);
    uint32_t shared = model->vars.len;
    struct model_var var = {.name = "shared",
                            .process = MODEL_NONE,
                            .high = 2,
                            .any_init = chance(t, 20),
                            .init = below(t, 3)};
    vec_push(t->mem, &model->vars, var);
    model->class_count = !t->is_hasty && chance(t, 35) ? 2 + below(t, 2) : 0;
    for (uint32_t high = 1; high < model->class_count; high++)
        for (uint32_t low = 0; low < high; low++)
            vec_push(t->mem, &model->priorities, ((struct model_priority){high, low}));
    bool has_spare = chance(t, t->is_hasty ? 10 : 40);
    if (has_spare)
        vec_push(t->mem, &model->vars,
                 ((struct model_var){.name = "spare", .process = MODEL_NONE, .high = 1}));
    add_setters(t);
    for (uint32_t r = 0; r < rules; r++) add_transition(t, r, shared, has_spare);
    if (!model->intervals.len && !clocks)
        add_interval(t); /* of no rule: the model is timed all the same */
    model_finish(model);
    t->differs = has_differences(model);
    struct text complaint;
    text_init(&complaint, t->mem);
    CHECK(t->unit, model_check(model, &complaint));
}

/* ---- regions ---- */

struct region_edge {
    uint32_t from, to; /* numbers in `all` */
    bool takes_rule;
};

struct regions {
    struct test *t;
    const struct model *model;
    int64_t parts;            /* of a tick */
    int64_t cap;              /* the largest constant, in parts */
    bool differs;             /* there are constraints on differences, at least in queries */
    struct timed_state state; /* at work */
    struct store seen, discrete,
        all; /* regions that were visited; their discrete states; regions that were met */
    VEC(struct region_edge) edges;
    VEC(uint32_t) stuck, initial;
    int64_t *levels; /* per discrete state: rules on the shortest way to it */
    int64_t *record;
    uint32_t words;
    VEC(int64_t) now, later; /* records */
    bool too_many, dead, failing;
};

static bool has_timer(const struct regions *regions, uint32_t r)
{
    return (regions->state.enabled[r] || regions->state.fails[r])
           && regions->model->rules.data[r].interval != MODEL_NONE;
}

/* All timers and clocks of the state that are not above every constant. */
static uint32_t list_times(struct regions *regions, int64_t **list)
{
    int64_t cap = regions->cap;
    uint32_t count = 0;
    for (uint32_t r = 0; r < regions->model->rules.len; r++)
        if (has_timer(regions, r) && regions->state.timers[r] <= cap)
            list[count++] = &regions->state.timers[r];
    for (uint32_t c = 0; c < regions->model->clocks.len; c++)
        if (regions->state.clocks[c] <= cap) list[count++] = &regions->state.clocks[c];
    return count;
}

/* The point between two, or the point itself, that stands for a difference as far as constraints
 * can tell: these have whole constants up to LARGEST. */
static int64_t plain_difference(const struct regions *regions, int64_t difference)
{
    const int64_t parts = regions->parts, most = (LARGEST + 1) * parts;
    if (difference < 0) return -plain_difference(regions, -difference);
    if (difference > LARGEST * parts) return most;
    return difference % parts ? difference / parts * parts + parts / 2 : difference;
}

/* With two clocks, one or both above every constant: which side of constraints their difference is
 * on must stay what it was. */
static void keep_difference(struct regions *regions, int64_t before, bool first_is_above,
                            bool second_is_above)
{
    const int64_t parts = regions->parts, above = regions->cap + parts, far = LARGEST * parts,
                  kept = plain_difference(regions, before);
    int64_t *clocks = regions->state.clocks;
    if (first_is_above && second_is_above) {
        clocks[1] = above + (LARGEST + 1) * parts;
        clocks[0] = clocks[1] + kept;
        return;
    }
    int64_t *larger = first_is_above ? &clocks[0] : &clocks[1],
            smaller = first_is_above ? clocks[1] : clocks[0],
            difference = first_is_above ? before : -before;
    if (difference > far) *larger = smaller + far + parts > above ? smaller + far + parts : above;
    else if (difference % parts == 0) *larger = smaller + difference;
    else { /* between two whole numbers, and above the largest constant */
        int64_t low = difference / parts * parts, high = low + parts;
        if (low < regions->cap - smaller) low = regions->cap - smaller;
        *larger = smaller + (low + high) / 2;
    }
}

/* The point that stands for the region of the state: fraction number i from below is 4 i parts. */
static void normalise(struct regions *regions)
{
    int64_t *list[64], parts = regions->parts, old[64], above = regions->cap + parts;
    const int64_t *clocks = regions->state.clocks;
    const bool two = regions->model->clocks.len == 2;
    const int64_t difference = two ? clocks[0] - clocks[1] : 0;
    const bool is_above[2] = {two && clocks[0] > regions->cap, two && clocks[1] > regions->cap};
    for (uint32_t v = regions->t->visible; v < regions->model->vars.len; v++)
        regions->state.values[v] = regions->model->vars.data[v].init;
    uint32_t count = list_times(regions, list);
    for (uint32_t i = 0; i < count; i++) old[i] = *list[i];
    for (uint32_t i = 0; i < count; i++) {
        int64_t rank = 0;
        for (uint32_t k = 0; k < count;
             k++) { /* how many different fractions there are up to this one, but 0 */
            bool first = old[k] % parts != 0 && old[k] % parts <= old[i] % parts;
            for (uint32_t e = 0; e < k; e++) first = first && old[e] % parts != old[k] % parts;
            rank += first;
        }
        *list[i] = old[i] / parts * parts + 4 * rank;
    }
    for (uint32_t r = 0; r < regions->model->rules.len; r++)
        if (has_timer(regions, r) && regions->state.timers[r] > regions->cap)
            regions->state.timers[r] = above;
    for (uint32_t c = 0; c < regions->model->clocks.len; c++)
        if (regions->state.clocks[c] > regions->cap) regions->state.clocks[c] = above;
    if (regions->differs && (is_above[0] || is_above[1]))
        keep_difference(regions, difference, is_above[0], is_above[1]);
}

/* To the next region in time; false: there is none, or time may not pass. */
static bool pass(struct regions *regions)
{
    int64_t *list[64], largest = 0;
    uint32_t count = list_times(regions, list);
    bool any_whole = false;
    for (uint32_t i = 0; i < count; i++) {
        any_whole |= *list[i] % regions->parts == 0;
        if (*list[i] % regions->parts > largest) largest = *list[i] % regions->parts;
    }
    return count && timed_wait(&regions->state, any_whole ? 2 : regions->parts - largest);
}

static void save_record(struct regions *regions)
{
    const struct model *model = regions->model;
    int64_t *at = regions->record;
    memcpy(at, regions->state.values, model->vars.len * sizeof *at);
    at += model->vars.len;
    for (uint32_t r = 0; r < model->rules.len; r++)
        *at++ = has_timer(regions, r) ? regions->state.timers[r] : -1;
    memcpy(at, regions->state.clocks, model->clocks.len * sizeof *at);
}

static void load_record(struct regions *regions, const int64_t *record)
{
    const struct model *model = regions->model;
    memcpy(regions->state.values, record, model->vars.len * sizeof *record);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        enum eval_result result = eval_rule_alone(model, r, record, regions->state.scratch, NULL);
        regions->state.enabled[r] = result == EVAL_ENABLED;
        regions->state.fails[r] = result == EVAL_FAILED;
        int64_t timer = record[model->vars.len + r];
        regions->state.timers[r] = timer < 0 ? 0 : timer;
    }
    memcpy(regions->state.clocks, record + model->vars.len + model->rules.len,
           model->clocks.len * sizeof *record);
}

/* The number of the region in regions->record. */
static uint32_t number(struct regions *regions)
{
    uint64_t index;
    store_add(&regions->all, regions->record,
              store_hash(regions->record, regions->all.record_bytes), &index);
    return (uint32_t)index;
}

/* The state at work goes into a list; it is looked at later whether it is new. */
#define push_record(regions, list)                                                                 \
    do {                                                                                           \
        normalise(regions);                                                                        \
        save_record(regions);                                                                      \
        number(regions);                                                                           \
        for (uint32_t w_ = 0; w_ < (regions)->words; w_++)                                         \
            vec_push((regions)->t->mem, list, (regions)->record[w_]);                              \
    } while (0)

static void visit(struct regions *regions, const int64_t *record, int64_t level)
{
    const struct model *model = regions->model;
    const uint32_t bytes = regions->words * sizeof *record;
    uint64_t index;
    if (store_add(&regions->seen, record, store_hash(record, bytes), &index) != STORE_NEW) return;
    regions->too_many |= regions->seen.count > MAX_REGIONS;
    uint32_t value_bytes = regions->t->visible * sizeof *record;
    if (store_add(&regions->discrete, record, store_hash(record, value_bytes), &index) == STORE_NEW)
        regions->levels[index] = level;
    load_record(regions, record);
    uint32_t here = (uint32_t)store_find(&regions->all, record, store_hash(record, bytes));
    if (timed_is_stuck(&regions->state)) {
        regions->dead = true;
        vec_push(regions->t->mem, &regions->stuck, here);
    }
    int64_t *saved = mem_alloc(regions->t->mem, bytes);
    memcpy(saved, record, bytes);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        load_record(regions, saved);
        enum eval_result tried = timed_try(&regions->state, r);
        regions->failing |= tried == EVAL_FAILED;
        if (tried != EVAL_ENABLED || !timed_take(&regions->state, r)) continue;
        push_record(regions, &regions->later);
        vec_push(regions->t->mem, &regions->edges,
                 ((struct region_edge){here, number(regions), true}));
    }
    load_record(regions, saved);
    if (pass(regions)) {
        push_record(regions, &regions->now);
        vec_push(regions->t->mem, &regions->edges,
                 ((struct region_edge){here, number(regions), false}));
    }
    mem_free(regions->t->mem, saved);
}

static void search_regions(struct regions *regions, struct test *t)
{
    const struct model *model = t->model;
    *regions = (struct regions){.t = t,
                                .model = model,
                                .parts = 4 * (model->rules.len + model->clocks.len + 1),
                                .differs = t->is_rich && model->clocks.len == 2,
                                .words = model->vars.len + model->rules.len + model->clocks.len};
    regions->cap = (regions->differs ? CAP_OF_DIFFERENCES : CAP) * regions->parts;
    timed_init(&regions->state, model, regions->parts);
    regions->record = mem_alloc(t->mem, (regions->words + 1) * sizeof *regions->record);
    regions->levels = mem_alloc(t->mem, (MAX_REGIONS + 2) * sizeof *regions->levels);
    store_init(&regions->seen, t->mem, regions->words * sizeof *regions->record);
    store_init(&regions->discrete, t->mem, t->visible * sizeof *regions->record);
    store_init(&regions->all, t->mem, regions->words * sizeof *regions->record);
    int64_t values[16];
    eval_first_initial(model, values);
    do {
        if (!timed_start(&regions->state, values)) continue;
        push_record(regions, &regions->now);
        vec_push(t->mem, &regions->initial, number(regions));
    } while (eval_next_initial(model, values));
    for (int64_t level = 0; regions->now.len && !regions->too_many; level++) {
        for (uint32_t at = 0; at < regions->now.len && !regions->too_many; at += regions->words) {
            int64_t record[64];
            memcpy(record, regions->now.data + at, regions->words * sizeof *record);
            visit(regions, record, level);
        }
        regions->now.len = 0;
        for (uint32_t i = 0; i < regions->later.len; i++)
            vec_push(t->mem, &regions->now, regions->later.data[i]);
        regions->later.len = 0;
    }
}

static void release_regions(struct regions *regions)
{
    store_release(&regions->seen);
    store_release(&regions->discrete);
    store_release(&regions->all);
    vec_free(regions->t->mem, &regions->edges);
    vec_free(regions->t->mem, &regions->stuck);
    vec_free(regions->t->mem, &regions->initial);
    timed_release(&regions->state);
    mem_free(regions->t->mem, regions->record);
    mem_free(regions->t->mem, regions->levels);
    vec_free(regions->t->mem, &regions->now);
    vec_free(regions->t->mem, &regions->later);
}

/* The regions from which a run goes on for ever, or gets stuck, and never has the value: the
 * largest set in which each region is stuck, or can by waiting get to one that is stuck or from
 * which a rule leads into the set. */
static bool *avoid_for_ever(const struct regions *regions, uint32_t var, int64_t value)
{
    uint64_t count = regions->all.count;
    struct mem *mem = regions->t->mem;
    bool *set = mem_alloc(mem, count + 1), *can = mem_alloc(mem, count + 1);
    for (uint64_t i = 0; i < count; i++)
        set[i] = ((const int64_t *)store_get(&regions->all, (uint32_t)i))[var] != value;
    for (bool smaller = true; smaller;) {
        memset(can, 0, count);
        for (uint32_t i = 0; i < regions->stuck.len; i++) can[regions->stuck.data[i]] = true;
        for (bool more = true; more;) {
            more = false;
            for (uint32_t i = 0; i < regions->edges.len; i++) {
                const struct region_edge *edge = &regions->edges.data[i];
                if (can[edge->from] || (edge->takes_rule ? !set[edge->to] : !can[edge->to]))
                    continue;
                can[edge->from] = more = true;
            }
        }
        smaller = false;
        for (uint64_t i = 0; i < count; i++) {
            smaller |= set[i] && !can[i];
            set[i] = set[i] && can[i];
        }
    }
    mem_free(mem, can);
    return set;
}

/* ---- the engine ---- */

struct found {
    struct regions *regions;
    uint64_t edges;
    bool unreachable; /* a state that regions do not reach */
    bool *reached;    /* per discrete state of the regions */
};

static void see_state(void *context, uint64_t state, const int64_t *values, const char *zone)
{
    struct found *found = context;
    struct store *discrete = &found->regions->discrete;
    uint64_t index = store_find(discrete, values, store_hash(values, discrete->record_bytes));
    (void)state, (void)zone;
    if (index == STORE_NONE) found->unreachable = true;
    else found->reached[index] = true;
}

static void see_edge(void *context, uint64_t from, uint32_t rule, uint64_t to)
{
    struct found *found = context;
    (void)rule, (void)to;
    found->edges += from != SET_NONE;
}

static void free_result(struct test *t, struct result *result)
{
    mem_free(t->mem, result->taken);
    mem_free(t->mem, result->levels);
    mem_free(t->mem, result->reached);
    mem_free(t->mem, result->reached_first);
    mem_free(t->mem, result->timed);
}

static void compare_states(struct test *t, struct regions *regions, enum zone_storage storage)
{
    struct found found = {.regions = regions,
                          .reached = mem_alloc(t->mem, regions->discrete.count + 1)};
    struct search_graph graph = {see_state, see_edge, &found};
    struct task task = {.model = t->model, .zones = storage};
    struct result result;
    timed_run(&task, &graph, &result);
    bool all = true;
    for (uint64_t i = 0; i < regions->discrete.count; i++) all &= found.reached[i];
    CHECK(t->unit, result.complete && !result.broken);
    CHECK(t->unit, !found.unreachable);
    CHECK(t->unit, all);
    CHECK(t->unit, result.timed->discrete_states == regions->discrete.count);
    CHECK(t->unit, found.edges == result.transitions);
    mem_free(t->mem, found.reached);
    free_result(t, &result);
}

/* An invariant that one discrete state breaks: a reachable one (number `target`), or one that is
 * not there. */
static void add_property(struct test *t, const char *name, const int64_t *values)
{
    struct model *model = t->model;
    expr all = expr_bool(&model->exprs, true);
    for (uint32_t v = 0; v < t->visible; v++)
        all = expr_make(&model->exprs, EXPR_AND, 0, all, equals(model, v, values[v]));
    formula root =
        formula_atom(&model->formulas, expr_make(&model->exprs, EXPR_NOT, 0, all, all), nowhere);
    vec_push(t->mem, &model->properties,
             ((struct model_property){
                 .name = name, .kind = PROPERTY_INVARIANT, .root = root, .text = name}));
}

static void check_entry(struct test *t, const struct property_result *entry, bool expected,
                        int64_t steps)
{
    CHECK(t->unit, entry->verdict == (expected ? VERDICT_VIOLATED : VERDICT_HOLDS));
    if (!entry->trace) {
        CHECK(t->unit, entry->verdict == VERDICT_HOLDS);
        return;
    }
    const char *wrong = trace_verify(t->model, entry->trace, entry->kind, entry->invariant);
    if (wrong) printf("%s: %s\n", entry->property->name, wrong);
    CHECK(t->unit, !wrong);
    CHECK(t->unit, steps < 0 || entry->trace->steps == steps);
    t->open_dates += entry->trace->denominator > 1;
}

static void compare_properties(struct test *t, struct regions *regions, enum zone_storage storage,
                               int64_t steps, bool has_absent, bool asks_deadlock)
{
    struct task task = {.model = t->model, .zones = storage};
    struct result result;
    task.properties = result_list_properties(t->model, asks_deadlock, &task.property_count);
    timed_run(&task, NULL, &result);
    CHECK(t->unit, !result.broken);
    CHECK(t->unit, !asks_deadlock || result.timed->storage != ZONES_BY_SIMULATION);
    if (result.broken) printf("%s\n", result.broken);
    for (uint32_t i = 0; i < task.property_count; i++) {
        const struct property_result *entry = &task.properties[i];
        if (entry->kind == PROPERTY_DEADLOCK) check_entry(t, entry, regions->dead, -1);
        else if (entry->kind == PROPERTY_RUNTIME_ERROR) check_entry(t, entry, regions->failing, -1);
        else check_entry(t, entry, !has_absent || i == 0, i == 0 ? steps : -1);
        trace_free(t->model, entry->trace);
    }
    mem_free(t->mem, task.properties);
    free_result(t, &result);
}

/* What is asked reads one variable, or nothing: so that a reduction may leave steps out. */
static void compare_reduced(struct test *t, struct regions *regions, unsigned round)
{
    struct model *model = t->model;
    const uint32_t var = below(t, t->visible), kept = model->properties.len;
    const int64_t value = below(t, 3);
    bool expected = false;
    uint64_t states[2];
    for (uint64_t i = 0; i < regions->discrete.count; i++)
        expected |= ((const int64_t *)store_get(&regions->discrete, i))[var] == value;
    struct model_property first = {0};
    if (kept) first = model->properties.data[0];
    model->properties.len = 0;
    const expr there = equals(model, var, value);
    const struct model_property property = {
        .name = "reduced",
        .kind = PROPERTY_INVARIANT,
        .root = formula_atom(&model->formulas, expr_make(&model->exprs, EXPR_NOT, 0, there, there),
                             nowhere),
        .text = "reduced"};
    if (round % 2) vec_push(t->mem, &model->properties, property);
    for (unsigned reduces = 0; reduces < 2; reduces++) {
        struct task task = {.model = model,
                            .zones = round < 2 ? ZONES_EQUAL : ZONES_BY_SIMULATION,
                            .reduction = reduces ? REDUCE_POR : REDUCE_NONE};
        struct result result;
        task.properties = result_list_properties(model, round < 3, &task.property_count);
        timed_run(&task, NULL, &result);
        CHECK(t->unit, !result.broken && result.reduction == task.reduction);
        for (uint32_t i = 0; i < task.property_count; i++) {
            const struct property_result *entry = &task.properties[i];
            check_entry(t, entry,
                        entry->kind == PROPERTY_DEADLOCK        ? regions->dead
                        : entry->kind == PROPERTY_RUNTIME_ERROR ? regions->failing
                                                                : expected,
                        -1);
            trace_free(model, entry->trace);
        }
        states[reduces] = result.complete ? result.states : 0;
        mem_free(t->mem, task.properties);
        free_result(t, &result);
    }
    t->reduced += states[1] < states[0];
    if (kept) model->properties.data[0] = first;
    model->properties.len = kept;
}

/* The run with its loop gone round several times has dates, too. */
static void check_rounds(struct test *t, const struct trace *trace)
{
    enum { ROUNDS = 3 };
    if (trace->loop == MODEL_NONE || trace->rules[trace->steps] == MODEL_NONE) return;
    uint32_t length = trace->steps + 1 - trace->loop;
    struct trace *longer = trace_new(t->model, trace->steps + 1 + ROUNDS * length);
    memcpy(longer->initial, trace->initial, t->model->vars.len * sizeof *trace->initial);
    for (uint32_t i = 0; i < longer->steps; i++)
        longer->rules[i] =
            trace->rules[i <= trace->steps ? i : trace->loop + (i - trace->loop) % length];
    bool dated = dating_find(t->model, longer, NULL);
    CHECK(t->unit, dated);
    CHECK(t->unit, !dated
                       || !trace_verify(t->model, longer, PROPERTY_INVARIANT,
                                        expr_bool(&t->model->exprs, false)));
    trace_free(t->model, longer);
}

static void check_temporal(struct test *t, const struct property_result *entry, bool expected)
{
    CHECK(t->unit, entry->verdict == (expected ? VERDICT_VIOLATED : VERDICT_HOLDS));
    if (!entry->trace) return;
    const char *wrong =
        trace_verify_temporal(t->model, entry->trace, entry->kind, entry->property->root);
    if (wrong) printf("%s: %s\n", entry->property->name, wrong);
    CHECK(t->unit, !wrong);
    check_rounds(t, entry->trace);
}

static void compare_temporal(struct test *t, struct regions *regions)
{
    struct model *model = t->model;
    uint32_t var = below(t, t->visible);
    int64_t value = below(t, (uint64_t)model->vars.data[var].high + 1);
    bool *set = avoid_for_ever(regions, var, value), never = false, rarely = false;
    for (uint32_t i = 0; i < regions->initial.len; i++) never |= set[regions->initial.data[i]];
    for (uint64_t i = 0; i < regions->all.count; i++) rarely |= set[i];
    formula atom = formula_atom(&model->formulas, equals(model, var, value), nowhere);
    formula eventually =
        formula_make(&model->formulas, &model->exprs, FORMULA_F, atom, atom, nowhere);
    formula again =
        formula_make(&model->formulas, &model->exprs, FORMULA_G, eventually, eventually, nowhere);
    model->properties.len = 0;
    vec_push(t->mem, &model->properties,
             ((struct model_property){
                 .name = "F", .kind = PROPERTY_LTL, .root = eventually, .text = "F"}));
    vec_push(
        t->mem, &model->properties,
        ((struct model_property){.name = "GF", .kind = PROPERTY_LTL, .root = again, .text = "GF"}));
    struct task task = {.model = model};
    struct result result;
    task.properties = result_list_properties(model, false, &task.property_count);
    timed_run(&task, NULL, &result);
    CHECK(t->unit, !result.broken);
    if (result.broken) printf("%s\n", result.broken);
    check_temporal(t, &task.properties[0], never);
    check_temporal(t, &task.properties[1], rarely);
    t->eventually += !never;
    t->again += !rarely;
    mem_free(t->mem, set);
    free_result(t, &result);
}

/* Some values that no reachable state has; false: all combinations are reached. */
static bool find_absent(const struct regions *regions, int64_t *values)
{
    const struct model *model = regions->model;
    const uint32_t visible = regions->t->visible;
    for (uint32_t v = 0; v < visible; v++) values[v] = 0;
    for (;;) {
        if (store_find(&regions->discrete, values,
                       store_hash(values, regions->discrete.record_bytes))
            == STORE_NONE)
            return true;
        uint32_t v = 0;
        while (v < visible && values[v] == model->vars.data[v].high) values[v++] = 0;
        if (v == visible) return false;
        values[v]++;
    }
}

static void count_rich(struct test *t)
{
    bool sets = false, rushes = false;
    for (uint32_t c = 0; c < t->model->clocks.len; c++)
        sets |= t->model->clocks.data[c].is_set_by_code;
    for (uint32_t r = 0; r < t->model->rules.len; r++)
        rushes |= t->model->rules.data[r].is_urgent && t->model->rules.data[r].guards;
    t->rich += t->is_rich;
    t->with_differences += has_differences(t->model);
    t->with_setters += sets;
    t->rushing += rushes;
}

/* ---- queries ---- */

static formula random_atom(struct test *t)
{
    struct model *model = t->model;
    if (chance(t, 15)) return formula_deadlock(&model->formulas, nowhere);
    if (model->clocks.len && chance(t, 60)) {
        const bool upper = chance(t, 50);
        struct clock_constraint constraint = random_constraint(t, upper);
        if (!t->differs && upper) constraint.y = MODEL_NONE; /* regions do not tell */
        if (!t->differs && !upper) constraint.x = MODEL_NONE;
        vec_push(t->mem, &model->constraints, constraint);
        return formula_clock(&model->formulas, model->constraints.len - 1, nowhere);
    }
    uint32_t var = below(t, t->visible);
    return formula_atom(&model->formulas,
                        equals(model, var, below(t, (uint64_t)model->vars.data[var].high + 1)),
                        nowhere);
}

static formula random_condition(struct test *t, unsigned depth)
{
    static const enum formula_op ops[] = {FORMULA_NOT, FORMULA_AND,     FORMULA_OR,
                                          FORMULA_OR,  FORMULA_IMPLIES, FORMULA_IFF};
    if (!depth || chance(t, 25)) return random_atom(t);
    formula a = random_condition(t, depth - 1), b = random_condition(t, depth - 1);
    return formula_make(&t->model->formulas, &t->model->exprs, ops[below(t, 6)], a, b, nowhere);
}

/* Per region: whether the condition has the value there. */
static bool *where(struct regions *regions, formula f, bool wanted)
{
    bool *set = mem_alloc(regions->t->mem, regions->all.count + 1), value;
    for (uint64_t i = 0; i < regions->all.count; i++) {
        load_record(regions, store_get(&regions->all, i));
        CHECK(regions->t->unit, timed_holds(&regions->state, f, &value));
        set[i] = value == wanted;
    }
    return set;
}

/* Of a set of regions, those from which a run stays in it: infinite, or it ends where no time can
 * pass any more in a stuck region, or where it passes for ever. */
static void stay_for_ever(struct regions *regions, bool *set)
{
    const uint64_t count = regions->all.count;
    bool *can = mem_alloc(regions->t->mem, count + 1),
         *ends = mem_alloc(regions->t->mem, count + 1);
    for (uint64_t i = 0; i < count; i++) {
        load_record(regions, store_get(&regions->all, i));
        const struct timed_window patience = timed_patience(&regions->state);
        ends[i] = patience.infinite || timed_is_stuck(&regions->state);
    }
    for (uint32_t i = 0; i < regions->edges.len; i++)
        if (!regions->edges.data[i].takes_rule) ends[regions->edges.data[i].from] = false;
    for (bool smaller = true; smaller;) {
        smaller = false;
        memcpy(can, ends, count);
        for (uint32_t i = 0; i < regions->edges.len; i++)
            can[regions->edges.data[i].from] |= set[regions->edges.data[i].to];
        for (uint64_t i = 0; i < count; i++) {
            smaller |= set[i] && !can[i];
            set[i] = set[i] && can[i];
        }
    }
    mem_free(regions->t->mem, can);
    mem_free(regions->t->mem, ends);
}

static bool is_in(const struct regions *regions, const bool *set, bool initially)
{
    bool found = false;
    for (uint32_t i = 0; initially && i < regions->initial.len; i++)
        found |= set[regions->initial.data[i]];
    for (uint64_t i = 0; !initially && i < regions->all.count; i++) found |= set[i];
    return found;
}

static bool expect_query(struct regions *regions, const struct model_query *query)
{
    const enum query_kind kind = query->kind;
    bool *set = where(regions, kind == QUERY_LEADS ? query->q : query->p,
                      kind == QUERY_SOMETIME || kind == QUERY_KEEPS);
    bool initially = kind == QUERY_KEEPS || kind == QUERY_MEETS;
    if (initially || kind == QUERY_LEADS) stay_for_ever(regions, set);
    if (kind == QUERY_LEADS) {
        bool *begun = where(regions, query->p, true);
        for (uint64_t i = 0; i < regions->all.count; i++) set[i] = set[i] && begun[i];
        mem_free(regions->t->mem, begun);
    }
    bool found = is_in(regions, set, initially);
    mem_free(regions->t->mem, set);
    return found == (kind == QUERY_SOMETIME || kind == QUERY_KEEPS);
}

static bool has_deadlock(const struct model *model, formula f)
{
    const struct formula_node *node = formula_get(&model->formulas, f);
    bool found = node->op == FORMULA_DEADLOCK;
    for (unsigned i = 0; i < formula_table[node->op].arity; i++)
        found |= has_deadlock(model, i ? node->b : node->a);
    return found;
}

static void check_query(struct test *t, struct regions *regions,
                        const struct property_result *entry)
{
    const struct model_query *query = &t->model->queries.data[entry->property->query];
    const bool expected = expect_query(regions, query);
    const enum verdict answer = result_answer(entry);
    CHECK(t->unit, answer == (expected ? VERDICT_HOLDS : VERDICT_VIOLATED));
    if (answer != (expected ? VERDICT_HOLDS : VERDICT_VIOLATED)) {
        struct text text;
        text_init(&text, t->mem);
        model_print_formula(t->model, &text, query->p);
        if (query->kind == QUERY_LEADS) text_add(&text, " --> ");
        if (query->kind == QUERY_LEADS) model_print_formula(t->model, &text, query->q);
        printf("%s %s: %s (%s)\n", query_kind_name[query->kind], text.data, verdict_name[answer],
               entry->reason ? entry->reason : "");
    }
    t->queries++;
    *(expected ? &t->held[query->kind] : &t->failed[query->kind]) += 1;
    if (entry->verdict != VERDICT_VIOLATED) return;
    if (!entry->trace) {
        t->without_run++;
        CHECK(t->unit, has_deadlock(t->model, query->p) || has_deadlock(t->model, query->q));
        return;
    }
    const char *wrong = entry->in_each_state
                            ? trace_verify(t->model, entry->trace, entry->kind, entry->invariant)
                            : witness_check(t->model, entry->trace, query);
    if (wrong) printf("%s: %s\n", query_kind_name[query->kind], wrong);
    CHECK(t->unit, !wrong);
    t->loops += entry->trace->loop != MODEL_NONE;
    trace_free(t->model, entry->trace);
}

/* What a region says of a term, in ends of its own; false: it is above all constants. */
static bool value_of(struct regions *regions, const struct query_term *term, struct extent_end *sup,
                     struct extent_end *inf)
{
    int64_t value, parts = regions->parts;
    *sup = *inf = (struct extent_end){.is_known = true};
    if (!term->is_clock) {
        CHECK(regions->t->unit,
              eval_expr(regions->model, term->value, regions->state.values, &value));
        sup->number = inf->number = value;
        return true;
    }
    value = regions->state.clocks[term->clock];
    sup->is_open = inf->is_open = value % parts != 0;
    sup->number = value / parts + sup->is_open;
    inf->number = value / parts;
    return value <= LARGEST * parts;
}

static bool is_same_end(const struct extent_end *a, const struct extent_end *b)
{
    if (!a->is_asked || !b->is_asked) return a->is_asked == b->is_asked;
    return a->is_known == b->is_known
           && (!a->is_known || a->is_infinite || b->is_infinite
                   ? a->is_infinite == b->is_infinite
                   : a->number == b->number && a->is_open == b->is_open);
}

static void check_term(struct test *t, struct regions *regions, const bool *set,
                       const struct query_term *term, const struct extent *got)
{
    struct extent_end sup = {.is_asked = got->sup.is_asked}, inf = {.is_asked = got->inf.is_asked},
                      low, high;
    bool is_above = false;
    for (uint64_t i = 0; i < regions->all.count; i++) {
        if (!set[i]) continue;
        load_record(regions, store_get(&regions->all, i));
        if (!value_of(regions, term, &high, &low)) {
            is_above = true;
            continue;
        }
        extent_raise(&sup, high);
        extent_lower(&inf, low);
    }
    if (!is_above || inf.is_known) CHECK(t->unit, is_same_end(&inf, &got->inf));
    else if (inf.is_asked) CHECK(t->unit, got->inf.is_known && got->inf.number >= LARGEST);
    if (!is_above) CHECK(t->unit, is_same_end(&sup, &got->sup));
    else if (sup.is_asked)
        CHECK(t->unit, got->sup.is_known && (got->sup.is_infinite || got->sup.number > LARGEST));
    t->infinite += got->sup.is_infinite;
}

static void check_values(struct test *t, struct regions *regions,
                         const struct property_result *entry)
{
    const struct model *model = t->model;
    const struct model_query *query = &model->queries.data[entry->property->query];
    t->unbounded += entry->verdict == VERDICT_UNKNOWN;
    if (entry->verdict == VERDICT_UNKNOWN) return;
    CHECK(t->unit, entry->verdict == VERDICT_HOLDS && entry->value_count == query->terms);
    bool *set = where(regions, query->p, true);
    for (uint32_t i = 0; i < query->terms; i++)
        check_term(t, regions, set, &model->query_terms.data[query->first_term + i],
                   &entry->values[i]);
    mem_free(t->mem, set);
    t->measured++;
}

/* E<> (p and y > bound, or y >= bound) by the other way of asking. */
static bool exceeds(struct test *t, formula p, uint32_t clock, int64_t bound, bool strictly)
{
    struct model *model = t->model;
    struct clock_constraint above = {.x = MODEL_NONE, .y = clock};
    above.bound = -bound;
    above.strict = strictly;
    model->properties.len = 0;
    vec_push(t->mem, &model->constraints, above);
    formula atom = formula_clock(&model->formulas, model->constraints.len - 1, nowhere);
    struct model_query query = {.kind = QUERY_SOMETIME};
    query.p = query.q =
        formula_make(&model->formulas, &model->exprs, FORMULA_AND, p, atom, nowhere);
    model_add_query(model, query, NULL, "exceeds", nowhere);
    struct task task = {.model = model};
    struct result result;
    task.properties = result_list_properties(model, false, &task.property_count);
    timed_run(&task, NULL, &result);
    CHECK(t->unit, task.properties[0].verdict != VERDICT_UNKNOWN);
    const bool found = task.properties[0].verdict == VERDICT_VIOLATED;
    mem_free(t->mem, task.properties);
    free_result(t, &result);
    return found;
}

/* What was said of clocks, asked again: the properties of the model are replaced. */
static void check_again(struct test *t, formula p, uint32_t clock, const struct extent *extent)
{
    enum { FAR = 70 };
    const struct extent_end sup = extent->sup;
    if (!sup.is_asked || !sup.is_known) return;
    if (sup.is_infinite) {
        CHECK(t->unit, exceeds(t, p, clock, FAR, true));
        return;
    }
    CHECK(t->unit, !exceeds(t, p, clock, sup.number, !sup.is_open));
    CHECK(t->unit, sup.is_open ? !sup.number || exceeds(t, p, clock, sup.number - 1, true)
                               : exceeds(t, p, clock, sup.number, false));
    t->large += sup.number > LARGEST;
}

static void add_measure(struct test *t, enum query_kind kind)
{
    struct model *model = t->model;
    const uint32_t var = below(t, t->visible);
    struct query_term terms[2] = {
        {.value = expr_var_in(&model->exprs, var, 0, model->vars.data[var].high), .text = "v"},
        {.is_clock = true, .text = "c"}};
    struct model_query query = {.kind = kind, .terms = model->clocks.len ? 2 : 1};
    if (model->clocks.len) terms[1].clock = below(t, model->clocks.len);
    query.p = query.q = random_condition(t, below(t, 3));
    model_add_query(model, query, terms, "measure", nowhere);
}

static void compare_queries(struct test *t, struct regions *regions)
{
    enum { QUERIES = 10 };
    struct model *model = t->model;
    model->properties.len = 0;
    for (unsigned i = 0; i < QUERIES; i++) {
        struct model_query query = {.kind = i % 5, .p = random_condition(t, below(t, 4))};
        query.q = query.kind == QUERY_LEADS ? random_condition(t, below(t, 4)) : query.p;
        model_add_query(model, query, NULL, "query", nowhere);
    }
    for (unsigned kind = QUERY_SUP; kind <= QUERY_BOUNDS; kind++) add_measure(t, kind);
    uint32_t model_queries[QUERIES + 4] = {0}; /* properties are replaced below */
    for (uint32_t i = 0; i < model->properties.len; i++)
        model_queries[i] = model->properties.data[i].query;
    struct task task = {.model = model,
                        .zones = (enum zone_storage)below(t, 3),
                        .reduction = chance(t, 50) ? REDUCE_POR : REDUCE_NONE};
    struct result result;
    task.properties = result_list_properties(model, false, &task.property_count);
    timed_run(&task, NULL, &result);
    CHECK(t->unit, !result.broken);
    if (result.broken) printf("%s\n", result.broken);
    for (uint32_t i = 0; i < task.property_count; i++)
        if (task.properties[i].kind == PROPERTY_QUERY) {
            const uint32_t query = task.properties[i].property->query;
            if (model->queries.data[query].kind < QUERY_SUP)
                check_query(t, regions, &task.properties[i]);
            else check_values(t, regions, &task.properties[i]);
        }
    for (uint32_t i = 0; i < task.property_count; i++) {
        const struct property_result *entry = &task.properties[i];
        if (entry->kind != PROPERTY_QUERY || entry->value_count < 2) continue;
        const struct model_query query = model->queries.data[model_queries[i]];
        check_again(t, query.p, model->query_terms.data[query.first_term + 1].clock,
                    &entry->values[1]);
    }
    mem_free(t->mem, task.properties);
    free_result(t, &result);
}

static void compare(struct test *t)
{
    struct regions regions;
    int64_t absent[16];
    make_model(t);
    search_regions(&regions, t);
    if (regions.too_many || !regions.discrete.count) {
        t->skipped++;
        release_regions(&regions);
        return;
    }
    if (t->only_hasty) {
        for (unsigned i = 0; i < 4; i++) compare_reduced(t, &regions, i);
        release_regions(&regions);
        return;
    }
    t->compared++;
    count_sharing(t);
    count_rich(t);
    t->with_priorities += t->model->priorities.len != 0;
    t->dead += regions.dead;
    t->failing += regions.failing;
    for (unsigned s = 0; s <= ZONES_EQUAL; s++) compare_states(t, &regions, (enum zone_storage)s);
    uint32_t target = below(t, regions.discrete.count);
    add_property(t, "reachable", store_get(&regions.discrete, target));
    bool has_absent = find_absent(&regions, absent);
    if (has_absent) add_property(t, "absent", absent);
    t->hasty += t->is_hasty;
    for (unsigned s = 0; s <= ZONES_EQUAL; s++) /* with deadlocks none stands by simulation */
        compare_properties(t, &regions, (enum zone_storage)s, regions.levels[target], has_absent,
                           s != ZONES_BY_SIMULATION || chance(t, 20));
    for (unsigned i = 0; i < 4; i++) compare_reduced(t, &regions, i);
    compare_temporal(t, &regions);
    compare_queries(t, &regions);
    release_regions(&regions);
}

/* ---- models that are understood ---- */

enum { FOREVER = -1 };

static void begin_model(struct test *t, uint32_t processes, uint32_t clocks)
{
    struct model *model = t->model = model_new(t->mem, "known");
    static const char *const clock_names[] = {"x", "y", "z", "w"};
    for (uint32_t c = 0; c < clocks; c++)
        vec_push(t->mem, &model->clocks, ((struct model_clock){.name = clock_names[c]}));
    for (uint32_t p = 0; p < processes; p++) {
        struct model_var var = {.name = names[p], .process = p, .high = 3};
        struct model_process process = {.name = names[p],
                                        .type = "t",
                                        .location = p,
                                        .first_location = model->locations.len,
                                        .locations = 4};
        vec_push(t->mem, &model->vars, var);
        vec_push(t->mem, &model->processes, process);
        for (int64_t l = 0; l < 4; l++)
            vec_push(t->mem, &model->locations, ((struct model_location){.value = l}));
    }
}

/* A rule that moves a process; more can be said of it until the next one begins. */
static void move(struct test *t, uint32_t process, int64_t from, int64_t to)
{
    model_begin_rule(t->model, names[t->model->rules.len % NAMES]);
    model_add_part(t->model, process, nowhere);
    model_add_conjunct(t->model, equals(t->model, process, from), nowhere);
    if (from != to) model_add_store(t->model, process, expr_int(&t->model->exprs, to), nowhere);
}

static void only_when(struct test *t, uint32_t process, int64_t location)
{
    model_add_conjunct(t->model, equals(t->model, process, location), nowhere);
}

static void within(struct test *t, int64_t low, int64_t high)
{
    vec_push(t->mem, &t->model->intervals,
             ((struct model_interval){
                 .low = low, .high = high == FOREVER ? 0 : high, .infinite = high == FOREVER}));
    t->model->rules.data[t->model->rules.len - 1].interval = t->model->intervals.len - 1;
}

static void not_at_ends(struct test *t)
{
    struct model_interval *interval = &t->model->intervals.data[t->model->intervals.len - 1];
    interval->low_open = interval->high_open = true;
}

static void guard_at_most(struct test *t, uint32_t clock, int64_t bound)
{
    model_add_clock_guard(t->model, at_most(clock, bound, false));
}

static void guard_at_least(struct test *t, uint32_t clock, int64_t bound)
{
    model_add_clock_guard(t->model, at_least(clock, bound, false));
}

/* x - y <= bound */
static void guard_apart(struct test *t, uint32_t x, uint32_t y, int64_t bound)
{
    model_add_clock_guard(t->model, (struct clock_constraint){.x = x, .y = y, .bound = bound});
}

static void guard_at(struct test *t, uint32_t clock, int64_t value)
{
    guard_at_most(t, clock, value), guard_at_least(t, clock, value);
}

static void set_clock(struct test *t, uint32_t clock, int64_t value)
{
    model_add_reset(t->model, (struct clock_reset){clock, value});
}

static void at_once(struct test *t)
{
    t->model->rules.data[t->model->rules.len - 1].is_urgent = true;
}

static void stay_at_most(struct test *t, uint32_t process, uint32_t location, uint32_t clock,
                         int64_t bound)
{
    struct model *model = t->model;
    struct model_location *place =
        &model->locations.data[model->processes.data[process].first_location + location];
    place->first_invariant = model->constraints.len;
    place->invariants = 1;
    vec_push(t->mem, &model->constraints, at_most(clock, bound, false));
}

/* Class 1 is above class 0. */
static void of_class(struct test *t, uint32_t priority_class)
{
    if (!t->model->class_count)
        vec_push(t->mem, &t->model->priorities, ((struct model_priority){1, 0}));
    t->model->class_count = 2;
    model_add_class(t->model, priority_class);
}

/* Searches for a state in which the process is at the location. The trace is the caller's; NULL: it
 * is not reached. */
static struct trace *reach(struct test *t, uint32_t process, int64_t location,
                           struct property_result *deadlock)
{
    struct model *model = t->model;
    struct task task = {.model = model};
    struct result result;
    expr goal = equals(model, process, location);
    formula root =
        formula_atom(&model->formulas, expr_make(&model->exprs, EXPR_NOT, 0, goal, goal), nowhere);
    vec_push(t->mem, &model->properties,
             ((struct model_property){
                 .name = "never", .kind = PROPERTY_INVARIANT, .root = root, .text = "never"}));
    model_finish(model);
    task.properties = result_list_properties(model, deadlock != NULL, &task.property_count);
    timed_run(&task, NULL, &result);
    CHECK(t->unit, !result.broken);
    for (uint32_t i = 0; i < task.property_count; i++)
        if (task.properties[i].trace)
            CHECK(t->unit, !trace_verify(model, task.properties[i].trace, task.properties[i].kind,
                                         task.properties[i].invariant));
    if (deadlock) *deadlock = task.properties[1];
    return task.properties[0].trace;
}

static bool has_delays(const struct trace *trace, uint32_t count, const int64_t *parts,
                       int64_t denominator)
{
    bool good = trace && trace->steps + 1 == count && trace->denominator == denominator;
    for (uint32_t i = 0; good && i < count; i++) good = trace->delays[i] == parts[i];
    return good;
}

/* Delays are the shortest that the intervals allow. */
static void test_delays(struct test *t)
{
    begin_model(t, 2, 0);
    move(t, 0, 0, 1), within(t, 2, 3);
    move(t, 0, 1, 2), within(t, 1, 1);
    CHECK(t->unit, has_delays(reach(t, 0, 2, NULL), 3, (int64_t[]){2, 1, 0}, 1));
    begin_model(t, 2, 0);
    move(t, 0, 0, 1), within(t, 2, 4), not_at_ends(t);
    move(t, 1, 0, 1), within(t, 3, 5);
    CHECK(t->unit,
          has_delays(reach(t, 0, 1, NULL), 2, (int64_t[]){5, 0}, 2)); /* 2.5: more than 2 */
    begin_model(t, 2, 0); /* the second process must not miss its end: its own step comes first */
    move(t, 0, 0, 1), within(t, 6, 9);
    move(t, 1, 0, 1), within(t, 2, 3);
    CHECK(t->unit, has_delays(reach(t, 0, 1, NULL), 3, (int64_t[]){2, 4, 0}, 1));
    begin_model(t, 1,
                1); /* nine times two and a bit must fit below 19: more than halves are needed */
    t->model->vars.data[0].high = 20;
    for (int64_t i = 0; i < 9; i++) move(t, 0, i, i + 1), within(t, 2, 3), not_at_ends(t);
    move(t, 0, 9, 10), guard_at_most(t, 0, 19);
    const struct trace *trace = reach(t, 0, 10, NULL);
    CHECK(t->unit, trace && trace->denominator == 9);
}

/* A rule of the higher class holds another back only while it can be taken; and whether it can is
 * asked of zones: bounds for both directions. */
static void test_holding_back(struct test *t)
{
    begin_model(
        t, 3,
        0); /* the holder's timer is 4 when process 1 gets to 1: the low rule is never taken */
    move(t, 0, 0, 1), within(t, 3, FOREVER), of_class(t, 1);
    move(t, 1, 0, 1), within(t, 4, 4);
    move(t, 2, 0, 1), only_when(t, 0, 0), only_when(t, 1, 1), of_class(t, 0);
    CHECK(t->unit, !reach(t, 2, 1, NULL));
    begin_model(t, 3, 0); /* with 2 instead it is, before 3 */
    move(t, 0, 0, 1), within(t, 3, FOREVER), of_class(t, 1);
    move(t, 1, 0, 1), within(t, 2, 2);
    move(t, 2, 0, 1), within(t, 0, FOREVER), only_when(t, 0, 0), only_when(t, 1, 1), of_class(t, 0);
    CHECK(t->unit, has_delays(reach(t, 2, 1, NULL), 3, (int64_t[]){2, 0, 0}, 1));
    for (unsigned later = 0; later < 2; later++) {
        begin_model(t, 3, 1); /* the holder has a guard x >= 3 */
        move(t, 0, 0, 1), guard_at_least(t, 0, 3), of_class(t, 1);
        move(t, 1, 0, 1), within(t, later ? 4 : 2, later ? 4 : 2);
        move(t, 2, 0, 1), only_when(t, 0, 0), only_when(t, 1, 1), of_class(t, 0);
        CHECK(t->unit, (reach(t, 2, 1, NULL) != NULL) == !later);
        begin_model(t, 3, 1); /* x <= 3 */
        move(t, 0, 0, 1), guard_at_most(t, 0, 3), of_class(t, 1);
        move(t, 1, 0, 1), within(t, later ? 4 : 0, later ? 4 : 2);
        move(t, 2, 0, 1), within(t, 0, 1), only_when(t, 0, 0), only_when(t, 1, 1), of_class(t, 0);
        CHECK(t->unit, (reach(t, 2, 1, NULL) != NULL) == later);
        begin_model(t, 3, 1); /* it leads to a location with x <= 3 */
        move(t, 0, 0, 1), of_class(t, 1);
        stay_at_most(t, 0, 1, 0, 3);
        move(t, 1, 0, 1), within(t, later ? 4 : 0, later ? 4 : 2);
        move(t, 2, 0, 1), within(t, 0, 1), only_when(t, 0, 0), only_when(t, 1, 1), of_class(t, 0);
        CHECK(t->unit, (reach(t, 2, 1, NULL) != NULL) == later);
    }
}

/* The effect of a rule cannot be computed at first, and then process 1 makes it possible: the
 * rule's timer and its deadline do not wait for that. */
static void test_failing(struct test *t)
{
    for (unsigned late = 0; late < 2; late++) {
        struct property_result deadlock;
        begin_model(t, 3, 0);
        move(t, 0, 0, 1), within(t, 4, 4);
        move(t, 0, 0, 2), within(t, late ? 1 : 3, late ? 1 : 3);
        expr divisor = expr_var_in(&t->model->exprs, 1, 0, 3);
        model_add_store(
            t->model, 2,
            expr_make(&t->model->exprs, EXPR_DIV, 2, expr_int(&t->model->exprs, 2), divisor),
            nowhere);
        move(t, 1, 0, 1), within(t, 2, 2);
        const struct trace *trace = reach(t, 0, 2, &deadlock);
        if (late)
            CHECK(t->unit, !trace
                               && has_delays(deadlock.trace, 1, (int64_t[]){0},
                                             1)); /* no step is possible before it must fail */
        else CHECK(t->unit, has_delays(trace, 3, (int64_t[]){2, 1, 0}, 1));
    }
}

/* Gives the last rule code. */
static void with_code(struct test *t, const struct code_sequence *body)
{
    t->model->rules.data[t->model->rules.len - 1].body = body->first;
}

/* Paths of one transition whose code decides when they are possible: the timers must not be one. */
static void test_code_decides(struct test *t)
{
    struct property_result deadlock;
    begin_model(t, 3, 0); /* what a condition reads was assigned before: one path is possible until
                             2, the other one from then on, too late */
    for (int64_t path = 0; path < 2; path++) {
        struct code_sequence body = code_sequence_empty();
        move(t, 0, 0, 1 + path), within(t, 3, 3);
        add_statement(t, &body, CODE_SET, 2,
                      expr_to_int(&t->model->exprs, equals(t->model, 1, path)));
        add_statement(t, &body, CODE_REQUIRE, 0, equals(t->model, 2, 1));
        with_code(t, &body);
    }
    move(t, 0, 0, 3), within(t, 4, 4);
    move(t, 1, 0, 1), within(t, 2, 2);
    CHECK(t->unit, !reach(t, 0, 2, &deadlock));
    begin_model(t, 3, 0); /* until 2 one path fails, so that its timer runs, and the other one is
                             not possible: it comes too late */
    for (int64_t path = 0; path < 2; path++) {
        struct code_sequence body = code_sequence_empty();
        expr two = expr_int(&t->model->exprs, 2), divisor = expr_var_in(&t->model->exprs, 1, 0, 3);
        move(t, 0, 0, 1 + path), within(t, path ? 3 : 4, path ? 3 : 4);
        if (!path)
            add_statement(t, &body, CODE_SET, 2,
                          expr_make(&t->model->exprs, EXPR_DIV, 2, two, divisor));
        add_statement(t, &body, CODE_REQUIRE, 0, equals(t->model, 1, 1));
        with_code(t, &body);
    }
    move(t, 1, 0, 1), within(t, 2, 2);
    CHECK(t->unit, !reach(t, 0, 2, &deadlock));
}

/* Getting stuck by waiting, and where no time passes. */
static void test_stuck(struct test *t)
{
    struct property_result deadlock;
    begin_model(t, 1, 1); /* until 2 there is a way on */
    move(t, 0, 0, 0), guard_at_most(t, 0, 2);
    model_add_reset(t->model, (struct clock_reset){0});
    CHECK(t->unit, !reach(t, 0, 1, &deadlock));
    CHECK(t->unit, has_delays(deadlock.trace, 1, (int64_t[]){5}, 2));
    begin_model(t, 1, 1); /* the same, but one must not wait */
    move(t, 0, 0, 0), guard_at_most(t, 0, 2);
    model_add_reset(t->model, (struct clock_reset){0});
    stay_at_most(t, 0, 0, 0, 2);
    CHECK(t->unit, !reach(t, 0, 1, &deadlock) && deadlock.verdict == VERDICT_HOLDS);
    begin_model(t, 1, 1); /* it is late when time must stop */
    move(t, 0, 0, 1), guard_at_least(t, 0, 5);
    stay_at_most(t, 0, 0, 0, 3);
    CHECK(t->unit, !reach(t, 0, 1, &deadlock) && has_delays(deadlock.trace, 1, (int64_t[]){0}, 1));
    begin_model(t, 2, 1); /* an urgent rule stops time before its guard is true */
    move(t, 0, 0, 1), within(t, 0, 0), guard_at_least(t, 0, 5);
    move(t, 1, 0, 1), guard_at_least(t, 0, 5);
    CHECK(t->unit, !reach(t, 0, 1, &deadlock) && has_delays(deadlock.trace, 1, (int64_t[]){0}, 1));
    begin_model(t, 1, 1); /* the same for some who come there */
    move(t, 0, 0, 1), move(t, 0, 1, 2), within(t, 0, 0), guard_at_least(t, 0, 5);
    move(t, 0, 2, 2);
    CHECK(t->unit,
          !reach(t, 0, 3, &deadlock) && has_delays(deadlock.trace, 2, (int64_t[]){0, 0}, 1));
    begin_model(t, 2, 0); /* timers alone: stuck where nothing is enabled */
    move(t, 0, 0, 1), within(t, 2, 3);
    CHECK(t->unit,
          !reach(t, 0, 2, &deadlock) && has_delays(deadlock.trace, 2, (int64_t[]){2, 0}, 1));
}

/* Clocks that are compared with each other, and what zones must not forget of them. */
static void test_differences(struct test *t)
{
    begin_model(t, 1, 2); /* x is more than 3 when y is set to 3 */
    move(t, 0, 0, 1), guard_at_least(t, 0, 4);
    move(t, 0, 1, 2), set_clock(t, 1, 3);
    move(t, 0, 2, 3), guard_apart(t, 0, 1, 0);
    CHECK(t->unit, !reach(t, 0, 3, NULL));
    begin_model(t, 1, 2); /* it is 3 */
    move(t, 0, 0, 1), guard_at_least(t, 0, 3);
    move(t, 0, 1, 2), set_clock(t, 1, 3);
    move(t, 0, 2, 3), guard_apart(t, 0, 1, 0);
    CHECK(t->unit, has_delays(reach(t, 0, 3, NULL), 4, (int64_t[]){3, 0, 0, 0}, 1));
    for (unsigned is_possible = 0; is_possible < 2; is_possible++) {
        /* After Bouyer (2003): however often the loop is gone round, y - x = w - z + 2 at the end,
         * with z and w as large as one likes. Extrapolation alone forgets that. */
        begin_model(t, 2, 4);
        move(t, 0, 0, 1), guard_at_most(t, 2, 3), set_clock(t, 0, 0), set_clock(t, 2, 0);
        move(t, 0, 1, 2), guard_at(t, 1, 3), set_clock(t, 1, 0);
        move(t, 0, 2, 3), guard_at(t, 0, 2), set_clock(t, 0, 0);
        move(t, 0, 3, 2), guard_at(t, 1, 2), set_clock(t, 1, 0);
        move(t, 1, 0, 1), only_when(t, 0, 3), guard_at(t, 0, 3), set_clock(t, 0, 0);
        move(t, 1, 1, 2), guard_apart(t, 0, 1, -5); /* y - x >= 5 */
        if (is_possible) guard_apart(t, 3, 2, 3);
        else guard_apart(t, 3, 2, 2);
        CHECK(t->unit, (reach(t, 1, 2, NULL) != NULL) == is_possible);
    }
}

/* No time passes beyond the moment at which the guards of an urgent rule begin to hold. */
static void test_urgent(struct test *t)
{
    struct property_result deadlock;
    begin_model(t, 1, 2); /* it is too late for it already: so no time passes */
    move(t, 0, 0, 1), guard_at_least(t, 0, 5);
    move(t, 0, 1, 2), set_clock(t, 1, 0);
    move(t, 0, 2, 2), guard_at_least(t, 0, 3), at_once(t);
    move(t, 0, 2, 3), guard_at_least(t, 1, 1);
    CHECK(t->unit, !reach(t, 0, 3, NULL));
    begin_model(t, 1, 1); /* until 3, then not any more */
    move(t, 0, 0, 1), guard_at_least(t, 0, 3), at_once(t);
    move(t, 0, 0, 2), guard_at_least(t, 0, 4);
    CHECK(t->unit, !reach(t, 0, 2, NULL));
    begin_model(t, 1, 1); /* at 3 it is possible */
    move(t, 0, 0, 1), guard_at_least(t, 0, 3), at_once(t);
    move(t, 0, 0, 2), guard_at_least(t, 0, 3);
    CHECK(t->unit, has_delays(reach(t, 0, 2, NULL), 2, (int64_t[]){3, 0}, 1));
    begin_model(t, 1, 2); /* once y is beyond 1, the urgent rule does not matter */
    move(t, 0, 0, 1), guard_at_least(t, 0, 3), guard_at_most(t, 1, 1), at_once(t);
    move(t, 0, 0, 0), guard_at_most(t, 0, 0), set_clock(t, 1, 0);
    move(t, 0, 0, 2), guard_at_least(t, 0, 4);
    CHECK(t->unit, has_delays(reach(t, 0, 2, NULL), 2, (int64_t[]){4, 0}, 1));
    begin_model(t, 1, 1); /* no time passes at 2, where the guard does not hold yet */
    move(t, 0, 0, 1), at_once(t);
    model_add_clock_guard(t->model, at_least(0, 2, true));
    CHECK(t->unit, !reach(t, 0, 1, &deadlock) && has_delays(deadlock.trace, 1, (int64_t[]){0}, 1));
    begin_model(t, 1, 1); /* in an urgent location no time passes */
    move(t, 0, 0, 1), guard_at_least(t, 0, 1);
    t->model->locations.data[0].is_urgent = true;
    CHECK(t->unit, !reach(t, 0, 1, &deadlock) && deadlock.verdict == VERDICT_VIOLATED);
    begin_model(t, 1, 0); /* nor without any clock */
    move(t, 0, 0, 1), within(t, 1, 2);
    t->model->locations.data[0].is_urgent = true;
    CHECK(t->unit, !reach(t, 0, 1, &deadlock) && deadlock.verdict == VERDICT_VIOLATED);
    begin_model(t, 1, 1); /* a clock that begins with 2 */
    t->model->clocks.data[0].init = 2;
    move(t, 0, 0, 1), guard_at(t, 0, 5);
    CHECK(t->unit, has_delays(reach(t, 0, 1, NULL), 2, (int64_t[]){3, 0}, 1));
}

static void test_known(struct test *t)
{
    test_differences(t);
    test_urgent(t);
    test_delays(t);
    test_holding_back(t);
    test_failing(t);
    test_code_decides(t);
    test_stuck(t);
}

int main(int argc, char **argv)
{
    struct unit unit = {0};
    struct mem mem;
    jmp_buf recover;
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
             models = argc > 2 ? strtoull(argv[2], NULL, 10) : MODELS;
    struct test t = {.unit = &unit, .mem = &mem};
    mem_init(&mem);
    mem.recover = &recover;
    if (setjmp(recover)) return puts("out of memory"), 1;
    test_known(&t);
    mem_release(&mem);
    for (volatile uint64_t i = 0; i < models + HASTY; i++) {
        const uint64_t seed = first + i;
        unsigned failed = unit.failed;
        mem_init(&mem);
        mem.recover = &recover;
        if (setjmp(recover)) return puts("out of memory"), 1;
        t.random.state = seed;
        t.only_hasty = i >= models;
        compare(&t);
        if (unit.failed > failed) printf("seed %llu\n", (unsigned long long)seed);
        mem_release(&mem);
    }
    printf(
        "%u models (%u with priorities, %u get stuck, %u fail; F p holds in %u, GF p in %u), %u "
        "traces with fractions, %u models share timers (%u with conditions in code), %u have "
        "too many regions; %u with all of timed automata (%u compare clocks, %u set them by code, "
        "%u have urgent rules with clock guards)\n",
        t.compared, t.with_priorities, t.dead, t.failing, t.eventually, t.again, t.open_dates,
        t.sharing, t.deciding, t.skipped, t.rich, t.with_differences, t.with_setters, t.rushing);
    printf("%u models with many urgent locations, %u searches that reduction makes smaller\n",
           t.hasty, t.reduced);
    printf(
        "%u queries, %u runs that repeat, %u verdicts without a run; values of %u (%u infinite), "
        "%u larger than constants, %u unknown\n",
        t.queries, t.loops, t.without_run, t.measured, t.infinite, t.large, t.unbounded);
    if (argc == 1 && IS_WHOLE) {
        for (unsigned i = QUERY_ALWAYS; i <= QUERY_LEADS; i++)
            CHECK(&unit, t.held[i] > 100 && t.failed[i] > 100);
        CHECK(&unit,
              t.measured > 1000 && t.infinite > 50 && t.large > 3 && t.unbounded < t.measured / 50);
        CHECK(&unit, t.hasty > 200 && t.reduced > 40);
        CHECK(&unit, t.loops > 100 && t.without_run < t.queries / 50);
        CHECK(&unit, t.compared > MODELS * 2 / 3 && t.with_priorities > 50 && t.dead > 50
                         && t.failing > 10 && t.open_dates > 10 && t.eventually > 25
                         && t.again > 10);
        CHECK(&unit, t.sharing > 50 && t.deciding > 10);
        CHECK(&unit,
              t.rich > 250 && t.with_differences > 60 && t.with_setters > 60 && t.rushing > 100);
    }
    return unit_finish(&unit);
}
