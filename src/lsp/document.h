/* A text that is open in the editor, and what is known about it. */
#ifndef CAIRN_LSP_DOCUMENT_H
#define CAIRN_LSP_DOCUMENT_H

#include "lsp/analyse.h"
#include "lsp/findings.h"
#include "lsp/job.h"

struct lsp_document {
    struct mem *mem;
    const char *uri, *path;
    const struct lsp_language *language;
    json_int_t version;
    struct lsp_text text;
    struct lsp_findings *names; /* of the last text that could be read, moved along; or NULL */
    json_t *sources;            /* paths of what was read with it */
    json_t *diagnostics;        /* of the present text, as the protocol has them */
    json_t *verdicts;           /* by what was asked: {"word", "diagnostic"?} */
    bool is_dirty;              /* the text has changed since it was analysed */
    struct lsp_job job;         /* its analysis */
    struct lsp_request request; /* of that */
    struct lsp_document *next;
};

struct lsp_document *lsp_document_open(struct mem *mem, const char *uri,
                                       const struct lsp_language *language, const char *path,
                                       bool in_bytes);
void lsp_document_close(struct lsp_document *document);
/* Applies changes as textDocument/didChange has them. False: they are none. */
bool lsp_document_change(struct lsp_document *document, json_t *changes);

/* The path of a file URI; of others what is behind the scheme. */
const char *lsp_path_of_uri(struct mem *mem, const char *uri);
json_t *lsp_uri_of_path(const char *path);
/* A string, also of bytes that are not UTF-8. */
json_t *lsp_string(const char *text);
bool lsp_read_position(json_t *position, struct lsp_position *read);

#endif
