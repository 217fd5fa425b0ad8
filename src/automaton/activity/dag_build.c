/* From terms to automata.
 *
 * Parts of a term have smaller indices than the term, so the parts that are needed are marked
 * downwards from the term, and their futures computed upwards: no recursion. Operands of one
 * operation that is nested in itself are taken together first, because how they are nested matters:
 *  - a sequence is put together from its end, so that nothing that follows is copied (the other way
 *    would be quadratic);
 *  - choices and shuffles combine neighbours, then the results, and so on: long lists cost a
 *    logarithm instead of a factor, and little is left behind on the way.
 * Every term but skip has a word of at least one label, so a sequence or a shuffle has fewer
 * operands than its automaton has states; a choice takes each operand once. So terms whose text
 * would be exponential (x1 = x0; x0, x2 = x1; x1, ...) end soon. */
#include "automaton/activity/dag.h"
#include "automaton/activity/future.h"
#include "base/checked.h"
#include "base/room.h"

#include <assert.h>

struct builder {
    struct mem *mem;
    const struct terms *terms;
    struct futures futures;
    uint32_t *value;   /* of each term: its future, once it is known */
    uint32_t *needed;  /* of each term: whether its future is needed */
    uint32_t *visitor; /* of each term: the last choice, + 1, that met it among its operands */
    uint32_t *list;    /* the operands at hand, from left to right */
    uint64_t list_len, list_cap;
    uint32_t *stack;
    uint64_t stack_len, stack_cap;
};

static bool has_operands(enum term_op op)
{
    return op == TERM_SEQ || op == TERM_CHOICE || op == TERM_PAR;
}

/* The operands of a term: what is below it and has another operation. */
static enum build_status list_operands(struct builder *b, uint32_t top)
{
    const struct term_node *nodes = b->terms->nodes.data;
    enum term_op op = nodes[top].op;
    assert(has_operands(op));
    b->list_len = 0;
    if (!ROOM(b->mem, b->stack, &b->stack_cap, 2)) return BUILD_REFUSED;
    b->stack[0] = top;
    b->stack_len = 1;
    while (b->stack_len) {
        uint32_t t = b->stack[--b->stack_len];
        if (op == TERM_CHOICE && b->visitor[t] == top + 1) continue;
        b->visitor[t] = top + 1;
        if (nodes[t].op == op) {
            if (!ROOM(b->mem, b->stack, &b->stack_cap, b->stack_len + 2)) return BUILD_REFUSED;
            b->stack[b->stack_len++] = nodes[t].b.i;
            b->stack[b->stack_len++] = nodes[t].a.i;
        } else {
            if (op != TERM_CHOICE && b->list_len >= b->futures.limit) return BUILD_TOO_LARGE;
            if (!ROOM(b->mem, b->list, &b->list_cap, b->list_len + 1)) return BUILD_REFUSED;
            b->list[b->list_len++] = t;
        }
    }
    return BUILD_DONE;
}

static enum build_status mark_needed(struct builder *b, uint32_t top)
{
    b->needed[top] = true;
    for (uint32_t t = top + 1; t-- > 0;) {
        const struct term_node *node = &b->terms->nodes.data[t];
        if (!b->needed[t]) continue;
        if (node->op == TERM_LOOP) b->needed[node->a.i] = true;
        if (!has_operands(node->op)) continue;
        enum build_status status = list_operands(b, t);
        if (status != BUILD_DONE) return status;
        for (uint64_t i = 0; i < b->list_len; i++) b->needed[b->list[i]] = true;
    }
    for (uint32_t t = 0; t <= top; t++) b->visitor[t] = 0;
    return BUILD_DONE;
}

static future loop(struct futures *f, uint32_t times, future body)
{
    future whole = {FUTURE_END};
    for (uint32_t i = 0; i < times && whole.i != FUTURE_NONE; i++)
        whole = future_sequence(f, body, whole);
    return whole;
}

static future fold_sequence(struct builder *b)
{
    future whole = {FUTURE_END};
    for (uint64_t i = b->list_len; i-- > 0 && whole.i != FUTURE_NONE;)
        whole = future_sequence(&b->futures, (future){b->value[b->list[i]]}, whole);
    return whole;
}

static future fold_pairs(struct builder *b, future (*combine)(struct futures *, future, future))
{
    assert(b->list_len); /* a term with operands has some */
    for (uint64_t i = 0; i < b->list_len; i++) b->list[i] = b->value[b->list[i]];
    while (b->list_len > 1) {
        uint64_t pairs = b->list_len / 2;
        for (uint64_t i = 0; i < pairs; i++) {
            future both =
                combine(&b->futures, (future){b->list[2 * i]}, (future){b->list[2 * i + 1]});
            if (both.i == FUTURE_NONE) return both;
            b->list[i] = both.i;
        }
        if (b->list_len % 2) b->list[pairs] = b->list[b->list_len - 1];
        b->list_len = pairs + b->list_len % 2;
    }
    return (future){b->list[0]};
}

static enum build_status compute(struct builder *b, uint32_t t)
{
    const struct term_node *node = &b->terms->nodes.data[t];
    future value = {FUTURE_END};
    if (has_operands(node->op)) {
        enum build_status status = list_operands(b, t);
        if (status != BUILD_DONE) return status;
    }
    switch (node->op) {
    case TERM_SKIP: break;
    case TERM_EVENT: value = future_word(&b->futures, node->number, value); break;
    case TERM_SEQ: value = fold_sequence(b); break;
    case TERM_CHOICE: value = fold_pairs(b, future_union); break;
    case TERM_PAR: value = fold_pairs(b, future_shuffle); break;
    case TERM_LOOP: value = loop(&b->futures, node->number, (future){b->value[node->a.i]}); break;
    }
    b->value[t] = value.i;
    return value.i == FUTURE_NONE ? b->futures.status : BUILD_DONE;
}

/* Futures lead to smaller futures, so counting down from the whole one is a topological order. */
static enum build_status extract(struct dag *dag, struct builder *b, future whole)
{
    struct futures *f = &b->futures;
    uint32_t states = 0, edges = 0, at = 0, state = 0;
    uint32_t *number = mem_try_alloc(b->mem, ((size_t)whole.i + 1) * sizeof *number);
    if (!number) return BUILD_REFUSED;
    number[whole.i] = 1; /* 0: not reached */
    for (uint32_t i = whole.i + 1; i-- > 0;) {
        if (!number[i]) continue;
        number[i] = ++states;
        edges += f->first[i + 1] - f->first[i];
        for (uint32_t e = f->first[i]; e < f->first[i + 1]; e++) number[f->edges[e].to] = 1;
    }
    enum build_status status = states > f->limit                       ? BUILD_TOO_LARGE
                               : dag_alloc(dag, b->mem, states, edges) ? BUILD_DONE
                                                                       : BUILD_REFUSED;
    dag->is_branching = future_branches(f, whole);
    for (uint32_t i = whole.i + 1; status == BUILD_DONE && i-- > 0;) {
        if (!number[i]) continue;
        dag->first_edge[state] = at;
        if (future_has_empty(f, (future){i})) dag_set_final(dag, state);
        for (uint32_t e = f->first[i]; e < f->first[i + 1]; e++, at++) {
            dag->edge_label[at] = f->edges[e].label;
            dag->edge_to[at] = number[f->edges[e].to] - 1;
        }
        dag->first_edge[++state] = at;
    }
    assert(status != BUILD_DONE || (state == dag->states && at == dag->edges));
    mem_free(b->mem, number);
    return status;
}

static enum build_status run(struct builder *b, struct dag *dag, uint32_t top)
{
    size_t bytes = ((size_t)top + 1) * sizeof *b->value;
    b->value = mem_try_alloc(b->mem, bytes);
    b->needed = mem_try_alloc(b->mem, bytes);
    b->visitor = mem_try_alloc(b->mem, bytes);
    if (!b->value || !b->needed || !b->visitor) return BUILD_REFUSED;
    enum build_status status = mark_needed(b, top);
    for (uint32_t t = 0; t <= top && status == BUILD_DONE; t++)
        if (b->needed[t]) status = compute(b, t);
    if (status == BUILD_DONE) {
        futures_forget(&b->futures);
        status = extract(dag, b, (future){b->value[top]});
    }
    return status;
}

enum build_status dag_build(struct dag *dag, struct mem *mem, const struct terms *terms, term t,
                            bool is_branching, uint32_t max_states)
{
    struct builder b = {.mem = mem, .terms = terms};
    *dag = (struct dag){.mem = mem};
    enum build_status status =
        futures_init(&b.futures, mem, is_branching, max_states) ? run(&b, dag, t.i) : BUILD_REFUSED;
    futures_release(&b.futures);
    mem_free(mem, b.value);
    mem_free(mem, b.needed);
    mem_free(mem, b.visitor);
    mem_free(mem, b.list);
    mem_free(mem, b.stack);
    CHECKED(status != BUILD_DONE || dag_check(dag));
    return status;
}
