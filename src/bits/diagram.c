#include "bits/diagram.h"

struct conversion {
    const struct circuit *circuit;
    struct dd *dd;
    bdd *gates; /* diagrams of the gates that are needed */
    uint8_t *needed;
};

static bdd operand(const struct conversion *c, lit a)
{
    return a & 1 ? dd_not(c->dd, c->gates[a / 2]) : c->gates[a / 2];
}

/* Gates in order of numbers: operands come first. */
static bdd convert(struct conversion *c, lit output)
{
    const struct gate *gates = c->circuit->gates.data;
    uint32_t last = output / 2, mark = dd_mark(c->dd);
    bdd a = BDD_FALSE, b = BDD_FALSE;
    c->needed[last] = 1;
    for (uint32_t g = last; g > 0; g--)
        if (c->needed[g] && gates[g].kind >= GATE_AND) c->needed[gates[g].a / 2] = c->needed[gates[g].b / 2] = 1;
    dd_protect(c->dd, &a);
    dd_protect(c->dd, &b);
    for (uint32_t g = 1; g <= last; g++) {
        if (!c->needed[g]) continue;
        if (gates[g].kind == GATE_INPUT) {
            c->gates[g] = dd_variable(c->dd, dd_now(gates[g].a));
            continue;
        }
        a = operand(c, gates[g].a);
        b = operand(c, gates[g].b);
        c->gates[g] = gates[g].kind == GATE_AND ? dd_and(c->dd, a, b) : dd_xor(c->dd, a, b);
    }
    a = operand(c, output);
    dd_release(c->dd, mark);
    return a;
}

bdd diagram_of(const struct circuit *circuit, struct dd *dd, lit output)
{
    struct conversion c = {circuit, dd, NULL, NULL};
    uint32_t count = output / 2 + 1, mark = dd_mark(dd);
    if (output <= LIT_TRUE) return output;
    c.needed = mem_alloc(circuit->mem, count);
    c.gates = mem_alloc(circuit->mem, count * sizeof *c.gates);
    dd_protect_array(dd, c.gates, count);
    bdd result = convert(&c, output);
    dd_release(dd, mark);
    mem_free(circuit->mem, c.gates);
    mem_free(circuit->mem, c.needed);
    return result;
}
