/* Strings: interned names (equal text = equal pointer) and a growable buffer. */
#ifndef CAIRN_BASE_TEXT_H
#define CAIRN_BASE_TEXT_H

#include "base/mem.h"

struct names {
    struct arena *arena;
    const char **slots;
    uint32_t count, size;
};
void names_init(struct names *names, struct arena *arena);
const char *names_intern(struct names *names, const char *text, size_t length);
const char *names_format(struct names *names, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A growable, always terminated string. */
struct text {
    struct mem *mem;
    char *data;
    size_t len, cap;
};
void text_init(struct text *text, struct mem *mem);
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(struct text *text);

/* 1234567 as 1,234,567. A count that may not fit in 64 bits: its digits, or 5.11e191 when there are
 * many. */
enum { TEXT_COUNT_ROOM = 48 };
const char *text_count(char buffer[32], uint64_t number);
const char *text_exact(char buffer[TEXT_COUNT_ROOM], uint64_t count, const char *digits);

/* Number of single-character edits between two words, or limit + 1 when it is more: for "did you
 * mean". */
unsigned text_distance(const char *a, const char *b, unsigned limit);
/* The candidate nearest to word so far; start with *best = NULL. Only plausible misspellings are
 * kept. */
void text_nearest(const char *word, const char *candidate, const char **best, unsigned *distance);

#endif
