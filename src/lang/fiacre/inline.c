/* Functions with statements where there is no code, in properties and constants: the body is run
 * with expressions for values, and the result is one expression.
 *
 * Scalar variables hold expressions over the model's variables; arrays and records are parameters
 * that are only read. `if` goes both ways with a copy of the variables, each with all that follows,
 * and chooses between the two results; loops are unrolled as far as their conditions are constants.
 * What this cannot do (other values that are assigned, patterns, values that might fail or leave
 * their range, more than MAX_STEPS statements) is left to the caller, who says that it is not
 * possible. */
#include "lang/fiacre/scope.h"

#include <assert.h>

enum { MAX_STEPS = 10000, MAX_DEPTH = 1000 };

/* What comes after a sequence of statements. */
struct rest {
    struct fiacre_stmt *next; /* then this; of a loop: the loop itself, again */
    int64_t value;            /* of a foreach: the next value */
    const struct rest *outer;
};

struct run {
    struct lowering *l;
    const struct function *function;
};

static struct exprs *exprs_of(const struct run *run) { return &run->l->f->model->exprs; }

static bool go(struct run *run, struct env *env, struct fiacre_stmt *stmt, const struct rest *rest,
               struct value *result);

/* A value of the type, if nothing can go wrong with it. */
static bool fits(const struct run *run, const struct type *type, struct value *value)
{
    const struct expr_node *node;
    if (!type_is_scalar(type) || !type_matches(type, value->type)) return false;
    struct type_range range = type_cell(type, 0);
    node = expr_get(exprs_of(run), value->e);
    value->type = type;
    return !node->may_fail
           && (type->kind == TYPE_BOOL || (node->low >= range.low && node->high <= range.high));
}

static struct binding *find(struct env *env, const char *name)
{
    for (uint32_t i = 0; i < env->list.len; i++)
        if (env->list.data[i].name == name) return &env->list.data[i];
    return NULL;
}

static bool assign(struct run *run, struct env *env, const struct fiacre_stmt *stmt)
{
    struct mem *mem = run->l->f->model->mem;
    struct value *values = mem_alloc(mem, (stmt->exp_count + UINT64_C(1)) * sizeof *values);
    bool good = true;
    uint32_t n = 0;
    assert(stmt->exp_count == stmt->pattern_count);
    struct fiacre_exp *pattern = stmt->patterns;
    for (struct fiacre_exp *exp = stmt->exps; good && exp;
         exp = exp->next, pattern = pattern->next, n++) {
        const struct binding *variable =
            pattern->kind == FIACRE_EXP_NAME ? find(env, pattern->name) : NULL;
        const struct type *type = variable ? variable->type : NULL; /* the list may move */
        good = type && lower_exp(run->l, exp, type, &values[n]) && fits(run, type, &values[n]);
    }
    n = 0;
    for (pattern = stmt->patterns; good && pattern; pattern = pattern->next, n++)
        find(env, pattern->name)->value = values[n];
    mem_free(mem, values);
    return good;
}

static void copy_env(struct run *run, struct env *to, const struct env *from)
{
    *to = (struct env){.outer = from->outer};
    for (uint32_t i = 0; i < from->list.len; i++)
        vec_push(run->l->f->model->mem, &to->list, from->list.data[i]);
}

/* The branches of an `if` from this one on, and what follows it. */
static bool branch(struct run *run, struct env *env, struct fiacre_branch *first,
                   const struct rest *rest, struct value *result)
{
    struct env other;
    struct value yes, no;
    expr cond;
    if (!first || !first->exp) return go(run, env, first ? first->body : NULL, rest, result);
    if (!lower_condition(run->l, first->exp, &cond)) return false;
    const struct expr_node *node = expr_get(exprs_of(run), cond);
    if (node->may_fail) return false;
    if (node->op == EXPR_CONST)
        return node->value ? go(run, env, first->body, rest, result)
                           : branch(run, env, first->next, rest, result);
    if (run->l->nesting >= MAX_DEPTH) return false;
    run->l->nesting++;
    copy_env(run, &other, env);
    bool good = go(run, &other, first->body, rest, &yes);
    run->l->env = env;
    vec_free(run->l->f->model->mem, &other.list);
    good = good && branch(run, env, first->next, rest, &no);
    run->l->nesting--;
    if (good)
        *result = value_scalar(run->function->routine.result,
                               expr_choose(exprs_of(run), cond, yes.e, no.e));
    return good;
}

/* One more round of a loop, or what follows it. */
static bool go_round(struct run *run, struct env *env, struct fiacre_stmt *loop, int64_t value,
                     const struct rest *outer, struct value *result)
{
    struct rest again = {loop, value + 1, outer};
    expr cond;
    if (loop->kind == FIACRE_STMT_FOREACH) {
        struct binding *variable = find(env, loop->name);
        if (!variable || variable->kind != BIND_VALUE || variable->type->kind == TYPE_BOOL)
            return false;
        if (value > type_cell(variable->type, 0).high)
            return go(run, env, loop->next, outer, result);
        variable->value = value_scalar(variable->type, expr_int(exprs_of(run), value));
        return go(run, env, loop->body, &again, result);
    }
    if (!lower_condition(run->l, loop->exp, &cond)) return false;
    const struct expr_node *node = expr_get(exprs_of(run), cond);
    if (node->op != EXPR_CONST) return false;
    return node->value ? go(run, env, loop->body, &again, result)
                       : go(run, env, loop->next, outer, result);
}

static bool go(struct run *run, struct env *env, struct fiacre_stmt *stmt, const struct rest *rest,
               struct value *result)
{
    run->l->env = env;
    if (++run->l->steps > MAX_STEPS || run->l->nesting > MAX_DEPTH) return false;
    while (stmt && (stmt->kind == FIACRE_STMT_NULL || stmt->kind == FIACRE_STMT_ASSIGN)) {
        if (++run->l->steps > MAX_STEPS
            || (stmt->kind == FIACRE_STMT_ASSIGN && !assign(run, env, stmt)))
            return false;
        stmt = stmt->next;
    }
    if (!stmt && !rest) return false;
    struct rest after = {stmt ? stmt->next : NULL, INT64_MIN, rest};
    run->l->nesting++;
    bool good = false;
    if (!stmt && rest->value == INT64_MIN) good = go(run, env, rest->next, rest->outer, result);
    else if (!stmt) good = go_round(run, env, rest->next, rest->value, rest->outer, result);
    else if (stmt->kind == FIACRE_STMT_RETURN)
        good = lower_exp(run->l, stmt->exp, run->function->routine.result, result)
               && fits(run, run->function->routine.result, result);
    else if (stmt->kind == FIACRE_STMT_IF) good = branch(run, env, stmt->branches, &after, result);
    else if (stmt->kind == FIACRE_STMT_WHILE) good = go_round(run, env, stmt, 0, rest, result);
    else if (stmt->kind == FIACRE_STMT_FOREACH && find(env, stmt->name)
             && type_is_scalar(find(env, stmt->name)->type))
        good =
            go_round(run, env, stmt, type_cell(find(env, stmt->name)->type, 0).low, rest, result);
    run->l->nesting--;
    return good;
}

/* Parameters and variables with their first values. */
static bool begin(struct run *run, struct env *env, const struct value *args)
{
    struct fiacre_variable *variable = run->function->decl->function->variables;
    for (uint32_t i = 0; i < run->function->env.list.len; i++) {
        struct binding bound = run->function->env.list.data[i];
        bool is_parameter = i < run->function->routine.parameters.len;
        struct fiacre_exp *init = NULL;
        if (!is_parameter) init = variable->init, variable = variable->next;
        if (is_parameter && !type_is_scalar(bound.type)) {
            if (!type_same(bound.type, args[i].type)) return false;
            bound.at = args[i].at;
        } else {
            struct type_range range = type_cell(bound.type, 0);
            bound.kind = BIND_VALUE;
            if (is_parameter) bound.value = args[i];
            else if (init && !lower_exp(run->l, init, bound.type, &bound.value)) return false;
            else if (!init)
                bound.value =
                    value_scalar(bound.type, bound.type->kind == TYPE_BOOL
                                                 ? expr_bool(exprs_of(run), range.initial)
                                                 : expr_int(exprs_of(run), range.initial));
            if (!fits(run, bound.type, &bound.value)) return false;
        }
        vec_push(run->l->f->model->mem, &env->list, bound);
    }
    return true;
}

bool function_inline(struct lowering *l, const struct function *function, const struct value *args,
                     struct value *value)
{
    struct lowering inner = *l;
    const struct function copy = *function; /* the list may move */
    struct run run = {.l = &inner, .function = &copy};
    struct env env = {0};
    if (!type_is_scalar(function->routine.result)) return false;
    inner.special = NULL;
    inner.env = &env;
    inner.inlined++;
    bool good =
        begin(&run, &env, args) && go(&run, &env, function->decl->function->body, NULL, value);
    assert(inner.nesting == l->nesting);
    assert(!good || type_is_scalar(value->type));
    l->steps = inner.steps;
    vec_free(l->f->model->mem, &env.list);
    return good;
}
