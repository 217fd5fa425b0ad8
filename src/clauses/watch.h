/* A run watched by the Büchi automaton of a formula's negation, so that a violation of the formula
 * becomes a state that is reached: a state of this construction is bad when the run violates the
 * formula.
 *
 * When every accepting run of the automaton ends in a state that accepts whatever comes (a safety
 * property), being there is bad. Otherwise the construction of Biere, Artho and Schuppan (2002)
 * finds lassos: at some position the state of the model and the automaton is saved; bad is to be in
 * the saved state again after every acceptance set was met since. The saved state stays what it is,
 * so one copy serves all positions. */
#ifndef CAIRN_CLAUSES_WATCH_H
#define CAIRN_CLAUSES_WATCH_H

#include "clauses/unroll.h"
#include "automaton/buchi.h"

/* The automaton; shared by all runs that it watches. */
struct watcher {
    struct mem *mem;
    struct buchi buchi;
    struct net_condition *atoms;
    bool *accepts_all; /* per state: it accepts whatever comes */
    bool is_safety;
};

/* Returns NULL, or why the formula cannot be watched. Its conditions become part of the net. */
const char *watcher_init(struct watcher *watcher, struct net *net, formula f);
void watcher_release(struct watcher *watcher);
void watcher_outputs(const struct watcher *watcher, struct mem *mem, lit **outputs,
                     uint32_t *count);

/* One run that is watched. */
struct watch {
    const struct watcher *watcher;
    struct unrolling *u;
    int saved_state, saved_automaton; /* the first variables of the copy */
    VEC(int)
    blocks; /* per position: the first variable of: automaton states, saved, marks; they are part of
               the state */
    VEC(int) bad; /* per position */
};

void watch_start(struct watch *watch, const struct watcher *watcher, struct unrolling *u);
void watch_extend(struct watch *watch); /* after unroll_extend */
void watch_release(struct watch *watch);
uint32_t watch_block(const struct watcher *watcher); /* how many variables a block has */

#endif
