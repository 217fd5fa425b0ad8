/* Circuits as decision diagrams: input i is the `now` variable of pair i. */
#ifndef CAIRN_BITS_DIAGRAM_H
#define CAIRN_BITS_DIAGRAM_H

#include "bits/circuit.h"
#include "solver/dd/dd.h"

/* Inside dd_catch; memory that is refused to others than diagrams goes to the context's recovery
 * point. */
bdd diagram_of(struct circuit *circuit, struct dd *dd, lit output);

#endif
