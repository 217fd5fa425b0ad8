/* Flattened models against the reference evaluator: random models with code, arrays and priorities
 * do the same before and after in random states. Expressions and what is known of them (bounds,
 * whether they may fail, when they are defined, the cells an offset can mean) by brute force. */
#include "model/defined.h"
#include "pass/flatten.h"
#include "unit/random_model.h"
#include "unit/unit.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct counts {
    unsigned enabled, disabled, failed, refused, held_back;
};

/* ---- rules ---- */

static bool same_rule(struct generator *g, const struct model *flat, uint32_t r,
                      const int64_t *state, struct counts *counts)
{
    int64_t next[CELLS], other[CELLS];
    enum eval_result result = eval_rule(g->model, r, state, next);
    counts->enabled += result == EVAL_ENABLED;
    counts->disabled += result == EVAL_DISABLED;
    counts->failed += result == EVAL_FAILED;
    counts->held_back +=
        result == EVAL_DISABLED && eval_rule_alone(g->model, r, state, next, NULL) != EVAL_DISABLED;
    if (result == EVAL_ENABLED) eval_rule(g->model, r, state, next);
    if (eval_rule(flat, r, state, other) != result) return false;
    return result != EVAL_ENABLED || !memcmp(next, other, sizeof next);
}

static bool has_rest(const struct model *flat)
{
    for (uint32_t r = 0; r < flat->rules.len; r++) {
        const struct model_rule *rule = &flat->rules.data[r];
        if (!code_is_none(rule->body) || rule->classes) return true;
        for (uint32_t i = 0; i < rule->stores; i++) {
            const struct expr_node *node =
                expr_get(&flat->exprs, flat->stores.data[rule->first_store + i].value);
            if (node->op == EXPR_AT || node->op == EXPR_LOCAL || node->op == EXPR_LOCAL_AT)
                return true;
        }
    }
    return flat->priorities.len != 0;
}

static bool test_rules(struct generator *g, uint64_t seed, struct counts *counts)
{
    struct flatten_refusal refusal;
    struct text complaint;
    g->random.state = seed;
    g->extremes = pick(g, 4) == 0;
    g->widest = 1 + (unsigned)pick(g, 3);
    g->tame = pick(g, 2);
    random_model(g, 4, 1 + (unsigned)pick(g, 3));
    struct model *flat = flatten_model(g->model, false, &refusal);
    if (!flat) return counts->refused++, true;
    text_init(&complaint, g->mem);
    bool good = model_check(flat, &complaint) && !has_rest(flat);
    for (unsigned k = 0; k < 40 && good; k++) {
        int64_t state[CELLS];
        random_state(g, state);
        for (uint32_t r = 0; r < g->model->rules.len && good; r++) {
            good = same_rule(g, flat, r, state, counts);
            if (!good) {
                printf("rule %u in", r);
                for (uint32_t v = 0; v < CELLS; v++) printf(" %" PRId64, state[v]);
                puts("");
            }
        }
    }
    if (!good) printf("seed %" PRIu64 " %s\n", seed, complaint.data ? complaint.data : "");
    return good;
}

/* ---- expressions ---- */

static bool is_sound(struct generator *g, struct defined *defined, expr e, const int64_t *state)
{
    const struct expr_node copy = *expr_get(&g->model->exprs, e), *node = &copy;
    int64_t value, is_defined;
    bool good = eval_expr(g->model, e, state, &value);
    if (!good && !node->may_fail) return printf("fails, but may not\n"), false;
    if (good && (value < node->low || value > node->high))
        return printf("%" PRId64 " is outside %" PRId64 "..%" PRId64 "\n", value, node->low,
                      node->high),
               false;
    if (!eval_expr(g->model, defined_condition(defined, e), state, &is_defined))
        return printf("its definition fails\n"), false;
    if (is_defined != good) return printf("defined: %" PRId64 "\n", is_defined), false;
    if (!node->is_bool) return true;
    int64_t both;
    return eval_expr(g->model, defined_and_true(defined, e), state, &both)
           && both == (good && value);
}

static bool test_expressions(struct generator *g, uint64_t seed, struct counts *counts)
{
    struct defined defined;
    g->random.state = seed;
    g->extremes = pick(g, 2);
    g->widest = 1 + (unsigned)pick(g, 3);
    random_model(g, 0, 1);
    defined_init(&defined, &g->model->exprs);
    for (unsigned i = 0; i < 20; i++) {
        expr e = pick(g, 2) ? random_number(g, 1 + (unsigned)pick(g, 4))
                            : random_condition(g, 1 + (unsigned)pick(g, 4));
        for (unsigned k = 0; k < 20; k++) {
            int64_t state[CELLS], value;
            random_state(g, state);
            bool fails = !eval_expr(g->model, e, state, &value);
            counts->failed += fails, counts->enabled += !fails;
            if (is_sound(g, &defined, e, state)) continue;
            struct text text;
            text_init(&text, g->mem);
            model_print_expr(g->model, &text, e);
            printf("seed %" PRIu64 ": %s\n", seed, text.data);
            return false;
        }
    }
    defined_release(&defined);
    return true;
}

/* An expression that was built from values of a state by the constructors folds to what the
 * evaluator says, and fails where it does. */
static expr rebuild(struct generator *g, expr e, const int64_t *state)
{
    struct exprs *exprs = &g->model->exprs;
    const struct expr_node node = *expr_get(exprs, e);
    if (node.op == EXPR_CONST || node.op == EXPR_FAIL) return e;
    if (node.op == EXPR_VAR) return expr_int(exprs, state[node.value]);
    expr a = rebuild(g, node.a, state);
    if (node.op == EXPR_WITHIN)
        return expr_within(exprs, a, expr_get(exprs, node.b)->value, expr_get(exprs, node.c)->value,
                           node.bits);
    if (node.op == EXPR_AT) { /* its cells are variables again */
        expr cell = expr_at(exprs, false, (uint32_t)node.value, a,
                            (uint32_t)expr_get(exprs, node.b)->value, node.low, node.high);
        const struct expr_node *found = expr_get(exprs, cell);
        return found->op == EXPR_VAR ? expr_int(exprs, state[found->value]) : cell;
    }
    expr b = expr_table[node.op].arity >= 2 ? rebuild(g, node.b, state) : a;
    if (node.op == EXPR_CHOOSE) return expr_choose(exprs, a, b, rebuild(g, node.c, state));
    return expr_make(exprs, node.op, node.bits, a, b);
}

static bool test_folding(struct generator *g, uint64_t seed, unsigned *folded)
{
    g->random.state = seed;
    g->extremes = pick(g, 2);
    g->widest = 1 + (unsigned)pick(g, 3);
    random_model(g, 0, 1);
    for (unsigned i = 0; i < 40; i++) {
        int64_t state[CELLS], value = 0;
        expr e = pick(g, 2) ? random_number(g, 1 + (unsigned)pick(g, 4))
                            : random_condition(g, 1 + (unsigned)pick(g, 4));
        random_state(g, state);
        bool good = eval_expr(g->model, e, state, &value);
        const struct expr_node node = *expr_get(&g->model->exprs, rebuild(g, e, state));
        *folded += node.op == EXPR_CONST;
        if (good ? node.op != EXPR_CONST || node.value != value
                 : node.op == EXPR_CONST || !node.may_fail)
            return printf("seed %" PRIu64 ": folded wrong\n", seed), false;
    }
    return true;
}

/* Every operator over small intervals at interesting places: each value lies in the bounds, and
 * bounds that are exact for one of its ends are reached. */
static unsigned test_intervals(struct mem *mem)
{
    static const int64_t ends[] = {INT64_MIN, INT64_MIN + 1, -7,       -2, -1, 0, 1, 2,
                                   5,         INT64_MAX - 1, INT64_MAX};
    enum { ENDS = sizeof ends / sizeof *ends };
    unsigned bad = 0;
    for (unsigned op = EXPR_EQ; op <= EXPR_MOD; op++)
        for (unsigned i = 0; i < ENDS * ENDS; i++)
            for (unsigned k = 0; k < ENDS * ENDS; k++) {
                int64_t al = ends[i / ENDS], ah = ends[i % ENDS], bl = ends[k / ENDS],
                        bh = ends[k % ENDS];
                if (al > ah || bl > bh || (i + 3 * k + op) % 5) continue;
                struct exprs exprs;
                exprs_init(&exprs, mem);
                expr e = expr_make(&exprs, op, 0, expr_var_in(&exprs, 0, al, ah),
                                   expr_var_in(&exprs, 1, bl, bh));
                const struct expr_node *node = expr_get(&exprs, e);
                for (unsigned x = 0; x < ENDS; x++)
                    for (unsigned y = 0; y < ENDS; y++) {
                        int64_t value;
                        if (ends[x] < al || ends[x] > ah || ends[y] < bl || ends[y] > bh) continue;
                        if (!expr_apply(op, 0, ends[x], ends[y], &value)) bad += !node->may_fail;
                        else bad += value < node->low || value > node->high;
                    }
                vec_free(mem, &exprs.nodes);
                mem_free(mem, exprs.slots);
            }
    return bad;
}

/* Every cell that an offset means in some state is one that it can mean. */
static bool test_cells(struct generator *g, uint64_t seed, unsigned *precise)
{
    g->random.state = seed;
    g->extremes = false;
    g->widest = 1 + (unsigned)pick(g, 3);
    random_model(g, 0, 1);
    for (unsigned i = 0; i < 20; i++) {
        uint32_t stride = 1 + (uint32_t)pick(g, 2), count = 2 + (uint32_t)pick(g, 5);
        bool possible[16];
        expr offset = random_offset(g, count, stride, (unsigned)pick(g, 4));
        cells_possible(g->model, offset, count, possible);
        if (stride == 2) *precise += !possible[1];
        for (unsigned k = 0; k < 20; k++) {
            int64_t state[CELLS], value;
            random_state(g, state);
            if (eval_expr(g->model, offset, state, &value) && !possible[value])
                return printf("seed %" PRIu64 ": cell %" PRId64 "\n", seed, value), false;
        }
    }
    return true;
}

/* ---- limits ---- */

/* while x < y { x := x + 1 }, for variables of `high` + 1 values. */
static struct model *counting_model(struct mem *mem, int64_t high)
{
    struct model *model = model_new(mem, "counting");
    for (unsigned i = 0; i < 2; i++) {
        struct model_var var = {.name = i ? "y" : "x", .process = MODEL_NONE, .high = high};
        vec_push(mem, &model->vars, var);
    }
    struct exprs *exprs = &model->exprs;
    expr x = expr_var_in(exprs, 0, 0, high), y = expr_var_in(exprs, 1, 0, high);
    struct code_sequence body = code_sequence_empty(), loop = code_sequence_empty();
    struct code_node step = {
        .op = CODE_SET, .target = {false, 0, 1, expr_int(exprs, 0)}, .place = {0, 7, 3}};
    step.value = expr_within(exprs, expr_make(exprs, EXPR_ADD, 0, x, expr_int(exprs, 1)), 0, high,
                             FAILURE_RANGE);
    model_add_code(model, &body, step);
    model_add_code(model, &loop,
                   (struct code_node){.op = CODE_WHILE,
                                      .value = expr_make(exprs, EXPR_LT, 0, x, y),
                                      .body = body.first,
                                      .other = code_none(),
                                      .place = {0, 6, 1}});
    model_begin_rule(model, "count");
    model_add_part(model, MODEL_NONE, (struct place){0});
    model->rules.data[0].body = loop.first;
    model_end_rule(model);
    model_finish(model);
    return model;
}

static void test_limits(struct unit *unit, struct mem *mem)
{
    struct flatten_refusal refusal = {0};
    struct model *few = counting_model(mem, 7), *flat = flatten_model(few, false, &refusal);
    unsigned bad = 0;
    CHECK(unit, flat != NULL);
    for (int64_t i = 0; flat && i < 64; i++) {
        int64_t state[] = {i / 8, i % 8}, next[2], other[2];
        bad += eval_rule(few, 0, state, next) != EVAL_ENABLED
               || eval_rule(flat, 0, state, other) != EVAL_ENABLED
               || memcmp(next, other, sizeof next);
    }
    CHECK(unit, !bad);
    CHECK(unit, !flatten_model(counting_model(mem, 1000000), false, &refusal));
    CHECK(unit, refusal.reason && refusal.place.line >= 6 && refusal.place.line <= 7
                    && !strcmp(refusal.rule, "count"));
    CHECK(unit, flatten_is_needed(few) && !flatten_is_needed(model_new(mem, "nothing")));
}

int main(int argc, char **argv)
{
    struct unit unit = {0};
    struct mem mem;
    jmp_buf recover;
    struct counts rules = {0}, expressions = {0};
    static unsigned folded, precise;
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1500;
    mem_init(&mem);
    mem.recover = &recover;
    if (setjmp(recover)) return puts("out of memory"), 1;
    CHECK(&unit, test_intervals(&mem) == 0);
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct generator g = {.mem = &mem};
        CHECK(&unit, test_rules(&g, seed, &rules));
        if (seed % 3 == 0) CHECK(&unit, test_expressions(&g, seed, &expressions));
        if (seed % 3 == 0) CHECK(&unit, test_folding(&g, seed, &folded));
        if (seed % 3 == 0) CHECK(&unit, test_cells(&g, seed, &precise));
        if (seed % 20 == 0) mem_release(&mem), mem_init(&mem), mem.recover = &recover;
    }
    CHECK(&unit, rules.enabled > 5000 && rules.failed > 5000 && rules.disabled > 5000
                     && rules.held_back > 200
                     && rules.refused < count / 20); /* otherwise it says little */
    CHECK(&unit, expressions.enabled > 10000 && expressions.failed > 1000 && folded > 1000
                     && precise > 100);
    test_limits(&unit, &mem);
    mem_release(&mem);
    printf("enabled %u, disabled %u (held back %u), failed %u, refused %u\n", rules.enabled,
           rules.disabled, rules.held_back, rules.failed, rules.refused);
    return unit_finish(&unit);
}
