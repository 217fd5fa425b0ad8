/* Expressions. A scalar becomes an expression of the model; what needs code (calls, literals,
 * queues that change) emits it first, into temporaries. Operators that do not evaluate all their
 * operands stay expressions as long as these need no code, and become IFs otherwise. */
#include "lang/fiacre/scope.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { MAX_INLINED = 6, MAX_INLINED_RECURSION = 100 };

static struct exprs *exprs_of(struct lowering *l) { return &l->f->model->exprs; }

/* ---- emitting ---- */

static bool may_emit(struct lowering *l, struct fiacre_exp *exp, const char *what)
{
    if (l->code.out) return true;
    complain(l->f, exp, DIAG_MISPLACED, exp->place, "%s is not possible in %s", what, l->context);
    return false;
}

/* The variables that the expression names, each once. */
enum { MAX_WORDED = 8 };

struct named {
    uint32_t vars[MAX_WORDED];
    uint32_t count;
};

static void find_named(struct lowering *l, const struct fiacre_exp *exp, struct named *named)
{
    if (!exp) return;
    const struct binding *binding =
        exp->kind == FIACRE_EXP_NAME ? env_find(l->f, l->env, exp->name) : NULL;
    if (binding && binding->kind == BIND_CELLS && !binding->at.local && named->count < MAX_WORDED) {
        const struct expr_node *offset = expr_get(exprs_of(l), binding->at.offset);
        uint32_t var = binding->at.base + (uint32_t)offset->value;
        bool known = offset->op != EXPR_CONST;
        for (uint32_t i = 0; i < named->count; i++) known |= named->vars[i] == var;
        if (!known) named->vars[named->count++] = var;
    }
    find_named(l, exp->a, named);
    find_named(l, exp->b, named);
    find_named(l, exp->c, named);
    for (const struct fiacre_exp *arg = exp->args; arg; arg = arg->next) find_named(l, arg, named);
}

static uint32_t word_condition(struct lowering *l, const struct fiacre_exp *source, bool negated)
{
    struct model *model = l->f->model;
    struct named named = {.count = 0};
    struct text text;
    text_init(&text, model->mem);
    if (negated) text_add(&text, "not (");
    fiacre_print_exp(&text, source);
    if (negated) text_add(&text, ")");
    find_named(l, source, &named);
    const char *words = names_intern(&model->names, text.data, text.len);
    text_free(&text);
    return model_add_wording(
        model, (struct model_wording){WORDING_CONDITION, words, named.vars, named.count});
}

void emit_condition(struct lowering *l, expr cond, const struct fiacre_exp *source, bool negated)
{
    if (!expr_is_true(exprs_of(l), cond))
        emit_require(&l->code, cond, source->place, word_condition(l, source, negated));
}

/* ---- storing ---- */

void complain_types(struct lowering *l, struct place place, const struct type *wanted,
                    const struct type *found)
{
    struct text a, b;
    text_init(&a, l->f->model->mem);
    text_init(&b, l->f->model->mem);
    type_show(&a, wanted);
    type_show(&b, found);
    diag_error(l->f->diag, DIAG_TYPE, place, "this should be %s and is %s", a.data, b.data);
    text_free(&a);
    text_free(&b);
}

bool lower_store(struct lowering *l, const struct type *type, const struct cell *at,
                 const struct value *value, struct place place)
{
    if (!type_matches(type, value->type)) return complain_types(l, place, type, value->type), false;
    value_store(&l->code, type, at, value, place);
    return true;
}

/* ---- names ---- */

static const struct binding *find_in(const struct env *env, const char *name)
{
    for (uint32_t i = env->list.len; i-- > 0;)
        if (env->list.data[i].name == name) return &env->list.data[i];
    return NULL;
}

const struct binding *env_find(struct fiacre *f, const struct env *env, const char *name)
{
    for (; env; env = env->outer) {
        const struct binding *found = find_in(env, name);
        if (found) return found;
    }
    uint32_t index = map_get(&f->names, name, SCOPE_VALUE);
    return index == MAP_NONE ? NULL : &f->constants.data[index];
}

const struct constructor *constructor_find(struct fiacre *f, const char *name,
                                           const struct type *expected)
{
    uint32_t first = map_get(&f->names, name, SCOPE_CONSTRUCTOR);
    if (first == MAP_NONE) return NULL;
    assert(first < f->constructors.len);
    for (uint32_t i = first; i != MODEL_NONE; i = f->constructors.data[i].other)
        if (f->constructors.data[i].type == expected) return &f->constructors.data[i];
    return &f->constructors.data[first];
}

static void complain_name(struct lowering *l, struct fiacre_exp *exp)
{
    const char *nearest = NULL;
    unsigned distance = 0;
    struct fiacre *f = l->f;
    for (const struct env *env = l->env; env; env = env->outer)
        for (uint32_t i = 0; i < env->list.len; i++)
            text_nearest(exp->name, env->list.data[i].name, &nearest, &distance);
    for (uint32_t i = 0; i < f->constants.len; i++)
        text_nearest(exp->name, f->constants.data[i].name, &nearest, &distance);
    for (uint32_t i = 0; i < f->constructors.len; i++)
        text_nearest(exp->name, f->constructors.data[i].name, &nearest, &distance);
    for (uint32_t i = 0; i < f->functions.len; i++)
        text_nearest(exp->name, f->functions.data[i].decl->name, &nearest, &distance);
    complain_near(f, exp, DIAG_UNKNOWN, exp->place, nearest, "there is no '%.60s' here", exp->name);
}

static bool lower_binding(struct lowering *l, struct fiacre_exp *exp, const struct binding *binding,
                          struct value *value)
{
    if (binding->kind == BIND_VALUE) return *value = binding->value, true;
    if (binding->write_only && l->code.out)
        remark(l->f, exp, DIAG_ACCESS, exp->place, "'%.60s' is marked `write`, and is read here",
               exp->name);
    if (binding->kind == BIND_CELLS)
        return *value = value_cells(l->f->model, binding->type, &binding->at), true;
    if (binding->kind == BIND_PORT) {
        complain(l->f, exp, DIAG_TYPE, exp->place, "'%.60s' is a port, not a value", exp->name);
        return false;
    }
    struct env *env = l->env;
    const struct binding copy = *binding; /* the list may move */
    l->env = copy.env;
    bool good = lower_exp(l, copy.exp, copy.type, value);
    l->env = env;
    return good;
}

/* A constructor with or without its argument. */
static bool lower_constructor(struct lowering *l, struct fiacre_exp *exp,
                              const struct constructor *constructor, struct value *value)
{
    const struct type *type = constructor->type, *argument = type->members[constructor->tag].type;
    uint32_t tag = constructor->tag, args = exp->kind == FIACRE_EXP_CALL ? exp->count : 0;
    if (args != (argument != NULL)) {
        complain(l->f, exp, DIAG_ARGUMENTS, exp->place,
                 argument ? "the constructor '%.60s' needs one argument"
                          : "the constructor '%.60s' has no argument",
                 exp->name);
        return false;
    }
    if (type_is_scalar(type)) return *value = value_scalar(type, expr_int(exprs_of(l), tag)), true;
    if (!may_emit(l, exp, "a value of a union")) return false;
    struct value inner = {0};
    if (argument && !lower_exp(l, exp->args, argument, &inner)) return false;
    if (argument && !type_matches(argument, inner.type))
        return complain_types(l, exp->args->place, argument, inner.type), false;
    *value = value_construct(&l->code, type, tag, argument ? &inner : NULL, exp->place,
                             argument ? exp->args->place : exp->place);
    return true;
}

static bool lower_name(struct lowering *l, struct fiacre_exp *exp, const struct type *expected,
                       struct value *value)
{
    const struct binding *binding = env_find(l->f, l->env, exp->name);
    if (binding) return lower_binding(l, exp, binding, value);
    const struct constructor *constructor = constructor_find(l->f, exp->name, expected);
    if (constructor) return lower_constructor(l, exp, constructor, value);
    return complain_name(l, exp), false;
}

/* ---- places ---- */

static bool lower_index(struct lowering *l, struct fiacre_exp *exp, const struct type *array,
                        struct cell *at)
{
    struct exprs *exprs = exprs_of(l);
    struct value index;
    if (array->kind != TYPE_ARRAY) {
        complain(l->f, exp, DIAG_TYPE, exp->place, "only arrays have elements");
        return false;
    }
    if (!lower_exp(l, exp->b, NULL, &index)) return false;
    if (index.type->kind != TYPE_INT)
        return complain_types(l, exp->b->place, l->f->number_type, index.type), false;
    const struct expr_node *node = expr_get(exprs, index.e);
    if (node->op == EXPR_CONST && (node->value < 0 || node->value >= array->count)) {
        if (!l->code.out) {
            complain(l->f, exp, DIAG_RANGE, exp->b->place, "the index %" PRId64 " is outside 0..%u",
                     node->value, array->count - 1);
            return false;
        }
        /* it may never be evaluated: an error only where it is */
        emit_check(&l->code, expr_fail(exprs, FAILURE_INDEX), exp->b->place);
        index.e = expr_int(exprs, 0);
    }
    emit_element(l->f->model, array, index.e, at);
    return true;
}

static const struct type_member *find_field(struct lowering *l, struct fiacre_exp *exp,
                                            const struct type *record)
{
    if (record->kind != TYPE_RECORD) {
        complain(l->f, exp, DIAG_TYPE, exp->place, "only records have fields");
        return NULL;
    }
    const char *nearest = NULL;
    unsigned distance = 0;
    for (uint32_t i = 0; i < record->member_count; i++) {
        if (record->members[i].name == exp->name) return &record->members[i];
        text_nearest(exp->name, record->members[i].name, &nearest, &distance);
    }
    complain_near(l->f, exp, DIAG_UNKNOWN, exp->place, nearest, "the record has no field '%.60s'",
                  exp->name);
    return NULL;
}

bool lower_place(struct lowering *l, struct fiacre_exp *exp, bool writing, const struct type **type,
                 struct cell *at)
{
    if (exp->kind == FIACRE_EXP_NAME) {
        const struct binding *binding = env_find(l->f, l->env, exp->name);
        if (!binding) return complain_name(l, exp), false;
        if (binding->kind != BIND_CELLS || (writing && binding->read_only)) {
            complain(l->f, exp, DIAG_ACCESS, exp->place, "'%.60s' cannot be assigned to%s",
                     exp->name,
                     binding->kind == BIND_CELLS ? ": it was passed to be read only" : "");
            return false;
        }
        *type = binding->type;
        *at = binding->at;
        return true;
    }
    if (exp->kind != FIACRE_EXP_INDEX && exp->kind != FIACRE_EXP_FIELD) {
        complain(l->f, exp, DIAG_ACCESS, exp->place, "this cannot be assigned to");
        return false;
    }
    if (!lower_place(l, exp->a, writing, type, at)) return false;
    if (exp->kind == FIACRE_EXP_INDEX) {
        if (!lower_index(l, exp, *type, at)) return false;
        *type = (*type)->of;
        return true;
    }
    const struct type_member *field = find_field(l, exp, *type);
    if (!field) return false;
    *at = emit_behind(at, field->offset);
    *type = field->type;
    return true;
}

const struct type *lower_place_type(struct lowering *l, struct fiacre_exp *exp)
{
    if (exp->kind == FIACRE_EXP_NAME) {
        const struct binding *binding = env_find(l->f, l->env, exp->name);
        return binding && binding->kind == BIND_CELLS ? binding->type : NULL;
    }
    if (exp->kind != FIACRE_EXP_INDEX && exp->kind != FIACRE_EXP_FIELD) return NULL;
    const struct type *outer = lower_place_type(l, exp->a);
    if (!outer) return NULL;
    if (exp->kind == FIACRE_EXP_INDEX) return outer->kind == TYPE_ARRAY ? outer->of : NULL;
    for (uint32_t i = 0; outer->kind == TYPE_RECORD && i < outer->member_count; i++)
        if (outer->members[i].name == exp->name) return outer->members[i].type;
    return NULL;
}

/* a[i] or a.f where a is any expression. */
static bool lower_part(struct lowering *l, struct fiacre_exp *exp, struct value *value)
{
    struct value whole;
    if (!lower_exp(l, exp->a, NULL, &whole)) return false;
    struct cell at = whole.at;
    const struct type *type;
    if (exp->kind == FIACRE_EXP_INDEX) {
        if (!lower_index(l, exp, whole.type, &at)) return false;
        type = whole.type->of;
    } else {
        const struct type_member *field = find_field(l, exp, whole.type);
        if (!field) return false;
        at = emit_behind(&at, field->offset);
        type = field->type;
    }
    *value = value_cells(l->f->model, type, &at);
    return true;
}

/* ---- literals ---- */

static bool lower_array(struct lowering *l, struct fiacre_exp *exp, const struct type *expected,
                        struct value *value)
{
    if (!may_emit(l, exp, "an array")) return false;
    if (expected && expected->kind != TYPE_ARRAY) expected = NULL;
    struct value element;
    const struct type *of = expected ? expected->of : NULL;
    struct type *type = (struct type *)expected;
    if (!type) {
        struct code_sequence *out = l->code.out, nowhere = code_sequence_empty();
        l->code.out = &nowhere; /* only its type is wanted */
        bool good = lower_exp(l, exp->args, NULL, &element);
        l->code.out = out;
        if (!good) return false;
        of = element.type == l->f->number_type ? l->f->int_type : element.type;
        type = arena_alloc(&l->f->model->arena, sizeof *type);
        *type = (struct type){.kind = TYPE_ARRAY,
                              .of = (struct type *)of,
                              .count = exp->count,
                              .cells = exp->count * of->cells,
                              .depth = of->depth + 1};
    }
    if (type->count != exp->count) {
        complain(l->f, exp, DIAG_TYPE, exp->place, "%u element%s for an array of %u", exp->count,
                 plural(exp->count), type->count);
        return false;
    }
    struct cell made = emit_local(l->f->model, type, "temporary");
    uint32_t n = 0;
    for (struct fiacre_exp *arg = exp->args; arg; arg = arg->next, n++) {
        struct cell at = emit_behind(&made, n * of->cells);
        if (!lower_exp(l, arg, of, &element) || !lower_store(l, of, &at, &element, arg->place))
            return false;
    }
    *value = value_cells(l->f->model, type, &made);
    return true;
}

static bool lower_queue(struct lowering *l, struct fiacre_exp *exp, const struct type *expected,
                        struct value *value)
{
    if (!may_emit(l, exp, "a queue")) return false;
    if (!expected || expected->kind != TYPE_QUEUE) {
        complain(l->f, exp, DIAG_TYPE, exp->place, "the type of this queue is not known here");
        return false;
    }
    if (exp->count > expected->count) {
        complain(l->f, exp, DIAG_TYPE, exp->place, "%u element%s for a queue of %u", exp->count,
                 plural(exp->count), expected->count);
        return false;
    }
    struct cell made = emit_local(l->f->model, expected, "temporary");
    struct value element;
    uint32_t n = 0;
    for (struct fiacre_exp *arg = exp->args; arg; arg = arg->next, n++) {
        struct cell at = emit_behind(&made, 1 + n * expected->of->cells);
        if (!lower_exp(l, arg, expected->of, &element)
            || !lower_store(l, expected->of, &at, &element, arg->place))
            return false;
    }
    for (; n < expected->count; n++) {
        struct cell at = emit_behind(&made, 1 + n * expected->of->cells);
        emit_initial(&l->code, expected->of, &at, exp->place);
    }
    emit_set(&l->code, &made, expr_int(exprs_of(l), exp->count), exp->place);
    *value = value_cells(l->f->model, expected, &made);
    return true;
}

static bool lower_record(struct lowering *l, struct fiacre_exp *exp, const struct type *expected,
                         struct value *value)
{
    if (!may_emit(l, exp, "a record")) return false;
    if (!expected || expected->kind != TYPE_RECORD) {
        complain(l->f, exp, DIAG_TYPE, exp->place, "the type of this record is not known here");
        return false;
    }
    if (exp->count != expected->member_count) {
        complain(l->f, exp, DIAG_TYPE, exp->place, "%u field%s for a record of %u", exp->count,
                 plural(exp->count), expected->member_count);
        return false;
    }
    struct cell made = emit_local(l->f->model, expected, "temporary");
    struct map seen;
    bool good = true;
    map_init(&seen, l->f->model->mem);
    for (struct fiacre_exp *arg = exp->args; good && arg; arg = arg->next) {
        const struct type_member *field = find_field(l, arg, expected);
        struct value element;
        if (field && !map_add(&seen, arg->name, 0, 0)) {
            complain(l->f, arg, DIAG_DUPLICATE, arg->place, "the field '%.60s' is set twice",
                     arg->name);
            field = NULL;
        }
        struct cell at = emit_behind(&made, field ? field->offset : 0);
        good = field && lower_exp(l, arg->a, field->type, &element)
               && lower_store(l, field->type, &at, &element, arg->a->place);
    }
    mem_free(l->f->model->mem, seen.entries);
    *value = value_cells(l->f->model, expected, &made);
    return good;
}

/* ---- operators ---- */

static bool is_number(struct lowering *l, struct fiacre_exp *exp, const struct value *value)
{
    if (value->type->kind == TYPE_INT) return true;
    if (!exp->reported) complain_types(l, exp->place, l->f->number_type, value->type);
    exp->reported = true;
    return false;
}

static bool is_bool(struct lowering *l, struct fiacre_exp *exp, const struct value *value)
{
    if (value->type->kind == TYPE_BOOL) return true;
    if (!exp->reported) complain_types(l, exp->place, l->f->bool_type, value->type);
    exp->reported = true;
    return false;
}

bool lower_condition(struct lowering *l, struct fiacre_exp *exp, expr *cond)
{
    struct value value;
    if (!lower_exp(l, exp, l->f->bool_type, &value) || !is_bool(l, exp, &value)) return false;
    *cond = value.e;
    return true;
}

/* Lowers with the code put aside. */
static bool lower_aside(struct lowering *l, struct fiacre_exp *exp, const struct type *expected,
                        struct value *value, struct code_sequence *code)
{
    *code = code_sequence_empty();
    struct emit_block before = emit_open(&l->code, code);
    bool good = lower_exp(l, exp, expected, value);
    emit_close(&l->code, &before);
    return good;
}

/* Whether a function is run with expressions for values (inline.c): its types were looked at
 * before, and what is not evaluated must not be lowered, because a function that calls itself would
 * not end. */
static bool runs_function(const struct lowering *l) { return l->inlined && !l->code.out; }

static bool lower_logic(struct lowering *l, struct fiacre_exp *exp, struct value *value)
{
    struct exprs *exprs = exprs_of(l);
    struct code_sequence code;
    expr a;
    struct value b;
    bool is_and = exp->op == FIACRE_AND;
    if (!lower_condition(l, exp->a, &a)) return false;
    if (runs_function(l) && expr_is_true(exprs, a) == !is_and && expr_is_false(exprs, a) == is_and)
        return *value = value_scalar(l->f->bool_type, a), true;
    if (!lower_aside(l, exp->b, l->f->bool_type, &b, &code) || !is_bool(l, exp->b, &b))
        return false;
    *value = value_logic(&l->code, is_and, value_scalar(l->f->bool_type, a), &b, code, exp->place);
    return true;
}

static bool lower_conditional(struct lowering *l, struct fiacre_exp *exp,
                              const struct type *expected, struct value *value)
{
    struct exprs *exprs = exprs_of(l);
    struct code_sequence yes_code, no_code;
    struct value yes, no;
    expr cond;
    if (!lower_condition(l, exp->a, &cond)) return false;
    if (runs_function(l) && (expr_is_true(exprs, cond) || expr_is_false(exprs, cond)))
        return lower_exp(l, expr_is_true(exprs, cond) ? exp->b : exp->c, expected, value);
    if (!lower_aside(l, exp->b, expected, &yes, &yes_code)) return false;
    if (!lower_aside(l, exp->c, expected ? expected : yes.type, &no, &no_code)) return false;
    if (!type_matches(yes.type, no.type))
        return complain_types(l, exp->c->place, yes.type, no.type), false;
    bool scalar = type_is_scalar(yes.type);
    if (scalar && code_is_none(yes_code.first) && code_is_none(no_code.first)) {
        const struct type *type = yes.type->kind == TYPE_INT ? l->f->number_type : yes.type;
        return *value = value_scalar(type, expr_choose(exprs, cond, yes.e, no.e)), true;
    }
    if (!may_emit(l, exp, "a choice between such values")) return false;
    const struct type *type = expected && type_matches(expected, yes.type) ? expected : yes.type;
    *value =
        value_conditional(&l->code, type, cond, (struct value_branch){yes, yes_code, exp->b->place},
                          (struct value_branch){no, no_code, exp->c->place}, exp->place);
    return true;
}

bool lower_equal(struct lowering *l, const struct value *a, const struct value *b,
                 struct place place, expr *result)
{
    if (!type_matches(a->type, b->type)) return complain_types(l, place, a->type, b->type), false;
    if (!type_is_scalar(a->type) && a->type->cells > VALUE_MAX_COMPARED) {
        diag_error(l->f->diag, DIAG_LIMIT, place, "values of %u cells are too large to compare",
                   a->type->cells);
        return false;
    }
    *result = value_equal(l->f->model, a, b);
    return true;
}

static bool lower_comparison(struct lowering *l, struct fiacre_exp *exp, struct value *value)
{
    static const uint8_t order[] = {
        [FIACRE_LT] = EXPR_LT, [FIACRE_LE] = EXPR_LE, [FIACRE_GT] = EXPR_GT, [FIACRE_GE] = EXPR_GE};
    struct exprs *exprs = exprs_of(l);
    struct value a, b;
    expr result;
    const struct type *hint = exp->a->kind == FIACRE_EXP_QUEUE || exp->a->kind == FIACRE_EXP_RECORD
                                  ? lower_place_type(l, exp->b)
                                  : NULL;
    if (!hint && exp->a->kind == FIACRE_EXP_NAME) hint = lower_place_type(l, exp->b);
    if (!lower_exp(l, exp->a, hint, &a) || !lower_exp(l, exp->b, a.type, &b)) return false;
    if (exp->op == FIACRE_EQ || exp->op == FIACRE_NE) {
        if (!lower_equal(l, &a, &b, exp->op_place, &result)) return false;
        if (exp->op == FIACRE_NE) result = expr_make(exprs, EXPR_NOT, 0, result, result);
    } else {
        if (!is_number(l, exp->a, &a) || !is_number(l, exp->b, &b)) return false;
        result = expr_make(exprs, order[exp->op], 0, a.e, b.e);
    }
    *value = value_scalar(l->f->bool_type, result);
    return true;
}

static bool lower_arithmetic(struct lowering *l, struct fiacre_exp *exp, struct value *value)
{
    static const uint8_t ops[] = {[FIACRE_ADD] = EXPR_ADD,
                                  [FIACRE_SUB] = EXPR_SUB,
                                  [FIACRE_MUL] = EXPR_MUL,
                                  [FIACRE_DIV] = EXPR_DIV,
                                  [FIACRE_MOD] = EXPR_MOD};
    struct value a, b;
    if (!lower_exp(l, exp->a, NULL, &a) || !lower_exp(l, exp->b, NULL, &b)) return false;
    if (!is_number(l, exp->a, &a) || !is_number(l, exp->b, &b)) return false;
    *value = value_scalar(l->f->number_type, expr_make(exprs_of(l), ops[exp->op], 0, a.e, b.e));
    return true;
}

/* ---- queues ---- */

static bool is_queue(struct lowering *l, struct fiacre_exp *exp, const struct value *value)
{
    if (value->type->kind == TYPE_QUEUE) return true;
    complain(l->f, exp, DIAG_TYPE, exp->place, "this is not a queue");
    return false;
}

static bool lower_first(struct lowering *l, struct fiacre_exp *exp, const struct value *queue,
                        struct value *value)
{
    if (!type_is_scalar(queue->type->of) && !may_emit(l, exp, "'first' of a queue of such values"))
        return false;
    *value = value_first(&l->code, queue, exp->place);
    return true;
}

/* An element that the queue can take. */
static bool is_element(struct lowering *l, const struct fiacre_exp *exp, const struct type *queue,
                       const struct value *element)
{
    if (type_matches(queue->of, element->type)) return true;
    complain_types(l, exp->place, queue->of, element->type);
    return false;
}

static bool lower_changed_queue(struct lowering *l, struct fiacre_exp *exp,
                                const struct type *expected, struct value *value)
{
    struct value queue, element;
    bool removes = exp->kind == FIACRE_EXP_UNARY;
    if (!may_emit(l, exp, "a queue that changes") || !lower_exp(l, exp->a, expected, &queue)
        || !is_queue(l, exp->a, &queue))
        return false;
    if (!removes && !lower_exp(l, exp->b, queue.type->of, &element)) return false;
    struct value changed = value_keep(&l->code, queue, exp->place);
    if (removes) value_remove(&l->code, queue.type, &changed.at, exp->place);
    else {
        if (!is_element(l, exp, queue.type, &element)) return false;
        value_add(&l->code, queue.type, &changed.at, &element, exp->op == FIACRE_APPEND,
                  exp->place);
    }
    *value = changed;
    return true;
}

static bool same_place(const struct cell *a, const struct cell *b)
{
    return a->local == b->local && a->base == b->base && expr_same(a->offset, b->offset);
}

bool lower_in_place(struct lowering *l, struct fiacre_exp *target, struct fiacre_exp *exp,
                    bool *done)
{
    bool removes = exp->kind == FIACRE_EXP_UNARY && exp->op == FIACRE_DEQUEUE;
    bool adds =
        exp->kind == FIACRE_EXP_BINARY && (exp->op == FIACRE_ENQUEUE || exp->op == FIACRE_APPEND);
    *done = false;
    if ((!removes && !adds) || !lower_place_type(l, target)
        || lower_place_type(l, exp->a) != lower_place_type(l, target))
        return true;
    struct code_sequence *out = l->code.out, aside = code_sequence_empty();
    const struct type *type, *other;
    struct cell at, from;
    l->code.out = &aside;
    bool good =
        lower_place(l, target, true, &type, &at) && lower_place(l, exp->a, false, &other, &from);
    l->code.out = out;
    if (!good) return false;
    if (type->kind != TYPE_QUEUE || !same_place(&at, &from) || !code_is_none(aside.first))
        return true;
    struct value element;
    *done = true;
    if (removes) return value_remove(&l->code, type, &at, exp->place), true;
    if (!lower_exp(l, exp->b, type->of, &element)) return false;
    /* the element may be part of the queue itself */
    if (!type_is_scalar(type->of) || exp->op == FIACRE_APPEND)
        element = value_keep(&l->code, element, exp->place);
    if (!is_element(l, exp, type, &element)) return false;
    value_add(&l->code, type, &at, &element, exp->op == FIACRE_APPEND, exp->place);
    return true;
}

static bool lower_unary(struct lowering *l, struct fiacre_exp *exp, const struct type *expected,
                        struct value *value)
{
    struct exprs *exprs = exprs_of(l);
    struct value a;
    if (exp->op == FIACRE_DEQUEUE) return lower_changed_queue(l, exp, expected, value);
    if (!lower_exp(l, exp->a, exp->op == FIACRE_COERCE ? expected : NULL, &a)) return false;
    switch ((enum fiacre_op)exp->op) {
    case FIACRE_NOT:
        if (!is_bool(l, exp->a, &a)) return false;
        *value = value_scalar(l->f->bool_type, expr_make(exprs, EXPR_NOT, 0, a.e, a.e));
        return true;
    case FIACRE_NEGATE:
        if (!is_number(l, exp->a, &a)) return false;
        *value =
            value_scalar(l->f->number_type, expr_make(exprs, EXPR_SUB, 0, expr_int(exprs, 0), a.e));
        return true;
    case FIACRE_PLUS:
    case FIACRE_COERCE:
        if (!is_number(l, exp->a, &a)) return false;
        *value = a;
        return true;
    default: break;
    }
    if (!is_queue(l, exp->a, &a)) return false;
    expr length = value_length(l->f->model, &a);
    if (exp->op == FIACRE_FIRST) return lower_first(l, exp, &a, value);
    if (exp->op == FIACRE_LENGTH) *value = value_scalar(l->f->number_type, length);
    else
        *value =
            value_scalar(l->f->bool_type,
                         expr_make(exprs, EXPR_EQ, 0, length,
                                   expr_int(exprs, exp->op == FIACRE_EMPTY ? 0 : a.type->count)));
    return true;
}

/* ---- calls ---- */

/* `return e` with the arguments in the place of the parameters: exact when no argument can fail. */
static bool lower_formula_call(struct lowering *l, struct function *function,
                               const struct value *args, bool *done, struct value *value)
{
    *done = false;
    if (!function->is_formula || l->inlined >= MAX_INLINED) return true;
    for (uint32_t i = 0; i < function->routine.parameters.len; i++) {
        const struct type *type = function->env.list.data[i].type;
        if (!type_is_scalar(type)) return true;
        struct type_range range = type_cell(type, 0);
        const struct expr_node *node = expr_get(exprs_of(l), args[i].e);
        if (node->may_fail || node->low < range.low || node->high > range.high) return true;
    }
    struct type_range range = type_cell(function->routine.result, 0);
    struct env env = {0};
    for (uint32_t i = 0; i < function->routine.parameters.len; i++) {
        struct binding bound = {.name = function->env.list.data[i].name,
                                .kind = BIND_VALUE,
                                .type = function->env.list.data[i].type,
                                .value = args[i]};
        vec_push(l->f->model->mem, &env.list, bound);
    }
    struct fiacre_exp *body = function->decl->function->body->exp;
    struct env *outer = l->env;
    l->env = &env;
    l->inlined++;
    bool good = lower_exp(l, body, function->routine.result, value);
    l->inlined--;
    l->env = outer;
    vec_free(l->f->model->mem, &env.list);
    *done = true;
    if (!good) return false;
    if (!type_matches(function->routine.result, value->type))
        return complain_types(l, body->place, function->routine.result, value->type), false;
    if (function->routine.result->kind == TYPE_INT)
        value->e = expr_within(exprs_of(l), value->e, range.low, range.high, FAILURE_RANGE);
    value->type = function->routine.result;
    return true;
}

/* Functions that call themselves go deeper; how much they do is bounded in any case. */
static bool may_inline(const struct lowering *l, const struct function *function)
{
    return l->inlined < (function->routine.is_recursive ? MAX_INLINED_RECURSION : MAX_INLINED);
}

static bool lower_arguments(struct lowering *l, struct fiacre_exp *exp,
                            const struct function *function, struct value *args)
{
    uint32_t n = 0;
    if (exp->count != function->routine.parameters.len) {
        complain(l->f, exp, DIAG_ARGUMENTS, exp->place,
                 "'%.60s' has %u parameter%s, and %u argument%s given", exp->name,
                 function->routine.parameters.len, plural(function->routine.parameters.len),
                 exp->count, exp->count == 1 ? " is" : "s are");
        return false;
    }
    for (struct fiacre_exp *arg = exp->args; arg; arg = arg->next, n++) {
        const struct type *type = function->env.list.data[n].type;
        if (!lower_exp(l, arg, type, &args[n])) return false;
        if (!type_matches(type, args[n].type))
            return complain_types(l, arg->place, type, args[n].type), false;
    }
    return true;
}

static void call(struct lowering *l, struct fiacre_exp *exp, const struct function *function,
                 const struct value *args, struct value *value)
{
    struct mem *mem = l->f->model->mem;
    struct place *places = mem_alloc(mem, (exp->count + UINT64_C(1)) * sizeof *places);
    uint32_t n = 0;
    for (struct fiacre_exp *arg = exp->args; arg; arg = arg->next) places[n++] = arg->place;
    assert(n == function->routine.parameters.len);
    *value = routine_call(&l->code, &function->routine, args, places, exp->place);
    if (function->routine.depth >= l->depth) l->depth = function->routine.depth;
    mem_free(mem, places);
}

static bool lower_call(struct lowering *l, struct fiacre_exp *exp, struct function *declared,
                       struct value *value)
{
    struct fiacre *f = l->f;
    if (declared->decl->kind == FIACRE_DECL_EXTERN) {
        complain(f, exp, DIAG_UNSUPPORTED, exp->place,
                 "'%.60s' is an external function, which is not supported", exp->name);
        return false;
    }
    struct function *function = function_callee(f, declared);
    if (function && !function_prepare(l->f, function)) return false;
    const struct function *known = function ? function : declared;
    struct value *args = mem_alloc(f->model->mem, (exp->count + UINT64_C(1)) * sizeof *args);
    bool done = false, good = lower_arguments(l, exp, known, args);
    if (good && function) good = lower_formula_call(l, function, args, &done, value);
    if (good && function && !done && !l->code.out && may_inline(l, function))
        done = function_inline(l, function, args, value);
    if (good && !done && may_emit(l, exp, "a call of a function with statements")) {
        if (function) call(l, exp, function, args, value);
        else *value = routine_emit_too_deep(&l->code, known->routine.result, exp->place);
    } else good &= done;
    mem_free(f->model->mem, args);
    return good;
}

static bool lower_application(struct lowering *l, struct fiacre_exp *exp,
                              const struct type *expected, struct value *value)
{
    uint32_t function = map_get(&l->f->names, exp->name, SCOPE_FUNCTION);
    if (function != MAP_NONE) return lower_call(l, exp, &l->f->functions.data[function], value);
    const struct constructor *constructor = constructor_find(l->f, exp->name, expected);
    if (constructor) return lower_constructor(l, exp, constructor, value);
    complain_name(l, exp);
    return false;
}

bool lower_exp(struct lowering *l, struct fiacre_exp *exp, const struct type *expected,
               struct value *value)
{
    bool done = false;
    *value = (struct value){0};
    if (l->special && (!l->special(l, exp, value, &done) || done)) return done && value->type;
    switch ((enum fiacre_exp_kind)exp->kind) {
    case FIACRE_EXP_NUMBER:
        return *value =
                   value_scalar(l->f->number_type, expr_int(exprs_of(l), (int64_t)exp->number)),
               true;
    case FIACRE_EXP_BOOL:
        return *value = value_scalar(l->f->bool_type, expr_bool(exprs_of(l), exp->number)), true;
    case FIACRE_EXP_NAME: return lower_name(l, exp, expected, value);
    case FIACRE_EXP_CALL: return lower_application(l, exp, expected, value);
    case FIACRE_EXP_INDEX:
    case FIACRE_EXP_FIELD: return lower_part(l, exp, value);
    case FIACRE_EXP_ARRAY: return lower_array(l, exp, expected, value);
    case FIACRE_EXP_RECORD: return lower_record(l, exp, expected, value);
    case FIACRE_EXP_QUEUE: return lower_queue(l, exp, expected, value);
    case FIACRE_EXP_CONDITIONAL: return lower_conditional(l, exp, expected, value);
    case FIACRE_EXP_UNARY: return lower_unary(l, exp, expected, value);
    case FIACRE_EXP_BINARY:
        if (exp->op == FIACRE_ENQUEUE || exp->op == FIACRE_APPEND)
            return lower_changed_queue(l, exp, expected, value);
        if (exp->op == FIACRE_AND || exp->op == FIACRE_OR) return lower_logic(l, exp, value);
        if (exp->op >= FIACRE_EQ && exp->op <= FIACRE_GE) return lower_comparison(l, exp, value);
        return lower_arithmetic(l, exp, value);
    default: break;
    }
    complain(l->f, exp, DIAG_MISPLACED, exp->place, "this is not possible in an expression here");
    return false;
}

bool lower_constant(struct fiacre *f, struct env *env, struct fiacre_exp *exp, const char *context,
                    int64_t *result)
{
    struct lowering l = {.f = f, .env = env, .code.model = f->model, .context = context};
    struct value value;
    if (!lower_exp(&l, exp, NULL, &value)) return false;
    const struct expr_node *node =
        type_is_scalar(value.type) ? expr_get(&f->model->exprs, value.e) : NULL;
    if (!node || node->op != EXPR_CONST) {
        complain(f, exp, DIAG_CONSTANT, exp->place,
                 node && node->may_fail ? "%s that cannot be computed" : "%s must be a constant",
                 context);
        return false;
    }
    *result = node->value;
    return true;
}
