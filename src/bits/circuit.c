#include "bits/circuit.h"

#include "base/checked.h"

#include <string.h>

void circuit_init(struct circuit *circuit, struct mem *mem)
{
    memset(circuit, 0, sizeof *circuit);
    circuit->mem = mem;
    vec_push(mem, &circuit->gates, ((struct gate){GATE_FALSE, 0, 0}));
}

void circuit_release(struct circuit *circuit)
{
    vec_free(circuit->mem, &circuit->gates);
    vec_free(circuit->mem, &circuit->cone);
    vec_free(circuit->mem, &circuit->todo);
    vec_free(circuit->mem, &circuit->place);
    mem_free(circuit->mem, circuit->slots);
    circuit->slots = NULL;
    circuit->size = 0;
}

static uint32_t slot_of(const struct circuit *circuit, const struct gate *gate)
{
    uint64_t h = ((uint64_t)gate->a << 32 | gate->b) * UINT64_C(0x9E3779B97F4A7C15) + gate->kind;
    h ^= h >> 29;
    h *= UINT64_C(0xBF58476D1CE4E5B9);
    uint32_t at = (uint32_t)(h >> 32) & (circuit->size - 1);
    while (circuit->slots[at]) {
        const struct gate *other = &circuit->gates.data[circuit->slots[at]];
        if (other->kind == gate->kind && other->a == gate->a && other->b == gate->b) break;
        at = (at + 1) & (circuit->size - 1);
    }
    return at;
}

static void grow(struct circuit *circuit)
{
    uint32_t size = circuit->size ? 2 * circuit->size : 256;
    uint32_t *slots = mem_alloc(circuit->mem, size * sizeof *slots);
    mem_free(circuit->mem, circuit->slots);
    circuit->slots = slots;
    circuit->size = size;
    for (uint32_t i = 1; i < circuit->gates.len; i++)
        slots[slot_of(circuit, &circuit->gates.data[i])] = i;
    CHECKED(circuit_check(circuit));
}

static lit cons(struct circuit *circuit, struct gate gate)
{
    assert(gate.kind < GATE_AND || gate.a / 2 < gate.b / 2); /* (3) */
    if (2 * circuit->gates.len >= circuit->size) grow(circuit);
    uint32_t at = slot_of(circuit, &gate);
    if (!circuit->slots[at]) {
        vec_push(circuit->mem, &circuit->gates, gate);
        circuit->slots[at] = circuit->gates.len - 1;
    }
    return 2 * circuit->slots[at];
}

lit circuit_input(struct circuit *circuit, uint32_t number)
{
    return cons(circuit, (struct gate){GATE_INPUT, number, 0});
}

/* x & y is false when y is an AND that contains !x, and y when it contains x. */
static bool absorb(const struct circuit *circuit, lit x, lit y, lit *result)
{
    const struct gate *gate = &circuit->gates.data[y / 2];
    if (gate->kind != GATE_AND) return false;
    if (!(y & 1)) {
        if (gate->a == x || gate->b == x) return *result = y, true;
        if (gate->a == lit_not(x) || gate->b == lit_not(x)) return *result = LIT_FALSE, true;
    } else if (gate->a == lit_not(x)
               || gate->b == lit_not(x)) { /* !(a & b) is true when a is false */
        return *result = x, true;
    }
    return false;
}

lit circuit_and(struct circuit *circuit, lit a, lit b)
{
    lit simpler;
    if (a > b) {
        lit swap = a;
        a = b;
        b = swap;
    }
    assert(b / 2 < circuit->gates.len); /* (1) */
    if (a == LIT_FALSE || a == lit_not(b)) return LIT_FALSE;
    if (a == LIT_TRUE || a == b) return b;
    if (absorb(circuit, a, b, &simpler) || absorb(circuit, b, a, &simpler)) return simpler;
    return cons(circuit, (struct gate){GATE_AND, a, b});
}

lit circuit_xor(struct circuit *circuit, lit a, lit b)
{
    lit sign = (a ^ b) & 1; /* signs move to the output */
    a &= ~1u;
    b &= ~1u;
    if (a == b) return sign;
    if (a > b) {
        lit swap = a;
        a = b;
        b = swap;
    }
    assert(b / 2 < circuit->gates.len); /* (1) */
    if (a == LIT_FALSE) return b ^ sign;
    return cons(circuit, (struct gate){GATE_XOR, a, b}) ^ sign;
}

/* With a stack of its own: circuits are deep. The cone found last is forgotten first, also when
 * memory was refused in the middle. */
void circuit_cone(struct circuit *circuit, lit output)
{
    struct mem *mem = circuit->mem;
    assert(output / 2 < circuit->gates.len);
    for (uint32_t i = 0; i < circuit->cone.len; i++) circuit->place.data[circuit->cone.data[i]] = 0;
    circuit->cone.len = circuit->todo.len = 0;
    while (circuit->place.len < circuit->gates.len) vec_push(mem, &circuit->place, 0);
    vec_push(mem, &circuit->todo, output / 2);
    while (circuit->todo.len) {
        uint32_t g = circuit->todo.data[circuit->todo.len - 1], *place = circuit->place.data;
        const struct gate *gate = &circuit->gates.data[g];
        uint32_t a = gate->a / 2, b = gate->b / 2;
        if (gate->kind >= GATE_AND && !(place[a] && place[b])) {
            if (!place[b]) vec_push(mem, &circuit->todo, b);
            if (!place[a]) vec_push(mem, &circuit->todo, a);
            continue;
        }
        circuit->todo.len--;
        if (place[g]) continue;
        vec_push(mem, &circuit->cone, g);
        place[g] = circuit->cone.len;
    }
    assert(circuit->cone.data[circuit->cone.len - 1] == output / 2); /* operands first */
}

bool circuit_check(const struct circuit *circuit)
{
    for (uint32_t i = 1; i < circuit->gates.len; i++) {
        const struct gate *gate = &circuit->gates.data[i];
        if (circuit->slots[slot_of(circuit, gate)] != i) return false; /* (2) */
        if (gate->kind < GATE_AND) continue;
        if (gate->a / 2 >= i || gate->b / 2 >= i) return false; /* (1) */
        if (gate->a <= LIT_TRUE || gate->a / 2 >= gate->b / 2) return false;
        if (gate->kind == GATE_XOR && ((gate->a | gate->b) & 1)) return false; /* (3) */
    }
    return true;
}
