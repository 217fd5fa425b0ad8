#include "bits/diagram.h"

#include <assert.h>

struct conversion {
    const struct circuit *circuit;
    struct dd *dd;
    bdd *gates; /* diagrams of the gates of the cone */
};

static bdd operand(const struct conversion *c, lit a)
{
    assert(c->circuit->place.data[a / 2]); /* operands are in the cone */
    bdd value = c->gates[c->circuit->place.data[a / 2] - 1];
    return a & 1 ? dd_not(c->dd, value) : value;
}

static bdd convert(struct conversion *c, lit output)
{
    uint32_t mark = dd_mark(c->dd);
    bdd a = BDD_FALSE, b = BDD_FALSE;
    dd_keep(c->dd, &a, &b);
    for (uint32_t i = 0; i < c->circuit->cone.len; i++) {
        const struct gate *gate = &c->circuit->gates.data[c->circuit->cone.data[i]];
        if (gate->kind == GATE_INPUT) {
            c->gates[i] = dd_variable(c->dd, dd_now(gate->a));
            continue;
        }
        assert(gate->kind != GATE_FALSE); /* (3) of circuit.h: no gate has a constant as operand */
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
    struct conversion c = {circuit, dd, NULL};
    uint32_t mark = dd_mark(dd);
    if (output <= LIT_TRUE) return output;
    circuit_cone(circuit, output);
    c.gates = mem_alloc(circuit->mem, circuit->cone.len * sizeof *c.gates);
    dd_protect_array(dd, c.gates, circuit->cone.len);
    bdd result = convert(&c, output);
    dd_release(dd, mark);
    mem_free(circuit->mem, c.gates);
    return result;
}
