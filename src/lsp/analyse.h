/* Finding out what there is to say about a text. It is read as a search would read it, so that
 * diagnostics are those of the command line; in a process of its own, with limits. */
#ifndef CAIRN_LSP_ANALYSE_H
#define CAIRN_LSP_ANALYSE_H

#include "base/diag.h"
#include "lang/common/lexer.h"

enum lsp_role { LSP_MODEL, LSP_CONTEXTS, LSP_GUIDES };

/* A language as editors know it. */
struct lsp_language {
    const char *id, *extension;
    enum lsp_role role;
    const struct lexis *lexis;   /* its words, or */
    const char *const *keywords; /* those; NULL: none */
};
extern const struct lsp_language lsp_languages[]; /* ended by an id NULL */

/* By the ending of a path, or by the id that the client says; NULL: none of ours. */
const struct lsp_language *lsp_language_find(const char *path, const char *id);

struct lsp_request {
    const char *path;
    const struct lsp_language *language;
    const char *text;
    size_t length;
    const struct diag *known; /* the texts that are open, which count instead of files */
};

enum { LSP_ANALYSIS_SECONDS = 4, LSP_ANALYSIS_MEBIBYTES = 1024 };

/* For lsp_job_start: writes what findings.h reads. */
void lsp_analyse(const void *request);

#endif
