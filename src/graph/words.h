/* The words of a graph whose edges have a letter, or are silent: all that ways from its initial
 * states spell. The set of words is closed under prefixes, so every state of its automaton is
 * final. */
#ifndef CAIRN_GRAPH_WORDS_H
#define CAIRN_GRAPH_WORDS_H

#include "automaton/guide/dfa.h"
#include "base/natural.h"

#define WORDS_SILENT UINT32_MAX

struct words_graph {
    struct mem *mem;
    uint32_t states, initial;     /* states 0 .. initial - 1 are the initial ones */
    uint64_t *first;              /* per state, and one more: where its edges are */
    uint32_t *to, *letter;        /* of each edge; a letter, or WORDS_SILENT */
    bool (*go_on)(void *context); /* false: a limit was reached */
    void *context;
};

enum words_status { WORDS_DONE, WORDS_REFUSED, WORDS_STOPPED };

/* The minimal deterministic automaton of the words; labels are letters. Unless it is done, there is
 * none: memory was refused, or go_on said no. */
enum words_status words_automaton(const struct words_graph *graph, struct dfa *dfa);

/* A number of words. */
struct words_count {
    bool is_infinite;
    struct natural number; /* otherwise */
};

/* All words of an automaton whose states are all final, the empty one included; those that no
 * longer word begins with. False: memory was refused. */
bool words_count_all(const struct dfa *dfa, struct words_count *count);
bool words_count_maximal(const struct dfa *dfa, struct words_count *count);
void words_count_free(const struct dfa *dfa, struct words_count *count);

/* The same by enumeration: each word with the states that it leads to. Unless it is done, the
 * counts are those of the words so far. */
struct words_enumeration {
    uint64_t words, maximal;
    uint64_t pairs; /* of a word and a state */
};
enum words_status words_enumerate(const struct words_graph *graph, struct words_enumeration *found);

/* A word in a list. The first one is the empty word. */
struct words_item {
    uint32_t parent, letter; /* the word without its last letter, in the list; that letter */
    uint32_t state;          /* where it ends */
};

/* The first words, shortest first, those of one length by their letters. Returns how many of
 * `most` there are. */
uint64_t words_list(const struct dfa *dfa, struct words_item *list, uint64_t most);

#endif
