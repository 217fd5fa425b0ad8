/* The words of an automaton, which are its paths from the start to a final state: how many there
 * are, exactly, and single ones of them. Words are ordered by label, and a word stands before its
 * continuations. In a branching automaton paths are counted and listed, so that a word comes as
 * often as it has paths. */
#ifndef CAIRN_AUTOMATON_ACTIVITY_PATHS_H
#define CAIRN_AUTOMATON_ACTIVITY_PATHS_H

#include "automaton/activity/dag.h"
#include "base/natural.h"

/* For each state, the number of words from it on. */
struct paths {
    const struct dag *dag;
    uint64_t *words; /* those of state s are words[first[s]] .. words[first[s + 1] - 1] */
    uint64_t *first;
};

bool paths_init(struct paths *paths, const struct dag *dag); /* false: refused */
void paths_release(struct paths *paths);
/* The number of words from a state on; its digits stay owned by paths. */
struct natural paths_from(const struct paths *paths, uint32_t state);

/* Only the number of all words of the automaton; the caller frees it. */
bool paths_count(const struct dag *dag, struct natural *count);

/* Word number `rank`, counted from 0, which must be less than paths_from(0); `word` has room for
 * the longest one. */
bool paths_word(const struct paths *paths, const struct natural *rank, uint32_t *word,
                uint32_t *length);

/* All words one after the other: while (paths_next(&walk)) use(walk.word, walk.length). Automata
 * without a word do not exist. */
struct paths_walk {
    const struct dag *dag;
    uint32_t *word, *edge; /* the labels so far, and the edges that they were taken from */
    uint32_t length;
    bool has_started;
};
bool paths_walk_init(struct paths_walk *walk, const struct dag *dag); /* false: refused */
bool paths_next(struct paths_walk *walk);
void paths_walk_release(struct paths_walk *walk);

#endif
