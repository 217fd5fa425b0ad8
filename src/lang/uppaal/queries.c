/* Queries: conditions on states of the system, with clocks and `deadlock`, under one of UPPAAL's
 * operators. `P.l` says that the process P is in location l, `P.x` is its variable or clock,
 * `P(3)` one of a set; quantifiers are expanded. What has neither clocks nor deadlock is one
 * expression of the model. Functions without effects are folded into expressions. */
#include "lang/uppaal/scope.h"

#include "lang/uppaal/parse.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { MAX_DOMAIN = 2000, MAX_ARGUMENTS = 64 };

/* ---- processes ---- */

static const char *unit_name(const struct uppaal_exp *exp)
{
    if (exp->kind == UPPAAL_EXP_CALL) exp = exp->a;
    return exp->kind == UPPAAL_EXP_NAME ? exp->name : NULL;
}

/* What the processes belong to one of which the expression names, or would if there was one; NULL:
 * it names none. */
static const struct uppaal_decl *names_process(struct lowering *l, const struct uppaal_exp *exp)
{
    const char *name = unit_name(exp);
    const struct binding *found = name ? compute_find(l->env, name) : NULL;
    return found && found->kind == BIND_UNIT ? found->decl : NULL;
}

/* Which comes first in the order of processes of a set: the last argument runs fastest. */
static int compare_arguments(const int64_t *a, const int64_t *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

static struct process *find_member_process(struct uppaal *u, const struct uppaal_decl *unit,
                                           const int64_t *arguments, uint32_t count)
{
    uint32_t low = unit->first_process, high = low + unit->processes;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        struct process *process = &u->processes.data[middle];
        assert(process->unit == unit->name);
        if (process->argument_count != count) return NULL;
        const int order = compare_arguments(process->arguments, arguments, count);
        if (!order) return process;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

static struct process *find_process(struct lowering *l, struct uppaal_exp *exp,
                                    const struct uppaal_decl *unit)
{
    struct uppaal *u = l->u;
    int64_t arguments[MAX_ARGUMENTS];
    uint32_t count = exp->kind == UPPAAL_EXP_CALL ? exp->count : 0, n = 0;
    if (count > MAX_ARGUMENTS) count = MAX_ARGUMENTS;
    for (struct uppaal_exp *arg = exp->args; n < count; arg = arg->next, n++) {
        struct value value;
        if (!compute_exp(l, arg, &value)) return NULL;
        expr e = value.type && type_is_scalar(value.type) ? expr_to_int(uppaal_exprs(u), value.e)
                                                          : value.e;
        const struct expr_node *node = expr_get(uppaal_exprs(u), e);
        if (!value.type || !type_is_scalar(value.type) || node->op != EXPR_CONST) {
            complain(u, arg, DIAG_CONSTANT, "which process is meant must be known");
            return NULL;
        }
        arguments[n] = node->value;
    }
    struct process *process = find_member_process(u, unit, arguments, count);
    if (!process)
        complain(u, exp, DIAG_UNKNOWN,
                 unit->processes ? "'%.60s' has no such process" : "'%.60s' is not in the system",
                 unit->name);
    return process;
}

static bool find_in_process(struct lowering *l, struct process *process, struct uppaal_exp *exp,
                            struct binding *found)
{
    struct uppaal *u = l->u;
    struct exprs *exprs = uppaal_exprs(u);
    const char *nearest = NULL;
    unsigned distance = 0;
    for (uint32_t s = 0; s < process->states.len; s++) {
        const char *name = process->states.data[s].location->name;
        if (!name) continue;
        text_nearest(exp->name, name, &nearest, &distance);
        if (name != exp->name) continue;
        expr at = expr_var_in(exprs, process->location, 0, process->states.len - 1);
        *found = (struct binding){
            .kind = BIND_VALUE,
            .type = u->bool_type,
            .value =
                value_scalar(u->bool_type, expr_make(exprs, EXPR_EQ, 0, at, expr_int(exprs, s)))};
        return true;
    }
    for (uint32_t i = 0; i < process->env->list.len; i++) {
        const struct binding *one = &process->env->list.data[i];
        text_nearest(exp->name, one->name, &nearest, &distance);
        if (one->name == exp->name) return *found = *one, true;
    }
    if (!exp->reported)
        diag_error_near(u->diag, DIAG_UNKNOWN, exp->op_place, nearest,
                        "'%.60s' has no location and no variable '%.60s'", process->name,
                        exp->name);
    exp->reported = true;
    return false;
}

static bool find_member(struct lowering *l, struct uppaal_exp *exp, struct binding *found,
                        bool *done)
{
    bool is_call = exp->kind == UPPAAL_EXP_CALL && exp->a->kind == UPPAAL_EXP_FIELD;
    struct uppaal_exp *field = is_call ? exp->a : exp;
    *done = false;
    const struct uppaal_decl *unit =
        field->kind == UPPAAL_EXP_FIELD ? names_process(l, field->a) : NULL;
    if (!unit) return true;
    struct process *process = find_process(l, field->a, unit);
    *done = true;
    if (!process || !find_in_process(l, process, field, found)) return *done = false;
    if (is_call != (found->kind == BIND_FUNCTION)) {
        complain(l->u, exp, DIAG_TYPE, is_call ? "'%.60s' is no function" : "'%.60s' is a function",
                 field->name);
        return *done = false;
    }
    if (!is_call) return true;
    struct value value;
    if (!perform_call(l, exp, found->function, &value) || !value.type) return *done = false;
    *found = (struct binding){.kind = BIND_VALUE, .type = value.type, .value = value};
    return true;
}

/* ---- formulas ---- */

static bool has_deadlock(const struct uppaal_exp *exp)
{
    return exp
           && (exp->kind == UPPAAL_EXP_DEADLOCK || has_deadlock(exp->a) || has_deadlock(exp->b)
               || has_deadlock(exp->c));
}

static bool make_formula(struct lowering *l, struct uppaal_exp *exp, formula *result);

static formula combine(struct uppaal *u, enum formula_op op, formula a, formula b,
                       struct place place)
{
    return formula_make(&u->model->formulas, uppaal_exprs(u), op, a, b, place);
}

static formula atom(struct uppaal *u, expr e, struct place place)
{
    return formula_atom(&u->model->formulas, e, place);
}

/* A comparison of clocks: constraints, each under its condition. */
static bool make_comparison(struct lowering *l, struct uppaal_exp *exp, formula *result)
{
    struct uppaal *u = l->u;
    struct model *model = u->model;
    struct exprs *exprs = uppaal_exprs(u);
    struct split split = {0};
    bool differs = exp->op == UPPAAL_NE;
    expr always = expr_bool(exprs, true);
    bool good = clocked_atom(l, exp, differs ? UPPAAL_EQ : exp->op, always, &split);
    *result = atom(u, always, exp->place);
    for (uint32_t i = 0; good && i < split.conditions.len; i++)
        *result = combine(u, FORMULA_AND, *result,
                          atom(u, split.conditions.data[i].what, exp->place), exp->place);
    for (uint32_t i = 0; good && i < split.constraints.len; i++) {
        struct clock_constraint one = split.constraints.data[i];
        bool is_conditional = one.is_conditional;
        one.is_conditional = false;
        vec_push(model->mem, &model->constraints, one);
        formula clock = formula_clock(&model->formulas, model->constraints.len - 1, exp->place);
        if (is_conditional)
            clock = combine(u, FORMULA_IMPLIES, atom(u, one.when, exp->place), clock, exp->place);
        *result = combine(u, FORMULA_AND, *result, clock, exp->place);
    }
    if (differs) *result = combine(u, FORMULA_NOT, *result, *result, exp->place);
    clocked_free(u, &split);
    return good;
}

static bool make_quantified(struct lowering *l, struct uppaal_exp *exp, formula *result)
{
    struct uppaal *u = l->u;
    bool is_all = exp->op == UPPAAL_FORALL;
    const struct type *type = resolve_domain(u, l->env, exp->type, MAX_DOMAIN, exp->op_place);
    struct env env = {.outer = l->env};
    bool good = true;
    if (!type) return false;
    if (exp->op == UPPAAL_SUM) {
        complain(u, exp, DIAG_UNSUPPORTED, "a sum over conditions on clocks");
        return false;
    }
    struct type_range range = type_cell(type, 0);
    compute_bind(u, &env, (struct binding){.name = exp->name, .kind = BIND_VALUE, .type = type});
    *result = atom(u, expr_bool(uppaal_exprs(u), is_all), exp->place);
    l->env = &env;
    for (int64_t n = range.low; good && n <= range.high; n++) {
        formula one;
        env.list.data[0].value = resolve_nth(u, type, n);
        mem_look(u->model->mem);
        good = make_formula(l, exp->a, &one);
        if (good) *result = combine(u, is_all ? FORMULA_AND : FORMULA_OR, *result, one, exp->place);
    }
    l->env = env.outer;
    vec_free(u->model->mem, &env.list);
    return good;
}

static bool make_binary(struct lowering *l, struct uppaal_exp *exp, formula *result)
{
    static const uint8_t ops[UPPAAL_OPS] = {
        [UPPAAL_AND] = FORMULA_AND, [UPPAAL_OR] = FORMULA_OR,  [UPPAAL_IMPLY] = FORMULA_IMPLIES,
        [UPPAAL_EQ] = FORMULA_IFF,  [UPPAAL_NE] = FORMULA_IFF, [UPPAAL_XOR] = FORMULA_IFF};
    struct uppaal *u = l->u;
    bool clocks = clocked_mentions(l, exp);
    formula a, b;
    /* clocks are compared; conditions on them can be, too */
    bool compares_clocks = exp->op >= UPPAAL_LT && exp->op <= UPPAAL_NE && clocks
                           && (exp->a->kind != UPPAAL_EXP_BINARY || exp->a->op < UPPAAL_LT)
                           && (exp->b->kind != UPPAAL_EXP_BINARY || exp->b->op < UPPAAL_LT);
    if (compares_clocks) return make_comparison(l, exp, result);
    if (!ops[exp->op]) {
        complain(u, exp, DIAG_UNSUPPORTED, "conditions on clocks, and deadlock, are no numbers");
        return false;
    }
    if (!make_formula(l, exp->a, &a) || !make_formula(l, exp->b, &b)) return false;
    *result = combine(u, ops[exp->op], a, b, exp->place);
    if (exp->op == UPPAAL_NE || exp->op == UPPAAL_XOR)
        *result = combine(u, FORMULA_NOT, *result, *result, exp->place);
    return true;
}

static bool make_choice(struct lowering *l, struct uppaal_exp *exp, formula *result)
{
    struct uppaal *u = l->u;
    formula a, b, c;
    if (!make_formula(l, exp->a, &a) || !make_formula(l, exp->b, &b)
        || !make_formula(l, exp->c, &c))
        return false;
    formula yes = combine(u, FORMULA_IMPLIES, a, b, exp->place),
            no = combine(u, FORMULA_OR, a, c, exp->place);
    *result = combine(u, FORMULA_AND, yes, no, exp->place);
    return true;
}

static bool make_formula(struct lowering *l, struct uppaal_exp *exp, formula *result)
{
    struct uppaal *u = l->u;
    expr cond;
    if (!has_deadlock(exp) && !clocked_mentions(l, exp)) {
        if (!compute_condition(l, exp, &cond)) return false;
        *result = atom(u, cond, exp->place);
        return true;
    }
    switch ((enum uppaal_exp_kind)exp->kind) {
    case UPPAAL_EXP_DEADLOCK:
        *result = formula_deadlock(&u->model->formulas, exp->place);
        return true;
    case UPPAAL_EXP_UNARY:
        if (exp->op != UPPAAL_NOT) break;
        if (!make_formula(l, exp->a, result)) return false;
        *result = combine(u, FORMULA_NOT, *result, *result, exp->place);
        return true;
    case UPPAAL_EXP_BINARY: return make_binary(l, exp, result);
    case UPPAAL_EXP_QUANTIFIED: return make_quantified(l, exp, result);
    case UPPAAL_EXP_CONDITIONAL: return make_choice(l, exp, result);
    default: break;
    }
    complain(u, exp, DIAG_UNSUPPORTED, "this is no condition on clocks");
    return false;
}

/* ---- queries ---- */

static struct lowering begin(struct uppaal *u)
{
    return (struct lowering){.u = u,
                             .env = &u->global,
                             .code.model = u->model,
                             .context = "a query",
                             .member = find_member};
}

static bool make_term(struct lowering *l, struct uppaal_exp *exp, struct query_term *term)
{
    struct uppaal *u = l->u;
    struct text text;
    text_init(&text, u->model->mem);
    uppaal_print_exp(&text, exp);
    *term = (struct query_term){.text = names_intern(&u->model->names, text.data, text.len)};
    text_free(&text);
    if (!clocked_mentions(l, exp)) return compute_number(l, exp, &term->value);
    struct binding found;
    if (!compute_place(l, exp, false, &found)) return false;
    if (found.kind != BIND_CLOCK || found.type != u->clock_type || found.at.count != 1) {
        complain(u, exp, DIAG_UNSUPPORTED, "a term of this query is a number or a single clock");
        return false;
    }
    term->is_clock = true;
    term->clock = found.at.base;
    return true;
}

static bool add_terms(struct lowering *l, struct uppaal_query *query, struct model_query made)
{
    struct mem *mem = l->u->model->mem;
    VEC(struct query_term) terms = {0};
    bool good = true;
    for (struct uppaal_exp *exp = query->terms; good && exp; exp = exp->next) {
        struct query_term term;
        good = make_term(l, exp, &term);
        if (good) vec_push(mem, &terms, term);
    }
    made.terms = terms.len;
    if (good) model_add_query(l->u->model, made, terms.data, query->text, query->place);
    vec_free(mem, &terms);
    return good;
}

static bool add_query(struct uppaal *u, struct uppaal_query *query)
{
    assert(!query->refused && (query->kind != UPPAAL_QUERY_LEADS || query->q));
    static const uint8_t kinds[] = {
        [UPPAAL_QUERY_ALWAYS] = QUERY_ALWAYS, [UPPAAL_QUERY_SOMETIME] = QUERY_SOMETIME,
        [UPPAAL_QUERY_KEEPS] = QUERY_KEEPS,   [UPPAAL_QUERY_MEETS] = QUERY_MEETS,
        [UPPAAL_QUERY_LEADS] = QUERY_LEADS,   [UPPAAL_QUERY_SUP] = QUERY_SUP,
        [UPPAAL_QUERY_INF] = QUERY_INF,       [UPPAAL_QUERY_BOUNDS] = QUERY_BOUNDS};
    struct lowering l = begin(u);
    struct model_query made = {.kind = kinds[query->kind]};
    made.p = made.q = atom(u, expr_bool(uppaal_exprs(u), true), query->place);
    if (query->p && !make_formula(&l, query->p, &made.p)) return false;
    if (query->q && !make_formula(&l, query->q, &made.q)) return false;
    return add_terms(&l, query, made);
}

static void skip(struct uppaal *u, const struct uppaal_query *query, const char *why)
{
    vec_push(u->model->mem, &u->model->skipped,
             ((struct model_skipped){query->text, why, query->place}));
}

/* A query that may be left out: what is wrong with it is the reason for that, and no error. */
static void try_query(struct uppaal *u, struct uppaal_query *query)
{
    struct diag *diag = u->diag;
    diag_listener *listener = diag->listener;
    uint32_t errors = diag->errors, kept = diag->list.len;
    diag->listener = NULL;
    if (!add_query(u, query))
        skip(u, query, diag->list.len > kept ? diag->list.data[kept].text : "it is not understood");
    diag->listener = listener;
    diag->errors = errors;
    diag->list.len = kept;
}

bool queries_add(struct uppaal *u, struct uppaal_query *queries)
{
    bool good = true;
    for (struct uppaal_query *query = queries; query; query = query->next) {
        if (u->input->skips && query->refused) skip(u, query, query->refused);
        else if (u->input->skips) try_query(u, query);
        else if (!query->refused) good &= add_query(u, query);
        else uppaal_tell_query(u->diag, query), good = false;
    }
    return good;
}

bool queries_property(struct uppaal *u, enum property_kind kind, uint32_t source)
{
    struct model *model = u->model;
    const struct source given = u->diag->sources.data[source];
    const struct place place = {.source = source, .line = 1, .column = 1};
    struct lowering l = begin(u);
    uint32_t number = 0;
    formula root;
    l.context = "a property";
    if (kind == PROPERTY_CTL) {
        diag_error(u->diag, DIAG_UNSUPPORTED, place,
                   "what CTL says about UPPAAL models, queries do: A[] p, E<> p, A<> p, E[] p, "
                   "p --> q");
        return false;
    }
    if (!linear_read(&l, source, &root)) return false;
    if (kind != PROPERTY_LTL && formula_get(&model->formulas, root)->op != FORMULA_ATOM) {
        diag_error(u->diag, DIAG_SYNTAX, place,
                   "a condition without temporal operators is needed here");
        return false;
    }
    for (uint32_t i = 0; i < model->properties.len; i++)
        number += model->properties.data[i].kind == kind;
    struct model_property property = {
        .name = names_format(&model->names, "%s[%u]", property_stem[kind], number),
        .kind = kind,
        .root = root,
        .text = names_intern(&model->names, given.text, given.length),
        .place = place};
    vec_push(model->mem, &model->properties, property);
    return true;
}
