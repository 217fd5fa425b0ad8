/* The gates of a circuit that some outputs need, copied into a solver as often as they are needed
 * (Tseitin's encoding): once for every state of a run, say.
 *
 * Invariants: (1) gates stand in the order of the circuit, operands first, and each once; (2)
 * place[g] - 1 is the place of gate g, and a gate of the cone has its operands in it, unless they
 * are inputs or constants. */
#ifndef CAIRN_CLAUSES_CONE_H
#define CAIRN_CLAUSES_CONE_H

#include "bits/circuit.h"
#include "solver/sat/sat.h"

struct cone {
    struct circuit *circuit;
    struct mem *mem;
    VEC(uint32_t) gates;
    uint32_t *place;      /* per gate: + 1; 0: not in it */
    uint32_t place_count; /* gates of the circuit when the cone was begun */
};

/* Where a copy is: a literal for each input, and the first of the variables of its gates. */
struct cone_copy {
    int true_literal;
    const int *inputs;
    int gates;
};

/* The circuit must not grow any more while there is a cone of it. */
void cone_init(struct cone *cone, struct circuit *circuit, struct mem *mem);
void cone_add(struct cone *cone, lit output);
void cone_release(struct cone *cone);

/* Adds the clauses of a copy for these inputs; returns the first variable of its gates. */
int cone_copy(const struct cone *cone, struct sat *sat, int true_literal, const int *inputs);
/* Whether the invariants hold. */
bool cone_check(const struct cone *cone);
/* A literal of the circuit in a copy: an input, a constant or one that the cone has. */
int cone_literal(const struct cone *cone, struct cone_copy copy, lit l);

#endif
