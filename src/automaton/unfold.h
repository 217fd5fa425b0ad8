/* The words of an automaton with cycles, up to a length: as a dag, as numbers, as a list. */
#ifndef CAIRN_AUTOMATON_UNFOLD_H
#define CAIRN_AUTOMATON_UNFOLD_H

#include "automaton/activity/dag.h"
#include "automaton/guide/dfa.h"
#include "base/natural.h"

/* The automaton without cycles as a dag; its states get other numbers. With ends_only just the
 * states that nothing follows are final, so that the dag's words are those that cannot be
 * continued; otherwise finality is kept. BUILD_TOO_LARGE: it has a cycle, the language is infinite.
 */
enum build_status unfold_acyclic(const struct dfa *dfa, struct dag *dag, bool ends_only);

/* The dag whose states are pairs of a state and the number of steps to it, at most `bound`; they
 * are numbered by steps, those with equally many by state. With ends_only just the states that
 * nothing follows are final: its words (paths.h) are those of `bound` labels and the shorter ones
 * that cannot be continued. `*state_of` (if asked for) gives the automaton's state of each; the
 * caller frees it. BUILD_TOO_LARGE: more than max_states. */
enum build_status unfold(const struct dfa *dfa, uint64_t bound, bool ends_only, uint32_t max_states,
                         struct dag *dag, uint32_t **state_of);

/* The number of words of each length from 0 to `bound`, as an array that is the caller's, as the
 * numbers are. NULL when memory is refused. */
struct natural *unfold_counts(const struct dfa *dfa, uint32_t bound);

/* Words one after the other, shorter ones first, those of a length by their labels, of an automaton
 * whose states are all final. At most `most` words of at most `bound` labels are listed. */
struct unfold_words {
    struct mem *mem;
    uint64_t count;
    uint32_t *from, *label, *length; /* of each word: the word without its last label, and that
                                        label; the first word is the empty one */
};
enum build_status unfold_list(const struct dfa *dfa, uint64_t bound, uint64_t most,
                              struct unfold_words *words);
void unfold_release(struct unfold_words *words);
/* Fills in the labels of a word; there must be room for its length. */
void unfold_word(const struct unfold_words *words, uint64_t index, uint32_t *labels);

#endif
