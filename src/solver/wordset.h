/* A set of words that are not all ones: the slots of a table (table.h) hold them whole, mixed so
 * that they spread, and the mixture can be undone. So a lookup is one cache miss, and a word takes
 * 9 to 14 bytes. Words have no numbers: who wants the states in some order keeps that himself. */
#ifndef CAIRN_SOLVER_WORDSET_H
#define CAIRN_SOLVER_WORDSET_H

#include "solver/table.h"

struct wordset {
    struct table table;
    uint64_t count;
};

enum wordset_result { WORDSET_NEW, WORDSET_KNOWN, WORDSET_REFUSED };
enum { WORDSET_LOW_BITS = 32 };

#define WORDSET_FACTOR UINT64_C(0xD6E8FEB86659FD93)
#define WORDSET_INVERSE UINT64_C(0xCFEE444D8B59A89B) /* their product is 1 */

/* How a word is kept, and what the functions below are asked for: never 0. */
static inline uint64_t wordset_mix(uint64_t word)
{
    uint64_t x = word + 1;
#ifndef CAIRN_DEGENERATE /* where all have the same home */
    x ^= x >> 32;
    x *= WORDSET_FACTOR;
    x ^= x >> 32;
    x *= WORDSET_FACTOR;
    x ^= x >> 32;
#endif
    return x;
}

static inline uint64_t wordset_unmix(uint64_t mixed)
{
    uint64_t x = mixed;
#ifndef CAIRN_DEGENERATE
    x ^= x >> 32;
    x *= WORDSET_INVERSE;
    x ^= x >> 32;
    x *= WORDSET_INVERSE;
    x ^= x >> 32;
#endif
    return x - 1;
}

bool wordset_init(struct wordset *words, struct mem *mem);
void wordset_release(struct wordset *words);

static inline bool wordset_has(const struct wordset *words, uint64_t mixed)
{
    const struct table_segment *segment = table_segment_of(&words->table, mixed);
    return segment->slots[table_first(segment, mixed, mixed - 1, WORDSET_LOW_BITS)] == mixed;
}

enum wordset_result wordset_add(struct wordset *words, uint64_t mixed);

/* Many at once: room for so many more in each part, with `spare` bytes of memory left; then parts
 * are widened, and words put, by several threads, each in parts of its own; WORDSET_REFUSED: there
 * is no place. Then one thread tidies the table, and counts. */
bool wordset_reserve(struct wordset *words, const uint32_t *in_part, uint64_t spare);
static inline enum wordset_result wordset_put(struct wordset *words, uint64_t mixed)
{
    struct table_segment *segment = table_segment_of(&words->table, mixed);
    const uint32_t at = table_first(segment, mixed, mixed - 1, WORDSET_LOW_BITS);
    if (segment->slots[at] == mixed) return WORDSET_KNOWN;
    return table_insert(segment, at, mixed) ? WORDSET_NEW : WORDSET_REFUSED;
}
void wordset_count(struct wordset *words);

/* Removes one, if it is there. */
void wordset_remove(struct wordset *words, uint64_t mixed);

bool wordset_check(const struct wordset *words);

#endif
