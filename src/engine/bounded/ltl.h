/* LTL on runs of a bounded number of positions, in a formula of linear size (Biere, Heljanko,
 * Junttila, Latvala and Schuppan, "Linear encodings of bounded LTL model checking", 2006), made so
 * that one solver can go from depth to depth.
 *
 * What is looked for is a run on which a formula in negation normal form is true (the negation of a
 * property). Every part of it has a variable per position; if the variable is true then the part is
 * true there. The other direction is not needed, because the formula is monotone in its parts.
 *
 * At depth k the run either goes on from position k with position i, for some i <= k, because the
 * states at i - 1 and k are equal (`starts[i]`): then what is said of position k + 1 is what is
 * said of position i. Or it does not loop: then nothing may be said of position k + 1, and the run
 * is a prefix all of whose continuations make the formula true. What depends on k is in force under
 * an assumption, `depths[k]`. To keep its size independent of the number of loops, the state at k
 * and the parts at i have one copy each (`end`, `back`), which every possible loop refers to.
 *
 * An until that is put off at k must be kept in the loop: `kept` says that its right side was true
 * in the loop so far. */
#ifndef CAIRN_ENGINE_BOUNDED_LTL_H
#define CAIRN_ENGINE_BOUNDED_LTL_H

#include "clauses/unroll.h"
#include "automaton/buchi/nnf.h"

struct ltl_part {
    nnf node;
    bool carried;   /* it is said of next positions: the operand of an X, an until, a release */
    uint32_t until; /* the number of an until, or MODEL_NONE */
};

struct ltl {
    struct unrolling *u;
    struct mem *mem;
    struct nnfs nnfs;
    struct net_condition *atoms; /* true, and not defined */
    uint32_t atom_count;
    nnf root;
    VEC(struct ltl_part) parts; /* operands first */
    uint32_t *part_of;          /* per node: its part */
    uint32_t untils;
    int end;         /* the first of the bits of the state at the end */
    int back;        /* the first of the parts at the position that the loop goes back to */
    VEC(int) values; /* per position and one more: the first variable of its parts */
    VEC(int) starts, inside, kept, depths; /* per position */
};

/* The conditions that the formula needs as outputs of the unrolling must be made before it:
 * ltl_prepare, unroll_init, ltl_start. Returns NULL, or why the formula cannot be taken. */
const char *ltl_prepare(struct ltl *ltl, struct net *net, formula f, bool negated);
void ltl_outputs(const struct ltl *ltl, struct mem *mem, lit **outputs, uint32_t *count);
void ltl_start(struct ltl *ltl, struct unrolling *u);
void ltl_release(struct ltl *ltl);

/* After each unroll_extend (and once at the start). */
void ltl_extend(struct ltl *ltl);
/* What to assume for runs of the last depth. */
void ltl_assume(const struct ltl *ltl);
/* No run of this depth exists: never ask again. */
void ltl_close(struct ltl *ltl);

/* After SAT_YES: the run, with its loop if it has one. */
struct trace *ltl_trace(const struct ltl *ltl);

#endif
