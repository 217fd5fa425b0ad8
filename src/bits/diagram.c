/* Gate by gate, operands first. A conjunction of very many operands is made from the last level of
 * the order to the first, whatever order it is written in: it grows at its top then, where
 * otherwise each operand would cost as much as all before it. */
#include "bits/diagram.h"

#include <assert.h>
#include <stdlib.h>

enum { MANY = 8 };

struct leaf {
    uint32_t position, number;
    bdd diagram;
};

struct conversion {
    const struct circuit *circuit;
    struct dd *dd;
    bdd *gates;          /* diagrams of the gates of the cone */
    uint8_t *uses;       /* of each: 0, 1, or more; MORE when also its negation, or by no AND */
    struct leaf *leaves; /* operands of one conjunction */
    lit *todo;
    bdd *kept; /* the leaves' diagrams, where collections see them */
};
enum { MORE = 2 };

static bdd operand(const struct conversion *c, lit a)
{
    assert(c->circuit->place.data[a / 2]); /* operands are in the cone */
    bdd value = c->gates[c->circuit->place.data[a / 2] - 1];
    return a & 1 ? dd_not(c->dd, value) : value;
}

static const struct gate *gate_of(const struct conversion *c, lit a)
{
    return &c->circuit->gates.data[a / 2];
}

/* Whether it is part of the one conjunction that uses it. */
static bool is_inner(const struct conversion *c, lit a)
{
    return !(a & 1) && gate_of(c, a)->kind == GATE_AND
           && c->uses[c->circuit->place.data[a / 2] - 1] == 1;
}

static void count_uses(struct conversion *c, lit output)
{
    for (uint32_t i = 0; i < c->circuit->cone.len; i++) {
        const struct gate *gate = &c->circuit->gates.data[c->circuit->cone.data[i]];
        for (unsigned k = 0; gate->kind >= GATE_AND && k < 2; k++) {
            lit a = k ? gate->b : gate->a;
            uint8_t *uses = &c->uses[c->circuit->place.data[a / 2] - 1];
            *uses = *uses || (a & 1) || gate->kind != GATE_AND ? MORE : 1;
        }
    }
    c->uses[c->circuit->place.data[output / 2] - 1] = MORE;
}

static int compare_leaves(const void *x, const void *y)
{
    const struct leaf *a = x, *b = y;
    if (a->position != b->position) return a->position > b->position ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* The operands of a conjunction, from left to right. */
static uint32_t list_leaves(struct conversion *c, const struct gate *gate)
{
    uint32_t height = 0, count = 0;
    c->todo[height++] = gate->b;
    c->todo[height++] = gate->a;
    while (height) {
        lit a = c->todo[--height];
        if (is_inner(c, a)) {
            c->todo[height++] = gate_of(c, a)->b;
            c->todo[height++] = gate_of(c, a)->a;
            continue;
        }
        c->leaves[count].number = a;
        count++;
    }
    return count;
}

static bdd conjoin(struct conversion *c, const struct gate *gate)
{
    uint32_t count = list_leaves(c, gate), mark = dd_mark(c->dd);
    bdd all = BDD_TRUE;
    for (uint32_t i = 0; i < count; i++) c->kept[i] = BDD_FALSE;
    dd_protect(c->dd, &all);
    dd_protect_array(c->dd, c->kept, count);
    for (uint32_t i = 0; i < count; i++) {
        c->kept[i] = operand(c, c->leaves[i].number);
        c->leaves[i] = (struct leaf){dd_first_position(c->dd, c->kept[i]), i, c->kept[i]};
    }
    if (count > MANY) qsort(c->leaves, count, sizeof *c->leaves, compare_leaves);
    for (uint32_t i = 0; i < count; i++) all = dd_and(c->dd, all, c->leaves[i].diagram);
    dd_release(c->dd, mark);
    return all;
}

static bdd convert(struct conversion *c, lit output)
{
    uint32_t mark = dd_mark(c->dd);
    bdd a = BDD_FALSE, b = BDD_FALSE;
    dd_keep(c->dd, &a, &b);
    for (uint32_t i = 0; i < c->circuit->cone.len; i++) {
        const lit here = 2 * c->circuit->cone.data[i];
        const struct gate *gate = gate_of(c, here);
        if (gate->kind == GATE_INPUT) {
            c->gates[i] = dd_variable(c->dd, dd_now(gate->a));
            continue;
        }
        assert(gate->kind != GATE_FALSE); /* (3) of circuit.h: no gate has a constant as operand */
        if (is_inner(c, here)) continue;
        if (gate->kind == GATE_AND && (is_inner(c, gate->a) || is_inner(c, gate->b))) {
            c->gates[i] = conjoin(c, gate);
            continue;
        }
        a = operand(c, gate->a);
        b = operand(c, gate->b);
        c->gates[i] = gate->kind == GATE_AND ? dd_and(c->dd, a, b) : dd_xor(c->dd, a, b);
    }
    a = operand(c, output);
    dd_release(c->dd, mark);
    return a;
}

bdd diagram_of(struct circuit *circuit, struct dd *dd, lit output)
{
    struct conversion c = {.circuit = circuit, .dd = dd};
    struct mem *mem = circuit->mem;
    uint32_t mark = dd_mark(dd);
    if (output <= LIT_TRUE) return output;
    circuit_cone(circuit, output);
    const size_t len = circuit->cone.len + (size_t)1;
    c.gates = mem_alloc(mem, len * (2 * sizeof *c.gates + sizeof *c.leaves + sizeof *c.todo + 1));
    c.kept = c.gates + len;
    c.leaves = (struct leaf *)(c.kept + len);
    c.todo = (lit *)(c.leaves + len);
    c.uses = (uint8_t *)(c.todo + len);
    count_uses(&c, output);
    dd_protect_array(dd, c.gates, circuit->cone.len);
    bdd result = convert(&c, output);
    dd_release(dd, mark);
    mem_free(mem, c.gates);
    return result;
}
