/* Statements that leave no choice: they become code. */
#include "lang/fiacre/scope.h"

#include <assert.h>
#include <inttypes.h>

static struct exprs *exprs_of(struct lowering *l) { return &l->f->model->exprs; }

/* Lowers a sequence into a block of its own. */
static bool lower_block(struct lowering *l, struct fiacre_stmt *first, struct code_sequence *block)
{
    *block = code_sequence_empty();
    struct emit_block before = emit_open(&l->code, block);
    bool good = lower_statements(l, first);
    emit_close(&l->code, &before);
    return good;
}

/* ---- patterns ---- */

/* A name in a pattern: a constructor or a constant is compared, anything else assigned. */
static const struct constructor *
as_constructor(struct lowering *l, const struct fiacre_exp *pattern, const struct type *type)
{
    if (pattern->kind == FIACRE_EXP_NAME && env_find(l->f, l->env, pattern->name)) return NULL;
    const struct constructor *found = constructor_find(l->f, pattern->name, type);
    return found && found->type == type ? found : NULL;
}

static bool is_constant_name(struct lowering *l, const struct fiacre_exp *pattern)
{
    if (pattern->kind != FIACRE_EXP_NAME) return false;
    const struct binding *binding = env_find(l->f, l->env, pattern->name);
    return binding && binding->kind != BIND_CELLS && binding->kind != BIND_PORT;
}

static bool is_literal(const struct fiacre_exp *pattern)
{
    return pattern->kind == FIACRE_EXP_NUMBER || pattern->kind == FIACRE_EXP_BOOL
           || pattern->kind == FIACRE_EXP_UNARY;
}

static struct value argument_of(struct lowering *l, const struct value *value,
                                const struct type *type)
{
    struct cell behind = emit_behind(&value->at, 1);
    return value_cells(l->f->model, type, &behind);
}

static bool complain_constructor(struct lowering *l, struct fiacre_exp *pattern,
                                 const struct type *type)
{
    struct text shown;
    text_init(&shown, l->f->model->mem);
    type_show(&shown, type);
    complain(l->f, pattern, DIAG_TYPE, pattern->place, "'%.60s' is no constructor of %s",
             pattern->name, shown.data);
    text_free(&shown);
    return false;
}

/* A variable of a pattern that cannot take the value. */
static void complain_pattern(struct lowering *l, struct fiacre_exp *pattern,
                             const struct type *variable, const struct type *value)
{
    struct text a, b;
    text_init(&a, l->f->model->mem);
    text_init(&b, l->f->model->mem);
    type_show(&a, variable);
    type_show(&b, value);
    complain(l->f, pattern, DIAG_TYPE, pattern->place, "this is %s, and the value is %s", a.data,
             b.data);
    text_free(&a);
    text_free(&b);
}

bool pattern_condition(struct lowering *l, struct fiacre_exp *pattern, const struct value *value,
                       expr *cond)
{
    struct exprs *exprs = exprs_of(l);
    *cond = expr_bool(exprs, true);
    if (pattern->kind == FIACRE_EXP_ANY) return true;
    if (is_literal(pattern) || is_constant_name(l, pattern)) {
        struct value literal;
        return lower_exp(l, pattern, value->type, &literal)
               && lower_equal(l, value, &literal, pattern->place, cond);
    }
    if (pattern->kind != FIACRE_EXP_NAME && pattern->kind != FIACRE_EXP_CALL) return true;
    const struct constructor *constructor = as_constructor(l, pattern, value->type);
    if (!constructor && pattern->kind == FIACRE_EXP_NAME) return true;
    if (!constructor) return complain_constructor(l, pattern, value->type);
    const struct type *argument = value->type->members[constructor->tag].type;
    uint32_t args = pattern->kind == FIACRE_EXP_CALL ? pattern->count : 0;
    if (args != (argument != NULL)) {
        complain(l->f, pattern, DIAG_ARGUMENTS, pattern->place,
                 argument ? "the constructor '%.60s' needs an argument: `any` matches all"
                          : "the constructor '%.60s' has no argument",
                 pattern->name);
        return false;
    }
    expr tag = value_tag(l->f->model, value);
    *cond = expr_make(exprs, EXPR_EQ, 0, tag, expr_int(exprs, constructor->tag));
    if (!argument) return true;
    struct value inner = argument_of(l, value, argument);
    expr rest;
    if (!pattern_condition(l, pattern->args, &inner, &rest)) return false;
    *cond = expr_make(exprs, EXPR_AND, 0, *cond, rest);
    return true;
}

bool pattern_assign(struct lowering *l, struct fiacre_exp *pattern, const struct value *value)
{
    if (pattern->kind == FIACRE_EXP_ANY || is_literal(pattern) || is_constant_name(l, pattern))
        return true;
    if (pattern->kind == FIACRE_EXP_NAME || pattern->kind == FIACRE_EXP_CALL) {
        const struct constructor *constructor = as_constructor(l, pattern, value->type);
        if (constructor) {
            const struct type *argument = value->type->members[constructor->tag].type;
            if (!argument) return true;
            struct value inner = argument_of(l, value, argument);
            return pattern_assign(l, pattern->args, &inner);
        }
    }
    const struct type *type;
    struct cell at;
    if (!lower_place(l, pattern, true, &type, &at)) return false;
    if (!type_matches(type, value->type))
        return complain_pattern(l, pattern, type, value->type), false;
    return lower_store(l, type, &at, value, pattern->place);
}

/* ---- assignment ---- */

static bool lower_match(struct lowering *l, struct fiacre_exp *pattern, const struct value *value)
{
    expr cond;
    if (!pattern_condition(l, pattern, value, &cond)) return false;
    emit_require(&l->code, cond, pattern->place, 0);
    return pattern_assign(l, pattern, value);
}

/* The value for a pattern; when it is a variable, the value must be of its type. On the left of
 * ':=' the name of a constant would be a condition that looks like an assignment. */
static bool lower_assigned(struct lowering *l, struct fiacre_exp *pattern, struct fiacre_exp *exp,
                           struct value *value)
{
    if (is_constant_name(l, pattern)) {
        complain(l->f, pattern, DIAG_ACCESS, pattern->place,
                 "'%.60s' cannot be assigned to: it is a constant (to compare it, write `on`)",
                 pattern->name);
        return false;
    }
    const struct type *type = lower_place_type(l, pattern);
    if (!lower_exp(l, exp, type, value)) return false;
    if (!type || type_matches(type, value->type)) return true;
    if (!exp->reported) complain_types(l, exp->place, type, value->type);
    exp->reported = true;
    return false;
}

static bool lower_assign(struct lowering *l, struct fiacre_stmt *stmt)
{
    struct fiacre_exp *pattern = stmt->patterns, *exp = stmt->exps;
    struct value value;
    assert(stmt->pattern_count == stmt->exp_count);
    if (stmt->pattern_count == 1) {
        bool done;
        if (!lower_in_place(l, pattern, exp, &done)) return false;
        return done || (lower_assigned(l, pattern, exp, &value) && lower_match(l, pattern, &value));
    }
    struct value *values = mem_alloc(l->f->model->mem, stmt->exp_count * sizeof *values);
    bool good = true;
    uint32_t n = 0;
    for (; good && exp; exp = exp->next, pattern = pattern->next, n++) {
        good = lower_assigned(l, pattern, exp, &values[n]);
        if (good) values[n] = value_keep(&l->code, values[n], exp->place);
    }
    n = 0;
    for (pattern = stmt->patterns; good && pattern; pattern = pattern->next, n++)
        good = lower_match(l, pattern, &values[n]);
    mem_free(l->f->model->mem, values);
    return good;
}

/* ---- if, case ---- */

static bool lower_if(struct lowering *l, struct fiacre_branch *branch)
{
    struct code_sequence yes, no = code_sequence_empty();
    expr cond;
    if (!branch) return true;
    if (!branch->exp) return lower_statements(l, branch->body);
    if (!lower_condition(l, branch->exp, &cond) || !lower_block(l, branch->body, &yes))
        return false;
    struct emit_block before = emit_open(&l->code, &no);
    bool good = lower_if(l, branch->next);
    emit_close(&l->code, &before);
    if (good) emit_if(&l->code, cond, yes, no, branch->place);
    return good;
}

bool case_branch(struct lowering *l, struct fiacre_stmt *stmt, const struct value *value,
                 uint32_t n)
{
    struct exprs *exprs = exprs_of(l);
    struct fiacre_branch *branch = stmt->branches;
    expr cond;
    for (uint32_t i = 0; i < n; i++, branch = branch->next) {
        if (!pattern_condition(l, branch->exp, value, &cond)) return false;
        emit_require(&l->code, expr_make(exprs, EXPR_NOT, 0, cond, cond), branch->place, 0);
    }
    return lower_match(l, branch->exp, value);
}

/* The branches from `branch` on; when none is left the path is blocked. */
static bool lower_branches(struct lowering *l, struct fiacre_branch *branch,
                           const struct value *value, struct place place)
{
    struct exprs *exprs = exprs_of(l);
    struct code_sequence yes = code_sequence_empty(), no = code_sequence_empty();
    expr cond;
    if (!branch) return emit_require(&l->code, expr_bool(exprs, false), place, 0), true;
    if (!pattern_condition(l, branch->exp, value, &cond)) return false;
    if (!branch->next) {
        emit_require(&l->code, cond, branch->exp->place, 0);
        return pattern_assign(l, branch->exp, value) && lower_statements(l, branch->body);
    }
    struct emit_block before = emit_open(&l->code, &yes);
    bool good = pattern_assign(l, branch->exp, value) && lower_statements(l, branch->body);
    l->code.out = &no;
    good = good && lower_branches(l, branch->next, value, place);
    emit_close(&l->code, &before);
    if (good) emit_if(&l->code, cond, yes, no, branch->place);
    return good;
}

static bool lower_case(struct lowering *l, struct fiacre_stmt *stmt)
{
    struct value value;
    return lower_exp(l, stmt->exp, NULL, &value)
           && lower_branches(l, stmt->branches, &value, stmt->place);
}

/* ---- loops ---- */

/* A condition that needs code is computed before the loop and at the end of each round. */
static bool lower_while(struct lowering *l, struct fiacre_stmt *stmt)
{
    struct code_sequence body, test = code_sequence_empty(), *out = l->code.out;
    bool in_rule = l->code.in_rule;
    expr cond;
    l->code.out = &test;
    l->code.in_rule = false;
    bool good = lower_condition(l, stmt->exp, &cond);
    l->code.out = out;
    good = good && lower_block(l, stmt->body, &body);
    if (good && code_is_none(test.first)) emit_while(&l->code, cond, body, stmt->place);
    else if (good) {
        struct cell go_on = emit_local(l->f->model, l->f->bool_type, "condition");
        emit_sequence(&l->code, &test);
        emit_set(&l->code, &go_on, expr_to_int(exprs_of(l), cond), stmt->place);
        l->code.out = &body;
        good = lower_condition(l, stmt->exp, &cond);
        emit_set(&l->code, &go_on, expr_to_int(exprs_of(l), cond), stmt->place);
        l->code.out = out;
        emit_while(&l->code, value_cells(l->f->model, l->f->bool_type, &go_on).e, body,
                   stmt->place);
    }
    l->code.in_rule = in_rule;
    return good;
}

static bool lower_foreach(struct lowering *l, struct fiacre_stmt *stmt)
{
    struct exprs *exprs = exprs_of(l);
    const struct binding *variable = env_find(l->f, l->env, stmt->name);
    struct code_sequence body, head = code_sequence_empty(), *out = l->code.out;
    if (!variable || variable->kind != BIND_CELLS) {
        complain(l->f, stmt, DIAG_TYPE, stmt->op_place, "'%.60s' is not a variable", stmt->name);
        return false;
    }
    const struct binding v = *variable;
    if (!type_values(v.type, CODE_MAX_ROUNDS)) {
        complain(l->f, stmt, DIAG_LIMIT, stmt->op_place,
                 "foreach needs a variable of a finite scalar type with at most %d values",
                 CODE_MAX_ROUNDS);
        return false;
    }
    struct type_range range = type_cell(v.type, 0);
    struct type wider = *l->f->int_type;
    wider.low = range.low;
    wider.high = range.high + 1;
    struct cell counter = emit_local(l->f->model, &wider, stmt->name);
    expr count = expr_local(exprs, counter.base, wider.low, wider.high),
         last = expr_int(exprs, range.high);
    emit_set(&l->code, &counter, expr_int(exprs, range.low), stmt->place);
    if (!lower_block(l, stmt->body, &body)) return false;
    l->code.out = &head;
    emit_set(&l->code, &v.at, expr_within(exprs, count, range.low, range.high, FAILURE_RANGE),
             stmt->place);
    emit_sequence(&l->code, &body);
    emit_set(&l->code, &counter,
             expr_make(exprs, EXPR_ADD, 0,
                       expr_within(exprs, count, range.low, range.high, FAILURE_RANGE),
                       expr_int(exprs, 1)),
             stmt->place);
    l->code.out = out;
    emit_while(&l->code, expr_make(exprs, EXPR_LE, 0, count, last), head, stmt->place);
    return true;
}

/* ---- everything ---- */

static bool lower_return(struct lowering *l, struct fiacre_stmt *stmt)
{
    struct value value;
    const struct type *result = l->function->routine.result;
    if (!lower_exp(l, stmt->exp, result, &value)) return false;
    if (!type_matches(result, value.type))
        return complain_types(l, stmt->exp->place, result, value.type), false;
    routine_return(&l->code, &l->function->routine, &value, stmt->exp->place, stmt->place);
    return true;
}

bool lower_statement(struct lowering *l, struct fiacre_stmt *stmt)
{
    expr cond;
    switch ((enum fiacre_stmt_kind)stmt->kind) {
    case FIACRE_STMT_NULL:
    case FIACRE_STMT_TAG:
    case FIACRE_STMT_LABEL: return true;
    case FIACRE_STMT_ON:
        if (!lower_condition(l, stmt->exp, &cond)) return false;
        emit_condition(l, cond, stmt->exp, false);
        return true;
    case FIACRE_STMT_ASSIGN: return lower_assign(l, stmt);
    case FIACRE_STMT_IF: return lower_if(l, stmt->branches);
    case FIACRE_STMT_CASE: return lower_case(l, stmt);
    case FIACRE_STMT_WHILE: return lower_while(l, stmt);
    case FIACRE_STMT_FOREACH: return lower_foreach(l, stmt);
    case FIACRE_STMT_RETURN: return lower_return(l, stmt);
    default: break;
    }
    complain(l->f, stmt, DIAG_MISPLACED, stmt->place,
             "a choice, a communication or a change of state is not possible inside a loop or a "
             "function");
    return false;
}

bool lower_statements(struct lowering *l, struct fiacre_stmt *first)
{
    bool good = true;
    for (; first; first = first->next) good &= lower_statement(l, first);
    return good;
}

/* ---- functions ---- */

static bool always_returns(const struct fiacre_stmt *first)
{
    for (; first; first = first->next) {
        bool all = first->branches != NULL, has_else = first->kind == FIACRE_STMT_CASE;
        if (first->kind == FIACRE_STMT_RETURN) return true;
        if (first->kind != FIACRE_STMT_IF && first->kind != FIACRE_STMT_CASE) continue;
        for (const struct fiacre_branch *b = first->branches; b; b = b->next) {
            all &= always_returns(b->body);
            has_else |= !b->exp;
        }
        if (all && has_else) return true;
    }
    return false;
}

static bool declare_locals(struct fiacre *f, struct function *function,
                           struct fiacre_variable *variable, bool are_parameters)
{
    for (; variable; variable = variable->next) {
        const struct type *type = types_resolve(f, variable->type, NULL);
        if (!type) return false;
        for (uint32_t i = 0; i < function->env.list.len; i++)
            if (function->env.list.data[i].name == variable->name) {
                diag_error(f->diag, DIAG_DUPLICATE, variable->place, "'%.60s' is declared twice",
                           variable->name);
                return false;
            }
        struct binding binding = {
            .name = variable->name, .kind = BIND_CELLS, .type = type, .place = variable->place};
        binding.at = are_parameters
                         ? routine_add_parameter(f->model, &function->routine, type, variable->name)
                         : emit_local(f->model, type, variable->name);
        vec_push(f->model->mem, &function->env.list, binding);
    }
    return true;
}

/* Variables start anew at every call. */
static bool start_locals(struct lowering *l, const struct function *function,
                         struct fiacre_variable *variable)
{
    for (uint32_t i = function->routine.parameters.len; variable; variable = variable->next, i++) {
        const struct binding binding = function->env.list.data[i];
        struct value value;
        if (variable->init) {
            if (!lower_exp(l, variable->init, binding.type, &value)
                || !lower_store(l, binding.type, &binding.at, &value, variable->init->place))
                return false;
            continue;
        }
        emit_initial(&l->code, binding.type, &binding.at, variable->place);
    }
    return true;
}

static bool lower_function(void *context, struct routine *routine)
{
    struct fiacre *f = context;
    struct function *function = (struct function *)routine;
    struct fiacre_function *ast = function->decl->function;
    struct code_sequence body = code_sequence_empty();
    struct lowering inner = {
        .f = f, .code = {.model = f->model, .out = &body}, .function = function};
    routine->result = types_resolve(f, ast->result, NULL);
    if (!routine->result || !declare_locals(f, function, ast->parameters, true)) return false;
    assert(function->env.list.len == routine->parameters.len); /* parameters come first */
    routine->result_at = emit_local(f->model, routine->result, function->decl->name);
    if (!declare_locals(f, function, ast->variables, false)) return false;
    if (!always_returns(ast->body)) {
        diag_error(f->diag, DIAG_MISSING, function->decl->name_place,
                   "the function '%.60s' may end without `return`", function->decl->name);
        return false;
    }
    inner.env = &function->env;
    if (!start_locals(&inner, function, ast->variables) || !lower_statements(&inner, ast->body))
        return false;
    routine->body = body.first;
    routine->depth = inner.depth + 1;
    function->is_formula = !ast->variables && ast->body->kind == FIACRE_STMT_RETURN
                           && type_is_scalar(routine->result) && !routine->is_recursive;
    if (routine->depth > ROUTINE_MAX_DEPTH) {
        diag_error(f->diag, DIAG_NESTING, function->decl->name_place,
                   "calls are nested too deeply");
        return false;
    }
    return true;
}

static struct routine *copy_function(void *context, const struct routine *routine)
{
    struct fiacre *f = context;
    struct function *copy = arena_alloc(&f->model->arena, sizeof *copy);
    copy->decl = ((const struct function *)routine)->decl;
    copy->routine.body = code_none();
    return &copy->routine;
}

void functions_init(struct fiacre *f)
{
    f->routines = (struct routines){.copy = copy_function, .lower = lower_function};
}

struct function *function_callee(struct fiacre *f, struct function *function)
{
    return (struct function *)routine_callee(&f->routines, f, &function->routine);
}

bool function_prepare(struct fiacre *f, struct function *function)
{
    return routine_prepare(&f->routines, f, &function->routine);
}
