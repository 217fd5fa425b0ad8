/* LTL on single runs, against definitions that are written down here as plainly as they are in
 * books. The model has two Boolean variables and a rule for every state to go to, so that every
 * sequence of states is a run.
 *  - What holds on a lasso is what walking along the unrolled run says.
 *  - What a prefix refutes is what the quantifiers of the definitions say in Kleene's logic, where
 *    one entry stands for all states after the prefix;
 *  - and is false on every lasso that begins with the prefix. */
#include "base/random.h"
#include "result/lasso.h"
#include "unit/unit.h"

#include <setjmp.h>

enum {
    STATES = 4,
    MAX_PREFIX = 4,
    MAX_MORE = 3,
    MAX_LENGTH = MAX_PREFIX + MAX_MORE,
    DEPTH = 4,
    LASSOS = 4000,
    PREFIXES = 4000,
    ALL_LASSOS = 24
};

struct test {
    struct unit *unit;
    struct random random;
    struct model *model;
    formula atoms[4];    /* x, y, true, false */
    struct trace *trace; /* with room for MAX_LENGTH states */
};

/* Three values, in the order of truth. */
enum known { NO, OPEN, YES };

static uint64_t below(struct test *t, uint64_t bound) { return random_below(&t->random, bound); }

/* ---- runs and formulas ---- */

static void make_model(struct test *t, struct mem *mem)
{
    static const char *const names[] = {"x", "y"};
    struct place nowhere = {0};
    struct model *model = t->model = model_new(mem, "every run");
    for (uint32_t v = 0; v < 2; v++) {
        struct model_var var = {
            .name = names[v], .process = MODEL_NONE, .low = 0, .high = 1, .any_init = true};
        vec_push(mem, &model->vars, var);
        t->atoms[v] = formula_atom(&model->formulas,
                                   expr_make(&model->exprs, EXPR_EQ, 0, expr_var(&model->exprs, v),
                                             expr_int(&model->exprs, 1)),
                                   nowhere);
        t->atoms[2 + v] = formula_atom(&model->formulas, expr_bool(&model->exprs, !v), nowhere);
    }
    for (uint32_t state = 0; state < STATES; state++) {
        model_begin_rule(model, "go");
        model_add_part(model, MODEL_NONE, nowhere);
        for (uint32_t v = 0; v < 2; v++)
            model_add_store(model, v, expr_int(&model->exprs, state >> v & 1), nowhere);
        model_end_rule(model);
    }
    model_finish(model);
    t->trace = trace_new(model, MAX_LENGTH);
}

static void set_state(struct test *t, uint32_t position, uint32_t state)
{
    if (position) t->trace->rules[position - 1] = state;
    for (uint32_t v = 0; !position && v < 2; v++) t->trace->initial[v] = state >> v & 1;
}

static void get_state(const struct test *t, uint32_t position, int64_t *state)
{
    for (uint32_t v = 0; v < 2; v++)
        state[v] =
            position ? t->trace->rules[position - 1] >> v & 1 : (uint32_t)t->trace->initial[v];
}

static void set_end(struct test *t, uint32_t length, uint32_t loop)
{
    int64_t state[2];
    t->trace->steps = length - 1;
    t->trace->loop = loop;
    if (loop == MODEL_NONE) return;
    get_state(t, loop, state);
    t->trace->rules[length - 1] = (uint32_t)(state[0] + 2 * state[1]);
}

static formula random_formula(struct test *t, unsigned depth)
{
    static const enum formula_op operators[] = {
        FORMULA_NOT, FORMULA_AND, FORMULA_OR, FORMULA_IMPLIES, FORMULA_IFF, FORMULA_X,
        FORMULA_F,   FORMULA_G,   FORMULA_U,  FORMULA_R,       FORMULA_W};
    if (!depth || below(t, 6) == 0) return t->atoms[below(t, 5) ? below(t, 2) : 2 + below(t, 2)];
    enum formula_op op = operators[below(t, sizeof operators / sizeof *operators)];
    formula a = random_formula(t, depth - 1),
            b = formula_table[op].arity == 2 ? random_formula(t, depth - 1) : a;
    return formula_make(&t->model->formulas, &t->model->exprs, op, a, b, (struct place){0});
}

static bool atom_at(const struct test *t, expr atom, uint32_t position)
{
    int64_t state[2], value = 0;
    get_state(t, position, state);
    eval_expr(t->model, atom, state, &value);
    return value;
}

/* ---- lassos ---- */

/* At a position of the unrolled run. Whatever comes, comes before as many steps as there are
 * states. */
static bool is_true(const struct test *t, formula f, uint32_t at)
{
    const struct formula_node *node = formula_get(&t->model->formulas, f);
    uint32_t length = t->trace->steps + 1, loop = t->trace->loop, enough = at + length;
    switch ((enum formula_op)node->op) {
    case FORMULA_ATOM:
        return atom_at(t, node->atom, at < length ? at : loop + (at - loop) % (length - loop));
    case FORMULA_NOT: return !is_true(t, node->a, at);
    case FORMULA_AND: return is_true(t, node->a, at) && is_true(t, node->b, at);
    case FORMULA_OR: return is_true(t, node->a, at) || is_true(t, node->b, at);
    case FORMULA_IMPLIES: return !is_true(t, node->a, at) || is_true(t, node->b, at);
    case FORMULA_IFF: return is_true(t, node->a, at) == is_true(t, node->b, at);
    case FORMULA_X: return is_true(t, node->a, at + 1);
    case FORMULA_F:
        while (at < enough && !is_true(t, node->a, at)) at++;
        return at < enough;
    case FORMULA_G:
        while (at < enough && is_true(t, node->a, at)) at++;
        return at == enough;
    case FORMULA_U:
    case FORMULA_W:
        for (; at < enough; at++) {
            if (is_true(t, node->b, at)) return true;
            if (!is_true(t, node->a, at)) return false;
        }
        return node->op == FORMULA_W;
    case FORMULA_R:
        for (; at < enough; at++) {
            if (!is_true(t, node->b, at)) return false;
            if (is_true(t, node->a, at)) return true;
        }
        return true;
    default: return false;
    }
}

static void test_lassos(struct test *t)
{
    unsigned wrong = 0, held = 0;
    for (unsigned i = 0; i < LASSOS; i++) {
        uint32_t length = 1 + (uint32_t)below(t, MAX_LENGTH);
        bool good;
        for (uint32_t position = 0; position < length; position++)
            set_state(t, position, (uint32_t)below(t, STATES));
        set_end(t, length, (uint32_t)below(t, length));
        formula f = random_formula(t, DEPTH);
        bool holds = lasso_holds(t->model, t->trace, f, &good);
        wrong += !good || holds != is_true(t, f, 0);
        held += holds;
    }
    CHECK(t->unit, wrong == 0);
    CHECK(t->unit, held > LASSOS / 4 && held < LASSOS * 3 / 4);
}

/* ---- prefixes ---- */

static enum known least(enum known a, enum known b) { return a < b ? a : b; }

static enum known greatest(enum known a, enum known b) { return a > b ? a : b; }

static enum known known_at(const struct test *t, formula f, uint32_t at);

/* U: at some state b, and a at all before. R: at all states b, or a at some before. W: at all
 * states a, or b at some until then. */
static enum known known_binary(const struct test *t, const struct formula_node *node, uint32_t at)
{
    enum known all_a = YES, some_a = NO, some_b = NO, until = NO, release = YES, weak = YES;
    for (; at <= t->trace->steps + 1; at++) {
        enum known a = known_at(t, node->a, at), b = known_at(t, node->b, at);
        until = greatest(until, least(b, all_a));
        release = least(release, greatest(b, some_a));
        some_b = greatest(some_b, b);
        weak = least(weak, greatest(a, some_b));
        all_a = least(all_a, a);
        some_a = greatest(some_a, a);
    }
    return node->op == FORMULA_U ? until : node->op == FORMULA_R ? release : weak;
}

static enum known known_unary(const struct test *t, const struct formula_node *node, uint32_t at)
{
    enum known all = YES, some = NO;
    for (; at <= t->trace->steps + 1; at++) {
        enum known a = known_at(t, node->a, at);
        all = least(all, a);
        some = greatest(some, a);
    }
    return node->op == FORMULA_F ? some : all;
}

/* At a state of the prefix, or (the number after the last one) at whatever state comes after it. */
static enum known known_at(const struct test *t, formula f, uint32_t at)
{
    const struct formula_node *node = formula_get(&t->model->formulas, f);
    enum formula_op op = (enum formula_op)node->op;
    uint32_t beyond = t->trace->steps + 1;
    if (op == FORMULA_ATOM) {
        if (expr_is_true(&t->model->exprs, node->atom)) return YES;
        if (expr_is_false(&t->model->exprs, node->atom)) return NO;
        return at == beyond ? OPEN : atom_at(t, node->atom, at) ? YES : NO;
    }
    if (op == FORMULA_X) return known_at(t, node->a, at < beyond ? at + 1 : at);
    if (op == FORMULA_F || op == FORMULA_G) return known_unary(t, node, at);
    if (op == FORMULA_U || op == FORMULA_R || op == FORMULA_W) return known_binary(t, node, at);
    enum known a = known_at(t, node->a, at), b = op == FORMULA_NOT ? a : known_at(t, node->b, at);
    switch (op) {
    case FORMULA_NOT: return YES - a;
    case FORMULA_AND: return least(a, b);
    case FORMULA_OR: return greatest(a, b);
    case FORMULA_IMPLIES: return greatest(YES - a, b);
    default: return a == OPEN || b == OPEN ? OPEN : a == b ? YES : NO;
    }
}

/* Whether f is false on all lassos that begin with the first `length` states of the trace. */
static bool is_false_on_all(struct test *t, formula f, uint32_t length)
{
    bool good;
    for (uint32_t more = 0; more <= MAX_MORE; more++)
        for (uint32_t states = 0; states < 1u << 2 * more; states++) {
            for (uint32_t i = 0; i < more; i++) set_state(t, length + i, states >> 2 * i & 3);
            for (uint32_t loop = 0; loop < length + more; loop++) {
                set_end(t, length + more, loop);
                if (lasso_holds(t->model, t->trace, f, &good) || !good) return false;
            }
        }
    return true;
}

static void test_prefixes(struct test *t)
{
    unsigned unsound = 0, different = 0, counts[3] = {0};
    for (unsigned i = 0; i < PREFIXES; i++) {
        uint32_t length = 1 + (uint32_t)below(t, MAX_PREFIX);
        bool good, also_good;
        for (uint32_t position = 0; position < length; position++)
            set_state(t, position, (uint32_t)below(t, STATES));
        set_end(t, length, MODEL_NONE);
        formula f = random_formula(t, DEPTH),
                not_f = formula_make(&t->model->formulas, &t->model->exprs, FORMULA_NOT, f, f,
                                     (struct place){0});
        bool refuted = lasso_prefix_refutes(t->model, t->trace, f, &good),
             shown = lasso_prefix_refutes(t->model, t->trace, not_f, &also_good);
        enum known known = known_at(t, f, 0);
        different += !good || !also_good || refuted != (known == NO) || shown != (known == YES);
        counts[known]++;
        if (refuted && i % ALL_LASSOS == 0) unsound += !is_false_on_all(t, f, length);
        if (shown && i % ALL_LASSOS == 0) unsound += !is_false_on_all(t, not_f, length);
    }
    CHECK(t->unit, different == 0);
    CHECK(t->unit, unsound == 0);
    CHECK(t->unit,
          counts[NO] > PREFIXES / 8 && counts[OPEN] > PREFIXES / 8 && counts[YES] > PREFIXES / 8);
}

/* An atom that divides by x is not defined where x is 0: on a lasso or a prefix that comes there,
 * nothing is said. */
static void test_failures(struct test *t)
{
    struct exprs *exprs = &t->model->exprs;
    expr x = expr_make(exprs, EXPR_CUT, 1, expr_var(exprs, 0), expr_var(exprs, 0));
    expr divides =
        expr_make(exprs, EXPR_EQ, 0, expr_make(exprs, EXPR_DIV, 1, x, x), expr_int(exprs, 1));
    formula f = formula_make(&t->model->formulas, exprs, FORMULA_F,
                             formula_atom(&t->model->formulas, divides, (struct place){0}),
                             (formula){0}, (struct place){0});
    for (uint32_t states = 0; states < 1u << 3; states++) {
        bool good;
        for (uint32_t i = 0; i < 3; i++) set_state(t, i, states >> i & 1);
        set_end(t, 3, 0);
        lasso_holds(t->model, t->trace, f, &good);
        CHECK(t->unit, good == (states == 7));
        set_end(t, 3, MODEL_NONE);
        lasso_prefix_refutes(t->model, t->trace, f, &good);
        CHECK(t->unit, good == (states == 7));
    }
}

int main(void)
{
    struct unit unit = {0};
    struct mem mem;
    struct test t = {.unit = &unit, .random = {1}};
    jmp_buf recover;
    mem_init(&mem);
    mem.recover = &recover;
    if (setjmp(recover)) return puts("out of memory"), 1;
    make_model(&t, &mem);
    test_lassos(&t);
    test_prefixes(&t);
    test_failures(&t);
    mem_release(&mem);
    return unit_finish(&unit);
}
