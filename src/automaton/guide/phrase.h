/* Guides: what may happen, as terms over interactions (xGDL). The language of a term is a non-empty
 * regular set of words of labels:
 *
 *   skip                 the empty word
 *   event l              the word l
 *   seq(a, b, ...)       words of a, then words of b, and so on
 *   choice(a, b, ...)    words of any of them
 *   par(a, b, ...)       all interleavings of a word of each
 *   opt(a), star(a), plus(a), rep(i, j, a)
 *                        so many times a, one after another
 *   of(i, j, a, b, ...)  i to j of the terms, each at most once, one after another in any order; of
 *                        n terms never more than n
 *
 * A guide allows the prefixes of these words, too (compile.h). Terms are hash-consed. They are made
 * by readers, so memory that is refused jumps (base/mem.h).
 *
 * Invariants (phrases_check): (1) equal terms are equal indices; (2) the parts of a term have
 * smaller indices than the term; (3) skip is term 0, and no sequence, interleaving or repetition
 * has it as a part; (4) a sequence, a choice and an interleaving have two parts or more, a
 * repetition has one; (5) low <= high, and of(low, high, ...) has at least `high` parts. */
#ifndef CAIRN_AUTOMATON_GUIDE_PHRASE_H
#define CAIRN_AUTOMATON_GUIDE_PHRASE_H

#include "base/text.h"

typedef struct {
    uint32_t i;
} phrase;

enum phrase_op {
    PHRASE_SKIP,
    PHRASE_EVENT,
    PHRASE_SEQ,
    PHRASE_CHOICE,
    PHRASE_PAR,
    PHRASE_OPT,
    PHRASE_STAR,
    PHRASE_PLUS,
    PHRASE_REP,
    PHRASE_OF
};

struct phrase_node {
    enum phrase_op op;
    uint32_t low, high;    /* of REP and OF: how often; of an EVENT: low is its label */
    uint32_t first, count; /* its parts: phrases.parts[first] .. */
};

struct phrases {
    struct mem *mem;
    VEC(struct phrase_node) nodes;
    VEC(phrase) parts;
    uint32_t *slots; /* index + 1; 0: free */
    uint32_t size;
};

void phrases_init(struct phrases *terms, struct mem *mem);
void phrases_release(struct phrases *terms);

static inline const struct phrase_node *phrase_get(const struct phrases *terms, phrase t)
{
    return &terms->nodes.data[t.i];
}

static inline phrase phrase_part(const struct phrases *terms, phrase t, uint32_t index)
{
    return terms->parts.data[terms->nodes.data[t.i].first + index];
}

phrase phrase_skip(void);
phrase phrase_event(struct phrases *terms, uint32_t label);
/* SEQ, CHOICE, PAR of any number of parts; OPT, STAR, PLUS of one. Skip disappears where it changes
 * nothing, and so do equal alternatives. */
phrase phrase_join(struct phrases *terms, enum phrase_op op, const phrase *parts, uint32_t count);
phrase phrase_rep(struct phrases *terms, uint32_t low, uint32_t high, phrase part);
phrase phrase_of(struct phrases *terms, uint32_t low, uint32_t high, const phrase *parts,
                 uint32_t count);

/* The term with by[l] in the place of each label l below `labels`. */
phrase phrase_replace(struct phrases *terms, phrase t, const phrase *by, uint32_t labels);

/* The name of a label; the text must live until the next call. */
typedef const char *phrase_label(void *data, uint32_t label);

/* Adds the term as it is written in a guide, with as few parentheses as it needs. */
void phrase_print(struct text *text, const struct phrases *terms, phrase t, phrase_label *label,
                  void *data);

/* For each label below `labels`: whether the term has it. The array is the caller's. */
void phrase_mark_labels(const struct phrases *terms, phrase t, bool *has, uint32_t labels);

/* Whether the invariants hold. */
bool phrases_check(const struct phrases *terms);

#endif
