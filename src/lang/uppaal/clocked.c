/* What is said about clocks. A guard or an invariant is a conjunction of constraints on clocks and
 * of conditions on the rest; here it is taken apart.
 *
 *  - `a || x < 3` with an a that has no clocks is the constraint x < 3 where a is false: such an a
 *    becomes part of the condition `when` under which what follows is asked.
 *  - x[i] with an index that is not known is one constraint per clock that may be meant, each under
 *    the condition that it is.
 *  - Conditions and bounds of constraints never fail. Where one might, a condition of its own fails
 *    in its place, and the constraint has any other value.
 *
 * Where code sets a clock, it writes the clock's setter (model.h). */
#include "lang/uppaal/scope.h"

#include <assert.h>

enum { MAX_CASES = 2000 };

static bool is_clock(struct lowering *l, const struct binding *found)
{
    const struct type *type = found->type;
    while (type && type->kind == TYPE_ARRAY) type = type->of;
    return found->kind == BIND_CLOCK || (found->kind == BIND_CELLS && type == l->u->clock_type);
}

/* The body of a quantifier with the first value in the place of the name. */
static bool body_mentions_clock(struct lowering *l, struct uppaal_exp *exp)
{
    const struct type *type = resolve_domain(l->u, l->env, exp->type, MAX_CASES, exp->op_place);
    struct env env = {.outer = l->env};
    if (!type) return false;
    compute_bind(l->u, &env,
                 (struct binding){.name = exp->name,
                                  .kind = BIND_VALUE,
                                  .type = type,
                                  .value = resolve_nth(l->u, type, type_cell(type, 0).low)});
    l->env = &env;
    bool found = clocked_mentions(l, exp->a);
    l->env = env.outer;
    vec_free(l->u->model->mem, &env.list);
    return found;
}

bool clocked_mentions(struct lowering *l, struct uppaal_exp *exp)
{
    struct binding found;
    bool done = false;
    if (!exp) return false;
    switch ((enum uppaal_exp_kind)exp->kind) {
    case UPPAAL_EXP_NAME: {
        const struct binding *binding = compute_find(l->env, exp->name);
        return binding && is_clock(l, binding);
    }
    case UPPAAL_EXP_INDEX: return clocked_mentions(l, exp->a);
    case UPPAAL_EXP_FIELD:
        if (l->member && !l->member(l, exp, &found, &done)) return false;
        return done ? is_clock(l, &found) : clocked_mentions(l, exp->a);
    case UPPAAL_EXP_UNARY: return clocked_mentions(l, exp->a);
    case UPPAAL_EXP_BINARY:
    case UPPAAL_EXP_ASSIGN:
    case UPPAAL_EXP_CONDITIONAL:
        return clocked_mentions(l, exp->a) || clocked_mentions(l, exp->b)
               || clocked_mentions(l, exp->c);
    case UPPAAL_EXP_QUANTIFIED: return body_mentions_clock(l, exp);
    default: return false;
    }
}

void clocked_free(struct uppaal *u, struct split *split)
{
    vec_free(u->model->mem, &split->constraints);
    vec_free(u->model->mem, &split->conditions);
}

/* ---- what might fail ---- */

/* The expression without failures; where it fails, a condition does. */
static expr make_safe(struct lowering *l, struct uppaal_exp *exp, expr e, expr when,
                      struct split *split)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    const struct expr_node *node = expr_get(exprs, e);
    if (!node->may_fail) return e;
    expr number = expr_to_int(exprs, e);
    expr least = expr_int(exprs, expr_get(exprs, number)->low);
    struct condition check = {.exp = exp,
                              .env = l->env,
                              .when = when,
                              .is_made = true,
                              .what = expr_make(exprs, EXPR_GE, 0, number, least)};
    vec_push(l->u->model->mem, &split->conditions, check);
    expr safe = arith_unfailing(l->u->model, e);
    if (expr_get(exprs, safe)->may_fail)
        complain(l->u, exp, DIAG_UNSUPPORTED,
                 "beside clocks there are no divisions by what may be 0 and no endless numbers");
    return safe;
}

/* Without code. */
static struct lowering bare(const struct lowering *l, const char *context)
{
    struct lowering plain = *l;
    plain.code.out = NULL;
    plain.code.in_rule = false;
    plain.context = context;
    plain.step = NULL;
    return plain;
}

static expr both(struct exprs *exprs, expr a, expr b)
{
    return expr_make(exprs, EXPR_AND, 0, a, b);
}

static expr opposite(struct exprs *exprs, expr a) { return expr_make(exprs, EXPR_NOT, 0, a, a); }

/* ---- comparisons ---- */

/* pos - neg + rest, each clock there or not. */
struct linear {
    bool has_pos, has_neg;
    struct cell pos, neg;
    expr rest;
};

static bool add_clock(struct lowering *l, struct uppaal_exp *exp, bool minus, struct linear *sum)
{
    struct binding found;
    if (!compute_place(l, exp, false, &found)) return false;
    if (found.kind != BIND_CLOCK || found.type != l->u->clock_type) {
        complain(l->u, exp, DIAG_TYPE, "a single clock is needed here");
        return false;
    }
    if (minus ? sum->has_neg : sum->has_pos) {
        complain(l->u, exp, DIAG_UNSUPPORTED, "sums of clocks cannot be compared");
        return false;
    }
    if (minus) sum->has_neg = true, sum->neg = found.at;
    else sum->has_pos = true, sum->pos = found.at;
    return true;
}

static bool add_linear(struct lowering *l, struct uppaal_exp *exp, bool minus, struct linear *sum)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    expr number;
    if (!clocked_mentions(l, exp)) {
        if (!compute_number(l, exp, &number)) return false;
        sum->rest = expr_make(exprs, minus ? EXPR_SUB : EXPR_ADD, 0, sum->rest, number);
        return true;
    }
    if (exp->kind == UPPAAL_EXP_BINARY && (exp->op == UPPAAL_ADD || exp->op == UPPAAL_SUB))
        return add_linear(l, exp->a, minus, sum)
               && add_linear(l, exp->b, minus != (exp->op == UPPAAL_SUB), sum);
    if (exp->kind == UPPAAL_EXP_UNARY && (exp->op == UPPAAL_NEGATE || exp->op == UPPAAL_PLUS))
        return add_linear(l, exp->a, minus != (exp->op == UPPAAL_NEGATE), sum);
    if (exp->kind == UPPAAL_EXP_NAME || exp->kind == UPPAAL_EXP_INDEX
        || exp->kind == UPPAAL_EXP_FIELD)
        return add_clock(l, exp, minus, sum);
    complain(l->u, exp, DIAG_UNSUPPORTED,
             "clocks and differences of two clocks can be compared, and nothing else of clocks");
    return false;
}

/* x - y <= bound, or <, under a condition. */
static void add_constraint(struct lowering *l, struct uppaal_exp *exp, struct clock_constraint one,
                           expr bound, struct split *split)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    const struct expr_node *node = expr_get(exprs, bound);
    if (expr_is_false(exprs, one.when)) return;
    if (node->may_fail || expr_get(exprs, one.when)->may_fail) return; /* that was told */
    one.place = exp->place;
    one.is_conditional = !expr_is_true(exprs, one.when);
    one.varies = node->op != EXPR_CONST;
    if (one.varies) one.value = bound;
    else one.bound = node->value;
    vec_push(l->u->model->mem, &split->constraints, one);
}

static void add_comparison(struct lowering *l, struct uppaal_exp *exp, enum uppaal_op op,
                           uint32_t x, uint32_t y, expr bound, expr when, struct split *split)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    expr minus = expr_make(exprs, EXPR_SUB, 0, expr_int(exprs, 0), bound);
    struct clock_constraint upper = {.x = x, .y = y, .strict = op == UPPAAL_LT, .when = when};
    struct clock_constraint lower = {.x = y, .y = x, .strict = op == UPPAAL_GT, .when = when};
    if (op != UPPAAL_GE && op != UPPAAL_GT) add_constraint(l, exp, upper, bound, split);
    if (op != UPPAAL_LE && op != UPPAAL_LT) add_constraint(l, exp, lower, minus, split);
}

/* A clock minus itself, or no clock at all: 0 is compared with the bound. */
static void add_no_clock(struct lowering *l, struct uppaal_exp *exp, enum uppaal_op op, expr bound,
                         expr when, struct split *split)
{
    static const enum expr_op ops[] = {[UPPAAL_LT] = EXPR_LT,
                                       [UPPAAL_LE] = EXPR_LE,
                                       [UPPAAL_GE] = EXPR_GE,
                                       [UPPAAL_GT] = EXPR_GT,
                                       [UPPAAL_EQ] = EXPR_EQ};
    struct exprs *exprs = uppaal_exprs(l->u);
    const struct condition made = {.exp = exp,
                                   .env = l->env,
                                   .when = when,
                                   .is_made = true,
                                   .what = expr_make(exprs, ops[op], 0, expr_int(exprs, 0), bound)};
    if (!expr_is_false(exprs, when)) vec_push(l->u->model->mem, &split->conditions, made);
}

/* Which clock a cell is, number n of those that it may be: under which condition. */
static expr is_number(struct exprs *exprs, const struct cell *cell, expr offset, uint32_t n)
{
    if (cell->count == 1) return expr_bool(exprs, true);
    return expr_make(exprs, EXPR_EQ, 0, offset, expr_int(exprs, n));
}

bool clocked_atom(struct lowering *given, struct uppaal_exp *exp, enum uppaal_op op, expr when,
                  struct split *split)
{
    struct exprs *exprs = uppaal_exprs(given->u);
    struct lowering l = bare(given, "a comparison of clocks");
    struct linear sum = {.rest = expr_int(exprs, 0)};
    struct cell none = {.count = 1, .base = MODEL_NONE, .offset = expr_int(exprs, 0)};
    assert(op >= UPPAAL_LT && op <= UPPAAL_EQ);
    if (!add_linear(&l, exp->a, false, &sum) || !add_linear(&l, exp->b, true, &sum)) return false;
    struct cell x = sum.has_pos ? sum.pos : none, y = sum.has_neg ? sum.neg : none;
    if ((uint64_t)x.count * y.count > MAX_CASES) {
        complain(l.u, exp, DIAG_LIMIT, "more than %d clocks may be meant", MAX_CASES);
        return false;
    }
    expr bound = expr_make(exprs, EXPR_SUB, 0, expr_int(exprs, 0), sum.rest);
    bound = make_safe(&l, exp, bound, when, split);
    expr at_x = make_safe(&l, exp, x.offset, when, split);
    expr at_y = make_safe(&l, exp, y.offset, when, split);
    for (uint32_t i = 0; i < x.count; i++)
        for (uint32_t k = 0; k < y.count; k++) {
            expr cond =
                both(exprs, when,
                     both(exprs, is_number(exprs, &x, at_x, i), is_number(exprs, &y, at_y, k)));
            uint32_t first = sum.has_pos ? x.base + i : MODEL_NONE,
                     second = sum.has_neg ? y.base + k : MODEL_NONE;
            if (first != second) {
                add_comparison(&l, exp, op, first, second, bound, cond, split);
                continue;
            }
            add_no_clock(&l, exp, op, bound, cond, split);
        }
    return true;
}

struct clock_constraint clocked_negate(struct uppaal *u, struct clock_constraint constraint)
{
    struct exprs *exprs = uppaal_exprs(u);
    uint32_t x = constraint.x;
    constraint.x = constraint.y;
    constraint.y = x;
    constraint.strict = !constraint.strict;
    if (constraint.varies)
        constraint.value = expr_make(exprs, EXPR_SUB, 0, expr_int(exprs, 0), constraint.value);
    else constraint.bound = -constraint.bound;
    return constraint;
}

/* ---- conditions ---- */

static enum uppaal_op negated_op(enum uppaal_op op)
{
    switch (op) {
    case UPPAAL_LT: return UPPAAL_GE;
    case UPPAAL_LE: return UPPAAL_GT;
    case UPPAAL_GE: return UPPAAL_LT;
    case UPPAAL_GT: return UPPAAL_LE;
    case UPPAAL_EQ: return UPPAAL_NE;
    default: return UPPAAL_EQ;
    }
}

static bool split_comparison(struct lowering *l, struct uppaal_exp *exp, bool is_negated, expr when,
                             struct split *split)
{
    enum uppaal_op op = is_negated ? negated_op(exp->op) : (enum uppaal_op)exp->op;
    if (op != UPPAAL_NE) return clocked_atom(l, exp, op, when, split);
    complain(l->u, exp, DIAG_UNSUPPORTED,
             "clocks that differ from a number can be asked for in queries only");
    return false;
}

/* A part without clocks that decides whether the rest is asked: it is asked where the part is
 * `wanted`. */
static bool narrow(struct lowering *l, struct uppaal_exp *exp, bool wanted, expr *when,
                   struct split *split)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    struct lowering plain = bare(l, "a condition beside clocks");
    expr cond;
    if (!compute_condition(&plain, exp, &cond)) return false;
    cond = make_safe(l, exp, cond, *when, split);
    *when = both(exprs, *when, wanted ? cond : opposite(exprs, cond));
    assert(expr_get(exprs, *when)->is_bool);
    return true;
}

/* One of two parts must hold, each as it is or negated. */
static bool split_either(struct lowering *l, struct uppaal_exp *exp, bool negates_a, bool negates_b,
                         expr when, struct split *split)
{
    bool clocks_a = clocked_mentions(l, exp->a), clocks_b = clocked_mentions(l, exp->b);
    if (clocks_a && clocks_b) {
        complain(l->u, exp, DIAG_UNSUPPORTED, "of a disjunction only one side may speak of clocks");
        return false;
    }
    /* what is asked where the other part does not hold */
    if (clocks_b)
        return narrow(l, exp->a, negates_a, &when, split)
               && clocked_split(l, exp->b, negates_b, when, split);
    return narrow(l, exp->b, negates_b, &when, split)
           && clocked_split(l, exp->a, negates_a, when, split);
}

static bool split_all(struct lowering *l, struct uppaal_exp *exp, bool is_negated, expr when,
                      struct split *split)
{
    const struct type *type = resolve_domain(l->u, l->env, exp->type, MAX_CASES, exp->op_place);
    if (!type) return false;
    struct type_range range = type_cell(type, 0);
    struct env *outer = l->env;
    bool good = true;
    for (int64_t n = range.low; good && n <= range.high; n++) {
        struct env *env = arena_alloc(&l->u->model->arena, sizeof *env);
        env->outer = outer; /* conditions keep it */
        compute_bind(l->u, env,
                     (struct binding){.name = exp->name,
                                      .kind = BIND_VALUE,
                                      .type = type,
                                      .value = resolve_nth(l->u, type, n)});
        l->env = env;
        good = clocked_split(l, exp->a, is_negated, when, split);
    }
    l->env = outer;
    return good;
}

static bool split_choice(struct lowering *l, struct uppaal_exp *exp, bool is_negated, expr when,
                         struct split *split)
{
    expr yes = when, no = when;
    if (clocked_mentions(l, exp->a)) {
        complain(l->u, exp, DIAG_UNSUPPORTED, "clocks cannot choose between conditions");
        return false;
    }
    return narrow(l, exp->a, true, &yes, split) && narrow(l, exp->a, false, &no, split)
           && clocked_split(l, exp->b, is_negated, yes, split)
           && clocked_split(l, exp->c, is_negated, no, split);
}

bool clocked_split(struct lowering *l, struct uppaal_exp *exp, bool is_negated, expr when,
                   struct split *split)
{
    if (exp->kind == UPPAAL_EXP_UNARY && exp->op == UPPAAL_NOT)
        return clocked_split(l, exp->a, !is_negated, when, split);
    bool is_and = exp->kind == UPPAAL_EXP_BINARY && exp->op == UPPAAL_AND;
    if (is_and && !is_negated)
        return clocked_split(l, exp->a, false, when, split)
               && clocked_split(l, exp->b, false, when, split);
    if (!clocked_mentions(l, exp)) {
        struct condition one = {.exp = exp, .env = l->env, .is_negated = is_negated, .when = when};
        vec_push(l->u->model->mem, &split->conditions, one);
        return true;
    }
    if (exp->kind == UPPAAL_EXP_CONDITIONAL) return split_choice(l, exp, is_negated, when, split);
    if (exp->kind == UPPAAL_EXP_QUANTIFIED
        && exp->op == (is_negated ? UPPAAL_EXISTS : UPPAAL_FORALL))
        return split_all(l, exp, is_negated, when, split);
    if (exp->kind == UPPAAL_EXP_BINARY) {
        bool is_or = exp->op == UPPAAL_OR, is_imply = exp->op == UPPAAL_IMPLY;
        if ((is_or || is_imply) && is_negated)
            return clocked_split(l, exp->a, is_or, when, split)
                   && clocked_split(l, exp->b, true, when, split);
        if (is_and || is_or) return split_either(l, exp, is_and, is_and, when, split);
        if (is_imply) return split_either(l, exp, true, false, when, split);
        if (exp->op >= UPPAAL_LT && exp->op <= UPPAAL_NE)
            return split_comparison(l, exp, is_negated, when, split);
    }
    complain(l->u, exp, DIAG_UNSUPPORTED,
             "this is no conjunction of comparisons of clocks and other conditions");
    return false;
}

/* ---- setting clocks ---- */

static void add_setters(struct uppaal *u, struct family *family)
{
    struct model *model = u->model;
    family->setter = model->vars.len;
    for (uint32_t i = 0; i < family->count; i++) {
        struct model_clock *clock = &model->clocks.data[family->first + i];
        struct model_var setter = {.name = names_format(&model->names, "%s.set", clock->name),
                                   .process = family->process,
                                   .low = -1,
                                   .init = -1,
                                   .is_hidden = true,
                                   .is_internal = true,
                                   .place = family->place};
        clock->is_set_by_code = true;
        clock->setter = model->vars.len;
        vec_push(model->mem, &model->vars, setter);
    }
}

struct cell clocked_setter(struct lowering *l, const struct cell *clocks)
{
    struct uppaal *u = l->u;
    uint32_t number = u->family_of.data[clocks->base];
    struct family *family = &u->families.data[number];
    assert(clocks->base + clocks->count <= family->first + family->count); /* 1 */
    if (family->setter == MODEL_NONE) add_setters(u, family);
    perform_touch(l, number);
    struct cell at = *clocks;
    at.base = family->setter + (clocks->base - family->first);
    return at;
}

static void add_clocks(struct uppaal *u, const char *name, const struct type *type,
                       struct place place)
{
    struct model *model = u->model;
    if (type->kind != TYPE_ARRAY) {
        vec_push(model->mem, &model->clocks, ((struct model_clock){.name = name, .place = place}));
        vec_push(model->mem, &u->family_of, u->families.len);
        return;
    }
    for (uint32_t i = 0; i < type->count; i++)
        add_clocks(u, names_format(&model->names, "%s[%lld]", name, (long long)(type->low + i)),
                   type->of, place);
}

void clocked_add(struct uppaal *u, const char *name, const struct type *type, uint32_t process,
                 struct place place)
{
    struct family family = {.first = u->model->clocks.len,
                            .count = type->cells,
                            .setter = MODEL_NONE,
                            .process = process,
                            .place = place};
    add_clocks(u, name, type, place);
    assert(u->model->clocks.len == family.first + family.count); /* 1 */
    vec_push(u->model->mem, &u->families, family);
}
