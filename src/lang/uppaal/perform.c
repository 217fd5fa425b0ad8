/* Statements and functions: they become code (lang/kit). A function is lowered where it is first
 * called: once, and once more for every list of variables that it gets by reference. A function
 * that is just `return e` is put where it is called, if its arguments fit. Functions of a template
 * are others for every process. */
#include "lang/uppaal/scope.h"

#include <assert.h>

enum { MAX_INLINED = 6 };

static bool perform_statement(struct lowering *l, struct uppaal_stmt *stmt);

/* ---- conditions and loops ---- */

/* A list, whose last member is the condition. */
static bool compute_last(struct lowering *l, struct uppaal_exp *list, expr *cond)
{
    struct value unused;
    for (; list && list->next; list = list->next)
        if (!compute_exp(l, list, &unused)) return false;
    if (list) return compute_condition(l, list, cond);
    *cond = expr_bool(uppaal_exprs(l->u), true);
    return true;
}

static bool perform_aside(struct lowering *l, struct uppaal_stmt *stmt, struct code_sequence *code)
{
    *code = code_sequence_empty();
    struct emit_block before = emit_open(&l->code, code);
    bool good = !stmt || perform_statement(l, stmt);
    emit_close(&l->code, &before);
    return good;
}

static bool perform_if(struct lowering *l, struct uppaal_stmt *stmt)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    struct code_sequence yes, no;
    expr cond;
    if (!compute_last(l, stmt->exp, &cond)) return false;
    if (!perform_aside(l, stmt->body, &yes) || !perform_aside(l, stmt->other, &no)) return false;
    if (expr_is_true(exprs, cond)) emit_sequence(&l->code, &yes);
    else if (expr_is_false(exprs, cond)) emit_sequence(&l->code, &no);
    else emit_if(&l->code, cond, yes, no, stmt->place);
    return true;
}

/* Adds to a block what the condition needs, and puts it into the flag. */
static bool recompute(struct lowering *l, struct uppaal_exp *cond, const struct cell *flag,
                      struct code_sequence *block, struct place place)
{
    struct emit_block before = emit_open(&l->code, block);
    expr again;
    bool good = compute_last(l, cond, &again);
    if (good) emit_set(&l->code, flag, expr_to_int(uppaal_exprs(l->u), again), place);
    emit_close(&l->code, &before);
    return good;
}

/* while (cond) { body; step }; a `do` has done its first round. */
static bool perform_loop(struct lowering *l, struct uppaal_exp *cond, struct uppaal_stmt *body,
                         struct uppaal_exp *step, struct place place)
{
    struct uppaal *u = l->u;
    struct code_sequence first = code_sequence_empty(), round;
    expr goes_on;
    struct emit_block before = emit_open(&l->code, &first);
    bool good = compute_last(l, cond, &goes_on);
    emit_close(&l->code, &before);
    if (!good || !perform_aside(l, body, &round)) return false;
    before = emit_open(&l->code, &round);
    good = compute_list(l, step);
    emit_close(&l->code, &before);
    if (!good) return false;
    if (code_is_none(first.first)) {
        if (!expr_is_false(uppaal_exprs(u), goes_on)) emit_while(&l->code, goes_on, round, place);
        return true;
    }
    struct cell flag = emit_local(u->model, u->bool_type, "goes on");
    emit_sequence(&l->code, &first);
    emit_set(&l->code, &flag, expr_to_int(uppaal_exprs(u), goes_on), place);
    if (!recompute(l, cond, &flag, &round, place)) return false;
    emit_while(&l->code, value_cells(u->model, u->bool_type, &flag).e, round, place);
    return true;
}

/* for (i : T): a counter that goes one further than the values. */
static bool perform_each(struct lowering *l, struct uppaal_stmt *stmt)
{
    struct uppaal *u = l->u;
    struct exprs *exprs = uppaal_exprs(u);
    const struct type *type = resolve_domain(u, l->env, stmt->type, UINT32_MAX, stmt->name_place);
    if (!type) return false;
    struct type_range range = type_cell(type, 0);
    const struct type counting = {
        .kind = TYPE_INT, .low = range.low, .high = range.high + 1, .cells = 1};
    struct cell counter = emit_local(u->model, &counting, stmt->name);
    expr count = emit_read_nth(u->model, &counting, &counter, 0);
    struct env env = {.outer = l->env};
    expr inside = expr_within(exprs, count, range.low, range.high, FAILURE_RANGE);
    struct cell at = emit_local(u->model, type, stmt->name);
    compute_bind(
        u, &env,
        (struct binding){
            .name = stmt->name, .kind = BIND_CELLS, .read_only = true, .type = type, .at = at});
    emit_set(&l->code, &counter, expr_int(exprs, range.low), stmt->place);
    struct code_sequence round = code_sequence_empty();
    struct emit_block before = emit_open(&l->code, &round);
    emit_set(&l->code, &at, inside, stmt->place);
    l->env = &env;
    bool good = perform_statement(l, stmt->body);
    l->env = env.outer;
    emit_set(
        &l->code, &counter,
        expr_make(exprs, EXPR_ADD, 0, emit_read_nth(u->model, type, &at, 0), expr_int(exprs, 1)),
        stmt->place);
    emit_close(&l->code, &before);
    vec_free(u->model->mem, &env.list);
    if (good)
        emit_while(&l->code, expr_make(exprs, EXPR_LE, 0, count, expr_int(exprs, range.high)),
                   round, stmt->place);
    return good;
}

/* ---- blocks ---- */

static bool declare_local(struct lowering *l, struct uppaal_decl *decl)
{
    struct uppaal *u = l->u;
    struct uppaal_variable *variable = decl->variable;
    struct binding resolved;
    if (!resolve_type(u, l->env, variable->type, variable->arrays, &resolved)) return false;
    if (decl->kind != UPPAAL_DECL_TYPEDEF && resolved.kind != BIND_CELLS) {
        diag_error(u->diag, DIAG_MISPLACED, variable->place,
                   "functions have no clocks and channels of their own");
        return false;
    }
    struct binding binding = {.name = variable->name,
                              .kind = BIND_CELLS,
                              .type = resolved.type,
                              .place = variable->place};
    if (decl->kind == UPPAAL_DECL_TYPEDEF) {
        binding.kind = BIND_TYPE;
        binding.of = resolved.kind;
        binding.prefixes = resolved.prefixes;
    } else {
        binding.at = emit_local(u->model, resolved.type, variable->name);
        binding.read_only = resolved.prefixes & UPPAAL_CONST;
        if (!variable->init) emit_initial(&l->code, binding.type, &binding.at, variable->place);
        else if (!declare_initialise(l, binding.type, &binding.at, variable->init)) return false;
    }
    compute_bind(u, l->env, binding);
    return true;
}

static bool perform_block(struct lowering *l, struct uppaal_stmt *stmt)
{
    struct env *env = arena_alloc(&l->u->model->arena, sizeof *env);
    bool good = true;
    env->outer = l->env;
    l->env = env;
    for (struct uppaal_decl *decl = stmt->decls; good && decl; decl = decl->next)
        good = declare_local(l, decl);
    for (struct uppaal_stmt *inner = stmt->body; good && inner; inner = inner->next)
        good = perform_statement(l, inner);
    l->env = env->outer;
    return good;
}

static bool perform_return(struct lowering *l, struct uppaal_stmt *stmt)
{
    struct function *function = l->function;
    struct value value = {0};
    assert(function);
    if (!stmt->exp != !function->routine.result) {
        diag_error(l->u->diag, DIAG_TYPE, stmt->place,
                   stmt->exp ? "the function has no result" : "the function has a result");
        return false;
    }
    if (stmt->exp
        && (!compute_exp(l, stmt->exp, &value)
            || !compute_convert(l, stmt->exp, function->routine.result, &value)))
        return false;
    routine_return(&l->code, &function->routine, stmt->exp ? &value : NULL,
                   stmt->exp ? stmt->exp->place : stmt->place, stmt->place);
    return true;
}

/* An assertion that is not true ends the verification. */
static bool perform_assert(struct lowering *l, struct uppaal_stmt *stmt)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    expr cond;
    if (!compute_last(l, stmt->exp, &cond)) return false;
    expr checked = expr_choose(exprs, cond, expr_int(exprs, 0), expr_fail(exprs, FAILURE_RANGE));
    emit_check(&l->code, checked, stmt->place);
    return true;
}

static bool perform_statement(struct lowering *l, struct uppaal_stmt *stmt)
{
    struct code_sequence round;
    switch ((enum uppaal_stmt_kind)stmt->kind) {
    case UPPAAL_STMT_EMPTY: return true;
    case UPPAAL_STMT_BLOCK: return perform_block(l, stmt);
    case UPPAAL_STMT_EXP: return compute_list(l, stmt->exp);
    case UPPAAL_STMT_FOR:
        return compute_list(l, stmt->first)
               && perform_loop(l, stmt->exp, stmt->body, stmt->step, stmt->place);
    case UPPAAL_STMT_EACH: return perform_each(l, stmt);
    case UPPAAL_STMT_WHILE: return perform_loop(l, stmt->exp, stmt->body, NULL, stmt->place);
    case UPPAAL_STMT_DO:
        if (!perform_aside(l, stmt->body, &round)) return false;
        emit_sequence(&l->code, &round);
        return perform_loop(l, stmt->exp, stmt->body, NULL, stmt->place);
    case UPPAAL_STMT_IF: return perform_if(l, stmt);
    case UPPAAL_STMT_RETURN: return perform_return(l, stmt);
    case UPPAAL_STMT_ASSERT: return perform_assert(l, stmt);
    }
    return false;
}

/* ---- functions ---- */

static struct function *of_routine(const struct routine *routine)
{
    return (struct function *)routine;
}

static struct routine *copy_function(void *context, const struct routine *routine)
{
    struct uppaal *u = context;
    struct function *made = arena_alloc(&u->model->arena, sizeof *made);
    const struct function *from = of_routine(routine);
    *made = (struct function){.decl = from->decl,
                              .outer = from->outer,
                              .declared = from->declared,
                              .result = from->result};
    return &made->routine;
}

static bool add_parameters(struct lowering *l, struct function *function)
{
    struct uppaal *u = l->u;
    for (struct uppaal_variable *p = function->decl->function->parameters; p; p = p->next) {
        struct binding resolved;
        if (!resolve_type(u, function->outer, p->type, p->arrays, &resolved)) return false;
        bool is_reference = p->by_reference || resolved.kind == BIND_CLOCK;
        struct cell at =
            is_reference
                ? routine_add_reference(u->model, &function->routine, resolved.type, p->name)
                : routine_add_parameter(u->model, &function->routine, resolved.type, p->name);
        compute_bind(u, l->env,
                     (struct binding){.name = p->name,
                                      .kind = BIND_CELLS,
                                      .read_only = resolved.prefixes & UPPAAL_CONST,
                                      .type = resolved.type,
                                      .at = at,
                                      .place = p->place});
    }
    return true;
}

static bool lower_function(void *context, struct routine *routine)
{
    struct uppaal *u = context;
    struct function *function = of_routine(routine);
    struct code_sequence body = code_sequence_empty();
    struct env *env = arena_alloc(&u->model->arena, sizeof *env);
    env->outer = function->outer;
    struct lowering l = {
        .u = u, .env = env, .code = {.model = u->model, .out = &body}, .function = function};
    routine->result = function->result;
    if (routine->result)
        routine->result_at = emit_local(u->model, routine->result, function->decl->name);
    function->declared->busy++;
    bool good = add_parameters(&l, function) && perform_block(&l, function->decl->function->body);
    function->declared->busy--;
    routine->body = body.first;
    routine->depth = l.depth + 1;
    if (good && routine->depth > ROUTINE_MAX_DEPTH) {
        diag_error(u->diag, DIAG_NESTING, function->decl->place,
                   "more than %d functions call each other", ROUTINE_MAX_DEPTH);
        good = false;
    }
    return good;
}

void perform_init(struct uppaal *u)
{
    u->routines = (struct routines){.copy = copy_function, .lower = lower_function};
}

struct function *perform_declare(struct uppaal *u, struct env *outer, struct uppaal_decl *decl)
{
    struct function *function = arena_alloc(&u->model->arena, sizeof *function);
    *function = (struct function){.decl = decl, .outer = outer, .declared = function};
    return function;
}

/* What is wrong with the head of a function is told at its first call. */
static bool check_head(struct uppaal *u, struct function *function)
{
    struct binding resolved;
    if (function->is_checked) return true;
    if (!resolve_type(u, function->outer, function->decl->function->result, NULL, &resolved))
        return false;
    if (resolved.kind != BIND_CELLS && resolved.kind != BIND_TYPE) {
        diag_error(u->diag, DIAG_TYPE, function->decl->place,
                   "a function gives no clocks and no channels");
        return false;
    }
    function->result = resolved.kind == BIND_TYPE ? NULL : resolved.type;
    for (struct uppaal_variable *p = function->decl->function->parameters; p; p = p->next) {
        if (!resolve_type(u, function->outer, p->type, p->arrays, &resolved)) return false;
        if (resolved.kind == BIND_CHANNEL || resolved.kind == BIND_TYPE) {
            diag_error(u->diag, DIAG_UNSUPPORTED, p->place,
                       "channels are no parameters of functions here");
            return false;
        }
    }
    function->is_checked = true;
    return true;
}

void perform_touch(struct lowering *l, uint32_t family)
{
    if (l->step) steps_touch(l->step, family);
    if (!l->function) return;
    struct function *function = l->function;
    for (uint32_t i = 0; i < function->families.len; i++)
        if (function->families.data[i] == family) return;
    vec_push(l->u->model->mem, &function->families, family);
}

/* ---- calls ---- */

struct arguments {
    struct value *values;
    struct place *places;
    struct cell *references;
    uint32_t count, reference_count;
};

/* A value in cells that the function may refer to. */
static bool place_value(struct lowering *l, struct uppaal_exp *arg, const struct type *type,
                        struct value *value)
{
    struct cell made = emit_local(l->u->model, type, "argument");
    if (!compute_convert(l, arg, type, value)) return false;
    value_store(&l->code, type, &made, value, arg->place);
    *value = value_cells(l->u->model, type, &made);
    return true;
}

static bool pass_reference(struct lowering *l, struct uppaal_exp *arg,
                           const struct binding *parameter, struct value *value)
{
    struct binding found;
    bool is_const = parameter->prefixes & UPPAAL_CONST;
    if (!compute_place(l, arg, true, &found)) return false;
    if (found.kind == BIND_CLOCK) {
        if (parameter->kind != BIND_CLOCK || !type_same(parameter->type, found.type)) {
            complain(l->u, arg, DIAG_TYPE, "the parameter is no such clock");
            return false;
        }
        *value = (struct value){.type = found.type, .at = clocked_setter(l, &found.at)};
        return true;
    }
    bool fits = found.kind == BIND_CELLS && type_same(parameter->type, found.type)
                && (is_const || !found.read_only);
    if (fits) {
        *value = (struct value){.type = found.type, .at = found.at};
        return true;
    }
    if (is_const && parameter->kind == BIND_CELLS)
        return compute_read(l, arg, &found, value) && place_value(l, arg, parameter->type, value);
    complain(l->u, arg, DIAG_TYPE,
             "a variable of the parameter's own type is needed here: it is passed by reference");
    return false;
}

static bool pass_all(struct lowering *l, struct uppaal_exp *exp, struct function *function,
                     struct arguments *passed)
{
    struct uppaal_variable *p = function->decl->function->parameters;
    bool good = true;
    for (struct uppaal_exp *arg = exp->args; good && arg; arg = arg->next, p = p->next) {
        struct value *value = &passed->values[passed->count];
        struct binding resolved;
        if (!resolve_type(l->u, function->outer, p->type, p->arrays, &resolved)) return false;
        passed->places[passed->count] = arg->place;
        struct code_sequence code = code_sequence_empty();
        struct emit_block before = emit_open(&l->code, &code);
        if (p->by_reference || resolved.kind == BIND_CLOCK) {
            good = pass_reference(l, arg, &resolved, value);
            if (good) passed->references[passed->reference_count++] = value->at;
        } else good = compute_exp(l, arg, value) && compute_convert(l, arg, resolved.type, value);
        emit_close(&l->code, &before);
        if (!good) return false;
        if (!code_is_none(code.first)) {
            /* what this argument does comes after the ones before it were computed */
            for (uint32_t i = 0; i < passed->count; i++)
                if (type_is_scalar(passed->values[i].type) && !passed->values[i].at.count)
                    passed->values[i] = value_keep(&l->code, passed->values[i], passed->places[i]);
            emit_sequence(&l->code, &code);
        }
        passed->count++;
    }
    return good;
}

static bool call(struct lowering *l, struct uppaal_exp *exp, struct function *function,
                 struct value *value)
{
    struct uppaal *u = l->u;
    struct mem *mem = u->model->mem;
    struct arguments passed = {0};
    size_t room = exp->count + (size_t)1;
    passed.values = mem_alloc(mem, room * sizeof *passed.values);
    passed.places = mem_alloc(mem, room * sizeof *passed.places);
    passed.references = mem_alloc(mem, room * sizeof *passed.references);
    bool good = pass_all(l, exp, function, &passed);
    struct routine *routine = &function->routine;
    if (good && passed.reference_count)
        routine = routine_instance(u->model, &u->routines, u, routine, passed.references,
                                   passed.reference_count);
    good = good && routine_prepare(&u->routines, u, routine);
    if (good) {
        const struct function *callee = of_routine(routine);
        for (uint32_t i = 0; i < callee->families.len; i++)
            perform_touch(l, callee->families.data[i]);
        *value = routine_call(&l->code, routine, passed.values, passed.places, exp->place);
        if (routine->depth > l->depth) l->depth = routine->depth;
    }
    mem_free(mem, passed.values);
    mem_free(mem, passed.places);
    mem_free(mem, passed.references);
    return good;
}

/* The expression of a function that is only that. */
static struct uppaal_exp *formula_of(const struct function *function)
{
    const struct uppaal_stmt *body = function->decl->function->body;
    if (body->decls || !body->body || body->body->next || body->body->kind != UPPAAL_STMT_RETURN)
        return NULL;
    return body->body->exp;
}

/* Whether it is a formula of numbers, which can stand where it is called. */
static bool is_formula(struct lowering *l, const struct function *function)
{
    if (!formula_of(function) || l->inlined >= MAX_INLINED || !function->result
        || !type_is_scalar(function->result))
        return false;
    for (struct uppaal_variable *p = function->decl->function->parameters; p; p = p->next)
        if (p->by_reference || p->arrays) return false;
    return true;
}

/* Binds parameters to arguments that cannot fail and lie in their ranges; *done: they all do. */
static bool bind_arguments(struct lowering *l, struct uppaal_exp *exp,
                           const struct function *function, struct env *env, bool *done)
{
    struct uppaal_exp *arg = exp->args;
    *done = true;
    for (struct uppaal_variable *p = function->decl->function->parameters; p;
         p = p->next, arg = arg->next) {
        struct binding resolved;
        struct value value;
        struct code_sequence code;
        if (!resolve_type(l->u, function->outer, p->type, NULL, &resolved)) return false;
        if (resolved.kind != BIND_CELLS || !type_is_scalar(resolved.type))
            return *done = false, true;
        if (!compute_aside(l, arg, &value, &code)
            || !compute_convert(l, arg, resolved.type, &value))
            return false;
        const struct expr_node *node = expr_get(uppaal_exprs(l->u), value.e);
        struct type_range range = type_cell(resolved.type, 0);
        *done &= code_is_none(code.first) && !node->may_fail
                 && (node->is_bool || (node->low >= range.low && node->high <= range.high));
        value.type = resolved.type;
        compute_bind(
            l->u, env,
            (struct binding){
                .name = p->name, .kind = BIND_VALUE, .type = resolved.type, .value = value});
    }
    return true;
}

static bool call_formula(struct lowering *l, struct uppaal_exp *exp, struct function *function,
                         bool *done, struct value *value)
{
    struct env env = {.outer = function->outer}, *outer = l->env;
    bool (*member)(struct lowering *, struct uppaal_exp *, struct binding *, bool *) = l->member;
    struct uppaal_exp *body = formula_of(function);
    *done = false;
    if (!is_formula(l, function)) return true;
    bool good = bind_arguments(l, exp, function, &env, done);
    if (good && *done) {
        l->env = &env;
        l->inlined++;
        l->member = NULL;
        function->busy++;
        good = compute_exp(l, body, value) && compute_convert(l, body, function->result, value);
        function->busy--;
        l->member = member;
        l->inlined--;
        l->env = outer;
    }
    vec_free(l->u->model->mem, &env.list);
    if (!good || !*done) return good;
    struct type_range range = type_cell(function->result, 0);
    if (function->result->kind == TYPE_INT)
        value->e = expr_within(uppaal_exprs(l->u), value->e, range.low, range.high, FAILURE_RANGE);
    *value = value_scalar(function->result, value->e);
    return true;
}

bool perform_call(struct lowering *l, struct uppaal_exp *exp, struct function *function,
                  struct value *value)
{
    uint32_t count = 0;
    bool done;
    for (struct uppaal_variable *p = function->decl->function->parameters; p; p = p->next) count++;
    if (count != exp->count) {
        complain(l->u, exp, DIAG_ARGUMENTS, "'%.60s' has %u parameter%s, and %u %s given",
                 function->decl->name, count, count == 1 ? "" : "s", exp->count,
                 exp->count == 1 ? "is" : "are");
        return false;
    }
    if (function->busy) {
        complain(l->u, exp, DIAG_CIRCULAR, "'%.60s' calls itself: functions of UPPAAL do not",
                 function->decl->name);
        return false;
    }
    if (!check_head(l->u, function)) return false;
    if (!call_formula(l, exp, function, &done, value)) return false;
    if (done) return true;
    return l->code.out ? call(l, exp, function, value) : fold_call(l, function, exp, value);
}
