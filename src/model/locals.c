/* The statements are walked through once in order, with the set of locals that have certainly been
 * written. Where ways meet, what only one of them has written has not been written; a loop may be
 * left before its first round. A LEAVE goes to the end of its function: what had been written there
 * counts when the function ends, and after it nothing is reached, so that everything is as good as
 * written.
 *
 * The body of a call is walked through once, by itself: what it reads before it writes it, and what
 * it has certainly written when it ends, is all that its calls need to know. When there are too
 * many statements, all locals may be unset. */
#include "model/locals.h"

#include <string.h>

enum { MAX_STATEMENTS = 20000 };

struct summary {
    bool is_too_long;
    VEC(uint32_t) reads, writes;
};

struct locals {
    const struct model *model;
    uint32_t *number; /* per statement, as the body of a call: of its summary, + 1 */
    VEC(struct summary) summaries;
};

struct walker {
    const struct model *model;
    struct locals *locals;
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
        for (int64_t i = 0; i < expr_get(exprs, node->b)->value; i++)
            read_local(w, (uint32_t)(node->value + i));
    for (unsigned i = 0; i < expr_table[node->op].arity; i++) read_expr(w, operands[i]);
}

/* A run of cells is read, or written when it is known where. */
static void touch_cells(struct walker *w, const struct cell *cell, uint32_t run, bool write)
{
    const struct expr_node *offset = expr_get(&w->model->exprs, cell->offset);
    bool is_known = offset->op == EXPR_CONST;
    read_expr(w, cell->offset);
    if (!cell->local || (write && !is_known)) return;
    uint32_t first = cell->base + (is_known ? (uint32_t)offset->value : 0),
             count = run + (is_known ? 0 : cell->count - 1);
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

/* The body of a call by itself. */
static void summarise(struct locals *locals, statement body)
{
    struct summary summary = {0};
    struct mem *mem = locals->model->mem;
    uint32_t count = locals->model->locals.len;
    struct walker w = {.model = locals->model, .locals = locals};
    w.unset = mem_alloc(mem, count + UINT64_C(1));
    w.written = mem_alloc(mem, count + UINT64_C(1));
    w.left = mem_alloc(mem, count + UINT64_C(1));
    memset(w.left, true, count);
    walk(&w, body);
    meet(&w, w.written, w.left);
    for (uint32_t l = 0; l < count; l++) {
        if (w.unset[l]) vec_push(mem, &summary.reads, l);
        if (w.written[l]) vec_push(mem, &summary.writes, l);
    }
    summary.is_too_long = w.statements >= MAX_STATEMENTS;
    vec_push(mem, &locals->summaries, summary);
    locals->number[body.i] = locals->summaries.len;
    mem_free(mem, w.unset);
    mem_free(mem, w.written);
    mem_free(mem, w.left);
}

static void walk_call(struct walker *w, statement body)
{
    if (code_is_none(body)) return;
    if (!w->locals->number[body.i]) summarise(w->locals, body);
    const struct summary *summary = &w->locals->summaries.data[w->locals->number[body.i] - 1];
    if (summary->is_too_long) w->statements = MAX_STATEMENTS;
    for (uint32_t i = 0; i < summary->reads.len; i++) read_local(w, summary->reads.data[i]);
    for (uint32_t i = 0; i < summary->writes.len; i++) w->written[summary->writes.data[i]] = true;
}

static void walk(struct walker *w, statement at)
{
    for (; !code_is_none(at) && w->statements < MAX_STATEMENTS;
         at = w->model->code.data[at.i].next) {
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

struct locals *locals_begin(const struct model *model)
{
    struct locals *locals = mem_alloc(model->mem, sizeof *locals);
    locals->model = model;
    locals->number =
        mem_alloc(model->mem, (model->code.len + UINT64_C(1)) * sizeof *locals->number);
    return locals;
}

void locals_end(struct locals *locals)
{
    struct mem *mem = locals->model->mem;
    for (uint32_t i = 0; i < locals->summaries.len; i++) {
        vec_free(mem, &locals->summaries.data[i].reads);
        vec_free(mem, &locals->summaries.data[i].writes);
    }
    vec_free(mem, &locals->summaries);
    mem_free(mem, locals->number);
    mem_free(mem, locals);
}

void locals_unset(struct locals *locals, statement body, bool *unset)
{
    const struct model *model = locals->model;
    struct walker w = {.model = model, .locals = locals, .unset = unset};
    if (code_is_none(body) || !model->locals.len) return;
    w.written = mem_alloc(model->mem, model->locals.len + UINT64_C(1));
    walk(&w, body);
    if (w.statements >= MAX_STATEMENTS) memset(unset, true, model->locals.len);
    mem_free(model->mem, w.written);
}
