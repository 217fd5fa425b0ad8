/* Records of several words as one word each, and back: a tree of words (recursive indexing, as in
 * Laarman, van de Pol, Weber: Parallel Recursive State Compression for Free, SPIN 2011).
 *
 * Each leaf of a binary tree stands for a word of the record, and each node has a list of what
 * occurs there, without repetition: a leaf the words, an inner node the pairs of numbers that its
 * children have. So a number stands for all the words below a node. The root has no list: its pair
 * of numbers, 64 bits, is the record, and who keeps records keeps these words, in a set of words
 * for example. Nodes far below the root have short lists, however many records there are.
 *
 * How long the lists of the others are depends on what stands together, so the shape of the tree is
 * found from a sample of records (tree_shape.c): where words change together they have one pair for
 * each change, and the two halves of the tree change as independently as possible: of n records
 * there are about the square root of n then.
 *
 * A record that differs from another one in few words needs the numbers of these, and of the nodes
 * above them: a view has the numbers of one record, and looks others up beside it.
 *
 * Cost: the lists are stores (store.h) of 8 bytes, about 21 bytes for each entry. Numbers of nodes
 * have 32 bits; where they would need more, memory is refused. Words that always are small need no
 * list: they are their numbers.
 *
 * One thread may add; several may look up meanwhile nothing is added. */
#ifndef CAIRN_SOLVER_TREE_H
#define CAIRN_SOLVER_TREE_H

#include "solver/store.h"

enum { TREE_LEAVES = 1024 };    /* at most */
#define TREE_NONE UINT64_MAX    /* no record's word */
#define TREE_SMALL UINT64_C(31) /* bits of words that need no list */

struct tree {
    struct mem *mem;
    uint32_t leaves; /* nodes before that number; then inner nodes, children before parents; ... */
    uint32_t root;   /* ... the last one is the root */
    uint32_t blocks; /* words of a set of leaves, or of inner nodes but the root */
    uint32_t *sides; /* of inner nodes: left, right */
    uint64_t *above; /* of leaves: the set of inner nodes above, but the root */
    bool *is_small;  /* of leaves: words are their numbers */
    struct store *lists; /* of nodes but the root */
};

/* An entry that was looked up lately. */
struct tree_known {
    uint64_t entry;
    uint32_t node; /* plus 1; 0: there is none */
    uint32_t id;
};

/* A record beside which others are looked up. */
struct tree_view {
    struct tree *tree; /* NULL: it is closed */
    struct mem *mem;
    bool shows;               /* a record, whose ... */
    uint64_t *words;          /* ... words, ... */
    uint32_t *ids;            /* ... and numbers, of all nodes but the root, are these, ... */
    uint64_t sum;             /* ... and its sum */
    uint64_t *leaves, *inner; /* nodes where another record differs */
    uint64_t *changed;        /* node << 32 | the number that it had */
    struct tree_known *known;
    uint32_t known_shift;
};

/* Which trees can be: of so many words. */
static inline bool tree_can(uint32_t words) { return words >= 2 && words <= TREE_LEAVES; }
/* An empty one for records of so many words, shaped by a sample of them: `count` records, one after
 * the other. `used`: the bits of each word that are ever set. False: memory was refused. */
bool tree_init(struct tree *tree, struct mem *mem, uint32_t leaves, const uint64_t *used,
               const uint64_t *sample, uint32_t count);
void tree_release(struct tree *tree);

/* The words of a record. */
void tree_load(const struct tree *tree, uint64_t record, uint64_t *words);
/* One of them. */
uint64_t tree_word(const struct tree *tree, uint64_t record, uint32_t leaf);

/* False: memory was refused; tree_view_close may follow in either case. */
bool tree_view_open(struct tree_view *view, struct tree *tree, struct mem *mem);
void tree_view_close(struct tree_view *view);
/* From now on it shows this record. */
void tree_view_show(struct tree_view *view, uint64_t record);
/* A number that depends on words alone; equal ones are rare. `may`: the set of words that may be
 * others than those of the record that is shown; NULL: all. The next call is tree_view_find or
 * tree_view_sum. */
uint64_t tree_view_sum(struct tree_view *view, const uint64_t *words, const uint64_t *may);
/* After tree_view_sum, of the same words: the record that has them, or TREE_NONE: it was never
 * added. */
uint64_t tree_view_find(struct tree_view *view, const uint64_t *words);
/* Adds what is missing of it, and shows it; TREE_NONE: memory was refused. */
uint64_t tree_view_add(struct tree_view *view, const uint64_t *words);

/* Entries of all lists. */
uint64_t tree_entries(const struct tree *tree);
/* Whether the invariants hold; for tests. */
bool tree_check(const struct tree *tree);

/* ---- tree_shape.c ---- */

/* Pairs nodes, beginning with leaves, until one is left: `sides` gets the two of each pair. False:
 * memory was refused. */
bool tree_shape(struct mem *mem, uint32_t leaves, const uint64_t *sample, uint32_t count,
                uint32_t *sides);

#endif
