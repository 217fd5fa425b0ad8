/* The method. In a state s with valuation v, in which no time can pass, a set S of rules is closed
 * when
 *
 *   S1  of an enabled rule in S, all rules that are not independent of it are in S;
 *   S2  of a rule in S that is not enabled (clocks aside), all rules are in S one of which must be
 *       taken before it is: those that write a variable whose value forbids it, or, where no such
 *       variable is found, one of the variables that it reads;
 *   S3  no time passes before a rule in S is taken: S has all rules that may move a process that
 *       stands in an urgent location, or an enabled rule that is urgent by itself (and then, by S1,
 *       all that could disable it);
 *   S4  some rule in S can be taken at once, in every valuation at hand.
 *
 * Two rules are independent when no process takes part in both, and neither writes what the other
 * reads or writes. Clocks are variables here: a rule writes those that it sets, and reads those of
 * its guards; and a rule that moves a process, or writes something that is in invariants of one,
 * reads all that is in the invariants of that process. (Committed locations are conditions on
 * locations, as every language here says them; so a rule that ends a committed phase is not
 * independent of those that wait for that, but these are forbidden by a variable that S knows of.)
 * While no time passes, independent rules can be taken in either order, lead to the same state and
 * the same valuation, and neither enables nor disables the other.
 *
 * Then the enabled rules of S are enough. Let w be a run from (s, v), as long as it has no step of
 * S it lets no time pass (S3), and by S1 its steps are independent of every enabled rule of S.
 *  - If w has a step of S, let t be the first: it was enabled in s, clocks included (S2; S1 for
 *    what clocks forbid), and w with t taken first leads to the same state. What is left to do
 *    is shorter by one step.
 *  - If it has none, take the rule t of S4: after t all of w is possible, and leads to the state
 *    after w and t. So w does not end in a deadlock, for t is still possible there.
 * So every deadlock is reached. The same is true of states that differ in what is asked, and of
 * rules that fail, if t does not change what is asked (V), and if the second case does not come
 * for ever:
 *
 *   V   no enabled rule of S writes a variable, or sets a clock, that what is asked reads;
 *   I   no endless run consists of steps of such sets alone.
 *
 * For I, some rules never are in a set that is not all (`alone` is false), such that every circle
 * of steps has one of them. A circle brings each process back to its location; so the steps of a
 * process form closed walks in its graph of locations. A rule one of whose moves lies on no closed
 * walk, in the graph of the rules that are left, is in no circle and is taken away, and so on;
 * when none can be taken away, rules that move a process out of a location that is not urgent are
 * not taken alone (or, where there are none, the first one that is left), and it goes on without
 * them. It depends on the rules alone: so the same set belongs to a state in every order of search
 * and with several threads, and a zone that stands for another one (by inclusion or simulation)
 * needs no care: its points can do what the others can, in as many steps.
 *
 * Timers. A timer starts when its rule becomes enabled, which depends on states in between: so a
 * rule that writes what a rule with a timer reads is not taken alone, unless it moves one of that
 * rule's processes: then the timer starts again, or is not there, in either order.
 *
 * Rules with timers are not taken alone, either. Models with priorities, with guides that are
 * filters, and with more than MOST_RULES rules are not reduced.
 *
 * Invariants: (1) of a set that is being closed, every chosen rule is in the queue once; (2) an
 * enabled rule that is chosen may be taken alone. */
#include "reduce/stubborn.h"

#include "reduce/process_model.h"

#include <assert.h>
#include <string.h>

enum { MOST_RULES = 8192 };

static bool has(const uint64_t *set, uint32_t i) { return set[i / 64] >> i % 64 & 1; }
static void put(uint64_t *set, uint32_t i) { set[i / 64] |= UINT64_C(1) << i % 64; }
static bool meet(const uint64_t *a, const uint64_t *b, uint32_t words)
{
    for (uint32_t w = 0; w < words; w++)
        if (a[w] & b[w]) return true;
    return false;
}

/* ---- what rules read and write ---- */

struct builder {
    struct stubborn *stubborn;
    struct model *model;
    struct mem *mem;
    uint32_t items;
    uint64_t *reads, *writes; /* per rule, a set of items of `item_words` */
    uint32_t item_words;
    uint64_t *invariants; /* per process, the same: what its invariants read */
    uint64_t *at_hand;    /* where collect_item puts */
};

static uint64_t *of_rule(const struct builder *b, uint64_t *sets, uint32_t rule)
{
    return sets + (size_t)rule * b->item_words;
}

static void collect_item(void *context, uint32_t var)
{
    const struct builder *b = context;
    put(b->at_hand, var);
}

static void read_constraints(struct builder *b, uint32_t first, uint32_t count, uint64_t *into)
{
    struct model *model = b->model;
    b->at_hand = into;
    for (uint32_t i = 0; i < count; i++) {
        const struct clock_constraint *constraint = &model->constraints.data[first + i];
        if (constraint->x != MODEL_NONE) put(into, model->vars.len + constraint->x);
        if (constraint->y != MODEL_NONE) put(into, model->vars.len + constraint->y);
        if (constraint->is_conditional)
            expr_each_var(&model->exprs, constraint->when, collect_item, b);
        if (constraint->varies) expr_each_var(&model->exprs, constraint->value, collect_item, b);
    }
}

static uint64_t *of_process(const struct builder *b, uint32_t process)
{
    return b->invariants + (size_t)process * b->item_words;
}

static void read_invariants(struct builder *b, uint32_t process)
{
    const struct model_process *of = &b->model->processes.data[process];
    for (uint32_t l = 0; l < of->locations; l++) {
        const struct model_location *location = &b->model->locations.data[of->first_location + l];
        read_constraints(b, location->first_invariant, location->invariants,
                         of_process(b, process));
    }
}

static void touch(struct builder *b, uint32_t r)
{
    const struct model *model = b->model;
    const struct model_rule *rule = &model->rules.data[r];
    uint64_t *reads = of_rule(b, b->reads, r), *writes = of_rule(b, b->writes, r);
    for (uint32_t i = 0; i < rule->reads; i++)
        put(reads, model->accesses.data[rule->first_read + i]);
    for (uint32_t i = 0; i < rule->writes; i++)
        put(writes, model->accesses.data[rule->first_write + i]);
    read_constraints(b, rule->first_guard, rule->guards, reads);
    for (uint32_t i = 0; i < rule->resets; i++)
        put(writes, model->vars.len + model->resets.data[rule->first_reset + i].clock);
    for (uint32_t c = 0; c < model->clocks.len; c++)
        if (model->clocks.data[c].is_set_by_code && has(writes, model->clocks.data[c].setter))
            put(writes, model->vars.len + c);
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const uint32_t location = model->processes.data[p].location;
        const uint64_t *invariants = of_process(b, p);
        if (!(location != MODEL_NONE && has(writes, location))
            && !meet(writes, invariants, b->item_words))
            continue;
        for (uint32_t w = 0; w < b->item_words; w++) reads[w] |= invariants[w];
    }
}

/* ---- who depends on whom ---- */

static void relate(struct stubborn *stubborn, uint32_t a, uint32_t b)
{
    put(stubborn->dependent + (size_t)a * stubborn->set_words, b);
    put(stubborn->dependent + (size_t)b * stubborn->set_words, a);
}

/* Rules with the item in one of their sets, into the list; how many. */
static uint32_t list_rules(const struct builder *b, uint64_t *sets, uint32_t item, uint32_t *list)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < b->model->rules.len; r++)
        if (has(of_rule(b, sets, r), item)) list[count++] = r;
    return count;
}

static void find_dependent(struct builder *b)
{
    const struct model *model = b->model;
    const uint64_t rules = model->rules.len + UINT64_C(1);
    uint32_t *readers = mem_alloc(b->mem, rules * sizeof *readers),
             *writers = mem_alloc(b->mem, rules * sizeof *writers);
    for (uint32_t item = 0; item < b->items; item++) {
        const uint32_t writing = list_rules(b, b->writes, item, writers);
        const uint32_t reading = writing ? list_rules(b, b->reads, item, readers) : 0;
        for (uint32_t i = 0; i < writing; i++) {
            for (uint32_t k = 0; k < reading; k++) relate(b->stubborn, writers[i], readers[k]);
            for (uint32_t k = 0; k < writing; k++) relate(b->stubborn, writers[i], writers[k]);
        }
    }
    for (uint32_t p = 0; p < model->processes.len; p++) {
        uint32_t count = 0;
        for (uint32_t r = 0; r < model->rules.len; r++)
            if (model_takes_part(model, r, p)) readers[count++] = r;
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t k = 0; k <= i; k++) relate(b->stubborn, readers[i], readers[k]);
    }
    mem_free(b->mem, readers);
    mem_free(b->mem, writers);
}

/* ---- what guards say about single variables ---- */

static void add_test(struct stubborn *stubborn, const struct expr_node *a,
                     const struct expr_node *b, bool is_not)
{
    if (a->op == EXPR_CONST && b->op == EXPR_VAR) {
        add_test(stubborn, b, a, is_not);
        return;
    }
    if (a->op != EXPR_VAR || b->op != EXPR_CONST) return;
    const struct stubborn_test test = {(uint32_t)a->value, b->value, is_not};
    vec_push(stubborn->model->mem, &stubborn->tests, test);
}

static void find_tests(struct stubborn *stubborn, expr cond, bool is_not)
{
    const struct exprs *exprs = &stubborn->model->exprs;
    const struct expr_node *node = expr_get(exprs, cond);
    if (node->op == EXPR_NOT) find_tests(stubborn, node->a, !is_not);
    else if (node->op == EXPR_AND && !is_not) {
        const expr second = node->b;
        find_tests(stubborn, node->a, false);
        find_tests(stubborn, second, false);
    } else if (node->op == EXPR_EQ || node->op == EXPR_NE)
        add_test(stubborn, expr_get(exprs, node->a), expr_get(exprs, node->b),
                 is_not != (node->op == EXPR_NE));
}

static void find_all_tests(struct stubborn *stubborn)
{
    const struct model *model = stubborn->model;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        stubborn->first_test[r] = stubborn->tests.len;
        for (uint32_t i = 0; i < rule->conjuncts; i++)
            find_tests(stubborn, model->conjuncts.data[rule->first_conjunct + i].cond, false);
    }
    stubborn->first_test[model->rules.len] = stubborn->tests.len;
    assert(!model->rules.len || !stubborn->first_test[0]);
}

static void find_writers(struct builder *b)
{
    struct stubborn *stubborn = b->stubborn;
    const struct model *model = b->model;
    uint32_t count = 0;
    for (uint32_t r = 0; r < model->rules.len; r++) count += model->rules.data[r].writes;
    stubborn->writers = mem_alloc(b->mem, (count + UINT64_C(1)) * sizeof *stubborn->writers);
    stubborn->first_writer =
        mem_alloc(b->mem, (model->vars.len + UINT64_C(1)) * sizeof *stubborn->first_writer);
    count = 0;
    for (uint32_t v = 0; v < model->vars.len; v++) {
        stubborn->first_writer[v] = count;
        count += list_rules(b, b->writes, v, stubborn->writers + count);
    }
    stubborn->first_writer[model->vars.len] = count;
    assert(!model->vars.len || !stubborn->first_writer[0]);
}

/* ---- circles (I) ---- */

/* How a rule moves a process. */
struct move {
    uint32_t rule, process;
    int64_t from, to;
    bool leaves_urgent;
};

struct circles {
    struct builder *b;
    VEC(struct move) moves; /* by processes */
    uint32_t *first;        /* per process, and one more */
    bool *is_left;          /* per rule: it may be in a circle */
    int64_t *queue;
    uint64_t *reached; /* per location of the process at hand, from its lowest value on */
};

static bool is_urgent_location(const struct model *model, uint32_t process, int64_t value)
{
    const struct model_process *of = &model->processes.data[process];
    for (uint32_t l = 0; l < of->locations; l++) {
        const struct model_location *location = &model->locations.data[of->first_location + l];
        if (location->value == value) return location->is_urgent;
    }
    return false;
}

/* The number that a step leaves in the variable; false: nobody knows. */
static bool finds_target(const struct model *model, const struct model_rule *rule, uint32_t var,
                         int64_t *value)
{
    for (uint32_t i = 0; i < rule->stores; i++) {
        const struct rule_store *store = &model->stores.data[rule->first_store + i];
        const struct expr_node *stored = expr_get(&model->exprs, store->value);
        if (store->var != var || store->provisional || stored->op != EXPR_CONST) continue;
        *value = stored->value;
        return true;
    }
    return false;
}

/* A rule whose moves are not known, or that moves nobody, is not taken alone. */
static void find_moves(struct circles *circles)
{
    struct builder *b = circles->b;
    const struct model *model = b->model;
    bool *moves = mem_alloc(b->mem, model->rules.len + UINT64_C(1)),
         *unknown = mem_alloc(b->mem, model->rules.len + UINT64_C(1));
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const uint32_t var = model->processes.data[p].location;
        circles->first[p] = circles->moves.len;
        for (uint32_t r = 0; var != MODEL_NONE && r < model->rules.len; r++) {
            struct move move = {.rule = r, .process = p};
            if (!has(of_rule(b, b->writes, r), var)) continue;
            if (!model_rule_requires(model, r, var, &move.from)
                || !finds_target(model, &model->rules.data[r], var, &move.to)
                || move.from < model->vars.data[var].low || move.from > model->vars.data[var].high
                || model->vars.data[var].high - model->vars.data[var].low >= MOST_RULES)
                unknown[r] = true;
            move.leaves_urgent = is_urgent_location(model, p, move.from);
            moves[r] = true;
            if (!unknown[r]) vec_push(b->mem, &circles->moves, move);
        }
    }
    circles->first[model->processes.len] = circles->moves.len;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        b->stubborn->alone[r] &= moves[r] && !unknown[r];
        circles->is_left[r] = b->stubborn->alone[r];
    }
    mem_free(b->mem, moves);
    mem_free(b->mem, unknown);
}

/* Whether the process can come from one location to the other by rules that are left. */
static bool leads(struct circles *circles, uint32_t process, int64_t from, int64_t to)
{
    const struct model_var *var =
        &circles->b->model->vars.data[circles->b->model->processes.data[process].location];
    uint32_t next = 0, end = 0;
    assert(from >= var->low && from <= var->high && to >= var->low && to <= var->high);
    memset(circles->reached, 0, MOST_RULES / 8);
    put(circles->reached, (uint32_t)(from - var->low));
    circles->queue[end++] = from;
    while (next < end) {
        const int64_t at = circles->queue[next++];
        if (at == to) return true;
        for (uint32_t i = circles->first[process]; i < circles->first[process + 1]; i++) {
            const struct move *move = &circles->moves.data[i];
            if (move->from != at || !circles->is_left[move->rule]
                || has(circles->reached, (uint32_t)(move->to - var->low)))
                continue;
            put(circles->reached, (uint32_t)(move->to - var->low));
            circles->queue[end++] = move->to;
        }
    }
    return false;
}

/* Takes rules away that are in no circle; whether any are left. */
static bool take_away(struct circles *circles)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < circles->moves.len; i++) {
            const struct move *move = &circles->moves.data[i];
            if (!circles->is_left[move->rule]
                || leads(circles, move->process, move->to, move->from))
                continue;
            circles->is_left[move->rule] = false;
            changed = true;
        }
    }
    for (uint32_t r = 0; r < circles->b->model->rules.len; r++)
        if (circles->is_left[r]) return true;
    return false;
}

static void break_circles(struct builder *b)
{
    const struct model *model = b->model;
    struct circles circles = {.b = b};
    circles.first = mem_alloc(b->mem, (model->processes.len + UINT64_C(1)) * sizeof(uint32_t));
    circles.is_left = mem_alloc(b->mem, model->rules.len + UINT64_C(1));
    circles.queue = mem_alloc(b->mem, MOST_RULES * sizeof *circles.queue);
    circles.reached = mem_alloc(b->mem, MOST_RULES / 8);
    find_moves(&circles);
    while (take_away(&circles)) {
        uint32_t first = MODEL_NONE;
        bool any = false;
        for (uint32_t i = 0; i < circles.moves.len; i++) {
            const struct move *move = &circles.moves.data[i];
            if (!circles.is_left[move->rule]) continue;
            if (move->rule < first) first = move->rule;
            if (move->leaves_urgent) continue;
            circles.is_left[move->rule] = b->stubborn->alone[move->rule] = false;
            any = true;
        }
        if (!any) circles.is_left[first] = b->stubborn->alone[first] = false;
    }
    vec_free(b->mem, &circles.moves);
    mem_free(b->mem, circles.first);
    mem_free(b->mem, circles.is_left);
    mem_free(b->mem, circles.queue);
    mem_free(b->mem, circles.reached);
}

/* ---- which rules may be taken alone ---- */

static bool is_instant(const struct model *model, const struct model_rule *rule)
{
    if (rule->interval == MODEL_NONE) return false;
    const struct model_interval *interval = &model->intervals.data[rule->interval];
    return !interval->infinite && !interval->high;
}

/* Whether the rule has a timer that matters. */
static bool has_timer(const struct model *model, const struct model_rule *rule)
{
    if (rule->interval == MODEL_NONE || is_instant(model, rule)) return false;
    const struct model_interval *interval = &model->intervals.data[rule->interval];
    return !interval->infinite || interval->low || interval->low_open;
}

/* Whether the first rule moves a process of the second. */
static bool moves_one_of(const struct model *model, uint32_t r, uint32_t other)
{
    const struct model_rule *rule = &model->rules.data[r];
    for (uint32_t i = 0; i < rule->parts; i++) {
        const struct rule_part *part = &model->parts.data[rule->first_part + i];
        if (part->process != MODEL_NONE && !part->stays
            && model_takes_part(model, other, part->process))
            return true;
    }
    return false;
}

static bool disturbs_timers(struct builder *b, uint32_t r)
{
    const struct model *model = b->model;
    for (uint32_t other = 0; other < model->rules.len; other++)
        if (has_timer(model, &model->rules.data[other]) && !moves_one_of(model, r, other)
            && meet(of_rule(b, b->writes, r), of_rule(b, b->reads, other), b->item_words))
            return true;
    return false;
}

static void judge(struct builder *b, const uint64_t *visible)
{
    const struct model *model = b->model;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct model_rule *rule = &model->rules.data[r];
        const uint64_t *writes = of_rule(b, b->writes, r);
        b->stubborn->is_urgent[r] = is_instant(model, rule) || (rule->is_urgent && !rule->guards);
        b->stubborn->alone[r] = !has_timer(model, rule) && !meet(writes, visible, b->item_words)
                                && !disturbs_timers(b, r);
    }
}

static bool any_asks(const struct model *model)
{
    bool asks = false;
    for (uint32_t r = 0; r < model->rules.len; r++) asks |= model->rules.data[r].asks;
    return asks;
}

void stubborn_init(struct stubborn *stubborn, struct model *model, const struct layout *layout,
                   const bool *visible, const bool *visible_clocks)
{
    struct mem *mem = model->mem;
    const uint64_t rules = model->rules.len;
    *stubborn = (struct stubborn){.model = model,
                                  .layout = layout,
                                  .set_words = (uint32_t)(rules / 64 + 1),
                                  .is_idle = rules > MOST_RULES || model->priorities.len
                                             || any_asks(model)};
    if (stubborn->is_idle) return;
    struct builder b = {.stubborn = stubborn,
                        .model = model,
                        .mem = mem,
                        .items = model->vars.len + model->clocks.len};
    b.item_words = b.items / 64 + 1;
    const size_t size = b.item_words * sizeof *b.reads;
    b.reads = mem_alloc(mem, (rules + 1) * size);
    b.writes = mem_alloc(mem, (rules + 1) * size);
    b.invariants = mem_alloc(mem, (model->processes.len + UINT64_C(1)) * size);
    uint64_t *seen = mem_alloc(mem, size);
    stubborn->dependent =
        mem_alloc(mem, (rules + 1) * stubborn->set_words * sizeof *stubborn->dependent);
    stubborn->alone = mem_alloc(mem, rules + 1);
    stubborn->is_urgent = mem_alloc(mem, rules + 1);
    stubborn->first_test = mem_alloc(mem, (rules + 1) * sizeof *stubborn->first_test);
    for (uint32_t v = 0; v < model->vars.len; v++)
        if (visible[v]) put(seen, v);
    for (uint32_t c = 0; c < model->clocks.len; c++)
        if (visible_clocks[c]) put(seen, model->vars.len + c);
    for (uint32_t p = 0; p < model->processes.len; p++) read_invariants(&b, p);
    for (uint32_t r = 0; r < rules; r++) touch(&b, r);
    find_dependent(&b);
    find_all_tests(stubborn);
    find_writers(&b);
    judge(&b, seen);
    break_circles(&b);
    mem_free(mem, b.reads);
    mem_free(mem, b.writes);
    mem_free(mem, b.invariants);
    mem_free(mem, seen);
}

void stubborn_release(struct stubborn *stubborn)
{
    struct mem *mem = stubborn->model->mem;
    mem_free(mem, stubborn->dependent);
    mem_free(mem, stubborn->alone);
    mem_free(mem, stubborn->is_urgent);
    mem_free(mem, stubborn->first_test);
    mem_free(mem, stubborn->first_writer);
    mem_free(mem, stubborn->writers);
    vec_free(mem, &stubborn->tests);
}

bool stubborn_open(const struct stubborn *stubborn, struct stubborn_work *work, struct mem *mem)
{
    const struct model *model = stubborn->model;
    const size_t size = stubborn->set_words * sizeof *work->chosen;
    *work = (struct stubborn_work){0};
    work->chosen = mem_try_alloc(mem, size);
    work->best = mem_try_alloc(mem, size);
    work->enabled = mem_try_alloc(mem, size);
    work->is_open = mem_try_alloc(mem, model->vars.len + UINT64_C(1));
    work->queue = mem_try_alloc(mem, (model->rules.len + UINT64_C(1)) * sizeof *work->queue);
    return work->chosen && work->best && work->enabled && work->is_open && work->queue;
}

void stubborn_release_work(struct stubborn_work *work, struct mem *mem)
{
    mem_free(mem, work->chosen);
    mem_free(mem, work->best);
    mem_free(mem, work->enabled);
    mem_free(mem, work->is_open);
    mem_free(mem, work->queue);
    *work = (struct stubborn_work){0};
}

/* ---- in a state ---- */

static void choose_rule(struct stubborn_work *work, uint32_t rule)
{
    if (has(work->chosen, rule)) return;
    put(work->chosen, rule);
    work->queue[work->chosen_count++] = rule; /* (1) */
}

/* Whether the state makes the test false. */
static bool forbids(const struct stubborn *stubborn, const uint64_t *words,
                    const struct stubborn_test *test)
{
    return (field_get(&stubborn->layout->fields[test->var], words) == test->value) == test->is_not;
}

/* A test of the rule, on the variable if one is named, that is false; NULL: there is none. */
static const struct stubborn_test *find_forbidding(const struct stubborn *stubborn,
                                                   const struct stubborn_work *work,
                                                   const uint64_t *words, uint32_t rule,
                                                   uint32_t var)
{
    const struct stubborn_test *found = NULL;
    for (uint32_t i = stubborn->first_test[rule]; i < stubborn->first_test[rule + 1]; i++) {
        const struct stubborn_test *test = &stubborn->tests.data[i];
        if ((var != MODEL_NONE && test->var != var) || !forbids(stubborn, words, test)) continue;
        if (!found) found = test;
        if (work->is_open[test->var]) return test;
    }
    return found;
}

/* Chooses what may change the variable first: a rule that wants it to have another value is not
 * that one. */
static void open_var(const struct stubborn *stubborn, struct stubborn_work *work,
                     const uint64_t *words, uint32_t var)
{
    if (work->is_open[var]) return;
    work->is_open[var] = true;
    for (uint32_t i = stubborn->first_writer[var]; i < stubborn->first_writer[var + 1]; i++)
        if (!find_forbidding(stubborn, work, words, stubborn->writers[i], var))
            choose_rule(work, stubborn->writers[i]);
}

/* S2 */
static void choose_for_disabled(const struct stubborn *stubborn, struct stubborn_work *work,
                                const uint64_t *words, uint32_t rule)
{
    const struct model *model = stubborn->model;
    const struct stubborn_test *test = find_forbidding(stubborn, work, words, rule, MODEL_NONE);
    if (test) {
        open_var(stubborn, work, words, test->var);
        return;
    }
    const struct model_rule *of = &model->rules.data[rule];
    for (uint32_t i = 0; i < of->reads; i++)
        open_var(stubborn, work, words, model->accesses.data[of->first_read + i]);
}

/* S1 */
static void choose_dependent(const struct stubborn *stubborn, struct stubborn_work *work,
                             uint32_t rule)
{
    const uint64_t *set = stubborn->dependent + (size_t)rule * stubborn->set_words;
    for (uint32_t w = 0; w < stubborn->set_words; w++)
        for (uint64_t more = set[w] & ~work->chosen[w]; more; more &= more - 1)
            choose_rule(work, 64 * w + (uint32_t)__builtin_ctzll(more));
}

/* Closes the set that was begun. How many enabled rules it has; 0: one of them may not be taken
 * alone. */
static uint32_t close_set(const struct stubborn *stubborn, struct stubborn_work *work,
                          const uint64_t *words)
{
    uint32_t enabled = 0;
    for (uint32_t next = 0; next < work->chosen_count; next++) {
        const uint32_t rule = work->queue[next];
        assert(has(work->chosen, rule)
               && work->chosen_count <= stubborn->model->rules.len); /* (1) */
        if (!has(work->enabled, rule)) {
            choose_for_disabled(stubborn, work, words, rule);
            continue;
        }
        if (!stubborn->alone[rule]) return 0; /* (2) */
        assert(stubborn->alone[rule]);        /* (2) */
        enabled++;
        choose_dependent(stubborn, work, rule);
    }
    return enabled;
}

static void begin_set(const struct stubborn *stubborn, struct stubborn_work *work)
{
    memset(work->chosen, 0, stubborn->set_words * sizeof *work->chosen);
    memset(work->is_open, 0, stubborn->model->vars.len);
    work->chosen_count = 0;
}

struct choice {
    const uint32_t *enabled;
    uint32_t count;
    uint32_t least; /* enabled rules of the best set so far */
    bool (*always)(void *context, uint32_t i);
    void *context;
};

/* The set that was begun is taken if it is better than the best one. */
static void try_set(const struct stubborn *stubborn, struct stubborn_work *work,
                    const uint64_t *words, struct choice *choice)
{
    const uint32_t enabled = close_set(stubborn, work, words);
    if (!enabled || enabled >= choice->least) return;
    bool always = false; /* S4 */
    for (uint32_t i = 0; !always && i < choice->count; i++)
        always = has(work->chosen, choice->enabled[i]) && choice->always(choice->context, i);
    if (!always) return;
    choice->least = enabled;
    memcpy(work->best, work->chosen, stubborn->set_words * sizeof *work->best);
}

bool stubborn_choose(const struct stubborn *stubborn, struct stubborn_work *work,
                     const uint64_t *words, const uint32_t *enabled, uint32_t count,
                     bool (*always)(void *context, uint32_t i), void *context)
{
    const struct model *model = stubborn->model;
    struct choice choice = {enabled, count, count, always, context};
    if (stubborn->is_idle || count < 2) return false;
    assert(count <= model->rules.len); /* each is enabled once */
    memset(work->enabled, 0, stubborn->set_words * sizeof *work->enabled);
    for (uint32_t i = 0; i < count; i++) put(work->enabled, enabled[i]);
    /* S3 */
    for (uint32_t p = 0; choice.least > 1 && p < model->processes.len; p++) {
        const uint32_t var = model->processes.data[p].location;
        if (var == MODEL_NONE
            || !is_urgent_location(model, p, field_get(&stubborn->layout->fields[var], words)))
            continue;
        begin_set(stubborn, work);
        open_var(stubborn, work, words, var);
        try_set(stubborn, work, words, &choice);
    }
    for (uint32_t i = 0; choice.least > 1 && i < count; i++) {
        if (!stubborn->is_urgent[enabled[i]]) continue;
        begin_set(stubborn, work);
        choose_rule(work, enabled[i]);
        try_set(stubborn, work, words, &choice);
    }
    return choice.least < count;
}
