/* And-inverter graphs with inputs, latches and properties, written in the format AIGER 1.9 (Biere,
 * Heljanko, Wieringa 2011), as text (aag) or binary (aig). What the graph computes is a circuit of
 * bits/circuit.h; it becomes AND gates only when it is written. */
#ifndef CAIRN_EXPORT_AIG_H
#define CAIRN_EXPORT_AIG_H

#include "bits/circuit.h"

#include <stdio.h>

enum aig_reset { AIG_ZERO, AIG_ONE, AIG_ANY };

/* An input, a bad state or a constraint: a literal of the circuit. */
struct aig_signal {
    const char *name;
    lit value;
};

struct aig_latch {
    const char *name;
    lit value; /* an input of the circuit */
    lit next;
    enum aig_reset reset;
};

/* Violated on a run that makes each of its literals true again and again. */
struct aig_justice {
    const char *name;
    uint32_t first, count; /* a range of aig.justice_lits, not empty */
};

struct aig {
    struct circuit *circuit; /* all its inputs that matter are inputs or latches here */
    VEC(struct aig_signal) inputs;
    VEC(struct aig_latch) latches;
    VEC(struct aig_signal) bads;
    VEC(struct aig_signal) constraints; /* must hold in every step */
    VEC(struct aig_justice) justice;
    VEC(lit) justice_lits;
};

void aig_init(struct aig *aig, struct circuit *circuit);
void aig_release(struct aig *aig);

/* The graph and its symbol table; a comment section may follow, which begins with a line `c`. */
void aig_write(const struct aig *aig, FILE *out, bool binary);

#endif
