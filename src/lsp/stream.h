/* Frames: a header with Content-Length, an empty line, and so many bytes of JSON. What is no frame
 * is passed over up to the next header, and told as a bad one. */
#ifndef CAIRN_LSP_STREAM_H
#define CAIRN_LSP_STREAM_H

#include "base/mem.h"

#include <jansson.h>

enum { LSP_MAX_FRAME = 64 << 20, LSP_MAX_HEADER = 8192 };

struct lsp_stream {
    struct mem *mem;
    int fd;
    char *data;
    size_t start, end, cap; /* what was read, and is not taken yet */
    uint64_t skip;          /* so many bytes more belong to a frame that is too large */
    bool is_over;           /* nothing more comes */
};

enum lsp_frame {
    LSP_FRAME_NONE, /* not all of it is there yet */
    LSP_FRAME_BAD,  /* there was something that is no frame; *why says it */
    LSP_FRAME_GOOD
};

void lsp_stream_init(struct lsp_stream *stream, struct mem *mem, int fd);
/* Waits for some bytes, and takes what is there. */
void lsp_stream_read(struct lsp_stream *stream);
/* The next frame; its bytes are valid until the next call. */
enum lsp_frame lsp_stream_next(struct lsp_stream *stream, const char **body, size_t *length,
                               const char **why);

/* Writes a message to standard output, and gives up the reference to it. False: nobody reads. */
bool lsp_send(json_t *message);

#endif
