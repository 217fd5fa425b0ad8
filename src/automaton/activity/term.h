/* Activities: what an environment may do, as terms over events. The language of a term is a finite,
 * non-empty set of words of labels:
 *
 *   skip           the empty word               seq(a, b)     words of a followed by words of b
 *   event l        the word l                   choice(a, b)  words of a and words of b
 *   loop(n, a)     n times a, one after another par(a, b)     all interleavings of a word of a with
 *                                                             a word of b
 *
 * Terms are hash-consed. Terms are made by readers, so memory that is refused jumps (base/mem.h).
 *
 * Invariants (terms_check): (1) equal terms are equal indices; (2) the parts of a term have smaller
 * indices than the term; (3) skip is term 0, and it disappears where it changes nothing: only a
 * choice has it as a part. */
#ifndef CAIRN_AUTOMATON_ACTIVITY_TERM_H
#define CAIRN_AUTOMATON_ACTIVITY_TERM_H

#include "base/mem.h"

typedef struct {
    uint32_t i;
} term;

enum term_op { TERM_SKIP, TERM_EVENT, TERM_SEQ, TERM_CHOICE, TERM_PAR, TERM_LOOP };

struct term_node {
    enum term_op op;
    uint32_t number; /* of an event: its label; of a loop: how often */
    term a, b;       /* parts; what is absent is 0, which is skip */
};

struct terms {
    struct mem *mem;
    VEC(struct term_node) nodes;
    uint32_t *slots; /* index + 1; 0: free */
    uint32_t size;
};

void terms_init(struct terms *terms, struct mem *mem);
void terms_release(struct terms *terms);

static inline const struct term_node *term_get(const struct terms *terms, term t)
{
    return &terms->nodes.data[t.i];
}

static inline bool term_same(term a, term b) { return a.i == b.i; }

term term_skip(void);
term term_event(struct terms *terms, uint32_t label);
term term_seq(struct terms *terms, term a, term b);
term term_choice(struct terms *terms, term a, term b);
term term_par(struct terms *terms, term a, term b);
term term_loop(struct terms *terms, uint32_t times, term a);

/* Whether the invariants hold. */
bool terms_check(const struct terms *terms);

#endif
