/* What was found out about a text: diagnostics of the present one, and the names of the last one
 * that could be read. They come from another process (analyse.h) as bytes, of structures and then
 * of their texts; what was cut is not taken.
 *
 * What must hold:
 * 1. Uses are sorted by source, line and column; those of the text itself have the source `self`.
 *    A place that was edited away has line 0 from then on.
 * 2. Symbols and uses point to sources and symbols that are there. */
#ifndef CAIRN_LSP_FINDINGS_H
#define CAIRN_LSP_FINDINGS_H

#include "lang/common/symbols.h"
#include "lsp/text.h"

#include <stdio.h>

struct lsp_findings {
    struct mem mem; /* all of it */
    const char **sources;
    uint32_t source_count, self;
    struct symbol *symbols;
    uint32_t symbol_count;
    struct symbol_use *uses;
    uint32_t use_count;
    struct diagnostic *diagnostics;
    uint32_t diagnostic_count;
    const char *model; /* that a context or guide was read with; or NULL */
    bool has_names;
};

/* Writes them to a stream. `symbols` may be NULL. */
void lsp_findings_write(FILE *out, const struct diag *diag, uint32_t self,
                        const struct symbols *symbols, const char *model);
/* Reads them; NULL: they are not whole. */
struct lsp_findings *lsp_findings_read(const char *data, size_t length);
void lsp_findings_free(struct lsp_findings *findings);

/* The text was edited: what stands behind it moves. */
void lsp_findings_move(struct lsp_findings *findings, const struct lsp_edit *edit);

/* The use of a name at this place of the text itself; NULL: none is known. */
const struct symbol_use *lsp_findings_at(const struct lsp_findings *findings, struct place place);

#endif
