/* Names and expressions. A scalar becomes an expression of the model; what needs code (calls,
 * assignments, constants that are no scalars) emits it first. Numbers and truth values go into each
 * other as in C: a truth value is an expression of type bool, and becomes 0 or 1 where a number is
 * needed.
 *
 * An operand is read where it stands in the text: when the code of a later one could change what an
 * earlier one reads, the earlier one is kept in a local first. */
#include "lang/uppaal/scope.h"

#include "lang/uppaal/parse.h"
#include "model/eval.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { MANY_NAMES = 64, MAX_DOMAIN = 2000, MAX_UNROLLED = 2000000, MAX_TIME = 1000000000 };

/* ---- names ---- */

/* The slot of a name, or the free one where it belongs. */
static uint32_t slot_of(const struct env *env, const char *name)
{
    uint32_t at = (uint32_t)(((uint64_t)(uintptr_t)name * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
    for (at &= env->size - 1; env->slots[at]; at = (at + 1) & (env->size - 1))
        if (env->list.data[env->slots[at] - 1].name == name) break;
    return at;
}

const struct binding *compute_find_here(const struct env *env, const char *name)
{
    if (env->size) {
        uint32_t found = env->slots[slot_of(env, name)];
        return found ? &env->list.data[found - 1] : NULL;
    }
    for (uint32_t i = env->list.len; i-- > 0;)
        if (env->list.data[i].name == name) return &env->list.data[i];
    return NULL;
}

const struct binding *compute_find(const struct env *env, const char *name)
{
    for (; env; env = env->outer) {
        const struct binding *found = compute_find_here(env, name);
        if (found) return found;
    }
    return NULL;
}

/* The slots are the arena's: scopes with so many names last as long as the model. */
static void grow_slots(struct uppaal *u, struct env *env)
{
    env->size = env->size ? 2 * env->size : 4 * MANY_NAMES;
    env->slots = arena_alloc(&u->model->arena, env->size * sizeof *env->slots);
    for (uint32_t i = 0; i < env->list.len; i++)
        env->slots[slot_of(env, env->list.data[i].name)] = i + 1;
}

struct binding *compute_bind(struct uppaal *u, struct env *env, struct binding binding)
{
    assert(binding.name);
    vec_push(u->model->mem, &env->list, binding);
    if (env->list.len > (env->size ? env->size / 2 : MANY_NAMES)) grow_slots(u, env);
    else if (env->size) env->slots[slot_of(env, binding.name)] = env->list.len;
    return &env->list.data[env->list.len - 1];
}

void compute_complain_name(struct lowering *l, struct uppaal_exp *exp)
{
    const char *nearest = NULL;
    unsigned distance = 0;
    for (const struct env *env = l->env; env; env = env->outer)
        for (uint32_t i = 0; i < env->list.len; i++)
            text_nearest(exp->name, env->list.data[i].name, &nearest, &distance);
    if (exp->reported) return;
    exp->reported = true;
    diag_error_near(l->u->diag, DIAG_UNKNOWN, exp->place, nearest, "there is no '%.60s' here",
                    exp->name);
}

bool compute_may_emit(struct lowering *l, struct uppaal_exp *exp, const char *what)
{
    if (l->code.out) return true;
    complain(l->u, exp, DIAG_MISPLACED, "%s is not possible in %s", what, l->context);
    return false;
}

/* ---- places ---- */

static bool find_name(struct lowering *l, struct uppaal_exp *exp, struct binding *found)
{
    const struct binding *binding = compute_find(l->env, exp->name);
    if (!binding) return compute_complain_name(l, exp), false;
    if (binding->kind == BIND_TYPE || binding->kind == BIND_FUNCTION
        || binding->kind == BIND_UNIT) {
        complain(l->u, exp, DIAG_TYPE, "'%.60s' is %s, not a value", exp->name,
                 binding->kind == BIND_TYPE       ? "a type"
                 : binding->kind == BIND_FUNCTION ? "a function"
                                                  : "a template");
        return false;
    }
    *found = *binding;
    return true;
}

/* A computed value as an operand. */
static bool compute_operand(struct lowering *l, struct uppaal_exp *exp, struct binding *found)
{
    struct value value;
    if (!compute_exp(l, exp, &value)) return false;
    *found = (struct binding){.kind = BIND_VALUE,
                              .type = value.type,
                              .value = value,
                              .at = value.at,
                              .read_only = true,
                              .place = exp->place};
    if (!type_is_scalar(value.type)) found->kind = BIND_CELLS;
    return true;
}

/* What an index outside of the array gives: a failure where it is evaluated. */
static bool outside(struct lowering *l, struct uppaal_exp *exp, bool place, struct binding *found)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    const struct type *of = found->type->of;
    expr failure = expr_fail(exprs, FAILURE_INDEX);
    if (found->kind == BIND_CHANNEL || found->kind == BIND_CLOCK) {
        complain(l->u, exp, DIAG_RANGE, "there is no such element");
        return false;
    }
    if (!place && type_is_scalar(of)) {
        struct value value =
            value_scalar(of, of->kind == TYPE_BOOL ? expr_to_bool(exprs, failure) : failure);
        *found = (struct binding){.kind = BIND_VALUE, .type = of, .value = value};
        return true;
    }
    if (!compute_may_emit(l, exp, "an element outside of the array")) return false;
    emit_check(&l->code, failure, exp->b->place);
    found->type = of;
    return true;
}

static bool find_element(struct lowering *l, struct uppaal_exp *exp, bool place,
                         struct binding *found)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    struct value index;
    if (!compute_place(l, exp->a, place, found)) return false;
    if (!found->type || found->type->kind != TYPE_ARRAY) {
        complain(l->u, exp, DIAG_TYPE, "only arrays have elements");
        return false;
    }
    const struct type *array = found->type;
    struct code_sequence code;
    if (!compute_aside(l, exp->b, &index, &code)) return false;
    if (!type_is_scalar(index.type)) {
        complain(l->u, exp->b, DIAG_TYPE, "an index is a number or a scalar");
        return false;
    }
    if (!code_is_none(code.first) && expr_get(exprs, found->at.offset)->op != EXPR_CONST) {
        /* where the outer array is looked at is known before this index is computed */
        const struct type place_type = {.kind = TYPE_INT, .high = found->at.count - 1, .cells = 1};
        struct cell kept = emit_local(l->u->model, &place_type, "index");
        emit_set(&l->code, &kept, found->at.offset, exp->place);
        found->at.offset = emit_read_nth(l->u->model, &place_type, &kept, 0);
    }
    if (l->code.out) emit_sequence(&l->code, &code);
    expr number =
        expr_make(exprs, EXPR_SUB, 0, expr_to_int(exprs, index.e), expr_int(exprs, array->low));
    const struct expr_node *node = expr_get(exprs, number);
    if (node->op == EXPR_CONST && (node->value < 0 || node->value >= array->count))
        return outside(l, exp, place, found);
    emit_element(l->u->model, array, number, &found->at);
    found->type = array->of;
    return true;
}

static bool find_member(struct lowering *l, struct uppaal_exp *exp, bool place,
                        struct binding *found)
{
    const char *nearest = NULL;
    unsigned distance = 0;
    if (!compute_place(l, exp->a, place, found)) return false;
    if (!found->type || found->type->kind != TYPE_RECORD) {
        complain(l->u, exp, DIAG_TYPE, "only structs have members");
        return false;
    }
    const struct type *record = found->type;
    for (uint32_t i = 0; i < record->member_count; i++) {
        text_nearest(exp->name, record->members[i].name, &nearest, &distance);
        if (record->members[i].name != exp->name) continue;
        found->at = emit_behind(&found->at, record->members[i].offset);
        found->type = record->members[i].type;
        return true;
    }
    if (!exp->reported)
        diag_error_near(l->u->diag, DIAG_UNKNOWN, exp->op_place, nearest,
                        "the struct has no member '%.60s'", exp->name);
    exp->reported = true;
    return false;
}

bool compute_place(struct lowering *l, struct uppaal_exp *exp, bool place, struct binding *found)
{
    bool done = false;
    if (l->member && (!l->member(l, exp, found, &done) || done)) return done;
    if (exp->kind == UPPAAL_EXP_NAME) return find_name(l, exp, found);
    if (exp->kind == UPPAAL_EXP_INDEX) return find_element(l, exp, place, found);
    if (exp->kind == UPPAAL_EXP_FIELD) return find_member(l, exp, place, found);
    return compute_operand(l, exp, found);
}

/* ---- reading ---- */

/* A cell of a constant. */
static expr read_table(struct uppaal *u, const struct binding *found)
{
    struct exprs *exprs = uppaal_exprs(u);
    struct constant *constant = found->constant;
    const struct expr_node *offset = expr_get(exprs, found->at.offset);
    if (offset->op == EXPR_CONST) {
        assert(found->at.base + offset->value < constant->count);
        return expr_int(exprs, constant->cells[found->at.base + offset->value]);
    }
    if (constant->table == MODEL_NONE) {
        int32_t *values = mem_alloc(u->model->mem, constant->count * sizeof *values);
        for (uint32_t i = 0; i < constant->count; i++) values[i] = (int32_t)constant->cells[i];
        constant->table = model_add_table(u->model, values, constant->count);
        mem_free(u->model->mem, values);
    }
    expr index = expr_make(exprs, EXPR_ADD, 0, found->at.offset, expr_int(exprs, found->at.base));
    return model_table_entry(u->model, constant->table, index);
}

/* All cells of a constant, or of a part of one, in locals. */
static bool copy_table(struct lowering *l, struct uppaal_exp *exp, const struct binding *found,
                       struct value *value)
{
    if (!compute_may_emit(l, exp, "a constant that is no number")) return false;
    struct cell made = emit_local(l->u->model, found->type, "constant");
    for (uint32_t i = 0; i < found->type->cells; i++) {
        struct cell to = emit_behind(&made, i);
        struct binding one = *found;
        one.at = emit_behind(&found->at, i);
        struct type_range range = type_cell(found->type, i);
        emit_set(&l->code, &to,
                 expr_within(uppaal_exprs(l->u), read_table(l->u, &one), range.low, range.high,
                             FAILURE_RANGE),
                 exp->place);
    }
    *value = value_cells(l->u->model, found->type, &made);
    return true;
}

bool compute_read(struct lowering *l, struct uppaal_exp *exp, const struct binding *found,
                  struct value *value)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    switch ((enum binding_kind)found->kind) {
    case BIND_VALUE: *value = found->value; return true;
    case BIND_CELLS:
        if (found->type == l->u->clock_type) break;
        *value = value_cells(l->u->model, found->type, &found->at);
        return true;
    case BIND_TABLE:
        if (!type_is_scalar(found->type)) return copy_table(l, exp, found, value);
        expr e = read_table(l->u, found);
        *value =
            value_scalar(found->type, found->type->kind == TYPE_BOOL ? expr_to_bool(exprs, e) : e);
        return true;
    default: break;
    }
    complain(l->u, exp, DIAG_TYPE, "%s has no value that could be used here",
             found->kind == BIND_CHANNEL ? "a channel" : "a clock");
    return false;
}

bool compute_aside(struct lowering *l, struct uppaal_exp *exp, struct value *value,
                   struct code_sequence *code)
{
    *code = code_sequence_empty();
    struct emit_block before = emit_open(&l->code, code);
    bool good = compute_exp(l, exp, value);
    emit_close(&l->code, &before);
    return good;
}

/* ---- numbers and truth values ---- */

static bool is_plain(struct lowering *l, struct uppaal_exp *exp, const struct value *value)
{
    if (value->type && (value->type->kind == TYPE_INT || value->type->kind == TYPE_BOOL))
        return true;
    complain(l->u, exp, DIAG_TYPE, "a number is needed here, and this is %s",
             !value->type                       ? "nothing"
             : value->type->kind == TYPE_UNION  ? "a scalar"
             : value->type->kind == TYPE_RECORD ? "a struct"
                                                : "an array");
    return false;
}

bool compute_condition(struct lowering *l, struct uppaal_exp *exp, expr *cond)
{
    struct value value;
    if (!compute_exp(l, exp, &value) || !is_plain(l, exp, &value)) return false;
    *cond = expr_to_bool(uppaal_exprs(l->u), value.e);
    return true;
}

bool compute_number(struct lowering *l, struct uppaal_exp *exp, expr *number)
{
    struct value value;
    if (!compute_exp(l, exp, &value) || !is_plain(l, exp, &value)) return false;
    *number = expr_to_int(uppaal_exprs(l->u), value.e);
    return true;
}

bool compute_convert(struct lowering *l, struct uppaal_exp *exp, const struct type *type,
                     struct value *value)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    bool plain = type->kind == TYPE_INT || type->kind == TYPE_BOOL;
    if (plain && !is_plain(l, exp, value)) return false;
    if (type->kind == TYPE_BOOL) *value = value_scalar(type, expr_to_bool(exprs, value->e));
    else if (type->kind == TYPE_INT && value->type->kind == TYPE_BOOL)
        *value = value_scalar(type, expr_to_int(exprs, value->e));
    else if (!plain && (!value->type || !type_matches(type, value->type))) {
        complain(l->u, exp, DIAG_TYPE, "this is of another type than where it should go");
        return false;
    }
    return true;
}

/* Both operands, each read where it stands. */
static bool compute_both(struct lowering *l, struct uppaal_exp *exp, struct value *a,
                         struct value *b)
{
    struct code_sequence code;
    if (!compute_exp(l, exp->a, a) || !compute_aside(l, exp->b, b, &code)) return false;
    if (code_is_none(code.first)) return true;
    if (a->type) *a = value_keep(&l->code, *a, exp->place);
    emit_sequence(&l->code, &code);
    return true;
}

/* ---- operators ---- */

static struct value truth(struct lowering *l, expr e) { return value_scalar(l->u->bool_type, e); }
static struct value figure(struct lowering *l, expr e)
{
    return value_scalar(l->u->number_type, e);
}

static expr negation(struct exprs *exprs, expr e) { return expr_make(exprs, EXPR_NOT, 0, e, e); }

static bool compute_logic(struct lowering *l, struct uppaal_exp *exp, struct value *value)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    struct code_sequence code;
    struct value b;
    expr a;
    bool is_and = exp->op == UPPAAL_AND;
    if (!compute_condition(l, exp->a, &a)) return false;
    if (exp->op == UPPAAL_IMPLY) a = negation(exprs, a);
    /* what is not evaluated is not lowered: it may be out of range, or endless */
    if (is_and ? expr_is_false(exprs, a) : expr_is_true(exprs, a))
        return *value = truth(l, a), true;
    if (!compute_aside(l, exp->b, &b, &code) || !is_plain(l, exp->b, &b)) return false;
    b = truth(l, expr_to_bool(exprs, b.e));
    *value = value_logic(&l->code, is_and, truth(l, a), &b, code, exp->op_place);
    return true;
}

static bool compute_conditional(struct lowering *l, struct uppaal_exp *exp, struct value *value)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    struct code_sequence yes_code, no_code;
    struct value yes, no;
    expr cond;
    if (!compute_condition(l, exp->a, &cond)) return false;
    if (expr_is_true(exprs, cond) || expr_is_false(exprs, cond))
        return compute_exp(l, expr_is_true(exprs, cond) ? exp->b : exp->c, value);
    if (!compute_aside(l, exp->b, &yes, &yes_code) || !compute_aside(l, exp->c, &no, &no_code))
        return false;
    if (yes.type && yes.type->kind == TYPE_BOOL && no.type && no.type->kind == TYPE_INT)
        yes = figure(l, expr_to_int(exprs, yes.e));
    if (!yes.type || !compute_convert(l, exp->c, yes.type, &no)) {
        complain(l->u, exp, DIAG_TYPE, "nothing to choose from");
        return false;
    }
    if (type_is_scalar(yes.type) && code_is_none(yes_code.first) && code_is_none(no_code.first)) {
        const struct type *type = yes.type->kind == TYPE_INT ? l->u->number_type : yes.type;
        *value = value_scalar(type, expr_choose(exprs, cond, yes.e, no.e));
        return true;
    }
    if (!compute_may_emit(l, exp, "a choice between such values")) return false;
    *value = value_conditional(&l->code, yes.type, cond,
                               (struct value_branch){yes, yes_code, exp->b->place},
                               (struct value_branch){no, no_code, exp->c->place}, exp->op_place);
    return true;
}

static bool compute_equal(struct lowering *l, struct uppaal_exp *exp, struct value *a,
                          struct value *b, struct value *value)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    expr result;
    if (a->type && b->type && a->type->kind == TYPE_BOOL && b->type->kind == TYPE_BOOL)
        result = expr_make(exprs, EXPR_IFF, 0, a->e, b->e);
    else if (a->type && (a->type->kind == TYPE_BOOL || a->type->kind == TYPE_INT)) {
        if (!is_plain(l, exp->b, b)) return false;
        result = expr_make(exprs, EXPR_EQ, 0, expr_to_int(exprs, a->e), expr_to_int(exprs, b->e));
    } else {
        if (!a->type || !b->type || !type_matches(a->type, b->type)
            || (!type_is_scalar(a->type) && a->type->cells > VALUE_MAX_COMPARED)) {
            complain(l->u, exp, DIAG_TYPE, "values of these types cannot be compared");
            return false;
        }
        result = value_equal(l->u->model, a, b);
    }
    *value = truth(l, exp->op == UPPAAL_EQ ? result : negation(exprs, result));
    return true;
}

static bool apply(struct lowering *l, struct uppaal_exp *exp, enum uppaal_op op, expr a, expr b,
                  struct value *value)
{
    static const uint8_t exact[UPPAAL_OPS] = {[UPPAAL_MUL] = EXPR_MUL,
                                              [UPPAAL_DIV] = EXPR_DIV,
                                              [UPPAAL_MOD] = EXPR_MOD,
                                              [UPPAAL_ADD] = EXPR_ADD,
                                              [UPPAAL_SUB] = EXPR_SUB};
    static const uint8_t orders[UPPAAL_OPS] = {
        [UPPAAL_LT] = EXPR_LT, [UPPAAL_LE] = EXPR_LE, [UPPAAL_GT] = EXPR_GT, [UPPAAL_GE] = EXPR_GE};
    struct exprs *exprs = uppaal_exprs(l->u);
    expr result;
    if (exact[op]) result = expr_make(exprs, exact[op], 0, a, b);
    else if (orders[op]) return *value = truth(l, expr_make(exprs, orders[op], 0, a, b)), true;
    else if (op == UPPAAL_MIN || op == UPPAAL_MAX)
        result = expr_choose(exprs, expr_make(exprs, op == UPPAAL_MIN ? EXPR_LE : EXPR_GE, 0, a, b),
                             a, b);
    else if (op == UPPAAL_SHIFT_LEFT || op == UPPAAL_SHIFT_RIGHT)
        result = arith_shift(l->u->model, op == UPPAAL_SHIFT_LEFT, a, b);
    else if (op != UPPAAL_POWER) result = arith_bits(exprs, op, a, b);
    else if (!arith_power(l->u->model, a, b, &result)) {
        complain(l->u, exp, DIAG_UNSUPPORTED, "a power needs a constant exponent, or the base 2");
        return false;
    }
    *value = figure(l, result);
    return true;
}

static bool compute_binary(struct lowering *l, struct uppaal_exp *exp, struct value *value)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    struct value a, b;
    if (exp->op == UPPAAL_AND || exp->op == UPPAAL_OR || exp->op == UPPAAL_IMPLY)
        return compute_logic(l, exp, value);
    if (!compute_both(l, exp, &a, &b)) return false;
    if (exp->op == UPPAAL_EQ || exp->op == UPPAAL_NE) return compute_equal(l, exp, &a, &b, value);
    if (!is_plain(l, exp->a, &a) || !is_plain(l, exp->b, &b)) return false;
    bool bools = a.type->kind == TYPE_BOOL && b.type->kind == TYPE_BOOL;
    if (exp->op == UPPAAL_XOR) {
        expr same =
            expr_make(exprs, EXPR_IFF, 0, expr_to_bool(exprs, a.e), expr_to_bool(exprs, b.e));
        return *value = truth(l, negation(exprs, same)), true;
    }
    if (bools && exp->op == UPPAAL_BIT_AND && !expr_get(exprs, b.e)->may_fail)
        return *value = truth(l, expr_make(exprs, EXPR_AND, 0, a.e, b.e)), true;
    if (bools && exp->op == UPPAAL_BIT_OR && !expr_get(exprs, b.e)->may_fail)
        return *value = truth(l, expr_make(exprs, EXPR_OR, 0, a.e, b.e)), true;
    return apply(l, exp, exp->op, expr_to_int(exprs, a.e), expr_to_int(exprs, b.e), value);
}

/* ---- assignment ---- */

/* A clock is set by code: its setter gets the value, which is not negative. */
static bool set_clock(struct lowering *l, struct uppaal_exp *exp, const struct cell *setters,
                      const struct value *value)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    struct model *model = l->u->model;
    expr time = expr_within(exprs, expr_to_int(exprs, value->e), 0, MAX_TIME, FAILURE_RANGE);
    const struct expr_node *node = expr_get(exprs, time);
    assert(l->code.out && node->low >= 0);
    assert(!setters->local); /* clocks have setters, and functions get those by reference */
    for (uint32_t i = 0; i < setters->count; i++) {
        struct model_var *setter = &model->vars.data[setters->base + i];
        if (setter->high < node->high) setter->high = node->high;
    }
    emit_set(&l->code, setters, time, exp->place);
    return true;
}

bool compute_store(struct lowering *l, struct uppaal_exp *exp, const struct type *type,
                   const struct cell *at, struct value value)
{
    if (!compute_convert(l, exp, type, &value)) return false;
    if (l->step && type_is_scalar(type) && steps_store(l, type, at, &value, exp->place))
        return true;
    value_store(&l->code, type, at, &value, exp->place);
    return true;
}

static bool assign(struct lowering *l, struct uppaal_exp *exp, struct uppaal_exp *target,
                   const struct binding *to, struct value value)
{
    if (to->kind == BIND_CLOCK || (to->kind == BIND_CELLS && to->type == l->u->clock_type)) {
        if (to->type != l->u->clock_type || !is_plain(l, exp, &value)) {
            complain(l->u, target, DIAG_TYPE, "clocks are set one by one, to numbers");
            return false;
        }
        struct cell at = to->kind == BIND_CLOCK ? clocked_setter(l, &to->at) : to->at;
        return set_clock(l, exp, &at, &value);
    }
    if (to->kind != BIND_CELLS || to->read_only) {
        complain(l->u, target, DIAG_ACCESS, "this cannot be assigned to: it is %s",
                 to->kind == BIND_CHANNEL ? "a channel" : "a constant");
        return false;
    }
    return compute_store(l, exp, to->type, &to->at, value);
}

/* Where the value goes, found after it was computed. */
static bool find_target(struct lowering *l, struct uppaal_exp *exp, struct binding *to,
                        struct value *value)
{
    struct code_sequence code = code_sequence_empty();
    struct emit_block before = emit_open(&l->code, &code);
    bool good = compute_place(l, exp, true, to);
    emit_close(&l->code, &before);
    if (!good) return false;
    if (code_is_none(code.first)) return true;
    if (value->type) *value = value_keep(&l->code, *value, exp->place);
    emit_sequence(&l->code, &code);
    return true;
}

static bool refuse_clock_value(struct lowering *l, struct uppaal_exp *exp)
{
    if (!clocked_mentions(l, exp)) return true;
    complain(l->u, exp, DIAG_UNSUPPORTED,
             "a clock is set to a number, not to the value of another clock");
    return false;
}

static bool compute_assignment(struct lowering *l, struct uppaal_exp *exp, struct value *value)
{
    struct binding to;
    struct value right;
    if (!compute_may_emit(l, exp, "an assignment")) return false;
    if (!refuse_clock_value(l, exp->b) || !compute_exp(l, exp->b, &right)) return false;
    if (!right.type) {
        complain(l->u, exp->b, DIAG_TYPE, "this function has no result");
        return false;
    }
    if (!find_target(l, exp->a, &to, &right)) return false;
    if (!exp->is_plain) {
        struct value old;
        struct exprs *exprs = uppaal_exprs(l->u);
        if (!compute_read(l, exp->a, &to, &old) || !is_plain(l, exp->a, &old)
            || !is_plain(l, exp->b, &right)
            || !apply(l, exp, exp->op, expr_to_int(exprs, old.e), expr_to_int(exprs, right.e),
                      &right))
            return false;
    }
    if (!assign(l, exp->b, exp->a, &to, right)) return false;
    *value = right;
    return to.kind != BIND_CELLS || to.type == l->u->clock_type
           || compute_read(l, exp->a, &to, value);
}

static bool compute_increase(struct lowering *l, struct uppaal_exp *exp, struct value *value)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    bool post = exp->op == UPPAAL_POST_INCREASE || exp->op == UPPAAL_POST_DECREASE;
    bool up = exp->op == UPPAAL_POST_INCREASE || exp->op == UPPAAL_PRE_INCREASE;
    struct binding to;
    struct value old;
    if (!compute_may_emit(l, exp, "an assignment")) return false;
    if (!compute_place(l, exp->a, true, &to) || !compute_read(l, exp->a, &to, &old)
        || !is_plain(l, exp->a, &old))
        return false;
    bool kept = post && !l->is_statement;
    if (kept) old = value_keep(&l->code, old, exp->place);
    expr changed = expr_make(exprs, up ? EXPR_ADD : EXPR_SUB, 0, expr_to_int(exprs, old.e),
                             expr_int(exprs, 1));
    if (!assign(l, exp, exp->a, &to, figure(l, changed))) return false;
    if (kept) return *value = old, true;
    return compute_read(l, exp->a, &to, value);
}

static bool compute_unary(struct lowering *l, struct uppaal_exp *exp, struct value *value)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    expr a;
    switch ((enum uppaal_op)exp->op) {
    case UPPAAL_NOT:
        if (!compute_condition(l, exp->a, &a)) return false;
        *value = truth(l, negation(exprs, a));
        return true;
    case UPPAAL_NEGATE:
    case UPPAAL_PLUS:
        if (!compute_number(l, exp->a, &a)) return false;
        if (exp->op == UPPAAL_NEGATE) a = expr_make(exprs, EXPR_SUB, 0, expr_int(exprs, 0), a);
        *value = figure(l, a);
        return true;
    default: return compute_increase(l, exp, value);
    }
}

/* ---- quantifiers ---- */

static bool add_round(struct lowering *l, struct uppaal_exp *exp, struct value *sum)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    struct code_sequence code;
    struct value one;
    if (exp->op != UPPAAL_SUM
        && (exp->op == UPPAAL_FORALL ? expr_is_false(exprs, sum->e) : expr_is_true(exprs, sum->e)))
        return true;
    if (!compute_aside(l, exp->a, &one, &code) || !is_plain(l, exp->a, &one)) return false;
    if (exp->op != UPPAAL_SUM) {
        one = truth(l, expr_to_bool(exprs, one.e));
        *sum = value_logic(&l->code, exp->op == UPPAAL_FORALL, *sum, &one, code, exp->place);
        return true;
    }
    if (!code_is_none(code.first)) {
        *sum = value_keep(&l->code, *sum, exp->place);
        emit_sequence(&l->code, &code);
    }
    *sum = figure(l, expr_make(exprs, EXPR_ADD, 0, sum->e, expr_to_int(exprs, one.e)));
    return true;
}

static bool compute_quantified(struct lowering *l, struct uppaal_exp *exp, struct value *value)
{
    struct uppaal *u = l->u;
    const struct type *type = resolve_domain(u, l->env, exp->type, MAX_DOMAIN, exp->op_place);
    if (!type) return false;
    struct type_range range = type_cell(type, 0);
    struct env env = {.outer = l->env};
    bool good = true;
    compute_bind(u, &env, (struct binding){.name = exp->name, .kind = BIND_VALUE, .type = type});
    *value = exp->op == UPPAAL_SUM ? figure(l, expr_int(uppaal_exprs(u), 0))
                                   : truth(l, expr_bool(uppaal_exprs(u), exp->op == UPPAAL_FORALL));
    l->env = &env;
    for (int64_t n = range.low; good && n <= range.high; n++) {
        env.list.data[0].value = resolve_nth(u, type, n);
        if (++u->unrolled > MAX_UNROLLED) {
            complain(u, exp, DIAG_LIMIT, "quantifiers of the model have more than %d cases",
                     MAX_UNROLLED);
            good = false;
        } else good = add_round(l, exp, value);
        mem_look(u->model->mem);
    }
    l->env = env.outer;
    vec_free(u->model->mem, &env.list);
    return good;
}

/* ---- the whole ---- */

static bool call_name(struct lowering *l, struct uppaal_exp *exp, struct value *value)
{
    const struct binding *found =
        exp->a->kind == UPPAAL_EXP_NAME ? compute_find(l->env, exp->a->name) : NULL;
    if (!found && exp->a->kind == UPPAAL_EXP_NAME) return compute_complain_name(l, exp->a), false;
    if (!found || found->kind != BIND_FUNCTION) {
        complain(l->u, exp, DIAG_TYPE, "only functions can be called");
        return false;
    }
    return perform_call(l, exp, found->function, value);
}

static bool dispatch(struct lowering *l, struct uppaal_exp *exp, struct value *value)
{
    struct exprs *exprs = uppaal_exprs(l->u);
    struct binding found;
    bool done = false;
    switch ((enum uppaal_exp_kind)exp->kind) {
    case UPPAAL_EXP_NUMBER: return *value = figure(l, expr_int(exprs, (int64_t)exp->number)), true;
    case UPPAAL_EXP_BOOL: return *value = truth(l, expr_bool(exprs, exp->number)), true;
    case UPPAAL_EXP_RATE: return *value = truth(l, expr_bool(exprs, true)), true;
    case UPPAAL_EXP_NAME:
    case UPPAAL_EXP_INDEX:
    case UPPAAL_EXP_FIELD:
        return compute_place(l, exp, false, &found) && compute_read(l, exp, &found, value);
    case UPPAAL_EXP_CALL:
        if (l->member && !l->member(l, exp, &found, &done)) return false;
        return done ? compute_read(l, exp, &found, value) : call_name(l, exp, value);
    case UPPAAL_EXP_UNARY: return compute_unary(l, exp, value);
    case UPPAAL_EXP_BINARY: return compute_binary(l, exp, value);
    case UPPAAL_EXP_ASSIGN: return compute_assignment(l, exp, value);
    case UPPAAL_EXP_CONDITIONAL: return compute_conditional(l, exp, value);
    case UPPAAL_EXP_QUANTIFIED: return compute_quantified(l, exp, value);
    case UPPAAL_EXP_DEADLOCK:
    case UPPAAL_EXP_LIST:
    case UPPAAL_EXP_SETTING: break;
    }
    complain(l->u, exp, DIAG_MISPLACED, "this is not possible here");
    return false;
}

bool compute_exp(struct lowering *l, struct uppaal_exp *exp, struct value *value)
{
    bool is_statement = l->is_statement;
    *value = (struct value){0};
    l->is_statement = is_statement && exp->kind == UPPAAL_EXP_UNARY;
    bool good = dispatch(l, exp, value);
    l->is_statement = is_statement;
    return good;
}

bool compute_list(struct lowering *l, struct uppaal_exp *list)
{
    struct value value;
    bool good = true;
    for (; good && list; list = list->next) {
        l->is_statement = true;
        good = compute_exp(l, list, &value);
        l->is_statement = false;
        /* an expression that is only looked at may fail all the same */
        if (good && value.type && type_is_scalar(value.type) && list->kind != UPPAAL_EXP_ASSIGN
            && l->code.out)
            emit_check(&l->code, value.e, list->place);
    }
    return good;
}

/* Runs the code that a constant needs: it reads no variables. */
static bool run_constant(struct uppaal *u, struct uppaal_exp *exp, const char *what,
                         struct code_sequence code, expr e, int64_t *value)
{
    struct model *model = u->model;
    struct eval_failure failure = {0};
    model->local_values =
        mem_resize(model->mem, model->local_values,
                   (model->locals.len + UINT64_C(1)) * sizeof *model->local_values);
    int64_t *state = mem_alloc(model->mem, (model->vars.len + UINT64_C(1)) * sizeof *state);
    bool good = eval_code(model, code.first, state, &failure) == EVAL_ENABLED
                && eval_expr(model, e, state, value);
    mem_free(model->mem, state);
    if (!good) complain(u, exp, DIAG_CONSTANT, "%s that cannot be computed", what);
    return good;
}

static void note_variable(void *context, uint32_t var)
{
    (void)var;
    *(bool *)context = true;
}

bool compute_constant(struct uppaal *u, struct env *env, struct uppaal_exp *exp, const char *what,
                      int64_t *value)
{
    struct code_sequence code = code_sequence_empty();
    struct lowering l = {
        .u = u, .env = env, .code = {.model = u->model, .out = &code}, .context = what};
    expr e;
    bool varies = false;
    if (!compute_number(&l, exp, &e)) return false;
    const struct expr_node *node = expr_get(uppaal_exprs(u), e);
    if (node->op == EXPR_CONST) return *value = node->value, true;
    expr_each_var(uppaal_exprs(u), e, note_variable, &varies);
    if (!varies) varies = declare_code_reads(u, code.first);
    if (!varies) return run_constant(u, exp, what, code, e, value);
    complain(u, exp, DIAG_CONSTANT, "%s must be a constant", what);
    return false;
}
