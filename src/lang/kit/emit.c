#include "lang/kit/emit.h"

#include <assert.h>

/* ---- cells ---- */

struct cell emit_cell(struct model *model, bool local, uint32_t base)
{
    return (struct cell){
        .local = local, .base = base, .count = 1, .offset = expr_int(&model->exprs, 0)};
}

struct cell emit_local(struct model *model, const struct type *type, const char *name)
{
    uint32_t base = model->locals.len;
    for (uint32_t i = 0; i < type->cells; i++) {
        struct type_range range = type_cell(type, i);
        vec_push(model->mem, &model->locals, ((struct model_local){name, range.low, range.high}));
    }
    return emit_cell(model, true, base);
}

struct cell emit_behind(const struct cell *cell, uint32_t cells)
{
    struct cell behind = *cell;
    behind.base += cells;
    return behind;
}

void emit_element(struct model *model, const struct type *array, expr index, struct cell *at)
{
    struct exprs *exprs = &model->exprs;
    assert(array->kind == TYPE_ARRAY);
    uint32_t stride = array->of->cells;
    expr checked = expr_within(exprs, index, 0, array->count - 1, FAILURE_INDEX);
    expr step =
        stride == 1 ? checked : expr_make(exprs, EXPR_MUL, 0, checked, expr_int(exprs, stride));
    const struct expr_node *moved = expr_get(exprs, step);
    if (moved->op == EXPR_CONST) {
        assert(moved->value >= 0 && moved->value < array->cells);
        at->base += (uint32_t)moved->value;
        return;
    }
    at->count += (array->count - 1) * stride;
    at->offset = expr_get(exprs, at->offset)->op == EXPR_CONST
                     ? step
                     : expr_make(exprs, EXPR_ADD, 0, at->offset, step);
}

expr emit_read(struct model *model, const struct cell *at, struct type_range range)
{
    return expr_at(&model->exprs, at->local, at->base, at->offset, at->count, range.low,
                   range.high);
}

expr emit_read_nth(struct model *model, const struct type *type, const struct cell *at, uint32_t n)
{
    struct cell cell = emit_behind(at, n);
    return emit_read(model, &cell, type_cell(type, n));
}

/* ---- statements ---- */

/* A statement without others inside. */
static void add(struct emit *emit, struct code_node node)
{
    assert(emit->out);
    model_add_code(emit->model, emit->out, node);
}

void emit_set(struct emit *emit, const struct cell *at, expr value, struct place place)
{
    add(emit, (struct code_node){.op = CODE_SET,
                                 .target = *at,
                                 .value = value,
                                 .body = code_none(),
                                 .other = code_none(),
                                 .place = place});
}

void emit_copy(struct emit *emit, const struct cell *to, const struct cell *from, uint32_t cells,
               struct place place)
{
    if (!cells) return;
    add(emit, (struct code_node){.op = CODE_COPY,
                                 .target = *to,
                                 .source = *from,
                                 .cells = cells,
                                 .body = code_none(),
                                 .other = code_none(),
                                 .place = place});
}

void emit_initial(struct emit *emit, const struct type *type, const struct cell *at,
                  struct place place)
{
    for (uint32_t i = 0; i < type->cells; i++) {
        struct cell cell = emit_behind(at, i);
        emit_set(emit, &cell, expr_int(&emit->model->exprs, type_cell(type, i).initial), place);
    }
}

void emit_nth(struct emit *emit, const struct type *type, const struct cell *at, uint64_t n,
              struct place place)
{
    int64_t *cells = mem_alloc(emit->model->mem, type->cells * sizeof *cells);
    type_nth(type, n, cells);
    for (uint32_t i = 0; i < type->cells; i++) {
        struct cell cell = emit_behind(at, i);
        emit_set(emit, &cell, expr_int(&emit->model->exprs, cells[i]), place);
    }
    mem_free(emit->model->mem, cells);
}

void emit_require(struct emit *emit, expr cond, struct place place, uint32_t wording)
{
    if (expr_is_true(&emit->model->exprs, cond)) return;
    if (expr_is_false(&emit->model->exprs, cond)) emit->impossible = true;
    if (emit->in_rule && code_is_none(emit->out->first)) {
        model_add_worded(emit->model, cond, place, wording);
        return;
    }
    add(emit, (struct code_node){.op = CODE_REQUIRE,
                                 .value = cond,
                                 .body = code_none(),
                                 .other = code_none(),
                                 .place = place,
                                 .wording = wording});
}

void emit_check(struct emit *emit, expr e, struct place place)
{
    const struct expr_node *node = expr_get(&emit->model->exprs, e);
    if (!node->may_fail) return;
    struct type type = {.kind = TYPE_INT, .low = node->low, .high = node->high, .cells = 1};
    struct cell unused = emit_local(emit->model, &type, "unused");
    emit_set(emit, &unused, e, place);
}

void emit_if(struct emit *emit, expr cond, struct code_sequence yes, struct code_sequence no,
             struct place place)
{
    if (code_is_none(yes.first) && code_is_none(no.first)
        && !expr_get(&emit->model->exprs, cond)->may_fail)
        return;
    add(emit,
        (struct code_node){
            .op = CODE_IF, .value = cond, .body = yes.first, .other = no.first, .place = place});
}

void emit_while(struct emit *emit, expr cond, struct code_sequence body, struct place place)
{
    add(emit, (struct code_node){.op = CODE_WHILE,
                                 .value = cond,
                                 .body = body.first,
                                 .other = code_none(),
                                 .place = place});
}

void emit_leave(struct emit *emit, struct place place)
{
    add(emit, (struct code_node){
                  .op = CODE_LEAVE, .body = code_none(), .other = code_none(), .place = place});
}

void emit_call(struct emit *emit, statement body, struct place place)
{
    add(emit,
        (struct code_node){.op = CODE_CALL, .body = body, .other = code_none(), .place = place});
}

void emit_sequence(struct emit *emit, const struct code_sequence *code)
{
    assert(emit->out && emit->out != code);
    if (code_is_none(code->first)) return;
    if (code_is_none(emit->out->first)) emit->out->first = code->first;
    else emit->model->code.data[emit->out->last.i].next = code->first;
    emit->out->last = code->last;
}

/* ---- blocks ---- */

struct emit_block emit_open(struct emit *emit, struct code_sequence *block)
{
    struct emit_block before = {emit->out, emit->in_rule, emit->impossible};
    if (emit->out) emit->out = block;
    emit->in_rule = false;
    return before;
}

void emit_close(struct emit *emit, const struct emit_block *before)
{
    emit->out = before->out;
    emit->in_rule = before->in_rule;
    emit->impossible = before->impossible;
}
