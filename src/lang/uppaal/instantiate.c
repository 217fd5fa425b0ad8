/* Processes. A name of the system line is a template or an instance; its parameters that have no
 * arguments make it a set, with one process for every combination of values, the last parameter
 * changing fastest. An instance hands arguments on, to a template or to another instance.
 *
 * A parameter by value that the template never assigns to is a constant of the process, whether it
 * is called one or not; one that it does assign to is a variable of the process. */
#include "lang/uppaal/scope.h"

#include <assert.h>
#include <inttypes.h>

enum { MAX_PROCESSES = 20000, MAX_HANDED = 100, MAX_PARAMETER = 65536 };

/* ---- what is assigned to ---- */

/* The name that a place begins with. */
static const char *root_of(const struct uppaal_exp *exp)
{
    while (exp->kind == UPPAAL_EXP_INDEX || exp->kind == UPPAAL_EXP_FIELD) exp = exp->a;
    return exp->kind == UPPAAL_EXP_NAME ? exp->name : NULL;
}

static bool assigns(const struct uppaal_exp *exp, const char *name)
{
    for (; exp; exp = exp->next) {
        bool changes = exp->kind == UPPAAL_EXP_ASSIGN
                       || (exp->kind == UPPAAL_EXP_UNARY && exp->op >= UPPAAL_PRE_INCREASE
                           && exp->op <= UPPAAL_POST_DECREASE);
        if (changes && root_of(exp->a) == name) return true;
        if ((exp->a && assigns(exp->a, name)) || (exp->b && assigns(exp->b, name))
            || (exp->c && assigns(exp->c, name)) || assigns(exp->args, name))
            return true;
    }
    return false;
}

static bool stmt_assigns(const struct uppaal_stmt *stmt, const char *name)
{
    for (; stmt; stmt = stmt->next) {
        if (assigns(stmt->exp, name) || assigns(stmt->first, name) || assigns(stmt->step, name)
            || stmt_assigns(stmt->body, name) || stmt_assigns(stmt->other, name))
            return true;
        for (const struct uppaal_decl *decl = stmt->decls; decl; decl = decl->next)
            if (decl->variable && decl->variable->init && assigns(decl->variable->init, name))
                return true;
    }
    return false;
}

/* Whether a function has parameters by reference: a scalar that is passed to it may be changed. */
static bool passes_references(const struct uppaal_decl *decls)
{
    for (; decls; decls = decls->next)
        for (struct uppaal_variable *p = decls->function ? decls->function->parameters : NULL; p;
             p = p->next)
            if (p->by_reference && !(p->type->prefixes & UPPAAL_CONST)
                && p->type->kind != UPPAAL_TYPE_CLOCK && p->type->kind != UPPAAL_TYPE_CHAN)
                return true;
    return false;
}

static bool calls_with(const struct uppaal_exp *exp, const char *name)
{
    for (; exp; exp = exp->next) {
        for (struct uppaal_exp *arg = exp->args; exp->kind == UPPAAL_EXP_CALL && arg;
             arg = arg->next)
            if (root_of(arg) == name) return true;
        if ((exp->a && calls_with(exp->a, name)) || (exp->b && calls_with(exp->b, name))
            || (exp->c && calls_with(exp->c, name)) || calls_with(exp->args, name))
            return true;
    }
    return false;
}

static bool stmt_calls_with(const struct uppaal_stmt *stmt, const char *name)
{
    for (; stmt; stmt = stmt->next)
        if (calls_with(stmt->exp, name) || calls_with(stmt->first, name)
            || calls_with(stmt->step, name) || stmt_calls_with(stmt->body, name)
            || stmt_calls_with(stmt->other, name))
            return true;
    return false;
}

static bool is_assigned(const struct uppaal *u, const struct uppaal_template *template,
                        const char *name)
{
    bool references = passes_references(u->file.decls) || passes_references(template->decls);
    for (const struct uppaal_edge *edge = template->edges; edge; edge = edge->next)
        if (assigns(edge->updates, name) || (references && calls_with(edge->updates, name)))
            return true;
    for (const struct uppaal_decl *decl = template->decls; decl; decl = decl->next)
        if (decl->function
            && (stmt_assigns(decl->function->body, name)
                || (references && stmt_calls_with(decl->function->body, name))))
            return true;
    return false;
}

/* ---- parameters ---- */

static bool bind_reference(struct lowering *l, struct uppaal_exp *arg,
                           const struct uppaal_variable *p, const struct binding *resolved,
                           struct binding *found)
{
    bool is_const = resolved->prefixes & UPPAAL_CONST;
    if (!compute_place(l, arg, true, found)) return false;
    bool fits = found->type && type_matches(resolved->type, found->type)
                && (found->kind == resolved->kind
                    || (is_const && (found->kind == BIND_TABLE || found->kind == BIND_VALUE)));
    if (!fits || (resolved->kind == BIND_CELLS && found->read_only && !is_const)) {
        complain(l->u, arg, DIAG_TYPE, "the parameter '%.60s' cannot refer to this", p->name);
        return false;
    }
    if (found->kind != BIND_VALUE
        && expr_get(uppaal_exprs(l->u), found->at.offset)->op != EXPR_CONST) {
        complain(l->u, arg, DIAG_CONSTANT, "what a parameter refers to must be known");
        return false;
    }
    found->read_only |= is_const;
    return true;
}

static bool bind_value(struct lowering *l, struct uppaal_exp *arg, const struct uppaal_variable *p,
                       const struct type *type, struct binding *found)
{
    int64_t number;
    struct type_range range = type_cell(type, 0);
    if (!type_is_scalar(type)) {
        if (!compute_place(l, arg, false, found)) return false;
        if (found->kind == BIND_TABLE && type_matches(type, found->type)) return true;
        complain(l->u, arg, DIAG_CONSTANT, "a constant of the type of '%.60s' is needed", p->name);
        return false;
    }
    struct value value;
    struct uppaal_exp *given = arg;
    if (type->kind == TYPE_UNION) { /* a scalar: it must be one of the same set */
        if (!compute_exp(l, arg, &value) || !compute_convert(l, arg, type, &value)) return false;
        const struct expr_node *node = expr_get(uppaal_exprs(l->u), value.e);
        if (node->op != EXPR_CONST) {
            complain(l->u, arg, DIAG_CONSTANT, "an argument must be a constant");
            return false;
        }
        number = node->value;
    } else if (!compute_constant(l->u, l->env, given, "an argument", &number)) return false;
    if (type->kind == TYPE_BOOL) number = number != 0;
    if (number < range.low || number > range.high) {
        complain(l->u, arg, DIAG_RANGE, "%" PRId64 " is outside the range of '%.60s'", number,
                 p->name);
        return false;
    }
    *found = (struct binding){
        .kind = BIND_VALUE, .type = type, .value = resolve_nth(l->u, type, number)};
    return true;
}

/* Hands one argument on, from one list of names to another. */
static bool bind_argument(struct uppaal *u, struct env *from, struct uppaal_exp *arg,
                          struct env *to, struct uppaal_variable *p)
{
    struct binding resolved, found;
    struct lowering l = {
        .u = u, .env = from, .code.model = u->model, .context = "an argument of a process"};
    if (!resolve_type(u, to, p->type, p->arrays, &resolved)) return false;
    bool by_reference = p->by_reference || resolved.kind != BIND_CELLS;
    if (!(by_reference ? bind_reference(&l, arg, p, &resolved, &found)
                       : bind_value(&l, arg, p, resolved.type, &found)))
        return false;
    found.name = p->name;
    found.place = p->place;
    compute_bind(u, to, found);
    return true;
}

static struct uppaal_variable *parameters_of(const struct uppaal_decl *decl)
{
    return decl->kind == UPPAAL_DECL_TEMPLATE ? decl->template->parameters
                                              : decl->instance->parameters;
}

static const struct binding *find_unit(struct uppaal *u, const char *name, struct place place)
{
    const struct binding *found = compute_find(&u->global, name);
    if (found && found->kind == BIND_UNIT) return found;
    const char *nearest = NULL;
    unsigned distance = 0;
    for (uint32_t i = 0; i < u->global.list.len; i++)
        if (u->global.list.data[i].kind == BIND_UNIT)
            text_nearest(name, u->global.list.data[i].name, &nearest, &distance);
    diag_error_near(u->diag, DIAG_UNKNOWN, place, nearest, "there is no template '%.60s'", name);
    return NULL;
}

/* Follows instances down to the template, whose names are then in *env. */
static struct uppaal_decl *follow(struct uppaal *u, struct uppaal_decl *decl, struct env **env)
{
    for (uint32_t handed = 0; decl->kind == UPPAAL_DECL_INSTANCE; handed++) {
        struct uppaal_instance *instance = decl->instance;
        const struct binding *unit = find_unit(u, instance->of, instance->of_place);
        if (!unit) return NULL;
        if (handed > MAX_HANDED) {
            diag_error(u->diag, DIAG_CIRCULAR, decl->place, "'%.60s' is an instance of itself",
                       decl->name);
            return NULL;
        }
        struct env *next = arena_alloc(&u->model->arena, sizeof *next);
        struct uppaal_decl *of = unit->decl;
        struct uppaal_variable *p = parameters_of(of);
        struct uppaal_exp *arg = instance->args;
        next->outer = &u->global;
        for (; p && arg; p = p->next, arg = arg->next)
            if (!bind_argument(u, *env, arg, next, p)) return NULL;
        if (p || arg) {
            diag_error(u->diag, DIAG_ARGUMENTS, instance->of_place,
                       p ? "'%.60s' needs more arguments" : "'%.60s' has fewer parameters",
                       of->name);
            return NULL;
        }
        decl = of;
        *env = next;
    }
    return decl;
}

/* ---- a process ---- */

/* Parameters that the template assigns to become variables of the process. */
static void add_parameters(struct uppaal *u, struct process *process)
{
    for (uint32_t i = 0; i < process->env->list.len; i++) {
        struct binding *one = &process->env->list.data[i];
        bool is_value = one->kind == BIND_VALUE || one->kind == BIND_TABLE;
        if (!is_value || one->read_only || !is_assigned(u, process->template, one->name)) continue;
        uint32_t first = u->model->vars.len;
        declare_cells(u, names_format(&u->model->names, "%s.%s", process->name, one->name),
                      one->type, process->number, one->place);
        for (uint32_t cell = 0; cell < one->type->cells; cell++)
            u->model->vars.data[first + cell].init =
                one->kind == BIND_TABLE ? one->constant->cells[one->at.base + cell]
                                        : expr_get(uppaal_exprs(u), one->value.e)->value;
        one->kind = BIND_CELLS;
        one->at = emit_cell(u->model, false, first);
    }
}

static void mark_constants(const struct uppaal_decl *decl, struct env *env)
{
    for (struct uppaal_variable *p = parameters_of(decl); p; p = p->next)
        for (uint32_t i = 0; i < env->list.len; i++)
            if (env->list.data[i].name == p->name && (p->type->prefixes & UPPAAL_CONST))
                env->list.data[i].read_only = true;
}

static void add_states(struct uppaal *u, struct process *process)
{
    for (struct uppaal_location *at = process->template->locations; at; at = at->next) {
        struct state state = {.location = at, .value = process->states.len};
        if (!at->is_branchpoint) vec_push(u->model->mem, &process->states, state);
    }
}

static int64_t state_of(const struct process *process, const struct uppaal_location *location)
{
    for (uint32_t i = 0; i < process->states.len; i++)
        if (process->states.data[i].location == location) return i;
    return 0;
}

/* What names of the process mean, for those who look at the model from outside. */
static void add_names(struct uppaal *u, const char *unit, const struct env *env)
{
    struct model *model = u->model;
    vec_push(model->mem, &model->source_names, ((struct model_name){.unit = unit}));
    for (uint32_t i = 0; i < env->list.len; i++) {
        const struct binding *one = &env->list.data[i];
        if (one->kind != BIND_CELLS || one->at.local) continue;
        const struct expr_node *offset = expr_get(&model->exprs, one->at.offset);
        if (offset->op != EXPR_CONST) continue;
        vec_push(model->mem, &model->source_names,
                 ((struct model_name){.unit = unit,
                                      .name = one->name,
                                      .var = one->at.base + (uint32_t)offset->value,
                                      .shape = type_shape(&model->arena, one->type)}));
    }
}

static bool add_process(struct uppaal *u, struct uppaal_decl *decl, struct process process)
{
    struct model *model = u->model;
    process.template = decl->template;
    process.number = model->processes.len;
    process.location = MODEL_NONE;
    mark_constants(decl, process.env);
    add_states(u, &process);
    struct model_process made = {
        .name = process.name, .type = decl->name, .location = MODEL_NONE, .place = decl->place};
    if (process.states.len) {
        struct model_var location = {.name =
                                         names_format(&model->names, "%s.location", process.name),
                                     .process = process.number,
                                     .high = process.states.len - 1,
                                     .init = state_of(&process, decl->template->init),
                                     .place = decl->place};
        made.location = process.location = model->vars.len;
        vec_push(model->mem, &model->vars, location);
    }
    vec_push(model->mem, &model->processes, made);
    add_parameters(u, &process);
    if (!declare_all(u, process.env, decl->template->decls, process.number,
                     names_format(&model->names, "%s.", process.name)))
        return false;
    add_names(u, process.name, process.env);
    vec_push(model->mem, &u->processes, process);
    return true;
}

/* ---- sets of processes ---- */

struct set {
    const struct type **types;
    int64_t *values;
    uint32_t count;
};

static bool open_set(struct uppaal *u, struct uppaal_decl *decl, struct place place,
                     struct set *set)
{
    uint32_t n = 0;
    uint64_t combinations = 1;
    for (struct uppaal_variable *p = parameters_of(decl); p; p = p->next) set->count++;
    set->types = mem_alloc(u->model->mem, (set->count + UINT64_C(1)) * sizeof *set->types);
    set->values = mem_alloc(u->model->mem, (set->count + UINT64_C(1)) * sizeof *set->values);
    for (struct uppaal_variable *p = parameters_of(decl); p; p = p->next, n++) {
        if (p->by_reference || p->arrays) {
            diag_error(u->diag, DIAG_MISSING, place,
                       "'%.60s' needs an argument for '%.60s', which is not a number by value",
                       decl->name, p->name);
            return false;
        }
        set->types[n] = resolve_domain(u, &u->global, p->type, MAX_PARAMETER, p->place);
        if (!set->types[n]) return false;
        set->values[n] = type_cell(set->types[n], 0).low;
        combinations *= type_values(set->types[n], MAX_PARAMETER);
        if (combinations + u->processes.len > MAX_PROCESSES) {
            diag_error(u->diag, DIAG_LIMIT, place, "more than %d processes", MAX_PROCESSES);
            return false;
        }
    }
    return true;
}

/* The next combination; false after the last one. */
static bool advance(struct set *set)
{
    for (uint32_t i = set->count; i-- > 0;) {
        struct type_range range = type_cell(set->types[i], 0);
        if (set->values[i]++ < range.high) return true;
        set->values[i] = range.low;
    }
    return false;
}

static bool add_member(struct uppaal *u, struct uppaal_decl *decl, const struct uppaal_ranked *line,
                       const struct set *set)
{
    struct model *model = u->model;
    struct env *env = arena_alloc(&model->arena, sizeof *env);
    int64_t *arguments = arena_alloc(&model->arena, (set->count + UINT64_C(1)) * sizeof *arguments);
    struct text name;
    uint32_t n = 0;
    env->outer = &u->global;
    text_init(&name, model->mem);
    text_add(&name, "%s", decl->name);
    for (struct uppaal_variable *p = parameters_of(decl); p; p = p->next, n++) {
        arguments[n] = set->values[n];
        text_add(&name, "%c%" PRId64, n ? ',' : '(', set->values[n]);
        compute_bind(u, env,
                     (struct binding){.name = p->name,
                                      .kind = BIND_VALUE,
                                      .type = set->types[n],
                                      .value = resolve_nth(u, set->types[n], set->values[n]),
                                      .place = p->place});
    }
    if (n) text_add(&name, ")");
    struct process process = {.unit = decl->name,
                              .name = names_intern(&model->names, name.data, name.len),
                              .rank = line->rank,
                              .arguments = arguments,
                              .argument_count = set->count};
    text_free(&name);
    struct uppaal_decl *of = follow(u, decl, &env);
    process.env = env;
    return of && add_process(u, of, process);
}

static bool add_line(struct uppaal *u, const struct uppaal_ranked *line)
{
    const struct binding *unit = find_unit(u, line->name, line->place);
    struct set set = {0};
    if (!unit) return false;
    struct uppaal_decl *decl = unit->decl;
    if (decl->processes) {
        diag_error(u->diag, DIAG_DUPLICATE, line->place, "'%.60s' is in the system twice",
                   decl->name);
        return false;
    }
    if (u->processes.len >= MAX_PROCESSES) {
        diag_error(u->diag, DIAG_LIMIT, line->place, "more than %d processes", MAX_PROCESSES);
        return false;
    }
    bool good = open_set(u, decl, line->place, &set);
    decl->first_process = u->processes.len;
    while (good) {
        good = add_member(u, decl, line, &set);
        decl->processes++;
        if (!advance(&set)) break;
    }
    mem_free(u->model->mem, set.types);
    mem_free(u->model->mem, set.values);
    return good;
}

bool instantiate_system(struct uppaal *u)
{
    add_names(u, "system", &u->global);
    for (const struct uppaal_ranked *line = u->file.system; line; line = line->next) {
        if (line->rank > u->top_rank) u->top_rank = line->rank;
        if (!add_line(u, line)) return false;
    }
    assert(u->processes.len == u->model->processes.len);
    return true;
}
