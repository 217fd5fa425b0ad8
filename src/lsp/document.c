#include "lsp/document.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- strings ---- */

json_t *lsp_string(const char *text)
{
    char plain[2048];
    json_t *made = json_string(text);
    if (made) return made;
    size_t i = 0;
    for (; text[i] && i < sizeof plain - 1; i++)
        plain[i] = (char)((unsigned char)text[i] < 128 ? text[i] : '?');
    plain[i] = 0;
    return json_string(plain);
}

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : isxdigit((unsigned char)c) ? tolower(c) - 'a' + 10 : -1;
}

const char *lsp_path_of_uri(struct mem *mem, const char *uri)
{
    const char *at = uri;
    if (!strncmp(uri, "file://", 7)) {
        at = uri + 7;
        while (*at && *at != '/') at++; /* a host: this one */
    } else if (strchr(uri, ':')) at = strchr(uri, ':') + 1;
    char *path = mem_alloc(mem, strlen(at) + 1), *to = path;
    for (; *at; at++) {
        int high = *at == '%' ? hex(at[1]) : -1, low = high >= 0 ? hex(at[2]) : -1;
        if (low >= 0 && high + low) *to++ = (char)(16 * high + low), at += 2;
        else *to++ = *at;
    }
    return path;
}

json_t *lsp_uri_of_path(const char *path)
{
    char uri[3 * 4096 + 16] = "file://";
    size_t at = strlen(uri);
    for (; *path && at + 4 < sizeof uri; path++) {
        bool is_plain = isalnum((unsigned char)*path) || strchr("/-_.~", *path);
        at += (size_t)sprintf(uri + at, is_plain ? "%c" : "%%%02X", (unsigned char)*path);
    }
    return json_string(uri);
}

bool lsp_read_position(json_t *position, struct lsp_position *read)
{
    json_t *line = json_object_get(position, "line"),
           *character = json_object_get(position, "character");
    json_int_t l = json_integer_value(line), c = json_integer_value(character);
    if (!json_is_integer(line) || !json_is_integer(character) || l < 0 || c < 0) return false;
    const json_int_t most = UINT32_MAX - 1;
    *read = (struct lsp_position){(uint32_t)(l < most ? l : most), (uint32_t)(c < most ? c : most)};
    return true;
}

/* ---- documents ---- */

static const char *copy(struct mem *mem, const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(mem_alloc(mem, size), text, size);
}

struct lsp_document *lsp_document_open(struct mem *mem, const char *uri,
                                       const struct lsp_language *language, const char *path,
                                       bool in_bytes)
{
    struct lsp_document *d = mem_alloc(mem, sizeof *d);
    *d = (struct lsp_document){.mem = mem,
                               .uri = copy(mem, uri),
                               .path = copy(mem, path),
                               .language = language,
                               .sources = json_array(),
                               .diagnostics = json_array(),
                               .verdicts = json_object(),
                               .is_dirty = true};
    lsp_text_init(&d->text, mem, in_bytes);
    return d;
}

void lsp_document_close(struct lsp_document *d)
{
    lsp_job_end(&d->job);
    lsp_text_free(&d->text);
    lsp_findings_free(d->names);
    json_decref(d->sources);
    json_decref(d->diagnostics);
    json_decref(d->verdicts);
    mem_free(d->mem, (char *)d->uri);
    mem_free(d->mem, (char *)d->path);
    mem_free(d->mem, d);
}

bool lsp_document_change(struct lsp_document *d, json_t *changes)
{
    json_t *change;
    size_t i;
    if (!json_is_array(changes)) return false;
    json_array_foreach(changes, i, change)
    {
        json_t *text = json_object_get(change, "text"), *range = json_object_get(change, "range");
        struct lsp_position start, end;
        struct lsp_edit edit;
        if (!json_is_string(text)) return false;
        const char *data = json_string_value(text);
        size_t length = json_string_length(text);
        if (json_is_object(range)) {
            if (!lsp_read_position(json_object_get(range, "start"), &start)
                || !lsp_read_position(json_object_get(range, "end"), &end))
                return false;
            size_t from = lsp_text_offset(&d->text, start), to = lsp_text_offset(&d->text, end);
            if (to < from) to = from;
            if (d->text.length - (to - from) + length > LSP_MAX_TEXT) return false;
            lsp_text_replace(&d->text, from, to, data, length, &edit);
        } else {
            if (length > LSP_MAX_TEXT) return false;
            lsp_text_set(&d->text, data, length, &edit);
        }
        lsp_findings_move(d->names, &edit);
    }
    d->is_dirty = true;
    json_object_clear(d->verdicts);
    return true;
}
