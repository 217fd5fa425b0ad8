#include "base/out.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

void out_init(struct out *json, FILE *out)
{
    memset(json, 0, sizeof *json);
    json->out = out;
}

static bool is_inline(const struct out *json)
{
    return json->depth && json->inline_from[json->depth - 1];
}

static void new_line(struct out *json)
{
    if (is_inline(json)) return;
    fprintf(json->out, "\n%*s", 2 * (int)json->depth, "");
}

static void before_item(struct out *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (!json->depth) return;
    bool *has_items = &json->has_items[json->depth - 1];
    if (*has_items) fputs(is_inline(json) ? ", " : ",", json->out);
    *has_items = true;
    new_line(json);
}

/* The length of the valid UTF-8 sequence at text, or 0. */
static unsigned sequence_length(const unsigned char *text)
{
    unsigned char c = text[0];
    unsigned length = c < 0x80                ? 1
                      : c >= 0xC2 && c < 0xE0 ? 2
                      : (c & 0xF0) == 0xE0    ? 3
                      : c >= 0xF0 && c < 0xF5 ? 4
                                              : 0;
    for (unsigned i = 1; i < length; i++)
        if ((text[i] & 0xC0) != 0x80) return 0;
    if (length == 3 && ((c == 0xE0 && text[1] < 0xA0) || (c == 0xED && text[1] > 0x9F))) return 0;
    if (length == 4 && ((c == 0xF0 && text[1] < 0x90) || (c == 0xF4 && text[1] > 0x8F))) return 0;
    return length;
}

/* How many characters stand for themselves. */
static size_t plain_length(const unsigned char *at)
{
    size_t length = 0;
    while (at[length] >= 0x20 && at[length] < 0x7F && at[length] != '"' && at[length] != '\\')
        length++;
    return length;
}

static void put_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const size_t plain = plain_length(at);
        unsigned length = sequence_length(at);
        if (plain) {
            fwrite(at, 1, plain, out);
            at += plain;
        } else if (!length) {
            fputs("\\ufffd", out);
            at++;
        } else if (length > 1) {
            fwrite(at, 1, length, out);
            at += length;
        } else {
            if (*at == '"' || *at == '\\') fprintf(out, "\\%c", *at);
            else if (*at == '\n') fputs("\\n", out);
            else fprintf(out, "\\u%04x", *at);
            at++;
        }
    }
    fputc('"', out);
}

void out_key(struct out *json, const char *key)
{
    before_item(json);
    put_string(json->out, key);
    fputs(": ", json->out);
    json->after_key = true;
}

static void open_bracket(struct out *json, char bracket, bool on_one_line)
{
    before_item(json);
    assert(json->depth < JSON_DEPTH);
    fputc(bracket, json->out);
    json->has_items[json->depth] = false;
    json->inline_from[json->depth] = on_one_line || is_inline(json);
    json->depth++;
}

void out_open(struct out *json, char bracket) { open_bracket(json, bracket, false); }

void out_open_inline(struct out *json, char bracket) { open_bracket(json, bracket, true); }

void out_close(struct out *json, char bracket)
{
    assert(json->depth && !json->after_key);
    bool had_items = json->has_items[json->depth - 1], one_line = is_inline(json);
    json->depth--;
    if (had_items && !one_line) fprintf(json->out, "\n%*s", 2 * (int)json->depth, "");
    fputc(bracket, json->out);
    if (!json->depth) fputc('\n', json->out);
}

void out_string(struct out *json, const char *text)
{
    before_item(json);
    if (text) put_string(json->out, text);
    else fputs("null", json->out);
}

void out_int(struct out *json, int64_t value)
{
    before_item(json);
    bool exact = value < INT64_C(1) << 53 && value > -(INT64_C(1) << 53);
    fprintf(json->out, exact ? "%" PRId64 : "\"%" PRId64 "\"", value);
}

void out_uint(struct out *json, uint64_t value)
{
    before_item(json);
    fprintf(json->out, value < UINT64_C(1) << 53 ? "%" PRIu64 : "\"%" PRIu64 "\"", value);
}

void out_real(struct out *json, double value)
{
    before_item(json);
    if (isfinite(value)) fprintf(json->out, "%.6g", value);
    else fputs("null", json->out);
}

void out_bool(struct out *json, bool value)
{
    before_item(json);
    fputs(value ? "true" : "false", json->out);
}

void out_null(struct out *json)
{
    before_item(json);
    fputs("null", json->out);
}
