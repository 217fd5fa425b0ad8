/* Circuits against the reference evaluator: random expressions and rules of all operators and
 * widths, values and failures; the same again as decision diagrams, for models small enough; and
 * memory refused at every moment. */
#include "base/random.h"
#include "bits/bits.h"
#include "engine/symbolic/encode.h"
#include "model/eval.h"
#include "unit/unit.h"

#include <inttypes.h>
#include <setjmp.h>
#include <string.h>

enum { VARS = 7, SMALL_VARS = 5, RULES = 4 };

struct test {
    struct unit *unit;
    struct random random;
    struct mem mem;
    struct model *model;
    unsigned widest; /* bits of a variable or an operator */
    uint64_t failures, values, disabled, enabled;
    VEC(uint8_t) gates; /* the value of every gate */
};

static uint64_t below(struct test *t, uint64_t bound) { return random_below(&t->random, bound); }

/* ---- random models ---- */

static struct model_var random_var(struct test *t)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
    struct model_var var = {.name = names[t->model->vars.len], .process = MODEL_NONE};
    uint64_t span = expr_mask((unsigned)below(t, t->widest + 1));
    switch (below(t, 7)) {
    case 3: /* above zero */
        var.low = 1 + (int64_t)below(t, 20);
        var.high = span < (uint64_t)INT64_MAX - 20 ? var.low + (int64_t)span : INT64_MAX;
        break;
    case 0: /* any range around or below zero */
        span = span ? below(t, span) + 1 : 0;
        var.low = -(int64_t)below(t, span / 2 + 2);
        var.high = (int64_t)((uint64_t)var.low + span);
        if (var.high < var.low) var.high = INT64_MAX;
        break;
    case 1: /* far away from zero */
        var.low =
            t->widest < 63 ? -1000 - (int64_t)below(t, 1000) : INT64_MIN + (int64_t)below(t, 3);
        var.high = (int64_t)((uint64_t)var.low + span);
        break;
    case 2: /* at the ends of 64 bits */
        if (t->widest < 63) var.low = INT64_MAX - 9, var.high = INT64_MAX;
        else
            var.low = (int64_t)below(t, 3) * (INT64_MIN / 2),
            var.high = INT64_MAX - (int64_t)below(t, 2);
        break;
    default: var.high = (int64_t)span;
    }
    var.init = var.low;
    return var;
}

static bool is_within(const struct model_var *var, unsigned bits)
{
    return var->low >= 0 && (uint64_t)var->high <= expr_mask(bits);
}

static int64_t random_value(struct test *t, int64_t low, int64_t high)
{
    uint64_t span = (uint64_t)high - (uint64_t)low;
    switch (below(t, 5)) {
    case 0: return low;
    case 1: return high;
    case 2: return low <= 0 && high >= 0 ? 0 : low;
    case 3: return (int64_t)((uint64_t)low + (span ? below(t, span < 4 ? span : 4) : 0));
    default:
        return (int64_t)((uint64_t)low
                         + (span == UINT64_MAX ? random_next(&t->random) : below(t, span + 1)));
    }
}

/* A number in 0 .. 2^bits - 1; bits = 64: any number. */
static expr random_number(struct test *t, unsigned bits, unsigned depth)
{
    struct exprs *exprs = &t->model->exprs;
    if (bits == 64 && depth && below(t, 2))
        bits = 1 + (unsigned)below(t, t->widest < 63 ? t->widest : 63);
    if (depth == 0 || bits == 64 || below(t, 4) == 0) {
        uint32_t v = (uint32_t)below(t, t->model->vars.len);
        if (below(t, 3) == 0)
            return expr_int(exprs, bits == 64 ? random_value(t, INT64_MIN, INT64_MAX)
                                              : random_value(t, 0, (int64_t)expr_mask(bits)));
        expr var = expr_var(exprs, v);
        return bits == 64 || is_within(&t->model->vars.data[v], bits)
                   ? var
                   : expr_make(exprs, EXPR_CUT, bits, var, var);
    }
    enum expr_op op = EXPR_ADD + (enum expr_op)below(t, EXPR_CUT - EXPR_ADD + 1);
    expr a = random_number(t, op == EXPR_CUT ? 64 : bits, depth - 1);
    return expr_make(exprs, op, bits, a, op == EXPR_CUT ? a : random_number(t, bits, depth - 1));
}

static expr random_condition(struct test *t, unsigned depth)
{
    struct exprs *exprs = &t->model->exprs;
    if (depth == 0 || below(t, 3) == 0) {
        unsigned bits = below(t, 3) ? 1 + (unsigned)below(t, t->widest < 63 ? t->widest : 63) : 64;
        expr a = random_number(t, bits, depth ? depth - 1 : 0),
             b = random_number(t, bits, depth ? depth - 1 : 0);
        return expr_make(exprs, EXPR_EQ + (enum expr_op)below(t, 6), 0, a, b);
    }
    expr a = random_condition(t, depth - 1), b = random_condition(t, depth - 1);
    return expr_make(exprs, EXPR_NOT + (enum expr_op)below(t, 5), 0, a, b);
}

/* A number in the range of a variable. */
static expr random_stored(struct test *t, uint32_t v, unsigned depth)
{
    const struct model_var *var = &t->model->vars.data[v],
                           *other = &t->model->vars.data[below(t, t->model->vars.len)];
    unsigned bits =
        var->high >= 0 ? expr_width((uint64_t)var->high / 2 + 1) : 0; /* 2^bits - 1 <= high ... */
    if (bits > 1 && expr_mask(bits) > (uint64_t)var->high) bits--;
    if (bits > 0 && bits < 64 && var->low <= 0 && expr_mask(bits) <= (uint64_t)var->high
        && below(t, 4))
        return random_number(t, bits, depth);
    if (other->low >= var->low && other->high <= var->high)
        return expr_var(&t->model->exprs, (uint32_t)(other - t->model->vars.data));
    return expr_int(&t->model->exprs, random_value(t, var->low, var->high));
}

static void random_model(struct test *t, unsigned vars, unsigned rules, unsigned depth)
{
    t->model = model_new(&t->mem, "random");
    for (unsigned i = 0; i < vars; i++) {
        struct model_var var = random_var(t);
        vec_push(&t->mem, &t->model->vars, var);
    }
    for (unsigned r = 0; r < rules; r++) {
        model_begin_rule(t->model, "r");
        model_add_part(t->model, MODEL_NONE, (struct place){0});
        for (unsigned i = (unsigned)below(t, 4); i > 0; i--)
            model_add_conjunct(t->model, random_condition(t, (unsigned)below(t, depth + 1)),
                               (struct place){0});
        for (uint32_t v = 0; v < vars; v++)
            if (below(t, 2))
                model_add_store(t->model, v, random_stored(t, v, (unsigned)below(t, depth + 1)),
                                (struct place){0});
        model_end_rule(t->model);
    }
    model_finish(t->model);
}

static void random_state(struct test *t, int64_t *state)
{
    for (uint32_t v = 0; v < t->model->vars.len; v++)
        state[v] = random_value(t, t->model->vars.data[v].low, t->model->vars.data[v].high);
}

/* ---- circuits ---- */

static uint64_t code_of(const struct model *model, uint32_t v, int64_t value)
{
    return (uint64_t)value - (uint64_t)model->vars.data[v].low;
}

/* All gates, for one state. */
static void run_circuit(struct test *t, const struct bits *bits, const int64_t *state)
{
    const struct circuit *c = &bits->circuit;
    t->gates.len = 0;
    vec_reserve(&t->mem, &t->gates, c->gates.len + bits->total);
    uint8_t *input = t->gates.data + c->gates.len;
    for (uint32_t v = 0; v < t->model->vars.len; v++)
        for (uint32_t b = 0; b < bits_width(bits, v); b++)
            input[bits->first[v] + b] = code_of(t->model, v, state[v]) >> b & 1;
    for (uint32_t g = 0; g < c->gates.len; g++) {
        const struct gate *gate = &c->gates.data[g];
        uint8_t a = 0, b = 0;
        if (gate->kind >= GATE_AND)
            a = t->gates.data[gate->a / 2] ^ (gate->a & 1),
            b = t->gates.data[gate->b / 2] ^ (gate->b & 1);
        t->gates.data[g] = gate->kind == GATE_INPUT ? input[gate->a]
                           : gate->kind == GATE_AND ? a & b
                           : gate->kind == GATE_XOR ? a ^ b
                                                    : 0;
    }
}

static bool value(const struct test *t, lit a) { return t->gates.data[a / 2] ^ (a & 1); }

static bool same_condition(struct test *t, expr e, lit holds, lit fails, const int64_t *state)
{
    int64_t expected = 0;
    bool good = eval_expr(t->model, e, state, &expected);
    t->failures += !good, t->values += good;
    return value(t, fails) == !good && (!good || value(t, holds) == (expected != 0));
}

static bool same_rule(struct test *t, const struct bits *bits, uint32_t r,
                      const struct bits_rule *rule, const int64_t *state)
{
    const struct model_rule *source = &t->model->rules.data[r];
    int64_t next[VARS];
    enum eval_result result = eval_rule(t->model, r, state, next);
    uint32_t at = 0;
    t->failures += result == EVAL_FAILED, t->enabled += result == EVAL_ENABLED,
        t->disabled += result == EVAL_DISABLED;
    if (value(t, rule->enabled) != (result == EVAL_ENABLED)
        || value(t, rule->fails) != (result == EVAL_FAILED))
        return false;
    if (result != EVAL_ENABLED) return true;
    for (uint32_t i = 0; i < source->stores; i++) {
        uint32_t v = t->model->stores.data[source->first_store + i].var;
        for (uint32_t b = 0; b < bits_width(bits, v); b++)
            if (value(t, rule->stored.data[at++]) != (code_of(t->model, v, next[v]) >> b & 1))
                return false;
    }
    return at == rule->stored.len;
}

static bool same_bits(struct test *t, const int64_t *state, const lit *in_range, const lit *equals,
                      const int64_t *numbers)
{
    for (uint32_t v = 0; v < t->model->vars.len; v++)
        if (!value(t, in_range[v]) || value(t, equals[v]) != (state[v] == numbers[v])) return false;
    return true;
}

static void complain(struct test *t, expr e, const int64_t *state)
{
    struct text text;
    text_init(&text, &t->mem);
    model_print_expr(t->model, &text, e);
    for (uint32_t v = 0; v < t->model->vars.len; v++)
        printf("%s = %" PRId64 " in %" PRId64 " .. %" PRId64 "\n", t->model->vars.data[v].name,
               state[v], t->model->vars.data[v].low, t->model->vars.data[v].high);
    printf("%s\n", text.data);
}

static void test_circuits(struct test *t, uint64_t seed, unsigned widest)
{
    enum { CONDITIONS = 8, STATES = 24 };
    expr e[CONDITIONS];
    lit holds[CONDITIONS], fails[CONDITIONS], in_range[VARS], equals[VARS];
    struct bits_rule rules[RULES];
    int64_t numbers[VARS], state[VARS];
    struct bits bits;
    t->random.state = seed;
    t->widest = widest;
    random_model(t, VARS, RULES, 4);
    memset(rules, 0, sizeof rules);
    for (unsigned i = 0; i < CONDITIONS; i++) e[i] = random_condition(t, 1 + (unsigned)below(t, 4));
    bits_init(&bits, t->model);
    for (unsigned i = 0; i < CONDITIONS; i++) holds[i] = bits_condition(&bits, e[i], &fails[i]);
    for (uint32_t r = 0; r < RULES; r++) bits_encode_rule(&bits, r, &rules[r]);
    for (uint32_t v = 0; v < VARS; v++) {
        const struct model_var *var = &t->model->vars.data[v];
        numbers[v] = below(t, 4) ? random_value(t, var->low, var->high)
                                 : random_value(t, INT64_MIN, INT64_MAX);
        in_range[v] = bits_in_range(&bits, v);
        equals[v] = bits_equals(&bits, v, numbers[v]);
    }
    bool good = true;
    for (unsigned k = 0; k < STATES && good; k++) {
        random_state(t, state);
        if (below(t, 4) == 0)
            for (uint32_t v = 0; v < VARS; v++)
                if (numbers[v] >= t->model->vars.data[v].low
                    && numbers[v] <= t->model->vars.data[v].high)
                    state[v] = numbers[v];
        run_circuit(t, &bits, state);
        for (unsigned i = 0; i < CONDITIONS && good; i++) {
            good = same_condition(t, e[i], holds[i], fails[i], state);
            if (!good) complain(t, e[i], state);
        }
        for (uint32_t r = 0; r < RULES && good; r++) {
            good = same_rule(t, &bits, r, &rules[r], state);
            if (!good) printf("rule %u\n", r);
        }
        good = good && same_bits(t, state, in_range, equals, numbers);
    }
    if (!good) printf("seed %" PRIu64 ", width %u\n", seed, widest);
    CHECK(t->unit, good);
    for (uint32_t r = 0; r < RULES; r++) vec_free(&t->mem, &rules[r].stored);
    bits_release(&bits);
}

/* A code beyond the range: bits_in_range must say no. */
static void test_ranges(struct test *t)
{
    t->model = model_new(&t->mem, "ranges");
    struct model_var var = {.name = "a", .process = MODEL_NONE, .low = -3, .init = -3};
    vec_push(&t->mem, &t->model->vars, var);
    for (int64_t span = 0; span < 70; span++) {
        struct bits bits;
        unsigned bad = 0;
        t->model->vars.data[0].high = span - 3;
        bits_init(&bits, t->model);
        lit fits = bits_in_range(&bits, 0);
        for (int64_t code = 0; code < (int64_t)1 << bits.total; code++) {
            int64_t state = code - 3;
            run_circuit(t, &bits, &state);
            bad += value(t, fits) != (code <= span);
        }
        CHECK(t->unit, bad == 0);
        bits_release(&bits);
    }
}

/* ---- diagrams ---- */

/* The relation of a rule leads from a state to exactly the state that the evaluator says. */
static bool same_diagram(struct test *t, struct encoding *e, uint32_t r, const int64_t *state,
                         bdd *sets)
{
    int64_t next[SMALL_VARS];
    enum eval_result result = eval_rule(t->model, r, state, next);
    struct encoded_rule *rule = &e->rules[r];
    sets[0] = encode_state(e, state);
    if (dd_implies(e->dd, sets[0], rule->enabled) != (result == EVAL_ENABLED)) return false;
    if (dd_implies(e->dd, sets[0], rule->fails) != (result == EVAL_FAILED)) return false;
    sets[1] = dd_image(e->dd, &rule->relation, sets[0], DD_FORWARD);
    if (result != EVAL_ENABLED) return sets[1] == BDD_FALSE;
    sets[2] = encode_state(e, next);
    if (sets[1] != sets[2]) return false;
    sets[1] = dd_image(e->dd, &rule->relation, sets[2], DD_BACKWARD);
    return dd_implies(e->dd, sets[0], sets[1]);
}

/* One step of all rules together, clusters or the whole relation, and back. */
static bool same_step(struct test *t, struct encoding *e, const int64_t *state, bdd *sets)
{
    int64_t next[SMALL_VARS], picked[SMALL_VARS];
    sets[0] = encode_state(e, state);
    encode_pick(e, sets[0], picked);
    if (memcmp(picked, state, sizeof picked)) return false;
    sets[3] = BDD_FALSE;
    for (uint32_t r = 0; r < t->model->rules.len; r++) {
        if (eval_rule(t->model, r, state, next) != EVAL_ENABLED) continue;
        sets[1] = encode_state(e, next);
        sets[3] = dd_or(e->dd, sets[3], sets[1]);
        sets[2] = encode_step(e, sets[1], DD_BACKWARD);
        if (!dd_implies(e->dd, sets[0], sets[2])) return false;
    }
    sets[1] = encode_step(e, sets[0], DD_FORWARD);
    return sets[1] == sets[3];
}

static void test_diagrams(struct test *t, uint64_t seed, enum relation_form form)
{
    struct encoding e;
    bdd sets[5] = {0};
    int64_t state[SMALL_VARS];
    t->random.state = seed;
    t->widest = 4;
    random_model(t, SMALL_VARS, RULES, 3);
    for (uint32_t v = 0; v < SMALL_VARS; v++) t->model->vars.data[v].any_init = below(t, 2);
    expr condition = random_condition(t, 3);
    encode_start(&e, t->model, form);
    dd_protect_array(e.dd, sets, 5);
    struct dd_guard guard;
    bool good = dd_catch(e.dd, &guard) == DD_NONE;
    if (good) {
        encode_rules(&e);
        lit fails, holds = bits_condition(&e.bits, condition, &fails);
        sets[3] = encode_lit(&e, holds);
        sets[4] = encode_lit(&e, fails);
        for (unsigned k = 0; k < 30 && good; k++) {
            int64_t expected = 0;
            random_state(t, state);
            bool whole = eval_expr(t->model, condition, state, &expected);
            sets[0] = encode_state(&e, state);
            good = dd_implies(e.dd, sets[0], sets[4]) == !whole
                   && (!whole || dd_implies(e.dd, sets[0], sets[3]) == (expected != 0));
            good = good && dd_implies(e.dd, sets[0], e.initial) == eval_is_initial(t->model, state);
            for (uint32_t r = 0; r < RULES && good; r++) good = same_diagram(t, &e, r, state, sets);
        }
        for (unsigned k = 0; k < 30 && good; k++) {
            random_state(t, state);
            good = same_step(t, &e, state, sets);
        }
        dd_uncatch(e.dd, &guard);
    }
    if (!good) printf("seed %" PRIu64 ", as diagrams\n", seed);
    CHECK(t->unit, good);
    encode_release(&e);
}

/* ---- refusals ---- */

/* Whatever allocation fails, asking again gives the right answer: nothing half done is kept. */
static void test_refusal(struct test *t, uint64_t seed)
{
    jmp_buf recover, *outer = t->mem.recover;
    struct bits bits;
    int64_t state[VARS];
    t->random.state = seed;
    t->widest = 9;
    random_model(t, VARS, 0, 0);
    bits_init(&bits, t->model);
    unsigned bad = 0;
    for (volatile unsigned i = 0; i < 40; i++) {
        expr e = random_condition(t, 4);
        for (volatile unsigned n = 1; n; n++) { /* its first, second, ... allocation fails */
            t->mem.fail_at = t->mem.allocations + n;
            t->mem.recover = &recover;
            if (setjmp(recover) == 0) {
                lit fails;
                bits_condition(&bits, e, &fails);
                n = UINT32_MAX;
            }
        }
        t->mem.fail_at = 0;
        t->mem.recover = outer;
        lit fails, holds = bits_condition(&bits, e, &fails);
        for (unsigned k = 0; k < 5; k++) {
            random_state(t, state);
            run_circuit(t, &bits, state);
            bad += !same_condition(t, e, holds, fails, state);
        }
    }
    CHECK(t->unit, bad == 0);
    bits_release(&bits);
}

int main(void)
{
    struct unit unit = {0};
    static struct test t;
    jmp_buf recover;
    t.unit = &unit;
    mem_init(&t.mem);
    t.mem.recover = &recover;
    if (setjmp(recover)) return puts("out of memory"), 1;
    for (uint64_t seed = 1; seed <= 300; seed++) test_circuits(&t, seed, 1 + (unsigned)(seed % 8));
    for (uint64_t seed = 1; seed <= 63; seed++)
        test_circuits(&t, 1000 + seed, 1 + (unsigned)(seed % 63));
    for (uint64_t seed = 1; seed <= 15; seed++) test_circuits(&t, 2000 + seed, 63);
    CHECK(&unit, t.failures > 2000 && t.values > 2000 && t.enabled > 2000
                     && t.disabled > 2000); /* otherwise it says little */
    test_ranges(&t);
    for (uint64_t seed = 1; seed <= 150; seed++)
        test_diagrams(&t, seed, (enum relation_form)(seed % 3));
    for (uint64_t seed = 1; seed <= 15; seed++) test_refusal(&t, seed);
    vec_free(&t.mem, &t.gates);
    mem_release(&t.mem);
    return unit_finish(&unit);
}
