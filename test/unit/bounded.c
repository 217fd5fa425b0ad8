/* Unrollings against the reference evaluator. Random models of two processes are small enough to
 * list all states: for every kind of step, from depth to depth, a state can be at a position
 * exactly when listing says so; what is decoded replays; outputs have the values that the evaluator
 * gives. Proofs by induction say what listing says, and come to an end. */
#include "base/random.h"
#include "engine/bounded/ltl.h"
#include "engine/bounded/proof.h"
#include "model/eval.h"
#include "unit/unit.h"

#include <setjmp.h>
#include <string.h>

enum { VARS = 5, MAX_STATES = 3 * 3 * 2 * 3 * 3, MAX_RULES = 8, DEPTH = 4, MODELS = 250 };

struct test {
    struct unit *unit;
    struct random random;
    struct mem *mem;
    struct model *model;
    struct net net;
    struct process_model processes;
    bool visible[VARS + 1];
    uint64_t yes, no, failing;
};

static uint64_t below(struct test *t, uint64_t bound) { return random_below(&t->random, bound); }

/* ---- random models ---- */

static expr compare(struct test *t, enum expr_op op, uint32_t var, int64_t value)
{
    return expr_make(&t->model->exprs, op, 0, expr_var(&t->model->exprs, var),
                     expr_int(&t->model->exprs, value));
}

static int64_t random_value(struct test *t, uint32_t var)
{
    const struct model_var *v = &t->model->vars.data[var];
    return v->low + (int64_t)below(t, (uint64_t)(v->high - v->low) + 1);
}

static expr random_condition(struct test *t, uint32_t var)
{
    struct exprs *exprs = &t->model->exprs;
    if (below(t, 8) == 0) { /* fails where the variable is 0 */
        expr x = expr_var(exprs, var), cut = expr_make(exprs, EXPR_CUT, 2, x, x);
        return expr_make(exprs, EXPR_GT, 0, expr_make(exprs, EXPR_DIV, 2, expr_int(exprs, 3), cut),
                         expr_int(exprs, 1));
    }
    return compare(t, EXPR_EQ + (enum expr_op)below(t, 6), var, random_value(t, var));
}

static void random_store(struct test *t, uint32_t var)
{
    uint32_t other = (uint32_t)below(t, VARS);
    const struct model_var *to = &t->model->vars.data[var], *from = &t->model->vars.data[other];
    bool copies = below(t, 2) && from->low >= to->low && from->high <= to->high;
    model_add_store(t->model, var,
                    copies ? expr_var(&t->model->exprs, other)
                           : expr_int(&t->model->exprs, random_value(t, var)),
                    (struct place){0});
}

/* Variables 0, 1: where the processes stand; 2, 3: their own; 4: global. */
static void random_rule(struct test *t)
{
    struct place nowhere = {0};
    unsigned kind = (unsigned)below(t, 10); /* both processes, none, or one */
    model_begin_rule(t->model, "rule");
    for (uint32_t p = 0; p < 2; p++) {
        if (kind > 1 && kind % 2 != p) continue;
        if (kind == 1) continue;
        model_add_part(t->model, p, nowhere);
        if (below(t, 8))
            model_add_conjunct(t->model, compare(t, EXPR_EQ, p, (int64_t)below(t, 3)), nowhere);
        if (below(t, 3) == 0)
            model_add_conjunct(t->model,
                               random_condition(t, below(t, 3) ? 2 + p : (uint32_t)below(t, VARS)),
                               nowhere);
        if (below(t, 4))
            model_add_store(t->model, p, expr_int(&t->model->exprs, (int64_t)below(t, 3)), nowhere);
        if (below(t, 2)) random_store(t, 2 + p);
    }
    if (kind == 1) {
        model_add_part(t->model, MODEL_NONE, nowhere);
        model_add_conjunct(t->model, random_condition(t, (uint32_t)below(t, VARS)), nowhere);
    }
    if (kind < 2 || below(t, 6) == 0) random_store(t, 4);
    model_end_rule(t->model);
}

static void random_model(struct test *t)
{
    static const char *const names[] = {"p", "q", "p.x", "q.x", "g"};
    static const int64_t low[] = {0, 0, 0, -1, 0}, high[] = {2, 2, 1, 1, 2};
    t->model = model_new(t->mem, "random");
    for (uint32_t v = 0; v < VARS; v++) {
        struct model_var var = {.name = names[v],
                                .process = v < 4 ? v % 2 : MODEL_NONE,
                                .low = low[v],
                                .high = high[v],
                                .init = low[v],
                                .any_init = below(t, 8) == 0};
        vec_push(t->mem, &t->model->vars, var);
    }
    for (uint32_t p = 0; p < 2; p++) {
        struct model_process process = {.name = names[p], .type = names[p], .location = p};
        vec_push(t->mem, &t->model->processes, process);
    }
    for (uint64_t i = 2 + below(t, MAX_RULES - 1); i > 0; i--) random_rule(t);
    model_finish(t->model);
    for (uint32_t v = 0; v < VARS; v++) t->visible[v] = below(t, 4) == 0;
}

/* ---- states by number ---- */

static uint32_t number_of(const struct test *t, const int64_t *state)
{
    uint64_t number = 0;
    for (uint32_t v = VARS; v-- > 0;) {
        const struct model_var *var = &t->model->vars.data[v];
        number = number * (uint64_t)(var->high - var->low + 1) + (uint64_t)(state[v] - var->low);
    }
    return (uint32_t)number;
}

static void state_of(const struct test *t, uint32_t number, int64_t *state)
{
    for (uint32_t v = 0; v < VARS; v++) {
        const struct model_var *var = &t->model->vars.data[v];
        uint32_t size = (uint32_t)(var->high - var->low + 1);
        state[v] = var->low + number % size;
        number /= size;
    }
}

static bool is_dead(const struct test *t, const int64_t *state)
{
    int64_t next[VARS];
    for (uint32_t r = 0; r < t->model->rules.len; r++)
        if (eval_rule(t->model, r, state, next) == EVAL_ENABLED) return false;
    return true;
}

static bool can_fail(const struct test *t, const int64_t *state)
{
    int64_t next[VARS];
    for (uint32_t r = 0; r < t->model->rules.len; r++)
        if (eval_rule(t->model, r, state, next) == EVAL_FAILED) return true;
    return false;
}

static bool has(const struct model *model, uint32_t first, uint32_t count, uint32_t var)
{
    for (uint32_t i = 0; i < count; i++)
        if (model->accesses.data[first + i] == var) return true;
    return false;
}

static bool are_independent(const struct test *t, uint32_t r, uint32_t q)
{
    const struct model_rule *a = &t->model->rules.data[r], *b = &t->model->rules.data[q];
    for (uint32_t v = 0; v < VARS; v++) {
        bool a_writes = has(t->model, a->first_write, a->writes, v),
             b_writes = has(t->model, b->first_write, b->writes, v);
        if (a_writes && (b_writes || has(t->model, b->first_read, b->reads, v))) return false;
        if (b_writes && has(t->model, a->first_read, a->reads, v)) return false;
    }
    return true;
}

static bool writes_visible(const struct test *t, uint32_t r)
{
    const struct model_rule *rule = &t->model->rules.data[r];
    for (uint32_t v = 0; v < VARS; v++)
        if (t->visible[v] && has(t->model, rule->first_write, rule->writes, v)) return true;
    return false;
}

/* ---- steps by listing ---- */

/* All sets of rules beside those in `set`, numbered from `from` on, one after the other. */
static void take_sets(const struct test *t, const int64_t *state, const int64_t *old, uint32_t from,
                      uint32_t set, bool limited, bool *to)
{
    int64_t next[VARS], ignored[VARS];
    if (set) to[number_of(t, state)] = true;
    for (uint32_t r = from; r < t->model->rules.len; r++) {
        bool fits = eval_rule(t->model, r, old, ignored) == EVAL_ENABLED;
        for (uint32_t q = 0; q < r && fits; q++)
            if (set >> q & 1)
                fits = are_independent(t, r, q)
                       && !(limited && writes_visible(t, r) && writes_visible(t, q));
        if (fits && eval_rule(t->model, r, state, next) == EVAL_ENABLED)
            take_sets(t, next, old, r + 1, set | 1u << r, limited, to);
    }
}

static void full_step(const struct test *t, const struct unroll_options *options, const bool *from,
                      bool *to)
{
    int64_t state[VARS], next[VARS];
    memset(to, 0, MAX_STATES);
    for (uint32_t s = 0; s < MAX_STATES; s++) {
        if (!from[s]) continue;
        state_of(t, s, state);
        if (options->endless && is_dead(t, state)) to[s] = true;
        if (options->schedule.sets) take_sets(t, state, state, 0, 0, options->schedule.visible, to);
        for (uint32_t r = 0; r < t->model->rules.len && !options->schedule.sets; r++)
            if (eval_rule(t->model, r, state, next) == EVAL_ENABLED) to[number_of(t, next)] = true;
    }
}

static void safe_step(const struct test *t, uint32_t process, const bool *from, bool *to)
{
    int64_t state[VARS], next[VARS];
    memset(to, 0, MAX_STATES);
    for (uint32_t s = 0; s < MAX_STATES; s++) {
        bool any = false;
        state_of(t, s, state);
        for (uint32_t r = 0; r < t->model->rules.len && from[s]; r++) {
            if (t->processes.rules[r].process != process
                || eval_rule(t->model, r, state, next) != EVAL_ENABLED)
                continue;
            to[number_of(t, next)] = any = true;
        }
        if (from[s] && !any) to[s] = true;
    }
}

/* What can be at the next position. */
static void next_position(const struct test *t, const struct unroll_options *options, bool *states)
{
    bool other[MAX_STATES];
    const struct schedule *schedule = &options->schedule;
    uint32_t rounds = schedule->rounds ? schedule->rounds : 1;
    for (uint32_t i = 0; schedule->processes && i < rounds; i++)
        for (uint32_t p = 0; p < 2; p++)
            for (uint32_t n = schedule->rounds ? 1 : schedule->safe_steps[p]; n > 0; n--) {
                safe_step(t, p, states, other);
                memcpy(states, other, sizeof other);
            }
    full_step(t, options, states, other);
    memcpy(states, other, sizeof other);
}

/* ---- unrollings ---- */

static bool go_on(void *context)
{
    (void)context;
    return true;
}

static void assume_state(const struct test *t, const struct unrolling *u, uint32_t position,
                         const int64_t *state)
{
    for (uint32_t v = 0; v < VARS; v++) {
        uint64_t code = (uint64_t)(state[v] - t->model->vars.data[v].low);
        for (uint32_t b = 0; b < bits_width(&t->net.bits, v); b++) {
            int literal = unroll_state(u, position)[t->net.bits.first[v] + b];
            sat_assume(u->sat, code >> b & 1 ? literal : -literal);
        }
    }
}

/* Whether the run that was found leads to the state at the last position, rule by rule. */
static bool replays(const struct test *t, const struct unrolling *u, const int64_t *end)
{
    uint32_t starts[DEPTH + 1], last = unroll_last(u);
    struct trace *trace = unroll_trace(u, last, starts);
    struct trace_walk walk;
    bool good = trace_walk_start(&walk, t->model, trace) || u->options.from_anywhere;
    while (good && walk.at < trace->steps) good = trace_walk_step(&walk);
    good &= !memcmp(walk.state, end, sizeof(int64_t[VARS])) && starts[0] == 0
            && starts[last] == trace->steps;
    for (uint32_t p = 1; p <= last; p++) good &= starts[p] >= starts[p - 1];
    trace_walk_end(&walk);
    trace_free(t->model, trace);
    return good;
}

static unsigned compare_position(struct test *t, const struct unrolling *u, const bool *expected)
{
    unsigned wrong = 0;
    uint32_t last = unroll_last(u);
    int64_t state[VARS];
    for (uint32_t s = 0; s < MAX_STATES; s++) {
        if (!expected[s] && below(t, 4)) continue;
        state_of(t, s, state);
        assume_state(t, u, last, state);
        enum sat_answer answer = sat_solve(u->sat);
        wrong += answer != (expected[s] ? SAT_YES : SAT_NO);
        answer == SAT_YES ? t->yes++ : t->no++;
        if (answer != SAT_YES) continue;
        wrong += !replays(t, u, state);
        wrong += sat_value(u->sat, unroll_output(u, last, t->net.dead)) != is_dead(t, state);
        wrong += sat_value(u->sat, unroll_output(u, last, t->net.fails)) != can_fail(t, state);
        t->failing += can_fail(t, state);
    }
    return wrong;
}

/* Whether a rule can be taken in the step to the last position: exactly where it is enabled
 * before. */
static unsigned compare_rules(const struct test *t, const struct unrolling *u, const bool *before)
{
    const struct unroll_frame *frame = &u->frames.data[u->frames.len - 2];
    unsigned wrong = 0;
    int64_t state[VARS], next[VARS];
    for (uint32_t i = 0; i < frame->step->rules.len; i++) {
        bool possible = false;
        for (uint32_t s = 0; s < MAX_STATES && !possible; s++) {
            state_of(t, s, state);
            possible =
                before[s]
                && eval_rule(t->model, frame->step->rules.data[i], state, next) == EVAL_ENABLED;
        }
        sat_assume(u->sat, frame->taken + (int)i);
        wrong += sat_solve(u->sat) != (possible ? SAT_YES : SAT_NO);
    }
    return wrong;
}

static void initial_states(const struct test *t, bool *states)
{
    int64_t state[VARS];
    memset(states, 0, MAX_STATES);
    eval_first_initial(t->model, state);
    do states[number_of(t, state)] = true;
    while (eval_next_initial(t->model, state));
}

static unsigned compare_unrolling(struct test *t, const struct unroll_options *options)
{
    struct unrolling u;
    struct sat *sat = sat_new(t->mem, go_on, NULL);
    lit outputs[] = {t->net.dead, t->net.fails};
    bool states[MAX_STATES], before[MAX_STATES];
    unsigned wrong = 0;
    unroll_init(&u, &t->net, sat, options, outputs, 2);
    initial_states(t, states);
    wrong += compare_position(t, &u, states);
    for (unsigned depth = 1; depth <= DEPTH; depth++) {
        memcpy(before, states, sizeof before);
        unroll_extend(&u);
        next_position(t, options, states);
        wrong += compare_position(t, &u, states);
        if (!options->schedule.processes) wrong += compare_rules(t, &u, before);
    }
    unroll_release(&u);
    sat_free(sat);
    return wrong;
}

static void test_unrollings(struct test *t)
{
    unsigned wrong[4] = {0};
    for (unsigned i = 0; i < MODELS; i++) {
        random_model(t);
        net_init(&t->net, t->model);
        process_model_init(&t->processes, t->model, t->visible);
        uint32_t safe_steps[] = {(uint32_t)below(t, 3), (uint32_t)below(t, 3)};
        bool endless = below(t, 2);
        struct unroll_options one = {.endless = endless}, sets = {.endless = endless},
                              turns = {.endless = endless}, rounds = {.endless = endless};
        sets.schedule.sets = true;
        if (below(t, 2)) sets.schedule.visible = t->visible;
        turns.schedule = (struct schedule){.processes = &t->processes, .safe_steps = safe_steps};
        rounds.schedule = (struct schedule){.processes = &t->processes,
                                            .safe_steps = safe_steps,
                                            .rounds = 1 + (uint32_t)below(t, 2),
                                            .sets = below(t, 2)};
        wrong[0] += compare_unrolling(t, &one);
        wrong[1] += compare_unrolling(t, &sets);
        wrong[2] += compare_unrolling(t, &turns);
        wrong[3] += compare_unrolling(t, &rounds);
        process_model_release(&t->processes);
        net_release(&t->net);
    }
    CHECK(t->unit, wrong[0] == 0);
    CHECK(t->unit, wrong[1] == 0);
    CHECK(t->unit, wrong[2] == 0);
    CHECK(t->unit, wrong[3] == 0);
    CHECK(t->unit, t->yes > 1000 && t->no > 1000 && t->failing > 100);
}

/* ---- proofs ---- */

/* The smallest distance of a bad state, or MODEL_NONE; *any: some state is bad, reachable or
 * not. */
static uint32_t find_bad(const struct test *t, expr good, bool *any)
{
    struct unroll_options one = {0};
    bool states[MAX_STATES];
    int64_t state[VARS], value = 0;
    *any = false;
    for (uint32_t s = 0; s < MAX_STATES; s++) {
        state_of(t, s, state);
        *any |= eval_expr(t->model, good, state, &value) && !value;
    }
    initial_states(t, states);
    for (uint32_t distance = 0; distance <= MAX_STATES; distance++) {
        for (uint32_t s = 0; s < MAX_STATES; s++) {
            state_of(t, s, state);
            if (states[s] && eval_expr(t->model, good, state, &value) && !value) return distance;
        }
        next_position(t, &one, states);
    }
    return MODEL_NONE;
}

/* Without a base the caller vouches for the depths before: so it is asked only as far as nothing
 * bad was found. */
static void test_proofs(struct test *t)
{
    unsigned wrong = 0, proved = 0, deep = 0, reached = 0;
    for (unsigned i = 0; i < 2 * MODELS; i++) {
        struct proof proof;
        bool with_base = below(t, 2), any;
        random_model(t);
        net_init(&t->net, t->model);
        struct exprs *exprs = &t->model->exprs;
        expr good = expr_bool(exprs, false);
        for (uint32_t v = 0; v < VARS; v++) /* not this combination of values */
            if (v < 2 || below(t, 2))
                good =
                    expr_make(exprs, EXPR_OR, 0, good, compare(t, EXPR_NE, v, random_value(t, v)));
        if (below(t, 8) == 0)
            good = compare(
                t, EXPR_LE, i % VARS,
                t->model->vars.data[i % VARS].high); /* no state is bad, but bits could be */
        struct net_condition condition = net_condition(&t->net, good);
        uint32_t distance = find_bad(t, good, &any), depth = 0;
        enum proof_answer answer;
        proof_init(&proof, &t->net, lit_not(condition.holds), NULL, with_base, NULL, 0,
                   (struct proof_poll){go_on, NULL});
        do answer = !with_base && depth == distance ? PROOF_FAILED : proof_try(&proof, UINT32_MAX);
        while (answer == PROOF_OPEN && depth++ < MAX_STATES);
        wrong += answer != (distance == MODEL_NONE ? PROOF_DONE : PROOF_FAILED);
        if (answer == PROOF_FAILED) wrong += depth != distance;
        if (!any) wrong += depth != 0;
        proved += answer == PROOF_DONE && any;
        deep += answer == PROOF_DONE && depth > 2;
        reached += answer == PROOF_FAILED && depth > 1;
        proof_release(&proof);
        sat_free(proof.base.sat);
        sat_free(proof.step.sat);
        net_release(&t->net);
    }
    CHECK(t->unit, wrong == 0);
    CHECK(t->unit, proved > 10 && deep > 2 && reached > 5);
}

/* A solver that was stopped has proved nothing: here because the process has more memory than
 * allowed. */
static void test_stopped_proof(struct test *t)
{
    for (unsigned with_base = 0; with_base < 2; with_base++) {
        struct proof proof;
        random_model(t);
        net_init(&t->net, t->model);
        proof_init(&proof, &t->net, LIT_FALSE, NULL, with_base, NULL, 0,
                   (struct proof_poll){go_on, NULL});
        t->mem->limit = 1;
        CHECK(t->unit, proof_try(&proof, UINT32_MAX) == (with_base ? PROOF_STOPPED : PROOF_OPEN));
        t->mem->limit = 0;
        proof_release(&proof);
        sat_free(proof.base.sat);
        sat_free(proof.step.sat);
        net_release(&t->net);
    }
}

/* ---- loops ---- */

static bool can_be(struct sat *sat, int a, int b)
{
    sat_assume(sat, a);
    sat_assume(sat, b);
    return sat_solve(sat) == SAT_YES;
}

/* A run has at most one loop, and the positions inside it are those from its start on: otherwise an
 * until could be kept by what lies before the loop that is shown. */
static void test_loops(struct test *t)
{
    unsigned wrong = 0, loops = 0;
    for (unsigned n = 0; n < MODELS / 10; n++) {
        struct unroll_options options = {.endless = true};
        struct unrolling u;
        struct ltl ltl;
        struct sat *sat = sat_new(t->mem, go_on, NULL);
        lit *outputs;
        uint32_t count;
        random_model(t);
        net_init(&t->net, t->model);
        formula atom =
            formula_atom(&t->model->formulas, compare(t, EXPR_EQ, 0, 1), (struct place){0});
        wrong += ltl_prepare(&ltl, &t->net,
                             formula_make(&t->model->formulas, &t->model->exprs, FORMULA_F, atom,
                                          atom, (struct place){0}),
                             true)
                 != NULL;
        ltl_outputs(&ltl, t->mem, &outputs, &count);
        unroll_init(&u, &t->net, sat, &options, outputs, count);
        ltl_start(&ltl, &u);
        for (unsigned depth = 1; depth <= DEPTH; depth++) {
            unroll_extend(&u);
            ltl_extend(&ltl);
        }
        for (uint32_t i = 0; i <= DEPTH; i++) {
            loops += can_be(sat, ltl.starts.data[i], ltl.starts.data[i]);
            for (uint32_t j = 0; j <= DEPTH; j++) {
                if (i != j) wrong += can_be(sat, ltl.starts.data[i], ltl.starts.data[j]);
                wrong += can_be(sat, ltl.starts.data[i],
                                i <= j ? -ltl.inside.data[j] : ltl.inside.data[j]);
            }
        }
        ltl_release(&ltl);
        unroll_release(&u);
        mem_free(t->mem, outputs);
        sat_free(sat);
        net_release(&t->net);
    }
    CHECK(t->unit, wrong == 0);
    CHECK(t->unit, loops >= MODELS / 10);
}

/* ---- at most one ---- */

static void test_at_most_one(struct test *t)
{
    unsigned wrong = 0;
    random_model(t);
    net_init(&t->net, t->model);
    for (uint32_t count = 0; count <= 9; count++) {
        struct unroll_options options = {0};
        struct unrolling u;
        int literals[9];
        struct sat *sat = sat_new(t->mem, go_on, NULL);
        unroll_init(&u, &t->net, sat, &options, NULL, 0);
        int first = sat_variables(sat, 9);
        for (uint32_t i = 0; i < count; i++)
            literals[i] = i % 3 ? first + (int)i : -(first + (int)i);
        sat_at_most_one(u.sat, literals, count);
        for (uint32_t set = 0; set < 1u << count; set++) {
            for (uint32_t i = 0; i < count; i++)
                sat_assume(sat, set >> i & 1 ? literals[i] : -literals[i]);
            wrong += sat_solve(sat) != ((set & (set - 1)) == 0 ? SAT_YES : SAT_NO);
        }
        unroll_release(&u);
        sat_free(sat);
    }
    net_release(&t->net);
    CHECK(t->unit, wrong == 0);
}

int main(void)
{
    struct unit unit = {0};
    struct mem mem;
    struct test t = {.unit = &unit, .random = {1}, .mem = &mem};
    jmp_buf recover;
    mem_init(&mem);
    mem.recover = &recover;
    if (setjmp(recover)) return puts("out of memory"), 1;
    test_unrollings(&t);
    test_proofs(&t);
    test_stopped_proof(&t);
    test_loops(&t);
    test_at_most_one(&t);
    mem_release(&mem);
    return unit_finish(&unit);
}
