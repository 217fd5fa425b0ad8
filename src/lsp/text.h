/* A text with positions of three kinds: offsets in bytes; places as diagnostics have them (lines
 * that end with a line feed, columns in characters, from 1); and positions of the protocol (lines
 * that end with a line feed, a carriage return or both, from 0, and characters in units that the
 * client chose: UTF-16, or bytes).
 *
 * What must hold:
 * 1. `lines` and `rows` are ascending, and begin with 0: where lines of either kind begin.
 * 2. The text is ended by a 0 behind its length. */
#ifndef CAIRN_LSP_TEXT_H
#define CAIRN_LSP_TEXT_H

#include "base/diag.h"

#include <jansson.h>

struct lsp_text {
    struct mem *mem;
    char *data;
    size_t length;
    bool in_bytes;        /* characters of positions are bytes; otherwise UTF-16 */
    VEC(uint32_t) lines;  /* of places */
    VEC(uint32_t) rows;   /* of positions */
    uint32_t near_line;   /* what was asked last: column `near_column` of this line ... */
    uint32_t near_column; /* ... */
    size_t near_offset;   /* ... is here */
    uint32_t near_row;    /* the same for positions */
    size_t near_row_offset;
    uint32_t near_units;
};

enum { LSP_MAX_TEXT = 64 << 20 };

struct lsp_position {
    uint32_t line, character;
};

/* A part of a text that became another: everything between two places is replaced. */
struct lsp_edit {
    struct place start, end, new_end;
};

void lsp_text_init(struct lsp_text *text, struct mem *mem, bool in_bytes);
void lsp_text_free(struct lsp_text *text);
/* Takes a copy. The edit says what has changed, as little as possible. */
void lsp_text_set(struct lsp_text *text, const char *data, size_t length, struct lsp_edit *edit);
/* Replaces the bytes from .. to - 1. */
void lsp_text_replace(struct lsp_text *text, size_t from, size_t to, const char *data,
                      size_t length, struct lsp_edit *edit);

size_t lsp_text_offset(struct lsp_text *text, struct lsp_position position);
size_t lsp_text_offset_of_place(struct lsp_text *text, uint32_t line, uint32_t column);
struct lsp_position lsp_text_position(struct lsp_text *text, size_t offset);
struct place lsp_text_place(struct lsp_text *text, size_t offset);

/* The word around an offset, or before it: its first byte, and its length, which may be 0. */
size_t lsp_text_word(const struct lsp_text *text, size_t offset, size_t *length);
/* Whether this word stands at the offset, as a whole. */
bool lsp_text_has_word(const struct lsp_text *text, size_t offset, const char *word);

/* {"start": ..., "end": ...} */
json_t *lsp_text_range(struct lsp_text *text, size_t from, size_t to);

bool lsp_is_word(char c);

#endif
