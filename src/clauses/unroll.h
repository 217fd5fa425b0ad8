/* Runs of a bounded number of steps as clauses.
 *
 * Positions 0, 1, 2, ... are states of the run at which properties are looked at. Between two
 * positions lies a schedule: some steps in which only safe rules are taken (the thesis' chapter 5;
 * none in plain bounded model checking), then a full one. So with a schedule every position but the
 * first one is the state right after a full step, and what properties see changes nowhere else.
 *
 * Every rule has a literal in each step that says that it is taken. A rule that is taken is enabled
 * and its variables get their new values; a variable that changes was stored to by a rule that is
 * taken (explanatory frame axioms); bits that no rule of the step writes are the same literals
 * before and after.
 *
 *   STEP_ONE       one rule is taken, or, where runs may not end, none in a deadlocked state
 *   STEP_SET       at least one rule, any two of which are independent: neither writes what the
 *                  other reads or writes. They
 *                  can then be taken in any order (Jussila's step semantics).
 *   STEP_SAFE      a safe rule of one process is taken, or none when the process has none that is
 *                  enabled
 *   STEP_ALL_SAFE  the same for all processes at once: safe rules of different processes are
 *                  independent */
#ifndef CAIRN_CLAUSES_UNROLL_H
#define CAIRN_CLAUSES_UNROLL_H

#include "clauses/cone.h"
#include "clauses/net.h"
#include "reduce/process_model.h"
#include "result/trace.h"
#include "solver/sat/sat.h"

enum step_kind { STEP_ONE, STEP_SET, STEP_SAFE, STEP_ALL_SAFE };

/* Which steps lie between two positions. */
struct schedule {
    const struct process_model *processes; /* NULL: no safe steps */
    uint32_t *safe_steps;                  /* per process: so many steps of its safe rules ... */
    uint32_t rounds;     /* ... or, when not 0: so many steps of all processes together */
    bool sets;           /* the full step takes a set of rules */
    const bool *visible; /* with sets: per variable; at most one rule that writes such a one is
                            taken in a step. NULL: no limit */
};

struct unroll_options {
    struct schedule schedule;
    bool from_anywhere; /* position 0 is any plausible state; otherwise an initial one */
    bool endless;       /* a deadlocked state repeats; otherwise runs end there */
};

/* Per variable: which rules of a step access it, as places in the step's list. */
struct unroll_accesses {
    uint32_t *first, *list; /* those of variable v: list[first[v]] to list[first[v + 1] - 1] */
};

/* One kind of step, as it is copied. */
struct unroll_step {
    enum step_kind kind;
    struct cone cone;
    VEC(uint32_t) rules;
    struct unroll_accesses writers, readers;
};

struct unroll_frame {
    int *bits;                      /* the state: a literal per bit */
    int gates;                      /* the first variable of the gates of `step`, or 0 */
    int taken;                      /* the first variable of the rules of `step` */
    const struct unroll_step *step; /* that leaves this frame; NULL: none yet */
};

struct unrolling {
    struct net *net;
    struct mem *mem;
    struct sat *sat;
    struct unroll_options options;
    int true_literal;
    struct unroll_step *steps; /* the schedule: kinds of step, the full one last */
    uint32_t *repeat;          /* how often each is taken */
    uint32_t step_count;
    struct cone outputs; /* what properties look at */
    VEC(struct unroll_frame) frames;
    VEC(struct {
        uint32_t frame;
        int gates;
    })
    positions;
};

/* outputs: what will be asked for at positions, besides bits. The net must not grow any more. */
void unroll_init(struct unrolling *u, struct net *net, struct sat *sat,
                 const struct unroll_options *options, const lit *outputs, uint32_t output_count);
void unroll_release(struct unrolling *u);

static inline uint32_t unroll_last(const struct unrolling *u) { return u->positions.len - 1; }
/* Adds a position. */
void unroll_extend(struct unrolling *u);
/* An output at a position, as a literal of the solver. */
int unroll_output(const struct unrolling *u, uint32_t position, lit output);
static inline const int *unroll_state(const struct unrolling *u, uint32_t position)
{
    return u->frames.data[u->positions.data[position].frame].bits;
}

/* After SAT_YES: the run up to a position. starts[p] is the number of rules taken before position
 * p. */
struct trace *unroll_trace(const struct unrolling *u, uint32_t last, uint32_t *starts);

#endif
