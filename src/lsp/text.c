#include "lsp/text.h"

#include "base/checked.h"

#include <ctype.h>
#include <string.h>

static bool is_continuation(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

bool lsp_is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

void lsp_text_init(struct lsp_text *text, struct mem *mem, bool in_bytes)
{
    *text = (struct lsp_text){.mem = mem, .in_bytes = in_bytes};
    lsp_text_set(text, "", 0, &(struct lsp_edit){0});
}

void lsp_text_free(struct lsp_text *text)
{
    mem_free(text->mem, text->data);
    vec_free(text->mem, &text->lines);
    vec_free(text->mem, &text->rows);
}

/* ---- changes ---- */

/* (1) */
static void find_lines(struct lsp_text *text)
{
    text->lines.len = text->rows.len = 0;
    vec_push(text->mem, &text->lines, 0);
    vec_push(text->mem, &text->rows, 0);
    for (size_t i = 0; i < text->length; i++) {
        char c = text->data[i];
        if (c == '\n') vec_push(text->mem, &text->lines, (uint32_t)i + 1);
        if (c == '\n' || (c == '\r' && text->data[i + 1] != '\n'))
            vec_push(text->mem, &text->rows, (uint32_t)i + 1);
    }
    text->near_line = text->near_row = UINT32_MAX;
    assert(!text->data[text->length]); /* (2) */
}

void lsp_text_replace(struct lsp_text *text, size_t from, size_t to, const char *data,
                      size_t length, struct lsp_edit *edit)
{
    assert(from <= to && to <= text->length);
    struct place start = lsp_text_place(text, from), end = lsp_text_place(text, to);
    size_t after = text->length - to, all = from + length + after;
    char *made = mem_alloc(text->mem, all + 1);
    memcpy(made, text->data, from);
    memcpy(made + from, data, length);
    memcpy(made + from + length, text->data + to, after);
    mem_free(text->mem, text->data);
    text->data = made;
    text->length = all;
    find_lines(text);
    *edit = (struct lsp_edit){start, end, lsp_text_place(text, from + length)};
}

void lsp_text_set(struct lsp_text *text, const char *data, size_t length, struct lsp_edit *edit)
{
    size_t before = 0, behind = 0;
    if (!text->data) {
        text->data = mem_alloc(text->mem, 1);
        find_lines(text);
    }
    size_t least = length < text->length ? length : text->length;
    while (before < least && data[before] == text->data[before]) before++;
    while (behind < least - before
           && data[length - 1 - behind] == text->data[text->length - 1 - behind])
        behind++;
    /* characters stay whole */
    while (before && before < length && is_continuation(data[before])) before--;
    while (behind && is_continuation(data[length - behind])) behind--;
    lsp_text_replace(text, before, text->length - behind, data + before, length - behind - before,
                     edit);
}

/* ---- positions ---- */

/* The last of these that is not behind the offset. */
static uint32_t last_before(const uint32_t *starts, uint32_t count, size_t offset)
{
    uint32_t low = 0, high = count;
    assert(count && !starts[0]); /* (1) */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (starts[middle] <= offset) low = middle;
        else high = middle;
    }
    return low;
}

/* Characters of one line are walked over; one that was asked for before helps. */
size_t lsp_text_offset_of_place(struct lsp_text *text, uint32_t line, uint32_t column)
{
    if (!line) return 0;
    if (line > text->lines.len) return text->length;
    if (text->near_line != line || column < text->near_column) {
        text->near_line = line;
        text->near_column = 1;
        text->near_offset = text->lines.data[line - 1];
    }
    while (text->near_column < column && text->near_offset < text->length
           && text->data[text->near_offset] != '\n') {
        do text->near_offset++;
        while (is_continuation(text->data[text->near_offset]));
        text->near_column++;
    }
    return text->near_offset;
}

struct place lsp_text_place(struct lsp_text *text, size_t offset)
{
    uint32_t line = last_before(text->lines.data, text->lines.len, offset), column = 1;
    for (size_t i = text->lines.data[line]; i < offset && i < text->length; i++)
        column += !is_continuation(text->data[i]);
    return (struct place){0, line + 1, column};
}

/* Units of the character that begins here. */
static uint32_t units_of(const struct lsp_text *text, size_t offset)
{
    unsigned char c = (unsigned char)text->data[offset];
    if (!text->in_bytes) return c >= 0xF0 ? 2 : 1;
    uint32_t units = 1;
    while (is_continuation(text->data[offset + units])) units++;
    return units;
}

static size_t next_character(const struct lsp_text *text, size_t offset)
{
    do offset++;
    while (is_continuation(text->data[offset]));
    return offset;
}

struct lsp_position lsp_text_position(struct lsp_text *text, size_t offset)
{
    uint32_t row = last_before(text->rows.data, text->rows.len, offset);
    if (text->near_row != row || offset < text->near_row_offset) {
        text->near_row = row;
        text->near_row_offset = text->rows.data[row];
        text->near_units = 0;
    }
    while (text->near_row_offset < offset) {
        text->near_units += units_of(text, text->near_row_offset);
        text->near_row_offset = next_character(text, text->near_row_offset);
    }
    return (struct lsp_position){row, text->near_units};
}

size_t lsp_text_offset(struct lsp_text *text, struct lsp_position position)
{
    if (position.line >= text->rows.len) return text->length;
    size_t offset = text->rows.data[position.line];
    for (uint32_t units = 0;
         offset < text->length && text->data[offset] != '\n' && text->data[offset] != '\r';) {
        units += units_of(text, offset);
        if (units > position.character) break; /* in the middle of a character: before it */
        offset = next_character(text, offset);
    }
    return offset;
}

json_t *lsp_text_range(struct lsp_text *text, size_t from, size_t to)
{
    struct lsp_position start = lsp_text_position(text, from), end = lsp_text_position(text, to);
    return json_pack("{s:{s:i,s:i},s:{s:i,s:i}}", "start", "line", (int)start.line, "character",
                     (int)start.character, "end", "line", (int)end.line, "character",
                     (int)end.character);
}

/* ---- words ---- */

size_t lsp_text_word(const struct lsp_text *text, size_t offset, size_t *length)
{
    size_t from = offset, to = offset;
    while (from && lsp_is_word(text->data[from - 1])) from--;
    while (to < text->length && lsp_is_word(text->data[to])) to++;
    *length = to - from;
    return from;
}

bool lsp_text_has_word(const struct lsp_text *text, size_t offset, const char *word)
{
    size_t length = strlen(word);
    return offset + length <= text->length && !memcmp(text->data + offset, word, length)
           && !(lsp_is_word(word[length - 1]) && lsp_is_word(text->data[offset + length]));
}
