#include "lsp/stream.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

void lsp_stream_init(struct lsp_stream *stream, struct mem *mem, int fd)
{
    *stream = (struct lsp_stream){.mem = mem, .fd = fd};
}

void lsp_stream_read(struct lsp_stream *stream)
{
    enum { PIECE = 1 << 16 };
    if (stream->start) {
        memmove(stream->data, stream->data + stream->start, stream->end - stream->start);
        stream->end -= stream->start;
        stream->start = 0;
    }
    if (stream->cap - stream->end < PIECE) {
        stream->cap = 2 * stream->cap + PIECE;
        stream->data = mem_resize(stream->mem, stream->data, stream->cap);
    }
    ssize_t got = read(stream->fd, stream->data + stream->end, PIECE);
    if (got > 0) stream->end += (size_t)got;
    else if (got == 0 || (errno != EINTR && errno != EAGAIN)) stream->is_over = true;
}

/* Where the header ends: behind its empty line; 0: it has not ended yet. */
static size_t header_length(const char *data, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++) {
        if (data[i] != '\n') continue;
        if (data[i + 1] == '\n') return i + 2;
        if (data[i + 1] == '\r' && i + 2 < length && data[i + 2] == '\n') return i + 3;
    }
    return 0;
}

/* The number behind the last Content-Length of a header: what stands before it may be the rest of
 * a frame that had a wrong one. False: there is none, or it is no number. */
static bool read_header(const char *header, size_t length, uint64_t *size)
{
    static const char word[] = "Content-Length:";
    const size_t word_length = sizeof word - 1;
    const char *end = header + length, *at = NULL;
    for (const char *c = header; c + word_length <= end; c++)
        if (!strncasecmp(c, word, word_length)) at = c + word_length;
    if (!at) return false;
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    unsigned digits = 0;
    for (*size = 0; at < end && *at >= '0' && *at <= '9' && digits < 19; at++, digits++)
        *size = 10 * *size + (uint64_t)(*at - '0');
    return digits && at < end && (*at == '\r' || *at == '\n');
}

enum lsp_frame lsp_stream_next(struct lsp_stream *stream, const char **body, size_t *length,
                               const char **why)
{
    size_t there = stream->end - stream->start;
    assert(stream->start <= stream->end);
    if (stream->skip) {
        size_t now = stream->skip < there ? (size_t)stream->skip : there;
        stream->skip -= now;
        stream->start += now;
        there -= now;
        if (stream->skip) return LSP_FRAME_NONE;
    }
    const char *data = stream->data + stream->start;
    size_t header = there ? header_length(data, there) : 0;
    uint64_t size;
    if (!header) {
        if (there <= LSP_MAX_HEADER) return LSP_FRAME_NONE;
        stream->start = stream->end - LSP_MAX_HEADER / 2; /* its end may be the next one's begin */
        return *why = "a header without end", LSP_FRAME_BAD;
    }
    if (!read_header(data, header, &size)) {
        stream->start += header;
        return *why = "a header without a Content-Length", LSP_FRAME_BAD;
    }
    if (size > LSP_MAX_FRAME) {
        stream->start += header;
        stream->skip = size;
        return *why = "a message that is too large", LSP_FRAME_BAD;
    }
    if (there - header < size) return LSP_FRAME_NONE;
    *body = data + header;
    *length = (size_t)size;
    stream->start += header + (size_t)size;
    return LSP_FRAME_GOOD;
}

bool lsp_send(json_t *message)
{
    char *text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    if (!text) return false;
    bool good = printf("Content-Length: %zu\r\n\r\n", strlen(text)) > 0
                && fputs(text, stdout) != EOF && !fflush(stdout);
    free(text);
    return good;
}
