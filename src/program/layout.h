/* How a state is packed: every variable is a field of one 64-bit word, never crossing two; value -
 * low is stored. The record in the store is the words cut to a multiple of four bytes. Hidden
 * variables have words of their own behind the others: states are compared up to there.
 *
 * Invariants: (1) a field lies within one word; (2) no two fields share a bit; (3) fields lie
 * within the record, those of hidden variables behind the key, the others within it. */
#ifndef CAIRN_PROGRAM_LAYOUT_H
#define CAIRN_PROGRAM_LAYOUT_H

#include "model/model.h"

#include <assert.h>

struct field {
    uint32_t word;
    uint8_t shift;
    uint8_t bits;
    uint64_t mask; /* of the value, before shifting */
    int64_t low;
};

struct layout {
    struct field *fields; /* one per variable */
    uint32_t words;       /* of a working state */
    uint32_t record_bytes;
    uint32_t key_bytes;  /* of the record, without hidden variables */
    uint32_t state_bits; /* without padding */
};

void layout_init(struct layout *layout, const struct model *model);
void layout_release(struct layout *layout, const struct model *model);
bool layout_check(const struct layout *layout, const struct model *model);

static inline int64_t field_get(const struct field *field, const uint64_t *words)
{
    return (int64_t)(words[field->word] >> field->shift & field->mask) + field->low;
}
static inline void field_set(const struct field *field, uint64_t *words, int64_t value)
{
    assert((uint64_t)value - (uint64_t)field->low <= field->mask);
    words[field->word] = (words[field->word] & ~(field->mask << field->shift))
                         | (uint64_t)(value - field->low) << field->shift;
}
void layout_pack(const struct layout *layout, const struct model *model, const int64_t *values,
                 uint64_t *words);
void layout_unpack(const struct layout *layout, const struct model *model, const uint64_t *words,
                   int64_t *values);

#endif
