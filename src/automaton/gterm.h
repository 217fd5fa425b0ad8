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
 * A guide allows the prefixes of these words, too (compile.h). Terms are hash-consed: equal terms
 * are equal indices, and the parts of a term have smaller indices than the term. Terms are made by
 * readers, so memory that is refused jumps (base/mem.h). */
#ifndef CAIRN_AUTOMATON_GTERM_H
#define CAIRN_AUTOMATON_GTERM_H

#include "base/text.h"

typedef struct {
    uint32_t i;
} gterm;

enum gterm_op {
    GTERM_SKIP,
    GTERM_EVENT,
    GTERM_SEQ,
    GTERM_CHOICE,
    GTERM_PAR,
    GTERM_OPT,
    GTERM_STAR,
    GTERM_PLUS,
    GTERM_REP,
    GTERM_OF
};

struct gterm_node {
    enum gterm_op op;
    uint32_t low, high;    /* of REP and OF: how often; of an EVENT: low is its label */
    uint32_t first, count; /* its parts: gterms.parts[first] .. */
};

struct gterms {
    struct mem *mem;
    VEC(struct gterm_node) nodes;
    VEC(gterm) parts;
    uint32_t *slots; /* index + 1; 0: free */
    uint32_t size;
};

void gterms_init(struct gterms *terms, struct mem *mem);
void gterms_release(struct gterms *terms);

static inline const struct gterm_node *gterm_get(const struct gterms *terms, gterm t)
{
    return &terms->nodes.data[t.i];
}

static inline gterm gterm_part(const struct gterms *terms, gterm t, uint32_t index)
{
    return terms->parts.data[terms->nodes.data[t.i].first + index];
}

gterm gterm_skip(void);
gterm gterm_event(struct gterms *terms, uint32_t label);
/* SEQ, CHOICE, PAR of any number of parts; OPT, STAR, PLUS of one. Skip disappears where it changes
 * nothing, and so do equal alternatives. */
gterm gterm_join(struct gterms *terms, enum gterm_op op, const gterm *parts, uint32_t count);
gterm gterm_rep(struct gterms *terms, uint32_t low, uint32_t high, gterm part);
gterm gterm_of(struct gterms *terms, uint32_t low, uint32_t high, const gterm *parts,
               uint32_t count);

/* The term with by[l] in the place of each label l below `labels`. */
gterm gterm_replace(struct gterms *terms, gterm t, const gterm *by, uint32_t labels);

/* The name of a label; the text must live until the next call. */
typedef const char *gterm_label(void *data, uint32_t label);

/* Adds the term as it is written in a guide, with as few parentheses as it needs. */
void gterm_print(struct text *text, const struct gterms *terms, gterm t, gterm_label *label,
                 void *data);

/* For each label below `labels`: whether the term has it. The array is the caller's. */
void gterm_mark_labels(const struct gterms *terms, gterm t, bool *has, uint32_t labels);

#endif
