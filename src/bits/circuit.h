/* Boolean circuits: hash-consed gates over inputs, simplified as they are built. A literal is a
 * gate and a sign.
 *
 * Invariants (circuit_check): (1) operands come before the gates that use them, so a walk in order
 * of numbers is a walk from inputs to outputs; (2) no two gates are equal; (3) operands ascend, and
 * none is a constant or the other's negation; those of an exclusive or have no sign. */
#ifndef CAIRN_BITS_CIRCUIT_H
#define CAIRN_BITS_CIRCUIT_H

#include "base/mem.h"

typedef uint32_t lit; /* 2 * gate, + 1 when negated */
enum { LIT_FALSE = 0, LIT_TRUE = 1 };

enum gate_kind { GATE_FALSE, GATE_INPUT, GATE_AND, GATE_XOR };

struct gate {
    uint8_t kind;
    lit a, b; /* of an input: a is its number */
};

struct circuit {
    struct mem *mem;
    VEC(struct gate) gates; /* gate 0 is the constant */
    uint32_t *slots;        /* gate, or 0; open addressing */
    uint32_t size;
    VEC(uint32_t) cone, todo; /* what circuit_cone found, and what it has yet to look at */
    VEC(uint32_t) place;      /* per gate: its place in the cone, + 1 */
};

void circuit_init(struct circuit *circuit, struct mem *mem);
void circuit_release(struct circuit *circuit);

lit circuit_input(struct circuit *circuit, uint32_t number);
lit circuit_and(struct circuit *circuit, lit a, lit b);
lit circuit_xor(struct circuit *circuit, lit a, lit b);

/* The gates that the output depends on, operands first, in circuit->cone; circuit->place says where
 * each one is. It costs what the cone has, however large the circuit is. */
void circuit_cone(struct circuit *circuit, lit output);

/* Whether the invariants hold. */
bool circuit_check(const struct circuit *circuit);

static inline lit lit_not(lit a) { return a ^ 1; }
static inline lit circuit_or(struct circuit *circuit, lit a, lit b)
{
    return lit_not(circuit_and(circuit, lit_not(a), lit_not(b)));
}
static inline lit circuit_ite(struct circuit *circuit, lit c, lit a, lit b)
{
    /* c ? a : b as b ^ (c & (a ^ b)): one gate fewer than the sum of products, and none when a and
     * b are equal */
    return circuit_xor(circuit, b, circuit_and(circuit, c, circuit_xor(circuit, a, b)));
}

#endif
