#define XXH_INLINE_ALL
#include "base/text.h"

#include <inttypes.h>
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

void names_init(struct names *names, struct arena *arena)
{
    *names = (struct names){.arena = arena};
}

static uint32_t slot_of(const struct names *names, const char *text, size_t length)
{
    uint32_t at = (uint32_t)XXH3_64bits(text, length) & (names->size - 1);
    while (names->slots[at]
           && (strncmp(names->slots[at], text, length) || names->slots[at][length]))
        at = (at + 1) & (names->size - 1);
    return at;
}

static void grow(struct names *names)
{
    const char **old = names->slots;
    uint32_t old_size = names->size;
    names->size = old_size ? 2 * old_size : 256;
    names->slots = mem_alloc(names->arena->mem, names->size * sizeof *names->slots);
    for (uint32_t i = 0; i < old_size; i++)
        if (old[i]) names->slots[slot_of(names, old[i], strlen(old[i]))] = old[i];
    mem_free(names->arena->mem, old);
}

/* Text with NUL bytes never gets here: the lexer rejects it. */
const char *names_intern(struct names *names, const char *text, size_t length)
{
    if (2 * names->count >= names->size) grow(names);
    uint32_t at = slot_of(names, text, length);
    if (!names->slots[at]) {
        names->slots[at] = arena_copy(names->arena, text, length);
        names->count++;
    }
    return names->slots[at];
}

const char *names_format(struct names *names, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *buffer = mem_alloc(names->arena->mem, (size_t)length + 1);
    va_start(args, format);
    vsnprintf(buffer, (size_t)length + 1, format, args);
    va_end(args);
    const char *name = names_intern(names, buffer, (size_t)length);
    mem_free(names->arena->mem, buffer);
    return name;
}

void text_init(struct text *text, struct mem *mem) { *text = (struct text){.mem = mem}; }

void text_add(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    assert(length >= 0);
    if (text->len + (size_t)length + 1 > text->cap) {
        size_t cap = 2 * text->cap + (size_t)length + 64;
        text->data = mem_resize(text->mem, text->data, cap);
        text->cap = cap;
    }
    va_start(args, format);
    vsnprintf(text->data + text->len, (size_t)length + 1, format, args);
    va_end(args);
    text->len += (size_t)length;
}

void text_free(struct text *text)
{
    mem_free(text->mem, text->data);
    text_init(text, text->mem);
}

enum { WORD_MAX = 64 };

unsigned text_distance(const char *a, const char *b, unsigned limit)
{
    size_t la = strlen(a), lb = strlen(b);
    if (la > WORD_MAX || lb > WORD_MAX) return limit + 1;
    unsigned row[WORD_MAX + 1];
    for (size_t j = 0; j <= lb; j++) row[j] = (unsigned)j;
    for (size_t i = 1; i <= la; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= lb; j++) {
            unsigned up = row[j], change = diagonal + (a[i - 1] != b[j - 1]);
            unsigned best = up + 1 < row[j - 1] + 1 ? up + 1 : row[j - 1] + 1;
            row[j] = change < best ? change : best;
            diagonal = up;
        }
    }
    return row[lb] <= limit ? row[lb] : limit + 1;
}

void text_nearest(const char *word, const char *candidate, const char **best, unsigned *distance)
{
    unsigned limit = strlen(word) < 3 ? 1 : strlen(word) < 7 ? 2 : 3;
    if (strlen(word) == 1 && strlen(candidate) == 1) return; /* every letter is near every other */
    unsigned found = text_distance(word, candidate, limit);
    if (found <= limit && (!*best || found < *distance)) {
        *best = candidate;
        *distance = found;
    }
}

/* ---- numbers ---- */

const char *text_count(char buffer[32], uint64_t number)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number), at = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) buffer[at++] = ',';
        buffer[at++] = digits[i];
    }
    buffer[at] = 0;
    return buffer;
}

const char *text_exact(char buffer[TEXT_COUNT_ROOM], uint64_t count, const char *digits)
{
    enum { SHORT = 40 };
    if (!digits) return text_count(buffer, count);
    size_t length = strlen(digits);
    if (length <= SHORT) snprintf(buffer, TEXT_COUNT_ROOM, "%s", digits);
    else snprintf(buffer, TEXT_COUNT_ROOM, "%c.%.6se%zu", digits[0], digits + 1, length - 1);
    return buffer;
}
