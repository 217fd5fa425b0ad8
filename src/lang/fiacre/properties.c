/* Properties: formulas over the processes and variables of the system. In an atom `P[1].x` is the
 * variable x of the second instance of P (`P.x` when there is one), be P a process or a component,
 * `P[1] @ s` says that it is in state s, `x` is a variable of the main component; `Main/1/2/state
 * s` and `Main/1/value e` follow the composition as frac's observables do. */
#include "lang/fiacre/scope.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ---- atoms ---- */

/* A process or component named by `P` or `P[n]`: the instance, or the names of the component; both
 * NULL when the expression is something else. False after an error. */
static bool find_unit(struct fiacre *f, struct fiacre_exp *exp, struct instance **found,
                      struct env **component)
{
    struct fiacre_exp *name = exp->kind == FIACRE_EXP_INDEX ? exp->a : exp;
    uint64_t number = 0, count = 0;
    *found = NULL;
    *component = NULL;
    if (name->kind != FIACRE_EXP_NAME || env_find(f, f->root_env, name->name)) return true;
    if (exp->kind == FIACRE_EXP_INDEX && exp->b->kind == FIACRE_EXP_NUMBER) number = exp->b->number;
    for (uint32_t i = 0; i < f->instances.len; i++) {
        if (f->instances.data[i].decl->name != name->name) continue;
        if (count++ == number) *found = &f->instances.data[i];
    }
    for (uint32_t i = 0; i < f->components.len; i++) {
        if (f->components.data[i].decl->name != name->name) continue;
        if (count++ == number) *component = f->components.data[i].env;
    }
    if (!count) return true;
    if (exp->kind == FIACRE_EXP_INDEX && exp->b->kind != FIACRE_EXP_NUMBER)
        *found = NULL, *component = NULL;
    if ((!*found && !*component) || (count > 1 && exp->kind == FIACRE_EXP_NAME)) {
        complain(f, exp, DIAG_UNKNOWN, exp->place,
                 "there %s %" PRIu64 " instance%s of '%.60s': write %.60s[0]%s",
                 count == 1 ? "is" : "are", count, count == 1 ? "" : "s", name->name, name->name,
                 count == 1 ? ""
                            : names_format(&f->model->names, " to %s[%" PRIu64 "]", name->name,
                                           count - 1));
        return false;
    }
    return true;
}

/* The names of a process or a component, if that is what the expression means. */
static const struct env *unit_names(struct fiacre *f, struct fiacre_exp *exp)
{
    struct instance *instance;
    struct env *component;
    struct fiacre_exp quiet = *exp;
    quiet.reported = true;
    if (!find_unit(f, &quiet, &instance, &component)) return NULL;
    return instance ? instance->env : component;
}

static bool state_test(struct lowering *l, const struct instance *instance, struct fiacre_exp *exp,
                       const char *name, struct place place, struct value *value)
{
    struct exprs *exprs = &l->f->model->exprs;
    uint32_t n = 0;
    const char *nearest = NULL;
    unsigned distance = 0;
    for (const struct fiacre_name *s = instance->decl->process->states; s; s = s->next, n++) {
        text_nearest(name, s->name, &nearest, &distance);
        if (s->name != name) continue;
        expr here = expr_var_in(exprs, instance->location, 0,
                                l->f->model->vars.data[instance->location].high);
        *value =
            value_scalar(l->f->bool_type, expr_make(exprs, EXPR_EQ, 0, here, expr_int(exprs, n)));
        return true;
    }
    complain_near(l->f, exp, DIAG_UNKNOWN, place, nearest, "'%.60s' has no state '%.60s'",
                  instance->decl->name, name);
    return false;
}

/* `Main/1/2`: the blocks of compositions, counted from 1. */
static const struct group *follow_path(struct fiacre *f, struct fiacre_exp *exp)
{
    const struct group *group = f->composition;
    if (exp->name != f->file.root->name) {
        complain(f, exp, DIAG_MISSING, exp->place,
                 "the path must begin with the main component, '%.60s'", f->file.root->name);
        return NULL;
    }
    for (struct fiacre_exp *number = exp->args; number; number = number->next) {
        uint64_t n = number->number;
        const struct group *block = group->blocks;
        while (block && n > 1) block = block->next, n--;
        if (!block || !n) {
            complain(f, exp, DIAG_UNKNOWN, number->place,
                     "there is no block number %" PRIu64 " here", number->number);
            return NULL;
        }
        group = block;
    }
    return group;
}

/* ---- what states show ---- */

static const struct type *type_of_name(struct fiacre *f, const struct env *env, const char *name)
{
    const struct binding *binding = env_find(f, env, name);
    return binding && binding->kind == BIND_CELLS ? binding->type : NULL;
}

/* The type of a variable or a part of one, without a word about mistakes; NULL: unknown, or it is
 * none. */
static const struct type *shown_type(struct lowering *l, struct fiacre_exp *exp)
{
    if (exp->kind == FIACRE_EXP_NAME) return type_of_name(l->f, l->env, exp->name);
    if (exp->kind != FIACRE_EXP_FIELD && exp->kind != FIACRE_EXP_INDEX) return NULL;
    if (exp->kind == FIACRE_EXP_FIELD) {
        const struct env *unit = unit_names(l->f, exp->a);
        if (unit) return type_of_name(l->f, unit, exp->name);
    }
    const struct type *whole = shown_type(l, exp->a);
    if (!whole) return NULL;
    if (exp->kind == FIACRE_EXP_INDEX) return whole->of;
    for (uint32_t i = 0; whole->kind == TYPE_RECORD && i < whole->member_count; i++)
        if (whole->members[i].name == exp->name) return whole->members[i].type;
    return NULL;
}

/* A cell of a value, as a number. */
static bool lower_number(struct lowering *l, struct fiacre_exp *exp, uint32_t cell,
                         struct type_range range, struct value *value)
{
    struct value whole;
    if (!lower_exp(l, exp, NULL, &whole)) return false;
    *value = value_scalar(l->f->number_type,
                          expr_at(&l->f->model->exprs, whole.at.local, whole.at.base + cell,
                                  whole.at.offset, whole.at.count, range.low, range.high));
    return true;
}

/* q[i]: an array that begins behind the length. */
static bool lower_element(struct lowering *l, struct fiacre_exp *exp, const struct type *queue,
                          struct value *value)
{
    struct value whole, index;
    struct exprs *exprs = &l->f->model->exprs;
    if (!lower_exp(l, exp->a, NULL, &whole) || !lower_exp(l, exp->b, NULL, &index)) return false;
    if (index.type->kind != TYPE_INT)
        return complain_types(l, exp->b->place, l->f->number_type, index.type), false;
    const struct expr_node *node = expr_get(exprs, index.e);
    if (node->op == EXPR_CONST && (node->value < 0 || node->value >= queue->count)) {
        complain(l->f, exp, DIAG_RANGE, exp->b->place, "the index %" PRId64 " is outside 0..%u",
                 node->value, queue->count - 1);
        return false;
    }
    struct cell at = emit_behind(&whole.at, 1);
    expr within = expr_within(exprs, index.e, 0, queue->count - 1, FAILURE_INDEX);
    at.offset = expr_make(exprs, EXPR_ADD, 0, at.offset,
                          expr_make(exprs, EXPR_MUL, 0, within, expr_int(exprs, queue->of->cells)));
    at.count += (queue->count - 1) * queue->of->cells;
    *value = value_cells(l->f->model, queue->of, &at);
    return true;
}

/* u = text: which constructor it is, whatever its value. */
static bool lower_constructor_test(struct lowering *l, struct fiacre_exp *exp,
                                   const struct type *type, struct value *value)
{
    struct exprs *exprs = &l->f->model->exprs;
    const struct constructor *constructor = constructor_find(l->f, exp->b->name, type);
    if (!lower_number(l, exp->a, 0, type_cell(type, 0), value)) return false;
    expr test = expr_make(exprs, EXPR_EQ, 0, value->e, expr_int(exprs, constructor->tag));
    *value = value_scalar(l->f->bool_type,
                          exp->op == FIACRE_NE ? expr_make(exprs, EXPR_NOT, 0, test, test) : test);
    return true;
}

/* Parts of queues and unions by the names that states have for them: q.length, q[0], u.value,
 * u.value[1], and u = constructor. */
static bool lower_shown(struct lowering *l, struct fiacre_exp *exp, struct value *value, bool *done)
{
    bool compares = exp->kind == FIACRE_EXP_BINARY && (exp->op == FIACRE_EQ || exp->op == FIACRE_NE)
                    && exp->b->kind == FIACRE_EXP_NAME;
    bool is_value = exp->kind == FIACRE_EXP_FIELD && !strcmp(exp->name, "value");
    const struct type *type =
        compares || exp->kind == FIACRE_EXP_FIELD || exp->kind == FIACRE_EXP_INDEX
            ? shown_type(l, exp->a)
            : NULL;
    *done = true;
    if (type && type->kind == TYPE_QUEUE && exp->kind == FIACRE_EXP_INDEX)
        return lower_element(l, exp, type, value);
    if (type && type->kind == TYPE_QUEUE && exp->kind == FIACRE_EXP_FIELD
        && !strcmp(exp->name, "length"))
        return lower_number(l, exp->a, 0, type_cell(type, 0), value);
    if (type && type->kind == TYPE_UNION && type->cells > 1) {
        const struct constructor *constructor = compares && !env_find(l->f, l->env, exp->b->name)
                                                    ? constructor_find(l->f, exp->b->name, type)
                                                    : NULL;
        if (is_value) return lower_number(l, exp->a, 1, type_shared_cell(type, 0), value);
        if (constructor && constructor->type == type)
            return lower_constructor_test(l, exp, type, value);
    }
    if (exp->kind == FIACRE_EXP_INDEX && exp->b->kind == FIACRE_EXP_NUMBER
        && exp->a->kind == FIACRE_EXP_FIELD && !strcmp(exp->a->name, "value")) {
        type = shown_type(l, exp->a->a);
        uint64_t n = exp->b->number;
        if (type && type->kind == TYPE_UNION && n + 1 < type->cells)
            return lower_number(l, exp->a->a, (uint32_t)n + 1, type_shared_cell(type, (uint32_t)n),
                                value);
    }
    *done = false;
    return true;
}

/* ---- atoms that are no expressions ---- */

static bool lower_observation(struct lowering *l, struct fiacre_exp *exp, struct value *value)
{
    struct fiacre *f = l->f;
    const struct group *group = follow_path(f, exp);
    if (!group) return false;
    if (exp->op == FIACRE_ITEM_TAG || exp->op == FIACRE_ITEM_EVENT) {
        complain(f, exp, DIAG_UNSUPPORTED, exp->item_place,
                 "properties of events and tags are not supported: observe states and values");
        return false;
    }
    if (!group->is_instance) {
        complain(f, exp, DIAG_TYPE, exp->place, "this path leads to a component, not to a process");
        return false;
    }
    const struct instance *instance = &f->instances.data[group->instance];
    if (exp->op == FIACRE_ITEM_STATE)
        return state_test(l, instance, exp, exp->item_name, exp->item_place, value);
    struct lowering inner = *l;
    inner.env = instance->env;
    inner.special = lower_shown;
    return lower_exp(&inner, exp->a, f->bool_type, value);
}

/* What only properties know; *done tells whether it was something of that kind. */
static bool lower_special(struct lowering *l, struct fiacre_exp *exp, struct value *value,
                          bool *done)
{
    struct instance *instance;
    struct env *component;
    *done = true;
    if (exp->kind == FIACRE_EXP_OBSERVE) return lower_observation(l, exp, value);
    if (exp->kind == FIACRE_EXP_AT) {
        if (!find_unit(l->f, exp->a, &instance, &component)) return false;
        if (instance) return state_test(l, instance, exp, exp->name, exp->place, value);
        complain(l->f, exp, DIAG_TYPE, exp->place, "before `@` stands a process");
        return false;
    }
    if (exp->kind == FIACRE_EXP_FIELD) {
        if (!find_unit(l->f, exp->a, &instance, &component)) return false;
        if (instance || component) {
            struct fiacre_exp name = {.kind = FIACRE_EXP_NAME,
                                      .name = exp->name,
                                      .place = exp->op_place,
                                      .op_place = exp->op_place};
            struct lowering inner = *l;
            inner.env = instance ? instance->env : component;
            inner.special = NULL;
            return lower_exp(&inner, &name, NULL, value);
        }
    }
    bool compares =
        exp->kind == FIACRE_EXP_BINARY && (exp->op == FIACRE_EQ || exp->op == FIACRE_NE);
    if (compares && exp->a->kind == FIACRE_EXP_FIELD && exp->b->kind == FIACRE_EXP_NAME
        && !strcmp(exp->a->name, "state")) {
        if (!find_unit(l->f, exp->a->a, &instance, &component)) return false;
        if (instance && !env_find(l->f, instance->env, exp->a->name)) {
            if (!state_test(l, instance, exp, exp->b->name, exp->b->place, value)) return false;
            if (exp->op == FIACRE_NE)
                value->e = expr_make(&l->f->model->exprs, EXPR_NOT, 0, value->e, value->e);
            return true;
        }
    }
    return lower_shown(l, exp, value, done);
}

static bool lower_atom(struct fiacre *f, struct fiacre_exp *exp, formula *result)
{
    struct lowering l = {.f = f,
                         .code.model = f->model,
                         .env = f->root_env,
                         .context = "a property",
                         .special = lower_special};
    expr cond;
    if (!lower_condition(&l, exp, &cond)) return false;
    *result = formula_atom(&f->model->formulas, cond, exp->place);
    return true;
}

/* ---- formulas ---- */

enum { MAX_NAMED = 100 };

struct reader {
    struct fiacre *f;
    enum property_kind kind;
    uint32_t nesting; /* of named properties */
};

/* The property that a name means; variables of the main component come first. NULL: none. */
static struct fiacre_property *named_property(struct fiacre *f, const struct fiacre_exp *exp)
{
    if (exp->kind != FIACRE_EXP_NAME || env_find(f, f->root_env, exp->name)) return NULL;
    uint32_t found = map_get(&f->names, exp->name, SCOPE_PROPERTY);
    return found == MAP_NONE ? NULL : f->decls.data[found]->property;
}

static bool has_temporal(struct fiacre *f, const struct fiacre_exp *exp)
{
    if (exp->kind == FIACRE_EXP_TEMPORAL || exp->kind == FIACRE_EXP_PATTERN
        || exp->kind == FIACRE_EXP_ENTER || exp->kind == FIACRE_EXP_LEAVE)
        return true;
    if (exp->kind == FIACRE_EXP_NAME) return named_property(f, exp) != NULL;
    if (exp->kind == FIACRE_EXP_UNARY && exp->op == FIACRE_NOT) return has_temporal(f, exp->a);
    if (exp->kind == FIACRE_EXP_BINARY && (exp->op == FIACRE_AND || exp->op == FIACRE_OR))
        return has_temporal(f, exp->a) || has_temporal(f, exp->b);
    return false;
}

static bool read_formula(struct reader *reader, struct fiacre_exp *exp, bool below_quantifier,
                         formula *result);

static formula make(struct reader *reader, enum formula_op op, formula a, formula b,
                    struct place place)
{
    struct model *model = reader->f->model;
    return formula_make(&model->formulas, &model->exprs, op, a, b, place);
}

static bool is_path_operator(const struct fiacre_exp *exp)
{
    return exp->kind == FIACRE_EXP_TEMPORAL && exp->op >= FORMULA_X && exp->op <= FORMULA_W;
}

/* CTL: every path operator directly below a quantifier, and the other way round; LTL: no
 * quantifiers. */
static bool fits_logic(struct reader *reader, struct fiacre_exp *exp, bool below_quantifier)
{
    const char *symbol = formula_table[exp->op].symbol;
    bool quantifier = exp->op == FORMULA_A || exp->op == FORMULA_E;
    if (reader->kind == PROPERTY_INVARIANT || reader->kind == PROPERTY_REACH)
        complain(reader->f, exp, DIAG_MISPLACED, exp->place,
                 "%s has no temporal operators: '%s' belongs to LTL or CTL",
                 reader->kind == PROPERTY_REACH ? "what is to be found" : "an invariant", symbol);
    else if (reader->kind == PROPERTY_LTL && quantifier)
        complain(reader->f, exp, DIAG_MISPLACED, exp->place,
                 "LTL has no path quantifiers: '%s' belongs to CTL", symbol);
    else if (reader->kind == PROPERTY_CTL && is_path_operator(exp) && !below_quantifier)
        complain(reader->f, exp, DIAG_MISSING, exp->place, "'%s' without a path quantifier in CTL",
                 symbol);
    else if (reader->kind == PROPERTY_CTL && quantifier && !is_path_operator(exp->a))
        complain(reader->f, exp, DIAG_MISPLACED, exp->place,
                 "'%s' must be followed by a path formula such as [f U g]", symbol);
    else return true;
    return false;
}

static bool read_temporal(struct reader *reader, struct fiacre_exp *exp, bool below_quantifier,
                          formula *result)
{
    formula a, b = {0};
    bool boolean = exp->op == FORMULA_IMPLIES || exp->op == FORMULA_IFF;
    if (!boolean && !fits_logic(reader, exp, below_quantifier)) return false;
    bool quantifier = exp->op == FORMULA_A || exp->op == FORMULA_E;
    if (!read_formula(reader, exp->a, quantifier, &a)
        || (exp->b && !read_formula(reader, exp->b, false, &b)))
        return false;
    *result = make(reader, exp->op, a, b, exp->place);
    return true;
}

/* The patterns whose meaning is plain LTL; those with time are refused. */
static bool read_pattern(struct reader *reader, struct fiacre_exp *exp, formula *result)
{
    struct fiacre_pattern *p = exp->pattern;
    struct place at = exp->place;
    formula a = {0}, b = {0}, from = {0}, to = {0};
    if (p->has_lasting || p->within || p->duration || p->first)
        return complain(
                   reader->f, exp, DIAG_UNSUPPORTED, at,
                   "this pattern speaks of time, which is not supported: use an observer process"),
               false;
    if (p->kind == FIACRE_PATTERN_DEADLOCKFREE)
        return complain(reader->f, exp, DIAG_UNSUPPORTED, at,
                        "deadlocks are looked for by default: leave `deadlockfree` out"),
               false;
    if (reader->kind != PROPERTY_LTL)
        return complain(reader->f, exp, DIAG_MISPLACED, at, "patterns are LTL"), false;
    if (p->a && !read_formula(reader, p->a, false, &a)) return false;
    if (p->b && !read_formula(reader, p->b, false, &b)) return false;
    if (p->from && !read_formula(reader, p->from, false, &from)) return false;
    if (p->to && !read_formula(reader, p->to, false, &to)) return false;
    if (pattern_formula(reader->f->model, p, at, a, b, from, to, result)) return true;
    complain(reader->f, exp, DIAG_UNSUPPORTED, at,
             p->scope == FIACRE_SCOPE_GLOBAL
                 ? "this pattern is not supported"
                 : "this pattern with this scope is not supported: write it in LTL");
    return false;
}

static bool read_formula(struct reader *reader, struct fiacre_exp *exp, bool below_quantifier,
                         formula *result)
{
    struct fiacre *f = reader->f;
    formula a, b;
    *result = (formula){0};
    struct fiacre_property *named = named_property(f, exp);
    if (named) {
        if (reader->nesting >= MAX_NAMED)
            return complain(f, exp, DIAG_NESTING, exp->place,
                            "properties that refer to each other too deeply"),
                   false;
        reader->nesting++;
        bool good = read_formula(reader, named->root, below_quantifier, result);
        reader->nesting--;
        return good;
    }
    if (!has_temporal(f, exp)) return lower_atom(f, exp, result);
    if (exp->kind == FIACRE_EXP_TEMPORAL)
        return read_temporal(reader, exp, below_quantifier, result);
    if (exp->kind == FIACRE_EXP_PATTERN) return read_pattern(reader, exp, result);
    if (exp->kind == FIACRE_EXP_ENTER || exp->kind == FIACRE_EXP_LEAVE)
        return complain(f, exp, DIAG_UNSUPPORTED, exp->place,
                        "`enter` and `leave` are not supported"),
               false;
    if (!read_formula(reader, exp->a, false, &a)) return false;
    if (exp->kind == FIACRE_EXP_UNARY)
        return *result = make(reader, FORMULA_NOT, a, a, exp->place), true;
    if (!read_formula(reader, exp->b, false, &b)) return false;
    *result = make(reader, exp->op == FIACRE_AND ? FORMULA_AND : FORMULA_OR, a, b, exp->place);
    return true;
}

bool properties_add(struct fiacre *f, struct fiacre_property *ast)
{
    struct model *model = f->model;
    struct reader reader = {.f = f, .kind = ast->kind};
    struct model_property property = {
        .name = ast->name, .kind = ast->kind, .text = ast->text, .place = ast->place};
    uint32_t index = f->counts[ast->kind]++;
    if (!property.name)
        property.name = names_format(&model->names, "%s[%u]", property_stem[ast->kind], index);
    property.name = names_intern(&model->names, property.name, strlen(property.name));
    if (!strcmp(property.name, "deadlock") || !strcmp(property.name, "runtime-error")) {
        diag_error(f->diag, DIAG_DUPLICATE, ast->place, "'%s' is the name of a built-in property",
                   property.name);
        return false;
    }
    for (uint32_t i = 0; i < model->properties.len; i++)
        if (model->properties.data[i].name == property.name) {
            diag_error(f->diag, DIAG_DUPLICATE, ast->place,
                       "there are two properties named '%.60s'", property.name);
            return false;
        }
    if (ast->name && ast->root->kind == FIACRE_EXP_PATTERN
        && ast->root->pattern->kind == FIACRE_PATTERN_DEADLOCKFREE) {
        remark(f, ast->root, DIAG_DUPLICATE, ast->root->place,
               "this is the property `deadlock`, which is checked in any case");
        return true;
    }
    if (!read_formula(&reader, ast->root, false, &property.root)) return false;
    vec_push(model->mem, &model->properties, property);
    return true;
}
