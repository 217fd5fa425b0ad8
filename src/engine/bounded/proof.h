/* Proofs by k-induction (Sheeran, Singh and Stålmarck 2000; Eén and Sörensson 2003). No bad
 * state is reachable when
 *  - none is within k - 1 steps of an initial state (the base), and
 *  - no run of k steps from any state to a bad one passes through good states only, all different
 *    (the step).
 * What is bad: the negation of an invariant, or the states of a watcher (clauses/watch.h),
 * which has its automaton's state and more as parts of its own.
 *
 * That states differ is asked only of pairs that a run of the solver had equal. */
#ifndef CAIRN_ENGINE_BOUNDED_PROOF_H
#define CAIRN_ENGINE_BOUNDED_PROOF_H

#include "clauses/watch.h"

enum proof_answer { PROOF_OPEN, PROOF_DONE, PROOF_FAILED, PROOF_STOPPED };

struct proof_side {
    struct sat *sat;
    struct unrolling u;
    struct watch watch;
    uint32_t positions; /* at which something was asked or asserted */
};

struct proof {
    struct net *net;
    struct mem *mem;
    lit bad;                       /* of an invariant */
    const struct watcher *watcher; /* NULL: an invariant */
    bool has_base;
    VEC(lit) lemmas; /* invariants of the model that are proved already */
    struct proof_side base, step;
    uint64_t conflicts;      /* in all */
    uint64_t base_conflicts; /* most for a question of the base; at first without a limit */
};

struct proof_poll {
    bool (*go_on)(void *context);
    void *context;
};

/* with_base: otherwise the caller sees to it that no bad state is within k - 1 steps before it asks
 * for depth k. possible_lemmas: what proof_assume may be called with. */
void proof_init(struct proof *proof, struct net *net, lit bad, const struct watcher *watcher,
                bool with_base, const lit *possible_lemmas, uint32_t count, struct proof_poll poll);
void proof_release(struct proof *proof); /* not the solvers: whoever owns the proof frees base.sat
                                            and step.sat, also when memory was refused half way */

/* This is true in every reachable state: from now on only such states count. */
void proof_assume(struct proof *proof, lit lemma);

/* Depths are asked in order: 0, 1, 2, ... PROOF_OPEN: not with this depth (or not with so few
 * conflicts); PROOF_FAILED: a bad state is reachable; PROOF_STOPPED: a limit was met. */
enum proof_answer proof_try(struct proof *proof, uint64_t max_conflicts);

#endif
