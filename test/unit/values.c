/* Every operator on values, against wider arithmetic; the expression builder and the compiled
 * program against the reference evaluator on random expressions. */
#include "base/random.h"
#include "program/program.h"
#include "model/eval.h"
#include "unit/unit.h"

#include <setjmp.h>
#include <string.h>

typedef unsigned __int128 wide;

static bool wide_apply(enum expr_op op, unsigned bits, wide a, wide b, wide *result)
{
    wide modulus = (wide)1 << bits;
    switch (op) {
    case EXPR_ADD: *result = (a + b) % modulus; return true;
    case EXPR_SUB: *result = (a + modulus - b) % modulus; return true;
    case EXPR_MUL: *result = a * b % modulus; return true;
    case EXPR_DIV: return b ? *result = a / b, true : false;
    case EXPR_MOD: return b ? *result = a % b, true : false;
    case EXPR_CUT: *result = a % modulus; return true;
    default: return false;
    }
}

static void test_operators(struct unit *unit, struct random *random)
{
    unsigned bad = 0;
    for (unsigned i = 0; i < 200000; i++) {
        unsigned bits = 1 + (unsigned)random_below(random, EXPR_MAX_BITS);
        enum expr_op op = EXPR_ADD + (enum expr_op)random_below(random, EXPR_CUT - EXPR_ADD + 1);
        int64_t a = (int64_t)(random_next(random) & expr_mask(bits)),
                b = (int64_t)(random_next(random) & expr_mask(bits)), result = 0;
        if (random_below(random, 4) == 0) b = (int64_t)random_below(random, 2);
        wide expected = 0;
        bool good = wide_apply(op, bits, (wide)a, (wide)b, &expected);
        bad += expr_apply(op, bits, a, b, &result) != good || (good && (wide)result != expected);
    }
    CHECK(unit, bad == 0);
    int64_t value;
    for (int64_t a = -2; a <= 2; a++)
        for (int64_t b = -2; b <= 2; b++) {
            CHECK(unit, expr_apply(EXPR_EQ, 0, a, b, &value) && value == (a == b));
            CHECK(unit, expr_apply(EXPR_NE, 0, a, b, &value) && value == (a != b));
            CHECK(unit, expr_apply(EXPR_LT, 0, a, b, &value) && value == (a < b));
            CHECK(unit, expr_apply(EXPR_LE, 0, a, b, &value) && value == (a <= b));
            CHECK(unit, expr_apply(EXPR_GT, 0, a, b, &value) && value == (a > b));
            CHECK(unit, expr_apply(EXPR_GE, 0, a, b, &value) && value == (a >= b));
        }
}

static expr random_expr(struct model *model, struct random *random, bool is_bool, unsigned bits,
                        unsigned depth)
{
    struct exprs *exprs = &model->exprs;
    if (is_bool && (depth == 0 || random_below(random, 3) == 0)) {
        if (random_below(random, 8) == 0) return expr_bool(exprs, random_below(random, 2));
        expr a = random_expr(model, random, false, 5, depth ? depth - 1 : 0),
             b = random_expr(model, random, false, 5, depth ? depth - 1 : 0);
        return expr_make(exprs, EXPR_EQ + (enum expr_op)random_below(random, 6), 0, a, b);
    }
    if (is_bool) {
        enum expr_op op = EXPR_NOT + (enum expr_op)random_below(random, 5);
        expr a = random_expr(model, random, true, bits, depth - 1),
             b = random_expr(model, random, true, bits, depth - 1);
        return expr_make(exprs, op, 0, a, b);
    }
    if (depth == 0 || random_below(random, 3) == 0)
        return random_below(random, 2)
                   ? expr_var(exprs, (uint32_t)random_below(random, model->vars.len))
                   : expr_int(exprs, (int64_t)random_below(random, 32));
    expr a = random_expr(model, random, false, bits, depth - 1),
         b = random_expr(model, random, false, bits, depth - 1);
    return expr_make(exprs, EXPR_ADD + (enum expr_op)random_below(random, EXPR_CUT - EXPR_ADD + 1),
                     bits, a, b);
}

/* The compiled code, the evaluator, and the expression's own folding give one answer, or fail
 * together. */
static void test_programs(struct unit *unit, struct mem *mem, struct random *random)
{
    struct model *model = model_new(mem, "random");
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    for (unsigned i = 0; i < 6; i++) {
        struct model_var var = {
            .name = names[i], .process = MODEL_NONE, .high = (int64_t)expr_mask(1 + i % 5)};
        vec_push(mem, &model->vars, var);
    }
    struct layout layout;
    struct program program;
    model_finish(model);
    layout_init(&layout, model);
    program_init(&program, model, &layout);
    unsigned bad = 0, failures = 0;
    for (unsigned i = 0; i < 20000; i++) {
        expr e = random_expr(model, random, true, 5, 1 + (unsigned)random_below(random, 5));
        uint32_t code = program_compile(&program, e);
        for (unsigned k = 0; k < 5; k++) {
            int64_t state[6], a = 0, b = 0;
            uint64_t words[8];
            for (unsigned v = 0; v < 6; v++)
                state[v] = (int64_t)random_below(random, (uint64_t)model->vars.data[v].high + 1);
            layout_pack(&layout, model, state, words);
            bool good = eval_expr(model, e, state, &a),
                 same = program_run(&program, code, words, &b);
            failures += !good;
            bad += good != same || (good && a != b);
            bad += !good && !expr_get(&model->exprs, e)->may_fail;
        }
    }
    CHECK(unit, bad == 0);
    CHECK(unit, failures > 100); /* otherwise the test says little about failing */
    program_release(&program);
    layout_release(&layout, model);
}

int main(void)
{
    struct unit unit = {0};
    struct random random = {1};
    struct mem mem;
    jmp_buf recover;
    mem_init(&mem);
    mem.recover = &recover;
    if (setjmp(recover)) return puts("out of memory"), 1;
    test_operators(&unit, &random);
    test_programs(&unit, &mem, &random);
    mem_release(&mem);
    return unit_finish(&unit);
}
