/* The bounded engine: runs of growing length for a SAT solver, and proofs (docs/bounded.md has the
 * method).
 *
 * clauses/net makes one circuit of the model: each rule's condition, failure and new bits,
 * deadlock, the conditions of properties. clauses/unroll copies the part of it that a step needs,
 * frame by frame, into a solver; `phases` tells it which steps of safe rules lie before each full
 * one. `ltl` adds variables for the parts of a formula, clauses/watch a Büchi automaton, `proof`
 * two unrollings for an induction: from initial states and from anywhere. This file has a hunt (an
 * unrolling and its solver) for all properties, or one for each when they are reduced, and asks
 * depth by depth; bounded_write records the clauses instead (DIMACS).
 *
 * What must hold:
 * 1. Properties are looked at in positions only: every state in plain search, the states after
 *    full steps with a reduction.
 * 2. Clauses stay for ever; what is true at one depth only is an assumption. Once a depth has no
 *    violation, that is a clause.
 * 3. A proof stands on steps of single rules, never on a reduced unrolling.
 * 4. `holds` needs a proof; a bound, time and memory leave `unknown`.
 * 5. solver/sat knows no model; its memory is outside base/mem and is compared with the budget
 *    while it works. */
#include "engine/bounded/bounded.h"

#include "base/clock.h"
#include "engine/bounded/ltl.h"
#include "engine/bounded/phases.h"
#include "engine/bounded/proof.h"

#include <string.h>

/* One unrolling, in which one or several properties are looked for. */
struct hunt {
    struct sat *sat;
    struct unrolling u;
    struct phases phases;
    bool *visible;
    bool reduced, started;
    uint32_t open; /* properties that are still looked for */
};

/* A property, as it is looked for. */
struct target {
    struct property_result *entry;
    struct hunt *hunt;
    struct net_condition good; /* what single states must satisfy */
    lit antecedent;            /* of a property that has one */
    bool is_temporal;
    struct ltl ltl;
    bool runs_ended; /* no run is as long as the search has come: all states were seen */
    bool unclear;    /* it cannot be evaluated in a reachable state */
    bool open;
    struct watcher watcher;
    bool has_watcher;
    bool provable, proving; /* by induction */
    struct proof proof;
};

struct bounded {
    struct task *task;
    struct result *result;
    struct bounded_statistics *statistics;
    struct model *model;
    struct mem *mem;
    struct net net;
    struct target *targets;
    uint32_t target_count;
    struct hunt *hunts;
    uint32_t hunt_count;
    double started, last_progress, depth_started;
    uint32_t depth; /* positions */
    const char *phase;
    bool interrupted; /* memory was refused somewhere */
    bool has_ended;   /* the search has, for the reason `ended`: limits now cost no verdict */
    enum stop_reason ended;
    struct proof reach; /* of an antecedent */
    VEC(lit)
    lemmas; /* invariants: all that are asked for; those that are proved help to prove the rest */
};

/* ---- limits ---- */

static bool go_on(void *context)
{
    struct bounded *b = context;
    const struct task *task = b->task;
    double time = clock_now();
    if (task->interrupted && *task->interrupted) return b->result->stop = STOP_INTERRUPT, false;
    if (task->max_seconds > 0 && time - b->started >= task->max_seconds)
        return b->result->stop = STOP_TIME, false;
    if (task->progress && time - b->last_progress >= 0.25) {
        struct search_progress progress = {.depth = b->statistics->depth,
                                           .bytes = b->mem->peak,
                                           .seconds = time - b->started,
                                           .is_bounded = true,
                                           .phase = b->phase};
        task->progress(task->progress_context, &progress);
        b->last_progress = time;
    }
    return true;
}

/* The solver gave up, or there is no use in asking it: why? */
static bool is_stopped(struct bounded *b, const struct sat *sat)
{
    if (sat_is_full(sat)) b->result->stop = STOP_MEMORY;
    else if (b->result->stop == STOP_NONE) go_on(b);
    return b->result->stop != STOP_NONE;
}

/* ---- what is looked for ---- */

/* The condition that must be true in every state. */
static struct net_condition state_condition(struct bounded *b, const struct property_result *entry)
{
    if (entry->kind == PROPERTY_DEADLOCK)
        return (struct net_condition){lit_not(b->net.deadlock), LIT_FALSE};
    if (entry->kind == PROPERTY_RUNTIME_ERROR)
        return (struct net_condition){lit_not(b->net.fails), LIT_FALSE};
    return net_condition(&b->net, entry->invariant);
}

static void close_target(struct target *target)
{
    if (!target->open) return;
    target->open = false;
    target->hunt->open--;
}

static void prepare_target(struct bounded *b, struct target *target, struct property_result *entry)
{
    target->entry = entry;
    if (entry->has_antecedent) target->antecedent = net_condition(&b->net, entry->antecedent).holds;
    target->is_temporal = !entry->in_each_state;
    target->good = (struct net_condition){LIT_TRUE, LIT_FALSE};
    if (!target->is_temporal) {
        target->good = state_condition(b, entry);
        target->provable = !b->task->without_induction;
        return;
    }
    if (entry->kind != PROPERTY_LTL) {
        entry->reason = "the bounded engine decides LTL, and of CTL what says \"always p\"";
        return;
    }
    if (b->task->weakly_fair) {
        entry->reason = "the bounded engine knows no fairness";
        return;
    }
    entry->reason = ltl_prepare(&target->ltl, &b->net, entry->property->root, true);
    if (entry->reason || b->task->without_induction) return;
    target->has_watcher = true;
    target->provable = !watcher_init(&target->watcher, &b->net, entry->property->root);
}

/* Why the reduction that was asked for does not keep this property; NULL: it does. */
static const char *why_not_reduced(const struct bounded *b, const struct property_result *entry)
{
    bool has_formula = entry->kind != PROPERTY_DEADLOCK && entry->kind != PROPERTY_RUNTIME_ERROR;
    return has_formula && !entry->in_each_state
                   && process_model_has_next(b->model, entry->property->root)
               ? "without reduction: it has X"
               : NULL;
}

/* ---- unrollings ---- */

static void list_outputs(struct bounded *b, const struct hunt *hunt, lit **outputs, uint32_t *count)
{
    VEC(lit) list = {0};
    for (uint32_t i = 0; i < b->target_count; i++) {
        const struct target *target = &b->targets[i];
        lit *own = NULL;
        uint32_t n = 0;
        if (target->hunt != hunt) continue;
        if (target->is_temporal) ltl_outputs(&target->ltl, b->mem, &own, &n);
        for (uint32_t k = 0; k < n; k++) vec_push(b->mem, &list, own[k]);
        mem_free(b->mem, own);
        vec_push(b->mem, &list, target->good.holds);
        vec_push(b->mem, &list, target->good.fails);
    }
    *outputs = list.data;
    *count = list.len;
}

static void start_hunt(struct bounded *b, struct hunt *hunt)
{
    struct unroll_options options = {0};
    const struct property_result *only = NULL;
    lit *outputs;
    uint32_t count;
    for (uint32_t i = 0; i < b->target_count; i++) {
        if (b->targets[i].hunt != hunt) continue;
        only = b->targets[i].entry;
        options.endless |= b->targets[i].is_temporal;
        options.endless |=
            hunt->reduced && only->kind == PROPERTY_DEADLOCK; /* where safe steps end in a deadlock,
                                                                 no full one leads to a position */
    }
    if (hunt->reduced) {
        bool has_formula = only->kind != PROPERTY_DEADLOCK && only->kind != PROPERTY_RUNTIME_ERROR;
        hunt->visible = mem_alloc(b->mem, b->model->vars.len + UINT64_C(1));
        if (has_formula) process_model_see(b->model, only->property->root, hunt->visible);
        phases_init(&hunt->phases, b->model, hunt->visible, b->task);
        phases_schedule(&hunt->phases, &options.schedule);
        if (options.schedule.sets && !only->in_each_state) options.schedule.visible = hunt->visible;
        b->statistics->safe_steps = hunt->phases.safe_steps;
        b->statistics->rounds = hunt->phases.rounds;
    }
    list_outputs(b, hunt, &outputs, &count);
    unroll_init(&hunt->u, &b->net, hunt->sat, &options, outputs, count);
    hunt->started = true;
    mem_free(b->mem, outputs);
    for (uint32_t i = 0; i < b->target_count; i++)
        if (b->targets[i].hunt == hunt && b->targets[i].is_temporal)
            ltl_start(&b->targets[i].ltl, &hunt->u);
}

/* All properties in one unrolling, or one for each when each has a reduction of its own. */
static void assign_hunts(struct bounded *b)
{
    b->hunts = mem_alloc(b->mem, (b->target_count + UINT64_C(1)) * sizeof *b->hunts);
    b->hunt_count = 1; /* the first one is without reduction */
    for (uint32_t i = 0; i < b->target_count; i++) {
        struct target *target = &b->targets[i];
        if (target->entry->reason) continue;
        if (b->result->reduction != REDUCE_NONE)
            target->entry->method = why_not_reduced(b, target->entry);
        bool reduced = b->result->reduction != REDUCE_NONE && !target->entry->method;
        target->hunt = &b->hunts[reduced ? b->hunt_count++ : 0];
        target->hunt->reduced = reduced;
        target->hunt->open++;
        target->open = true;
    }
}

static uint64_t steps_per_cycle(const struct hunt *hunt)
{
    return 1 + (hunt->phases.rounds ? hunt->phases.rounds : hunt->phases.safe_steps);
}

/* ---- violations ---- */

static void take_violation(struct bounded *b, struct target *target)
{
    struct property_result *entry = target->entry;
    const struct mem_lift before =
        mem_lift(b->mem); /* what was found must not be lost to the limit on the search */
    if (target->is_temporal) {
        entry->trace = ltl_trace(&target->ltl);
    } else {
        uint32_t *starts = mem_alloc(b->mem, target->hunt->u.positions.len * sizeof *starts);
        entry->trace = unroll_trace(&target->hunt->u, b->depth, starts);
        mem_free(b->mem, starts);
        if (entry->kind == PROPERTY_RUNTIME_ERROR)
            entry->trace->failed_rule = trace_failing_rule(b->model, entry->trace);
    }
    mem_lower(b->mem, before);
    entry->verdict = VERDICT_VIOLATED;
    entry->has_bound = true;
    entry->cycles = b->depth;
    entry->bound = b->depth * steps_per_cycle(target->hunt);
    if (!entry->method && target->hunt->reduced) entry->method = "reduced";
    close_target(target);
}

static void assume_violation(struct bounded *b, struct target *target)
{
    const struct unrolling *u = &target->hunt->u;
    if (target->is_temporal) {
        ltl_assume(&target->ltl);
        return;
    }
    sat_assume(u->sat, -unroll_output(u, b->depth, target->good.holds));
    sat_assume(u->sat, -unroll_output(u, b->depth, target->good.fails));
}

/* Whether single states at the last position can break the property, or make it impossible to
 * evaluate. */
static enum sat_answer ask_states(struct bounded *b, struct target *target)
{
    struct hunt *hunt = target->hunt;
    int holds = unroll_output(&hunt->u, b->depth, target->good.holds),
        fails = unroll_output(&hunt->u, b->depth, target->good.fails);
    assume_violation(b, target);
    enum sat_answer answer = sat_solve(hunt->sat);
    if (answer != SAT_NO) return answer;
    target->runs_ended = !sat_needed(hunt->sat, -holds) && !sat_needed(hunt->sat, -fails);
    if (target->good.fails == LIT_FALSE) {
        sat_add_1(hunt->sat, holds);
    } else if (!target->unclear) {
        sat_assume(hunt->sat, fails);
        answer = sat_solve(hunt->sat);
        if (answer == SAT_STOPPED) return answer;
        if (answer == SAT_YES) target->unclear = true;
    }
    return SAT_NO;
}

static enum sat_answer ask_runs(struct bounded *b, struct target *target)
{
    assume_violation(b, target);
    enum sat_answer answer = sat_solve(target->hunt->sat);
    if (answer == SAT_NO) ltl_close(&target->ltl);
    return answer;
}

/* ---- proofs ---- */

static bool is_lemma(const struct target *target)
{
    return !target->is_temporal && target->entry->verdict == VERDICT_HOLDS;
}

static void start_proof(struct bounded *b, struct target *target)
{
    struct proof_poll poll = {go_on, b};
    bool is_safety = target->is_temporal && target->watcher.is_safety;
    target->proving = true;
    /* The hunt is the base of the induction where its depth counts steps of single rules. But a
     * safety property may be broken by a prefix that only its automaton sees to be bad. */
    proof_init(&target->proof, &b->net, lit_not(target->good.holds),
               target->is_temporal ? &target->watcher : NULL, is_safety || target->hunt->reduced,
               b->lemmas.data, b->lemmas.len, poll);
    for (uint32_t i = 0; i < b->target_count; i++)
        if (is_lemma(&b->targets[i])) proof_assume(&target->proof, b->targets[i].good.holds);
}

/* Tells the other proofs. */
static void spread_lemma(struct bounded *b, const struct target *proved)
{
    for (uint32_t i = 0; i < b->target_count; i++)
        if (b->targets[i].open && b->targets[i].proving)
            proof_assume(&b->targets[i].proof, proved->good.holds);
}

static void take_proof(struct bounded *b, struct target *target, const char *method)
{
    target->entry->verdict = VERDICT_HOLDS;
    target->entry->method = method;
    target->entry->has_bound = true;
    target->entry->bound = target->entry->cycles = b->depth;
    close_target(target);
    if (is_lemma(target)) spread_lemma(b, target);
}

static void try_proof(struct bounded *b, struct target *target)
{
    struct sat_statistics statistics;
    if (!target->provable || target->unclear) return;
    if (!target->proving) start_proof(b, target);
    sat_get_statistics(target->hunt->sat, &statistics);
    uint64_t before = target->proof.conflicts;
    enum proof_answer answer = proof_try(&target->proof, 1000 + statistics.conflicts);
    b->statistics->proof_conflicts += target->proof.conflicts - before;
    if (answer == PROOF_FAILED) target->provable = false; /* the hunt will find it */
    if (answer == PROOF_STOPPED) is_stopped(b, target->proof.base.sat);
    if (sat_is_full(target->proof.step.sat)) is_stopped(b, target->proof.step.sat);
    if (answer != PROOF_DONE) return;
    take_proof(b, target,
               !target->is_temporal        ? "k-induction"
               : target->watcher.is_safety ? "k-induction with the formula's automaton"
                                           : "k-induction after liveness to safety");
}

/* ---- antecedents ---- */

/* Whether the antecedent of a property that is proved can ever be true: by an induction of its own,
 * a little deeper than that of the property. Where neither a run to such a state nor a proof is
 * found, it stays unknown. */
static void decide_antecedent(struct bounded *b, struct target *target)
{
    enum { MORE_DEPTHS = 4, MORE_CONFLICTS = 10000 };
    struct property_result *entry = target->entry;
    uint64_t depths = 2 * entry->bound + MORE_DEPTHS;
    enum proof_answer answer = PROOF_OPEN;
    proof_init(&b->reach, &b->net, target->antecedent, NULL, true, b->lemmas.data, b->lemmas.len,
               (struct proof_poll){go_on, b});
    b->reach.base_conflicts = MORE_CONFLICTS;
    for (uint32_t i = 0; i < b->target_count; i++)
        if (is_lemma(&b->targets[i])) proof_assume(&b->reach, b->targets[i].good.holds);
    for (uint64_t i = 0; i < depths && answer == PROOF_OPEN && b->result->stop == STOP_NONE; i++)
        answer = proof_try(&b->reach, MORE_CONFLICTS);
    entry->antecedent_met = answer == PROOF_FAILED;
    entry->antecedent_never = answer == PROOF_DONE;
    proof_release(&b->reach);
    sat_free(b->reach.base.sat);
    sat_free(b->reach.step.sat);
    b->reach.base.sat = b->reach.step.sat = NULL;
}

static void decide_antecedents(struct bounded *b)
{
    const enum stop_reason stop = b->result->stop;
    if (b->task->without_induction
        || (stop != STOP_NONE && stop != STOP_DEPTH && stop != STOP_FIRST))
        return;
    b->has_ended = true;
    b->ended = stop;
    b->result->stop = STOP_NONE;
    for (uint32_t i = 0; i < b->target_count && b->result->stop == STOP_NONE; i++) {
        const struct property_result *entry = b->targets[i].entry;
        if (entry->verdict == VERDICT_HOLDS && entry->has_antecedent)
            decide_antecedent(b, &b->targets[i]);
    }
    b->result->stop = stop;
}

/* ---- the search ---- */

/* One property at the depth that the search has come to. */
static void look(struct bounded *b, struct target *target)
{
    if (!target->open) return;
    b->phase = target->entry->property->name;
    enum sat_answer answer = target->is_temporal ? ask_runs(b, target) : ask_states(b, target);
    if (answer == SAT_STOPPED) is_stopped(b, target->hunt->sat);
    else if (answer == SAT_YES) take_violation(b, target);
    if (b->result->stop != STOP_NONE || answer != SAT_NO) return;
    target->entry->has_bound = true;
    target->entry->cycles = b->depth;
    target->entry->bound = b->depth * steps_per_cycle(target->hunt);
    if (target->runs_ended && !target->unclear) take_proof(b, target, "no run is longer");
    else try_proof(b, target);
}

static void add_statistics(struct bounded_statistics *sum, const struct sat *sat)
{
    struct sat_statistics statistics;
    if (!sat) return;
    sat_get_statistics(sat, &statistics);
    sum->variables += statistics.variables;
    sum->clauses += statistics.clauses;
    sum->literals += statistics.literals;
    sum->conflicts += statistics.conflicts;
    sum->calls += statistics.calls;
}

static void sum_statistics(struct bounded *b)
{
    struct bounded_statistics *sum = b->statistics;
    sum->variables = sum->clauses = sum->literals = sum->conflicts = sum->calls = 0;
    for (uint32_t i = 0; i < b->hunt_count; i++) add_statistics(sum, b->hunts[i].sat);
    for (uint32_t i = 0; i < b->target_count; i++) {
        add_statistics(sum, b->targets[i].proof.base.sat);
        add_statistics(sum, b->targets[i].proof.step.sat);
    }
}

static void note_depth(struct bounded *b)
{
    struct bounded_statistics *statistics = b->statistics;
    double time = clock_now();
    uint32_t n = statistics->depth_count;
    sum_statistics(b);
    if ((n & (n - 1)) == 0) /* a power of two: the room is used up */
        statistics->depths = mem_resize(b->mem, statistics->depths,
                                        (n ? 2 * (size_t)n : 1) * sizeof *statistics->depths);
    statistics->depths[statistics->depth_count++] =
        (struct bounded_depth){statistics->depth, time - b->depth_started, statistics->variables,
                               statistics->clauses, statistics->conflicts};
    b->depth_started = time;
}

static bool is_wanted(const struct bounded *b)
{
    bool violated = false;
    for (uint32_t i = 0; i < b->target_count; i++)
        violated |= b->targets[i].entry->verdict == VERDICT_VIOLATED;
    if (violated && b->task->stop_at_first) return b->result->stop = STOP_FIRST, false;
    for (uint32_t i = 0; i < b->target_count; i++)
        if (b->targets[i].open && !b->targets[i].entry->watched_only) return true;
    return false;
}

/* One position further in every unrolling that is still needed. False: the bound was reached in all
 * of them. */
static bool deepen(struct bounded *b)
{
    bool any = false;
    b->depth++;
    for (uint32_t i = 0; i < b->hunt_count; i++) {
        struct hunt *hunt = &b->hunts[i];
        uint64_t steps = b->depth * steps_per_cycle(hunt);
        if (!hunt->open || (b->task->max_depth && steps > b->task->max_depth)) continue;
        any = true;
        if (steps > b->statistics->depth) b->statistics->depth = steps;
        unroll_extend(&hunt->u);
        for (uint32_t k = 0; k < b->target_count; k++)
            if (b->targets[k].open && b->targets[k].hunt == hunt && b->targets[k].is_temporal)
                ltl_extend(&b->targets[k].ltl);
    }
    if (any) b->statistics->cycles = b->depth;
    return any;
}

static void search(struct bounded *b)
{
    while (b->result->stop == STOP_NONE && is_wanted(b)) {
        for (uint32_t i = 0; i < b->target_count && b->result->stop == STOP_NONE; i++)
            if (b->targets[i].open && unroll_last(&b->targets[i].hunt->u) == b->depth)
                look(b, &b->targets[i]);
        note_depth(b);
        if (b->result->stop == STOP_NONE && is_wanted(b) && !deepen(b))
            b->result->stop = STOP_DEPTH;
        if (b->result->stop == STOP_NONE) go_on(b);
    }
}

static struct sat *new_solver(struct bounded *b) { return sat_new(b->mem, go_on, b); }

static struct sat *new_recorder(struct bounded *b) { return sat_new_recorder(b->mem); }

static void prepare(struct bounded *b, struct sat *(*new_sat)(struct bounded *b))
{
    struct task *task = b->task;
    b->targets = mem_alloc(b->mem, (task->property_count + UINT64_C(1)) * sizeof *b->targets);
    net_init(&b->net, b->model);
    for (uint32_t i = 0; i < task->property_count; i++) {
        prepare_target(b, &b->targets[i], &task->properties[i]);
        b->target_count++;
        if (!b->targets[i].is_temporal) vec_push(b->mem, &b->lemmas, b->targets[i].good.holds);
    }
    assign_hunts(b);
    for (uint32_t i = 0; i < b->hunt_count; i++)
        if (b->hunts[i].open) {
            b->hunts[i].sat = new_sat(b);
            start_hunt(b, &b->hunts[i]);
        }
}

/* What no search is needed for. */
static void decide_trivial(struct bounded *b)
{
    for (uint32_t i = 0; i < b->target_count; i++) {
        struct target *target = &b->targets[i];
        if (!target->open || target->is_temporal || target->good.holds != LIT_TRUE) continue;
        target->entry->verdict = VERDICT_HOLDS;
        target->entry->method = target->entry->kind == PROPERTY_RUNTIME_ERROR
                                    ? "no step can fail"
                                    : "it is true in every state";
        close_target(target);
    }
}

static void finish(struct bounded *b)
{
    struct result *result = b->result;
    sum_statistics(b);
    result->complete = true;
    for (uint32_t i = 0; i < b->task->property_count;
         i++) { /* also those for which there was no memory to prepare a target */
        struct property_result *entry = &b->task->properties[i];
        bool unclear = i < b->target_count && b->targets[i].unclear;
        if (entry->verdict == VERDICT_UNKNOWN && !entry->watched_only) result->complete = false;
        if (entry->verdict == VERDICT_VIOLATED) result->complete = false;
        if (entry->verdict != VERDICT_UNKNOWN || entry->reason) continue;
        entry->reason =
            unclear ? result_cannot_evaluate
                    : stop_reason_text[result->stop != STOP_NONE ? result->stop : STOP_DECIDED];
    }
}

/* The solvers' memory is their own. */
static void release_solvers(struct bounded *b)
{
    sat_free(b->reach.base.sat);
    sat_free(b->reach.step.sat);
    for (uint32_t i = 0; i < b->hunt_count; i++) sat_free(b->hunts[i].sat);
    for (uint32_t i = 0; i < b->target_count; i++) {
        sat_free(b->targets[i].proof.base.sat);
        sat_free(b->targets[i].proof.step.sat);
    }
}

static void release(struct bounded *b)
{
    for (uint32_t i = 0; i < b->target_count; i++) {
        struct target *target = &b->targets[i];
        if (target->proving) proof_release(&target->proof);
        if (target->has_watcher) watcher_release(&target->watcher);
        if (target->ltl.mem) ltl_release(&target->ltl);
    }
    for (uint32_t i = 0; i < b->hunt_count; i++) {
        struct hunt *hunt = &b->hunts[i];
        if (hunt->started) unroll_release(&hunt->u);
        if (hunt->reduced) phases_release(&hunt->phases);
        mem_free(b->mem, hunt->visible);
    }
    vec_free(b->mem, &b->lemmas);
    mem_free(b->mem, b->hunts);
    mem_free(b->mem, b->targets);
    net_release(&b->net);
}

static void start(struct bounded *b, struct task *task, struct result *result)
{
    struct mem *mem = task->model->mem;
    memset(b, 0, sizeof *b);
    memset(result, 0, sizeof *result);
    b->task = task;
    b->result = result;
    b->model = task->model;
    b->mem = mem;
    b->started = b->last_progress = b->depth_started = clock_now();
    b->statistics = result->bounded = mem_alloc(mem, sizeof *b->statistics);
    result->engine = "bounded";
    if (task->reduction == REDUCE_POR || task->reduction == REDUCE_STEPS)
        result->reduction = task->reduction; /* others save nothing here */
}

static __attribute__((noinline)) void
work(struct bounded *b) /* not part of a function that may be jumped into */
{
    prepare(b, new_solver);
    decide_trivial(b);
    b->result->state_bits = b->net.bits.total;
    search(b);
    decide_antecedents(b);
}

void bounded_run(struct task *task, struct result *result)
{
    struct mem *mem = task->model->mem;
    jmp_buf recover, *outer = mem->recover;
    const struct mem_lift before = {mem->limit, mem->lifted};
    struct bounded *b = mem_alloc(mem, sizeof *b);
    start(b, task, result);
    if (setjmp(recover)) {
        if (b->has_ended) result->stop = b->ended;
        else if (result->stop == STOP_NONE) result->stop = result_why_refused();
        b->interrupted = true;
    } else {
        mem->recover = &recover;
        work(b);
    }
    mem->recover = outer;
    mem_lift(mem);
    finish(b);
    mem_lower(mem, before);
    release_solvers(b);
    if (!b->interrupted)
        release(
            b); /* otherwise some of it is half built: the context frees its blocks in the end */
    result->seconds = clock_now() - b->started;
    result->peak_bytes = mem->peak;
    mem_free(mem, b);
}

void bounded_hunt(struct task *task, struct result *result)
{
    struct task hunt = *task;
    if (task->reduction == REDUCE_NONE) {
        hunt.reduction = REDUCE_STEPS;
        hunt.phase_auto = true;
    }
    bounded_run(&hunt, result);
}

/* ---- DIMACS ---- */

static void write_states(const struct bounded *b, const struct unrolling *u, FILE *out)
{
    const struct bits *bits = &b->net.bits;
    for (uint32_t p = 0; p < u->positions.len; p++)
        for (uint32_t v = 0; v < b->model->vars.len; v++) {
            fprintf(out, "c state %u: %s =", p, b->model->vars.data[v].name);
            for (uint32_t i = bits_width(bits, v); i-- > 0;)
                fprintf(out, " %d", unroll_state(u, p)[bits->first[v] + i]);
            fprintf(out, " + %lld\n", (long long)b->model->vars.data[v].low);
        }
}

const char *bounded_write(struct task *task, FILE *out)
{
    struct result result;
    struct bounded *b = mem_alloc(task->model->mem, sizeof *b);
    start(b, task, &result);
    task->without_induction = true;
    task->property_count = 1;
    prepare(b, new_recorder);
    struct target *target = &b->targets[0];
    const char *problem = target->entry->reason;
    if (!problem) {
        struct hunt *hunt = target->hunt;
        while ((unroll_last(&hunt->u) + UINT64_C(1)) * steps_per_cycle(hunt) <= task->max_depth) {
            unroll_extend(&hunt->u);
            if (target->is_temporal) ltl_extend(&target->ltl);
        }
        b->depth = unroll_last(&hunt->u);
        assume_violation(b, target);
        fprintf(out,
                "c %s, property %s, %llu steps: satisfiable exactly when such a run violates it\n",
                b->model->name, target->entry->property->name,
                (unsigned long long)(b->depth * steps_per_cycle(hunt)));
        write_states(b, &hunt->u, out);
        sat_write(hunt->sat, out);
    }
    release_solvers(b);
    release(b);
    mem_free(task->model->mem, b);
    return problem;
}
