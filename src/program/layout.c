#include "program/layout.h"

#include <string.h>

enum { OPEN_WORDS = 8 }; /* how many words with room are remembered: enough to fill gaps, and linear time */

/* First fit: a variable goes into the first of the last few words with room. Variables of one process stay close together. */
void layout_init(struct layout *layout, const struct model *model)
{
    unsigned open_words[OPEN_WORDS], used[OPEN_WORDS], open = 0, words = 0, last_used = 0;
    layout->fields = mem_alloc(model->mem, (model->vars.len + 1) * sizeof *layout->fields);
    layout->state_bits = 0;
    for (uint32_t i = 0; i < model->vars.len; i++) {
        const struct model_var *var = &model->vars.data[i];
        uint64_t span = (uint64_t)var->high - (uint64_t)var->low;
        unsigned bits = span ? 64 - (unsigned)__builtin_clzll(span) : 0, at = 0;
        layout->state_bits += bits;
        while (at < open && used[at] + bits > 64) at++;
        if (at == open) {
            if (open == OPEN_WORDS) {
                memmove(open_words, open_words + 1, sizeof open_words - sizeof *open_words);
                memmove(used, used + 1, sizeof used - sizeof *used);
                open--;
            }
            at = open++;
            open_words[at] = words++;
            used[at] = 0;
        }
        layout->fields[i] = (struct field){open_words[at], (uint8_t)(used[at] & 63), (uint8_t)bits, bits ? expr_mask(bits) : 0, var->low};
        used[at] += bits;
        if (open_words[at] == words - 1) last_used = used[at];
    }
    layout->words = words ? words : 1;
    layout->record_bytes = words ? 8 * (words - 1) + (last_used > 32 ? 8 : last_used ? 4 : 0) : 0;
}

void layout_release(struct layout *layout, const struct model *model)
{
    mem_free(model->mem, layout->fields);
    layout->fields = NULL;
}

void layout_pack(const struct layout *layout, const struct model *model, const int64_t *values, uint64_t *words)
{
    memset(words, 0, layout->words * sizeof *words);
    for (uint32_t i = 0; i < model->vars.len; i++) field_set(&layout->fields[i], words, values[i]);
}

void layout_unpack(const struct layout *layout, const struct model *model, const uint64_t *words, int64_t *values)
{
    for (uint32_t i = 0; i < model->vars.len; i++) values[i] = field_get(&layout->fields[i], words);
}
