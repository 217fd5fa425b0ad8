/* The symbolic engine: sets of states as decision diagrams (docs/symbolic.md has the method).
 *
 * `bits` turns each rule into circuits: when it is enabled, when it fails, the new bits. `encode`
 * chooses the order of variables by trying some on the rules, and makes a relation of each rule,
 * over what it reads and writes only, and clusters of them. `space` finds the reachable states and
 * has steps and closures for the others. `ctl` and `ltl` decide properties (a `monitor` runs
 * beside the model), `partial` explores a reduced space, `evidence` walks back through onion rings
 * and finds the rules in the reference evaluator. This file puts it together, property by
 * property, and turns limits into results.
 *
 * What must hold:
 * 1. The `now` and `next` variable of a bit are on adjacent levels; sets are over `now` alone, and
 *    no label is in a set.
 * 2. A relation is silent about bits that it does not write: they keep their value. A union of
 *    relations is taken only of relations that write the same bits.
 * 3. Any operation may collect: what must survive is registered by address (dd_protect) before.
 *    Any operation may be given up: it jumps to the last dd_catch, and what was registered before
 *    that is still good.
 * 4. In temporal logic a deadlocked state repeats (symbolic_step); in exploration it does not
 *    (encode_step). All sets are inside `reach`, so a complement is "reachable and not".
 * 5. Evidence is a run of the model, never of its reduction or encoding: it is replayed by
 *    model/eval before it is shown.
 * 6. `dd` knows no model, `bits` no engine, and nothing is global: two managers can live side by
 *    side. */
#include "engine/symbolic/symbolic.h"

#include "base/clock.h"
#include "base/stack.h"
#include "engine/symbolic/temporal.h"

#include <assert.h>
#include <string.h>

/* ---- limits ---- */

/* Does some work; when it is given up, says why in result->stop and returns false. What was
 * protected before is still good. */
static bool attempt(struct symbolic *s, void (*work)(struct symbolic *s, void *context),
                    void *context)
{
    struct dd_guard guard;
    jmp_buf recover, *outer = s->mem->recover;
    enum dd_reason why = dd_catch(s->dd, &guard);
    if (why == DD_NONE) {
        if (setjmp(recover))
            dd_give_up(s->dd, mem_enough(s->mem)
                                  ? DD_STOPPED
                                  : DD_FULL); /* memory that diagrams did not ask for */
        s->mem->recover = &recover;
        work(s, context);
        dd_uncatch(s->dd, &guard);
    }
    s->mem->recover = outer;
    if (why == DD_FULL) s->result->stop = STOP_MEMORY;
    if (why == DD_STOPPED && s->result->stop == STOP_NONE) s->result->stop = result_why_refused();
    return why == DD_NONE;
}

/* ---- counts ---- */

static uint64_t to_number(struct symbolic *s, struct natural *count, const char **digits)
{
    uint64_t value = UINT64_MAX;
    if (!natural_fits(count, &value) && digits) *digits = natural_digits(s->mem, count);
    natural_free(s->mem, count);
    return value;
}

static uint64_t count_set(struct symbolic *s, bdd set, const char **digits)
{
    struct natural count;
    if (!dd_count(s->dd, set, s->e.bits.total, &count)) dd_give_up(s->dd, DD_FULL);
    return to_number(s, &count, digits);
}

/* Stuck, and not at a final state. */
static bdd symbolic_deadlocks(struct symbolic *s)
{
    bool fails;
    if (!s->model->has_final) return s->dead;
    return dd_diff(s->dd, s->dead, symbolic_condition(s, s->model->final, &fails));
}

static void count_sets(struct symbolic *s, void *context)
{
    struct result *result = s->result;
    (void)context;
    result->states = count_set(s, s->reach, &result->exact.states);
    result->initial_states = count_set(s, s->e.initial, &result->exact.initial_states);
    result->deadlocks = count_set(s, symbolic_deadlocks(s), &result->exact.deadlocks);
    s->statistics->set_nodes = dd_size(s->dd, s->reach);
}

/* Per rule: the states in which it is enabled, those in which it fails; per location: the states in
 * it. */
struct parts {
    bdd *sets;
    uint64_t *counts;
    uint32_t count;
};

static void list_parts(struct symbolic *s, struct parts *parts)
{
    struct model *model = s->model;
    struct result *result = s->result;
    uint64_t locations = 0;
    result->reached_first =
        mem_alloc(s->mem, (model->processes.len + 1) * sizeof *result->reached_first);
    for (uint32_t p = 0; p < model->processes.len; p++) {
        result->reached_first[p] = locations;
        locations += model->processes.data[p].locations;
    }
    result->reached = mem_alloc(s->mem, locations / 8 + 1);
    uint64_t count = 2 * (uint64_t)model->rules.len + locations;
    parts->sets = mem_alloc(s->mem, (count + 1) * sizeof *parts->sets);
    parts->counts = mem_alloc(s->mem, (count + 1) * sizeof *parts->counts);
    parts->count = (uint32_t)count;
    assert(parts->count == count);
    dd_protect_array(s->dd, parts->sets, parts->count);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        parts->sets[2 * r] = s->e.rules[r].enabled;
        parts->sets[2 * r + 1] = s->e.rules[r].fails;
    }
    for (uint32_t p = 0, at = 2 * model->rules.len; p < model->processes.len; p++) {
        const struct model_process *process = &model->processes.data[p];
        for (uint32_t l = 0; l < process->locations; l++, at++)
            if (process->location != MODEL_NONE)
                parts->sets[at] = encode_lit(
                    &s->e, bits_equals(&s->e.bits, process->location,
                                       model->locations.data[process->first_location + l].value));
    }
}

/* How often rules are taken, all together. The counts of single rules say it, unless one of them,
 * or their sum, does not fit. */
static void count_transitions(struct symbolic *s, const struct parts *parts)
{
    struct result *result = s->result;
    const uint32_t rules = s->model->rules.len;
    bdd *enabled = mem_alloc(s->mem, (rules + UINT64_C(1)) * sizeof *enabled);
    struct natural total;
    result->transitions = 0;
    for (uint32_t r = 0; r < rules; r++) {
        uint64_t count = parts->counts[2 * r];
        enabled[r] = parts->sets[2 * r];
        result->transitions =
            result->transitions + count < count ? UINT64_MAX : result->transitions + count;
    }
    if (result->transitions == UINT64_MAX) {
        if (!dd_count_sum(s->dd, s->reach, enabled, rules, s->e.bits.total, &total))
            dd_give_up(s->dd, DD_FULL);
        result->transitions = to_number(s, &total, &result->exact.transitions);
    }
    mem_free(s->mem, enabled);
}

static void count_parts(struct symbolic *s, void *context)
{
    struct result *result = s->result;
    struct parts parts;
    const uint32_t rules = s->model->rules.len, mark = dd_mark(s->dd);
    (void)context;
    list_parts(s, &parts);
    if (!dd_count_parts(s->dd, s->reach, parts.sets, parts.count, s->e.bits.total, parts.counts))
        dd_give_up(s->dd, DD_FULL);
    for (uint32_t r = 0; r < rules; r++) {
        uint64_t errors = parts.counts[2 * r + 1];
        result->taken[r] = parts.counts[2 * r];
        result->runtime_errors =
            result->runtime_errors + errors < errors ? UINT64_MAX : result->runtime_errors + errors;
    }
    for (uint32_t i = 2 * rules; i < parts.count; i++)
        if (parts.counts[i])
            result->reached[(i - 2 * rules) / 8] |= (uint8_t)(1u << (i - 2 * rules) % 8);
    count_transitions(s, &parts);
    dd_release(s->dd, mark);
    mem_free(s->mem, parts.sets);
    mem_free(s->mem, parts.counts);
}

/* ---- reductions ---- */

static void see_property(struct symbolic *s, const struct property_result *entry, bool *visible)
{
    if (entry->kind == PROPERTY_DEADLOCK || entry->kind == PROPERTY_RUNTIME_ERROR) return;
    process_model_see(s->model, entry->property->root, visible);
}

static bool atom_may_fail(const struct model *model, formula f)
{
    const struct formula_node *node = formula_get(&model->formulas, f);
    if (node->op == FORMULA_ATOM) return expr_get(&model->exprs, node->atom)->may_fail;
    return atom_may_fail(model, node->a)
           || (formula_table[node->op].arity == 2 && atom_may_fail(model, node->b));
}

static bool rules_may_fail(const struct symbolic *s)
{
    for (uint32_t r = 0; r < s->model->rules.len; r++)
        if (s->e.rules[r].fails != BDD_FALSE) return true;
    return false;
}

/* Why the reduction that was asked for does not keep this property; NULL: it does. */
static const char *why_not_reduced(const struct symbolic *s, const struct property_result *entry)
{
    bool has_formula = entry->kind != PROPERTY_DEADLOCK && entry->kind != PROPERTY_RUNTIME_ERROR;
    if (entry->kind == PROPERTY_RUNTIME_ERROR)
        return rules_may_fail(s) ? "without reduction: steps can fail" : NULL;
    if (s->task->reduction == REDUCE_DEADLOCK && entry->kind != PROPERTY_DEADLOCK)
        return "without reduction: --reduce deadlock keeps deadlocks only";
    if (s->task->reduction == REDUCE_IMPROVISO && !entry->in_each_state)
        return "without reduction: ImProviso keeps what is reachable, not temporal formulas";
    if (s->task->keep == KEEP_LTL && entry->kind == PROPERTY_CTL && !entry->in_each_state)
        return "without reduction: --keep ltl keeps no CTL";
    if (has_formula && process_model_has_next(s->model, entry->property->root))
        return "without reduction: it has X";
    if (has_formula && atom_may_fail(s->model, entry->property->root))
        return "without reduction: it divides";
    return NULL;
}

/* Reduces the model for one property, or for none (NULL), and looks at what the reduced exploration
 * visits. */
static void start_reduction(struct symbolic *s, struct partial *partial,
                            const struct property_result *entry, bool branching)
{
    bool *visible = mem_alloc(s->mem, s->model->vars.len + 1);
    if (entry) see_property(s, entry, visible);
    partial_init(partial, s, s->task->reduction, visible, branching);
    mem_free(s->mem, visible);
}

/* Properties that single states decide, and LTL: on the states of one reduced exploration. */
static void explore_reduced(struct symbolic *s, struct partial *partial,
                            const struct property_result *entry)
{
    bool branching = s->task->reduction == REDUCE_POR
                     && (s->task->keep == KEEP_CTL || (entry && entry->kind == PROPERTY_CTL));
    start_reduction(s, partial, entry, branching);
    if (!entry) {
        s->result->keeps = s->task->reduction == REDUCE_POR        ? branching ? KEEP_CTL : KEEP_LTL
                           : s->task->reduction == REDUCE_DEADLOCK ? KEEP_DEADLOCK
                                                                   : KEEP_ASKED;
        if (!s->task->property_count) s->result->kept = process_model_kept(&partial->process_model);
    }
    symbolic_view_ranges(s);
    symbolic_view(s, partial_explore(partial, s->e.initial, s->reach));
}

/* ---- properties that single states decide ---- */

static bool is_undecided(const struct symbolic *s, struct property_result *entry)
{
    if (entry->verdict != VERDICT_UNKNOWN || entry->reason) return false;
    if (s->task->stop_at_first
        && result_overall(s->task->properties, s->task->property_count) == VERDICT_VIOLATED) {
        s->result->stop = STOP_FIRST;
        entry->reason = stop_reason_text[STOP_FIRST];
        return false;
    }
    return true;
}

/* A shortest way to a state of the set, which is not empty. */
static struct trace *trace_to(struct symbolic *s, bdd bad)
{
    struct walk walk;
    walk_init(&walk, s);
    walk_to(&walk, s->e.initial, s->reach, bad, false);
    struct trace *trace = walk.states ? walk_trace(&walk, &s->result->broken) : NULL;
    if (!trace) s->result->broken = "no way leads to a reachable state";
    walk_release(&walk);
    return trace;
}

/* The states that violate the property; *unclear: it cannot be evaluated in some. */
static bdd bad_states(struct symbolic *s, const struct property_result *entry, bool *unclear)
{
    struct dd *dd = s->dd;
    bdd bad = BDD_FALSE, part = BDD_FALSE;
    uint32_t mark = dd_mark(dd);
    *unclear = false;
    if (entry->kind == PROPERTY_DEADLOCK) return symbolic_deadlocks(s);
    dd_keep(dd, &bad, &part);
    if (entry->kind == PROPERTY_RUNTIME_ERROR) {
        for (uint32_t r = 0; r < s->model->rules.len; r++) {
            part = dd_and(dd, s->reach, s->e.rules[r].fails);
            bad = dd_or(dd, bad, part);
        }
    } else {
        bool ignored;
        bad = symbolic_condition(
            s, expr_make(&s->model->exprs, EXPR_NOT, 0, entry->invariant, entry->invariant),
            &ignored);
        part = symbolic_condition(s, entry->invariant, unclear);
    }
    dd_release(dd, mark);
    return bad;
}

static void decide_in_states(struct symbolic *s, void *context)
{
    struct property_result *entry = context;
    struct partial partial;
    bool unclear, reduced = s->task->reduction != REDUCE_NONE && !entry->method;
    bdd bad = BDD_FALSE;
    uint32_t mark = dd_mark(s->dd);
    dd_protect(s->dd, &bad);
    if (reduced) explore_reduced(s, &partial, entry);
    bad = bad_states(s, entry, &unclear);
    if (bad != BDD_FALSE) {
        entry->verdict = VERDICT_VIOLATED;
        entry->trace = trace_to(s, bad);
        if (entry->kind == PROPERTY_RUNTIME_ERROR && entry->trace)
            entry->trace->failed_rule = trace_failing_rule(s->model, entry->trace);
    } else if (unclear) {
        entry->reason = result_cannot_evaluate;
    } else if (s->result->all_states) {
        entry->verdict = VERDICT_HOLDS;
    } else {
        entry->reason = stop_reason_text[s->result->stop];
    }
    if (reduced) {
        entry->method = "reduced";
        partial_release(&partial);
    }
    dd_release(s->dd, mark);
}

static void find_vacuity(struct symbolic *s, void *context)
{
    struct property_result *entry = context;
    bool fails, never = symbolic_condition(s, entry->antecedent, &fails) == BDD_FALSE;
    entry->antecedent_met = !never && !fails;
    entry->antecedent_never = never && !fails;
}

/* ---- temporal properties ---- */

static const char *method_text(const struct temporal *temporal, bool reduced)
{
    static const char *const texts[2][3] = {
        {"backward", "forward", "forward, parts of it backward"},
        {"backward, reduced", "forward, reduced", "forward, reduced, parts of it backward"}};
    return texts[reduced && temporal->went_forward]
                [temporal->went_forward + (temporal->went_forward && temporal->went_backward)];
}

static const char *formula_text(struct symbolic *s, formula f, const char *after)
{
    struct text text;
    text_init(&text, s->mem);
    model_print_formula(s->model, &text, f);
    text_add(&text, "%s", after);
    const char *copy = arena_copy(&s->model->arena, text.data, strlen(text.data));
    text_free(&text);
    return copy;
}

static void take_evidence(struct symbolic *s, struct property_result *entry,
                          struct temporal *temporal)
{
    const struct shown *main = &temporal->shown[0];
    entry->verdict = VERDICT_VIOLATED;
    if (!main->walk.states) {
        s->result->broken = "a violation was found, but no run that shows it";
        return;
    }
    entry->trace = walk_trace(&temporal->shown[0].walk, &s->result->broken);
    entry->has_end = main->has_end;
    entry->end = main->end;
    entry->end_value = main->end_value;
    entry->branches = mem_alloc(s->mem, temporal->shown_count * sizeof *entry->branches);
    entry->branches_cut = temporal->cut;
    for (uint32_t i = 1; i < temporal->shown_count; i++) {
        struct shown *shown = &temporal->shown[i];
        const char *open =
            shown->has_end
                ? formula_text(s, shown->end, shown->end_value ? " is true" : " is false")
                : NULL;
        entry->branches[entry->branch_count++] =
            (struct trace_branch){walk_trace(&shown->walk, &s->result->broken),
                                  shown->parent,
                                  shown->from,
                                  formula_text(s, shown->part, ""),
                                  shown->value,
                                  open};
    }
}

static void decide_temporal(struct symbolic *s, void *context)
{
    struct property_result *entry = context;
    struct temporal temporal = {.s = s, .shown_count = 1};
    struct partial partial;
    bool is_ctl = entry->kind == PROPERTY_CTL,
         reduced = s->task->reduction != REDUCE_NONE && !entry->method;
    uint32_t mark = dd_mark(s->dd);
    if (reduced) {
        temporal.partial = &partial;
        if (is_ctl) start_reduction(s, &partial, entry, true);
        else explore_reduced(s, &partial, entry);
    }
    walk_init(&temporal.shown[0].walk, s);
    switch (is_ctl ? symbolic_ctl(&temporal, entry->property->root)
                   : symbolic_ltl(&temporal, entry->property->root)) {
    case TEMPORAL_HOLDS: entry->verdict = VERDICT_HOLDS; break;
    case TEMPORAL_VIOLATED: take_evidence(s, entry, &temporal); break;
    case TEMPORAL_FAILED: entry->reason = result_cannot_evaluate; break;
    case TEMPORAL_BEYOND: entry->reason = temporal.reason; break;
    }
    if (!entry->method) entry->method = method_text(&temporal, reduced);
    for (uint32_t i = 0; i < temporal.shown_count; i++) walk_release(&temporal.shown[i].walk);
    if (reduced) partial_release(&partial);
    dd_release(s->dd, mark);
}

static void view_all(struct symbolic *s, void *context)
{
    (void)context;
    symbolic_view_all(s);
}

/* One property, with all limits. */
static void decide_one(struct symbolic *s, struct property_result *entry)
{
    bool good = true;
    s->phase = entry->property->name;
    if (s->task->reduction != REDUCE_NONE) entry->method = why_not_reduced(s, entry);
    if (s->task->reduction != REDUCE_NONE && entry->method) good = attempt(s, view_all, NULL);
    if (good) good = attempt(s, entry->in_each_state ? decide_in_states : decide_temporal, entry);
    if (!good && entry->verdict != VERDICT_VIOLATED) {
        entry->verdict = VERDICT_UNKNOWN;
        entry->reason = stop_reason_text[s->result->stop];
    }
    if (entry->verdict == VERDICT_HOLDS && entry->has_antecedent
        && s->task->reduction == REDUCE_NONE)
        attempt(s, find_vacuity, entry);
}

/* A limit that is reached here leaves the state space complete and the property unknown. */
static void decide(struct symbolic *s)
{
    struct task *task = s->task;
    for (unsigned round = 0; round < 2; round++) /* what is cheap comes first */
        for (uint32_t i = 0; i < task->property_count; i++) {
            struct property_result *entry = &task->properties[i];
            if (entry->in_each_state != (round == 0) || !is_undecided(s, entry)) continue;
            bool stopped = s->result->stop == STOP_TIME || s->result->stop == STOP_INTERRUPT
                           || (round == 1 && !s->result->all_states);
            if (stopped) entry->reason = stop_reason_text[s->result->stop];
            else decide_one(s, entry);
        }
}

/* ---- the run ---- */

static void explore(struct symbolic *s, void *context)
{
    (void)context;
    s->phase = "encoding";
    encode_rules(&s->e);
    s->statistics->encoding_seconds = clock_now() - s->started;
    s->statistics->relation_nodes = s->e.relation_nodes;
    s->statistics->largest_relation = s->e.largest_relation;
    s->statistics->relations = s->e.cluster_count ? s->e.cluster_count : 1;
    s->phase = "exploring";
    s->reach = s->e.initial;
    if (s->task->reduction == REDUCE_NONE) {
        s->result->all_states = symbolic_reach(s);
    } else {
        struct partial partial;
        uint32_t mark = dd_mark(s->dd);
        explore_reduced(s, &partial, NULL);
        partial_release(&partial);
        dd_release(s->dd, mark);
        s->result->all_states = true;
        s->result->reduction = s->task->reduction;
    }
    s->statistics->reach_seconds = clock_now() - s->started - s->statistics->encoding_seconds;
}

static enum search_order choose_order(const struct task *task)
{
    if (task->reduction != REDUCE_NONE)
        return ORDER_SATURATION; /* what is not reduced: closures of fixpoints, and evidence */
    if (task->max_depth || task->without_frontier) return ORDER_BFS;
    if (task->order != ORDER_DEFAULT && task->order != ORDER_DFS) return task->order;
    return task->relation == RELATION_PER_RULE ? ORDER_SATURATION : ORDER_BFS;
}

static void run(struct symbolic *s)
{
    struct result *result = s->result;
    bool explored = attempt(s, explore, NULL);
    if (!explored)
        s->dead =
            BDD_FALSE; /* reach is a part of the states, and what is known of it is sound ... */
    if (!explored && s->task->reduction != REDUCE_NONE)
        s->reach = s->e.initial; /* ... unless it was a view of all that variables allow */
    result->has_depth = explored && s->order == ORDER_BFS && s->task->reduction == REDUCE_NONE;
    result->depth = s->depth;
    s->phase = "counting";
    enum stop_reason stop = result->stop;
    dd_set_poll(
        s->dd, NULL,
        NULL); /* what is known is counted, also when time or memory is up: that is little work */
    const struct mem_lift before = mem_lift(s->mem);
    bool counted = attempt(s, count_sets, NULL);
    mem_lower(s->mem, before);
    dd_set_poll(s->dd, symbolic_poll, s);
    if (!counted || stop != STOP_NONE || !attempt(s, count_parts, NULL))
        result->no_transitions = true;
    if (stop != STOP_NONE) result->stop = stop;
    decide(s);
}

static void finish_statistics(struct symbolic *s)
{
    struct dd_statistics table;
    dd_get_statistics(s->dd, &table);
    s->statistics->peak_nodes = table.peak_nodes;
    s->statistics->collections = table.collections;
    s->statistics->reorderings = table.reorderings;
    s->statistics->table_bytes = table.bytes;
    s->statistics->order = s->order;
    s->statistics->relation = s->e.form;
    s->statistics->bits = s->e.bits.total;
    s->result->state_bits = s->e.bits.total;
}

/* On a stack of its own: operations on diagrams recurse for each bit. */
static void run_all(void *context)
{
    struct symbolic *s = context;
    encode_start(&s->e, s->model, s->task->relation);
    s->dd = s->e.dd;
    dd_set_poll(s->dd, symbolic_poll, s);
    s->e.go_on = symbolic_poll;
    s->e.context = s;
    dd_keep(s->dd, &s->reach, &s->dead, &s->all);
    run(s);
    finish_statistics(s);
    encode_release(&s->e);
}

static void refuse_all(struct task *task, struct result *result, enum stop_reason why)
{
    result->stop = why;
    for (uint32_t i = 0; i < task->property_count; i++)
        task->properties[i].reason = stop_reason_text[why];
}

void symbolic_run(struct task *task, struct result *result)
{
    struct model *model = task->model;
    struct mem *mem = model->mem;
    const uint64_t bits = bits_count(model);
    memset(result, 0, sizeof *result);
    struct symbolic *s = mem_alloc(mem, sizeof *s);
    s->task = task;
    s->model = model;
    s->mem = mem;
    s->result = result;
    s->statistics = result->symbolic = mem_alloc(mem, sizeof *result->symbolic);
    s->started = s->last_progress = clock_now();
    s->order = choose_order(task);
    result->engine = "symbolic";
    result->taken = mem_alloc(mem, (model->rules.len + UINT64_C(1)) * sizeof *result->taken);
    if (bits > DD_MAX_PAIRS / 2) refuse_all(task, result, STOP_SIZE);
    else if (!stack_run(mem, bits * DD_STACK_BYTES * STACK_FACTOR, run_all, s))
        refuse_all(task, result,
                   STOP_MEMORY); /* monitors have few bits: the plain stack is enough */
    result->seconds = clock_now() - s->started;
    result->peak_bytes = mem->peak;
    result->complete = result->all_states && result->stop == STOP_NONE;
    const struct mem_lift before = mem_lift(mem);
    if (!result->reached) {
        result->reached_first =
            mem_alloc(mem, (model->processes.len + 1) * sizeof *result->reached_first);
        result->reached = mem_alloc(mem, model->locations.len / 8 + 1);
        result->all_states = false;
    }
    mem_lower(mem, before);
    mem_free(mem, s);
}
