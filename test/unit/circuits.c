/* Circuits of what newer languages need, against the reference evaluator: exact arithmetic,
 * choices, ranges, failures, arrays; and models with code and priorities, which are flattened
 * first. (Modular arithmetic of all widths: bits.c.) */
#include "bits/bits.h"
#include "pass/flatten.h"
#include "unit/random_model.h"
#include "unit/unit.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct test {
    struct generator g;
    struct mem mem;
    VEC(uint8_t) gates; /* the value of every gate */
    unsigned values, failures, enabled, disabled, refused;
};

static uint64_t code_of(const struct model *model, uint32_t v, int64_t value)
{
    return (uint64_t)value - (uint64_t)model->vars.data[v].low;
}

static void run_circuit(struct test *t, const struct bits *bits, const int64_t *state)
{
    const struct circuit *c = &bits->circuit;
    t->gates.len = 0;
    vec_reserve(&t->mem, &t->gates, c->gates.len + bits->total);
    uint8_t *input = t->gates.data + c->gates.len;
    for (uint32_t v = 0; v < bits->model->vars.len; v++)
        for (uint32_t b = 0; b < bits_width(bits, v); b++)
            input[bits->first[v] + b] = code_of(bits->model, v, state[v]) >> b & 1;
    for (uint32_t i = 0; i < c->gates.len; i++) {
        const struct gate *gate = &c->gates.data[i];
        uint8_t a = 0, b = 0;
        if (gate->kind >= GATE_AND)
            a = t->gates.data[gate->a / 2] ^ (gate->a & 1),
            b = t->gates.data[gate->b / 2] ^ (gate->b & 1);
        t->gates.data[i] = gate->kind == GATE_INPUT ? input[gate->a]
                           : gate->kind == GATE_AND ? a & b
                           : gate->kind == GATE_XOR ? a ^ b
                                                    : 0;
    }
}

static bool value(const struct test *t, lit a) { return t->gates.data[a / 2] ^ (a & 1); }

/* Numbers that may be anything, at the ends of 64 bits too: of 64-bit variables. */
static void random_wide_state(struct test *t, int64_t *state)
{
    struct generator *g = &t->g;
    for (uint32_t v = 0; v < g->model->vars.len; v++) {
        const struct model_var *var = &g->model->vars.data[v];
        switch (pick(g, 5)) {
        case 0: state[v] = var->low; break;
        case 1: state[v] = var->high; break;
        case 2: state[v] = var->low <= 0 && var->high >= 0 ? 0 : var->low; break;
        case 3: state[v] = var->low <= -1 && var->high >= -1 ? -1 : var->high; break;
        default: state[v] = pick_between(g, var->low, var->high);
        }
    }
}

static bool test_expressions(struct test *t, uint64_t seed)
{
    enum { CONDITIONS = 6 };
    struct generator *g = &t->g;
    struct bits bits;
    expr e[CONDITIONS];
    lit holds[CONDITIONS], fails[CONDITIONS];
    g->random.state = seed;
    g->extremes = pick(g, 3) == 0;
    g->widest = seed % 4 ? 1 + (unsigned)pick(g, 5) : 1 + (unsigned)pick(g, 60);
    g->tame = false;
    g->whole = seed % 8 == 0;
    random_model(g, 0, 0);
    g->whole = false;
    for (unsigned i = 0; i < CONDITIONS; i++) e[i] = random_condition(g, 1 + (unsigned)pick(g, 3));
    bits_init(&bits, g->model);
    for (unsigned i = 0; i < CONDITIONS; i++) holds[i] = bits_condition(&bits, e[i], &fails[i]);
    bool good = true;
    for (unsigned k = 0; k < 20 && good; k++) {
        int64_t state[CELLS], expected = 0;
        random_wide_state(t, state);
        run_circuit(t, &bits, state);
        for (unsigned i = 0; i < CONDITIONS && good; i++) {
            bool works = eval_expr(g->model, e[i], state, &expected);
            t->values += works, t->failures += !works;
            good =
                value(t, fails[i]) == !works && (!works || value(t, holds[i]) == (expected != 0));
            if (good) continue;
            struct text text;
            text_init(&text, &t->mem);
            model_print_expr(g->model, &text, e[i]);
            printf("seed %" PRIu64 ": %s: %s %" PRId64 "\n", seed, text.data,
                   works ? "works" : "fails", expected);
            for (uint32_t v = 0; v < CELLS; v++) printf("v%u = %" PRId64 "\n", v, state[v]);
        }
    }
    bits_release(&bits);
    return good;
}

static bool same_rule(struct test *t, const struct bits *bits, uint32_t r,
                      const struct bits_rule *rule, const int64_t *state)
{
    const struct model_rule *source = &bits->model->rules.data[r];
    int64_t next[CELLS];
    enum eval_result result = eval_rule(t->g.model, r, state, next); /* of the model with code */
    uint32_t at = 0;
    bool is_written[CELLS] = {false};
    t->failures += result == EVAL_FAILED, t->enabled += result == EVAL_ENABLED,
        t->disabled += result == EVAL_DISABLED;
    if (value(t, rule->enabled) != (result == EVAL_ENABLED)
        || value(t, rule->fails) != (result == EVAL_FAILED))
        return false;
    if (result != EVAL_ENABLED) return true;
    for (uint32_t i = 0; i < source->stores; i++) {
        uint32_t v = bits->model->stores.data[source->first_store + i].var;
        is_written[v] = true;
        for (uint32_t b = 0; b < bits_width(bits, v); b++)
            if (value(t, rule->stored.data[at++]) != (code_of(bits->model, v, next[v]) >> b & 1))
                return false;
    }
    for (uint32_t v = 0; v < CELLS; v++)
        if (!is_written[v] && next[v] != state[v]) return false;
    return at == rule->stored.len;
}

static bool test_rules(struct test *t, uint64_t seed)
{
    enum { RULES = 4 };
    struct generator *g = &t->g;
    struct bits bits;
    struct bits_rule rules[RULES];
    struct flatten_refusal refusal;
    g->random.state = seed;
    g->extremes = pick(g, 8) == 0;
    g->widest = 1 + (unsigned)pick(g, 3);
    g->tame = pick(g, 2);
    random_model(g, RULES, 1 + (unsigned)pick(g, 2));
    struct model *flat = flatten_model(g->model, false, &refusal);
    if (!flat) return t->refused++, true;
    memset(rules, 0, sizeof rules);
    bits_init(&bits, flat);
    for (uint32_t r = 0; r < RULES; r++) bits_encode_rule(&bits, r, &rules[r]);
    bool good = true;
    for (unsigned k = 0; k < 20 && good; k++) {
        int64_t state[CELLS];
        random_state(g, state);
        run_circuit(t, &bits, state);
        for (uint32_t r = 0; r < RULES && good; r++) {
            good = same_rule(t, &bits, r, &rules[r], state);
            if (!good) printf("seed %" PRIu64 ", rule %u\n", seed, r);
        }
    }
    for (uint32_t r = 0; r < RULES; r++) vec_free(&t->mem, &rules[r].stored);
    bits_release(&bits);
    return good;
}

/* Every exact operator on all pairs of interesting numbers. */
static unsigned test_operators(struct test *t)
{
    static const int64_t numbers[] = {INT64_MIN,
                                      INT64_MIN + 1,
                                      -4611686018427387904,
                                      -3037000500,
                                      -4294967296,
                                      -100,
                                      -7,
                                      -3,
                                      -2,
                                      -1,
                                      0,
                                      1,
                                      2,
                                      3,
                                      7,
                                      100,
                                      4294967295,
                                      3037000499,
                                      3037000500,
                                      4611686018427387904,
                                      INT64_MAX - 1,
                                      INT64_MAX};
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    unsigned bad = 0;
    struct model *model = model_new(&t->mem, "operators");
    for (unsigned i = 0; i < 3; i++) {
        struct model_var var = {
            .name = "abc" + i, .process = MODEL_NONE, .low = INT64_MIN, .high = INT64_MAX};
        vec_push(&t->mem, &model->vars, var);
    }
    struct bits bits;
    lit holds[5], fails[5];
    bits_init(&bits, model);
    for (unsigned op = 0; op < 5; op++) {
        expr e = expr_make(&model->exprs, EXPR_ADD + op, 0, expr_var(&model->exprs, 0),
                           expr_var(&model->exprs, 1));
        holds[op] = bits_condition(
            &bits, expr_make(&model->exprs, EXPR_EQ, 0, e, expr_var(&model->exprs, 2)), &fails[op]);
    }
    for (unsigned i = 0; i < NUMBERS * NUMBERS; i++)
        for (unsigned op = 0; op < 5; op++) {
            int64_t state[3] = {numbers[i / NUMBERS], numbers[i % NUMBERS], 0}, result = 0;
            bool works = expr_apply(EXPR_ADD + op, 0, state[0], state[1], &result);
            for (int64_t off = 0; off < 2; off++) {
                state[2] = (int64_t)((uint64_t)result + (uint64_t)off);
                run_circuit(t, &bits, state);
                bad += value(t, fails[op]) == works || (works && value(t, holds[op]) != !off);
            }
        }
    bits_release(&bits);
    return bad;
}

int main(int argc, char **argv)
{
    struct unit unit = {0};
    static struct test t;
    jmp_buf recover;
    volatile uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 600;
    mem_init(&t.mem);
    t.mem.recover = &recover;
    t.g.mem = &t.mem;
    if (setjmp(recover)) return puts("out of memory"), 1;
    CHECK(&unit, test_operators(&t) == 0);
    for (uint64_t seed = 1; seed <= count; seed++) {
        CHECK(&unit, test_expressions(&t, seed));
        CHECK(&unit, test_rules(&t, seed));
        if (seed % 20) continue;
        memset(&t.gates, 0, sizeof t.gates);
        memset(&t.g, 0, sizeof t.g);
        mem_release(&t.mem);
        mem_init(&t.mem);
        t.mem.recover = &recover;
        t.g.mem = &t.mem;
    }
    CHECK(&unit, t.values > 10000 && t.failures > 10000 && t.enabled > 3000 && t.disabled > 10000
                     && t.refused < count / 20); /* otherwise it says little */
    mem_release(&t.mem);
    return unit_finish(&unit);
}
