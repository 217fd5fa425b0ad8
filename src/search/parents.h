/* Who discovered whom, in about two bits per state. A breadth-first search expands states in the
 * order of their numbers and numbers new states as it finds them; so a log of two kinds of marks,
 * "the next state is expanded" (1) and "a new state was found" (0), says it all: the parent of
 * state i is the number of ones before the i-th zero, less one. */
#ifndef CAIRN_SEARCH_PARENTS_H
#define CAIRN_SEARCH_PARENTS_H

#include "base/mem.h"

enum { PARENTS_PAGE_WORDS = 1024 };

struct parents_page {
    uint64_t zeros_before; /* in earlier pages */
    uint64_t words[PARENTS_PAGE_WORDS];
};

struct parents {
    struct mem *mem;
    struct parents_page **pages;
    struct parents_page *spare; /* all zero, or NULL */
    uint32_t page_count, page_cap;
    uint64_t bits, zeros;
};

#define PARENTS_NONE UINT64_MAX

void parents_init(struct parents *parents, struct mem *mem);
void parents_release(struct parents *parents);
/* Makes the log empty and keeps a page of its memory. */
void parents_clear(struct parents *parents);
/* One more page. False: memory was refused. */
bool parents_grow(struct parents *parents);

/* Both return false when memory is refused. */
static inline bool parents_expand(struct parents *parents)
{
    const uint64_t within = parents->bits % (64 * PARENTS_PAGE_WORDS);
    if (!within && !parents_grow(parents)) return false;
    parents->pages[parents->page_count - 1]->words[within / 64] |= UINT64_C(1) << within % 64;
    parents->bits++;
    return true;
}
static inline bool parents_found(struct parents *parents)
{
    const uint64_t within = parents->bits % (64 * PARENTS_PAGE_WORDS);
    if (!within && !parents_grow(parents)) return false;
    parents->zeros++;
    parents->bits++;
    return true;
}
/* Room for so many more; false also when they are more than a page. */
bool parents_reserve(struct parents *parents, uint64_t bits);
/* For files: `*count` words of the log, from this one on; they are in one piece. */
const uint64_t *parents_words(const struct parents *parents, uint64_t word, uint64_t *count);
/* Makes the log longer. The word that it ends in, or the next one, becomes this; its first `bits`
 * bits count, more than did before. */
enum parents_result { PARENTS_EXTENDED, PARENTS_REFUSED, PARENTS_STRANGE };
enum parents_result parents_extend(struct parents *parents, uint64_t word, unsigned bits);
/* Whether the counts are those of the log. */
bool parents_check(const struct parents *parents);

/* The number of the expansion that found the state: where each state is expanded once, in the order
 * of numbers, that of its parent. PARENTS_NONE: an initial state. */
uint64_t parents_of(const struct parents *parents, uint64_t state);

#endif
