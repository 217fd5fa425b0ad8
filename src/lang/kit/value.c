#include "lang/kit/value.h"

#include <assert.h>

struct value value_scalar(const struct type *type, expr e)
{
    return (struct value){.type = type, .e = e};
}

struct value value_cells(struct model *model, const struct type *type, const struct cell *at)
{
    struct value value = {.type = type, .at = *at};
    if (!type_is_scalar(type)) return value;
    value.e = emit_read(model, at, type_cell(type, 0));
    if (type->kind == TYPE_BOOL) value.e = expr_to_bool(&model->exprs, value.e);
    return value;
}

struct value value_initial(struct model *model, const struct type *type)
{
    assert(type_is_scalar(type));
    int64_t initial = type_cell(type, 0).initial;
    return value_scalar(type, type->kind == TYPE_BOOL ? expr_bool(&model->exprs, initial)
                                                      : expr_int(&model->exprs, initial));
}

/* Cell by cell, with a check where a range is narrower. */
static void store_checked(struct emit *emit, const struct type *type, const struct cell *at,
                          const struct value *value, struct place place)
{
    for (uint32_t i = 0; i < type->cells; i++) {
        struct type_range range = type_cell(type, i);
        struct cell cell = emit_behind(at, i);
        expr part = emit_read_nth(emit->model, value->type, &value->at, i);
        emit_set(emit, &cell,
                 expr_within(&emit->model->exprs, part, range.low, range.high, FAILURE_RANGE),
                 place);
    }
}

void value_store(struct emit *emit, const struct type *type, const struct cell *at,
                 const struct value *value, struct place place)
{
    struct exprs *exprs = &emit->model->exprs;
    assert(type_matches(type, value->type));
    if (type_is_scalar(type)) {
        struct type_range range = type_cell(type, 0);
        emit_set(
            emit, at,
            expr_within(exprs, expr_to_int(exprs, value->e), range.low, range.high, FAILURE_RANGE),
            place);
    } else if (type_same(type, value->type)) emit_copy(emit, at, &value->at, type->cells, place);
    else store_checked(emit, type, at, value, place);
}

struct value value_keep(struct emit *emit, struct value value, struct place place)
{
    struct exprs *exprs = &emit->model->exprs;
    struct type type = *value.type;
    if (type_is_scalar(value.type)) {
        const struct expr_node *node = expr_get(exprs, value.e);
        if (node->op == EXPR_CONST) return value;
        if (type.kind == TYPE_INT) type.low = node->low, type.high = node->high;
    }
    struct cell kept = emit_local(emit->model, &type, "temporary");
    if (type_is_scalar(&type)) {
        emit_set(emit, &kept, expr_to_int(exprs, value.e), place);
        struct value copy = value_cells(emit->model, &type, &kept);
        copy.type = value.type;
        return copy;
    }
    emit_copy(emit, &kept, &value.at, type.cells, place);
    return value_cells(emit->model, value.type, &kept);
}

expr value_equal(struct model *model, const struct value *a, const struct value *b)
{
    struct exprs *exprs = &model->exprs;
    assert(type_matches(a->type, b->type));
    if (type_is_scalar(a->type)) {
        if (expr_is_true(exprs, b->e)) return a->e;
        if (expr_is_false(exprs, b->e)) return expr_make(exprs, EXPR_NOT, 0, a->e, a->e);
        return expr_make(exprs, a->type->kind == TYPE_BOOL ? EXPR_IFF : EXPR_EQ, 0, a->e, b->e);
    }
    assert(a->type->cells <= VALUE_MAX_COMPARED);
    expr result = expr_bool(exprs, true);
    for (uint32_t i = 0; i < a->type->cells; i++) {
        expr left = emit_read_nth(model, a->type, &a->at, i);
        expr right = emit_read_nth(model, b->type, &b->at, i);
        result = expr_make(exprs, EXPR_AND, 0, result, expr_make(exprs, EXPR_EQ, 0, left, right));
    }
    return result;
}

/* ---- unions ---- */

struct value value_construct(struct emit *emit, const struct type *type, uint32_t tag,
                             const struct value *argument, struct place place,
                             struct place argument_place)
{
    struct exprs *exprs = &emit->model->exprs;
    assert(type->kind == TYPE_UNION && tag < type->member_count);
    assert((type->members[tag].type != NULL) == (argument != NULL));
    if (type_is_scalar(type)) return value_scalar(type, expr_int(exprs, tag));
    const struct type *wanted = type->members[tag].type;
    struct cell made = emit_local(emit->model, type, "temporary"), behind = emit_behind(&made, 1);
    emit_set(emit, &made, expr_int(exprs, tag), place);
    if (argument) value_store(emit, wanted, &behind, argument, argument_place);
    for (uint32_t i = argument ? wanted->cells : 0; i + 1 < type->cells; i++) {
        struct cell cell = emit_behind(&behind, i);
        emit_set(emit, &cell, expr_int(exprs, type_shared_cell(type, i).initial), place);
    }
    return value_cells(emit->model, type, &made);
}

expr value_tag(struct model *model, const struct value *value)
{
    assert(value->type->kind == TYPE_UNION);
    if (type_is_scalar(value->type)) return value->e;
    return emit_read(model, &value->at, type_cell(value->type, 0));
}

/* ---- what is evaluated only if need be ---- */

struct value value_logic(struct emit *emit, bool is_and, struct value a, const struct value *b,
                         struct code_sequence code, struct place place)
{
    struct exprs *exprs = &emit->model->exprs;
    struct code_sequence none = code_sequence_empty(), *out = emit->out;
    assert(a.type->kind == TYPE_BOOL && b->type->kind == TYPE_BOOL);
    if (code_is_none(code.first))
        return value_scalar(a.type, expr_make(exprs, is_and ? EXPR_AND : EXPR_OR, 0, a.e, b->e));
    struct value kept = value_keep(emit, a, place);
    if (!kept.at.count) { /* a constant: b is all there is, or is not evaluated */
        bool goes_on = expr_is_true(exprs, kept.e) == is_and;
        if (goes_on) emit_sequence(emit, &code);
        return goes_on ? *b : kept;
    }
    emit->out = &code;
    emit_set(emit, &kept.at, expr_to_int(exprs, b->e), place);
    emit->out = out;
    emit_if(emit, kept.e, is_and ? code : none, is_and ? none : code, place);
    return kept;
}

/* A number that can be what either can be. */
static const struct type *wide_type(struct model *model, expr a, expr b)
{
    const struct expr_node *x = expr_get(&model->exprs, a), *y = expr_get(&model->exprs, b);
    struct type *wide = arena_alloc(&model->arena, sizeof *wide);
    *wide = (struct type){.kind = TYPE_INT,
                          .low = x->low < y->low ? x->low : y->low,
                          .high = x->high > y->high ? x->high : y->high,
                          .cells = 1};
    return wide;
}

struct value value_conditional(struct emit *emit, const struct type *type, expr cond,
                               struct value_branch yes, struct value_branch no, struct place place)
{
    struct code_sequence *out = emit->out;
    assert(type_matches(yes.value.type, no.value.type));
    if (type_is_scalar(yes.value.type) && yes.value.type->kind == TYPE_INT)
        type = wide_type(emit->model, yes.value.e, no.value.e);
    struct cell made = emit_local(emit->model, type, "temporary");
    emit->out = &yes.code;
    value_store(emit, type, &made, &yes.value, yes.place);
    emit->out = &no.code;
    value_store(emit, type, &made, &no.value, no.place);
    emit->out = out;
    emit_if(emit, cond, yes.code, no.code, place);
    return value_cells(emit->model, type, &made);
}

/* ---- queues ---- */

expr value_length(struct model *model, const struct value *queue)
{
    assert(queue->type->kind == TYPE_QUEUE);
    return emit_read_nth(model, queue->type, &queue->at, 0);
}

struct value value_first(struct emit *emit, const struct value *queue, struct place place)
{
    struct exprs *exprs = &emit->model->exprs;
    const struct type *of = queue->type->of;
    struct cell at = emit_behind(&queue->at, 1);
    expr length = value_length(emit->model, queue);
    if (!type_is_scalar(of)) {
        emit_check(emit, expr_within(exprs, length, 1, queue->type->count, FAILURE_EMPTY), place);
        return value_cells(emit->model, of, &at);
    }
    expr cell = emit_read(emit->model, &at, type_cell(of, 0));
    expr some = expr_make(exprs, EXPR_GE, 0, length, expr_int(exprs, 1));
    expr first = expr_choose(exprs, some, cell, expr_fail(exprs, FAILURE_EMPTY));
    return value_scalar(of, of->kind == TYPE_BOOL ? expr_to_bool(exprs, first) : first);
}

void value_remove(struct emit *emit, const struct type *type, const struct cell *at,
                  struct place place)
{
    struct exprs *exprs = &emit->model->exprs;
    assert(type->kind == TYPE_QUEUE);
    uint32_t cells = type->of->cells, last = (type->count - 1) * cells;
    struct cell first = emit_behind(at, 1), second = emit_behind(at, 1 + cells),
                end = emit_behind(at, 1 + last);
    expr length =
        expr_within(exprs, emit_read_nth(emit->model, type, at, 0), 1, type->count, FAILURE_EMPTY);
    emit_set(emit, at, expr_make(exprs, EXPR_SUB, 0, length, expr_int(exprs, 1)), place);
    emit_copy(emit, &first, &second, last, place);
    emit_initial(emit, type->of, &end, place);
}

/* The cells of element number `length`, which is behind the last one. */
static struct cell cell_of_tail(struct model *model, const struct type *type, const struct cell *at,
                                expr length)
{
    struct exprs *exprs = &model->exprs;
    uint32_t cells = type->of->cells;
    struct cell target = emit_behind(at, 1);
    expr offset =
        cells == 1 ? length : expr_make(exprs, EXPR_MUL, 0, length, expr_int(exprs, cells));
    if (expr_get(exprs, target.offset)->op != EXPR_CONST)
        offset = expr_make(exprs, EXPR_ADD, 0, target.offset, offset);
    else if (expr_get(exprs, target.offset)->value)
        target.base += (uint32_t)expr_get(exprs, target.offset)->value;
    target.offset = offset;
    target.count += (type->count - 1) * cells;
    return target;
}

void value_add(struct emit *emit, const struct type *type, const struct cell *at,
               const struct value *element, bool head, struct place place)
{
    struct exprs *exprs = &emit->model->exprs;
    assert(type->kind == TYPE_QUEUE && type_matches(type->of, element->type));
    uint32_t cells = type->of->cells;
    expr length = expr_within(exprs, emit_read_nth(emit->model, type, at, 0), 0, type->count - 1,
                              FAILURE_FULL);
    struct cell target = emit_behind(at, 1);
    if (head) {
        struct cell second = emit_behind(at, 1 + cells);
        emit_check(emit, length, place);
        emit_copy(emit, &second, &target, (type->count - 1) * cells, place);
    } else target = cell_of_tail(emit->model, type, at, length);
    value_store(emit, type->of, &target, element, place);
    emit_set(emit, at, expr_make(exprs, EXPR_ADD, 0, length, expr_int(exprs, 1)), place);
}
