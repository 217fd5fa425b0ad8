/* Functions where there is no code, in queries and in bounds of clocks: the body is run with
 * expressions for values, and the result is one expression.
 *
 * Scalar variables hold expressions over the model's variables; arrays and structs are only read.
 * Of an `if` whose condition is not known both branches are run, each with the variables as they
 * were, and then every variable is a choice between the two. The same with `return`: what was
 * returned, and under which condition, goes along, and what follows counts only where nothing was
 * returned yet. A loop is unrolled: while its condition is not known, one way leaves it and the
 * other goes round; since it counts with numbers that are known on each way, it ends.
 *
 * What this cannot do (other values that are assigned, calls for their effect, more than MAX_ROUNDS
 * statements) is refused. A value that leaves its range fails where it is used. */
#include "lang/uppaal/scope.h"

#include <assert.h>

enum { MAX_ROUNDS = 20000, MAX_NESTED = 400 };

struct fold {
    struct lowering *l;
    struct function *function;
    struct uppaal_exp *call;
    expr returned; /* under which condition a value was returned, ... */
    expr result;   /* ... and which one; any where it was not */
    uint32_t nested;
};

static struct exprs *exprs_of(const struct fold *f) { return uppaal_exprs(f->l->u); }

static bool refuse(struct fold *f, const char *what)
{
    complain(f->l->u, f->call, DIAG_UNSUPPORTED, "'%.60s' cannot be called in %s: it has %s",
             f->function->decl->name, f->l->context ? f->l->context : "this place", what);
    return false;
}

static bool fold_statement(struct fold *f, struct uppaal_stmt *stmt);

/* ---- variables on several ways ---- */

/* The values of all variables of the function that are known here, innermost first. */
struct ways {
    VEC(expr) values;
    expr returned, result;
};

static void save(struct fold *f, struct ways *ways)
{
    struct mem *mem = f->l->u->model->mem;
    ways->values.len = 0;
    for (struct env *env = f->l->env; env != f->function->outer; env = env->outer)
        for (uint32_t i = 0; i < env->list.len; i++)
            if (env->list.data[i].kind == BIND_VALUE)
                vec_push(mem, &ways->values, env->list.data[i].value.e);
    ways->returned = f->returned;
    ways->result = f->result;
}

static void restore(struct fold *f, const struct ways *ways)
{
    uint32_t n = 0;
    for (struct env *env = f->l->env; env != f->function->outer; env = env->outer)
        for (uint32_t i = 0; i < env->list.len; i++)
            if (env->list.data[i].kind == BIND_VALUE)
                env->list.data[i].value.e = ways->values.data[n++];
    assert(n == ways->values.len);
    f->returned = ways->returned;
    f->result = ways->result;
}

/* What is now is so under the condition, and otherwise as it was on the other way. */
static void join(struct fold *f, expr cond, const struct ways *other)
{
    struct exprs *exprs = exprs_of(f);
    uint32_t n = 0;
    for (struct env *env = f->l->env; env != f->function->outer; env = env->outer)
        for (uint32_t i = 0; i < env->list.len; i++) {
            struct binding *one = &env->list.data[i];
            if (one->kind == BIND_VALUE)
                one->value.e = expr_choose(exprs, cond, one->value.e, other->values.data[n++]);
        }
    f->returned = expr_choose(exprs, cond, f->returned, other->returned);
    f->result = expr_choose(exprs, cond, f->result, other->result);
}

/* ---- statements ---- */

static bool fold_branch(struct fold *f, expr cond, struct uppaal_stmt *yes, struct uppaal_stmt *no)
{
    struct mem *mem = f->l->u->model->mem;
    struct ways before = {0}, after = {0};
    if (expr_is_true(exprs_of(f), cond)) return fold_statement(f, yes);
    if (expr_is_false(exprs_of(f), cond)) return !no || fold_statement(f, no);
    save(f, &before);
    bool good = !no || fold_statement(f, no);
    save(f, &after);
    restore(f, &before);
    good = good && fold_statement(f, yes);
    if (good) join(f, cond, &after);
    vec_free(mem, &before.values);
    vec_free(mem, &after.values);
    return good;
}

static bool fold_list(struct fold *f, struct uppaal_exp *list);

static bool fold_condition(struct fold *f, struct uppaal_exp *list, expr *cond)
{
    while (list && list->next) {
        struct uppaal_exp one = *list;
        one.next = NULL;
        if (!fold_list(f, &one)) return false;
        list = list->next;
    }
    if (list) return compute_condition(f->l, list, cond);
    *cond = expr_bool(exprs_of(f), true);
    return true;
}

/* One more round, or the end. */
static bool fold_round(struct fold *f, struct uppaal_stmt *loop)
{
    struct mem *mem = f->l->u->model->mem;
    struct exprs *exprs = exprs_of(f);
    struct ways end = {0};
    expr cond;
    if (++f->l->rounds > MAX_ROUNDS) return refuse(f, "a loop that may take too many rounds");
    if (!fold_condition(f, loop->exp, &cond)) return false;
    if (expr_is_false(exprs, cond)) return true;
    cond = expr_make(exprs, EXPR_AND, 0, expr_make(exprs, EXPR_NOT, 0, f->returned, f->returned),
                     cond);
    if (expr_is_false(exprs, cond)) return true;
    if (!expr_is_true(exprs, cond) && ++f->nested > MAX_NESTED)
        return refuse(f, "a loop whose number of rounds is not known");
    save(f, &end);
    bool good = fold_statement(f, loop->body)
                && (loop->kind != UPPAAL_STMT_FOR || fold_list(f, loop->step))
                && fold_round(f, loop);
    if (!expr_is_true(exprs, cond)) f->nested--;
    if (good) join(f, cond, &end);
    vec_free(mem, &end.values);
    return good;
}

static bool fold_each(struct fold *f, struct uppaal_stmt *stmt)
{
    struct uppaal *u = f->l->u;
    const struct type *type =
        resolve_domain(u, f->l->env, stmt->type, MAX_ROUNDS, stmt->name_place);
    struct env env = {.outer = f->l->env};
    bool good = true;
    if (!type) return false;
    struct type_range range = type_cell(type, 0);
    compute_bind(u, &env, (struct binding){.name = stmt->name, .kind = BIND_VALUE, .type = type});
    f->l->env = &env;
    for (int64_t n = range.low; good && n <= range.high; n++) {
        if (++f->l->rounds > MAX_ROUNDS) good = refuse(f, "too much to do");
        env.list.data[0].value = resolve_nth(u, type, n);
        good = good && fold_statement(f, stmt->body);
    }
    f->l->env = env.outer;
    vec_free(u->model->mem, &env.list);
    return good;
}

/* The variable of the function with this name. */
static struct binding *find_own(struct fold *f, const struct uppaal_exp *exp)
{
    if (exp->kind != UPPAAL_EXP_NAME) return NULL;
    for (struct env *env = f->l->env; env != f->function->outer; env = env->outer)
        for (uint32_t i = env->list.len; i-- > 0;)
            if (env->list.data[i].name == exp->name)
                return env->list.data[i].kind == BIND_VALUE ? &env->list.data[i] : NULL;
    return NULL;
}

/* A value of the variable's type. */
static bool fit(struct fold *f, struct uppaal_exp *exp, const struct type *type,
                struct value *value)
{
    struct exprs *exprs = exprs_of(f);
    if (!compute_convert(f->l, exp, type, value)) return false;
    struct type_range range = type_cell(type, 0);
    expr e = value->e;
    if (type->kind == TYPE_INT) e = expr_within(exprs, e, range.low, range.high, FAILURE_RANGE);
    *value = value_scalar(type, e);
    return true;
}

static bool fold_assign(struct fold *f, struct uppaal_exp *exp)
{
    struct uppaal_exp changed = *exp, one = {.kind = UPPAAL_EXP_NUMBER, .number = 1};
    struct uppaal_exp *right = exp->b;
    struct binding *to = find_own(f, exp->a);
    struct value value;
    if (!to) return refuse(f, "effects on what is not its own");
    const struct type *type = to->type;
    if (exp->kind == UPPAAL_EXP_UNARY || !exp->is_plain) { /* as if it was written in full */
        changed.kind = UPPAAL_EXP_BINARY;
        one.place = one.op_place = exp->place;
        if (exp->kind == UPPAAL_EXP_UNARY) {
            bool up = exp->op == UPPAAL_PRE_INCREASE || exp->op == UPPAAL_POST_INCREASE;
            changed.op = up ? UPPAAL_ADD : UPPAAL_SUB;
            changed.b = &one;
        }
        right = &changed;
    }
    if (!compute_exp(f->l, right, &value) || !fit(f, right, type, &value)) return false;
    find_own(f, exp->a)->value = value; /* lists may have moved */
    return true;
}

static bool fold_list(struct fold *f, struct uppaal_exp *list)
{
    for (; list; list = list->next) {
        bool is_step = list->kind == UPPAAL_EXP_UNARY && list->op >= UPPAAL_PRE_INCREASE
                       && list->op <= UPPAAL_POST_DECREASE;
        if (list->kind != UPPAAL_EXP_ASSIGN && !is_step)
            return refuse(f, "a statement with an effect");
        if (!fold_assign(f, list)) return false;
    }
    return true;
}

static bool fold_return(struct fold *f, struct uppaal_stmt *stmt)
{
    struct exprs *exprs = exprs_of(f);
    struct value value;
    if (!stmt->exp) return refuse(f, "no result");
    if (!compute_exp(f->l, stmt->exp, &value) || !fit(f, stmt->exp, f->function->result, &value))
        return false;
    f->result = expr_choose(exprs, f->returned, f->result, value.e);
    f->returned = expr_bool(exprs, true);
    return true;
}

static bool fold_local(struct fold *f, struct uppaal_decl *decl, struct env *env)
{
    struct uppaal *u = f->l->u;
    struct uppaal_variable *variable = decl->variable;
    struct binding resolved;
    struct value value;
    if (!resolve_type(u, f->l->env, variable->type, variable->arrays, &resolved)) return false;
    if (decl->kind == UPPAAL_DECL_TYPEDEF) {
        struct binding named = {.name = variable->name,
                                .kind = BIND_TYPE,
                                .of = resolved.kind,
                                .prefixes = resolved.prefixes,
                                .type = resolved.type};
        compute_bind(u, env, named);
        return true;
    }
    if (resolved.kind != BIND_CELLS || !type_is_scalar(resolved.type))
        return refuse(f, "variables that are no numbers");
    if (!variable->init) value = value_initial(u->model, resolved.type);
    else if (!compute_exp(f->l, variable->init, &value)
             || !fit(f, variable->init, resolved.type, &value))
        return false;
    compute_bind(
        u, env,
        (struct binding){
            .name = variable->name, .kind = BIND_VALUE, .type = resolved.type, .value = value});
    return true;
}

static bool fold_block(struct fold *f, struct uppaal_stmt *stmt)
{
    struct env env = {.outer = f->l->env};
    bool good = true;
    f->l->env = &env;
    for (struct uppaal_decl *decl = stmt->decls; good && decl; decl = decl->next)
        good = fold_local(f, decl, &env);
    for (struct uppaal_stmt *one = stmt->body; good && one; one = one->next)
        good = fold_statement(f, one);
    f->l->env = env.outer;
    vec_free(f->l->u->model->mem, &env.list);
    return good;
}

static bool fold_statement(struct fold *f, struct uppaal_stmt *stmt)
{
    expr cond;
    if (++f->l->rounds > MAX_ROUNDS) return refuse(f, "too much to do");
    /* nothing follows a return */
    if (expr_is_true(exprs_of(f), f->returned)) return true;
    mem_look(f->l->u->model->mem);
    switch ((enum uppaal_stmt_kind)stmt->kind) {
    case UPPAAL_STMT_EMPTY: return true;
    case UPPAAL_STMT_BLOCK: return fold_block(f, stmt);
    case UPPAAL_STMT_EXP: return fold_list(f, stmt->exp);
    case UPPAAL_STMT_FOR: return fold_list(f, stmt->first) && fold_round(f, stmt);
    case UPPAAL_STMT_EACH: return fold_each(f, stmt);
    case UPPAAL_STMT_WHILE: return fold_round(f, stmt);
    case UPPAAL_STMT_DO: return fold_statement(f, stmt->body) && fold_round(f, stmt);
    case UPPAAL_STMT_IF:
        return fold_condition(f, stmt->exp, &cond) && fold_branch(f, cond, stmt->body, stmt->other);
    case UPPAAL_STMT_RETURN: return fold_return(f, stmt);
    case UPPAAL_STMT_ASSERT: break;
    }
    return refuse(f, "an assertion");
}

/* ---- the call ---- */

static bool fold_argument(struct fold *f, struct uppaal_exp *arg, struct uppaal_variable *p,
                          struct env *env)
{
    struct uppaal *u = f->l->u;
    struct binding resolved, found;
    struct value value;
    if (!resolve_type(u, f->function->outer, p->type, p->arrays, &resolved)) return false;
    if (resolved.kind != BIND_CELLS) return refuse(f, "parameters that are no numbers");
    if (!p->by_reference && type_is_scalar(resolved.type)) {
        if (!compute_exp(f->l, arg, &value) || !fit(f, arg, resolved.type, &value)) return false;
        found = (struct binding){.kind = BIND_VALUE, .type = resolved.type, .value = value};
    } else {
        if (!compute_place(f->l, arg, false, &found)) return false;
        if (!found.type || !type_matches(resolved.type, found.type))
            return refuse(f, "parameters of another type");
        if (found.kind == BIND_VALUE) return refuse(f, "references to what is computed");
        found.read_only = true;
    }
    found.name = p->name;
    compute_bind(u, env, found);
    return true;
}

bool fold_call(struct lowering *l, struct function *function, struct uppaal_exp *exp,
               struct value *value)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    struct lowering inner = *l;
    struct fold f = {.l = l, .function = function, .call = exp};
    struct env env = {.outer = function->outer};
    struct uppaal_variable *p = function->decl->function->parameters;
    bool good = true;
    if (!function->result || !type_is_scalar(function->result))
        return refuse(&f, "no number as its result");
    for (struct uppaal_exp *arg = exp->args; good && arg; arg = arg->next, p = p->next)
        good = fold_argument(&f, arg, p, &env);
    f.returned = expr_bool(exprs, false);
    f.result = function->result->kind == TYPE_BOOL ? expr_bool(exprs, false) : expr_int(exprs, 0);
    assert(!l->code.out); /* otherwise it is called */
    inner.env = &env;
    inner.member = NULL;
    f.l = &inner;
    function->busy++;
    good = good && fold_statement(&f, function->decl->function->body);
    function->busy--;
    l->rounds = inner.rounds;
    vec_free(l->u->model->mem, &env.list);
    *value = value_scalar(function->result, f.result);
    return good;
}
