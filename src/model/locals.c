/* The statements are walked through once in order, with the set of locals that have certainly been written. Where ways meet, what only one of them has written has not been written;
 * a loop may be left before its first round. A LEAVE goes to the end of its function: what had been written there counts when the function ends, and after it nothing is
 * reached, so that everything is as good as written. Functions are walked through at each call; when that becomes too much, all locals may be unset. */
#include "model/locals.h"

#include <string.h>

enum { MAX_STATEMENTS = 20000 };

struct walker {
    const struct model *model;
    bool *unset;
    bool *written; /* per local */
    bool *left;    /* per local: written at every LEAVE of the current function */
    uint32_t statements;
};

static void walk(struct walker *w, statement at);

static void read_local(struct walker *w, uint32_t local)
{
    if (!w->written[local]) w->unset[local] = true;
}

static void read_expr(struct walker *w, expr e)
{
    const struct exprs *exprs = &w->model->exprs;
    const struct expr_node *node = expr_get(exprs, e);
    const expr operands[] = {node->a, node->b, node->c};
    if (node->op == EXPR_LOCAL) read_local(w, (uint32_t)node->value);
    if (node->op == EXPR_LOCAL_AT)
        for (int64_t i = 0; i < expr_get(exprs, node->b)->value; i++) read_local(w, (uint32_t)(node->value + i));
    for (unsigned i = 0; i < expr_table[node->op].arity; i++) read_expr(w, operands[i]);
}

/* A run of cells is read, or written when it is known where. */
static void touch_cells(struct walker *w, const struct cell *cell, uint32_t run, bool write)
{
    const struct expr_node *offset = expr_get(&w->model->exprs, cell->offset);
    bool is_known = offset->op == EXPR_CONST;
    read_expr(w, cell->offset);
    if (!cell->local || (write && !is_known)) return;
    uint32_t first = cell->base + (is_known ? (uint32_t)offset->value : 0), count = run + (is_known ? 0 : cell->count - 1);
    for (uint32_t i = 0; i < count; i++) {
        if (write) w->written[first + i] = true;
        else read_local(w, first + i);
    }
}

static bool *copy_of(const struct walker *w, const bool *set)
{
    bool *copy = mem_alloc(w->model->mem, w->model->locals.len + UINT64_C(1));
    memcpy(copy, set, w->model->locals.len * sizeof *copy);
    return copy;
}

static void meet(const struct walker *w, bool *set, const bool *other)
{
    for (uint32_t l = 0; l < w->model->locals.len; l++) set[l] &= other[l];
}

static void walk_if(struct walker *w, const struct code_node *node)
{
    bool *before = copy_of(w, w->written);
    walk(w, node->body);
    bool *yes = w->written;
    w->written = before;
    walk(w, node->other);
    meet(w, w->written, yes);
    mem_free(w->model->mem, yes);
}

static void walk_while(struct walker *w, statement body)
{
    bool *before = copy_of(w, w->written);
    walk(w, body);
    mem_free(w->model->mem, w->written);
    w->written = before;
}

static void walk_call(struct walker *w, statement body)
{
    bool *outer = w->left;
    w->left = mem_alloc(w->model->mem, w->model->locals.len + UINT64_C(1));
    memset(w->left, true, w->model->locals.len);
    walk(w, body);
    meet(w, w->written, w->left);
    mem_free(w->model->mem, w->left);
    w->left = outer;
}

static void walk(struct walker *w, statement at)
{
    for (; !code_is_none(at) && w->statements < MAX_STATEMENTS; at = w->model->code.data[at.i].next) {
        const struct code_node *node = &w->model->code.data[at.i];
        w->statements++;
        switch ((enum code_op)node->op) {
        case CODE_SET:
            read_expr(w, node->value);
            touch_cells(w, &node->target, 1, true);
            break;
        case CODE_COPY:
            touch_cells(w, &node->source, node->cells, false);
            touch_cells(w, &node->target, node->cells, true);
            break;
        case CODE_REQUIRE: read_expr(w, node->value); break;
        case CODE_IF:
            read_expr(w, node->value);
            walk_if(w, node);
            break;
        case CODE_WHILE:
            read_expr(w, node->value);
            walk_while(w, node->body);
            break;
        case CODE_CALL: walk_call(w, node->body); break;
        case CODE_LEAVE:
            if (w->left) meet(w, w->left, w->written);
            memset(w->written, true, w->model->locals.len);
            break;
        }
    }
}

void locals_unset(const struct model *model, statement body, bool *unset)
{
    struct walker w = {.model = model, .unset = unset};
    if (code_is_none(body) || !model->locals.len) return;
    w.written = mem_alloc(model->mem, model->locals.len + UINT64_C(1));
    walk(&w, body);
    if (w.statements >= MAX_STATEMENTS) memset(unset, true, model->locals.len);
    mem_free(model->mem, w.written);
}
