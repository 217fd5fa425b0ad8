#include "clauses/cone.h"

#include "base/checked.h"

void cone_init(struct cone *cone, struct circuit *circuit, struct mem *mem)
{
    *cone = (struct cone){.circuit = circuit, .mem = mem, .place_count = circuit->gates.len};
    cone->place = mem_alloc(mem, (circuit->gates.len + UINT64_C(1)) * sizeof *cone->place);
}

void cone_release(struct cone *cone)
{
    vec_free(cone->mem, &cone->gates);
    mem_free(cone->mem, cone->place);
}

static bool is_operation(const struct gate *gate)
{
    return gate->kind == GATE_AND || gate->kind == GATE_XOR;
}

void cone_add(struct cone *cone, lit output)
{
    struct circuit *c = cone->circuit;
    assert(c->gates.len == cone->place_count); /* the contract: the circuit has not grown */
    circuit_cone(c, output);
    for (uint32_t i = 0; i < c->cone.len; i++) {
        uint32_t g = c->cone.data[i];
        if (!is_operation(&c->gates.data[g]) || cone->place[g]) continue;
        vec_push(cone->mem, &cone->gates, g);
        cone->place[g] = cone->gates.len;
    }
}

bool cone_check(const struct cone *cone)
{
    uint32_t in_cone = 0;
    for (uint32_t g = 0; g < cone->place_count; g++) in_cone += cone->place[g] != 0;
    for (uint32_t i = 0; i < cone->gates.len; i++) {
        const struct gate *gate = &cone->circuit->gates.data[cone->gates.data[i]];
        if (cone->place[cone->gates.data[i]] != i + 1 || !is_operation(gate))
            return false; /* (2) */
        for (unsigned k = 0; k < 2; k++) {
            lit operand = k ? gate->b : gate->a;
            if (!is_operation(&cone->circuit->gates.data[operand / 2])) continue;
            if (!cone->place[operand / 2] || cone->place[operand / 2] > i) return false; /* (1) */
        }
    }
    return in_cone == cone->gates.len;
}

int cone_literal(const struct cone *cone, struct cone_copy copy, lit l)
{
    const struct gate *gate = &cone->circuit->gates.data[l / 2];
    int literal = gate->kind == GATE_FALSE   ? -copy.true_literal
                  : gate->kind == GATE_INPUT ? copy.inputs[gate->a]
                                             : copy.gates + (int)cone->place[l / 2] - 1;
    assert(!is_operation(gate) || cone->place[l / 2]); /* (2) */
    return l % 2 ? -literal : literal;
}

int cone_copy(const struct cone *cone, struct sat *sat, int true_literal, const int *inputs)
{
    struct cone_copy copy = {true_literal, inputs, sat_variables(sat, cone->gates.len)};
    for (uint32_t i = 0; i < cone->gates.len; i++) {
        const struct gate *gate = &cone->circuit->gates.data[cone->gates.data[i]];
        int out = copy.gates + (int)i, a = cone_literal(cone, copy, gate->a),
            b = cone_literal(cone, copy, gate->b);
        assert(cone->place[gate->a / 2] <= i && cone->place[gate->b / 2] <= i); /* (1) */
        if (gate->kind == GATE_AND) {
            sat_add_2(sat, -out, a);
            sat_add_2(sat, -out, b);
            sat_add_3(sat, out, -a, -b);
        } else {
            sat_add_3(sat, -out, a, b);
            sat_add_3(sat, -out, -a, -b);
            sat_add_3(sat, out, -a, b);
            sat_add_3(sat, out, a, -b);
        }
    }
    return copy.gates;
}
