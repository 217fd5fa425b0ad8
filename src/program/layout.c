#include "program/layout.h"

#include "base/checked.h"

#include <string.h>

enum {
    OPEN_WORDS = 8
}; /* how many words with room are remembered: enough to fill gaps, and linear time */

/* The words that were begun, of which some have room. */
struct packing {
    unsigned open_words[OPEN_WORDS], used[OPEN_WORDS], open;
    unsigned words, last_used;
};

/* First fit: a variable goes into the first of the last few words with room. Variables of one
 * process stay close together. */
static struct field pack(struct packing *packing, const struct model_var *var)
{
    uint64_t span = (uint64_t)var->high - (uint64_t)var->low;
    unsigned bits = span ? 64 - (unsigned)__builtin_clzll(span) : 0, at = 0;
    while (at < packing->open && packing->used[at] + bits > 64) at++;
    if (at == packing->open) {
        if (packing->open == OPEN_WORDS) {
            memmove(packing->open_words, packing->open_words + 1,
                    sizeof packing->open_words - sizeof *packing->open_words);
            memmove(packing->used, packing->used + 1, sizeof packing->used - sizeof *packing->used);
            packing->open--;
        }
        at = packing->open++;
        packing->open_words[at] = packing->words++;
        packing->used[at] = 0;
    }
    struct field field = {packing->open_words[at], (uint8_t)(packing->used[at] & 63), (uint8_t)bits,
                          bits ? expr_mask(bits) : 0, var->low};
    packing->used[at] += bits;
    assert(packing->used[at] <= 64); /* (1) */
    if (packing->open_words[at] == packing->words - 1) packing->last_used = packing->used[at];
    return field;
}

static uint32_t bytes_of(const struct packing *packing)
{
    return packing->words ? 8 * (packing->words - 1)
                                + (packing->last_used > 32 ? 8
                                   : packing->last_used    ? 4
                                                           : 0)
                          : 0;
}

void layout_init(struct layout *layout, const struct model *model)
{
    struct packing packing = {.open = 0};
    layout->fields = mem_alloc(model->mem, (model->vars.len + 1) * sizeof *layout->fields);
    layout->state_bits = 0;
    for (unsigned hidden = 0; hidden < 2; hidden++) {
        packing.open = 0; /* what is hidden begins with a word of its own */
        for (uint32_t i = 0; i < model->vars.len; i++) {
            if (model->vars.data[i].is_hidden != hidden) continue;
            layout->fields[i] = pack(&packing, &model->vars.data[i]);
            layout->state_bits += layout->fields[i].bits;
        }
        if (!hidden) layout->key_bytes = bytes_of(&packing);
    }
    layout->words = packing.words ? packing.words : 1;
    layout->record_bytes = bytes_of(&packing);
    assert(layout->key_bytes <= layout->record_bytes
           && layout->record_bytes <= 8 * (uint64_t)layout->words); /* (3) */
    CHECKED(layout_check(layout, model));
}

bool layout_check(const struct layout *layout, const struct model *model)
{
    uint64_t *taken = checked_alloc(layout->words * sizeof *taken);
    bool good = true;
    for (uint32_t i = 0; taken && good && i < model->vars.len; i++) {
        const struct field *field = &layout->fields[i];
        if (!field->bits) continue; /* it has no bit anywhere */
        const uint64_t mask = field->mask << field->shift;
        const uint64_t end = 64 * (uint64_t)field->word + field->shift + field->bits,
                       key = 8 * (uint64_t)layout->key_bytes;
        good = field->word < layout->words && field->shift + field->bits <= 64 /* (1) */
               && !(taken[field->word] & mask)                                 /* (2) */
               && end <= 8 * (uint64_t)layout->record_bytes                    /* (3) */
               && (model->vars.data[i].is_hidden ? end - field->bits >= key : end <= key);
        if (good) taken[field->word] |= mask;
    }
    checked_free(taken);
    return good;
}

void layout_release(struct layout *layout, const struct model *model)
{
    mem_free(model->mem, layout->fields);
    layout->fields = NULL;
}

void layout_pack(const struct layout *layout, const struct model *model, const int64_t *values,
                 uint64_t *words)
{
    memset(words, 0, layout->words * sizeof *words);
    for (uint32_t i = 0; i < model->vars.len; i++) field_set(&layout->fields[i], words, values[i]);
}

void layout_unpack(const struct layout *layout, const struct model *model, const uint64_t *words,
                   int64_t *values)
{
    for (uint32_t i = 0; i < model->vars.len; i++) values[i] = field_get(&layout->fields[i], words);
}
