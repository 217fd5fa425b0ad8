/* Answers to questions about a document. Each is what the protocol wants as a result, and a new
 * reference. */
#ifndef CAIRN_LSP_ANSWER_H
#define CAIRN_LSP_ANSWER_H

#include "lsp/document.h"

struct lsp_asker {
    struct lsp_document *document, *others; /* the one that it is about; all that are open */
    bool in_bytes;                          /* positions */
    bool knows_markdown;
};

json_t *lsp_answer_hover(const struct lsp_asker *asker, json_t *params);
json_t *lsp_answer_definition(const struct lsp_asker *asker, json_t *params);
json_t *lsp_answer_references(const struct lsp_asker *asker, json_t *params);
json_t *lsp_answer_highlights(const struct lsp_asker *asker, json_t *params);
json_t *lsp_answer_outline(const struct lsp_asker *asker, json_t *params);
json_t *lsp_answer_completion(const struct lsp_asker *asker, json_t *params);
json_t *lsp_answer_actions(const struct lsp_asker *asker, json_t *params);
json_t *lsp_answer_lenses(const struct lsp_asker *asker, json_t *params);

/* The range of a symbol's name, or of what stands there instead. */
json_t *lsp_answer_range(struct lsp_document *document, const struct symbol *symbol);
/* The diagnostics of findings about a text. */
json_t *lsp_answer_diagnostics(struct lsp_document *document, const struct lsp_findings *findings);
/* What a run of a model is shown with: its steps, with their places, at most so many. */
json_t *lsp_answer_run(struct lsp_document *document, json_t *steps, size_t most);

#endif
